"""What machines said of interviews, said again of the responses that people are given to rate.

* Runs in which other evaluators judge dialogues that were held before: nobody else is asked.
* Have the dialogues of a run judged again by more evaluators; no system and no interviewer is asked.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final

from django.db import transaction
from django.db.models import Prefetch, QuerySet
from pydantic import Field

from annotation.common.pace import Batches
from annotation.common.sentences import gettext as _
from annotation.people.models import Project
from evalsite import errors
from evalsite.kinds import Text, Whole, gettext_noop
from evalsite.records import Ask
from scoring.endpoints import queries as connections
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine.kinds import (
    LARGEST_SEED,
    AskedRun,
    BeginRun,
    Estimated,
    RunAsking,
    StepPlan,
    Work,
)
from scoring.engine.models import Judgment, Run, Step
from scoring.kinds.interviews import kind as interviewing
from scoring.kinds.interviews import operations as evaluators
from scoring.kinds.interviews import queries as rejudging_interviews
from scoring.kinds.interviews import results as interview_voices
from scoring.kinds.interviews import v1
from scoring.kinds.interviews import verdicts_v1 as verdicts
from scoring.kinds.interviews.kind import A_VERDICT, AROUND
from scoring.kinds.interviews.models import Dialogue, Exchange, PublishedExchange
from scoring.kinds.interviews.operations import Visible
from scoring.llm import base as tokens
from scoring.llm.base import ChatModel, Failed, Role, Settings
from scoring.protocols import untrusted
from scoring.publishing.models import Publication
from scoring.stats.machines import interviews
from scoring.stats.machines.interviews import HIGHEST, LOWEST, Exchanges

#: The sort of a publication that has whole dialogues in it.
WHOLE: Final = "dialogues"
NOTHING: Final = "No exchange of the dialogue has a verdict."
Place = tuple[int, int, int, int]


def readdress(*, dialogues: Collection[int], now: datetime) -> None:
    """Write the judgments of published responses that are missing, in the caller's transaction.

    Doing it twice does no harm, and what was judged later is added by doing it again.
    """
    rows = list(Dialogue.objects.filter(pk__in=dialogues))
    by_response = {one.response_id: one for one in rows}
    said = _verdicts(list(by_response))
    wanted = [*_of_exchanges(rows, said), *_of_whole(rows, said, now)]
    there = set(
        Judgment.objects.filter(
            response__in={one.response_id for one in wanted},
            target_index__isnull=True,
            run__isnull=False,
        ).values_list("run_id", "rater_id", "response_id", "criterion_id")
    )
    Judgment.objects.bulk_create(one for one in wanted if _key(one) not in there)


def readdress_all(*, dialogues: Sequence[int], now: datetime) -> None:
    """Do it for many dialogues, in short transactions."""
    for batch in Batches(start=10, most=100, breath=0.3).batches(dialogues):
        with transaction.atomic():
            readdress(dialogues=batch, now=now)


def _verdicts(responses: Collection[int]) -> dict[int, list[Judgment]]:
    rows = Judgment.objects.filter(
        response__in=responses, target_level=Judgment.Target.TURN, run__isnull=False
    )
    found: dict[int, list[Judgment]] = defaultdict(list)
    for one in rows.order_by("run", "rater", "target_index", "criterion"):
        found[one.response_id].append(one)
    return found


def _of_exchanges(
    rows: Sequence[Dialogue], said: Mapping[int, Sequence[Judgment]]
) -> Iterator[Judgment]:
    published = PublishedExchange.objects.filter(exchange__dialogue__in=rows)
    places = published.values_list("exchange__dialogue__response_id", "exchange__k", "response_id")
    for dialogue, k, response in places:
        for one in said.get(dialogue, ()):
            if one.target_index == k:
                yield Judgment(
                    rater_id=one.rater_id,
                    response_id=response,
                    criterion_id=one.criterion_id,
                    run_id=one.run_id,
                    step_id=one.step_id,
                    outcome=one.outcome,
                    reason=one.reason,
                    value=one.value,
                    text=one.text,
                    at=one.at,
                )


def _of_whole(
    rows: Sequence[Dialogue], said: Mapping[int, Sequence[Judgment]], now: datetime
) -> Iterator[Judgment]:
    published = Publication.objects.filter(run__in={one.run_id for one in rows}, sort=WHOLE)
    runs = set(published.values_list("run_id", flat=True))
    for dialogue in (one for one in rows if one.run_id in runs):
        parts: dict[Place, list[Judgment]] = defaultdict(list)
        for one in said.get(dialogue.response_id, ()):
            parts[_key(one)].append(one)
        for found in parts.values():
            yield _mean(dialogue, found, now)


def _mean(dialogue: Dialogue, found: Sequence[Judgment], now: datetime) -> Judgment:
    """Return what a rater's verdicts on one aspect come to over the dialogue."""
    scores = tuple(None if one.value is None else int(one.value) for one in found)
    value = interviews.score(Exchanges(scores, dialogue.n_planned), interviews.LINEAR)
    n_valid = sum(one is not None for one in scores)
    first = found[0]
    return Judgment(
        rater_id=first.rater_id,
        response_id=dialogue.response_id,
        criterion_id=first.criterion_id,
        run_id=first.run_id,
        step_id=first.step_id,
        outcome=Judgment.Outcome.UNSCORED if value is None else Judgment.Outcome.SCORED,
        reason=NOTHING if value is None else "",
        value=None if value is None else LOWEST + (HIGHEST - LOWEST) * value / 100,
        n_valid=n_valid,
        at=now,
    )


