"""What systems are called on the judge pages: by numbers unless the names of all rounds are shown."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from scoring.queries.judge_options import Options
from scoring.queries.names import Name


def names(options: Options) -> Mapping[int, Name]:
    """Return the name of every release of the chosen rounds by its key."""
    chosen = options.chosen
    made = {key: name for one in chosen for key, name in one.names.items()}
    if len(chosen) == 1 or all(one.shown for one in chosen):
        return made
    hidden = [_("System %(number)d") % {"number": n} for n in range(1, len(made) + 1)]
    return {key: Name(key, hidden[n], "", hidden[n], n) for n, key in enumerate(made)}


def system(found: Mapping[int, Name], release: int) -> str:
    """Return what a release is called; one that took part in no round is told by no name."""
    name = found.get(release)
    return name.text if name else _("another system")
