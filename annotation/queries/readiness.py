"""What a draft still needs before it can be opened, and what grading it will cost."""

from dataclasses import dataclass

from django.db.models import Count, Sum
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Criterion, IdentityHit, Round, RoundItem, RoundResponse
from annotation.queries import own, qualifications, references
from annotation.rules import rounds, tokens


@dataclass(frozen=True)
class Need:
    """A condition of opening; one that `waits` is known once the draft is prepared, not before."""

    key: rounds.Need
    met: bool
    text: str
    waits: bool = False


@dataclass(frozen=True)
class Cost:
    """What a round asks of its annotators. Minutes are per item, by the given pace."""

    n_items: int
    n_responses: int
    n_seats: int
    n_marks: int
    n_annotators: int
    #: Of the items: those the same people grade once more, and those whose grades are known.
    n_repeats: int = 0
    n_gold: int = 0

    @property
    def n_drawn(self) -> int:
        """Return how many of the items are drawn from what fits."""
        return self.n_items - self.n_repeats - self.n_gold

    def hours(self, minutes_per_item: float) -> float:
        return self.n_seats * minutes_per_item / 60


def needs(round_: Round) -> list[Need]:
    """Return every condition of opening, met or not, with a sentence that says what to do."""
    prepared = round_.draw.get("prepared")
    items = round_.items.all()
    widest = max(
        items.annotate(n=Count("responses")).values_list("n", flat=True).order_by("-n")[:1],
        default=0,
    )
    bare = items.filter(responses__isnull=True).count() if prepared else 0
    without = items.filter(rubric_version__isnull=True).count() if prepared else 0
    no_systems = not prepared and not round_.systems.exists()
    no_rubrics = not prepared and not round_.rubrics.exists()
    n_annotators = round_.annotators.filter(ended_at__isnull=True).count()
    undecided = round_.identity_hits.filter(decision=IdentityHit.Decision.UNDECIDED).count()
    return [
        Need(
            rounds.Need.ITEMS,
            bool(prepared),
            _("Items are drawn.") if prepared else _("Prepare the draft, so that items are drawn."),
            waits=not prepared,
        ),
        Need(
            rounds.Need.RESPONSES,
            fits := bool(prepared) and 1 <= widest <= len(tokens.LETTERS) and not bare,
            _("Every item has one to eight responses.")
            if fits
            else _("Choose the systems to compare.")
            if no_systems
            else _("Prepare the draft, so that every item has one to eight responses."),
            waits=not prepared and not no_systems,
        ),
        Need(
            rounds.Need.RUBRICS,
            bool(prepared) and without == 0,
            ngettext(
                "%(n)s item has no rubric: choose one for its capability, or one for all the rest.",
                "%(n)s items have no rubric: choose one for their capability, or one for the rest.",
                without,
            )
            % {"n": without}
            if without
            else _("Every item has a rubric.")
            if prepared
            else _("Choose a rubric: one for each capability, or one for all items.")
            if no_rubrics
            else _("Prepare the draft, so that every item has its rubric."),
            waits=not prepared and not no_rubrics,
        ),
        Need(
            rounds.Need.SEATS,
            enough := round_.n_seats >= 3 or bool(round_.seats_override),
            _("Every item is graded by three annotators or more, or an owner said why not.")
            if enough
            else _("Have every item graded by three annotators, or let an owner say why not."),
        ),
        Need(
            rounds.Need.ANNOTATORS,
            n_annotators >= round_.n_seats,
            _("%(have)s of at least %(want)s annotators are chosen.")
            % {"have": n_annotators, "want": round_.n_seats},
        ),
        *_own(round_),
        *_qualified(round_),
        Need(
            rounds.Need.IDENTITY_CLEARED,
            bool(prepared) and undecided == 0,
            _("Names of systems in responses are looked for when the draft is prepared.")
            if not prepared
            else ngettext(
                "%(n)s place names a system: mask it, or leave it as it is.",
                "%(n)s places name a system: mask them, or leave them as they are.",
                undecided,
            )
            % {"n": undecided}
            if undecided
            else _("No response names its system without your decision."),
            waits=not prepared,
        ),
        *_references(round_),
    ]


