"""annotation's pages."""

from django.urls import path

from annotation import people_urls, source_urls, training_urls
from annotation.rubrics import pages as rubrics
from annotation.views import (
    api_docs,
    bank_files,
    bank_lists,
    boards,
    bulk_edits,
    capabilities,
    collecting,
    desk,
    domains,
    events,
    first_steps,
    grading,
    grading_list,
    hints,
    home,
    imports,
    inspection_figures,
    inspections,
    items,
    manifests,
    plan,
    question_edit,
    question_files,
    questions,
    rounds,
    rounds_copies,
    rounds_design,
    rounds_draw,
    rounds_opening,
    rounds_running,
    search,
    sign_in,
    systems,
)

urlpatterns = [
    # Grading: annotators only, plain values only. First, for it is asked for most and addresses are
    # tried one after the other.
    path("p/<slug:project>/grade/", grading_list.work, name="grading"),
    path("p/<slug:project>/grade/rounds/<int:number>/next/", grading.claim, name="grade_next"),
    path("p/<slug:project>/grade/rounds/<int:number>/sheet/", grading.sheet, name="grade_sheet"),
    path(
        "p/<slug:project>/grade/rounds/<int:number>/<slug:why>/",
        grading.nothing,
        name="grade_none",
    ),
    path("p/<slug:project>/grade/<slug:token>/", grading.grade, name="grade"),
    path("p/<slug:project>/grade/<slug:token>/draft/", desk.save, name="grade_draft"),
    path("p/<slug:project>/grade/<slug:token>/submit/", desk.submit, name="grade_submit"),
    path("p/<slug:project>/grade/<slug:token>/state/", desk.state, name="grade_state"),
    path("p/<slug:project>/grade/<slug:token>/renew/", desk.renew, name="grade_renew"),
    path("p/<slug:project>/grade/<slug:token>/ahead/", desk.ahead, name="grade_ahead"),
    path("p/<slug:project>/grade/<slug:token>/back/", grading.hand_back, name="grade_back"),
    path("api/docs/", api_docs.api_docs, name="api_docs"),
    path("api/docs/<slug:group>/", api_docs.api_docs_group, name="api_docs_group"),
    path("", home.home, name="home"),
    path("p/<slug:project>/", home.project_home, name="project_home"),
    path("p/<slug:project>/first-steps/", first_steps.first_steps, name="first_steps"),
    path("p/<slug:project>/first-steps/<slug:step>/", first_steps.first_step, name="first_step"),
    path("p/<slug:project>/search/", search.search, name="search"),
    path("p/<slug:project>/search.json", search.search_json, name="search_json"),
    *people_urls.urlpatterns,
    # What is evaluated: capabilities, subject areas, items, systems
    path("p/<slug:project>/capabilities/", capabilities.capabilities, name="capabilities"),
    path("p/<slug:project>/capabilities/new/", capabilities.capability_new, name="capability_new"),
    path("p/<slug:project>/capabilities/<int:pk>/", capabilities.capability, name="capability"),
    path(
        "p/<slug:project>/capabilities/<int:pk>/remove/",
        capabilities.capability_remove,
        name="capability_remove",
    ),
    path(
        "p/<slug:project>/capabilities/help/", capabilities.capability_help, name="capability_help"
    ),
    path(
        "p/<slug:project>/capabilities/<int:pk>/move/",
        capabilities.capability_move,
        name="capability_move",
    ),
    path("p/<slug:project>/domains/", domains.domains, name="domains"),
    path("p/<slug:project>/domains/picture/", domains.domains_picture, name="domains_picture"),
    path("p/<slug:project>/domains/new/", domains.domain_new, name="domain_new"),
    path("p/<slug:project>/domains/<int:pk>/", domains.domain, name="domain"),
    path("p/<slug:project>/domains/<int:pk>/move/", domains.domain_move, name="domain_move"),
    path("p/<slug:project>/domains/<int:pk>/remove/", domains.domain_remove, name="domain_remove"),
    # What is wanted of it
    path("p/<slug:project>/plan/", plan.plan, name="plan"),
    path("p/<slug:project>/plan/gaps.csv", plan.plan_gaps_csv, name="plan_gaps_csv"),
    path("p/<slug:project>/plan/cells/<int:pk>/", plan.plan_cell, name="plan_cell"),
    path("p/<slug:project>/plan/shares/<int:pk>/release/", plan.plan_release, name="plan_release"),
    path("p/<slug:project>/items/", items.items, name="items"),
    path("p/<slug:project>/items/adopt/", items.items_adopt, name="items_adopt"),
    path("p/<slug:project>/items/<int:pk>/", items.item, name="item"),
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
    path("p/<slug:project>/imports/new/", imports.import_new, name="import_new"),
    path("p/<slug:project>/imports/files/<int:number>/", imports.import_map, name="import_map"),
    path(
        "p/<slug:project>/imports/files/<int:number>/encoding/",
        imports.import_encoding,
        name="import_encoding",
    ),
    path(
        "p/<slug:project>/imports/files/<int:number>/check/",
        imports.import_check,
        name="import_check",
    ),
    path(
        "p/<slug:project>/imports/files/<int:number>/apply/",
        imports.import_apply,
        name="import_apply",
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
    path("p/<slug:project>/bank/", questions.questions, name="questions"),
    path("p/<slug:project>/bank/questions.csv", question_files.questions_csv, name="questions_csv"),
    path(
        "p/<slug:project>/bank/questions.jsonl",
        question_files.questions_jsonl,
        name="questions_jsonl",
    ),
    path("p/<slug:project>/bank/new/", question_edit.question_new, name="question_new"),
    path("p/<slug:project>/bank/board/", boards.question_board, name="question_board"),
    path("p/<slug:project>/bank/<int:pk>/move/", boards.question_move, name="question_move"),
    path("p/<slug:project>/bank/columns/", bank_lists.list_columns, name="list_columns"),
    path("p/<slug:project>/bank/filters/", bank_lists.saved_filters, name="saved_filters"),
    path("p/<slug:project>/bank/filters/<int:pk>/", bank_lists.saved_filter, name="saved_filter"),
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
    path("p/<slug:project>/bank/bulk/", bulk_edits.bulk_edits, name="bulk_edits"),
    path("p/<slug:project>/bank/bulk/new/", bulk_edits.bulk_edit_new, name="bulk_edit_new"),
    path("p/<slug:project>/bank/bulk/<int:number>/", bulk_edits.bulk_edit, name="bulk_edit"),
    path(
        "p/<slug:project>/bank/bulk/<int:number>/start/",
        bulk_edits.bulk_edit_start,
        name="bulk_edit_start",
    ),
    path(
        "p/<slug:project>/bank/bulk/<int:number>/drop/",
        bulk_edits.bulk_edit_drop,
        name="bulk_edit_drop",
    ),
    path("p/<slug:project>/bank/looks/", questions.question_looks, name="question_looks"),
    path("p/<slug:project>/bank/<int:pk>/", questions.question, name="question"),
    path("p/<slug:project>/bank/<int:pk>/edit/", question_edit.question_edit, name="question_edit"),
    path(
        "p/<slug:project>/bank/<int:pk>/draft/", question_edit.question_draft, name="question_draft"
    ),
    # What questions are made from
    *source_urls.urlpatterns,
    # Hints for whoever writes a question
    path("p/<slug:project>/bank/hints/", hints.question_hints, name="question_hints"),
    # Inspection: what waits, one question with the checklist
    path("p/<slug:project>/inspect/", inspections.inspections, name="inspections"),
    path("p/<slug:project>/inspect/<int:pk>/", inspections.inspection, name="inspection"),
    path(
        "p/<slug:project>/inspect/figures/",
        inspection_figures.inspection_figures,
        name="inspection_figures",
    ),
    path(
        "p/<slug:project>/inspect/figures.csv",
        inspection_figures.inspection_figures_csv,
        name="inspection_figures_csv",
    ),
    path(
        "p/<slug:project>/inspect/retraining/",
        inspection_figures.retraining_limit,
        name="retraining_limit",
    ),
    path(
        "p/<slug:project>/inspect/retraining/<uuid:person>/",
        inspection_figures.retraining_settle,
        name="retraining_settle",
    ),
    path("p/<slug:project>/inspect/checklist/", inspection_figures.checklist, name="checklist"),
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
    path("login/", sign_in.SignIn.as_view(), name="login"),
    path("login/again/", desk.sign_in, name="sign_in_again"),
    *training_urls.urlpatterns,
    # Rounds
    path("p/<slug:project>/rounds/", rounds.rounds, name="rounds"),
    path("p/<slug:project>/rounds/new/", rounds.round_new, name="round_new"),
    path("p/<slug:project>/rounds/<int:number>/", rounds.round_, name="round"),
    path("p/<slug:project>/rounds/<int:number>/copy/", rounds_copies.round_copy, name="round_copy"),
    path(
        "p/<slug:project>/rounds/<int:number>/discard/",
        rounds_copies.round_discard,
        name="round_discard",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/standing/",
        rounds.round_standing,
        name="round_standing",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/systems/",
        rounds_design.round_systems,
        name="round_systems",
    ),
    path("p/<slug:project>/rounds/<int:number>/draw/", rounds_draw.round_draw, name="round_draw"),
    path(
        "p/<slug:project>/rounds/<int:number>/draw/count/",
        rounds_draw.round_draw_count,
        name="round_draw_count",
    ),
    path("p/<slug:project>/rounds/<int:number>/own/", rounds_draw.round_own, name="round_own"),
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
        manifests.round_manifest,
        name="round_manifest",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/manifest.json",
        manifests.round_manifest_file,
        name="round_manifest_file",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/rubrics/",
        rounds_design.round_rubrics,
        name="round_rubrics",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/annotators/",
        rounds_design.round_annotators,
        name="round_annotators",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/settings/",
        rounds_design.round_settings,
        name="round_settings",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/prepare/",
        rounds_opening.round_prepare,
        name="round_prepare",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/identity/",
        rounds_opening.round_identity,
        name="round_identity",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/preview/<int:place>/",
        rounds_opening.round_preview,
        name="round_preview",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/open/", rounds_opening.round_open, name="round_open"
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/pause/",
        rounds_running.round_pause,
        name="round_pause",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/resume/",
        rounds_running.round_resume,
        name="round_resume",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/prolong/",
        rounds_running.round_prolong,
        name="round_prolong",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/withdraw/",
        rounds_running.round_withdraw,
        name="round_withdraw",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/close/",
        rounds_running.round_close,
        name="round_close",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/finish/",
        rounds_running.round_finish,
        name="round_finish",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/seats/",
        rounds_running.round_seats,
        name="round_seats",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/flags/",
        rounds_running.round_flags,
        name="round_flags",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/seats/<int:seat>/release/",
        rounds_running.seat_release,
        name="seat_release",
    ),
    path(
        "p/<slug:project>/rounds/<int:number>/items/<int:place>/seat/",
        rounds_running.seat_add,
        name="seat_add",
    ),
]
