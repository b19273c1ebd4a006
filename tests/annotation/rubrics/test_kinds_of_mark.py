"""Kinds of mark: how a rubric says them, what is wrong with it, how they come back from files and programs."""

import io
from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse

from annotation.bankfile import exporting, records
from annotation.common import scales
from annotation.models import Criterion, RubricVersion
from annotation.rubrics import operations as rubrics
from annotation.rubrics import queries as reads
from annotation.rubrics import rules
from annotation.rubrics.rules import CriterionText, LevelText, Wording
from tests import make
from tests.annotation.rubrics.test_rubrics_pages import fields_of

pytestmark = pytest.mark.django_db
KINDS = tuple(make.KINDS.values())
PATH = "criteria.0"


def labels(*names: str, first: int = 1) -> tuple[LevelText, ...]:
    return tuple(LevelText(Decimal(place), name) for place, name in enumerate(names, start=first))


def wrong(**said: Any) -> rules.Problems:
    criterion = CriterionText("one", "One", **said).settled()
    return rules.problems(Wording("", (criterion,)))


class TestWording:
    def test_of_plain_levels_has_the_fingerprint_it_always_had(self):
        [entry] = reads.list_rubrics_examples(["overall_quality"])

        sha = rules.from_entry(entry).sha()

        assert sha == "e76de179214fead204b05646dc183e0c4b528f34a76b606756e915dffceeaa9c"

    def test_gives_yes_and_no_their_words_and_values(self):
        settled = CriterionText("one", "One", mark=rules.YES_NO).settled()

        assert [(one.value, one.label) for one in settled.levels] == [(0, "No"), (1, "Yes")]
        assert (settled.minimum, settled.maximum, settled.step) == (0, 1, 1)

    @pytest.mark.parametrize(("mark", "ends"), [("LABEL", (1, 3)), ("LABELS", (0, 7))])
    def test_bounds_labels_by_their_number_and_gives_them_no_weight(self, mark, ends):
        settled = CriterionText("one", "One", mark=mark, levels=labels("a", "b", "c")).settled()

        assert (settled.minimum, settled.maximum) == ends
        assert (settled.weight, settled.pass_at) == (0, None)
        assert not rules.problems(Wording("", (settled,)))

    @pytest.mark.parametrize(
        ("said", "place"),
        [
            ({"mark": "LABEL", "levels": labels("a")}, "levels"),
            ({"mark": "LABEL", "levels": labels("a", "A")}, "levels.1.label"),
            ({"mark": "LABEL", "levels": labels("a", "")}, "levels.1.label"),
            ({"mark": "LABEL", "levels": labels("a", "b", first=0)}, "levels.0.value"),
            ({"mark": "LABELS", "levels": labels(*map(str, range(25)))}, "levels"),
            ({"mark": "YES_NO", "levels": labels("no")}, "levels"),
            ({"mark": "YES_NO", "pass_at": Decimal(0)}, "pass_at"),
            ({"mark": "TEXT", "levels": labels("a")}, "levels"),
            ({"mark": "NUMBER", "maximum": Decimal(9), "levels": labels("a")}, "levels"),
            ({"mark": "SMELL", "maximum": Decimal(9)}, "mark"),
        ],
    )
    def test_is_refused_where_it_is_wrong(self, said, place):
        assert f"{PATH}.{place}" in wrong(**said)

    def test_tells_a_change_of_the_kind(self):
        old = Wording("", (CriterionText("one", "One", maximum=Decimal(1)),))
        new = Wording("", (CriterionText("one", "One", mark=rules.YES_NO).settled(),))

        changed = {one.field: (one.old, one.new) for one in rules.differences(old, new)}

        assert changed["mark"] == ("LEVELS", "YES_NO")

    def test_of_choices_is_refused_beside_marks(self):
        better = CriterionText("better", "Better", mark=rules.CHOICE)
        marked = CriterionText("one", "One", maximum=Decimal(1))

        found = rules.problems(Wording("", (better, marked)).settled())

        assert "not for both" in found["criteria"][0]

    def test_of_choices_has_the_values_that_it_offers(self):
        criterion = CriterionText("better", "Better", mark=rules.CHOICE).settled()

        assert criterion.scale.check(Decimal(3)) == 3
        with pytest.raises(ValueError, match="2, 3 or 4"):
            criterion.scale.check(Decimal(6))


