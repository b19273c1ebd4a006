"""Pages of accounts, projects, their settings and the people in them.

* Addresses of the corpus: what questions are made from.
* Pages of training, trials and qualification.
* annotation's pages.
"""

from django.urls import path

from annotation.bank import editor, list_pages
from annotation.bank import pages as bank
from annotation.bankfile import pages as bank_files
from annotation.domains import pages as domains
from annotation.grading import pages as grading
from annotation.home import events, first_steps
from annotation.home import pages as home
from annotation.home import search_pages as search
from annotation.home import settings as project_settings
from annotation.imports import collecting
from annotation.imports import pages as imports
from annotation.imports.matching import pages as matching
from annotation.inspection import pages as inspection
from annotation.people import pages as people
from annotation.rounds import pages as rounds
from annotation.rubrics import pages as rubrics
from annotation.running import pages as running
from annotation.sources import pages as sources
from annotation.systems import pages as systems
from annotation.training import pages as training

PEOPLE = [
    path("account/", people.account, name="account"),
    path("account/own-password/", people.own_password, name="own_password"),
    path("account/devices/end/", people.account_devices, name="account_devices"),
    path("account/erase/", running.account_erase, name="account_erase"),
    path("account/tokens/", people.tokens, name="account_tokens"),
    path("account/tokens/revoke/", people.tokens_revoke_all, name="account_tokens_revoke"),
    path(
        "account/tokens/<int:pk>/revoke/",
        people.token_revoke,
        name="account_token_revoke",
    ),
    path("account/preferences/", people.preferences, name="preferences"),
    path("password/", people.forgotten, name="password_forgotten"),
    path("password/<uuid:person>/<str:token>/", people.link, name="password_link"),
    path("set-up/<str:token>/", people.set_up, name="set_up"),
    path("projects/", home.projects, name="projects"),
    path("projects/new/", home.project_new, name="project_new"),
    path("p/<slug:project>/settings/", home.project_settings, name="project_settings"),
    path("p/<slug:project>/settings/rules/", project_settings.rules, name="settings_rules"),
    path("p/<slug:project>/settings/bank/", project_settings.bank, name="settings_bank"),
    path("p/<slug:project>/settings/masks/", project_settings.masks, name="settings_masks"),
    path(
        "p/<slug:project>/settings/retention/",
        project_settings.retention,
        name="settings_retention",
    ),
    path("p/<slug:project>/people/", people.people, name="people"),
    path("p/<slug:project>/people/add/", people.person_add, name="person_add"),
    path("join/<str:token>/", people.join, name="join"),
    path("p/<slug:project>/people/invitations/", people.invitations, name="invitations"),
    path(
        "p/<slug:project>/people/invitations/<int:pk>/revoke/",
        people.invitation_revoke,
        name="invitation_revoke",
    ),
    path(
        "p/<slug:project>/people/password-links/<int:pk>/take-back/",
        people.password_link_take_back,
        name="password_link_take_back",
    ),
    path("p/<slug:project>/people/new/", people.person_new, name="person_new"),
    path("p/<slug:project>/people/<uuid:person>/", people.person, name="person"),
    path("p/<slug:project>/people/<uuid:person>/erase/", running.person_erase, name="person_erase"),
    path("p/<slug:project>/workload/", running.workload, name="workload"),
    path("p/<slug:project>/workload/times.csv", running.workload_times, name="workload_times"),
    path(
        "p/<slug:project>/workload/<uuid:person>/leave/",
        running.workload_leave,
        name="workload_leave",
    ),
]


AT = "p/<slug:project>/sources/"
SOURCES = [
    path(AT, sources.sources, name="sources"),
    path(f"{AT}new/", sources.source_new, name="source_new"),
    path(f"{AT}<int:pk>/", sources.source, name="source"),
    path(f"{AT}collections/", sources.source_collections, name="source_collections"),
    path(
        f"{AT}collections/<int:pk>/",
        sources.source_collection,
        name="source_collection",
    ),
]


P = "p/<slug:project>/"

TRAINING = [
    # Annotators: plain values only
    path(P + "training/", training.training, name="training"),
    path(P + "training/<int:number>/", training.training_example, name="training_example"),
    path(P + "training/trials/<int:number>/", training.training_trial, name="training_trial"),
    # Curators
    path(P + "annotators/", training.pool, name="pool"),
    path(P + "annotators/<uuid:person>/", training.pool_person, name="pool_person"),
    path(P + "annotators/<uuid:person>/<int:pk>/", training.pool_say, name="pool_say"),
    path(P + "annotators/rules/", training.pool_rules, name="pool_rules"),
    path(P + "annotators/rules/<int:pk>/", training.pool_rule, name="pool_rule"),
    path(P + "annotators/training/", training.examples, name="examples"),
    path(P + "annotators/training/<int:pk>/new/", training.example_new, name="example_new"),
    path(
        P + "annotators/training/<int:pk>/adopt/",
        training.example_adopt,
        name="example_adopt",
    ),
    path(
        P + "annotators/training/<int:number>/withdraw/",
        training.example_withdraw,
        name="example_withdraw",
    ),
    path(P + "annotators/trials/", training.trials, name="trials"),
    path(P + "annotators/trials/new/", training.trial_new, name="trial_new"),
    path(P + "rounds/<int:number>/references/", training.round_references, name="round_references"),
]


