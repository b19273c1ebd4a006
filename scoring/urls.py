"""Addresses of help with drafting.

* Addresses of evaluation tasks, their plans and Fusion-Eval.
* Addresses of interviews.
* Addresses of accuracy and contamination.
* Addresses of runs.
* Addresses of conversations and suites.
* Pages of trials that need figures.
* scoring's pages.
"""

from django.urls import path

from scoring.api_urls import FILES
from scoring.beside import pages as beside
from scoring.endpoints import pages as endpoints
from scoring.engine import pages as engine
from scoring.figures import pages as figures_pages
from scoring.home import rules as project_rules
from scoring.kinds.accuracy import pages as quizzes
from scoring.kinds.assistants import pages as assistants
from scoring.kinds.collect import pages as answers
from scoring.kinds.contamination import pages as contamination
from scoring.kinds.drafting import pages as drafting
from scoring.kinds.fusion import pages as fusion
from scoring.kinds.interviews import pages as interviews
from scoring.kinds.judging import pages as judging
from scoring.kinds.losses import pages as losses
from scoring.kinds.metrics import pages as metrics
from scoring.kinds.suites import builder as suite_builder
from scoring.kinds.suites import pages as suites
from scoring.kinds.suites import result_pages
from scoring.movement import pages as movement
from scoring.publishing import pages as publishing
from scoring.report import pages as report
from scoring.results import insight_pages
from scoring.results import pages as results
from scoring.review import pages as review
from scoring.trials import pages as trials
from scoring.watching import pages as watching

DRAFTING_AT = "p/<slug:project>/drafting/"
DRAFTING = [
    path(
        "p/<slug:project>/settings/drafting/", drafting.settings_drafting, name="settings_drafting"
    ),
    path(f"{DRAFTING_AT}questions/", drafting.draft_questions, name="draft_questions"),
    path(f"{DRAFTING_AT}help/<int:pk>/", drafting.draft_help, name="draft_help"),
    path(f"{DRAFTING_AT}<int:number>/", drafting.drafting, name="drafting"),
]


TASKS = "p/<slug:project>/judges/tasks/"
TASK = "p/<slug:project>/judges/tasks/<int:number>/"
RUN = "p/<slug:project>/runs/<int:number>/fusion"
FUSION = [
    path(TASKS, fusion.fusion_tasks, name="fusion_tasks"),
    path(f"{TASKS}new/", fusion.fusion_task_new, name="fusion_task_new"),
    path(TASK, fusion.fusion_task, name="fusion_task"),
    path(f"{TASK}edit/", fusion.fusion_task_edit, name="fusion_task_edit"),
    path(f"{TASK}plans/new/", fusion.fusion_plan_new, name="fusion_plan_new"),
    path(f"{TASK}plans/write/", fusion.fusion_plan_write, name="fusion_plan_write"),
    path(f"{TASK}plans/<int:plan>/", fusion.fusion_plan, name="fusion_plan"),
    path(f"{TASK}run/", fusion.fusion_new, name="fusion_new"),
    path(f"{TASK}combine/", fusion.fusion_combine, name="fusion_combine"),
    path(f"{RUN}/", fusion.run_fusion, name="run_fusion"),
    path(
        "p/<slug:project>/runs/<int:number>/assistant.csv",
        assistants.run_assistant_csv,
        name="run_assistant_csv",
    ),
    path(f"{RUN}.csv", fusion.run_fusion_csv, name="run_fusion_csv"),
]


INTERVIEW_RUN = "p/<slug:project>/runs/<int:number>/interviews/"
EVALUATORS = "p/<slug:project>/runs/<int:number>/evaluators/"
DIALOGUES = "p/<slug:project>/runs/<int:number>/dialogues/"
INTERVIEWS = [
    path("p/<slug:project>/interviews/new/", interviews.interviews_new, name="interviews_new"),
    path(
        "p/<slug:project>/interviews/import/",
        interviews.interviews_import,
        name="interviews_import",
    ),
    path(INTERVIEW_RUN, interviews.run_interviews, name="run_interviews"),
    path(
        f"{INTERVIEW_RUN}scores.csv",
        interviews.run_interviews_csv,
        name="run_interviews_csv",
    ),
    path(
        f"{INTERVIEW_RUN}scores.svg",
        interviews.run_interviews_svg,
        name="run_interviews_svg",
    ),
    path(EVALUATORS, interviews.run_evaluators, name="run_evaluators"),
    path(
        f"{EVALUATORS}scores.csv",
        interviews.run_evaluators_csv,
        name="run_evaluators_csv",
    ),
    path(f"{EVALUATORS}again/", interviews.run_judge_again, name="run_judge_again"),
    path(f"{DIALOGUES}dialogues.zip", interviews.run_dialogues_zip, name="run_dialogues_zip"),
    path(DIALOGUES, interviews.run_dialogues, name="run_dialogues"),
    path(f"{DIALOGUES}<int:pk>/", interviews.run_dialogue, name="run_dialogue"),
]


