"""What the API says of a run: every field named here, and no secret among them."""

from decimal import Decimal
from typing import Any

from rest_framework import serializers

from evalsite.contract.shapes import maybe, said, shape
from scoring.models import Run
from scoring.operations.runs.requesting import BUDGET_DIGITS, BUDGET_PLACES, LEAST_BUDGET
from scoring.queries import banner
from scoring.queries.run_progress import Progress


class BudgetField(serializers.DecimalField):
    """A limit of money, in the currency of the endpoints; null: none."""

    def __init__(self, **more: Any) -> None:
        super().__init__(
            max_digits=BUDGET_DIGITS,
            decimal_places=BUDGET_PLACES,
            min_value=LEAST_BUDGET,
            allow_null=True,
            **more,
        )


class RunLineOut(serializers.ModelSerializer[Run]):
    """A run in the list."""

    round = serializers.IntegerField(source="round.number", default=None)
    judge = serializers.IntegerField(source="judge.rater_id", default=None)
    cloned_from = serializers.IntegerField(source="cloned_from.number", default=None)
    note = serializers.SerializerMethodField()

    class Meta:
        model = Run
        fields: tuple[str, ...] = (
            "number",
            "name",
            "kind",
            "protocol",
            "round",
            "judge",
            "state",
            "pause",
            "problem",
            "scripted",
            "asks_script",
            "note",
            "budget",
            "cloned_from",
            "requested_at",
            "started_at",
            "finished_at",
        )

    def get_note(self, run: Run) -> str:
        return banner.of_run(run)


class RunOut(RunLineOut):
    """A run with what it was started with; its secret never leaves the database."""

    class Meta(RunLineOut.Meta):
        ref_name = "Run"
        fields = (*RunLineOut.Meta.fields, "key", "seed", "config", "config_sha", "estimate")


class SpentOut(serializers.Serializer[Any]):
    role = serializers.CharField()
    endpoint = serializers.CharField(source="endpoint.name")
    calls = serializers.IntegerField(source="n")
    failed = serializers.IntegerField(source="n_failed")
    without_price = serializers.IntegerField(source="n_unpriced")
    #: Calls whose server counted no tokens: what they cost is estimated.
    estimated = serializers.IntegerField(source="n_estimated")
    prompt_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField()
    cost = serializers.DecimalField(
        source="known_cost", max_digits=20, decimal_places=8, allow_null=True
    )
    currency = serializers.CharField(source="endpoint.currency")
    seconds = serializers.FloatField()


def progress_of(progress: Progress) -> dict[str, Any]:
    return {
        "steps": {
            "total": progress.n_steps,
            "left": progress.n_left,
            "in_work": progress.n_claimed,
            "done": progress.n_ok,
            "system_failed": progress.n_system_failed,
            "machinery_failed": progress.n_failed,
            "no_reading": progress.n_no_reading,
            "left_out": progress.n_skipped,
        },
        "per_minute": progress.per_minute,
        "seconds": progress.seconds,
        "seconds_left": progress.seconds_left,
        "seconds_each": progress.seconds_each,
        "calls": progress.n_calls,
        "prompt_tokens": progress.prompt_tokens,
        "completion_tokens": progress.completion_tokens,
        "cost": None if progress.is_mixed else str(progress.cost),
        "currency": progress.currency or None,
        "all_priced": progress.is_priced,
        "forecast": None if progress.forecast is None else str(progress.forecast),
        "asked": SpentOut(progress.spent, many=True).data,
        "failed_calls": {one.trouble: one.n for one in progress.failures},
        "set_aside": [
            {"outcome": one.outcome, "trouble": one.trouble, "problem": one.problem, "n": one.n}
            for one in progress.reasons
        ],
        "flagged": {
            "steps": progress.flagged.n,
            "found": {one.flag: one.n for one in progress.flagged.found},
        },
    }


STEPS = shape(
    "StepCounts",
    total=int,
    left=int,
    in_work=int,
    done=int,
    system_failed=int,
    machinery_failed=int,
    no_reading=int,
    left_out=int,
)
PROGRESS = shape(
    "Progress",
    steps=STEPS,
    per_minute=maybe(float),
    seconds=maybe(float),
    seconds_left=maybe(float),
    seconds_each=maybe(float),
    calls=int,
    prompt_tokens=int,
    completion_tokens=int,
    cost=said(maybe(Decimal), "Null where currencies differ."),
    currency=maybe(str),
    all_priced=bool,
    forecast=maybe(Decimal),
    asked=[SpentOut],
    failed_calls=said({str: int}, "How many calls failed, by what troubled them."),
    set_aside=[shape("SetAside", outcome=str, trouble=str, problem=str, n=int)],
    flagged=shape("FlaggedSteps", steps=int, found={str: int}),
)
