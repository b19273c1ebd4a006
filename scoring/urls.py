"""Addresses of help with drafting.

* Addresses of evaluation tasks, their plans and Fusion-Eval.
* Addresses of interviews.
* Addresses of runs.
* Addresses of conversations and suites.
* Pages of trials that need figures.
* scoring's pages.
"""

from django.urls import include, path

from scoring.api_urls import FILES
from scoring.beside import pages as beside
from scoring.comments import pages as comments
from scoring.datasets import pages as datasets
from scoring.endpoints import pages as endpoints
from scoring.engine import pages as engine
from scoring.engine import starting
from scoring.explore import pages as explore
from scoring.figures import pages as figures_pages
from scoring.home import rules as project_rules
from scoring.kinds.assistants import pages as assistants
from scoring.kinds.drafting import pages as drafting
from scoring.kinds.fusion import pages as fusion
from scoring.kinds.interviews import pages as interviews
from scoring.kinds.judging import pages as judging
from scoring.kinds.suites import builder as suite_builder
from scoring.kinds.suites import pages as suites
from scoring.kinds.suites.conversations import pages as conversations
from scoring.movement import pages as movement
from scoring.outcomes import kinds as outcomes
from scoring.outcomes import pages as outcome_pages
from scoring.publishing import pages as publishing
from scoring.report import pages as report
from scoring.results import insight_pages
from scoring.results import pages as results
from scoring.review import pages as review
from scoring.study import pages as study
from scoring.trials import pages as trials
from scoring.tuning import pages as tuning
from scoring.watching import pages as watching

DRAFTING_AT = "drafting/"
DRAFTING = [
    path("settings/drafting/", drafting.settings_drafting, name="settings_drafting"),
    path(f"{DRAFTING_AT}questions/", drafting.draft_questions, name="draft_questions"),
    path(f"{DRAFTING_AT}help/<int:pk>/", drafting.draft_help, name="draft_help"),
    path(f"{DRAFTING_AT}<int:number>/", drafting.drafting, name="drafting"),
]


TASKS = "judges/tasks/"
TASK = "judges/tasks/<int:number>/"
FUSION = [
    path(TASKS, fusion.fusion_tasks, name="fusion_tasks"),
    path(f"{TASKS}new/", fusion.fusion_task_new, name="fusion_task_new"),
    path(TASK, fusion.fusion_task, name="fusion_task"),
    path(f"{TASK}edit/", fusion.fusion_task_edit, name="fusion_task_edit"),
    path(f"{TASK}plans/new/", fusion.fusion_plan_new, name="fusion_plan_new"),
    path(f"{TASK}plans/<int:plan>/", fusion.fusion_plan, name="fusion_plan"),
    path(
        "runs/<int:number>/assistant.csv",
        assistants.run_assistant_answers,
        name="run_assistant_answers",
    ),
]


DIALOGUES = "runs/<int:number>/dialogues/"
INTERVIEWS = [
    path("interviews/import/", interviews.interviews_import, name="interviews_import"),
    path(f"{DIALOGUES}dialogues.zip", interviews.run_dialogues_zip, name="run_dialogues_zip"),
    path(DIALOGUES, interviews.run_dialogues, name="run_dialogues"),
    path(f"{DIALOGUES}<int:pk>/", interviews.run_dialogue, name="run_dialogue"),
]


#: Where runs are begun: a page of each kind.
STARTS = [path(one.at, starting.page(one), name=one.name) for one in starting.starts_of_kinds()]


RUNS = "runs/"
ONE_RUN = "runs/<int:number>/"
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
    path(f"{ONE_RUN}steps/", engine.run_steps, name="run_steps"),
    path(f"{ONE_RUN}steps/<int:place>/", engine.run_step, name="run_step"),
    *(
        path(f"{ONE_RUN}files/{form}", engine.run_export, {"form": form}, name=f"run_{name}")
        for name, form in FILES
    ),
]


#: What runs came to: page, plot and tables of each kind.
OUTCOMES = [
    route
    for name, kind in outcomes.outcome_kinds().items()
    for route in (
        path(f"{ONE_RUN}{name}/", outcome_pages.page(kind), name=f"run_{name}"),
        path(f"{ONE_RUN}{name}/plot.svg", outcome_pages.plot(kind), name=f"run_{name}_svg"),
        path(
            f"{ONE_RUN}{name}/<slug:table>.csv", outcome_pages.table(kind), name=f"run_{name}_csv"
        ),
    )
]


TALKS = "conversations/"
SUITES = "suites/"
SUITE_RUN = "runs/<int:number>/suite/"
SUITE_PAGES = [
    path(TALKS, conversations.conversations, name="conversations"),
    path(f"{TALKS}new/", conversations.conversations_new, name="conversations_new"),
    path(f"{TALKS}<int:pk>/", conversations.conversation, name="conversation"),
    path(SUITES, suites.suites, name="suites"),
    path(f"{SUITES}new/", suites.suite_new, name="suite_new"),
    path(f"{SUITES}form/", suite_builder.suite_build, name="suite_build"),
    path(f"{SUITES}metrics/", suites.suite_metrics, name="suite_metrics"),
    path(f"{SUITES}<int:number>/", suites.suite, name="suite"),
    path(f"{SUITES}<int:number>/edit/", suites.suite_edit, name="suite_edit"),
    path(f"{SUITES}<int:number>/schedule/", suites.suite_schedule, name="suite_schedule"),
    path(f"{SUITE_RUN}labels/", suites.run_suite_labels, name="run_suite_labels"),
    path(f"{SUITE_RUN}parts/<int:rater>/", suites.run_suite_parts, name="run_suite_parts"),
    *(
        path(f"{SUITE_RUN}{form}", suites.run_suite_file, {"form": form}, name=name)
        for form, name in (
            ("results.csv", "run_suite_values_csv"),
            ("results.jsonl", "run_suite_jsonl"),
            ("results.sqlite", "run_suite_sqlite"),
        )
    ),
]