CONTAMINATION = "p/<slug:project>/runs/<int:number>/contamination/"
LOSSES = "p/<slug:project>/runs/<int:number>/losses/"
QUIZ_RUN = "p/<slug:project>/runs/<int:number>/accuracy/"
QUIZZES = [
    path("p/<slug:project>/accuracy/new/", quizzes.quiz_new, name="quiz_new"),
    path(QUIZ_RUN, quizzes.run_accuracy, name="run_accuracy"),
    path(f"{QUIZ_RUN}accuracy.csv", quizzes.run_accuracy_csv, name="run_accuracy_csv"),
    path(f"{QUIZ_RUN}accuracy.svg", quizzes.run_accuracy_svg, name="run_accuracy_svg"),
    path("p/<slug:project>/losses/new/", losses.losses_new, name="losses_new"),
    path(LOSSES, losses.run_losses, name="run_losses"),
    path(f"{LOSSES}losses.csv", losses.run_losses_csv, name="run_losses_csv"),
    path(CONTAMINATION, contamination.run_contamination, name="run_contamination"),
    path(
        f"{CONTAMINATION}contamination.csv",
        contamination.run_contamination_csv,
        name="run_contamination_csv",
    ),
]


RUNS = "p/<slug:project>/runs/"
ONE_RUN = "p/<slug:project>/runs/<int:number>/"
RUN_PAGES = [
    path(RUNS, engine.runs, name="runs"),
    path(f"{RUNS}compare/", engine.runs_compare, name="runs_compare"),
    path(ONE_RUN, engine.run, name="run"),
    path(f"{ONE_RUN}live/", engine.run_live, name="run_live"),
    path(f"{ONE_RUN}pause/", engine.run_pause, name="run_pause"),
    path(f"{ONE_RUN}resume/", engine.run_resume, name="run_resume"),
    path(f"{ONE_RUN}cancel/", engine.run_cancel, name="run_cancel"),
    path(f"{ONE_RUN}retry/", engine.run_retry, name="run_retry"),
    path(f"{ONE_RUN}budget/", engine.run_budget, name="run_budget"),
    path(f"{ONE_RUN}figures/again/", figures_pages.run_figures_again, name="run_figures_again"),
    path(
        f"{ONE_RUN}interviews/tables/<slug:table>.csv",
        interviews.run_interviews_table,
        name="run_interviews_table",
    ),
    path(f"{ONE_RUN}steps/", engine.run_steps, name="run_steps"),
    path(f"{ONE_RUN}steps/<int:place>/", engine.run_step, name="run_step"),
    *(
        path(f"{ONE_RUN}files/{form}", engine.run_export, {"form": form}, name=f"run_{name}")
        for name, form in FILES
    ),
]


