"""Addresses of runs for programs.

* Addresses of evaluation tasks and Fusion-Eval for programs.
* Addresses of conversations and suites in the API, below /api/v1/.
* scoring's addresses of the API, below /api/v1/.
"""

from django.urls import include, path

from scoring.beside import api as beside
from scoring.comments import api as comments
from scoring.datasets import api as datasets
from scoring.endpoints import api as endpoints
from scoring.engine import api as engine
from scoring.figures import api as names
from scoring.home import rules as project_rules
from scoring.kinds.accuracy import api as quizzes
from scoring.kinds.assistants import api as assistants
from scoring.kinds.collect import api as collect_api
from scoring.kinds.drafting import api as drafting
from scoring.kinds.fusion import api as fusion
from scoring.kinds.interviews import api as interviews
from scoring.kinds.judging import api as judging
from scoring.kinds.losses import operations as losses
from scoring.kinds.metrics import api as metrics
from scoring.kinds.pairs import api as pairs
from scoring.kinds.suites import api as suites
from scoring.movement import api as movement
from scoring.outcomes import api as outcome_api
from scoring.outcomes import kinds as outcomes
from scoring.publishing import api as publishing
from scoring.report import api as report
from scoring.results import api as downloads
from scoring.results import api as results
from scoring.review import api as review
from scoring.study import api as study
from scoring.trials import api as trials
from scoring.tuning import api as tuning
from scoring.watching import api as watching_api

#: The files of a run: what their addresses are called, and how they end.
FILES = (("steps_csv", "steps.csv"), ("calls_csv", "calls.csv"), ("jsonl", "run.jsonl"))
API = "runs/"
API_RUN = f"{API}<int:number>/"
api_patterns = [
    path(API, judging.runs, name="api_runs"),
    path(f"{API}<int:before>/<int:after>/", engine.compare, name="api_runs_compare"),
    path(API_RUN, engine.run, name="api_run"),
    path(f"{API_RUN}steps/", engine.run_steps, name="api_run_steps"),
    path(f"{API_RUN}calls/", engine.run_calls_, name="api_run_calls"),
    *(
        path(f"{API_RUN}files/{form}", engine.files, {"form": form}, name=f"api_run_{name}")
        for name, form in FILES
    ),
    path(f"{API_RUN}figures/again/", names.run_figures_again, name="api_run_figures_again"),
    path(f"{API_RUN}budget/", engine.budget, name="api_run_budget"),
    path(f"{API_RUN}retry/", engine.retry, name="api_run_retry"),
    *(
        path(f"{API_RUN}{name}/", engine.deed(name), name=f"api_run_{name}")
        for name in engine.DEEDS
    ),
    *(
        path(f"{API_RUN}{name}/", outcome_api.result(kind), name=f"api_run_{name}")
        for name, kind in outcomes.outcome_kinds().items()
    ),
]


TASKS = "tasks/"
TASK = f"{TASKS}<int:number>/"
API_FUSION = [
    path(TASKS, fusion.tasks, name="api_fusion_tasks"),
    path(TASK, fusion.task, name="api_fusion_task"),
    path(f"{TASK}assistants/", fusion.assistants, name="api_fusion_assistants"),
    path(f"{TASK}plans/", fusion.plans, name="api_fusion_plans"),
    path(f"{TASK}plans/write/", fusion.write_plan, name="api_fusion_plan_write"),
    path(f"{TASK}combine/", fusion.combine, name="api_fusion_combine"),
    path(f"{TASK}runs/", fusion.start, name="api_fusion_runs"),
]


TALKS = "conversations/"
SUITES = "suites/"
SCHEDULE = f"{SUITES}<int:number>/schedule/"
RUN = "runs/<int:number>/suite/"
API_SUITES = [
    path(TALKS, suites.conversations, name="api_conversations"),
    path(f"{TALKS}<int:pk>/", suites.conversation, name="api_conversation"),
    path(SUITES, suites.suites, name="api_suites"),
    path(f"{SUITES}metrics/", suites.metrics, name="api_suite_metrics"),
    path(f"{SUITES}<int:number>/", suites.suite, name="api_suite"),
    path("schedules/", suites.schedules, name="api_schedules"),
    path(SCHEDULE, suites.schedule, name="api_schedule"),
    path(f"{SCHEDULE}pause/", suites.pause, name="api_schedule_pause"),
    path(f"{SCHEDULE}resume/", suites.resume, name="api_schedule_resume"),
    path(f"{SCHEDULE}run/", suites.run_now, name="api_schedule_run"),
    path(f"{SUITES}<int:number>/run/", suites.run, name="api_suite_run"),
    *(
        path(f"{RUN}{form}", suites.file, {"form": form}, name=f"api_{name}")
        for form, name in (
            ("results.csv", "run_suite_csv"),
            ("results.jsonl", "run_suite_jsonl"),
            ("results.sqlite", "run_suite_sqlite"),
        )
    ),
]


