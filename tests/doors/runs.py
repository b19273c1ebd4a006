"""Endpoints, machine judges and runs."""

from collections.abc import Collection
from typing import Any

from annotation.people.models import Role
from tests.doors.row import CURATORS, DESIGNERS, OWNERS, UNBLINDED, Row, row


def of_run(do: Collection[str] = (), **kwargs: Any) -> Row:
    return row(UNBLINDED, do, number=lambda world: world.run.number, **kwargs)


def of_interviews(**kwargs: Any) -> Row:
    return row(UNBLINDED, number=lambda world: world.dialogue.run.number, **kwargs)


def of_accuracy(**kwargs: Any) -> Row:
    return row(UNBLINDED, number=lambda world: world.quiz.number, **kwargs)


def of_pairs(**kwargs: Any) -> Row:
    return row(UNBLINDED, number=lambda world: world.pairs_run.number, **kwargs)


RUNS: dict[str, Row] = {
    "settings_drafting": row(OWNERS, OWNERS, done=[302]),
    "draft_questions": row(DESIGNERS, DESIGNERS, got=[], done=[404]),
    "draft_help": row(
        DESIGNERS, DESIGNERS, got=[], done=[404], pk=lambda world: world.submitted.question_id
    ),
    # Only who asked sees what came of it; without a proposal there is nothing to take over.
    "drafting": row(
        {Role.DESIGNER},
        {Role.DESIGNER},
        done=[404],
        own={(role, "POST"): {404} for role in (Role.OWNER, Role.CURATOR)},
        number=lambda world: world.drafting.run.number,
    ),
    "runs": row(UNBLINDED),
    "runs_compare": row(UNBLINDED),
    "run": of_run(),
    "run_live": of_run(),
    "run_steps": of_run(),
    "run_assistant": row(UNBLINDED, number=lambda world: world.assistant_run.number),
    "run_assistant_answers": row(UNBLINDED, number=lambda world: world.assistant_run.number),
    # Nothing is scored or measured yet.
    "run_assistant_csv": row(
        UNBLINDED,
        got=[302],
        number=lambda world: world.assistant_run.number,
        table=lambda world: "releases",
    ),
    "run_assistant_svg": row(UNBLINDED, got=[302], number=lambda world: world.assistant_run.number),
    "run_metrics": row(UNBLINDED, number=lambda world: world.metrics_run.number),
    "run_metrics_csv": row(
        UNBLINDED,
        got=[302],
        number=lambda world: world.metrics_run.number,
        table=lambda world: "means",
    ),
    "run_metrics_svg": row(UNBLINDED, got=[302], number=lambda world: world.metrics_run.number),
    "run_interviews": of_interviews(),
    # The figures are computed first; the page says so.
    "run_interviews_csv": of_interviews(got=[302], table=lambda world: "ranking"),
    "run_interviews_svg": of_interviews(got=[302]),
    "run_figures_again": of_run(UNBLINDED, got=[], done=[302]),
    "run_accuracy": of_accuracy(),
    "run_accuracy_csv": of_accuracy(got=[302], table=lambda world: "ranking"),
    "run_accuracy_svg": of_accuracy(got=[302]),
    "run_pairs": of_pairs(),
    "run_pairs_csv": of_pairs(got=[302], table=lambda world: "ranking"),
    "run_pairs_svg": of_pairs(got=[302]),
    "run_losses": row(UNBLINDED, number=lambda world: world.losses.number),
    "run_losses_csv": row(
        UNBLINDED,
        got=[302],
        number=lambda world: world.losses.number,
        table=lambda world: "ranking",
    ),
    "run_losses_svg": row(UNBLINDED, got=[302], number=lambda world: world.losses.number),
    "run_contamination": of_interviews(),
    "run_contamination_csv": of_interviews(got=[302], table=lambda world: "systems"),
    "run_contamination_svg": of_interviews(got=[302]),
    "run_dialogues": of_interviews(),
    "run_dialogue": of_interviews(pk=lambda world: world.dialogue.pk),
    "run_dialogues_zip": of_interviews(),
    "interviews_import": row(CURATORS, CURATORS, done=[422]),
    "run_evaluators": of_interviews(),
    "run_evaluators_csv": of_interviews(got=[302], table=lambda world: "ranking"),
    "run_evaluators_svg": of_interviews(got=[302]),
    "run_judge_again": row(CURATORS, CURATORS, number=lambda world: world.dialogue.run.number),
    "run_step": of_run(place=lambda world: 1),
    "run_steps_csv": of_run(),
    "run_calls_csv": of_run(),
    "run_jsonl": of_run(),
    "run_publish": row(CURATORS, CURATORS, number=lambda world: world.run.number),
    "run_pause": of_run(CURATORS, got=[], done=[302, 409]),
    # It was not paused.
    "run_resume": of_run(CURATORS, got=[], done=[302, 409]),
    # Nothing of it failed.
    "run_retry": of_run(CURATORS, got=[], done=[302, 409]),
    "run_cancel": row(CURATORS, CURATORS, done=[302, 409], number=lambda world: world.run.number),
    # An empty budget is none.
    "run_budget": row(
        CURATORS, CURATORS, done=[302, 409, 422], number=lambda world: world.run.number
    ),
}
