import re

import pytest
from django.test import override_settings

from annotation import models
from annotation.people.models import Role
from annotation.rounds import beginning, drafting, states
from evalsite import queue
from tests import make
from tests.pages import squeezed, url

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(client):
    home = make.project()
    person = home.memberships.get(role=Role.OWNER).user
    client.force_login(person)
    return person


def words(response):
    return squeezed(response.content.decode())


class TestRounds:
    def test_say_what_to_do_when_there_are_none(self, client, owner):
        assert "No rounds yet" in words(client.get(url("rounds")))

    def test_show_how_many_seats_are_graded(self, client, owner):
        round_ = make.open_round()
        make.submit(make.claim(round_))

        assert "1 of 6" in words(client.get(url("rounds")))

    def test_hide_imported_grades_until_their_import_is_applied(self, client, owner):
        home = make.project()
        batch = models.ImportBatch.objects.create(
            project=home,
            number=1,
            kind=models.ImportKind.GRADES,
            file_name="old.csv",
            file_sha="a",
            mapping={},
            mapping_sha="b",
            created_by=owner,
            created_at=make.NOW,
            touched_at=make.NOW,
        )
        models.Round.objects.create(
            project=home,
            number=1,
            name="From a file",
            kind=models.Round.Kind.IMPORTED,
            state=models.Round.State.FINAL,
            seed="s",
            secret=make.SECRET,
            created_by=owner,
            created_at=make.NOW,
            batch=batch,
        )
        before = words(client.get(url("rounds")))
        models.ImportBatch.objects.update(state=models.ImportBatch.State.APPLIED)

        after = words(client.get(url("rounds")))

        assert "From a file" not in before
        assert "imported grades" in after


class TestRoundNew:
    def test_draws_a_seed_and_a_secret(self, client, owner):
        client.post(url("round_new"), {"name": "Spring"})

        made = models.Round.objects.get()
        assert len(made.seed) == 16
        assert len(bytes(made.secret)) == 32

    def test_takes_a_seed_that_is_typed_in(self, client, owner):
        client.post(url("round_new"), {"name": "Spring", "seed": "as in March"})

        assert models.Round.objects.get().seed == "as in March"


class TestRound:
    def test_says_what_a_draft_still_needs(self, client, owner):
        client.post(url("round_new"), {"name": "Spring"})

        page = words(client.get(url("round", 1)))

        assert "Prepare the draft" in page
        assert "0 of at least 3 annotators are chosen." in page
        assert "Choose the systems to compare." in page
        assert page.count(">Fix<") == 3  # systems, rubrics and annotators; the rest is prepared

    @pytest.mark.parametrize(
        ("has_capability", "label"), [(True, "All the rest"), (False, "All items")]
    )
    def test_asks_for_one_rubric_where_items_have_no_capability(
        self, client, owner, has_capability, label
    ):
        client.post(url("round_new"), {"name": "Spring"})
        make.item("Q1", capability_=make.capability() if has_capability else None)

        assert f">{label} <" in client.get(url("round_rubrics", 1)).content.decode()

    def test_reckons_the_hours_at_the_pace_in_the_address(self, client, owner):
        make.draft_round()

        page = words(client.get(url("round", 1), {"minutes": "30"}))

        assert re.search(r"<dd>\s*3\.0<small>1\.0 for each annotator", page)

    def test_shows_every_state(self, client, owner):
        round_ = make.open_round()
        shown = [client.get(url("round", 1)).status_code]
        states.close(round_=round_, by=owner, now=make.at(1))
        shown.append(client.get(url("round", 1)).status_code)
        states.finish(round_=round_, by=owner, now=make.at(2))
        shown.append(client.get(url("round", 1)).status_code)

        assert shown == [200, 200, 200]

    def test_of_another_project_is_not_found(self, client, owner):
        make.draft_round(in_=make.project("southgate"))

        assert client.get(url("round", 1)).status_code == 404

    def test_never_shows_grades_of_an_open_round(self, client, owner):
        round_ = make.open_round()
        make.submit(make.claim(round_), comments={"A": "a remark nobody may read"})

        page = words(client.get(url("round", 1))) + words(client.get(url("round_seats", 1)))

        assert "a remark nobody may read" not in page

    def test_shows_an_analyst_no_buttons(self, client):
        make.draft_round()
        client.force_login(make.member(Role.ANALYST))

        assert "Prepare again" not in words(client.get(url("round", 1)))


