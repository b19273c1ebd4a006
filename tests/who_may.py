"""Who may pass which door: one row for every route, read by tests/test_who_may.py.

A new route needs a row here, or the test fails. A row says who may look (`see`) and who may change
something (`do`); everything else follows:

* nobody signed in: sent to the login page (pages), 401 (API);
* no member of the project, or a member who may not look: 404, as if it did not exist;
* a member who may look but not change: 403 to a POST;
* a route without `do` answers 405 to every POST, one with `got=[]` 405 to every GET.

POSTs are sent empty, so that most who may are answered with 422.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation import permissions
from annotation.models import Role
from annotation.operations import seating
from tests.who_may_world import ANONYMOUS, STRANGER, World

ROLES = tuple(Role)
ACTORS: tuple[str, ...] = (ANONYMOUS, STRANGER, *ROLES)

EVERYBODY = permissions.EVERYBODY
READERS = permissions.READERS
UNBLINDED = permissions.UNBLINDED
CURATORS = permissions.CURATORS
OWNERS = permissions.OWNERS
ANNOTATORS = permissions.ANNOTATORS
DESIGNERS = permissions.DESIGNERS
INSPECTORS = permissions.INSPECTORS
NOBODY: frozenset[Role] = frozenset()


Kwargs = Callable[[World], Mapping[str, Any]]


@dataclass(frozen=True)
class Row:
    """Who may what at one route."""

    see: Collection[str] = ()
    do: Collection[str] = ()
    got: frozenset[int] = frozenset({200})
    done: frozenset[int] = frozenset()
    kwargs: Kwargs = field(default=lambda world: {})
    #: Anybody who is signed in, in whatever role or none.
    for_all: bool = False
    #: Does not even ask who is there.
    public: bool = False
    #: What is different for one actor and method.
    own: Mapping[tuple[str, str], Collection[int]] = field(default_factory=dict)

    def expected(self, actor: str, method: str, *, api: bool) -> Collection[int]:
        """Return the statuses that are right for this actor and method."""
        if (actor, method) in self.own:
            return self.own[actor, method]
        through, allowed = (self.got, self.see) if method == "GET" else (self.done, self.do)
        if actor == ANONYMOUS and not self.public:
            return {401} if api else {302}
        if not through:
            return {405} if self.for_all or self.public or actor in self.see else {404, 405}
        if self.public or self.for_all or actor in allowed:
            return through
        return {403} if method == "POST" and actor in self.see else {404}


def row(
    see: Collection[str],
    do: Collection[str] = (),
    *,
    got: Collection[int] = (200,),
    done: Collection[int] = (422,),
    own: Mapping[tuple[str, str], Collection[int]] | None = None,
    **kwargs: Callable[[World], Any],
) -> Row:
    """Return the row of a route in a project, whose short name is added to the address.

    Args:
        see: who may know of the route; they get `got` when they look.
        do: who may send something; they get `done`. Nobody: every POST is a 405.
        got: empty for a route that only takes POSTs.
        done: the answer to an empty POST.
        own: exceptions, by actor and method.
        kwargs: the other arguments of the address, each made from the world.
    """

    def arguments(world: World) -> dict[str, Any]:
        made = {name: make_one(world) for name, make_one in kwargs.items()}
        return {"project": world.project.slug, **made}

    sent = frozenset(done) if do else frozenset()
    return Row(see, do, frozenset(got), sent, arguments, own=own or {})


def for_all(got: Collection[int] = (200,), done: Collection[int] = ()) -> Row:
    """Return the row of a page outside projects, for whoever is signed in."""
    return Row(got=frozenset(got), done=frozenset(done), for_all=True)


PAGES: dict[str, Row] = {
    # Everybody
    "login": Row(
        public=True,
        done=frozenset({200}),
        own={(actor, method): {302} for actor in ACTORS[1:] for method in ("GET", "POST")},
    ),
    "logout": for_all(got=[], done=[302]),
    "home": for_all(got=[302]),
    "projects": for_all(),
    "project_new": for_all(done=[422]),
    "account": for_all(done=[422]),
    "preferences": for_all(),
    # A project
    "project_home": row(EVERYBODY, own={(Role.ANNOTATOR, "GET"): {302}}),
    "search": row(EVERYBODY),
    "search_json": row(EVERYBODY),
    "project_settings": row(OWNERS, OWNERS),
    # People
    "people": row(OWNERS),
    "person_add": row(OWNERS, OWNERS),
    "person_new": row(OWNERS, OWNERS),
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
    "items": row(READERS),
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


def of_draft(see: Collection[str], do: Collection[str] = (), **kwargs: Any) -> Row:
    return row(see, do, number=lambda world: world.draft.number, **kwargs)


def of_open(see: Collection[str], do: Collection[str] = (), **kwargs: Any) -> Row:
    return row(see, do, number=lambda world: world.open_round.number, **kwargs)


ROUNDS: dict[str, Row] = {
    "rounds": row(UNBLINDED),
    "round_new": row(CURATORS, CURATORS),
    "round": of_open(UNBLINDED),
    "round_standing": of_open(UNBLINDED),
    "round_systems": of_draft(CURATORS, CURATORS),
    "round_draw": of_draft(CURATORS, CURATORS, done=[302]),
    "round_draw_count": of_draft(CURATORS, CURATORS, done=[200]),
    # Nobody wrote any of it; and only an owner may say so.
    "round_own": of_draft(CURATORS, CURATORS, got=[], done=[403, 409]),
    "round_collect": of_draft(CURATORS, CURATORS),
    "round_collect_sheet": of_draft(CURATORS, form=lambda world: "csv"),
    "round_answers": of_draft(CURATORS, CURATORS),
    "answers": row(CURATORS, CURATORS),
    "collect": row(CURATORS, CURATORS),
    "collect_sheet": row(CURATORS, form=lambda world: "xlsx"),
    "round_manifest": of_open(UNBLINDED),
    "round_manifest_file": of_open(UNBLINDED),
    "round_rubrics": of_draft(CURATORS, CURATORS, done=[302]),
    "round_annotators": of_draft(CURATORS, CURATORS, done=[302]),
    "round_settings": of_draft(CURATORS, CURATORS),
    "round_prepare": of_draft(UNBLINDED, CURATORS, got=[], done=[302]),
    # An empty request decides about a place that does not exist.
    "round_identity": of_draft(UNBLINDED, CURATORS, done=[404]),
    "round_preview": of_draft(UNBLINDED, place=lambda world: 1),
    "round_open": of_draft(UNBLINDED, CURATORS, got=[], done=[302]),
    "round_pause": of_open(UNBLINDED, CURATORS, got=[], done=[302]),
    # It was not paused.
    "round_resume": of_open(UNBLINDED, CURATORS, got=[], done=[409]),
    # An empty time is none.
    "round_prolong": of_open(CURATORS, CURATORS, done=[302]),
    # It is not being opened.
    "round_withdraw": of_open(UNBLINDED, CURATORS, got=[], done=[409]),
    "round_close": of_open(CURATORS, CURATORS, done=[302]),
    # A round is finished from its review only.
    "round_finish": of_open(CURATORS, CURATORS, done=[409]),
    "round_seats": of_open(UNBLINDED),
    "round_flags": of_open(UNBLINDED, CURATORS),
    "seat_release": of_open(CURATORS, CURATORS, seat=lambda world: world.seat.ordinal + 1),
    "seat_add": of_open(CURATORS, CURATORS, place=lambda world: 1),
}


def of_upload(**kwargs: Any) -> Row:
    return row(CURATORS, number=lambda world: world.upload.number, **kwargs)


def of_batch(**kwargs: Any) -> Row:
    return row(CURATORS, number=lambda world: world.batch.number, **kwargs)


IMPORTS: dict[str, Row] = {
    "imports": row(DESIGNERS),
    "import_new": row(DESIGNERS, DESIGNERS, done=[200, 422]),
    "import_map": of_upload(),
    "import_check": of_upload(do=CURATORS, got=[]),
    "import_apply": of_upload(do=CURATORS, got=[], done=[302]),
    "import_discard": of_upload(do=CURATORS, got=[], done=[302]),
    # Without a report, back to the file.
    "import_problems": of_upload(got=[200, 302]),
    "batch": of_batch(),
    "batch_undo": of_batch(do=CURATORS, got=[], done=[302]),
    "batch_drop": of_batch(do=CURATORS, got=[], done=[302]),
    "batch_resume": of_batch(do=CURATORS, got=[], done=[302]),
}

GRADING: dict[str, Row] = {
    "grading": row(ANNOTATORS),
    "grade_next": of_open(ANNOTATORS, ANNOTATORS, got=[], done=[302]),
    "grade_none": of_open(ANNOTATORS, why=lambda world: next(iter(seating.WHY))),
    "grade_sheet": of_open(ANNOTATORS),
    "grade": row(ANNOTATORS, ANNOTATORS, token=lambda world: world.seat.token),
    "grade_draft": row(ANNOTATORS, ANNOTATORS, got=[], token=lambda world: world.seat.token),
    "grade_submit": row(ANNOTATORS, ANNOTATORS, got=[], token=lambda world: world.seat.token),
    "grade_state": row(ANNOTATORS, token=lambda world: world.seat.token),
    "grade_renew": row(
        ANNOTATORS, ANNOTATORS, got=[], done=[200], token=lambda world: world.seat.token
    ),
    "grade_ahead": row(
        ANNOTATORS, ANNOTATORS, got=[], done=[200], token=lambda world: world.seat.token
    ),
    "sign_in_again": Row(public=True, got=frozenset(), done=frozenset({422})),
    "grade_back": row(
        ANNOTATORS, ANNOTATORS, got=[], done=[302], token=lambda world: world.seat.token
    ),
}


def of_run(do: Collection[str] = (), **kwargs: Any) -> Row:
    return row(UNBLINDED, do, number=lambda world: world.run.number, **kwargs)


def of_interviews(**kwargs: Any) -> Row:
    return row(UNBLINDED, number=lambda world: world.dialogue.run.number, **kwargs)


RUNS: dict[str, Row] = {
    "runs": row(UNBLINDED),
    "runs_compare": row(UNBLINDED),
    "run": of_run(),
    "run_live": of_run(),
    "run_steps": of_run(),
    "run_metrics": row(UNBLINDED, number=lambda world: world.metrics_run.number),
    "run_metrics_csv": row(UNBLINDED, number=lambda world: world.metrics_run.number),
    "run_interviews": of_interviews(),
    # The figures are computed first; the page says so.
    "run_interviews_csv": of_interviews(got=[302]),
    "run_interviews_svg": of_interviews(got=[302]),
    "run_dialogues": of_interviews(),
    "run_dialogue": of_interviews(pk=lambda world: world.dialogue.pk),
    "run_step": of_run(place=lambda world: 1),
    "run_steps_csv": of_run(),
    "run_calls_csv": of_run(),
    "run_jsonl": of_run(),
    "run_publish": row(CURATORS, CURATORS, number=lambda world: world.run.number),
    "run_pause": of_run(CURATORS, got=[], done=[302, 409]),
    # It was not paused.
    "run_resume": of_run(CURATORS, got=[], done=[302, 409]),
    # Nothing of it failed.
    "run_retry": of_run(CURATORS, got=[], done=[302, 409]),
    "run_cancel": row(CURATORS, CURATORS, done=[302, 409], number=lambda world: world.run.number),
    # An empty budget is none.
    "run_budget": row(
        CURATORS, CURATORS, done=[302, 409, 422], number=lambda world: world.run.number
    ),
}

RESULTS: dict[str, Row] = {
    "insight": row(UNBLINDED),
    "judges": row(UNBLINDED),
    "metrics_new": row(CURATORS, CURATORS),
    "interviews_new": row(CURATORS, CURATORS),
    "judge_new": row(CURATORS, CURATORS),
    "round_judge": of_open(CURATORS, CURATORS),
    "endpoints": row(UNBLINDED),
    "endpoint_new": row(OWNERS, OWNERS),
    "endpoint_scripted": row(UNBLINDED, OWNERS, got=[], done=[302]),
    "endpoint": row(UNBLINDED, pk=lambda world: world.endpoint.pk),
    "endpoint_edit": row(OWNERS, OWNERS, pk=lambda world: world.endpoint.pk),
    "endpoint_key": row(OWNERS, OWNERS, done=[302], pk=lambda world: world.endpoint.pk),
    "endpoint_try": row(
        UNBLINDED, CURATORS, got=[], done=[302], pk=lambda world: world.endpoint.pk
    ),
    "endpoint_retire": row(
        UNBLINDED, OWNERS, got=[], done=[302], pk=lambda world: world.endpoint.pk
    ),
    "judges_people": row(UNBLINDED),
    "judges_pairs": row(UNBLINDED),
    "judges_together": row(UNBLINDED),
    "judges_fewer": row(UNBLINDED),
    "judge_apart": row(UNBLINDED, judge=lambda world: world.machine.rater_id),
    "judge_people": row(UNBLINDED, judge=lambda world: world.machine.rater_id),
    # Nothing was both graded and scored: back to the page that says so.
    "judges_people_csv": row(UNBLINDED, got=[302], table=lambda world: "coefficients"),
    "judges_people_svg": row(UNBLINDED, got=[302], plot=lambda world: "judges"),
    "judge_people_csv": row(
        UNBLINDED,
        got=[302],
        judge=lambda world: world.machine.rater_id,
        table=lambda world: "levels",
    ),
    "judge_people_svg": row(
        UNBLINDED, got=[302], judge=lambda world: world.machine.rater_id, plot=lambda world: "cloud"
    ),
    "movement": row(UNBLINDED),
    "movement_tags": row(UNBLINDED, CURATORS, got=[302], done=[302]),
    "results": of_open(UNBLINDED),
    "results_names": of_open(UNBLINDED, UNBLINDED, got=[], done=[302]),
    "results_again": of_open(UNBLINDED, UNBLINDED, got=[], done=[302]),
    "results_table": of_open(UNBLINDED),
    "results_breakdown": of_open(UNBLINDED),
    "results_items": of_open(UNBLINDED),
    "results_items_csv": of_open(UNBLINDED),
    "results_agreement": of_open(UNBLINDED),
    "results_disputes": of_open(UNBLINDED),
    "results_dispute": of_open(UNBLINDED),
    "results_annotators": of_open(UNBLINDED),
    "results_plan": of_open(UNBLINDED),
    "results_report": of_open(UNBLINDED),
    # Not computed yet: back to the page that waits.
    "results_report_html": of_open(UNBLINDED, got=[302]),
    "results_report_csv": of_open(UNBLINDED, got=[302]),
    "results_sheet": of_open(UNBLINDED, got=[302], table=lambda world: "agreement"),
    "results_picture": of_open(UNBLINDED, got=[302], plot=lambda world: "agreement"),
    # Nothing was chosen: back to the page where one chooses.
    "movement_csv": row(UNBLINDED, got=[302]),
    "movement_tags_csv": row(UNBLINDED, got=[302]),
    "movement_svg": row(UNBLINDED, got=[302]),
    "results_csv": of_open(UNBLINDED, got=[302]),
    "breakdown_csv": of_open(UNBLINDED, got=[302]),
    "grades_csv": of_open(UNBLINDED),
    "ratings_csv": of_open(UNBLINDED),
    "ratings_jsonl": of_open(UNBLINDED),
    "grades_jsonl": of_open(UNBLINDED),
    "table_csv": of_open(UNBLINDED),
}

API: dict[str, Row] = {
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
    "api_graded_items": of_open(UNBLINDED),
    "api_results_csv": of_open(UNBLINDED, got=[202]),
    "api_breakdown_csv": of_open(UNBLINDED, got=[202]),
    "api_graded_items_csv": of_open(UNBLINDED),
    "api_agreement": of_open(UNBLINDED, got=[202]),
    "api_disputes": of_open(UNBLINDED, got=[202]),
    "api_annotators": of_open(UNBLINDED, got=[202]),
    "api_round_plan": of_open(UNBLINDED, got=[202]),
    # Whoever may see it is told that nothing was both graded and scored.
    "api_judges": row(UNBLINDED, CURATORS, done=[400]),
    "api_round_judge": of_open(CURATORS, CURATORS, done=[400]),
    "api_metrics": row(CURATORS, CURATORS, done=[400]),
    "api_interviews": row(CURATORS, CURATORS, done=[400]),
    "api_run_interviews": of_interviews(got=[202]),
    "api_run_dialogues": of_interviews(),
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
    # Whoever may see it is told that there is no such pair of rounds.
    "api_movement": row(
        UNBLINDED, got=[404], before=lambda world: 1, after=lambda world: 1, system=lambda world: 1
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
    "api_report_csv": of_open(UNBLINDED, got=[202]),
    "api_sheet": of_open(UNBLINDED, got=[202], table=lambda world: "agreement"),
    "api_picture": of_open(UNBLINDED, got=[202], plot=lambda world: "agreement"),
    "api_grades_csv": of_open(UNBLINDED),
    "api_ratings_csv": of_open(UNBLINDED),
    "api_ratings_jsonl": of_open(UNBLINDED),
    "api_grades_jsonl": of_open(UNBLINDED),
    "api_table_csv": of_open(UNBLINDED),
    "api_rounds": row(UNBLINDED),
    "api_round": row(UNBLINDED, number=lambda world: world.draft.number),
    "api_draw": of_draft(UNBLINDED, CURATORS, done=[200]),
    "api_manifest": of_open(UNBLINDED),
    "api_index": for_all(),
    "api_me": for_all(),
    "api_projects": for_all(),
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
    "api_bulk_edits": row(DESIGNERS, DESIGNERS, done=[400]),
    "api_bulk_edit": row(
        DESIGNERS, DESIGNERS, done=[400], number=lambda world: world.bulk_edit.number
    ),
    "api_sources": row(READERS, permissions.BANK, done=[400]),
    "api_source": row(READERS, permissions.BANK, done=[200], pk=lambda world: world.source.pk),
    "api_inspections": row(INSPECTORS),
    "api_inspection": row(
        INSPECTORS, INSPECTORS, done=[400, 422], pk=lambda world: world.submitted.pk
    ),
    "api_domains": row(READERS, CURATORS, done=[400]),
    "api_domain": row(READERS, CURATORS, done=[200], pk=lambda world: world.domain.pk),
    "api_capabilities": row(READERS, CURATORS, done=[400]),
    "api_capability": row(READERS, CURATORS, done=[200], pk=lambda world: world.capability.pk),
    "api_plan": row(READERS, CURATORS, done=[400]),
    "api_plan_cell": row(READERS, CURATORS, done=[400], pk=lambda world: world.plan_cell.pk),
    "api_inspection_figures": row(permissions.BANK),
    "api_systems": row(UNBLINDED),
    "api_rubrics": row(READERS),
    "api_rubric": row(
        READERS, key=lambda world: world.rubric_version.rubric.key, number=lambda world: 1
    ),
}

ROWS: dict[str, Row] = {**PAGES, **IMPORTS, **ROUNDS, **GRADING, **RUNS, **RESULTS, **API}
