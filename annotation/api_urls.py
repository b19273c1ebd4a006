"""Addresses of the API, below /api/v1/."""

from django.urls import path

from annotation.bank import api as bank
from annotation.bankfile import api as bank_files
from annotation.domains import api as domains
from annotation.home import api as home
from annotation.home import search_pages as search
from annotation.imports import api as imports
from annotation.imports.matching import api as matching
from annotation.inspection import api as inspection
from annotation.people import api as people
from annotation.rounds import api as rounds
from annotation.rubrics import api as rubrics
from annotation.running import api as running
from annotation.sources import api as sources
from annotation.systems import api as systems
from annotation.training import api as training

INSPECT = "projects/<slug:project>/inspect/"
ROUND = "projects/<slug:project>/rounds/<int:number>/"

urlpatterns = [
    path("", home.index, name="api_index"),
    path("openapi.json", people.openapi, name="api_openapi"),
    path("me/", home.me, name="api_me"),
    path("projects/", home.projects, name="api_projects"),
    path("projects/<slug:project>/about/", home.about, name="api_about"),
    path("projects/<slug:project>/items/", home.items, name="api_items"),
    path("projects/<slug:project>/items/<int:pk>/", home.item, name="api_item"),
    path("projects/<slug:project>/imports/", imports.imports, name="api_imports"),
    path("projects/<slug:project>/imports/<int:number>/", imports.import_, name="api_import"),
    path(
        "projects/<slug:project>/imports/templates/<slug:kind>.csv",
        matching.import_template_csv,
        name="api_import_template_csv",
    ),
    path(
        "projects/<slug:project>/imports/templates/<slug:kind>.xlsx",
        matching.import_template_xlsx,
        name="api_import_template_xlsx",
    ),
    path(
        "projects/<slug:project>/imports/templates/<slug:kind>.jsonl",
        matching.import_template_jsonl,
        name="api_import_template_jsonl",
    ),
    path(
        "projects/<slug:project>/imports/files/<int:number>/",
        imports.import_file,
        name="api_import_file",
    ),
    path(
        "projects/<slug:project>/imports/answers/",
        imports.answers,
        name="api_import_answers",
    ),
    path(
        "projects/<slug:project>/imports/grades/",
        imports.grades,
        name="api_import_grades",
    ),
    path(
        "projects/<slug:project>/imports/scores/",
        imports.scores,
        name="api_import_scores",
    ),
    path(
        "projects/<slug:project>/imports/questions/",
        imports.questions,
        name="api_import_questions",
    ),
    path(
        "projects/<slug:project>/imports/choices/",
        imports.choices,
        name="api_import_choices",
    ),
    path(
        "projects/<slug:project>/imports/figures/",
        imports.figures,
        name="api_import_figures",
    ),
    path("projects/<slug:project>/domains/", domains.domains, name="api_domains"),
    path("projects/<slug:project>/domains/<int:pk>/", domains.domain, name="api_domain"),
    path(
        "projects/<slug:project>/domains/<int:pk>/remove/",
        domains.domain_remove,
        name="api_domain_remove",
    ),
    path("projects/<slug:project>/capabilities/", domains.capabilities, name="api_capabilities"),
    path(
        "projects/<slug:project>/capabilities/<int:pk>/",
        domains.capability,
        name="api_capability",
    ),
    path(
        "projects/<slug:project>/capabilities/<int:pk>/remove/",
        domains.capability_remove,
        name="api_capability_remove",
    ),
    path("projects/<slug:project>/questions/", bank.questions, name="api_questions"),
    path("projects/<slug:project>/questions/<int:pk>/", bank.question, name="api_question"),
    path(
        "projects/<slug:project>/questions/<int:pk>/draft/",
        bank.draft,
        name="api_question_draft",
    ),
    path(
        "projects/<slug:project>/questions/<int:pk>/comments/",
        bank.comments,
        name="api_question_comments",
    ),
    path(
        "projects/<slug:project>/saved-filters/",
        bank.saved_filters,
        name="api_saved_filters",
    ),
    path(
        "projects/<slug:project>/saved-filters/<int:pk>/",
        bank.saved_filter,
        name="api_saved_filter",
    ),
    path("projects/<slug:project>/bank-files/", bank_files.bank_files, name="api_bank_files"),
    path(
        "projects/<slug:project>/bank-files/<int:number>/",
        bank_files.bank_file,
        name="api_bank_file",
    ),
    path(
        "projects/<slug:project>/bank-files/<int:number>/bank.zip",
        bank_files.bank_file_zip,
        name="api_bank_file_zip",
    ),
    path("projects/<slug:project>/bulk-edits/", bank.edits, name="api_bulk_edits"),
    path(
        "projects/<slug:project>/bulk-edits/<int:number>/",
        bank.edit,
        name="api_bulk_edit",
    ),
    path("projects/<slug:project>/sources/", sources.sources, name="api_sources"),
    path("projects/<slug:project>/sources/<int:pk>/", sources.source, name="api_source"),
    path(
        "projects/<slug:project>/sources/<int:pk>/edits/",
        sources.source_edits,
        name="api_source_edits",
    ),
    path("projects/<slug:project>/sources/<int:pk>/checks/", sources.checks, name="api_checks"),
    path("projects/<slug:project>/sources/reading/", sources.source_reading, name="api_reading"),
    path(
        "projects/<slug:project>/source-collections/",
        sources.collections,
        name="api_source_collections",
    ),
    path(
        "projects/<slug:project>/source-collections/<int:pk>/",
        sources.collection,
        name="api_source_collection",
    ),
    path("projects/<slug:project>/annotators/", training.pool, name="api_pool"),
    path(
        "projects/<slug:project>/annotators/<uuid:person>/",
        training.person,
        name="api_pool_person",
    ),
    path("projects/<slug:project>/annotators/rules/", training.rules, name="api_pool_rules"),
    path("projects/<slug:project>/training/", training.examples, name="api_examples"),
    path("projects/<slug:project>/training/trials/", training.trials, name="api_trials"),
    path("projects/<slug:project>/training/adopt/", training.adopt, name="api_examples_adopt"),
    path("projects/<slug:project>/training/<int:number>/", training.example, name="api_example"),
    path(
        "projects/<slug:project>/training/<int:number>/withdraw/",
        training.withdraw,
        name="api_example_withdraw",
    ),
    path(
        "projects/<slug:project>/rounds/<int:number>/references/",
        training.references,
        name="api_references",
    ),
    path("projects/<slug:project>/workload/", running.workload, name="api_workload"),
    path(
        "projects/<slug:project>/workload/<uuid:person>/leave/",
        running.leave,
        name="api_workload_leave",
    ),
    path("projects/<slug:project>/plan/", domains.plan, name="api_plan"),
    path("projects/<slug:project>/plan/cells/<int:pk>/", domains.cell, name="api_plan_cell"),
    path("projects/<slug:project>/inspect/", inspection.inspections, name="api_inspections"),
    path("projects/<slug:project>/inspect/<int:pk>/", inspection.inspection, name="api_inspection"),
    path(
        "projects/<slug:project>/inspect/figures/",
        inspection.figures,
        name="api_inspection_figures",
    ),
    path(f"{INSPECT}checklist/", inspection.checklist, name="api_checklist"),
    path(f"{INSPECT}retraining/", inspection.limit, name="api_retraining_limit"),
    path(
        f"{INSPECT}retraining/<uuid:person>/",
        inspection.settle,
        name="api_retraining_settle",
    ),
    path("projects/<slug:project>/search/", search.search_api, name="api_search"),
    path("projects/<slug:project>/people/", people.people, name="api_people"),
    path("projects/<slug:project>/people/<uuid:person>/", people.person, name="api_person"),
    path("projects/<slug:project>/people/tokens/", people.tokens, name="api_people_tokens"),
    path(
        "projects/<slug:project>/people/password-links/",
        people.password_links,
        name="api_password_links",
    ),
    path(
        "projects/<slug:project>/people/password-links/<int:pk>/take-back/",
        people.password_link_take_back,
        name="api_password_link_take_back",
    ),
    path(
        "projects/<slug:project>/invitations/",
        people.invitations,
        name="api_invitations",
    ),
    path(
        "projects/<slug:project>/invitations/<int:pk>/revoke/",
        people.revoke,
        name="api_invitation_revoke",
    ),
    path("projects/<slug:project>/audit/", home.audit, name="api_audit"),
    path("projects/<slug:project>/audit/seal/", home.seal, name="api_audit_seal"),
    path("projects/<slug:project>/settings/", home.settings, name="api_settings"),
    path("projects/<slug:project>/settings/bank/", home.bank, name="api_settings_bank"),
    path("projects/<slug:project>/settings/masks/", home.masks, name="api_settings_masks"),
    path(
        "projects/<slug:project>/settings/retention/",
        home.retention,
        name="api_settings_retention",
    ),
    path("projects/<slug:project>/systems/", systems.systems, name="api_systems"),
    path("projects/<slug:project>/systems/<int:pk>/", systems.system, name="api_system"),
    path(
        "projects/<slug:project>/systems/<int:pk>/releases/",
        systems.releases,
        name="api_system_releases",
    ),
    path(
        "projects/<slug:project>/systems/<int:pk>/releases/<int:release>/",
        systems.release,
        name="api_system_release",
    ),
    path("projects/<slug:project>/rubrics/", rubrics.rubrics, name="api_rubrics"),
    path("projects/<slug:project>/rubric-copies/", rubrics.copies, name="api_rubric_copies"),
    path(
        "projects/<slug:project>/rubrics/examples/",
        rubrics.rubric_examples,
        name="api_rubric_examples",
    ),
    path(
        "projects/<slug:project>/rubrics/<slug:key>/<int:number>/",
        rubrics.rubric,
        name="api_rubric",
    ),
    path(
        "projects/<slug:project>/rubrics/<slug:key>/",
        rubrics.versions,
        name="api_rubric_versions",
    ),
    path("projects/<slug:project>/rounds/", rounds.rounds, name="api_rounds"),
    path(ROUND, rounds.round_, name="api_round"),
    path(f"{ROUND}prepare/", running.prepare, name="api_round_prepare"),
    path(f"{ROUND}open/", running.open_, name="api_round_open"),
    path(f"{ROUND}withdraw/", running.withdraw, name="api_round_withdraw"),
    path(f"{ROUND}pause/", running.pause, name="api_round_pause"),
    path(f"{ROUND}resume/", running.resume, name="api_round_resume"),
    path(f"{ROUND}prolong/", running.prolong, name="api_round_prolong"),
    path(f"{ROUND}close/", running.close, name="api_round_close"),
    path(f"{ROUND}finish/", running.finish, name="api_round_finish"),
    path(f"{ROUND}copy/", running.copy, name="api_round_copy"),
    path(f"{ROUND}discard/", running.discard, name="api_round_discard"),
    path(f"{ROUND}identity/", running.identity, name="api_round_identity"),
    path(f"{ROUND}identity/places/", running.places, name="api_round_identity_places"),
    path(f"{ROUND}seats/", running.seats, name="api_round_seats"),
    path(f"{ROUND}seats/<int:seat>/release/", running.release, name="api_seat_release"),
    path(f"{ROUND}items/<int:place>/seats/", running.add_seat, name="api_seat_add"),
    path(f"{ROUND}flags/", running.flags, name="api_round_flags"),
    path("projects/<slug:project>/rounds/<int:number>/draw/", rounds.draw, name="api_draw"),
    path(
        "projects/<slug:project>/rounds/<int:number>/manifest/",
        rounds.manifest,
        name="api_manifest",
    ),
]
