"""Have losses measured on texts of a test that may have been learnt: which texts, and which systems."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from annotation.common.forms import one_of, some_of
from annotation.people.models import Project
from scoring.engine.forms import ReleasesForm
from scoring.engine.starting import OfReleases
from scoring.kinds.interviews.forms import sources
from scoring.kinds.losses import operations as losses
from scoring.kinds.losses.operations import Losses


class LossesForm(ReleasesForm, record=Losses, leave_out=("releases",)):
    """Which systems are asked about which texts."""

    train_over = one_of(Losses, "train_over")
    test_over = one_of(Losses, "test_over")
    releases = some_of(
        Losses,
        "releases",
        help_text=_("Endpoints need log-probabilities of prompts (echo)."),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, project=project, **kwargs)
        offered = sources(project)
        self.offer(train_over=offered, test_over=offered)


class LossesStart(OfReleases):
    name, at = "losses_new", "losses/new/"
    kind, form = losses.KIND, LossesForm
    title, run_name = _("Measure losses"), _("Losses")
    lead = _("A model that learnt a test finds it likelier than similar new texts.")


STARTS = (LossesStart,)
