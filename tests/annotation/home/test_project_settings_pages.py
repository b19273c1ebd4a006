import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.people import queries as reads
from annotation.people.models import Role, SettingsVersion
from annotation.people.permissions import Scope
from annotation.people.rules import Masks
from annotation.rounds import states
from annotation.rounds.models import Draft
from scoring.figures import labels
from scoring.results import asked
from scoring.results import queries as results
from tests import make
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(client):
    make.project()
    user = make.user("northport-owner")
    client.force_login(user)
    return user


def at(name):
    return reverse(name, args=["northport"])


def page(client, name, **given):
    answer = client.post(at(name), given) if given else client.get(at(name))
    return answer.status_code, answer.content.decode()


def answers(*texts):
    for place, text in enumerate(texts):
        make.response(make.item(f"A{place}"), make.release(), text)


class TestRules:
    def test_show_what_holds_and_where_it_is_changed(self, client, owner):
        page(client, "settings_bank", base=0, languages="de, en", alike=90)

        _status, text = page(client, "settings_rules")

        for said in ("de, en", "from 90 %", "version 1", "1 reviewer decides", "smaller side"):
            assert said in text
        for name in ("checklist", "settings_bank", "pool_rules", "settings_disputes"):
            assert at(name) in text

    def test_are_in_the_menu_of_curators_with_masks_and_no_more(self, client):
        make.project()
        client.force_login(make.member(Role.CURATOR))

        _status, text = page(client, "settings_rules")

        assert at("settings_masks") in text
        assert at("settings_retention") not in text
        assert at("people") not in text


class TestBank:
    def test_is_set_and_says_who_did_it(self, client, owner):
        answer = client.post(
            at("settings_bank"), {"base": 0, "languages": "de;  zh-Hans,", "alike": 80}, follow=True
        )

        assert reads.bank_of(make.project()).languages == ("de", "zh-Hans")
        assert "Version 1, Northport-Owner" in answer.content.decode()

    def test_offers_authors_its_languages_and_the_one_a_question_has(self, client, owner):
        page(client, "settings_bank", base=0, languages="de", alike=85)
        version = make.question_version(
            "DRAFT", author=owner, text=make.question_text(language="fr")
        )

        text = client.get(
            reverse("question_edit", args=["northport", version.question_id])
        ).content.decode()

        assert '<option value="de">' in text
        assert '<option value="fr" selected>' in text

    def test_refuses_what_was_typed_over_another_version(self, client, owner):
        page(client, "settings_bank", base=0, languages="de", alike=85)

        status, text = page(client, "settings_bank", base=0, languages="en", alike=85)

        assert status == 409
        assert "Somebody has changed these settings" in text
        assert 'value="en"' in text

    def test_says_what_is_wrong_beside_the_field(self, client, owner):
        status, text = page(client, "settings_bank", base=0, languages="german", alike=85)

        assert status == 422
        assert "is no language as pages name it" in text


class TestMasks:
    def test_can_be_tried_out_before_they_are_saved(self, client, owner):
        answers("Ask Quay Mind about it.", "Our freight desk, and QUAY-MIND.", "Nothing here.")

        status, text = page(
            client,
            "settings_masks",
            base=0,
            words="Quay Mind\nHarbour Brain",
            patterns=r"our \w+ desk",
            act="try",
        )

        assert status == 200
        assert "In the newest 3 of 3 responses" in text
        assert "▇▇▇▇" in text
        assert "Found nowhere: Harbour Brain" in " ".join(text.split())
        assert not SettingsVersion.objects.exists()

    def test_are_saved_without_empty_lines_and_doubles(self, client, owner):
        page(client, "settings_masks", base=0, words=" Quay Mind \n\nQuay Mind\n", approved="on")

        assert reads.masks_of(make.project()) == Masks(("Quay Mind",), approved=True)

    @pytest.mark.parametrize("act", ["try", "save"])
    def test_refuse_a_pattern_that_takes_too_long(self, client, owner, act):
        status, text = page(client, "settings_masks", base=0, patterns="(a+)+$", act=act)

        assert status == 422
        assert "takes too long on some texts" in text
        assert not SettingsVersion.objects.exists()

    def test_say_so_where_there_is_nothing_to_look_at(self, client, owner):
        _status, text = page(client, "settings_masks", base=0, words="Quay Mind", act="try")

        assert "No responses yet." in text

    def test_show_what_systems_wrote_as_text(self, client, owner):
        answers("<script>alert(1)</script> Quay Mind <b>said</b>")

        _status, text = page(client, "settings_masks", base=0, words="Quay Mind", act="try")

        assert "<script>alert(1)" not in text
        assert "&lt;b&gt;said" in text


