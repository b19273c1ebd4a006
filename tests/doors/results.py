"""Figures of rounds and judges."""

from collections.abc import Collection
from typing import Any

from tests.doors.rounds import of_open
from tests.doors.row import CURATORS, OWNERS, UNBLINDED, Row, row


def of_task(see: Collection[str], do: Collection[str] = (), **kwargs: Any) -> Row:
    return row(see, do, number=lambda world: world.plan.task.number, **kwargs)


def of_fusion(**kwargs: Any) -> Row:
    return row(UNBLINDED, number=lambda world: world.fusion_run.number, **kwargs)


def of_tuning(see: Collection[str], do: Collection[str] = (), **kwargs: Any) -> Row:
    return row(see, do, number=lambda world: world.tuning.number, **kwargs)


RESULTS: dict[str, Row] = {
    "insight": row(UNBLINDED),
    "judges": row(UNBLINDED),
    "metrics_new": row(CURATORS, CURATORS),
    "assist": row(CURATORS, CURATORS),
    "assistant_new": row(CURATORS, CURATORS),
    "interviews_new": row(CURATORS, CURATORS),
    "fusion_tasks": row(UNBLINDED),
    "fusion_task_new": row(CURATORS, CURATORS),
    "fusion_task": of_task(UNBLINDED),
    "fusion_task_edit": of_task(CURATORS, CURATORS),
    "fusion_plan": of_task(UNBLINDED, plan=lambda world: world.plan.number),
    "fusion_plan_new": of_task(CURATORS, CURATORS),
    "fusion_plan_write": of_task(CURATORS, CURATORS),
    "fusion_new": of_task(CURATORS, CURATORS),
    "fusion_combine": of_task(CURATORS, CURATORS),
    # What it came to is shown, where it is still at work as far as it is.
    "run_fusion": of_fusion(),
    "run_fusion_csv": of_fusion(table=lambda world: "scores"),
    # There is no ranking without people's grades.
    "run_fusion_svg": of_fusion(got=[302]),
    "quiz_new": row(CURATORS, CURATORS),
    "pairs_new": row(CURATORS, CURATORS),
    "losses_new": row(CURATORS, CURATORS),
    "judge_new": row(CURATORS, CURATORS),
    "tunings": row(UNBLINDED),
    "tuning_new": row(CURATORS, CURATORS),
    "tuning": of_tuning(UNBLINDED, CURATORS),
    "tuning_measure": of_tuning(UNBLINDED, CURATORS, got=[], done=[302]),
    "tuning_again": of_tuning(UNBLINDED, CURATORS, got=[], done=[302]),
    "round_judge": of_open(CURATORS, CURATORS),
    "endpoints": row(UNBLINDED),
    "endpoint_new": row(OWNERS, OWNERS),
    "endpoint_application": row(OWNERS, OWNERS),
    "endpoint_scripted": row(UNBLINDED, OWNERS, got=[], done=[302]),
    "endpoint": row(UNBLINDED, pk=lambda world: world.endpoint.pk),
    "endpoint_edit": row(OWNERS, OWNERS, pk=lambda world: world.endpoint.pk),
    "endpoint_key": row(OWNERS, OWNERS, done=[302], pk=lambda world: world.endpoint.pk),
    "endpoint_try": row(
        UNBLINDED, CURATORS, got=[], done=[302], pk=lambda world: world.endpoint.pk
    ),
    "endpoint_retire": row(
        UNBLINDED, OWNERS, got=[], done=[302], pk=lambda world: world.endpoint.pk
    ),
    "judges_people": row(UNBLINDED),
    "judges_pairs": row(UNBLINDED),
    "judges_together": row(UNBLINDED),
    "judges_fewer": row(UNBLINDED),
    "judge_apart": row(UNBLINDED, judge=lambda world: world.machine.rater_id),
    "judge_people": row(UNBLINDED, judge=lambda world: world.machine.rater_id),
    # Nothing was both graded and scored: back to the page that says so.
    "judges_people_csv": row(UNBLINDED, got=[302], table=lambda world: "coefficients"),
    "judges_people_svg": row(UNBLINDED, got=[302], plot=lambda world: "judges"),
    "judge_people_csv": row(
        UNBLINDED,
        got=[302],
        judge=lambda world: world.machine.rater_id,
        table=lambda world: "levels",
    ),
    "judge_people_svg": row(
        UNBLINDED, got=[302], judge=lambda world: world.machine.rater_id, plot=lambda world: "cloud"
    ),
    "trend": row(UNBLINDED),
    # There are not two rounds: back to the page that says so.
    "trend_csv": row(UNBLINDED, got=[302]),
    "trend_svg": row(UNBLINDED, got=[302]),
    "movement": row(UNBLINDED),
    "movement_tags": row(UNBLINDED, CURATORS, got=[302], done=[302]),
    "results": of_open(UNBLINDED),
    "results_names": of_open(UNBLINDED, UNBLINDED, got=[], done=[302]),
    "results_again": of_open(UNBLINDED, UNBLINDED, got=[], done=[302]),
    "results_table": of_open(UNBLINDED),
    "results_breakdown": of_open(UNBLINDED),
    "results_items": of_open(UNBLINDED),
    "results_items_csv": of_open(UNBLINDED),
    "results_agreement": of_open(UNBLINDED),
    "results_disputes": of_open(UNBLINDED),
    "results_dispute": of_open(UNBLINDED),
    "results_review": of_open(UNBLINDED),
    "review_effect": of_open(UNBLINDED),
    "review_rule": of_open(CURATORS, CURATORS),
    "review_question": of_open(UNBLINDED, CURATORS, place=lambda world: 1),
    # There is no decision yet.
    "review_confirm": of_open(UNBLINDED, CURATORS, got=[], done=[404], pk=lambda world: 1),
    "results_annotators": of_open(UNBLINDED),
    "results_signals": of_open(UNBLINDED, CURATORS),
    "results_model": of_open(UNBLINDED),
    "results_plan": of_open(UNBLINDED),
    # The round is one of grades.
    "results_beside": of_open(UNBLINDED, got=[302]),
    "results_whole": of_open(UNBLINDED),
    "results_explore": of_open(UNBLINDED),
    "results_datasets": of_open(UNBLINDED),
    # The round is not final: the page says so.
    "datasets_zip": of_open(UNBLINDED, got=[302]),
    "preferences_csv": of_open(UNBLINDED, got=[302]),
    "results_comments": of_open(UNBLINDED),
    "results_comments_csv": of_open(UNBLINDED),
    "results_report": of_open(UNBLINDED),
    # The round is not final: the page says so.
    "study": of_open(UNBLINDED),
    "study_edit": of_open(CURATORS, CURATORS, done=[302]),
    "study_md": of_open(UNBLINDED, got=[302]),
    "study_bundle": of_open(UNBLINDED, got=[302]),
    "settings_study": row(CURATORS, CURATORS, done=[302]),
    "report_links": of_open(OWNERS, OWNERS),
    # There is no link yet.
    "report_link_revoke": of_open(OWNERS, OWNERS, got=[], done=[404], pk=lambda world: 1),
    "report_shared": Row(
        public=True, got=frozenset({404}), done=frozenset(), kwargs=lambda world: {"token": "none"}
    ),
    # Not computed yet: back to the page that waits.
    "results_report_html": of_open(UNBLINDED, got=[302]),
    "results_report_csv": of_open(UNBLINDED, got=[302]),
    "results_sheet": of_open(UNBLINDED, got=[302], table=lambda world: "agreement"),
    "results_picture": of_open(UNBLINDED, got=[302], plot=lambda world: "agreement"),
    # Nothing was chosen: back to the page where one chooses.
    "movement_csv": row(UNBLINDED, got=[302]),
    "movement_tags_csv": row(UNBLINDED, got=[302]),
    "movement_svg": row(UNBLINDED, got=[302]),
    "results_csv": of_open(UNBLINDED, got=[302]),
    "breakdown_csv": of_open(UNBLINDED, got=[302]),
    "grades_csv": of_open(UNBLINDED),
    "ratings_csv": of_open(UNBLINDED),
    "ratings_jsonl": of_open(UNBLINDED),
    "grades_jsonl": of_open(UNBLINDED),
    "table_csv": of_open(UNBLINDED),
}