class TestTheWalk:
    @override_settings(QUEUE_INLINE=True)
    def test_leads_from_a_name_to_a_final_round(self, client, owner):
        home = make.project()
        capability = make.capability(in_=home)
        version = make.rubric_version(in_=home)
        releases = [make.release(name, in_=home) for name in ("Kestrel", "Heron")]
        for number in range(4):
            item = make.item(f"Q{number}", in_=home, capability_=capability)
            for place, release in enumerate(releases):
                text = "I am Kestrel, your assistant." if (number, place) == (0, 0) else "A base."
                make.response(item, release, f"{text} {number} {place}")
        people = [make.member(Role.ANNOTATOR, username=f"ann-{n}") for n in (1, 2, 3)]

        client.post(url("round_new"), {"name": "Spring", "seed": "s"})
        client.post(url("round_systems", 1), {"releases": [one.pk for one in releases]})
        client.post(
            url("round_draw", 1),
            {"capabilities": [capability.pk], "n_items": 3, "complete_only": "on"},
        )
        client.post(url("round_rubrics", 1), {f"capability-{capability.pk}": version.pk})
        client.post(url("round_annotators", 1), {"annotators": [p.public_id for p in people]})
        client.post(
            url("round_settings", 1),
            {"name": "Spring", "n_seats": 3, "lease_minutes": 30, "deadline": "2099-01-01T12:00"},
        )
        client.post(url("round_prepare", 1))
        hits = models.IdentityHit.objects.count()
        client.post(url("round_identity", 1), {"which": "all", "decision": "MASK"})
        opened = client.post(url("round_open", 1))
        states = [models.Round.objects.get().state]
        client.post(url("round_pause", 1))
        paused = models.Round.objects.get().paused_at
        client.post(url("round_resume", 1))
        client.post(url("round_close", 1), {"reason": "Enough."})
        states.append(models.Round.objects.get().state)
        client.post(url("round_finish", 1))
        states.append(models.Round.objects.get().state)

        assert opened.status_code == 302
        assert hits <= 1
        assert paused is not None
        assert states == ["OPEN", "REVIEW", "FINAL"]
        assert models.Assignment.objects.count() == 9
        assert models.AuditEvent.objects.filter(subject="round:1").count() >= 12
        assert queue.waiting() == []


@pytest.fixture
def stocked(owner):
    """Three systems that answered five questions, a rubric and three annotators."""
    home = make.project()
    version = make.rubric_version(in_=home)
    releases = [make.release(name, in_=home) for name in ("Kestrel", "Heron", "Plover")]
    for number in range(5):
        item = make.item(f"Q{number}", in_=home)
        for one in releases if number else releases[:2]:
            make.response(item, one, f"Answer {number}, as release {one.pk} has it.")
    people = [make.member(Role.ANNOTATOR, username=f"ann-{n}") for n in (1, 2, 3)]
    return releases, version, people


def ticked(page, name):
    return re.findall(rf'name="{name}"\s*value="([^"]+)"\s*checked', page)


