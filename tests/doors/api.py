"""The API."""

from annotation.people import permissions
from annotation.people.models import Role
from tests.doors.reference import DOCUMENT
from tests.doors.results import of_fusion, of_task, of_tuning
from tests.doors.rounds import ROUNDS_API, of_draft, of_open
from tests.doors.row import (
    CURATORS,
    DESIGNERS,
    INSPECTORS,
    OWNERS,
    READERS,
    UNBLINDED,
    Row,
    for_all,
    for_starters,
    row,
)
from tests.doors.runs import of_accuracy, of_interviews, of_pairs, of_run
from tests.doors.suites import SUITES_API
from tests.doors.training import learned, opened_trial

API: dict[str, Row] = {
    **SUITES_API,
    **DOCUMENT,
    "api_runs": row(UNBLINDED, CURATORS, done=[400]),
    "api_run": of_run(),
    "api_run_steps": of_run(),
    "api_run_calls": of_run(),
    "api_run_steps_csv": of_run(),
    "api_run_calls_csv": of_run(),
    "api_run_jsonl": of_run(),
    "api_runs_compare": row(
        UNBLINDED, before=lambda world: world.run.number, after=lambda world: world.run.number
    ),
    "api_run_budget": of_run(CURATORS, got=[], done=[400]),
    # It works, and nothing of it failed.
    "api_run_pause": of_run(CURATORS, got=[], done=[200]),
    "api_run_resume": of_run(CURATORS, got=[], done=[409]),
    "api_run_cancel": of_run(CURATORS, got=[], done=[200]),
    "api_run_retry": of_run(CURATORS, got=[], done=[409]),
    # What an empty request names is nothing.
    "api_connection": row(UNBLINDED, CURATORS, done=[400], pk=lambda world: world.release.pk),
    "api_answers": row(CURATORS, CURATORS, done=[400]),
    "api_run_publish": row(UNBLINDED, CURATORS, done=[400], number=lambda world: world.run.number),
    "api_results": of_open(UNBLINDED, got=[202]),
    "api_breakdown": of_open(UNBLINDED, got=[202]),
    "api_comments": of_open(UNBLINDED),
    "api_graded_items": of_open(UNBLINDED),
    "api_report_links": of_open(OWNERS, OWNERS, done=[400]),
    "api_report_link_revoke": of_open(OWNERS, OWNERS, got=[], done=[404], pk=lambda world: 1),
    "api_results_csv": of_open(UNBLINDED, got=[202]),
    "api_breakdown_csv": of_open(UNBLINDED, got=[202]),
    "api_graded_items_csv": of_open(UNBLINDED),
    "api_round_names": of_open(UNBLINDED, UNBLINDED, done=[200]),
    "api_round_figures_again": of_open(UNBLINDED, UNBLINDED, got=[], done=[200]),
    "api_run_figures_again": of_run(UNBLINDED, got=[], done=[200]),
    "api_agreement": of_open(UNBLINDED, got=[202]),
    "api_disputes": of_open(UNBLINDED, got=[202]),
    "api_review": of_open(UNBLINDED, got=[202]),
    "api_decisions": of_open(UNBLINDED, CURATORS, done=[400]),
    "api_review_question": of_open(UNBLINDED, place=lambda world: 1),
    # There is no decision yet.
    "api_decision_confirm": of_open(UNBLINDED, CURATORS, got=[], done=[404], pk=lambda world: 1),
    "api_annotators": of_open(UNBLINDED, got=[202]),
    "api_signals": of_open(UNBLINDED, got=[202]),
    "api_round_model": of_open(UNBLINDED, got=[202]),
    "api_round_whole": of_open(UNBLINDED, got=[202]),
    "api_round_plan": of_open(UNBLINDED, got=[202]),
    # The round is one of grades.
    "api_preferences": of_open(UNBLINDED, got=[409]),
    "api_beside": of_open(UNBLINDED, got=[409]),
    # Whoever may see it is told that nothing was both graded and scored.
    "api_judges": row(UNBLINDED, CURATORS, done=[400]),
    "api_round_judge": of_open(CURATORS, CURATORS, done=[400]),
    "api_metrics": row(CURATORS, CURATORS, done=[400]),
    "api_assistants": row(UNBLINDED, CURATORS, done=[400]),
    "api_assist": row(CURATORS, CURATORS, got=[], done=[400]),
    "api_run_assistant": row(UNBLINDED, number=lambda world: world.assistant_run.number),
    "api_draftings": row(DESIGNERS, DESIGNERS, done=[400]),
    "api_drafting": row(
        {Role.DESIGNER},
        {Role.DESIGNER},
        done=[400],
        own={(role, "POST"): {404} for role in (Role.OWNER, Role.CURATOR)},
        number=lambda world: world.drafting.run.number,
    ),
    "api_interviews": row(CURATORS, CURATORS, done=[400]),
    "api_fusion_tasks": row(UNBLINDED, CURATORS, done=[400]),
    "api_fusion_task": of_task(UNBLINDED, CURATORS, done=[400]),
    "api_fusion_assistants": of_task(UNBLINDED, CURATORS, done=[400]),
    "api_fusion_plans": of_task(UNBLINDED, CURATORS, done=[400]),
    "api_fusion_plan_write": of_task(UNBLINDED, CURATORS, got=[], done=[400]),
    "api_fusion_runs": of_task(UNBLINDED, CURATORS, got=[], done=[400]),
    "api_fusion_combine": of_task(UNBLINDED, CURATORS, got=[], done=[400]),
    "api_tunings": row(UNBLINDED, CURATORS, done=[400]),
    "api_tuning": of_tuning(UNBLINDED),
    "api_tuning_versions": of_tuning(UNBLINDED, CURATORS, got=[], done=[400]),
    # No figure is there yet.
    "api_tuning_cases": of_tuning(UNBLINDED, CURATORS, got=[409], done=[400]),
    "api_tuning_measure": of_tuning(UNBLINDED, CURATORS, got=[], done=[400]),
    "api_tuning_again": of_tuning(UNBLINDED, CURATORS, got=[], done=[400]),
    "api_run_fusion": of_fusion(),
    "api_run_interviews": of_interviews(got=[202]),
    "api_losses": row(CURATORS, CURATORS, got=[], done=[400]),
    "api_run_losses": row(UNBLINDED, got=[202], number=lambda world: world.losses.number),
    "api_run_contamination": of_interviews(got=[202]),
    "api_pairs": row(CURATORS, CURATORS, got=[], done=[400]),
    "api_run_pairs": of_pairs(got=[202]),
    "api_accuracy": row(CURATORS, CURATORS, done=[400]),
    "api_run_accuracy": of_accuracy(got=[202]),
    "api_run_dialogues": of_interviews(),
    "api_run_dialogues_zip": of_interviews(),
    "api_imports": row(CURATORS),
    "api_import": row(CURATORS, CURATORS, done=[400], number=lambda world: world.batch.number),
    **{
        f"api_import_template_{form}": row(CURATORS, kind=lambda _world: "answers")
        for form in ("csv", "xlsx", "jsonl")
    },
    "api_import_file": row(CURATORS, number=lambda world: world.waiting_file.number),
    "api_import_answers": row(CURATORS, CURATORS, got=[], done=[400]),
    "api_import_grades": row(CURATORS, CURATORS, got=[], done=[400]),
    "api_import_pairs": row(CURATORS, CURATORS, got=[], done=[400]),
    "api_import_scores": row(CURATORS, CURATORS, got=[], done=[400]),
    "api_import_questions": row(CURATORS, CURATORS, got=[], done=[400]),
    "api_import_choices": row(CURATORS, CURATORS, got=[], done=[400]),
    "api_import_figures": row(CURATORS, CURATORS, got=[], done=[400]),
    "api_interviews_import": row(CURATORS, CURATORS, got=[], done=[400]),
    "api_run_evaluators": of_interviews(got=[202]),
    "api_run_judge_again": row(
        CURATORS,
        CURATORS,
        got=[],
        done=[400],
        number=lambda world: world.dialogue.run.number,
    ),
    "api_run_metrics": row(UNBLINDED, number=lambda world: world.metrics_run.number),
    "api_endpoints": row(UNBLINDED, OWNERS, done=[400]),
    "api_endpoint_scripted": row(UNBLINDED, OWNERS, got=[], done=[201]),
    "api_endpoint": row(UNBLINDED, OWNERS, done=[200], pk=lambda world: world.endpoint.pk),
    "api_endpoint_key": row(
        UNBLINDED, OWNERS, got=[], done=[200], pk=lambda world: world.endpoint.pk
    ),
    "api_endpoint_test": row(UNBLINDED, CURATORS, done=[202], pk=lambda world: world.endpoint.pk),
    "api_endpoint_retire": row(
        UNBLINDED, OWNERS, got=[], done=[200], pk=lambda world: world.endpoint.pk
    ),
    "api_judges_people": row(UNBLINDED, got=[409]),
    "api_judges_people_csv": row(UNBLINDED, got=[409], table=lambda world: "coefficients"),
    "api_judges_people_svg": row(UNBLINDED, got=[409], plot=lambda world: "judges"),
    "api_judges_pairs": row(UNBLINDED, got=[409]),
    "api_judges_together": row(UNBLINDED, got=[409]),
    "api_judges_fewer": row(UNBLINDED, got=[409]),
    "api_judge_people": row(UNBLINDED, got=[409], judge=lambda world: world.machine.rater_id),
    "api_judge_apart": row(UNBLINDED, got=[409], judge=lambda world: world.machine.rater_id),
    "api_judge_people_csv": row(
        UNBLINDED,
        got=[409],
        judge=lambda world: world.machine.rater_id,
        table=lambda world: "levels",
    ),
    "api_judge_people_svg": row(
        UNBLINDED, got=[409], judge=lambda world: world.machine.rater_id, plot=lambda world: "cloud"
    ),
    # Whoever may see it is told that there are not two rounds.
    "api_trend": row(UNBLINDED, got=[409]),
    "api_trend_csv": row(UNBLINDED, got=[409]),
    # Whoever may see it is told that there is no such pair of rounds.
    "api_movement": row(
        UNBLINDED, got=[404], before=lambda world: 1, after=lambda world: 1, system=lambda world: 1
    ),
    "api_movement_pairs": row(
        UNBLINDED,
        CURATORS,
        got=[404],
        done=[404],
        before=lambda world: 1,
        after=lambda world: 1,
        system=lambda world: 1,
    ),
    **{
        f"api_movement_{form}": row(
            UNBLINDED,
            got=[404],
            before=lambda world: 1,
            after=lambda world: 1,
            system=lambda world: 1,
        )
        for form in ("csv", "tags_csv", "svg")
    },
    "api_report": of_open(UNBLINDED, got=[202]),
    # The round is not final.
    "api_study": of_open(UNBLINDED, got=[409]),
    "api_study_md": of_open(UNBLINDED, got=[409]),
    "api_study_bundle": of_open(UNBLINDED, got=[409]),
    "api_study_answers": of_open(CURATORS, CURATORS, done=[400]),
    "api_settings_study": row(CURATORS, CURATORS, done=[400]),
    "api_report_csv": of_open(UNBLINDED, got=[202]),
    "api_sheet": of_open(UNBLINDED, got=[202], table=lambda world: "agreement"),
    "api_picture": of_open(UNBLINDED, got=[202], plot=lambda world: "agreement"),
    "api_grades_csv": of_open(UNBLINDED),
    # The round is not final.
    "api_datasets": of_open(UNBLINDED, got=[409]),
    "api_datasets_zip": of_open(UNBLINDED, got=[409]),
    "api_preferences_csv": of_open(UNBLINDED, got=[409]),
    "api_ratings_csv": of_open(UNBLINDED),
    "api_ratings_jsonl": of_open(UNBLINDED),
    "api_grades_jsonl": of_open(UNBLINDED),
    "api_table_csv": of_open(UNBLINDED),
    **ROUNDS_API,
    "api_draw": of_draft(UNBLINDED, CURATORS, done=[200]),
    "api_manifest": of_open(UNBLINDED),
    "api_index": for_all(),
    "api_me": for_all(),
    "api_projects": for_starters(done=[400]),
    # What is left out stays as it is.
    "api_about": row(OWNERS, OWNERS, done=[200]),
    "api_items": row(READERS),
    "api_item": row(READERS, pk=lambda world: world.item.pk),
    "api_questions": row(READERS, DESIGNERS, done=[201]),
    "api_question": row(
        READERS, permissions.BANK, done=[400], pk=lambda world: world.submitted.question_id
    ),
    "api_question_draft": row(
        READERS, DESIGNERS, got=[], done=[409], pk=lambda world: world.submitted.question_id
    ),
    "api_question_comments": row(
        READERS, permissions.BANK, done=[400], pk=lambda world: world.submitted.question_id
    ),
    # An empty one has no name.
    "api_saved_filters": row(READERS, READERS),
    # An empty POST changes nothing; only owners and curators may change what is shared.
    "api_saved_filter": row(
        READERS,
        READERS,
        done=[200],
        pk=lambda world: world.saved_filter.pk,
        own={(role, "POST"): {403} for role in (Role.DESIGNER, Role.INSPECTOR, Role.ANALYST)},
    ),
    "api_bank_files": row(CURATORS, CURATORS, done=[202]),
    "api_bank_file": row(
        CURATORS, CURATORS, done=[409], number=lambda world: world.bank_file.number
    ),
    "api_bank_file_zip": row(CURATORS, number=lambda world: world.bank_file.number),
    "api_bulk_edits": row(DESIGNERS, DESIGNERS, done=[400]),
    "api_bulk_edit": row(
        DESIGNERS, DESIGNERS, done=[400], number=lambda world: world.bulk_edit.number
    ),
    "api_sources": row(READERS, permissions.BANK, done=[400]),
    "api_source": row(READERS, permissions.BANK, done=[200], pk=lambda world: world.source.pk),
    "api_source_edits": row(
        READERS, permissions.BANK, done=[200], pk=lambda world: world.source.pk
    ),
    "api_checks": row(READERS, INSPECTORS, done=[400], pk=lambda world: world.source.pk),
    "api_reading": row(permissions.BANK, permissions.BANK, got=[], done=[400, 415]),
    "api_source_collections": row(CURATORS, CURATORS, done=[400]),
    "api_source_collection": row(
        CURATORS, CURATORS, done=[400], pk=lambda world: world.collection.pk
    ),
    "api_inspections": row(INSPECTORS),
    "api_inspection": row(
        INSPECTORS, INSPECTORS, done=[400, 422], pk=lambda world: world.submitted.pk
    ),
    "api_domains": row(READERS, CURATORS, done=[400]),
    "api_domain": row(READERS, CURATORS, done=[200], pk=lambda world: world.domain.pk),
    "api_capabilities": row(READERS, CURATORS, done=[400]),
    "api_capability": row(READERS, CURATORS, done=[200], pk=lambda world: world.capability.pk),
    "api_domain_remove": row(
        READERS, CURATORS, got=[], done=[204], pk=lambda world: world.domain.pk
    ),
    "api_capability_remove": row(
        READERS, CURATORS, got=[], done=[204], pk=lambda world: world.capability.pk
    ),
    "api_trials": row(UNBLINDED, CURATORS, got=[], done=[400]),
    "api_pool": row(CURATORS),
    "api_pool_person": row(
        CURATORS,
        CURATORS,
        done=[400],
        person=lambda world: world.people[Role.ANNOTATOR].public_id,
    ),
    "api_pool_rules": row(CURATORS, CURATORS, done=[400]),
    "api_trial": row(CURATORS, CURATORS, got=[202], done=[400], number=opened_trial),
    "api_examples": row(CURATORS, CURATORS, done=[400]),
    "api_examples_adopt": row(CURATORS, CURATORS, got=[], done=[400]),
    "api_example": row(CURATORS, CURATORS, done=[400], number=learned),
    "api_example_withdraw": row(CURATORS, CURATORS, got=[], done=[200], number=learned),
    "api_references": of_draft(CURATORS, CURATORS, done=[400]),
    "api_workload": row(OWNERS),
    "api_workload_leave": row(
        OWNERS,
        OWNERS,
        got=[],
        done=[400],
        person=lambda world: world.people[Role.ANNOTATOR].public_id,
    ),
    "api_rubric_examples": row(READERS, CURATORS, done=[200]),
    "api_plan": row(READERS, CURATORS, done=[400]),
    "api_plan_cell": row(READERS, CURATORS, done=[400], pk=lambda world: world.plan_cell.pk),
    "api_inspection_figures": row(permissions.BANK),
    "api_checklist": row(INSPECTORS, CURATORS, done=[400]),
    "api_retraining_limit": row(CURATORS, CURATORS, got=[], done=[400]),
    "api_retraining_settle": row(
        CURATORS,
        CURATORS,
        got=[],
        done=[400],
        person=lambda world: world.people[Role.DESIGNER].public_id,
    ),
    "api_search": row(READERS),
    "api_people": row(OWNERS, OWNERS, done=[400]),
    "api_person": row(
        OWNERS, OWNERS, done=[400], person=lambda world: world.people["ANALYST"].public_id
    ),
    "api_people_tokens": row(OWNERS),
    "api_password_links": row(OWNERS),
    "api_password_link_take_back": row(
        OWNERS, OWNERS, got=[], done=[200], pk=lambda world: world.password_link.pk
    ),
    "api_invitations": row(OWNERS, OWNERS, done=[400]),
    "api_invitation_revoke": row(
        OWNERS, OWNERS, got=[], done=[200], pk=lambda world: world.invitation[0].pk
    ),
    "api_audit": row(OWNERS),
    "api_audit_seal": row(OWNERS),
    "api_settings": row(CURATORS),
    "api_settings_bank": row(CURATORS, CURATORS, got=[], done=[400]),
    "api_settings_masks": row(CURATORS, CURATORS, got=[], done=[400]),
    "api_settings_retention": row(OWNERS, OWNERS, got=[], done=[400]),
    "api_settings_disputes": row(CURATORS, CURATORS, done=[400]),
    # An empty request changes nothing.
    "api_settings_reviews": row(CURATORS, CURATORS, done=[200]),
    "api_settings_verdicts": row(CURATORS, CURATORS, done=[400]),
    "api_systems": row(UNBLINDED, CURATORS, done=[400]),
    # An empty request changes nothing.
    "api_system": row(UNBLINDED, CURATORS, done=[200], pk=lambda world: world.release.system_id),
    "api_system_releases": row(
        UNBLINDED, CURATORS, got=[], done=[400], pk=lambda world: world.release.system_id
    ),
    "api_system_release": row(
        UNBLINDED,
        CURATORS,
        got=[],
        done=[200],
        pk=lambda world: world.release.system_id,
        release=lambda world: world.release.pk,
    ),
    "api_rubrics": row(READERS, CURATORS, done=[400]),
    "api_rubric_copies": row(READERS, CURATORS, got=[], done=[400]),
    "api_rubric_versions": row(
        READERS, CURATORS, done=[400], key=lambda world: world.rubric_version.rubric.key
    ),
    "api_rubric": row(
        READERS, key=lambda world: world.rubric_version.rubric.key, number=lambda world: 1
    ),
}
