"""Live judges as JSON: which there are, making one, and having it grade a round."""

import secrets
from dataclasses import dataclass
from typing import Annotated, Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.response import Response

from annotation.common.names import NameKind
from annotation.common.sentences import gettext as _
from annotation.people import permissions
from annotation.people.models import RaterKind
from annotation.people.permissions import Scope, door
from annotation.rounds.models import Round
from evalsite import errors
from evalsite.contract.calls import AFTER, as_sent, contract, get, of_form, post, readable, taken
from evalsite.contract.shapes import ANYTHING, either, page, rows, said, shape
from evalsite.kinds import Choice, Text, Whole
from evalsite.records import Record, parts
from evalsite.web import keyset
from scoring.endpoints import queries as connections
from scoring.endpoints.models import Endpoint
from scoring.engine import api as run_shapes
from scoring.engine import queries as engine
from scoring.engine import requests
from scoring.engine.api import MOST, JudgeOut, begin, begins
from scoring.engine.api import RunOut as RunDeedsRunOut
from scoring.engine.forms import RunFilter
from scoring.engine.kinds import LARGEST_SEED
from scoring.engine.models import Run
from scoring.kinds.judging import plugins
from scoring.kinds.judging import queries as reads
from scoring.kinds.judging import settings as judges
from scoring.kinds.judging.kind import KIND, Judged
from scoring.kinds.judging.settings import JudgeSettings


@dataclass(frozen=True, kw_only=True)
class JudgeHead(Record):
    """A judge; what is left out has its usual value, what its kind does not know is refused."""

    kind: Annotated[str, Choice(tuple(plugins.judge_kinds()))] = "direct"
    name: Annotated[str, NameKind(120)]
    endpoint: Annotated[str, Text(80, empty=False)]


HEAD = {one.name for one in parts(JudgeHead)}
JUDGE = either("JudgeIn", JudgeHead, *(one.settings for one in plugins.judge_kinds().values()))


def _judge(data: Any) -> tuple[JudgeHead, JudgeSettings]:
    given = data if isinstance(data, dict) else {}
    head = as_sent(JudgeHead, {name: one for name, one in given.items() if name in HEAD})
    rest = {name: one for name, one in given.items() if name not in HEAD}
    return head, as_sent(plugins.judge_kinds()[head.kind].settings, rest)


def _endpoint(scope: Scope, name: str) -> Endpoint:
    found = connections.endpoints_of(scope.project).filter(name=name).first()
    if found is None:
        said = _("No endpoint in use here is called “%(name)s”.") % {"name": name}
        raise errors.Invalid(said, fields={"endpoint": [said]})
    return found


class CriterionOut(serializers.Serializer[Any]):
    component = "JudgeRunsCriterion"
    key = serializers.CharField()
    name = serializers.CharField()
    rubrics = serializers.ListField(child=serializers.CharField())


@contract(
    get(rows(JudgeOut), "Return the judges of the project."),
    post(JudgeOut, "Make a judge.", takes=JUDGE, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def live_judges(request: Any, scope: Scope) -> Response:
    """Return the judges that are configured here; POST makes one."""
    if request.method == "POST":
        head, settings = _judge(request.data)
        made = judges.create(
            name=head.name,
            endpoint=_endpoint(scope, head.endpoint),
            settings=settings,
            **scope.deed(),
        )
        return Response(JudgeOut(made).data, status=201)
    rows = reads.judges_of(scope.project).filter(rater__kind=RaterKind.JUDGE).order_by("name")
    return Response({"results": JudgeOut(rows, many=True).data})


@contract(
    get(
        shape("ToJudge", answers=int, criteria=[CriterionOut]),
        "Return what a judge would grade in a round.",
    ),
    begins(KIND, "Estimate what judging a round would take, or have it judged."),
)
@door(permissions.CURATORS)
def judge_round(request: Any, scope: Scope, number: int) -> Response:
    """Return what there is to judge in a round; POST estimates it or has it judged."""
    round_ = get_object_or_404(reads.rounds_of(scope.project), number=number)
    round_.project = scope.project
    if request.method == "POST":
        return begin(request, scope, KIND, round_)
    criteria = CriterionOut(reads.choices_of(round_), many=True).data
    return Response({"answers": reads.n_places(round_), "criteria": criteria})


@dataclass(frozen=True, kw_only=True)
class JudgeRunIn(Judged):
    """A judge's run over a round, to be started. The same key again is the same run.

    Answers are collected, and metrics computed, at addresses of their own.
    """

    needs = frozenset()

    kind: Annotated[str, Choice((Run.Kind.JUDGE.value,))] = Run.Kind.JUDGE.value
    round: Annotated[int, Whole(1, MOST)]
    #: One is drawn unless it is said.
    seed: Annotated[int | None, Whole(0, LARGEST_SEED)] = None  # type: ignore[assignment]
    cloned_from: Annotated[int | None, Whole(1, MOST)] = None


def start(request: Any, scope: Scope) -> Response:
    given = taken(JudgeRunIn, request)
    round_ = _named("round", Round.objects.filter(project=scope.project), given.round)
    runs, before = Run.objects.filter(project=scope.project), None
    if given.cloned_from is not None:
        before = _named("cloned_from", runs, given.cloned_from)
    seed = secrets.randbelow(LARGEST_SEED + 1) if given.seed is None else given.seed
    wish = Judged(**{one.name: getattr(given, one.name) for one in parts(Judged)} | {"seed": seed})
    who: Any = {"user": scope.user, "now": timezone.now()}
    if wish.estimate:
        return Response(requests.checked(KIND, round_, wish, **who)[0].as_dict())
    again = Run.objects.filter(project=scope.project, key=wish.key).exists()
    made = requests.started(KIND, round_, wish, **who, cloned_from=before)
    return Response(
        RunDeedsRunOut(engine.reading_of(scope, made.number).run).data, 200 if again else 201
    )


def _named(name: str, rows: Any, number: int) -> Any:
    """Return what is named by its number.

    Raises:
        errors.Invalid: it does not exist in the project.
    """
    found = rows.filter(number=number).first()
    if found is None:
        said = _("There is none of this number in the project.")
        raise errors.Invalid(said, fields={name: [said]})
    return found


@contract(
    get(
        page(
            shape(
                "RunWithSteps",
                run_shapes.RunLineOut,
                steps=shape("RunSteps", total=int, left=int, failed=int),
            )
        ),
        "Return a page of runs, the newest first.",
        query=[*of_form(RunFilter), AFTER],
    ),
    post(
        run_shapes.RunOut,
        "Start a judge's run over a round, or estimate it.",
        takes=JudgeRunIn,
        status=201,
        also={200: said(ANYTHING, "The estimate; or the run, where the key was used before.")},
    ),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def runs(request: Any, scope: Scope) -> Response:
    """Return a page of runs, the newest first; or start one."""
    if request.method == "POST":
        return start(request, scope)
    rows = engine.filtered(scope.project, readable(RunFilter(request.GET)).filters())
    page = engine.page(rows, request.GET.get("after", ""))
    results = [
        {
            **run_shapes.RunLineOut(line.run).data,
            "steps": {"total": line.n_steps, "left": line.n_left, "failed": line.n_failed},
        }
        for line in engine.lines(page.rows)
    ]
    return Response({"results": results, "next": keyset.next_url(request.GET, page)})