AT = "rounds/<int:number>/"
SETTINGS = "settings/"
MOVED = "movement/<int:before>/<int:after>/<int:system>/"
ENDPOINTS = "endpoints/"
JUDGES = "judges/people/"
JUDGE = "judges/<int:judge>/people/"
PROJECT = [
    path(f"{AT}trial/", trials.trial, name="api_trial"),
    path(f"{SETTINGS}disputes/", project_rules.dispute_rules, name="api_settings_disputes"),
    path(f"{SETTINGS}reviews/", project_rules.reviewing_rules, name="api_settings_reviews"),
    path(f"{SETTINGS}study/", study.settings_study, name="api_settings_study"),
    path(f"{SETTINGS}verdicts/", project_rules.verdict_rules, name="api_settings_verdicts"),
    path("releases/<int:pk>/connection/", endpoints.connection, name="api_connection"),
    path("answers/", collect_api.answers, name="api_answers"),
    path("runs/<int:number>/publish/", publishing.publish, name="api_run_publish"),
    path("drafting/", drafting.draftings, name="api_draftings"),
    path("drafting/<int:number>/", drafting.drafting, name="api_drafting"),
    path("interviews/", interviews.start, name="api_interviews"),
    path("interviews/import/", interviews.bring_in, name="api_interviews_import"),
    path("runs/<int:number>/dialogues.zip", interviews.archive, name="api_run_dialogues_zip"),
    path("runs/<int:number>/dialogues/", interviews.dialogues, name="api_run_dialogues"),
    path("runs/<int:number>/evaluators/again/", interviews.judge_again, name="api_run_judge_again"),
    path(
        "losses/",
        engine.starting(losses.KIND, "Estimate what measuring losses would take, or start it."),
        name="api_losses",
    ),
    path("pairs/", pairs.start, name="api_pairs"),
    path("accuracy/", quizzes.start, name="api_accuracy"),
    path("metrics/", metrics.list_metrics, name="api_metrics"),
    path("assistants/", assistants.list_assistants, name="api_assistants"),
    path("assistants/scores/", assistants.assist, name="api_assist"),
    path(ENDPOINTS, endpoints.endpoints, name="api_endpoints"),
    path(f"{ENDPOINTS}scripted/", endpoints.scripted, name="api_endpoint_scripted"),
    path(f"{ENDPOINTS}<int:pk>/", endpoints.endpoint, name="api_endpoint"),
    path(f"{ENDPOINTS}<int:pk>/key/", endpoints.endpoint_key, name="api_endpoint_key"),
    path(f"{ENDPOINTS}<int:pk>/test/", endpoints.endpoint_test, name="api_endpoint_test"),
    path(f"{ENDPOINTS}<int:pk>/retire/", endpoints.endpoint_retire, name="api_endpoint_retire"),
    path("judges/", judging.live_judges, name="api_judges"),
    path(f"{AT}judge/", judging.judge_round, name="api_round_judge"),
    path(JUDGES, beside.judges, name="api_judges_people"),
    path(f"{JUDGES}tables/<slug:table>.csv", beside.sheet, name="api_judges_people_csv"),
    path(f"{JUDGES}plots/<slug:plot>.svg", beside.picture, name="api_judges_people_svg"),
    path("judges/pairs/", beside.pairs, name="api_judges_pairs"),
    path("judges/together/", beside.together, name="api_judges_together"),
    path("judges/fewer/", beside.fewer, name="api_judges_fewer"),
    path(JUDGE, beside.judges, name="api_judge_people"),
    path(f"{JUDGE}apart/", beside.apart, name="api_judge_apart"),
    path(f"{JUDGE}tables/<slug:table>.csv", beside.sheet, name="api_judge_people_csv"),
    path(f"{JUDGE}plots/<slug:plot>.svg", beside.picture, name="api_judge_people_svg"),
    path("trend/", movement.trend, name="api_trend"),
    path("trend/trend.csv", movement.trend_csv, name="api_trend_csv"),
    path(MOVED, movement.movement, name="api_movement"),
    path(f"{MOVED}pairs/", movement.pairs, name="api_movement_pairs"),
    path(f"{MOVED}movement.csv", movement.moved, {"form": "movement.csv"}, name="api_movement_csv"),
    path(f"{MOVED}tags.csv", movement.moved, {"form": "tags.csv"}, name="api_movement_tags_csv"),
    path(f"{MOVED}movement.svg", movement.moved, {"form": "movement.svg"}, name="api_movement_svg"),
    path(f"{AT}results/", results.results, name="api_results"),
    path(f"{AT}breakdown/", results.breakdown, name="api_breakdown"),
    path(f"{AT}comments/", comments.round_comments, name="api_comments"),
    path(f"{AT}items/", results.graded_items, name="api_graded_items"),
    path(f"{AT}results.csv", results.files, {"form": "results.csv"}, name="api_results_csv"),
    path(f"{AT}breakdown.csv", results.files, {"form": "breakdown.csv"}, name="api_breakdown_csv"),
    path(f"{AT}items.csv", results.files, {"form": "cell.csv"}, name="api_graded_items_csv"),
    path(f"{AT}names/", names.names, name="api_round_names"),
    path(f"{AT}figures/again/", names.round_figures_again, name="api_round_figures_again"),
    path(f"{AT}agreement/", results.agreement, name="api_agreement"),
    path(f"{AT}disputes/", results.disputes, name="api_disputes"),
    path(f"{AT}review/", review.queue, name="api_review"),
    path(f"{AT}review/decisions/", review.decisions, name="api_decisions"),
    path(f"{AT}review/<int:place>/", review.question, name="api_review_question"),
    path(f"{AT}review/decisions/<int:pk>/confirm/", review.confirm, name="api_decision_confirm"),
    path(f"{AT}annotators/", results.annotators, name="api_annotators"),
    path(f"{AT}annotators/signals/", watching_api.signals, name="api_signals"),
    path(f"{AT}model/", results.model, name="api_round_model"),
    path(f"{AT}whole/", results.whole, name="api_round_whole"),
    path(f"{AT}plan/", results.plan, name="api_round_plan"),
    path(f"{AT}preferences/", results.preferences, name="api_preferences"),
    path(f"{AT}beside/", results.beside, name="api_beside"),
    path(f"{AT}report/", report.report, name="api_report"),
    path(f"{AT}report.csv", report.report_csv, name="api_report_csv"),
    path(f"{AT}report/links/", report.report_links, name="api_report_links"),
    path(
        f"{AT}report/links/<int:pk>/revoke/",
        report.report_link_revoke,
        name="api_report_link_revoke",
    ),
    path(f"{AT}study/", study.study, name="api_study"),
    path(f"{AT}study.md", study.study_markdown, name="api_study_md"),
    path(f"{AT}study/answers/", study.study_answers, name="api_study_answers"),
    path(f"{AT}study/bundle.zip", study.study_bundle, name="api_study_bundle"),
    path(f"{AT}tables/<slug:table>.csv", downloads.sheet, name="api_sheet"),
    path(f"{AT}plots/<slug:plot>.svg", downloads.picture, name="api_picture"),
    path(f"{AT}ratings.csv", results.grades, {"form": "ratings.csv"}, name="api_ratings_csv"),
    path(f"{AT}ratings.jsonl", results.grades, {"form": "ratings.jsonl"}, name="api_ratings_jsonl"),
    path(f"{AT}grades.csv", results.grades, {"form": "grades.csv"}, name="api_grades_csv"),
    path(f"{AT}grades.jsonl", results.grades, {"form": "grades.jsonl"}, name="api_grades_jsonl"),
    path(f"{AT}datasets/", datasets.datasets, name="api_datasets"),
    path(f"{AT}datasets.zip", datasets.datasets_zip, name="api_datasets_zip"),
    path(f"{AT}preferences.csv", datasets.preferences_csv, name="api_preferences_csv"),
    path(f"{AT}table.csv", results.grades, {"form": "table.csv"}, name="api_table_csv"),
    *api_patterns,
    *API_SUITES,
    *API_FUSION,
]

TUNE = "tunings/"
TUNE_ONE = "tunings/<int:number>/"
PROJECT += [
    path(TUNE, tuning.tunings, name="api_tunings"),
    path(TUNE_ONE, tuning.tuning, name="api_tuning"),
    path(f"{TUNE_ONE}versions/", tuning.tuning_versions, name="api_tuning_versions"),
    path(f"{TUNE_ONE}cases/", tuning.tuning_cases, name="api_tuning_cases"),
    path(f"{TUNE_ONE}measure/", tuning.tuning_measure, name="api_tuning_measure"),
    path(f"{TUNE_ONE}again/", tuning.tuning_again, name="api_tuning_again"),
]

urlpatterns = [path("projects/<slug:project>/", include(PROJECT))]