TALKS = "p/<slug:project>/conversations/"
SUITES = "p/<slug:project>/suites/"
SUITE_RUN = "p/<slug:project>/runs/<int:number>/suite/"
SUITE_PAGES = [
    path(TALKS, suites.conversations, name="conversations"),
    path(f"{TALKS}new/", suites.conversations_new, name="conversations_new"),
    path(f"{TALKS}<int:pk>/", suites.conversation, name="conversation"),
    path(SUITES, suites.suites, name="suites"),
    path(f"{SUITES}new/", suites.suite_new, name="suite_new"),
    path(f"{SUITES}form/", suite_builder.suite_build, name="suite_build"),
    path(f"{SUITES}metrics/", suites.suite_metrics, name="suite_metrics"),
    path(f"{SUITES}<int:number>/", suites.suite, name="suite"),
    path(f"{SUITES}<int:number>/edit/", suites.suite_edit, name="suite_edit"),
    path(f"{SUITES}<int:number>/run/", suites.suite_run, name="suite_run"),
    path(f"{SUITES}<int:number>/schedule/", suites.suite_schedule, name="suite_schedule"),
    path(SUITE_RUN, result_pages.run_suite, name="run_suite"),
    path(f"{SUITE_RUN}labels/", result_pages.run_suite_labels, name="run_suite_labels"),
    path(f"{SUITE_RUN}parts/<int:rater>/", result_pages.run_suite_parts, name="run_suite_parts"),
    path(f"{SUITE_RUN}figures.csv", result_pages.run_suite_figures, name="run_suite_figures"),
    path(f"{SUITE_RUN}plot.svg", result_pages.run_suite_svg, name="run_suite_svg"),
    *(
        path(f"{SUITE_RUN}{form}", result_pages.run_suite_file, {"form": form}, name=name)
        for form, name in (
            ("results.csv", "run_suite_csv"),
            ("results.jsonl", "run_suite_jsonl"),
            ("results.sqlite", "run_suite_sqlite"),
        )
    ),
]


TRIAL = "p/<slug:project>/rounds/<int:number>/trial/"
TRIALS = [
    path(TRIAL, trials.trial_report, name="trial_report"),
    path(TRIAL + "decide/", trials.trial_decide, name="trial_decide"),
]