class TestFaces:
    def test_say_a_set_of_labels_in_words(self):
        face = reads.criterion_face(make.KINDS["traits"])

        assert face.words("5") == "Long; Twice"
        assert face.words("0") == "None of these"
        assert [one.box for one in face.levels] == ["1", "2", "4"]
        assert reads.ticked("5") == {"1", "4"}
        assert reads.ticked("") == frozenset()

    def test_say_yes_and_labels_in_words_and_numbers_as_they_are(self):
        said = {key: reads.criterion_face(one).words("1") for key, one in make.KINDS.items()}

        assert said == {
            "polite": "Yes",
            "slip": "Fact",
            "traits": "Long",
            "minutes": "1",
            "wish": "1",
        }

    def test_of_several_labels_takes_whole_numbers_only(self):
        with pytest.raises(ValueError, match="in steps of 1"):
            make.KINDS["traits"].scale.check(Decimal("1.5"))


class TestKept:
    def written(self) -> RubricVersion:
        home = make.project()
        by = make.user()
        wording = Wording("Each by itself.", KINDS)
        return rubrics.create_rubric(
            project=home, key="kinds", name="Kinds", wording=wording, by=by, now=make.NOW
        )

    def test_is_read_as_it_was_written(self):
        assert reads.wording(self.written()).criteria == KINDS

    def test_is_frozen_and_copied_with_its_kinds(self):
        version = self.written()

        again = rubrics.copy_rubric(
            project=version.rubric.project, version=version, by=make.user(), now=make.NOW
        )

        assert reads.wording(again).sha() == reads.wording(version).sha()

    def test_goes_into_a_bank_file_and_says_nothing_new_of_levels(self):
        version = self.written()
        make.rubric_version(in_=version.rubric.project)
        kept = io.BytesIO()
        exporting.write(version.rubric.project, kept, named=False)

        told = [records.RubricVersionRecord.of(one) for one in RubricVersion.objects.order_by("pk")]
        lines = [records.line(one) for one in told]

        assert b'"mark":"LABELS"' in lines[0]
        assert b'"mark"' not in lines[1]


class TestEditor:
    def test_writes_yes_or_no_and_labels(self, client, curator):
        url = reverse("rubric_new", args=["northport"])
        page = client.get(url).content.decode()
        page = client.post(url, {**fields_of(page), "act": "add_criterion"}).content.decode()
        for act in ("mark:0:YES_NO", "mark:1:LABELS"):
            page = client.post(url, {**fields_of(page), "act": act}).content.decode()
        fields = fields_of(page)
        assert (fields["c0l0-label"], fields["c0l1-label"]) == ("No", "Yes")
        assert "c0-maximum" not in fields
        fields |= {"head-name": "Check", "c0-name": "Polite", "c1-name": "Style"}
        fields |= {"c1l0-label": "Long", "c1l1-label": "Stiff"}

        client.post(url, {**fields, "act": "save"})

        yes, style = Criterion.objects.order_by("position")
        assert (yes.mark, yes.pass_at, yes.maximum) == ("YES_NO", 1, 1)
        assert (style.mark, style.maximum) == ("LABELS", scales.one_number([1, 2]))
        assert [one.label for one in style.levels.all()] == ["Long", "Stiff"]

    def test_offers_choices_with_their_words(self, client, curator):
        url = reverse("rubric_new", args=["northport"])
        page = client.get(url).content.decode()
        page = client.post(url, {**fields_of(page), "act": "mark:0:CHOICE"}).content.decode()
        fields = fields_of(page) | {"head-name": "Better", "c0-name": "Better", "c0-much": "1"}
        assert fields["c0-tie"] == "1"
        assert "c0-bad" not in fields
        del fields["c0-tie"]
        fields["c0l3-label"] = "B, clearly"

        client.post(url, {**fields, "act": "save"})

        [made] = Criterion.objects.all()
        assert (made.mark, made.minimum, made.maximum, made.weight) == ("CHOICE", 1, 6, 0)
        assert {int(one.value): one.label for one in made.levels.all()} == {
            1: "A is much better",
            2: "A is better",
            4: "B, clearly",
            5: "B is much better",
        }

    def test_opens_choices_as_they_were_saved(self, client, curator):
        url = reverse("rubric_new", args=["northport"])

        fields = fields_of(client.get(url, {"from": "which_is_better"}).content.decode())

        ticked = {one for one in ("much", "tie", "bad") if f"c0-{one}" in fields}
        assert ticked == {"much", "tie", "bad"}
        assert [fields[f"c0l{n}-label"] for n in (0, 5)] == ["A is much better", "Both are bad"]

    def test_copies_what_the_project_has_under_a_free_key(self, client, curator):
        url = reverse("rubric_new", args=["northport"])
        asked = {"from": "which_is_better"}
        page = client.get(url, asked).content.decode()
        assert "Passes from: the lowest" not in page
        client.post(url, {**fields_of(page), "act": "save"})

        page = client.get(url, asked).content.decode()
        assert page.count('value="which_is_better"') == 1
        made = client.post(url, {**fields_of(page), "act": "save"})
        again = fields_of(client.get(url, asked).content.decode())

        assert made.status_code == 302
        keys = RubricVersion.objects.values_list("rubric__key", flat=True)
        assert set(keys) == {"which_is_better", "which_is_better-2"}
        assert again["head-key"] == "which_is_better-3"

    def test_says_which_choice_lacks_its_words(self, client, curator):
        url = reverse("rubric_new", args=["northport"])
        fields = fields_of(client.get(url, {"from": "which_is_better"}).content.decode())

        refused = client.post(url, {**fields, "c0l1-label": "", "act": "save"})

        assert refused.status_code == 422
        assert "level 2" in refused.content.decode()
        again = fields_of(refused.content.decode())
        assert [again[f"c0l{n}-label"] for n in (0, 1)] == ["A is much better", ""]

    def test_says_which_label_lacks_its_name(self, client, curator):
        url = reverse("rubric_new", args=["northport"])
        page = client.get(url).content.decode()
        page = client.post(url, {**fields_of(page), "act": "mark:0:LABEL"}).content.decode()
        fields = fields_of(page) | {"head-name": "Check", "c0-name": "Slip", "c0l0-label": "Fact"}

        refused = client.post(url, {**fields, "act": "save"})

        assert refused.status_code == 422
        assert "Give 2 to 24 labels." in refused.content.decode()

    def test_previews_every_label(self, client, curator):
        url = reverse("rubric_new", args=["northport"])
        fields = fields_of(client.get(url, {"from": "main_error"}).content.decode())

        page = client.post(url, {**fields, "act": "preview"}).content.decode()

        seen = page[page.index('class="sheet"') :]
        labels = [fields[f"c1l{n}-label"] for n in range(5)]
        assert [one for one in labels if one in seen] == labels

    def test_keeps_the_words_of_labels_that_become_levels(self, client, curator):
        url = reverse("rubric_new", args=["northport"])
        page = client.get(url).content.decode()
        fields = fields_of(page) | {"c0l0-label": "Bad", "c0l1-label": "Good"}
        page = client.post(url, {**fields, "act": "mark:0:LABEL"}).content.decode()

        again = fields_of(
            client.post(url, {**fields_of(page), "act": "mark:0:LEVELS"}).content.decode()
        )

        assert [again[f"c0l{n}-label"] for n in (0, 1)] == ["Bad", "Good"]
        assert (again["c0l1-value"], again["c0-maximum"]) == ("1", "1")


