"""Addresses of the API, below /api/v1/."""

from django.urls import include, path

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

#: Below the address of a project.
PROJECT = [
    path("about/", home.about, name="api_about"),
    path("items/", home.items, name="api_items"),
    path("items/<int:pk>/", home.item, name="api_item"),
    path("imports/", imports.imports, name="api_imports"),
    path("imports/<int:number>/", imports.import_, name="api_import"),
    path(
        "imports/templates/<slug:kind>.csv",
        matching.import_template_csv,
        name="api_import_template_csv",
    ),
    path(
        "imports/templates/<slug:kind>.xlsx",
        matching.import_template_xlsx,
        name="api_import_template_xlsx",
    ),
    path(
        "imports/templates/<slug:kind>.jsonl",
        matching.import_template_jsonl,
        name="api_import_template_jsonl",
    ),
    path("imports/files/<int:number>/", imports.import_file, name="api_import_file"),
    path("imports/answers/", imports.answers, name="api_import_answers"),
    path("imports/grades/", imports.grades, name="api_import_grades"),
    path("imports/pairs/", imports.pairs, name="api_import_pairs"),
    path("imports/scores/", imports.scores, name="api_import_scores"),
    path("imports/questions/", imports.questions, name="api_import_questions"),
    path("imports/choices/", imports.choices, name="api_import_choices"),
    path("imports/figures/", imports.figures, name="api_import_figures"),
    path("domains/", domains.domains, name="api_domains"),
    path("domains/<int:pk>/", domains.domain, name="api_domain"),
    path("domains/<int:pk>/remove/", domains.domain_remove, name="api_domain_remove"),
    path("capabilities/", domains.capabilities, name="api_capabilities"),
    path("capabilities/<int:pk>/", domains.capability, name="api_capability"),
    path("capabilities/<int:pk>/remove/", domains.capability_remove, name="api_capability_remove"),
    path("questions/", bank.questions, name="api_questions"),
    path("questions/<int:pk>/", bank.question, name="api_question"),
    path("questions/<int:pk>/draft/", bank.draft, name="api_question_draft"),
    path("questions/<int:pk>/comments/", bank.comments, name="api_question_comments"),
    path("saved-filters/", bank.saved_filters, name="api_saved_filters"),
    path("saved-filters/<int:pk>/", bank.saved_filter, name="api_saved_filter"),
    path("bank-files/", bank_files.bank_files, name="api_bank_files"),
    path("bank-files/<int:number>/", bank_files.bank_file, name="api_bank_file"),
    path("bank-files/<int:number>/bank.zip", bank_files.bank_file_zip, name="api_bank_file_zip"),
    path("bulk-edits/", bank.edits, name="api_bulk_edits"),
    path("bulk-edits/<int:number>/", bank.edit, name="api_bulk_edit"),
    path("sources/", sources.sources, name="api_sources"),
    path("sources/<int:pk>/", sources.source, name="api_source"),
    path("sources/<int:pk>/edits/", sources.source_edits, name="api_source_edits"),
    path("sources/<int:pk>/checks/", sources.checks, name="api_checks"),
    path("sources/reading/", sources.source_reading, name="api_reading"),
    path("source-collections/", sources.collections, name="api_source_collections"),
    path("source-collections/<int:pk>/", sources.collection, name="api_source_collection"),
    path("annotators/", training.pool, name="api_pool"),
    path("annotators/<uuid:person>/", training.person, name="api_pool_person"),
    path("annotators/rules/", training.rules, name="api_pool_rules"),
    path("training/", training.examples, name="api_examples"),
    path("training/trials/", training.trials, name="api_trials"),
    path("training/adopt/", training.adopt, name="api_examples_adopt"),
    path("training/<int:number>/", training.example, name="api_example"),
    path("training/<int:number>/withdraw/", training.withdraw, name="api_example_withdraw"),
    path("rounds/<int:number>/references/", training.references, name="api_references"),
    path("workload/", running.workload, name="api_workload"),
    path("workload/<uuid:person>/leave/", running.leave, name="api_workload_leave"),
    path("plan/", domains.plan, name="api_plan"),
    path("plan/cells/<int:pk>/", domains.cell, name="api_plan_cell"),
    path("inspect/", inspection.inspections, name="api_inspections"),
    path("inspect/<int:pk>/", inspection.inspection, name="api_inspection"),
    path("inspect/figures/", inspection.figures, name="api_inspection_figures"),
    path("inspect/checklist/", inspection.checklist, name="api_checklist"),
    path("inspect/retraining/", inspection.limit, name="api_retraining_limit"),
    path("inspect/retraining/<uuid:person>/", inspection.settle, name="api_retraining_settle"),
    path("search/", search.search_api, name="api_search"),
    path("people/", people.people, name="api_people"),
    path("people/<uuid:person>/", people.person, name="api_person"),
    path("people/tokens/", people.tokens, name="api_people_tokens"),
    path("people/password-links/", people.password_links, name="api_password_links"),
    path(
        "people/password-links/<int:pk>/take-back/",
        people.password_link_take_back,
        name="api_password_link_take_back",
    ),
    path("invitations/", people.invitations, name="api_invitations"),
    path("invitations/<int:pk>/revoke/", people.revoke, name="api_invitation_revoke"),
    path("audit/", home.audit, name="api_audit"),
    path("audit/seal/", home.seal, name="api_audit_seal"),
    path("settings/", home.settings, name="api_settings"),
    path("settings/bank/", home.bank, name="api_settings_bank"),
    path("settings/masks/", home.masks, name="api_settings_masks"),
    path("settings/retention/", home.retention, name="api_settings_retention"),
    path("systems/", systems.systems, name="api_systems"),
    path("systems/<int:pk>/", systems.system, name="api_system"),
    path("systems/<int:pk>/releases/", systems.releases, name="api_system_releases"),
    path("systems/<int:pk>/releases/<int:release>/", systems.release, name="api_system_release"),
    path("rubrics/", rubrics.rubrics, name="api_rubrics"),
    path("rubric-copies/", rubrics.copies, name="api_rubric_copies"),
    path("rubrics/examples/", rubrics.rubric_examples, name="api_rubric_examples"),
    path("rubrics/<slug:key>/<int:number>/", rubrics.rubric, name="api_rubric"),
    path("rubrics/<slug:key>/", rubrics.versions, name="api_rubric_versions"),
    path("rounds/", rounds.rounds, name="api_rounds"),
    path("rounds/<int:number>/", rounds.round_, name="api_round"),
    path("rounds/<int:number>/prepare/", running.prepare, name="api_round_prepare"),
    path("rounds/<int:number>/open/", running.open_, name="api_round_open"),
    path("rounds/<int:number>/withdraw/", running.withdraw, name="api_round_withdraw"),
    path("rounds/<int:number>/pause/", running.pause, name="api_round_pause"),
    path("rounds/<int:number>/resume/", running.resume, name="api_round_resume"),
    path("rounds/<int:number>/prolong/", running.prolong, name="api_round_prolong"),
    path("rounds/<int:number>/close/", running.close, name="api_round_close"),
    path("rounds/<int:number>/finish/", running.finish, name="api_round_finish"),
    path("rounds/<int:number>/copy/", running.copy, name="api_round_copy"),
    path("rounds/<int:number>/discard/", running.discard, name="api_round_discard"),
    path("rounds/<int:number>/identity/", running.identity, name="api_round_identity"),
    path("rounds/<int:number>/identity/places/", running.places, name="api_round_identity_places"),
    path("rounds/<int:number>/seats/", running.seats, name="api_round_seats"),
    path("rounds/<int:number>/seats/<int:seat>/release/", running.release, name="api_seat_release"),
    path("rounds/<int:number>/items/<int:place>/seats/", running.add_seat, name="api_seat_add"),
    path("rounds/<int:number>/flags/", running.flags, name="api_round_flags"),
    path("rounds/<int:number>/draw/", rounds.draw, name="api_draw"),
    path("rounds/<int:number>/manifest/", rounds.manifest, name="api_manifest"),
]

urlpatterns = [
    path("", home.index, name="api_index"),
    path("openapi.json", people.openapi, name="api_openapi"),
    path("me/", home.me, name="api_me"),
    path("projects/", home.projects, name="api_projects"),
    path("projects/<slug:project>/", include(PROJECT)),
]
