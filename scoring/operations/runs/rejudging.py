"""Runs in which other evaluators judge dialogues that were held before: nobody else is asked.

A step is one dialogue with one evaluator. Its verdicts are judgments of the same turns of the same
response, by another rater or in another run, and stand beside the first ones.
"""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _

from evalsite import errors
from scoring.llm import tokens
from scoring.llm.base import ChatModel, Failed, Role, Settings
from scoring.models import Dialogue, Exchange, Judge, Run, Step
from scoring.operations import evaluators, readdressing
from scoring.operations.runs import interviewing
from scoring.operations.runs.interviewing import A_VERDICT, AROUND, EndpointRetired
from scoring.operations.runs.kinds import Estimated, StepPlan, Work
from scoring.protocols import untrusted
from scoring.protocols.kieval import v1
from scoring.protocols.kieval import verdicts_v1 as verdicts
from scoring.queries import interview_voices, interviews

SHORT: Final = 80
PAGE: Final = 200
OVER: Final = frozenset({Run.State.DONE, Run.State.CANCELLED})


class NothingHeld(errors.Conflict):
    """There is no dialogue that could be judged, or not yet."""

    code = "no_dialogues_held"


class Rejudging:
    """`run.config` names the run of interviews (`of`) and the `evaluators` (judge, rater, name)."""

    def check(self, run: Run) -> None:
        """Refuse a run with nobody to ask or nothing to judge.

        Raises:
            evaluators.NoEvaluator: no evaluator was chosen, or one is no judge of interviews.
            NothingHeld: the interviews are not over, or none was held.
            EndpointRetired: an evaluator's endpoint is not in use any more.
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
        gone = [one for one in judges.values() if one.endpoint.retired_at is not None]
        if gone:
            raise EndpointRetired(
                _("The endpoint “%(name)s” was changed or retired. Choose the new one.")
                % {"name": gone[0].endpoint.name}
            )

    def endpoints(self, run: Run) -> Collection[int]:
        return {one["endpoint"] for one in run.config["evaluators"]}

    def prompts(self, run: Run) -> Iterator[Estimated]:
        """Yield the calls about each dialogue: what is said in it is known, the verdicts are reckoned."""
        of = _of(run)
        assert of is not None
        language = of.config.get("language", "auto")
        for dialogue in _paged(of):
            problem = interviews.problem_of(dialogue.item, language=language)
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
        problem = interviews.problem_of(dialogue.item, language=of.config.get("language", "auto"))
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
        readdressing.readdress(dialogues=[dialogue.pk], now=now)
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
