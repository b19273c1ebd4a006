"""Projects, people, the bank and everything around it."""

from django.utils import timezone

from annotation.people import access as passwords
from annotation.people import permissions
from annotation.people.models import Role
from tests.doors.row import (
    ACTORS,
    CURATORS,
    DESIGNERS,
    EVERYBODY,
    INSPECTORS,
    OWNERS,
    READERS,
    UNBLINDED,
    Row,
    for_all,
    for_starters,
    row,
)

PAGES: dict[str, Row] = {
    # Everybody
    "login": Row(
        public=True,
        done=frozenset({200}),
        own={(actor, method): {302} for actor in ACTORS[1:] for method in ("GET", "POST")},
    ),
    # No worker is there while tests run.
    "healthz": Row(public=True, got=frozenset({503})),
    "logout": for_all(got=[], done=[302]),
    # Without a language it is said which there are, where one was.
    "language": Row(public=True, got=frozenset(), done=frozenset({302})),
    "home": for_all(got=[302]),
    "projects": for_all(),
    "project_new": for_starters(done=[422]),
    "account": for_all(done=[422]),
    # Everybody here has set their own already.
    "own_password": for_all(got=[302], done=[302]),
    "account_devices": for_all(got=[], done=[302]),
    "account_erase": for_all(done=[422]),
    "account_tokens": for_all(done=[422]),
    "account_tokens_revoke": for_all(got=[], done=[302]),
    # Nobody has a token yet.
    "account_token_revoke": Row(
        got=frozenset(), done=frozenset({404}), kwargs=lambda world: {"pk": 1}, for_all=True
    ),
    "preferences": for_all(),
    "help": for_all(),
    "help_page": Row(for_all=True, kwargs=lambda world: {"slug": "annotator"}),
    "password_forgotten": Row(public=True, done=frozenset({422})),
    # Of somebody who does not sign in meanwhile: that would end the link.
    "password_link": Row(
        public=True,
        done=frozenset({422}),
        kwargs=lambda world: {
            "person": world.submitted.author.public_id,
            "token": passwords.make_link(user=world.submitted.author, now=timezone.now()),
        },
    ),
    # A project
    "project_home": row(EVERYBODY, own={(Role.ANNOTATOR, "GET"): {302}}),
    "first_steps": row(EVERYBODY, EVERYBODY, done=[302]),
    # A step of those who grade.
    "first_step": row(
        EVERYBODY,
        EVERYBODY,
        got=[],
        done=[404],
        own={(Role.ANNOTATOR, "POST"): {302}},
        step=lambda world: "keys",
    ),
    "search": row(EVERYBODY),
    "search_json": row(EVERYBODY),
    "project_settings": row(OWNERS, OWNERS),
    # What the link is signed for decides (tests/evalsite/test_pictures.py); without it there is nothing.
    "picture": row(EVERYBODY, got=[404]),
    "settings_rules": row(CURATORS),
    "settings_bank": row(CURATORS, CURATORS),
    # Empty fields are none: nothing is looked for beside what always is, nothing goes.
    "settings_masks": row(CURATORS, CURATORS, done=[302]),
    "settings_retention": row(OWNERS, OWNERS, done=[302]),
    "settings_disputes": row(CURATORS, CURATORS),
    "settings_reviews": row(CURATORS, CURATORS),
    "settings_verdicts": row(CURATORS, CURATORS),
    # People
    "people": row(OWNERS),
    "person_add": row(OWNERS, OWNERS),
    "person_new": row(OWNERS, OWNERS),
    "invitations": row(OWNERS, OWNERS),
    "password_link_take_back": row(
        OWNERS, OWNERS, got=[], done=[302], pk=lambda world: world.password_link.pk
    ),
    "invitation_revoke": row(
        OWNERS, OWNERS, got=[], done=[302], pk=lambda world: world.invitation[0].pk
    ),
    # The world has accounts: the link works no more.
    "set_up": Row(
        public=True,
        got=frozenset({404}),
        done=frozenset({404}),
        kwargs=lambda world: {"token": "none"},
    ),
    "join": Row(
        public=True,
        done=frozenset({422}),
        kwargs=lambda world: {"token": world.invitation[1]},
        own={(actor, "POST"): {302} for actor in ACTORS[1:]},
    ),
    "person_erase": row(OWNERS, OWNERS, person=lambda world: world.people["ANALYST"].public_id),
    "workload": row(OWNERS),
    "workload_times": row(OWNERS),
    "workload_leave": row(OWNERS, OWNERS, person=lambda world: world.people["ANNOTATOR"].public_id),
    "person": row(
        OWNERS, OWNERS, done=[302], person=lambda world: world.people["ANALYST"].public_id
    ),
    # What is evaluated
    "capabilities": row(READERS),
    "capability_new": row(CURATORS, CURATORS),
    "capability": row(READERS, CURATORS, pk=lambda world: world.capability.pk),
    "capability_remove": row(
        READERS, CURATORS, got=[], done=[302], pk=lambda world: world.capability.pk
    ),
    "capability_move": row(
        READERS, CURATORS, got=[], done=[302], pk=lambda world: world.capability.pk
    ),
    "capability_help": row(READERS),
    "domains": row(READERS),
    "domains_picture": row(READERS),
    "domain_move": row(READERS, CURATORS, got=[], done=[302], pk=lambda world: world.domain.pk),
    "plan": row(READERS, CURATORS, done=[302]),
    "plan_gaps_csv": row(READERS),
    "plan_cell": row(READERS, CURATORS, pk=lambda world: world.plan_cell.pk),
    "plan_release": row(
        READERS, CURATORS, got=[], done=[302], pk=lambda world: world.plan_share.pk
    ),
    "domain_new": row(CURATORS, CURATORS),
    "domain": row(CURATORS, CURATORS, pk=lambda world: world.domain.pk),
    "domain_remove": row(READERS, CURATORS, got=[], done=[302], pk=lambda world: world.domain.pk),
    "items_adopt": row(READERS, DESIGNERS, got=[]),
    "item": row(READERS, pk=lambda world: world.item.pk),
    "questions": row(READERS),
    "questions_csv": row(READERS),
    "questions_jsonl": row(READERS),
    "question_new": row(DESIGNERS, DESIGNERS, done=[302]),
    "question_looks": row(permissions.BANK),
    "question_board": row(READERS),
    "question_move": row(
        READERS,
        permissions.BANK,
        got=[],
        done=[302],
        pk=lambda world: world.submitted.question_id,
    ),
    "list_columns": row(READERS, READERS, got=[], done=[302]),
    "saved_filters": row(READERS, READERS),
    "saved_filter": row(READERS, READERS, got=[], pk=lambda world: world.saved_filter.pk),
    "bank_files": row(CURATORS, CURATORS, done=[422]),
    "bank_export": row(CURATORS, CURATORS, got=[], done=[302]),
    "bank_file": row(CURATORS, number=lambda world: world.bank_file.number),
    "bank_file_confirm": row(
        CURATORS, CURATORS, got=[], done=[302], number=lambda world: world.bank_file.number
    ),
    "bank_file_delete": row(
        CURATORS, CURATORS, got=[], done=[302], number=lambda world: world.bank_file.number
    ),
    "bank_file_zip": row(CURATORS, number=lambda world: world.bank_file.number),
    "bulk_edits": row(DESIGNERS),
    "bulk_edit_new": row(DESIGNERS, DESIGNERS),
    "bulk_edit": row(DESIGNERS, number=lambda world: world.bulk_edit.number),
    "bulk_edit_start": row(
        DESIGNERS, DESIGNERS, got=[], done=[302], number=lambda world: world.bulk_edit.number
    ),
    "bulk_edit_drop": row(
        DESIGNERS, DESIGNERS, got=[], done=[302], number=lambda world: world.bulk_edit.number
    ),
    "question": row(READERS, permissions.BANK, pk=lambda world: world.submitted.question_id),
    "question_edit": row(
        DESIGNERS,
        DESIGNERS,
        got=[302],
        done=[302],
        pk=lambda world: world.submitted.question_id,
    ),
    "question_draft": row(
        DESIGNERS, DESIGNERS, got=[], done=[409], pk=lambda world: world.submitted.question_id
    ),
    "sources": row(READERS),
    "source_new": row(permissions.BANK, permissions.BANK),
    "source": row(READERS, permissions.BANK, done=[302], pk=lambda world: world.source.pk),
    "source_collections": row(CURATORS, CURATORS),
    "source_collection": row(CURATORS, CURATORS, pk=lambda world: world.collection.pk),
    "question_hints": row(DESIGNERS, DESIGNERS, got=[], done=[200]),
    # Inspection
    "inspections": row(INSPECTORS),
    "inspection": row(INSPECTORS, INSPECTORS, pk=lambda world: world.submitted.pk),
    "inspection_figures": row(permissions.BANK),
    "inspection_figures_csv": row(permissions.BANK),
    "retraining_limit": row(permissions.BANK, CURATORS, got=[]),
    "retraining_settle": row(
        CURATORS, CURATORS, person=lambda world: world.people["DESIGNER"].public_id
    ),
    # An empty checklist is none.
    "checklist": row(INSPECTORS, CURATORS),
    "systems": row(UNBLINDED),
    "releases_csv": row(UNBLINDED),
    "system_new": row(CURATORS, CURATORS),
    "system": row(UNBLINDED, CURATORS, pk=lambda world: world.release.system.pk),
    "release_new": row(CURATORS, CURATORS, pk=lambda world: world.release.system.pk),
    "release": row(UNBLINDED, CURATORS, pk=lambda world: world.release.pk),
    "connection": row(UNBLINDED, CURATORS, pk=lambda world: world.release.pk),
    # Nothing answers as it: back to the page that says so.
    "connection_end": row(
        UNBLINDED, CURATORS, got=[], done=[302], pk=lambda world: world.release.pk
    ),
    # What to grade by
    "rubrics": row(READERS),
    "rubric_new": row(CURATORS, CURATORS),
    "rubric_copy": row(CURATORS, CURATORS),
    "rubric_examples": row(READERS, CURATORS, got=[], done=[302]),
    "rubric": row(READERS, key=lambda world: world.rubric_version.rubric.key),
    "rubric_edit": row(CURATORS, CURATORS, key=lambda world: world.rubric_version.rubric.key),
    "rubric_version": row(
        READERS, key=lambda world: world.rubric_version.rubric.key, number=lambda world: 1
    ),
    # What was done
    "audit": row(OWNERS),
    "audit_jsonl": row(OWNERS),
}