def _key(one: Judgment) -> Place:
    assert one.run_id is not None
    return one.run_id, one.rater_id, one.response_id, one.criterion_id


SHORT: Final = 80
PAGE: Final = 200
OVER: Final = frozenset({Run.State.DONE, Run.State.CANCELLED})


class NothingHeld(errors.Conflict):
    """There is no dialogue that could be judged, or not yet."""

    code = "no_dialogues_held"


MOST: Final = 12


@dataclass(frozen=True, kw_only=True)
class JudgeAgain(BeginRun):
    """Who judges dialogues again. With `estimate` nothing is started.

    Args:
        evaluators: judges of interviews, by the keys of their raters.
        endpoints: the names of those that new evaluators are made of.
        reference_visible: whether a new one sees the standard answer.
    """

    evaluators: Annotated[
        tuple[Annotated[int, Whole(1, LARGEST_SEED)], ...],
        Field(max_length=MOST),
        Ask(
            gettext_noop("Evaluators"),
            gettext_noop("Sees whole dialogues and only its own verdicts."),
        ),
    ] = ()
    endpoints: Annotated[
        tuple[Annotated[str, Text(80, empty=False)], ...], Field(max_length=MOST)
    ] = ()
    reference_visible: Visible = False


class Rejudging:
    """`run.config` names the run of interviews (`of`) and the `evaluators` (judge, rater, name)."""

    kind = Run.Kind.REJUDGE
    wish = JudgeAgain
    writes = True

    def asked(self, of: Run, wish: JudgeAgain, asking: RunAsking) -> AskedRun:
        """Find who judges the dialogues of a run; to start, evaluators may be made.

        Raises:
            evaluators.NoEvaluator: nobody was chosen, or too many.
        """
        project, chosen = of.project, _chosen(of.project, wish)
        settings = evaluators.InterviewSettings(reference_visible=wish.reference_visible)
        who: Any = {"by": asking.user, "now": asking.now}
        judges = [
            evaluators.met(project=project, chosen=one, settings=settings, **who)
            if asking.starts
            else evaluators.imagined(project=project, chosen=one, settings=settings)
            for one in chosen
        ]
        judges = list(dict.fromkeys(judges)) if asking.starts else judges
        return AskedRun(protocol=v1.PROTOCOL, config=_config(of, judges))

    def again(self, run: Run) -> dict[str, Any]:
        return {"evaluators": [f"judge:{one['rater']}" for one in run.config["evaluators"]]}

    def check(self, run: Run) -> None:
        """Refuse a run with nobody to ask or nothing to judge.

        Raises:
            evaluators.NoEvaluator: no evaluator was chosen, or one is no judge of interviews.
            NothingHeld: the interviews are not over, or none was held.
            connections.EndpointRetired: an evaluator's endpoint is not in use any more.
        """
        of = _of(run)
        judges = _judges(run)
        chosen = [one["judge"] for one in run.config["evaluators"]]
        if not chosen or any(pk not in judges for pk in chosen if pk is not None):
            raise evaluators.NoEvaluator(_("Choose at least one evaluator of interviews."))
        if of is None or of.state not in OVER:
            raise NothingHeld(_("These interviews are not over yet. Wait until they are."))
        if not _dialogues(of).exists():
            raise NothingHeld(_("No dialogue of this run can be judged: none was held."))
        asked = [one.endpoint_id for one in judges.values()]
        connections.refuse_retired(asked, _("Choose the new one."))

    def endpoints(self, run: Run) -> Collection[int]:
        return {one["endpoint"] for one in run.config["evaluators"]}

    def prompts(self, run: Run) -> Iterator[Estimated]:
        """Yield the calls about each dialogue: what is said in it is known, the verdicts are reckoned."""
        of = _of(run)
        assert of is not None
        language = of.config.get("language", "auto")
        for dialogue in _paged(of):
            problem = rejudging_interviews.problem_of(dialogue.item, language=language)
            words = problem.words
            fixed = tokens.of_text(words.evaluator + verdicts.FORM + words.material) + AROUND
            said = fixed + tokens.of_text(dialogue.item.question) + tokens.of_text(dialogue.answer)
            for exchange in dialogue.exchanges.all():
                if not exchange.answer:
                    continue
                said += tokens.of_text(exchange.question) + tokens.of_text(exchange.answer)
                said += 2 * AROUND
                for endpoint in (one["endpoint"] for one in run.config["evaluators"]):
                    key = dialogue.item.external_id
                    yield Estimated(Role.EVALUATOR, endpoint, said, A_VERDICT, key=key)
                said += A_VERDICT

    def plan(self, run: Run) -> Iterator[StepPlan]:
        of = _of(run)
        assert of is not None
        for dialogue in _paged(of):
            system = f"{dialogue.release.system.name} {dialogue.release.label}"
            for one in run.config["evaluators"]:
                yield StepPlan(
                    f"{dialogue.item.external_id[:SHORT]} / {dialogue.pk} / "
                    f"{system[: SHORT // 2]} / {one['rater']}",
                    item_id=dialogue.item_id,
                    release_id=dialogue.release_id,
                    response_id=dialogue.response_id,
                    spec={"dialogue": dialogue.pk, "judge": one["judge"]},
                )

    def prepare(self, step: Step) -> Work:
        run, dialogue = step.run, _dialogue(step)
        of, judge = _of(run), _judge(step)
        assert of is not None
        problem = rejudging_interviews.problem_of(
            dialogue.item, language=of.config.get("language", "auto")
        )
        settings = evaluators.settings_of(judge)
        config = v1.Config(
            planned=dialogue.n_planned,
            reference_visible_to_evaluator=settings.reference_visible,
            temperature=of.config.get("temperature", 0.0),
            evaluator=Settings(temperature=settings.temperature, max_tokens=settings.max_tokens),
        )
        frozen = _frozen(dialogue)
        fence = untrusted.Fence(run.secret, step.key)

        async def judge_again(model: ChatModel) -> dict[str, Any]:
            found = await v1.judge_again(model, problem, frozen, config, fence=fence, seed=run.seed)
            return _kept(found)

        return Work(judge_again, {Role.EVALUATOR: judge.endpoint_id})

    def record(self, step: Step, result: Mapping[str, Any], now: datetime) -> Step.Outcome:
        dialogue, judge = _dialogue(step), _judge(step)
        answers = {one.k: one.answer for one in dialogue.exchanges.all()}
        interviewing.write_judgments(
            run=step.run,
            step=step,
            rater=judge.rater_id,
            response_id=dialogue.response_id,
            exchanges=[{**one, "answer": answers[one["exchange"]]} for one in result["exchanges"]],
            now=now,
        )
        readdress(dialogues=[dialogue.pk], now=now)
        unread = any(
            one["verdict"] is None and answers[one["exchange"]] for one in result["exchanges"]
        )
        return Step.Outcome.NO_READING if unread else Step.Outcome.OK

    def record_failure(self, step: Step, failed: Failed, now: datetime) -> None:
        """Nothing: no system is asked, and what the machinery does is no verdict."""