AT = "p/<slug:project>/rounds/<int:number>/results/"
ENDPOINTS = "p/<slug:project>/endpoints/"
JUDGES = "p/<slug:project>/judges/people/"
JUDGE = "p/<slug:project>/judges/<int:judge>/people/"
urlpatterns = [
    # Rules of a project that results and reviews go by
    path("p/<slug:project>/settings/disputes/", project_rules.disputes, name="settings_disputes"),
    path("p/<slug:project>/settings/reviews/", project_rules.reviews, name="settings_reviews"),
    path("p/<slug:project>/settings/verdicts/", project_rules.verdicts, name="settings_verdicts"),
    # Who answers as a release, and what it has not answered yet
    path(
        "p/<slug:project>/systems/releases/<int:pk>/connection/",
        endpoints.connection,
        name="connection",
    ),
    path(
        "p/<slug:project>/systems/releases/<int:pk>/connection/end/",
        endpoints.connection_end,
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
        movement.movement_csv,
        name="movement_csv",
    ),
    path(
        "p/<slug:project>/insight/movement/tags.csv",
        movement.movement_tags_csv,
        name="movement_tags_csv",
    ),
    path(
        "p/<slug:project>/insight/movement/movement.svg",
        movement.movement_svg,
        name="movement_svg",
    ),
    path("p/<slug:project>/judges/", judging.judges, name="judges"),
    path(JUDGES, beside.judges_people, name="judges_people"),
    path("p/<slug:project>/judges/new/", judging.judge_new, name="judge_new"),
    path("p/<slug:project>/rounds/<int:number>/judge/", judging.round_judge, name="round_judge"),
    path("p/<slug:project>/judges/metrics/", metrics.metrics_new, name="metrics_new"),
    path("p/<slug:project>/judges/assistants/", assistants.assist, name="assist"),
    path("p/<slug:project>/judges/assistants/new/", assistants.assistant_new, name="assistant_new"),
    path(
        "p/<slug:project>/runs/<int:number>/assistant/",
        assistants.run_assistant,
        name="run_assistant",
    ),
    path("p/<slug:project>/runs/<int:number>/metrics/", metrics.run_metrics, name="run_metrics"),
    path(
        "p/<slug:project>/runs/<int:number>/metrics.csv",
        metrics.run_metrics_csv,
        name="run_metrics_csv",
    ),
    path("p/<slug:project>/judges/pairs/", beside.judges_pairs, name="judges_pairs"),
    path("p/<slug:project>/judges/together/", beside.judges_together, name="judges_together"),
    path("p/<slug:project>/judges/fewer/", beside.judges_fewer, name="judges_fewer"),
    path(JUDGE, beside.judge_people, name="judge_people"),
    path(f"{JUDGE}apart/", beside.judge_apart, name="judge_apart"),
    path(f"{JUDGES}tables/<slug:table>.csv", beside.judges_csv, name="judges_people_csv"),
    path(f"{JUDGES}plots/<slug:plot>.svg", beside.judges_svg, name="judges_people_svg"),
    path(f"{JUDGE}tables/<slug:table>.csv", beside.judges_csv, name="judge_people_csv"),
    path(f"{JUDGE}plots/<slug:plot>.svg", beside.judges_svg, name="judge_people_svg"),
    path(ENDPOINTS, endpoints.endpoints, name="endpoints"),
    path(f"{ENDPOINTS}new/", endpoints.endpoint_new, name="endpoint_new"),
    path(f"{ENDPOINTS}application/", endpoints.endpoint_application, name="endpoint_application"),
    path(f"{ENDPOINTS}scripted/", endpoints.endpoint_scripted, name="endpoint_scripted"),
    path(f"{ENDPOINTS}<int:pk>/", endpoints.endpoint, name="endpoint"),
    path(f"{ENDPOINTS}<int:pk>/edit/", endpoints.endpoint_edit, name="endpoint_edit"),
    path(f"{ENDPOINTS}<int:pk>/key/", endpoints.endpoint_key, name="endpoint_key"),
    path(f"{ENDPOINTS}<int:pk>/try/", endpoints.endpoint_try, name="endpoint_try"),
    path(f"{ENDPOINTS}<int:pk>/retire/", endpoints.endpoint_retire, name="endpoint_retire"),
    path(AT, results.round_results, name="results"),
    path(f"{AT}names/", results.show_names, name="results_names"),
    path(f"{AT}again/", results.compute_again, name="results_again"),
    path(f"{AT}breakdown/", results.breakdown_page, name="results_breakdown"),
    path(f"{AT}items/", results.items_page, name="results_items"),
    path(f"{AT}table/", results.results_table, name="results_table"),
    path(f"{AT}agreement/", insight_pages.agreement_page, name="results_agreement"),
    path(f"{AT}disputes/", insight_pages.disputes_page, name="results_disputes"),
    path(f"{AT}disputes/open/", insight_pages.dispute_page, name="results_dispute"),
    path(f"{AT}review/", review.queue_page, name="results_review"),
    path(f"{AT}review/effect/", review.effect_page, name="review_effect"),
    path(f"{AT}review/rule/", review.rule_page, name="review_rule"),
    path(f"{AT}review/<int:place>/", review.question_page, name="review_question"),
    path(f"{AT}review/decisions/<int:pk>/confirm/", review.confirm, name="review_confirm"),
    path(f"{AT}annotators/", insight_pages.annotators_page, name="results_annotators"),
    path(f"{AT}annotators/signals/", watching.signals_page, name="results_signals"),
    path(f"{AT}plan/", insight_pages.plan_page, name="results_plan"),
    path(f"{AT}report/", report.report_page, name="results_report"),
    path(f"{AT}report.html", report.report_html, name="results_report_html"),
    path(f"{AT}report.csv", report.report_csv, name="results_report_csv"),
    path(f"{AT}tables/<slug:table>.csv", insight_pages.sheet_csv, name="results_sheet"),
    path(f"{AT}plots/<slug:plot>.svg", insight_pages.picture_svg, name="results_picture"),
    path(f"{AT}results.csv", results.results_csv, name="results_csv"),
    path(f"{AT}breakdown.csv", results.breakdown_csv, name="breakdown_csv"),
    path(f"{AT}items.csv", results.items_csv, name="results_items_csv"),
    path(f"{AT}ratings.csv", results.grades, {"form": "ratings.csv"}, name="ratings_csv"),
    path(f"{AT}ratings.jsonl", results.grades, {"form": "ratings.jsonl"}, name="ratings_jsonl"),
    path(f"{AT}grades.csv", results.grades, {"form": "grades.csv"}, name="grades_csv"),
    path(f"{AT}grades.jsonl", results.grades, {"form": "grades.jsonl"}, name="grades_jsonl"),
    path(f"{AT}table.csv", results.grades, {"form": "table.csv"}, name="table_csv"),
    *RUN_PAGES,
    *INTERVIEWS,
    *SUITE_PAGES,
    *TRIALS,
    *DRAFTING,
    *FUSION,
    *QUIZZES,
]