def _references(round_: Round) -> list[Need]:
    """Return whether a trial knows what is right for every answer."""
    if round_.kind != Round.Kind.TRIAL:
        return []
    short = references.n_missing(round_)
    text = ngettext(
        "%(n)d reference grade is missing: say what is right for every answer.",
        "%(n)d reference grades are missing: say what is right for every answer.",
        short,
    )
    met = _("Every answer has its reference grades.")
    if not round_.draw.get("prepared"):
        text = _("Prepare the draft; then say what is right for every answer.")
        return [Need(rounds.Need.REFERENCES, False, text, waits=True)]
    return [Need(rounds.Need.REFERENCES, not short, text % {"n": short} if short else met)]


def _own(round_: Round) -> list[Need]:
    """Return whether enough annotators had no part in the questions, where the bank says who had."""
    if not own.is_banked(round_):
        return []
    short = own.n_short(round_)
    text = ngettext(
        "%(n)s item has too few annotators who neither wrote nor inspected its question: choose "
        "more, or let an owner say why they may grade it.",
        "%(n)s items have too few annotators who neither wrote nor inspected their question: "
        "choose more, or let an owner say why they may grade them.",
        short,
    )
    met = _("Nobody grades a question they wrote or inspected, and enough others are chosen.")
    return [Need(rounds.Need.OTHERS_WROTE_IT, not short, text % {"n": short} if short else met)]


def _qualified(round_: Round) -> list[Need]:
    """Return whether enough annotators have qualified, where the round asks for it."""
    if not round_.asks_qualification or not round_.draw.get("prepared"):
        return []
    short = qualifications.short_of(round_)
    if not short:
        met = _("In every capability enough of its annotators have qualified.")
        return [Need(rounds.Need.QUALIFIED, True, met)]
    found = ", ".join(
        _("%(capability)s: %(have)d of %(want)d")
        % {"capability": one.capability.name, "have": one.n_qualified, "want": one.n_wanted}
        for one in short
    )
    if said := round_.qualified_override:
        text = _("Too few have qualified (%(found)s); an owner said why it may open: %(why)s")
        return [Need(rounds.Need.QUALIFIED, True, text % {"found": found, "why": said})]
    text = _(
        "Too few of the chosen annotators have qualified (%(found)s). Choose others, train them, "
        "do not ask for it, or let an owner say why it may open all the same."
    )
    return [Need(rounds.Need.QUALIFIED, False, text % {"found": found})]


def cost(round_: Round) -> Cost:
    """Return the number of items, seats and marks of a round as it is drawn."""
    responses = RoundResponse.objects.filter(round_item__round=round_)
    n_criteria = dict(
        Criterion.objects.filter(rubric_version__in=round_.items.values("rubric_version"))
        .order_by()
        .values_list("rubric_version")
        .annotate(n=Count("pk"))
    )
    shown = (
        responses.order_by()
        .values_list("round_item__rubric_version", "round_item__n_seats")
        .annotate(n=Count("pk"))
    )
    purpose = RoundItem.Purpose
    n_of = dict(round_.items.order_by().values_list("purpose").annotate(n=Count("pk")))
    return Cost(
        n_items=sum(n_of.values()),
        n_repeats=n_of.get(purpose.REPEAT, 0),
        n_gold=n_of.get(purpose.GOLD, 0),
        n_responses=responses.count(),
        n_seats=round_.items.aggregate(n=Sum("n_seats"))["n"] or 0,
        n_marks=sum(n * seats * n_criteria.get(version, 0) for version, seats, n in shown),
        n_annotators=round_.annotators.filter(ended_at__isnull=True).count(),
    )
