"""Pages of accounts, projects, their settings and the people in them.

* Addresses of the corpus: what questions are made from.
* Pages of training, trials and qualification.
* annotation’s pages.
"""

from django.urls import include, path

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

#: Below the address of a project.
PROJECT = [
    # Grading: annotators only, plain values only. First, for it is asked for most and addresses are
    # tried one after the other.
    path("grade/", grading.work, name="grading"),
    path("grade/rounds/<int:number>/next/", grading.claim, name="grade_next"),
    path("grade/rounds/<int:number>/sheet/", grading.sheet, name="grade_sheet"),
    path("grade/rounds/<int:number>/<slug:why>/", grading.nothing, name="grade_none"),
    path("grade/<slug:token>/", grading.grade, name="grade"),
    path("grade/<slug:token>/draft/", grading.save, name="grade_draft"),
    path("grade/<slug:token>/submit/", grading.submit, name="grade_submit"),
    path("grade/<slug:token>/state/", grading.state, name="grade_state"),
    path("grade/<slug:token>/renew/", grading.renew, name="grade_renew"),
    path("grade/<slug:token>/ahead/", grading.ahead, name="grade_ahead"),
    path("grade/<slug:token>/back/", grading.hand_back, name="grade_back"),
    path("", home.project_home, name="project_home"),
    path("first-steps/", first_steps.first_steps, name="first_steps"),
    path("first-steps/<slug:step>/", first_steps.first_step, name="first_step"),
    path("search/", search.search, name="search"),
    path("search.json", search.search_json, name="search_json"),
    path("settings/", home.project_settings, name="project_settings"),
    path("picture/", home.picture, name="picture"),
    path("settings/rules/", project_settings.rules, name="settings_rules"),
    path("settings/bank/", project_settings.bank, name="settings_bank"),
    path("settings/masks/", project_settings.masks, name="settings_masks"),
    path("settings/retention/", project_settings.retention, name="settings_retention"),
    path("people/", people.people, name="people"),
    path("people/add/", people.person_add, name="person_add"),
    path("people/invitations/", people.invitations, name="invitations"),
    path("people/invitations/<int:pk>/revoke/", people.invitation_revoke, name="invitation_revoke"),
    path(
        "people/password-links/<int:pk>/take-back/",
        people.password_link_take_back,
        name="password_link_take_back",
    ),
    path("people/new/", people.person_new, name="person_new"),
    path("people/<uuid:person>/", people.person, name="person"),
    path("people/<uuid:person>/erase/", running.person_erase, name="person_erase"),
    path("workload/", running.workload, name="workload"),
    path("workload/times.csv", running.workload_times, name="workload_times"),
    path("workload/<uuid:person>/leave/", running.workload_leave, name="workload_leave"),
    # What is evaluated: capabilities, subject areas, items, systems
    path("capabilities/", domains.capabilities, name="capabilities"),
    path("capabilities/new/", domains.capability_new, name="capability_new"),
    path("capabilities/<int:pk>/", domains.capability, name="capability"),
    path("capabilities/<int:pk>/remove/", domains.capability_remove, name="capability_remove"),
    path("capabilities/help/", domains.capability_help, name="capability_help"),
    path("capabilities/<int:pk>/move/", domains.capability_move, name="capability_move"),
    path("domains/", domains.domains, name="domains"),
    path("domains/picture/", domains.domains_picture, name="domains_picture"),
    path("domains/new/", domains.domain_new, name="domain_new"),
    path("domains/<int:pk>/", domains.domain, name="domain"),
    path("domains/<int:pk>/move/", domains.domain_move, name="domain_move"),
    path("domains/<int:pk>/remove/", domains.domain_remove, name="domain_remove"),
    # What is wanted of it
    path("plan/", domains.plan, name="plan"),
    path("plan/gaps.csv", domains.plan_gaps_csv, name="plan_gaps_csv"),
    path("plan/cells/<int:pk>/", domains.plan_cell, name="plan_cell"),
    path("plan/shares/<int:pk>/release/", domains.plan_release, name="plan_release"),
    path("items/adopt/", bank.items_adopt, name="items_adopt"),
    path("items/<int:pk>/", bank.item, name="item"),
    path("systems/", systems.systems, name="systems"),
    path("systems/releases.csv", systems.releases_csv, name="releases_csv"),
    path("systems/new/", systems.system_new, name="system_new"),
    path("systems/<int:pk>/", systems.system, name="system"),
    path("systems/<int:pk>/releases/new/", systems.release_new, name="release_new"),
    path("systems/releases/<int:pk>/", systems.release, name="release"),
    # Imports: a file by its number, an import by its own
    path("imports/", imports.imports, name="imports"),
    path("imports/new/", matching.import_new, name="import_new"),
    path(
        "imports/templates/<slug:kind>.<slug:form>",
        matching.import_template,
        name="import_template",
    ),
    path("imports/files/<int:number>/", matching.import_map, name="import_map"),
    path("imports/files/<int:number>/check/", matching.import_check, name="import_check"),
    path("imports/files/<int:number>/mapping/", matching.import_mapping, name="import_mapping"),
    path(
        "imports/files/<int:number>/problems.csv", imports.import_problems, name="import_problems"
    ),
    path("imports/files/<int:number>/discard/", imports.import_discard, name="import_discard"),
    path("imports/<int:number>/", imports.batch, name="batch"),
    path("imports/<int:number>/undo/", imports.batch_undo, name="batch_undo"),
    path("imports/<int:number>/resume/", imports.batch_resume, name="batch_resume"),
    path("imports/<int:number>/drop/", imports.batch_drop, name="batch_drop"),
    # The question bank: the list, one question, its editor
    path("bank/", bank.questions, name="questions"),
    path("bank/questions.csv", list_pages.questions_csv, name="questions_csv"),
    path("bank/questions.jsonl", list_pages.questions_jsonl, name="questions_jsonl"),
    path("bank/new/", editor.question_new, name="question_new"),
    path("bank/board/", list_pages.question_board, name="question_board"),
    path("bank/<int:pk>/move/", list_pages.question_move, name="question_move"),
    path("bank/columns/", list_pages.list_columns, name="list_columns"),
    path("bank/filters/", list_pages.saved_filters, name="saved_filters"),
    path("bank/filters/<int:pk>/", list_pages.saved_filter, name="saved_filter"),
    path("bank/files/", bank_files.bank_files, name="bank_files"),
    path("bank/files/new/", bank_files.bank_export, name="bank_export"),
    path("bank/files/<int:number>/", bank_files.bank_file, name="bank_file"),
    path(
        "bank/files/<int:number>/confirm/", bank_files.bank_file_confirm, name="bank_file_confirm"
    ),
    path("bank/files/<int:number>/delete/", bank_files.bank_file_delete, name="bank_file_delete"),
    path("bank/files/<int:number>/bank.zip", bank_files.bank_file_zip, name="bank_file_zip"),
    path("bank/bulk/", list_pages.bulk_edits, name="bulk_edits"),
    path("bank/bulk/new/", list_pages.bulk_edit_new, name="bulk_edit_new"),
    path("bank/bulk/<int:number>/", list_pages.bulk_edit, name="bulk_edit"),
    path("bank/bulk/<int:number>/start/", list_pages.bulk_edit_start, name="bulk_edit_start"),
    path("bank/bulk/<int:number>/drop/", list_pages.bulk_edit_drop, name="bulk_edit_drop"),
    path("bank/looks/", bank.question_looks, name="question_looks"),
    path("bank/<int:pk>/", bank.question, name="question"),
    path("bank/<int:pk>/edit/", editor.question_edit, name="question_edit"),
    path("bank/<int:pk>/draft/", editor.question_draft, name="question_draft"),
    path("sources/", sources.sources, name="sources"),
    path("sources/new/", sources.source_new, name="source_new"),
    path("sources/<int:pk>/", sources.source, name="source"),
    path("sources/collections/", sources.source_collections, name="source_collections"),
    path("sources/collections/<int:pk>/", sources.source_collection, name="source_collection"),
    # Hints for whoever writes a question
    path("bank/hints/", editor.question_hints, name="question_hints"),
    # Inspection: what waits, one question with the checklist
    path("inspect/", inspection.inspections, name="inspections"),
    path("inspect/<int:pk>/", inspection.inspection, name="inspection"),
    path("inspect/figures/", inspection.inspection_figures, name="inspection_figures"),
    path("inspect/figures.csv", inspection.inspection_figures_csv, name="inspection_figures_csv"),
    path("inspect/retraining/", inspection.retraining_limit, name="retraining_limit"),
    path(
        "inspect/retraining/<uuid:person>/", inspection.retraining_settle, name="retraining_settle"
    ),
    path("inspect/checklist/", inspection.checklist, name="checklist"),
    # What to grade by
    path("rubrics/", rubrics.rubrics, name="rubrics"),
    path("rubrics/new/", rubrics.rubric_new, name="rubric_new"),
    path("rubrics/new/copy/", rubrics.rubric_copy, name="rubric_copy"),
    path("rubrics/examples/", rubrics.rubric_examples, name="rubric_examples"),
    path("rubrics/<slug:key>/", rubrics.rubric, name="rubric"),
    path("rubrics/<slug:key>/edit/", rubrics.rubric_edit, name="rubric_edit"),
    path("rubrics/<slug:key>/<int:number>/", rubrics.rubric, name="rubric_version"),
    # What was done
    path("audit/", events.audit, name="audit"),
    path("audit/events.jsonl", events.audit_jsonl, name="audit_jsonl"),
    # Annotators: plain values only
    path("training/", training.training, name="training"),
    path("training/<int:number>/", training.training_example, name="training_example"),
    path("training/trials/<int:number>/", training.training_trial, name="training_trial"),
    # Curators
    path("annotators/", training.pool, name="pool"),
    path("annotators/<uuid:person>/", training.pool_person, name="pool_person"),
    path("annotators/<uuid:person>/<int:pk>/", training.pool_say, name="pool_say"),
    path("annotators/rules/", training.pool_rules, name="pool_rules"),
    path("annotators/rules/<int:pk>/", training.pool_rule, name="pool_rule"),
    path("annotators/training/", training.examples, name="examples"),
    path("annotators/training/<int:pk>/new/", training.example_new, name="example_new"),
    path("annotators/training/<int:pk>/adopt/", training.example_adopt, name="example_adopt"),
    path(
        "annotators/training/<int:number>/withdraw/",
        training.example_withdraw,
        name="example_withdraw",
    ),
    path("annotators/trials/", training.trials, name="trials"),
    path("annotators/trials/new/", training.trial_new, name="trial_new"),
    path("rounds/<int:number>/references/", training.round_references, name="round_references"),
    # Rounds
    path("rounds/", rounds.rounds, name="rounds"),
    path("rounds/new/", rounds.round_new, name="round_new"),
    path("rounds/<int:number>/", rounds.round_, name="round"),
    path("rounds/<int:number>/copy/", running.round_copy, name="round_copy"),
    path("rounds/<int:number>/discard/", running.round_discard, name="round_discard"),
    path("rounds/<int:number>/standing/", rounds.round_standing, name="round_standing"),
    path("rounds/<int:number>/systems/", rounds.round_systems, name="round_systems"),
    path("rounds/<int:number>/draw/", rounds.round_draw, name="round_draw"),
    path("rounds/<int:number>/draw/count/", rounds.round_draw_count, name="round_draw_count"),
    path("rounds/<int:number>/own/", rounds.round_own, name="round_own"),
    path("rounds/<int:number>/collect/", collecting.round_collect, name="round_collect"),
    path(
        "rounds/<int:number>/collect/<slug:form>/",
        collecting.round_collect_sheet,
        name="round_collect_sheet",
    ),
    path("systems/collect/", collecting.collect, name="collect"),
    path("systems/collect/<slug:form>/", collecting.collect_sheet, name="collect_sheet"),
    path("rounds/<int:number>/manifest/", rounds.round_manifest, name="round_manifest"),
    path(
        "rounds/<int:number>/manifest.json", rounds.round_manifest_file, name="round_manifest_file"
    ),
    path("rounds/<int:number>/rubrics/", rounds.round_rubrics, name="round_rubrics"),
    path("rounds/<int:number>/annotators/", rounds.round_annotators, name="round_annotators"),
    path("rounds/<int:number>/settings/", rounds.round_settings, name="round_settings"),
    path("rounds/<int:number>/prepare/", rounds.round_prepare, name="round_prepare"),
    path("rounds/<int:number>/identity/", rounds.round_identity, name="round_identity"),
    path("rounds/<int:number>/preview/<int:place>/", rounds.round_preview, name="round_preview"),
    path("rounds/<int:number>/open/", rounds.round_open, name="round_open"),
    path("rounds/<int:number>/pause/", running.round_pause, name="round_pause"),
    path("rounds/<int:number>/resume/", running.round_resume, name="round_resume"),
    path("rounds/<int:number>/prolong/", running.round_prolong, name="round_prolong"),
    path("rounds/<int:number>/withdraw/", running.round_withdraw, name="round_withdraw"),
    path("rounds/<int:number>/close/", running.round_close, name="round_close"),
    path("rounds/<int:number>/finish/", running.round_finish, name="round_finish"),
    path("rounds/<int:number>/seats/", running.round_seats, name="round_seats"),
    path("rounds/<int:number>/flags/", running.round_flags, name="round_flags"),
    path(
        "rounds/<int:number>/seats/<int:seat>/release/", running.seat_release, name="seat_release"
    ),
    path("rounds/<int:number>/items/<int:place>/seat/", running.seat_add, name="seat_add"),
]

