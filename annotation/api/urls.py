"""Addresses of the API, below /api/v1/."""

from django.urls import path

from annotation.api import (
    bank_files,
    bank_lists,
    draws,
    file_imports,
    inspections,
    plan,
    qualifications,
    questions,
    reads,
    rounds,
    rubric_examples,
    source_collections,
    sources,
    taxonomy,
    training,
    workload,
)

urlpatterns = [
    path("", reads.index, name="api_index"),
    path("me/", reads.me, name="api_me"),
    path("projects/", reads.projects, name="api_projects"),
    path("projects/<slug:project>/items/", reads.items, name="api_items"),
    path("projects/<slug:project>/items/<int:pk>/", reads.item, name="api_item"),
    path(
        "projects/<slug:project>/imports/choices/",
        file_imports.choices,
        name="api_import_choices",
    ),
    path(
        "projects/<slug:project>/imports/figures/",
        file_imports.figures,
        name="api_import_figures",
    ),
    path("projects/<slug:project>/domains/", taxonomy.domains, name="api_domains"),
    path("projects/<slug:project>/domains/<int:pk>/", taxonomy.domain, name="api_domain"),
    path("projects/<slug:project>/capabilities/", taxonomy.capabilities, name="api_capabilities"),
    path(
        "projects/<slug:project>/capabilities/<int:pk>/",
        taxonomy.capability,
        name="api_capability",
    ),
    path("projects/<slug:project>/questions/", questions.questions, name="api_questions"),
    path("projects/<slug:project>/questions/<int:pk>/", questions.question, name="api_question"),
    path(
        "projects/<slug:project>/questions/<int:pk>/draft/",
        questions.draft,
        name="api_question_draft",
    ),
    path(
        "projects/<slug:project>/questions/<int:pk>/comments/",
        questions.comments,
        name="api_question_comments",
    ),
    path(
        "projects/<slug:project>/saved-filters/",
        bank_lists.saved_filters,
        name="api_saved_filters",
    ),
    path(
        "projects/<slug:project>/saved-filters/<int:pk>/",
        bank_lists.saved_filter,
        name="api_saved_filter",
    ),
    path("projects/<slug:project>/bank-files/", bank_files.bank_files, name="api_bank_files"),
    path(
        "projects/<slug:project>/bank-files/<int:number>/",
        bank_files.bank_file,
        name="api_bank_file",
    ),
    path("projects/<slug:project>/bulk-edits/", bank_lists.edits, name="api_bulk_edits"),
    path(
        "projects/<slug:project>/bulk-edits/<int:number>/",
        bank_lists.edit,
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
        source_collections.collections,
        name="api_source_collections",
    ),
    path(
        "projects/<slug:project>/source-collections/<int:pk>/",
        source_collections.collection,
        name="api_source_collection",
    ),
    path("projects/<slug:project>/annotators/", qualifications.pool, name="api_pool"),
    path(
        "projects/<slug:project>/annotators/<uuid:person>/",
        qualifications.person,
        name="api_pool_person",
    ),
    path("projects/<slug:project>/annotators/rules/", qualifications.rules, name="api_pool_rules"),
    path("projects/<slug:project>/training/", training.examples, name="api_examples"),
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
    path("projects/<slug:project>/workload/", workload.workload, name="api_workload"),
    path(
        "projects/<slug:project>/workload/<uuid:person>/leave/",
        workload.leave,
        name="api_workload_leave",
    ),
    path("projects/<slug:project>/plan/", plan.plan, name="api_plan"),
    path("projects/<slug:project>/plan/cells/<int:pk>/", plan.cell, name="api_plan_cell"),
    path("projects/<slug:project>/inspect/", inspections.inspections, name="api_inspections"),
    path(
        "projects/<slug:project>/inspect/<int:pk>/", inspections.inspection, name="api_inspection"
    ),
    path(
        "projects/<slug:project>/inspect/figures/",
        inspections.figures,
        name="api_inspection_figures",
    ),
    path("projects/<slug:project>/systems/", reads.systems, name="api_systems"),
    path("projects/<slug:project>/rubrics/", reads.rubrics, name="api_rubrics"),
    path(
        "projects/<slug:project>/rubrics/examples/",
        rubric_examples.rubric_examples,
        name="api_rubric_examples",
    ),
    path(
        "projects/<slug:project>/rubrics/<slug:key>/<int:number>/",
        reads.rubric,
        name="api_rubric",
    ),
    path("projects/<slug:project>/rounds/", rounds.rounds, name="api_rounds"),
    path("projects/<slug:project>/rounds/<int:number>/", rounds.round_, name="api_round"),
    path("projects/<slug:project>/rounds/<int:number>/draw/", draws.draw, name="api_draw"),
    path(
        "projects/<slug:project>/rounds/<int:number>/manifest/",
        draws.manifest,
        name="api_manifest",
    ),
]