TRIAL = "rounds/<int:number>/trial/"
TRIALS = [
    path(TRIAL, trials.trial_report, name="trial_report"),
    path(TRIAL + "decide/", trials.trial_decide, name="trial_decide"),
]


STUDY = "rounds/<int:number>/study"
AT = "rounds/<int:number>/results/"
ENDPOINTS = "endpoints/"
JUDGES = "judges/people/"
JUDGE = "judges/<int:judge>/people/"
TUNE = "judges/tune/"
PROJECT = [
    # Rules of a project that results and reviews go by
    path("settings/disputes/", project_rules.disputes, name="settings_disputes"),
    path("settings/reviews/", project_rules.reviews, name="settings_reviews"),
    path("settings/study/", study.settings_study, name="settings_study"),
    path("settings/verdicts/", project_rules.verdicts, name="settings_verdicts"),
    # Who answers as a release, and what it has not answered yet
    path("systems/releases/<int:pk>/connection/", endpoints.connection, name="connection"),
    path(
        "systems/releases/<int:pk>/connection/end/", endpoints.connection_end, name="connection_end"
    ),
    path("runs/<int:number>/publish/", publishing.run_publish, name="run_publish"),
    path("insight/", results.insight, name="insight"),
    path("insight/trend/", movement.trend, name="trend"),
    path("insight/trend/trend.csv", movement.trend_file, {"form": "trend.csv"}, name="trend_csv"),
    path("insight/trend/trend.svg", movement.trend_file, {"form": "trend.svg"}, name="trend_svg"),
    path("insight/movement/", movement.movement, name="movement"),
    path("insight/movement/tags/", movement.movement_tags, name="movement_tags"),
    path("insight/movement/movement.csv", movement.movement_csv, name="movement_csv"),
    path("insight/movement/tags.csv", movement.movement_tags_csv, name="movement_tags_csv"),
    path("insight/movement/movement.svg", movement.movement_svg, name="movement_svg"),
    path("judges/", judging.judges, name="judges"),
    path(JUDGES, beside.judges_people, name="judges_people"),
    path("judges/new/", judging.judge_new, name="judge_new"),
    path("judges/assistants/new/", assistants.assistant_new, name="assistant_new"),
    path(TUNE, tuning.tunings, name="tunings"),
    path(f"{TUNE}new/", tuning.tuning_new, name="tuning_new"),
    path(f"{TUNE}<int:number>/", tuning.tuning, name="tuning"),
    path(f"{TUNE}<int:number>/measure/", tuning.tuning_measure, name="tuning_measure"),
    path(f"{TUNE}<int:number>/again/", tuning.tuning_again, name="tuning_again"),
    path("judges/pairs/", beside.judges_pairs, name="judges_pairs"),
    path("judges/together/", beside.judges_together, name="judges_together"),
    path("judges/fewer/", beside.judges_fewer, name="judges_fewer"),
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
    path(f"{AT}comments/", comments.comments_page, name="results_comments"),
    path(f"{AT}comments.csv", comments.comments_csv, name="results_comments_csv"),
    path(f"{AT}datasets/", datasets.datasets_page, name="results_datasets"),
    path(f"{AT}datasets.zip", datasets.datasets_zip, name="datasets_zip"),
    path(f"{AT}preferences.csv", datasets.preferences_csv, name="preferences_csv"),
    path(f"{AT}explore/", explore.explore_page, name="results_explore"),
    path(f"{AT}model/", insight_pages.model_page, name="results_model"),
    path(f"{AT}whole/", insight_pages.whole_page, name="results_whole"),
    path(f"{AT}plan/", insight_pages.plan_page, name="results_plan"),
    path(f"{AT}beside/", insight_pages.beside_page, name="results_beside"),
    path(f"{AT}report/", report.report_page, name="results_report"),
    path(f"{AT}report/links/", report.report_links, name="report_links"),
    path(
        f"{AT}report/links/<int:pk>/revoke/", report.report_link_revoke, name="report_link_revoke"
    ),
    path(f"{AT}report.html", report.report_html, name="results_report_html"),
    path(f"{AT}report.csv", report.report_csv, name="results_report_csv"),
    path(f"{STUDY}/", study.study_page, name="study"),
    path(f"{STUDY}/edit/", study.study_edit, name="study_edit"),
    path(f"{STUDY}.md", study.study_markdown, name="study_md"),
    path(f"{STUDY}/bundle.zip", study.study_bundle, name="study_bundle"),
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
    *SUITE_PAGES,
    *OUTCOMES,
    *INTERVIEWS,
    *TRIALS,
    *DRAFTING,
    *FUSION,
    *STARTS,
]

urlpatterns = [
    path("shared/<str:token>/", report.report_shared, name="report_shared"),
    path("p/<slug:project>/", include(PROJECT)),
]
