"""Runs of interviews (KIEval): verification of the questions where it is wanted, then every dialogue.

A dialogue is a step: one question with one candidate. Verification comes first, a few questions at a
time, until as many as wanted are verified or the draw is used up. Judgments are written in the
transaction that ends the step, on the whole dialogue as the candidate's response, turn by turn.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from annotation.common.sentences import gettext as _
from annotation.people.models import Project
from annotation.systems import operations as responses
from annotation.systems.models import Item, Response
from annotation.systems.rules import Output
from evalsite import errors
from scoring.endpoints import queries as connections
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine import kinds as flagging
from scoring.engine.kinds import AskedRun, Estimated, RunAsking, StepPlan, Work
from scoring.engine.models import Judgment, Run, Step
from scoring.kinds.interviews import asking_v1, v1
from scoring.kinds.interviews import operations as evaluators
from scoring.kinds.interviews import queries as interviews
from scoring.kinds.interviews import verdicts_v1 as verdicts
from scoring.kinds.interviews.models import Dialogue, Exchange
from scoring.kinds.interviews.queries import VERIFY
from scoring.llm import base as tokens
from scoring.llm.base import ChatModel, Failed, Role, Settings
from scoring.protocols import untrusted
from scoring.shown import scripts as script_marks

#: Tokens of a reply of at most 200 words, of a verdict, and of delimiters and headings around a text.
A_REPLY: Final = 270
A_VERDICT: Final = 330
AROUND: Final = 60
SHORT: Final = 90
REASON: Final = 300


class NothingToInterview(errors.Invalid):
    code = "nothing_to_ask"


class Interviewing:
    """`run.judge` evaluates; `run.config` names the drawn items, the releases and the interactor.

    Keys of the config: items, releases (release, connection, endpoint, settings, name), interactor,
    planned, mark_but_continue, prior, decision, temperature, talk_tokens, language, verify (how many
    verified questions are wanted; 0 for no verification).
    """

    kind = Run.Kind.KIEVAL
    wish = evaluators.Interviews
    writes = True

    def asked(self, of: Project, wish: evaluators.Interviews, asking: RunAsking) -> AskedRun:
        return evaluators.asked(of, wish, asking)

    def again(self, run: Run) -> dict[str, Any]:
        """Return what the form of a clone shows; its questions are those of the first run's source."""
        config = run.config
        names = ("planned", "mark_but_continue", "prior", "decision", "temperature", "language")
        interactor = Endpoint.objects.filter(pk=config["interactor"]).first()
        return {
            **{name: config[name] for name in names},
            "questions": config["verify"] or len(config["items"]),
            "verify": bool(config["verify"]),
            "releases": [one["release"] for one in config["releases"]],
            "interactor": interactor.name if interactor else "",
            "evaluator": f"judge:{run.judge.rater_id}" if run.judge else "",
            "over": config.get("over", ""),
        }

    def check(self, run: Run) -> None:
        """Refuse a run with nobody to ask or nothing to ask about.

        Raises:
            evaluators.NoEvaluator: it has no judge of interviews.
            NothingToInterview: no items, no releases, or items whose right answer nobody knows.
            connections.EndpointRetired: an endpoint is not in use any more.
        """
        if run.judge is None or run.judge.protocol != v1.PROTOCOL:
            raise evaluators.NoEvaluator(_("Choose who evaluates the interviews."))
        if not run.config.get("items") or not run.config.get("releases"):
            raise NothingToInterview(
                _("Choose questions to interview about, and systems to interview.")
            )
        blank = [one for one in interviews.items_of(run) if not interviews.has_answer(one)]
        if blank:
            raise NothingToInterview(
                _("The question “%(name)s” has no standard answer; %(n)d of %(all)d have none.")
                % {"name": blank[0].external_id, "n": len(blank), "all": len(run.config["items"])}
            )
        connections.refuse_retired(self.endpoints(run), _("Choose the new one."))

    def endpoints(self, run: Run) -> Collection[int]:
        candidates = {one["endpoint"] for one in run.config.get("releases") or []}
        return candidates | {run.config["interactor"], _judge(run).endpoint_id}

    def prompts(self, run: Run) -> Iterator[Estimated]:
        """Yield the calls of each question and exchange, the same for every candidate but for the endpoint."""
        n_wanted = run.config.get("verify") or len(run.config["items"])
        for number, item in enumerate(interviews.items_of(run)):
            problem = interviews.problem_of(item, language=run.config["language"])
            asked = sum(tokens.of_text(one.content) for one in asking_v1.asked(problem)) + AROUND
            if run.config.get("verify"):
                for role, endpoint in self._machines(run).items():
                    yield Estimated(role, endpoint, asked + 40, A_REPLY, key=item.external_id)
            if number < n_wanted:
                yield from self._of_dialogue(run, item.external_id, asked, problem)

    def _machines(self, run: Run) -> dict[Role, int]:
        return {
            Role.INTERACTOR: run.config["interactor"],
            Role.EVALUATOR: _judge(run).endpoint_id,
        }

    def _of_dialogue(
        self, run: Run, key: str, asked: int, problem: asking_v1.Problem
    ) -> Iterator[Estimated]:
        words = problem.words
        told = tokens.of_text(words.candidate)
        interviewer = tokens.of_text(words.interactor + words.material + problem.correct)
        evaluator = tokens.of_text(words.evaluator + verdicts.FORM + words.material)
        releases: Sequence[Mapping[str, Any]] = run.config["releases"]
        for one in releases:
            yield Estimated(Role.CANDIDATE, one["endpoint"], asked + told, A_REPLY, key=key)
        for k in range(run.config["planned"]):
            said = 2 * k * (A_REPLY + AROUND)
            for one in releases:
                n = asked + told + said + 2 * A_REPLY
                yield Estimated(Role.CANDIDATE, one["endpoint"], n, A_REPLY, key=key)
            n = asked + interviewer + said + A_REPLY
            yield Estimated(
                Role.INTERACTOR, run.config["interactor"], n, A_REPLY // 2, len(releases), key
            )
            n = asked + evaluator + said + 3 * A_REPLY + k * A_VERDICT
            yield Estimated(
                Role.EVALUATOR, _judge(run).endpoint_id, n, A_VERDICT, len(releases), key
            )

    def plan(self, run: Run) -> Iterator[StepPlan]:
        """Yield the first questions to verify, or every dialogue where none is verified."""
        wanted = run.config.get("verify") or 0
        items = run.config["items"]
        return self._to_verify(items[:wanted]) if wanted else self._dialogues(run, items)

    def more(self, run: Run) -> Iterator[StepPlan]:
        """Yield what comes after the steps that are done: more to verify, or the dialogues."""
        wanted = run.config.get("verify") or 0
        if not wanted:
            return
        right, wrong, _open = interviews.verified(run)
        n_tried = len(right) + len(wrong)
        rest = run.config["items"][n_tried:]
        if len(right) < wanted and rest:
            yield from self._to_verify(rest[: wanted - len(right)])
        else:
            yield from self._dialogues(run, right[:wanted])

    def _to_verify(self, items: Sequence[int]) -> Iterator[StepPlan]:
        names = dict(Item.objects.filter(pk__in=items).values_list("pk", "external_id"))
        for pk in items:
            key = f"verify / {names[pk][:SHORT]} / {pk}"
            yield StepPlan(key, item_id=pk, spec={"stage": VERIFY})

    def _dialogues(self, run: Run, items: Sequence[int]) -> Iterator[StepPlan]:
        names = dict(Item.objects.filter(pk__in=items).values_list("pk", "external_id"))
        for pk in items:
            for one in run.config["releases"]:
                key = f"{names[pk][:SHORT]} / {pk} / {one['name'][: SHORT // 2]} / {one['release']}"
                yield StepPlan(key, item_id=pk, release_id=one["release"])

    def prepare(self, step: Step) -> Work:
        run = step.run
        item = _item(step)
        problem = interviews.problem_of(item, language=run.config["language"])
        fence = untrusted.Fence(run.secret, step.key)
        config = _config(run)
        machines = self._machines(run)
        if step.spec.get("stage") == VERIFY:

            async def verify(model: ChatModel) -> dict[str, Any]:
                return await v1.verify(model, problem, config, fence=fence, seed=run.seed)

            return Work(verify, machines)
        chosen = _chosen(step)
        manner = connections.manner_of(chosen["settings"])
        own = manner.settings
        config = replace(
            config,
            candidate_prompt=manner.system_prompt,
            candidate=Settings(
                temperature=own.temperature,
                top_p=own.top_p,
                max_tokens=own.max_tokens or config.candidate.max_tokens,
                stop=own.stop,
            ),
        )

        async def interview(model: ChatModel) -> dict[str, Any]:
            return await v1.interview(model, problem, config, fence=fence, seed=run.seed)

        return Work(interview, {**machines, Role.CANDIDATE: chosen["endpoint"]})

    def record(self, step: Step, result: Mapping[str, Any], now: datetime) -> Step.Outcome:
        if step.spec.get("stage") == VERIFY:
            return Step.Outcome.OK
        assert step.release_id is not None
        item = _item(step)
        response = _response(step, result, now)
        dialogue = Dialogue.objects.create(
            run=step.run,
            step=step,
            item=item,
            release_id=step.release_id,
            response_id=response,
            dataset=interviews.dataset_of(item),
            answer=result["answer"],
            chosen=result["chosen"] or "",
            right=result["right"],
            decided_by=Dialogue.Decided(result["decided_by"].upper()),
            n_planned=result["planned"],
            ended=ENDS[result["ended"]],
            stopped_at=result["stopped_at"],
            stop_reason="" if result["stopped_at"] is None else result["stop_reason"],
            problem=result["problem"][:500],
            flags=flagging.flags_of(result),
        )
        Exchange.objects.bulk_create(_exchange(dialogue, one) for one in result["exchanges"])
        write_judgments(
            run=step.run,
            step=step,
            rater=_judge(step.run).rater_id,
            response_id=response,
            exchanges=result["exchanges"],
            now=now,
        )
        unread = [one["unscored"] for one in result["exchanges"] if one["verdict"] is None]
        problem = result["problem"] or next(iter(unread), "")
        Step.objects.filter(pk=step.pk, state=Step.State.CLAIMED).update(
            response_id=response, problem=problem[:500]
        )
        if dialogue.ended == Dialogue.End.SYSTEM_FAILED:
            return Step.Outcome.SYSTEM_FAILED
        return Step.Outcome.NO_READING if unread else Step.Outcome.OK

    def record_failure(self, step: Step, failed: Failed, now: datetime) -> None:
        """Nothing: a candidate without a first answer held no dialogue; the step says why."""