class TestApi:
    def test_takes_choices_and_refuses_one_that_does_not_exist(self, client, curator):
        url = "/api/v1/projects/northport/rubrics/"
        criterion: dict[str, object] = {"key": "better", "name": "Better", "mark": "CHOICE"}
        levels = [{"value": 2, "label": "A"}, {"value": 4, "label": "B"}]
        body = {"key": "which", "name": "Which", "criteria": [criterion]}

        made = client.post(url, body, content_type="application/json")
        criterion["levels"] = [*levels, {"value": 7, "label": "C"}]
        wrong = client.post(url, body | {"key": "other"}, content_type="application/json")

        assert made.status_code == 201, made.content
        assert [float(one["value"]) for one in made.json()["criteria"][0]["levels"]] == [2, 3, 4]
        assert wrong.status_code == 422
        assert "1 to 6" in str(wrong.json()["fields"])

    def test_takes_kinds_without_their_bounds(self, client, curator):
        body = {
            "key": "check",
            "name": "Check",
            "criteria": [
                {"key": "polite", "name": "Polite", "mark": "YES_NO", "pass_at": "1"},
                {
                    "key": "slip",
                    "name": "Slip",
                    "mark": "LABEL",
                    "levels": [{"value": 1, "label": "Fact"}, {"value": 2, "label": "Beside"}],
                },
                {"key": "wish", "name": "Better", "mark": "TEXT", "min": 1},
            ],
        }

        made = client.post(
            "/api/v1/projects/northport/rubrics/", body, content_type="application/json"
        )

        assert made.status_code == 201, made.content
        said = {one["key"]: one for one in made.json()["criteria"]}
        assert (said["slip"]["min"], said["slip"]["max"]) == ("1.0000", "2.0000")
        assert said["wish"]["mark"] == "TEXT"
        assert Criterion.objects.get(key="wish").is_of_choice is False
