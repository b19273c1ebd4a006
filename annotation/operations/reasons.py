"""Why somebody is given no seat: what their page says, and what happens next."""

from django.utils.translation import gettext_lazy as _

#: Why there is nothing to grade: a title, and what happens next.
WHY = {
    "not_invited": (
        _("You do not grade in this round"),
        _("Its curator chooses the annotators. Ask them if you should be one."),
    ),
    "not_blind": (
        _("You can see which system gave which answer"),
        _("So your grades would not be blind. Only an owner can allow it; ask them."),
    ),
    "not_open": (
        _("Not open yet"),
        _("This round is still being prepared. It appears in your list when it opens."),
    ),
    "closed": (
        _("This round is closed"),
        _("Everything you submitted is stored. Thank you."),
    ),
    "paused": (
        _("This round is paused"),
        _("Everything you submitted is stored. The round will go on here; no need to wait."),
    ),
    "deadline_passed": (
        _("The closing time has passed"),
        _("Everything you submitted is stored. The curator may prolong the round."),
    ),
    "not_qualified": (
        _("Qualify first"),
        _(
            "What is left of this round is about something you have not qualified in yet. The "
            "training leads there: learn, practise, take the trial."
        ),
    ),
    "waiting": (
        _("The rest is with others just now"),
        _("If a question is handed back, it appears here. Look again in a while."),
    ),
    "all_done": (
        _("All done"),
        _("You have graded everything that was for you in this round. Thank you."),
    ),
}