ENDS: Final = {
    "planned": Dialogue.End.PLANNED,
    "stopped": Dialogue.End.STOPPED,
    "system_failed": Dialogue.End.SYSTEM_FAILED,
}


def write_judgments(
    *,
    run: Run,
    step: Step | None,
    rater: int,
    response_id: int,
    exchanges: Sequence[Mapping[str, Any]],
    now: datetime,
) -> None:
    """Write an evaluator's verdicts on a dialogue: a judgment for each exchange × aspect."""
    criteria = evaluators.criteria_of(rater)
    Judgment.objects.bulk_create(
        judgments(
            run=run,
            step=step,
            rater=rater,
            criteria=criteria,
            response_id=response_id,
            exchanges=exchanges,
            now=now,
        )
    )


def judgments(
    *,
    run: Run,
    step: Step | None,
    rater: int,
    criteria: Mapping[str, int],
    response_id: int,
    exchanges: Sequence[Mapping[str, Any]],
    now: datetime,
) -> Iterator[Judgment]:
    """Yield an evaluator's verdicts on a dialogue as judgments that are not written yet."""
    for one in exchanges:
        for name, pk in criteria.items():
            yield _judgment(run, step, rater, response_id, one, name, pk, now)


def _judgment(
    run: Run,
    step: Step | None,
    rater: int,
    response_id: int,
    one: Mapping[str, Any],
    aspect: str,
    criterion: int,
    now: datetime,
) -> Judgment:
    verdict = one["verdict"]
    skipped = verdict is None and not one["answer"]
    outcome = Judgment.Outcome.SKIPPED if skipped else Judgment.Outcome.UNSCORED
    return Judgment(
        rater_id=rater,
        response_id=response_id,
        criterion_id=criterion,
        run=run,
        step=step,
        target_level=Judgment.Target.TURN,
        target_index=one["exchange"],
        outcome=Judgment.Outcome.SCORED if verdict else outcome,
        reason="" if verdict else one["unscored"][:REASON],
        value=verdict["scores"][aspect] if verdict else None,
        text=verdict["comments"].get(aspect, "") if verdict else "",
        at=now,
    )