urlpatterns = [
    path("p/<slug:project>/", include(PROJECT)),
    path("api/docs/", people.api_docs, name="api_docs"),
    path("api/docs/<slug:group>/", people.api_docs_group, name="api_docs_group"),
    path("", home.home, name="home"),
    path("account/", people.account, name="account"),
    path("account/own-password/", people.own_password, name="own_password"),
    path("account/devices/end/", people.account_devices, name="account_devices"),
    path("account/erase/", running.account_erase, name="account_erase"),
    path("account/tokens/", people.tokens, name="account_tokens"),
    path("account/tokens/revoke/", people.tokens_revoke_all, name="account_tokens_revoke"),
    path("account/tokens/<int:pk>/revoke/", people.token_revoke, name="account_token_revoke"),
    path("account/preferences/", people.preferences, name="preferences"),
    path("password/", people.forgotten, name="password_forgotten"),
    path("password/<uuid:person>/<str:token>/", people.link, name="password_link"),
    path("set-up/<str:token>/", people.set_up, name="set_up"),
    path("projects/", home.projects, name="projects"),
    path("projects/new/", home.project_new, name="project_new"),
    path("join/<str:token>/", people.join, name="join"),
    path("language/", people.choose_language, name="language"),
    path("login/", people.SignInView.as_view(), name="login"),
    path("login/again/", grading.sign_in, name="sign_in_again"),
]