def _of(run: Run) -> Run | None:
    rows = Run.objects.filter(project=run.project_id, kind=Run.Kind.KIEVAL)
    return rows.filter(pk=run.config["of"]).first()


def _judges(run: Run) -> dict[int, Judge]:
    """Return the evaluators that are there already; one that is only imagined has no key."""
    keys = [one["judge"] for one in run.config["evaluators"]]
    rows = Judge.objects.filter(project=run.project_id, protocol=v1.PROTOCOL, pk__in=keys)
    return {one.pk: one for one in rows.select_related("endpoint")}


def _dialogues(of: Run) -> "QuerySet[Dialogue]":
    """Return the dialogues in which something was answered."""
    answered = Exchange.objects.exclude(answer="").values("dialogue")
    return Dialogue.objects.filter(run=of, pk__in=answered)


def _paged(of: Run) -> Iterator[Dialogue]:
    """Yield them page by page, so that no cursor stays open."""
    rows = _whole(_dialogues(of)).order_by("pk")
    last = 0
    while found := list(rows.filter(pk__gt=last)[:PAGE]):
        yield from found
        last = found[-1].pk


def _whole(rows: "QuerySet[Dialogue]") -> "QuerySet[Dialogue]":
    return rows.select_related("item__capability", "release__system").prefetch_related(
        Prefetch("exchanges", Exchange.objects.order_by("k"))
    )