urlpatterns = [
    # Grading: annotators only, plain values only. First, for it is asked for most and addresses are
    # tried one after the other.
    path("p/<slug:project>/grade/", grading.work, name="grading"),
    path("p/<slug:project>/grade/rounds/<int:number>/next/", grading.claim, name="grade_next"),
    path("p/<slug:project>/grade/rounds/<int:number>/sheet/", grading.sheet, name="grade_sheet"),
    path(
        "p/<slug:project>/grade/rounds/<int:number>/<slug:why>/",
        grading.nothing,
        name="grade_none",
    ),
    path("p/<slug:project>/grade/<slug:token>/", grading.grade, name="grade"),
    path("p/<slug:project>/grade/<slug:token>/draft/", grading.save, name="grade_draft"),
    path("p/<slug:project>/grade/<slug:token>/submit/", grading.submit, name="grade_submit"),
    path("p/<slug:project>/grade/<slug:token>/state/", grading.state, name="grade_state"),
    path("p/<slug:project>/grade/<slug:token>/renew/", grading.renew, name="grade_renew"),
    path("p/<slug:project>/grade/<slug:token>/ahead/", grading.ahead, name="grade_ahead"),
    path("p/<slug:project>/grade/<slug:token>/back/", grading.hand_back, name="grade_back"),
    path("api/docs/", people.api_docs, name="api_docs"),
    path("api/docs/<slug:group>/", people.api_docs_group, name="api_docs_group"),
    path("", home.home, name="home"),
    path("p/<slug:project>/", home.project_home, name="project_home"),
    path("p/<slug:project>/first-steps/", first_steps.first_steps, name="first_steps"),
    path("p/<slug:project>/first-steps/<slug:step>/", first_steps.first_step, name="first_step"),
    path("p/<slug:project>/search/", search.search, name="search"),
    path("p/<slug:project>/search.json", search.search_json, name="search_json"),
    *PEOPLE,
    # What is evaluated: capabilities, subject areas, items, systems
    path("p/<slug:project>/capabilities/", domains.capabilities, name="capabilities"),
    path("p/<slug:project>/capabilities/new/", domains.capability_new, name="capability_new"),
    path("p/<slug:project>/capabilities/<int:pk>/", domains.capability, name="capability"),
    path(
        "p/<slug:project>/capabilities/<int:pk>/remove/",
        domains.capability_remove,
        name="capability_remove",
    ),
    path("p/<slug:project>/capabilities/help/", domains.capability_help, name="capability_help"),
    path(
        "p/<slug:project>/capabilities/<int:pk>/move/",
        domains.capability_move,
        name="capability_move",
    ),
    path("p/<slug:project>/domains/", domains.domains, name="domains"),
    path("p/<slug:project>/domains/picture/", domains.domains_picture, name="domains_picture"),
    path("p/<slug:project>/domains/new/", domains.domain_new, name="domain_new"),
    path("p/<slug:project>/domains/<int:pk>/", domains.domain, name="domain"),
    path("p/<slug:project>/domains/<int:pk>/move/", domains.domain_move, name="domain_move"),
    path("p/<slug:project>/domains/<int:pk>/remove/", domains.domain_remove, name="domain_remove"),
    # What is wanted of it
    path("p/<slug:project>/plan/", domains.plan, name="plan"),
    path("p/<slug:project>/plan/gaps.csv", domains.plan_gaps_csv, name="plan_gaps_csv"),
    path("p/<slug:project>/plan/cells/<int:pk>/", domains.plan_cell, name="plan_cell"),
    path(
        "p/<slug:project>/plan/shares/<int:pk>/release/", domains.plan_release, name="plan_release"
    ),
    path("p/<slug:project>/items/", bank.items, name="items"),
    path("p/<slug:project>/items/adopt/", bank.items_adopt, name="items_adopt"),
    path("p/<slug:project>/items/<int:pk>/", bank.item, name="item"),
    path("p/<slug:project>/systems/", systems.systems, name="systems"),
    path("p/<slug:project>/systems/releases.csv", systems.releases_csv, name="releases_csv"),
    path("p/<slug:project>/systems/new/", systems.system_new, name="system_new"),
    path("p/<slug:project>/systems/<int:pk>/", systems.system, name="system"),
    path(
        "p/<slug:project>/systems/<int:pk>/releases/new/", systems.release_new, name="release_new"
    ),
    path("p/<slug:project>/systems/releases/<int:pk>/", systems.release, name="release"),
    # Imports: a file by its number, an import by its own
    path("p/<slug:project>/imports/", imports.imports, name="imports"),
    path("p/<slug:project>/imports/new/", matching.import_new, name="import_new"),
    path(
        "p/<slug:project>/imports/templates/<slug:kind>.<slug:form>",
        matching.import_template,
        name="import_template",
    ),
    path("p/<slug:project>/imports/files/<int:number>/", matching.import_map, name="import_map"),
    path(
        "p/<slug:project>/imports/files/<int:number>/check/",
        matching.import_check,
        name="import_check",
    ),
    path(
        "p/<slug:project>/imports/files/<int:number>/mapping/",
        matching.import_mapping,
        name="import_mapping",
    ),
    path(
        "p/<slug:project>/imports/files/<int:number>/problems.csv",
        imports.import_problems,
        name="import_problems",
    ),
    path(
        "p/<slug:project>/imports/files/<int:number>/discard/",
        imports.import_discard,
        name="import_discard",
    ),
    path("p/<slug:project>/imports/<int:number>/", imports.batch, name="batch"),
    path("p/<slug:project>/imports/<int:number>/undo/", imports.batch_undo, name="batch_undo"),
    path(
        "p/<slug:project>/imports/<int:number>/resume/", imports.batch_resume, name="batch_resume"
    ),
    path("p/<slug:project>/imports/<int:number>/drop/", imports.batch_drop, name="batch_drop"),
    # The question bank: the list, one question, its editor
    path("p/<slug:project>/bank/", bank.questions, name="questions"),
    path("p/<slug:project>/bank/questions.csv", list_pages.questions_csv, name="questions_csv"),
    path(
        "p/<slug:project>/bank/questions.jsonl",
        list_pages.questions_jsonl,
        name="questions_jsonl",
    ),
    path("p/<slug:project>/bank/new/", editor.question_new, name="question_new"),
    path("p/<slug:project>/bank/board/", list_pages.question_board, name="question_board"),
    path("p/<slug:project>/bank/<int:pk>/move/", list_pages.question_move, name="question_move"),
    path("p/<slug:project>/bank/columns/", list_pages.list_columns, name="list_columns"),
    path("p/<slug:project>/bank/filters/", list_pages.saved_filters, name="saved_filters"),
    path("p/<slug:project>/bank/filters/<int:pk>/", list_pages.saved_filter, name="saved_filter"),
    path("p/<slug:project>/bank/files/", bank_files.bank_files, name="bank_files"),
    path("p/<slug:project>/bank/files/new/", bank_files.bank_export, name="bank_export"),
    path("p/<slug:project>/bank/files/<int:number>/", bank_files.bank_file, name="bank_file"),
    path(
        "p/<slug:project>/bank/files/<int:number>/confirm/",
        bank_files.bank_file_confirm,
        name="bank_file_confirm",
    ),
    path(
        "p/<slug:project>/bank/files/<int:number>/delete/",
        bank_files.bank_file_delete,
        name="bank_file_delete",
    ),
    path(
        "p/<slug:project>/bank/files/<int:number>/bank.zip",
        bank_files.bank_file_zip,
        name="bank_file_zip",
    ),
    path("p/<slug:project>/bank/bulk/", list_pages.bulk_edits, name="bulk_edits"),
    path("p/<slug:project>/bank/bulk/new/", list_pages.bulk_edit_new, name="bulk_edit_new"),
    path("p/<slug:project>/bank/bulk/<int:number>/", list_pages.bulk_edit, name="bulk_edit"),
    path(
        "p/<slug:project>/bank/bulk/<int:number>/start/",
        list_pages.bulk_edit_start,
        name="bulk_edit_start",
    ),
    path(
        "p/<slug:project>/bank/bulk/<int:number>/drop/",
        list_pages.bulk_edit_drop,
        name="bulk_edit_drop",
    ),
    path("p/<slug:project>/bank/looks/", bank.question_looks, name="question_looks"),
    path("p/<slug:project>/bank/<int:pk>/", bank.question, name="question"),
    path("p/<slug:project>/bank/<int:pk>/edit/", editor.question_edit, name="question_edit"),
    path("p/<slug:project>/bank/<int:pk>/draft/", editor.question_draft, name="question_draft"),
    # What questions are made from
    *SOURCES,
    # Hints for whoever writes a question
    path("p/<slug:project>/bank/hints/", editor.question_hints, name="question_hints"),
    # Inspection: what waits, one question with the checklist
    path("p/<slug:project>/inspect/", inspection.inspections, name="inspections"),
    path("p/<slug:project>/inspect/<int:pk>/", inspection.inspection, name="inspection"),
    path(
        "p/<slug:project>/inspect/figures/",
        inspection.inspection_figures,
        name="inspection_figures",
    ),
    path(
        "p/<slug:project>/inspect/figures.csv",
        inspection.inspection_figures_csv,
        name="inspection_figures_csv",
    ),
    path(
        "p/<slug:project>/inspect/retraining/",
        inspection.retraining_limit,
        name="retraining_limit",
    ),
    path(
        "p/<slug:project>/inspect/retraining/<uuid:person>/",
        inspection.retraining_settle,
        name="retraining_settle",
    ),
    path("p/<slug:project>/inspect/checklist/", inspection.checklist, name="checklist"),
    # What to grade by
    path("p/<slug:project>/rubrics/", rubrics.rubrics, name="rubrics"),
    path("p/<slug:project>/rubrics/new/", rubrics.rubric_new, name="rubric_new"),
    path("p/<slug:project>/rubrics/new/copy/", rubrics.rubric_copy, name="rubric_copy"),
    path("p/<slug:project>/rubrics/examples/", rubrics.rubric_examples, name="rubric_examples"),
    path("p/<slug:project>/rubrics/<slug:key>/", rubrics.rubric, name="rubric"),
    path("p/<slug:project>/rubrics/<slug:key>/edit/", rubrics.rubric_edit, name="rubric_edit"),
    path(
        "p/<slug:project>/rubrics/<slug:key>/<int:number>/", rubrics.rubric, name="rubric_version"
    ),
    # What was done
    path("p/<slug:project>/audit/", events.audit, name="audit"),
    path("p/<slug:project>/audit/events.jsonl", events.audit_jsonl, name="audit_jsonl"),
    path("login/", people.SignIn.as_view(), name="login"),
    path("login/again/", grading.sign_in, name="sign_in_again"),
    *TRAINING,
    # Rounds
    path("p/<slug:project>/rounds/", rounds.rounds, name="rounds"),
    path("p/<slug:project>/rounds/new/", rounds.round_new, name="round_new"),
    path("p/<slug:project>/rounds/<int:number>/", rounds.round_, name="round"),
    path("p/<slug:project>/rounds/<int:number>/copy/", running.round_copy, name="round_copy"),
    path(
        "p/<slug:project>/rounds/<int:number>/discard/",
        running.round_discard,
        name="round_discard",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/standing/",
        rounds.round_standing,
        name="round_standing",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/systems/",
        rounds.round_systems,
        name="round_systems",
    ),
    path("p/<slug:project>/rounds/<int:number>/draw/", rounds.round_draw, name="round_draw"),
    path(
        "p/<slug:project>/rounds/<int:number>/draw/count/",
        rounds.round_draw_count,
        name="round_draw_count",
    ),
    path("p/<slug:project>/rounds/<int:number>/own/", rounds.round_own, name="round_own"),
    path(
        "p/<slug:project>/rounds/<int:number>/collect/",
        collecting.round_collect,
        name="round_collect",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/collect/<slug:form>/",
        collecting.round_collect_sheet,
        name="round_collect_sheet",
    ),
    path("p/<slug:project>/systems/collect/", collecting.collect, name="collect"),
    path(
        "p/<slug:project>/systems/collect/<slug:form>/",
        collecting.collect_sheet,
        name="collect_sheet",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/manifest/",
        rounds.round_manifest,
        name="round_manifest",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/manifest.json",
        rounds.round_manifest_file,
        name="round_manifest_file",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/rubrics/",
        rounds.round_rubrics,
        name="round_rubrics",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/annotators/",
        rounds.round_annotators,
        name="round_annotators",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/settings/",
        rounds.round_settings,
        name="round_settings",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/prepare/",
        rounds.round_prepare,
        name="round_prepare",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/identity/",
        rounds.round_identity,
        name="round_identity",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/preview/<int:place>/",
        rounds.round_preview,
        name="round_preview",
    ),
    path("p/<slug:project>/rounds/<int:number>/open/", rounds.round_open, name="round_open"),
    path(
        "p/<slug:project>/rounds/<int:number>/pause/",
        running.round_pause,
        name="round_pause",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/resume/",
        running.round_resume,
        name="round_resume",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/prolong/",
        running.round_prolong,
        name="round_prolong",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/withdraw/",
        running.round_withdraw,
        name="round_withdraw",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/close/",
        running.round_close,
        name="round_close",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/finish/",
        running.round_finish,
        name="round_finish",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/seats/",
        running.round_seats,
        name="round_seats",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/flags/",
        running.round_flags,
        name="round_flags",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/seats/<int:seat>/release/",
        running.seat_release,
        name="seat_release",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/items/<int:place>/seat/",
        running.seat_add,
        name="seat_add",
    ),
]