class TestRetention:
    def old_draft(self):
        round_ = make.open_round()
        seat = make.claim(round_)
        Draft.objects.create(
            assignment=seat, rater=make.holder(seat), marks={"a": 1}, saved_at=make.NOW
        )
        states.expire(make.at(120), round_=round_)
        states.close(round_=round_, by=round_.created_by, now=make.at(121))
        states.finish(round_=round_, by=round_.created_by, now=make.at(122))

    def test_counts_what_would_go_and_removes_and_saves_nothing(self, client, owner):
        self.old_draft()

        status, text = page(client, "settings_retention", base=0, drafts=7, act="count")

        assert status == 200
        assert "nothing removed or saved" in text
        assert re.search(r'data-label="Would go now">1</td>', text)
        assert not SettingsVersion.objects.exists()

    def test_counts_days_from_now(self, client, owner):
        self.old_draft()
        assert timezone.now() - timedelta(days=8) > make.NOW

        _status, text = page(client, "settings_retention", base=0, drafts=3650, act="count")

        assert re.search(r'data-label="Would go now">0</td>', text)

    def test_is_set_in_days(self, client, owner):
        page(client, "settings_retention", base=0, drafts=30, calls="")

        assert reads.retention_of(make.project()).days == {"drafts": 30}

    def test_refuses_a_number_of_days_that_is_too_small(self, client, owner):
        status, text = page(client, "settings_retention", base=0, calls=1)

        assert status == 422
        assert "from 7 to 3650" in text


class TestDisputes:
    def test_are_found_by_the_projects_rules_unless_an_address_asks_for_others(self, client, owner):
        rules = {"rater": "median", "question": "share", "far": "1", "share": "0.3", "span": "2"}
        page(client, "settings_disputes", base=0, w1="1/3", w2="2/3", **rules)

        home = make.project()
        assert asked.of_disputes({}, home).params["question"] == "share"
        assert asked.of_disputes({}, home).params["w1"] == "1/3"
        assert asked.of_disputes({"question_rule": "literal"}, home).params["question"] == "literal"
        assert asked.of_disputes({}, make.project("southgate")).params["question"] == "near_half"

    def test_refuse_a_weight_that_is_none(self, client, owner):
        rules = {"rater": "alone", "question": "share", "far": "1", "share": "0.3", "span": "2"}

        status, _text = page(client, "settings_disputes", base=0, w1="half", w2="1/2", **rules)

        assert status == 422
        assert not SettingsVersion.objects.exists()


class TestReviews:
    def test_are_set_once_and_for_all_rounds(self, client, owner):
        for _ in range(2):
            page(client, "settings_reviews", n_reviewers=2, hide_people="on")

        rules = make.project().review_rules
        assert [(one.n_reviewers, one.hide_people) for one in rules.all()] == [(2, True)]


class TestVerdicts:
    def test_call_systems_equal_by_the_projects_margin_unless_an_address_asks_for_another(
        self, client, owner
    ):
        page(client, "settings_verdicts", base=0, within=8)

        round_ = rounds.graded()
        reading = labels.of_reading(Scope(round_.project, owner, frozenset({Role.OWNER})), 1)
        usual, other = asked.read_cut(reading, {}), asked.read_cut(reading, {"margin": ["3"]})
        assert usual.is_usual
        assert usual.params == results.params(round_)
        assert (usual.params["margin"], other.params["margin"]) == (0.08, 0.03)
        assert ("margin", "3") in other.pairs
        assert not other.is_usual

    @pytest.mark.parametrize("within", [0, 51, "a lot"])
    def test_refuse_a_margin_out_of_reach(self, client, owner, within):
        status, _text = page(client, "settings_verdicts", base=0, within=within)

        assert status == 422
        assert not SettingsVersion.objects.exists()

    def test_stand_among_the_rules(self, client, owner):
        page(client, "settings_verdicts", base=0, within=8)

        assert "equal within 8 points" in page(client, "settings_rules")[1]
