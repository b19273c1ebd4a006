"""What became of the gates of a run that nobody was watching, in words to keep. Loads scipy when asked."""

from scoring.models import Run, ScheduledRun
from scoring.queries import suite_frame

Gates = ScheduledRun.Gates


def of(run: Run, baseline: Run | None) -> tuple[str, list[str]]:
    """Return whether the gates were kept, and those that were not in words.

    A run that was called off kept none. Where no run came before, a gate against a baseline is left out.
    """
    gates = suite_frame.suite_of(run).gates
    if not gates:
        return Gates.NONE, []
    if run.state != Run.State.DONE:
        return Gates.FAILED, [f"The run was called off. {run.problem}".strip()]
    from scoring.queries import suite_gates  # scipy is for workers alone

    skipped = {one.words for one in gates if one.drop is not None and baseline is None}
    failed = [
        f"{one.gate}: {one.release} {'–' if one.value is None else f'{one.value:.4g}'} ({one.said})"
        for one in suite_gates.verdicts(suite_frame.Frame(run), baseline)
        if not one.passed and one.gate not in skipped
    ]
    return (Gates.FAILED, failed) if failed else (Gates.KEPT, [])