def _dialogue(step: Step) -> Dialogue:
    return _whole(Dialogue.objects.all()).get(pk=step.spec["dialogue"])


def _judge(step: Step) -> Judge:
    return Judge.objects.get(pk=interview_voices.judge_of(step))


def _frozen(dialogue: Dialogue) -> dict[str, Any]:
    """Return a dialogue as the procedure takes it, without a word of its first evaluator."""
    return {
        "answer": dialogue.answer,
        "right": dialogue.right,
        "exchanges": [
            {
                "exchange": one.k,
                "question": one.question,
                "answer": one.answer,
                "flags": list(one.flags),
            }
            for one in dialogue.exchanges.all()
        ],
    }


def _kept(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is new: the words of the dialogue are kept with the dialogue."""
    return {
        "exchanges": [
            {name: one[name] for name in ("exchange", "verdict", "unscored")}
            for one in found["exchanges"]
        ],
        "stopped_at": found["stopped_at"],
        "stop_reason": found["stop_reason"],
    }


KIND = Rejudging()


def _chosen(project: Project, wish: JudgeAgain) -> list[Judge | Endpoint]:
    chosen: list[Judge | Endpoint] = [
        *(evaluators.evaluator_of(project, one, "evaluators") for one in wish.evaluators),
        *(connections.endpoint_named(project, one, "endpoints") for one in wish.endpoints),
    ]
    if not 1 <= len(chosen) <= MOST:
        message = _("Choose from 1 to %(most)d evaluators.") % {"most": MOST}
        raise evaluators.NoEvaluator(message, fields={"evaluators": [message]})
    return chosen


def _config(of: Run, judges: Sequence[Judge]) -> dict[str, Any]:
    return {
        "of": of.pk,
        "of_run": of.number,
        "evaluators": [
            {"judge": one.pk, "rater": one.rater_id, "endpoint": one.endpoint_id} for one in judges
        ],
        "judged_by": [one.name for one in judges],
    }