class TestARoundOnOnePage:
    def test_is_filled_in_with_what_there_is(self, client, stocked):
        releases, version, people = stocked

        page = client.get(url("round_new")).content.decode()

        assert 'value="Round 1"' in page
        assert ticked(page, "releases") == [
            str(one.pk) for one in sorted(releases, key=lambda one: one.system.name)
        ]
        assert f'<option value="{version.pk}" selected>' in page
        assert sorted(ticked(page, "annotators")) == sorted(str(one.public_id) for one in people)

    def test_is_filled_in_from_the_last_round_with_newer_releases(self, client, stocked):
        releases, _version, people = stocked
        before = make.draft_round(n_items=1)
        drafting.choose_releases(
            round_=before, releases=releases[:1], by=before.created_by, now=make.NOW
        )
        newer = make.release("Kestrel", "2", in_=make.project())
        make.response(models.Item.objects.get(external_id="Q1"), newer, "Newer words.")
        left = before.annotators.exclude(rater__user=people[0])
        left.update(ended_at=make.NOW)

        page = client.get(url("round_new")).content.decode()

        assert "Filled in from round 1." in page
        assert ticked(page, "releases") == [str(newer.pk)]
        assert '<option value="last" selected>as in round 1: ' in page
        assert "ann-1" not in ticked(page, "annotators")

    def test_counts_what_it_would_take_and_saves_nothing(self, client, stocked):
        releases, version, people = stocked
        sent = {
            "act": "count",
            "name": "Spring",
            "releases": [one.pk for one in releases],
            "rubric": version.pk,
            "annotators": [one.public_id for one in people[:2]],
            "n_seats": 3,
        }

        told = words(client.post(url("round_new"), sent))

        assert "<dd>4<small> of 4 that all chosen systems answered" in told
        assert "<dd>12<small> 3 people on each" in told
        assert "0.8 h<small> at 4 minutes a question" in told
        assert "<dd>4<small> questions, 0.3 h" in told
        assert "1 annotator more needed" in told
        assert all(one.label in told for one in version.criteria.get().levels.all())
        assert not models.Round.objects.exists()

    @pytest.mark.parametrize("pairs", ["0", "99"])
    def test_says_what_is_wrong_instead_of_counting(self, client, stocked, pairs):
        releases, _version, _people = stocked
        better = make.rubric_version(key="better", criteria=("better",))
        sent = {"act": "count", "rubric": better.pk, "releases": [one.pk for one in releases]}

        told = words(client.post(url("round_new"), {**sent, "pairs": pairs}))

        assert "Pairs per question:" in told
        assert "<dl" not in told

    def test_shows_a_question_as_annotators_see_it(self, client, stocked):
        releases, version, _people = stocked
        sent = {"act": "count", "releases": [one.pk for one in releases], "rubric": version.pk}

        told = client.post(url("round_new"), sent).content.decode()

        seen = told.split("As annotators see it")[1]
        assert seen.count("<article") == len(releases)
        assert seen.count('type="radio"') == len(releases) * version.criteria.get().levels.count()
        assert not any(one.system.name in seen for one in releases)

    @pytest.mark.parametrize(("chosen", "said"), [(0, True), (1, False)])
    def test_tells_of_questions_that_no_rubric_is_for(self, client, stocked, chosen, said):
        releases, version, _people = stocked
        sent = {"act": "count", "releases": [one.pk for one in releases]}
        sent |= {"rubric": version.pk} if chosen else {}

        assert ("Without a rubric: 4" in words(client.post(url("round_new"), sent))) is said

    def test_counts_no_more_answers_than_a_page_can(self, client, stocked, monkeypatch):
        monkeypatch.setattr(beginning, "MOST_COUNTED", 3)
        releases, _version, _people = stocked
        sent = {"act": "count", "name": "Spring", "releases": [one.pk for one in releases]}

        assert "Counted when the round is prepared." in words(client.post(url("round_new"), sent))

    @pytest.mark.parametrize(("rubrics", "state"), [(1, "OPEN"), (0, "DRAFT")])
    def test_is_opened_at_once_if_nothing_is_missing(self, client, stocked, rubrics, state):
        releases, version, people = stocked
        sent = {
            "act": "open",
            "name": "Spring",
            "n_items": 3,
            "releases": [one.pk for one in releases],
            "rubric": version.pk if rubrics else "",
            "annotators": [one.public_id for one in people],
            "n_seats": 3,
        }

        answer = client.post(url("round_new"), sent)
        made = models.Round.objects.get()

        assert answer["Location"] == url("round", 1)
        assert made.items.count() == 3
        assert made.annotators.count() == 3
        assert made.state == state

    def test_is_made_whole_or_not_at_all(self, client, stocked):
        releases, version, people = stocked
        sent = {
            "act": "open",
            "name": "Spring",
            "releases": [one.pk for one in releases],
            "rubric": version.pk,
            "annotators": [one.public_id for one in people],
            "n_seats": 2,
        }

        answer = client.post(url("round_new"), sent)

        assert answer.status_code == 422
        assert "3 or more, or an owner" in answer.content.decode()
        assert ticked(answer.content.decode(), "annotators")
        assert not models.Round.objects.exists()

    def test_never_offers_somebody_who_sees_identities(self, client, stocked):
        seeing = make.member(Role.ANNOTATOR, username="both")
        make.member(Role.CURATOR, username="both")

        page = client.get(url("round_new")).content.decode()

        assert str(seeing.public_id) not in ticked(page, "annotators")
        assert "can see identities" in page

    def test_of_an_empty_project_says_where_to_begin(self, client, owner):
        page = words(client.get(url("round_new")))

        assert "No system has answered yet." in page
        assert "There is no rubric yet." in page
        assert "No annotators yet." in page
