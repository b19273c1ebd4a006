"""What the insight worker does, here and now."""

from scoring import jobs
from scoring.figures.models import Figure


def compute() -> None:
    """Compute every figure that waits."""
    for figure in Figure.objects.filter(state=Figure.State.WANTED):
        jobs.compute_figure(figure.pk)
