"""scoring's addresses of the API, below /api/v1/."""

from django.urls import path

from scoring.api import (
    assistants,
    connections,
    dialogue_files,
    contamination,
    downloads,
    endpoints,
    fusion_urls,
    insights,
    interview_evaluators,
    interviews,
    judge_runs,
    judge_tables,
    judges,
    metrics,
    movement,
    publishing,
    quizzes,
    report,
    results,
    review,
    run_urls,
    scores,
)

AT = "projects/<slug:project>/rounds/<int:number>/"
MOVED = "projects/<slug:project>/movement/<int:before>/<int:after>/<int:system>/"
ENDPOINTS = "projects/<slug:project>/endpoints/"
JUDGES = "projects/<slug:project>/judges/people/"
JUDGE = "projects/<slug:project>/judges/<int:judge>/people/"
urlpatterns = [
    path(
        "projects/<slug:project>/releases/<int:pk>/connection/",
        connections.connection,
        name="api_connection",
    ),
    path("projects/<slug:project>/answers/", connections.answers, name="api_answers"),
    path(
        "projects/<slug:project>/runs/<int:number>/publish/",
        publishing.publish,
        name="api_run_publish",
    ),
    path("projects/<slug:project>/interviews/", interviews.start, name="api_interviews"),
    path(
        "projects/<slug:project>/interviews/import/",
        dialogue_files.bring_in,
        name="api_interviews_import",
    ),
    path(
        "projects/<slug:project>/runs/<int:number>/dialogues.zip",
        dialogue_files.archive,
        name="api_run_dialogues_zip",
    ),
    path(
        "projects/<slug:project>/runs/<int:number>/interviews/",
        interviews.results,
        name="api_run_interviews",
    ),
    path(
        "projects/<slug:project>/runs/<int:number>/dialogues/",
        interviews.dialogues,
        name="api_run_dialogues",
    ),
    path(
        "projects/<slug:project>/runs/<int:number>/evaluators/",
        interview_evaluators.evaluators,
        name="api_run_evaluators",
    ),
    path(
        "projects/<slug:project>/runs/<int:number>/contamination/",
        contamination.results,
        name="api_run_contamination",
    ),
    path("projects/<slug:project>/accuracy/", quizzes.start, name="api_accuracy"),
    path(
        "projects/<slug:project>/runs/<int:number>/accuracy/",
        quizzes.results,
        name="api_run_accuracy",
    ),
    path("projects/<slug:project>/metrics/", metrics.list_metrics, name="api_metrics"),
    path(
        "projects/<slug:project>/runs/<int:number>/metrics/",
        metrics.run_metrics,
        name="api_run_metrics",
    ),
    path(ENDPOINTS, endpoints.endpoints, name="api_endpoints"),
    path("projects/<slug:project>/assistants/", assistants.list_assistants, name="api_assistants"),
    path("projects/<slug:project>/assistants/scores/", assistants.assist, name="api_assist"),
    path(
        "projects/<slug:project>/runs/<int:number>/assistant/",
        assistants.run_assistant,
        name="api_run_assistant",
    ),
    path(f"{ENDPOINTS}scripted/", endpoints.scripted, name="api_endpoint_scripted"),
    path(f"{ENDPOINTS}<int:pk>/", endpoints.endpoint, name="api_endpoint"),
    path(f"{ENDPOINTS}<int:pk>/key/", endpoints.endpoint_key, name="api_endpoint_key"),
    path(f"{ENDPOINTS}<int:pk>/test/", endpoints.endpoint_test, name="api_endpoint_test"),
    path(f"{ENDPOINTS}<int:pk>/retire/", endpoints.endpoint_retire, name="api_endpoint_retire"),
    path("projects/<slug:project>/judges/", judge_runs.live_judges, name="api_judges"),
    path(f"{AT}judge/", judge_runs.judge_round, name="api_round_judge"),
    path(JUDGES, judges.judges, name="api_judges_people"),
    path(f"{JUDGES}tables/<slug:table>.csv", judges.sheet, name="api_judges_people_csv"),
    path(f"{JUDGES}plots/<slug:plot>.svg", judges.picture, name="api_judges_people_svg"),
    path("projects/<slug:project>/judges/pairs/", judge_tables.pairs, name="api_judges_pairs"),
    path(
        "projects/<slug:project>/judges/together/",
        judge_tables.together,
        name="api_judges_together",
    ),
    path("projects/<slug:project>/judges/fewer/", judge_tables.fewer, name="api_judges_fewer"),
    path(JUDGE, judges.judges, name="api_judge_people"),
    path(f"{JUDGE}apart/", judge_tables.apart, name="api_judge_apart"),
    path(f"{JUDGE}tables/<slug:table>.csv", judges.sheet, name="api_judge_people_csv"),
    path(f"{JUDGE}plots/<slug:plot>.svg", judges.picture, name="api_judge_people_svg"),
    path(MOVED, movement.movement, name="api_movement"),
    path(
        f"{MOVED}movement.csv", downloads.moved, {"form": "movement.csv"}, name="api_movement_csv"
    ),
    path(f"{MOVED}tags.csv", downloads.moved, {"form": "tags.csv"}, name="api_movement_tags_csv"),
    path(
        f"{MOVED}movement.svg", downloads.moved, {"form": "movement.svg"}, name="api_movement_svg"
    ),
    path(f"{AT}results/", scores.results, name="api_results"),
    path(f"{AT}breakdown/", scores.breakdown, name="api_breakdown"),
    path(f"{AT}items/", scores.graded_items, name="api_graded_items"),
    path(f"{AT}results.csv", scores.files, {"form": "results.csv"}, name="api_results_csv"),
    path(f"{AT}breakdown.csv", scores.files, {"form": "breakdown.csv"}, name="api_breakdown_csv"),
    path(f"{AT}items.csv", scores.files, {"form": "cell.csv"}, name="api_graded_items_csv"),
    path(f"{AT}agreement/", insights.agreement, name="api_agreement"),
    path(f"{AT}disputes/", insights.disputes, name="api_disputes"),
    path(f"{AT}review/", review.queue, name="api_review"),
    path(f"{AT}review/decisions/", review.decisions, name="api_decisions"),
    path(f"{AT}review/<int:place>/", review.question, name="api_review_question"),
    path(f"{AT}review/decisions/<int:pk>/confirm/", review.confirm, name="api_decision_confirm"),
    path(f"{AT}annotators/", insights.annotators, name="api_annotators"),
    path(f"{AT}annotators/signals/", insights.signals, name="api_signals"),
    path(f"{AT}plan/", insights.plan, name="api_round_plan"),
    path(f"{AT}report/", report.report, name="api_report"),
    path(f"{AT}report.csv", report.report_csv, name="api_report_csv"),
    path(f"{AT}tables/<slug:table>.csv", downloads.sheet, name="api_sheet"),
    path(f"{AT}plots/<slug:plot>.svg", downloads.picture, name="api_picture"),
    path(f"{AT}ratings.csv", results.grades, {"form": "ratings.csv"}, name="api_ratings_csv"),
    path(f"{AT}ratings.jsonl", results.grades, {"form": "ratings.jsonl"}, name="api_ratings_jsonl"),
    path(f"{AT}grades.csv", results.grades, {"form": "grades.csv"}, name="api_grades_csv"),
    path(f"{AT}grades.jsonl", results.grades, {"form": "grades.jsonl"}, name="api_grades_jsonl"),
    path(f"{AT}table.csv", results.grades, {"form": "table.csv"}, name="api_table_csv"),
    *run_urls.api_patterns,
    *fusion_urls.api_patterns,
]