def _speakers(step: Step) -> list[int]:
    """Return the endpoints of those whose words a dialogue is made of."""
    asked = [one for one in step.run.config["releases"] if one["release"] == step.release_id]
    return [step.run.config["interactor"], *(one["endpoint"] for one in asked)]


def _response(step: Step, result: Mapping[str, Any], now: datetime) -> int:
    """Store the whole dialogue as what the candidate said, and return its key."""
    assert step.item_id is not None
    assert step.release_id is not None
    messages = [{"role": "assistant", "content": result["answer"]}]
    for one in result["exchanges"]:
        messages += [
            {"role": "user", "content": one["question"]},
            {"role": "assistant", "content": one["answer"]},
        ]
    details = {"run": step.run.number, "step": step.ordinal}
    output = Output(
        release_id=step.release_id,
        messages=messages,
        origin=Response.Origin.DIALOGUE,
        details=details | script_marks.of_text(step.run, _speakers(step)),
        # Another run that comes to the same words is another dialogue.
        sample_no=step.run_id,
    )
    return responses.record_response(item_id=step.item_id, output=output, now=now)


def _exchange(dialogue: Dialogue, one: Mapping[str, Any]) -> Exchange:
    verdict = one["verdict"] or {}
    return Exchange(
        dialogue=dialogue,
        k=one["exchange"],
        question=one["question"],
        answer=one["answer"],
        scores=verdict.get("scores"),
        comments=verdict.get("comments", {}),
        unscored="" if verdict else one["unscored"][:REASON],
        stops=verdict.get("stop", False),
        stop_reason=verdict.get("stop_reason", "") if verdict.get("stop") else "",
        flags=one["flags"],
    )


def _item(step: Step) -> Item:
    assert step.item_id is not None
    return Item.objects.select_related("capability").get(pk=step.item_id)


def _config(run: Run) -> v1.Config:
    settings = evaluators.settings_of(_judge(run))
    verdict = Settings(temperature=settings.temperature, max_tokens=settings.max_tokens)
    return interviews.config_of(
        run.config, reference_visible=settings.reference_visible, verdict=verdict
    )


def _judge(run: Run) -> Judge:
    assert run.judge is not None
    return run.judge


def _chosen(step: Step) -> Mapping[str, Any]:
    return next(one for one in step.run.config["releases"] if one["release"] == step.release_id)


KIND = Interviewing()
