"""scoring's pages."""

from django.urls import path

from scoring import fusion_urls, interview_urls, quiz_urls, run_urls, trial_urls
from scoring.views import (
    answers,
    assistants,
    connections,
    downloads,
    endpoints,
    files,
    insights,
    judge_apart,
    judge_fewer,
    judge_files,
    judge_pairs,
    judge_people,
    judge_runs,
    judge_together,
    judges,
    metrics,
    movement,
    publishing,
    report,
    results,
    review,
    run_metrics,
    scores,
)

AT = "p/<slug:project>/rounds/<int:number>/results/"
ENDPOINTS = "p/<slug:project>/endpoints/"
JUDGES = "p/<slug:project>/judges/people/"
JUDGE = "p/<slug:project>/judges/<int:judge>/people/"
urlpatterns = [
    # Who answers as a release, and what it has not answered yet
    path(
        "p/<slug:project>/systems/releases/<int:pk>/connection/",
        connections.connection,
        name="connection",
    ),
    path(
        "p/<slug:project>/systems/releases/<int:pk>/connection/end/",
        connections.connection_end,
        name="connection_end",
    ),
    path("p/<slug:project>/systems/answers/", answers.answers, name="answers"),
    path("p/<slug:project>/runs/<int:number>/publish/", publishing.run_publish, name="run_publish"),
    path(
        "p/<slug:project>/rounds/<int:number>/answers/", answers.round_answers, name="round_answers"
    ),
    path("p/<slug:project>/insight/", results.insight, name="insight"),
    path("p/<slug:project>/insight/movement/", movement.movement, name="movement"),
    path("p/<slug:project>/insight/movement/tags/", movement.movement_tags, name="movement_tags"),
    path(
        "p/<slug:project>/insight/movement/movement.csv",
        downloads.movement_csv,
        name="movement_csv",
    ),
    path(
        "p/<slug:project>/insight/movement/tags.csv",
        downloads.movement_tags_csv,
        name="movement_tags_csv",
    ),
    path(
        "p/<slug:project>/insight/movement/movement.svg",
        downloads.movement_svg,
        name="movement_svg",
    ),
    path("p/<slug:project>/judges/", judges.judges, name="judges"),
    path(JUDGES, judge_people.judges_people, name="judges_people"),
    path("p/<slug:project>/judges/new/", judge_runs.judge_new, name="judge_new"),
    path("p/<slug:project>/rounds/<int:number>/judge/", judge_runs.round_judge, name="round_judge"),
    path("p/<slug:project>/judges/metrics/", metrics.metrics_new, name="metrics_new"),
    path("p/<slug:project>/judges/assistants/", assistants.assist, name="assist"),
    path("p/<slug:project>/judges/assistants/new/", assistants.assistant_new, name="assistant_new"),
    path(
        "p/<slug:project>/runs/<int:number>/assistant/",
        assistants.run_assistant,
        name="run_assistant",
    ),
    path(
        "p/<slug:project>/runs/<int:number>/metrics/", run_metrics.run_metrics, name="run_metrics"
    ),
    path(
        "p/<slug:project>/runs/<int:number>/metrics.csv",
        run_metrics.run_metrics_csv,
        name="run_metrics_csv",
    ),
    path("p/<slug:project>/judges/pairs/", judge_pairs.judges_pairs, name="judges_pairs"),
    path(
        "p/<slug:project>/judges/together/", judge_together.judges_together, name="judges_together"
    ),
    path("p/<slug:project>/judges/fewer/", judge_fewer.judges_fewer, name="judges_fewer"),
    path(JUDGE, judge_people.judge_people, name="judge_people"),
    path(f"{JUDGE}apart/", judge_apart.judge_apart, name="judge_apart"),
    path(f"{JUDGES}tables/<slug:table>.csv", judge_files.judges_csv, name="judges_people_csv"),
    path(f"{JUDGES}plots/<slug:plot>.svg", judge_files.judges_svg, name="judges_people_svg"),
    path(f"{JUDGE}tables/<slug:table>.csv", judge_files.judges_csv, name="judge_people_csv"),
    path(f"{JUDGE}plots/<slug:plot>.svg", judge_files.judges_svg, name="judge_people_svg"),
    path(ENDPOINTS, endpoints.endpoints, name="endpoints"),
    path(f"{ENDPOINTS}new/", endpoints.endpoint_new, name="endpoint_new"),
    path(f"{ENDPOINTS}scripted/", endpoints.endpoint_scripted, name="endpoint_scripted"),
    path(f"{ENDPOINTS}<int:pk>/", endpoints.endpoint, name="endpoint"),
    path(f"{ENDPOINTS}<int:pk>/edit/", endpoints.endpoint_edit, name="endpoint_edit"),
    path(f"{ENDPOINTS}<int:pk>/key/", endpoints.endpoint_key, name="endpoint_key"),
    path(f"{ENDPOINTS}<int:pk>/try/", endpoints.endpoint_try, name="endpoint_try"),
    path(f"{ENDPOINTS}<int:pk>/retire/", endpoints.endpoint_retire, name="endpoint_retire"),
    path(AT, scores.round_results, name="results"),
    path(f"{AT}names/", results.show_names, name="results_names"),
    path(f"{AT}again/", results.compute_again, name="results_again"),
    path(f"{AT}breakdown/", scores.breakdown_page, name="results_breakdown"),
    path(f"{AT}items/", scores.items_page, name="results_items"),
    path(f"{AT}table/", results.results_table, name="results_table"),
    path(f"{AT}agreement/", insights.agreement_page, name="results_agreement"),
    path(f"{AT}disputes/", insights.disputes_page, name="results_disputes"),
    path(f"{AT}disputes/open/", insights.dispute_page, name="results_dispute"),
    path(f"{AT}review/", review.queue_page, name="results_review"),
    path(f"{AT}review/effect/", review.effect_page, name="review_effect"),
    path(f"{AT}review/rule/", review.rule_page, name="review_rule"),
    path(f"{AT}review/<int:place>/", review.question_page, name="review_question"),
    path(f"{AT}review/decisions/<int:pk>/confirm/", review.confirm, name="review_confirm"),
    path(f"{AT}annotators/", insights.annotators_page, name="results_annotators"),
    path(f"{AT}plan/", insights.plan_page, name="results_plan"),
    path(f"{AT}report/", report.report_page, name="results_report"),
    path(f"{AT}report.html", report.report_html, name="results_report_html"),
    path(f"{AT}report.csv", report.report_csv, name="results_report_csv"),
    path(f"{AT}tables/<slug:table>.csv", downloads.sheet_csv, name="results_sheet"),
    path(f"{AT}plots/<slug:plot>.svg", downloads.picture_svg, name="results_picture"),
    path(f"{AT}results.csv", files.results_csv, name="results_csv"),
    path(f"{AT}breakdown.csv", files.breakdown_csv, name="breakdown_csv"),
    path(f"{AT}items.csv", files.items_csv, name="results_items_csv"),
    path(f"{AT}ratings.csv", files.grades, {"form": "ratings.csv"}, name="ratings_csv"),
    path(f"{AT}ratings.jsonl", files.grades, {"form": "ratings.jsonl"}, name="ratings_jsonl"),
    path(f"{AT}grades.csv", files.grades, {"form": "grades.csv"}, name="grades_csv"),
    path(f"{AT}grades.jsonl", files.grades, {"form": "grades.jsonl"}, name="grades_jsonl"),
    path(f"{AT}table.csv", files.grades, {"form": "table.csv"}, name="table_csv"),
    *run_urls.urlpatterns,
    *interview_urls.urlpatterns,
    *trial_urls.urlpatterns,
    *fusion_urls.urlpatterns,
    *quiz_urls.urlpatterns,
]
