"""Files that say which of two answers is better, brought into a round of pairs."""

import itertools
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation import models
from annotation.files.models import ImportBatch, ImportKind, Upload
from annotation.files.pairs import PairMapping
from annotation.imports import operations as applying
from annotation.imports import recognising, undoing, uploading
from annotation.imports.matching import faces, starters
from annotation.people.models import Role
from scoring.figures import snapshots
from scoring.stats.preferences import choices
from tests import cases, imports, make
from tests.scoring.preferred import choice_rubric

pytestmark = pytest.mark.django_db
HEAD = "id,question,system_a,system_b,answer_a,answer_b,choice,annotator\n"


def chosen():
    """Return what was chosen: question, both systems, value and who, in the order of the file."""
    rows = models.Grade.objects.seen().order_by("line")
    return [
        (
            one.response.item.external_id,
            one.response.release.system.name,
            one.against.release.system.name,
            int(one.value),
            one.rater.ref,
        )
        for one in rows
    ]


def codes(upload):
    return [one["code"] for one in upload.report["problems"]]


def asked(upload):
    return [one.key for one in applying.open_questions(upload)]


def of_case(name, told=None):
    """Return a file as people have it, checked."""
    path = cases.file(name)
    return imports.pairs(path.read_bytes(), path.name, told=told)


class TestTheRound:
    def test_is_final_and_of_pairs(self):
        batch = imports.apply(imports.pairs())

        round_ = models.Round.objects.get()
        assert (round_.kind, round_.state, round_.of_pairs) == ("IMPORTED", "FINAL", True)
        assert (round_.name, round_.n_seats, round_.batch_id) == ("Old preferences", 2, batch.pk)
        assert sorted(one.release.system.name for one in round_.systems.all()) == [
            "Harbour",
            "Kestrel",
            "Tern",
        ]

    def test_has_a_question_once_for_each_pair(self):
        imports.apply(imports.pairs())

        places = models.RoundItem.objects.order_by("ordinal")
        found = [
            (one.item.external_id, one.pair, one.n_seats, one.responses.count()) for one in places
        ]
        assert found == [("Q1", 1, 2, 2), ("Q2", 1, 1, 2), ("Q2", 2, 1, 2)]

    def test_holds_choices_as_they_were_made(self):
        imports.apply(imports.pairs())

        assert chosen() == [
            ("Q1", "Kestrel", "Harbour", 2, "ada"),
            ("Q1", "Harbour", "Kestrel", 4, "bo"),
            ("Q2", "Kestrel", "Harbour", 3, "ada"),
            ("Q2", "Kestrel", "Tern", 6, "bo"),
        ]
        assert [one.text for one in models.Remark.objects.all()] == ["clear"]

    def test_is_graded_by_a_rubric_that_offers_what_the_file_has(self):
        imports.apply(imports.pairs())

        criterion = models.Criterion.objects.get()
        assert (criterion.mark, criterion.key) == ("CHOICE", "better")
        assert [int(one.value) for one in criterion.levels.order_by("value")] == [2, 3, 4, 6]

    def test_counts_in_the_figures_of_preferences(self):
        imports.apply(imports.pairs())

        found = choices.of_ratings(snapshots.from_rows([models.Round.objects.get()]))

        assert (len(found), found.n_systems) == (4, 3)
        assert sum(one.both_bad for one in choices.tallies(found)) == 1


class TestAnswers:
    def test_come_in_once_however_often_they_stand_in_the_file(self):
        imports.apply(imports.pairs())

        assert models.Item.objects.seen().count() == 2
        assert models.Response.objects.seen().count() == 5

    def test_that_are_here_are_found(self):
        imports.apply(imports.answers())

        batch = imports.apply(imports.pairs())

        assert (batch.counts["items"], batch.counts["known_items"]) == (0, 2)
        assert (batch.counts["responses"], batch.counts["known_responses"]) == (1, 4)

    def test_need_not_stand_in_the_file(self):
        imports.apply(imports.answers())
        text = "id,model_a,model_b,winner,judge\nQ1,kestrel,Harbour,kestrel,ada\n"

        imports.apply(imports.pairs(text))

        assert chosen() == [("Q1", "Kestrel", "Harbour", 2, "ada")]

    def test_that_are_nowhere_are_refused_by_line(self):
        imports.apply(imports.answers())
        text = "id,model_a,model_b,winner,judge\nQ1,Kestrel,Tern,a,ada\nQ9,Kestrel,Harbour,a,bo\n"

        upload = imports.pairs(text)

        assert [(one["line"], one["code"]) for one in upload.report["problems"]] == [
            (2, "unknown_system"),
            (3, "unknown_item"),
        ]

    def test_that_differ_from_an_earlier_line_are_refused(self):
        text = f"{HEAD}Q1,Why?,Pine,Oak,So.,No.,A,ada\nQ1,Why?,Pine,Oak,Thus.,No.,A,bo\n"

        assert codes(imports.pairs(text)) == ["said_differently"]

    def test_of_one_system_are_no_pair(self):
        assert codes(imports.pairs(f"{HEAD}Q1,Why?,Pine,Pine,So.,So.,A,ada\n")) == [
            "one_system_twice"
        ]

    def test_of_two_releases_of_a_system_are_a_pair(self):
        head = HEAD.replace("system_b", "system_b,release_a,release_b")
        imports.apply(imports.pairs(f"{head}Q1,Why?,Pine,Pine,1,2,So.,No.,A,ada\n"))

        grade = models.Grade.objects.get()
        assert (grade.response.release.label, grade.against.release.label) == ("1", "2")

    def test_of_a_system_with_several_releases_need_one_named(self):
        home = make.project()
        make.release("Pine", "1", in_=home)
        make.release("Pine", "2", in_=home)

        assert codes(imports.pairs(f"{HEAD}Q1,Why?,Pine,Oak,So.,No.,A,ada\n")) == ["which_release"]


class TestChoices:
    @pytest.mark.parametrize(
        ("written", "value"),
        [
            ("model_a", 2),
            ("B", 4),
            ("left", 2),
            ("[[B]]", 4),
            ("A>>B", 1),
            ("B is much better", 5),
            ("Tie", 3),
            ("tie (bothbad)", 6),
            ("tie (both bad)", 6),
            ("Both are bad", 6),
            ("oak", 4),
            ("A=B", 3),
        ],
    )
    def test_are_read_by_their_words(self, written, value):
        imports.apply(imports.pairs(f'{HEAD}Q1,Why?,Pine,Oak,So.,No.,"{written}",ada\n'))

        assert chosen() == [("Q1", "Pine", "Oak", value, "ada")]

    def test_of_other_words_are_said_by_a_person(self):
        text = f"{HEAD}Q1,Why?,Pine,Oak,So.,No.,old one,ada\n"

        assert codes(imports.pairs(text)) == ["no_choice"]
        imports.apply(imports.pairs(text, words={"Old one": "B"}))
        assert chosen() == [("Q1", "Pine", "Oak", 4, "ada")]

    def test_that_are_numbers_are_asked_about(self):
        text = f"{HEAD}Q1,Why?,Pine,Oak,So.,No.,1,ada\nQ1,Why?,Pine,Oak,So.,No.,2,bo\n"

        assert asked(imports.pairs(text)) == ["choice_numbers"]
        upload = imports.pairs(text, told={"choice_numbers": "one_two"})
        assert asked(upload) == []
        imports.apply(upload)
        assert [one[3] for one in chosen()] == [2, 4]

    @pytest.mark.parametrize(
        ("said", "values"), [("steps", [1, 2]), ("minus_b", [2, 1]), ("minus_a", [4, 5])]
    )
    def test_that_are_numbers_mean_what_was_said(self, said, values):
        text = f"{HEAD}Q1,Why?,Pine,Oak,So.,No.,1,ada\nQ1,Why?,Pine,Oak,So.,No.,2,bo\n"

        imports.apply(imports.pairs(text, told={"choice_numbers": said}))

        assert [one[3] for one in chosen()] == values

    def test_are_offered_only_readings_that_have_all_of_the_numbers(self):
        text = f"{HEAD}Q1,Why?,Pine,Oak,So.,No.,-1,ada\nQ1,Why?,Pine,Oak,So.,No.,2,bo\n"

        (ask,) = [
            one for one in imports.pairs(text).report["asks"] if one["code"] == "choice_numbers"
        ]

        assert ask["options"] == ["minus_a", "minus_b"]

    def test_that_are_missing_bring_their_answers_alone(self):
        text = f"{HEAD}Q1,Why?,Pine,Oak,So.,No.,,ada\nQ2,How?,Pine,Oak,So.,No.,A,ada\n"
        upload = imports.pairs(text)

        batch = imports.apply(upload)

        assert codes(upload) == ["no_choice_here"]
        assert (batch.counts["items"], batch.counts["choices"]) == (2, 1)

    def test_are_not_all_missing(self):
        upload = imports.pairs(f"{HEAD}Q1,Why?,Pine,Oak,So.,No.,,ada\n")

        assert codes(upload) == ["no_choice_here", "nobody_chose"]
        assert not upload.report["ok"]

    def test_of_one_pair_by_one_person_stand_once_from_either_side(self):
        text = f"{HEAD}Q1,Why?,Pine,Oak,So.,No.,A,ada\nQ1,Why?,Oak,Pine,No.,So.,B,ada\n"

        assert codes(imports.pairs(text)) == ["chosen_twice"]

    def test_without_a_column_of_people_are_by_as_many_as_there_are(self):
        head = HEAD.replace(",annotator", "")
        row = "Q1,Why?,Pine,Oak,So.,No.,{}\n"
        text = head + row.format("A") + row.format("B") + row.format("tie")

        upload = imports.pairs(text, rater="guest")
        imports.apply(upload)

        assert [one[4] for one in chosen()] == ["guest", "guest 2", "guest 3"]
        assert codes(upload) == ["raters_numbered"]

    def test_by_several_criteria_are_kept_apart(self):
        text = f"{HEAD.strip()},criterion\n"
        text += "Q1,Why?,Pine,Oak,So.,No.,A,ada,Tone\nQ1,Why?,Pine,Oak,So.,No.,B,ada,Depth\n"

        imports.apply(imports.pairs(text))

        found = models.Grade.objects.order_by("line").values_list("criterion__key", "value")
        assert [(key, int(value)) for key, value in found] == [("tone", 2), ("depth", 4)]
        assert models.RoundItem.objects.get().n_seats == 1


class TestMachines:
    TEXT = f"{HEAD}Q1,Why?,Pine,Oak,So.,No.,A,gpt-x\nQ1,Why?,Pine,Oak,So.,No.,B,ada\n"

    def test_are_asked_about_before_anything_comes_in(self):
        upload = imports.pairs(self.TEXT)

        assert asked(upload) == ["machine_choices"]
        with pytest.raises(applying.HasProblems):
            applying.start(upload=upload, by=upload.created_by, now=make.NOW)

    def test_are_not_counted_with_people(self):
        upload = imports.pairs(self.TEXT, told={"machine_choices": "leave_out"})
        imports.apply(upload)

        assert chosen() == [("Q1", "Pine", "Oak", 4, "ada")]
        assert upload.report["counts"]["machine_choices"] == 1

    def test_alone_make_no_round(self):
        text = f"{HEAD}Q1,Why?,Pine,Oak,So.,No.,A,gpt-x\n"

        upload = imports.pairs(text, told={"machine_choices": "leave_out"})

        assert (codes(upload), upload.report["ok"]) == (["only_machines_chose"], False)


class TestMachinesByShape:
    def test_of_judgments_are_asked_about_whatever_their_name(self):
        record = {"question_id": "Q1", "model_1": "pine", "model_2": "oak", "judge": ["crow", "p"]}

        upload = imports.pairs(json.dumps({**record, "g1_winner": "model_1"}), "judged.jsonl")

        assert asked(upload) == ["machine_choices"]

    @pytest.mark.parametrize(("said", "n"), [("leave_out", 0), ("people", 1)])
    def test_come_in_as_somebody_says(self, said, n):
        imports.apply(imports.answers())
        record = {
            "question_id": "Q1",
            "model_1": "Kestrel",
            "model_2": "Harbour",
            "judge": ["crow", "p"],
            "g1_winner": "model_1",
        }
        upload = imports.pairs(json.dumps(record), "judged.jsonl", told={"machine_choices": said})

        assert (upload.report["counts"]["choices"], upload.report["ok"]) == (n, bool(n))


class TestSystemsCalledLikeSides:
    TEXT = f"{HEAD}Q1,Why?,B,A,So.,No.,A,ada\nQ2,How?,A,B,So.,No.,A,ada\n"

    def test_are_asked_about_before_anything_comes_in(self):
        assert asked(imports.pairs(self.TEXT)) == ["choice_names"]

    @pytest.mark.parametrize(("said", "values"), [("systems", [4, 2]), ("sides", [2, 2])])
    def test_are_read_as_somebody_says(self, said, values):
        imports.apply(imports.pairs(self.TEXT, told={"choice_names": said}))

        assert [one[3] for one in chosen()] == values


class TestARubric:
    def test_of_the_project_is_taken_with_its_words(self):
        choice_rubric()
        text = f"{HEAD}Q1,Why?,Pine,Oak,So.,No.,A is much better,ada\n"

        imports.apply(imports.pairs(text, rubric="preference@1", criterion="better"))

        assert chosen() == [("Q1", "Pine", "Oak", 1, "ada")]
        assert models.RubricVersion.objects.count() == 1

    def test_that_does_not_offer_a_choice_refuses_it(self):
        choice_rubric(offered=(2, 4))
        text = f"{HEAD}Q1,Why?,Pine,Oak,So.,No.,tie,ada\n"

        upload = imports.pairs(text, rubric="preference@1", criterion="better")

        assert codes(upload) == ["choice_not_offered"]

    def test_of_marks_is_refused(self):
        make.rubric_version("summary")
        key = "summary"
        upload = imports.take(imports.PAIRS, "pairs.csv", ImportKind.PAIRS)
        mapping = PairMapping(imports.places(upload), "Old", rubric=key)

        with pytest.raises(uploading.MappingIncomplete) as refusal:
            uploading.set_mapping(upload=upload, mapping=mapping)

        assert [one.code for one in refusal.value.problems] == ["rubric_of_marks"]

    def test_of_choices_takes_no_grades(self):
        choice_rubric()
        imports.apply(imports.answers())

        with pytest.raises(uploading.MappingIncomplete) as refusal:
            imports.grades(rubric="preference@1")

        assert [one.code for one in refusal.value.problems] == ["rubric_of_choices"]

    def test_of_marks_stays_one_where_a_file_is_called_as_it(self):
        named = make.rubric_version("summary").rubric

        imports.apply(imports.pairs(new_rubric=named.key))

        assert named.versions.count() == 1
        assert models.Rubric.objects.exclude(pk=named.pk).get().key == f"{named.key}-1"

    def test_is_made_once_for_files_that_say_the_same(self):
        imports.apply(imports.pairs())
        imports.apply(imports.pairs(round_name="Again"))

        assert models.RubricVersion.objects.count() == 1
        assert models.Grade.objects.count() == 8


class Killed(Exception):
    """Stands for a worker that dies."""


def killing_clock():
    calls = itertools.count()

    def tell():
        if next(calls) >= 2:
            raise Killed
        return make.NOW

    return tell


class TestAnImport:
    def many(self):
        rows = [
            f"Q{n},What {n}?,{a},{b},{a} says {n},{b} says {n},A,ada\n"
            for n in range(120)
            for a, b in itertools.combinations("KHT", 2)
        ]
        return HEAD + "".join(rows)

    def test_goes_on_after_a_kill_at_any_batch(self):
        upload = imports.pairs(self.many())
        batch = applying.start(upload=upload, by=upload.created_by, now=make.NOW)

        for _try in range(2):
            with pytest.raises(Killed):
                applying.carry_on(batch_id=batch.pk, clock=killing_clock())
        done = applying.carry_on(batch_id=batch.pk, clock=imports.clock)

        assert done.state == ImportBatch.State.APPLIED
        assert (models.Grade.objects.count(), models.RoundItem.objects.count()) == (360, 360)
        assert (models.Response.objects.count(), models.RoundResponse.objects.count()) == (360, 720)
        numbers = models.RoundItem.objects.values_list("item_id", "pair").distinct()
        assert {pair for _item, pair in numbers} == {1, 2, 3}

    def test_is_hidden_until_all_are_in(self):
        upload = imports.pairs()
        applying.start(upload=upload, by=upload.created_by, now=make.NOW)

        assert models.Round.objects.get().batch.state == "STAGED"
        assert models.Grade.objects.seen().count() == 0

    def test_is_undone_whole(self):
        batch = imports.apply(imports.pairs())

        undoing.undo(batch=batch, by=batch.created_by, clock=imports.clock)

        left = (models.Item, models.Response, models.System, models.Grade, models.RoundItem)
        assert [one._base_manager.count() for one in left] == [0] * 5
        assert models.Round.everything.count() == 0

    def test_that_is_undone_leaves_answers_that_were_here(self):
        imports.apply(imports.answers())
        batch = imports.apply(imports.pairs())

        undoing.undo(batch=batch, by=batch.created_by, clock=imports.clock)

        assert (models.Item.objects.count(), models.Response.objects.count()) == (2, 4)

    def test_that_stopped_is_dropped(self):
        upload = imports.pairs()
        batch = applying.start(upload=upload, by=upload.created_by, now=make.NOW)
        ImportBatch.objects.filter(pk=batch.pk).update(stopped="Full.")

        undoing.drop(batch=batch, by=batch.created_by, clock=imports.clock)

        assert models.Round.everything.count() == models.Item.objects.count() == 0

    def test_changes_nothing_the_second_time(self):
        first = imports.apply(imports.pairs())

        with pytest.raises(applying.AlreadyImported) as again:
            applying.start(upload=imports.pairs(), by=first.created_by, now=make.NOW)

        assert again.value.batch.pk == first.pk


class TestFilesAsPeopleHaveThem:
    def test_of_pandalm_have_three_annotators(self):
        upload = of_case("pandalm.json")
        imports.apply(upload)

        assert [(one[1], one[2], one[3], one[4]) for one in chosen()] == [
            ("pine", "oak", 4, "annotator1"),
            ("pine", "oak", 4, "annotator2"),
            ("pine", "oak", 2, "annotator3"),
            ("pine", "elm", 3, "annotator1"),
            ("pine", "elm", 2, "annotator2"),
            ("pine", "elm", 2, "annotator3"),
        ]
        asked_ = {one.messages[0]["content"] for one in models.Item.objects.all()}
        assert asked_ == {"Shorten.\n\nA long line.", "Shorten."}

    def test_of_alpaca_eval_are_read_from_the_side_they_name(self):
        upload = of_case("alpaca_annotations.json", {"machine_choices": "people"})
        imports.apply(upload)

        assert [one[1:] for one in chosen()] == [
            ("pine-7b", "oak-13b", 4, "weighted_gpt"),
            ("oak-13b", "pine-7b", 2, "weighted_gpt"),
        ]

    def test_of_alpaca_eval_are_by_a_machine_which_is_asked(self):
        upload = of_case("alpaca_annotations.json")

        assert asked(upload) == ["machine_choices"]
        n = upload.report["counts"]["machine_choices"]
        assert faces.title(upload) == f"{n} preferences of machines"

    def test_of_mt_bench_have_experts_and_ties(self):
        imports.apply(of_case("mtbench_human.jsonl"))

        assert chosen() == [
            ("81", "pine", "oak", 2, "expert_0"),
            ("81", "pine", "oak", 3, "expert_1"),
            ("82", "pine", "oak", 4, "expert_0"),
            ("82", "pine", "oak", 6, "expert_1"),
        ]

    @pytest.mark.parametrize(
        "name", ["pandalm.json", "alpaca_annotations.json", "mtbench_human.jsonl"]
    )
    def test_are_told_as_preferences(self, name):
        path = cases.file(name)

        upload = imports.take(path.read_bytes(), path.name, None)

        assert upload.kind == ImportKind.PAIRS
        assert all(guess.sure for _column, guess in recognising.guesses(upload))

    def test_find_the_questions_of_alpaca_outputs(self):
        path = cases.file("alpaca_pine-7b.json")
        others = path.read_text().replace("pine-7b", "elm-3b")
        imports.apply(imports.answers(others, path.name))

        upload = of_case("alpaca_annotations.json", {"machine_choices": "people"})

        assert upload.report["counts"]["known_items"] == 2
        assert upload.report["counts"]["new_items"] == 0

    def test_do_not_take_another_answer_for_that_of_alpaca_outputs(self):
        path = cases.file("alpaca_pine-7b.json")
        imports.apply(imports.answers(path.read_bytes(), path.name))

        upload = of_case("alpaca_annotations.json", {"machine_choices": "people"})

        assert set(codes(upload)) == {"answer_conflict"}


class TestOtherFiles:
    TALK_A = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": "More"},
        {"role": "assistant", "content": "Here"},
    ]
    TALK_B = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Yes"},
        {"role": "user", "content": "More"},
        {"role": "assistant", "content": "No"},
    ]
    VOTE = {
        "question_id": 7,
        "model_a": "pine",
        "model_b": "oak",
        "winner": "model_b",
        "judge": "ada",
        "conversation_a": TALK_A,
        "conversation_b": TALK_B,
    }

    def brought(self, *records, told=None, **options):
        imports.apply(imports.pairs(imports.lines(*records), "a.jsonl", told=told, **options))

    def test_of_mt_bench_keep_turns_apart(self):
        self.brought({**self.VOTE, "turn": 1}, {**self.VOTE, "turn": 2, "winner": "model_a"})

        assert [(one[0], one[3]) for one in chosen()] == [("7", 4), ("7 / turn 2", 2)]
        said = {
            one.item.external_id: [each["content"] for each in one.messages]
            for one in models.Response.objects.filter(release__system__name="pine")
        }
        assert said == {"7": ["Hello"], "7 / turn 2": ["Hello", "More", "Here"]}

    def test_of_mt_bench_have_turns_of_one_question_in_one_group(self):
        self.brought({**self.VOTE, "turn": 1}, {**self.VOTE, "turn": 2})

        assert set(models.Item.objects.values_list("external_id", "group")) == {
            ("7", "7"),
            ("7 / turn 2", "7"),
        }

    def test_of_an_arena_keep_the_whole_conversation(self):
        self.brought(self.VOTE)

        answer = models.Response.objects.get(release__system__name="oak")
        assert [one["content"] for one in answer.messages] == ["Yes", "More", "No"]

    def test_of_an_arena_as_a_table_say_the_winner_in_three_columns(self):
        head = "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie"
        line = '9,heron,owl,"[""When?""]","[""Noon""]","[""Dusk""]",0,0,1'

        imports.apply(imports.pairs(f"{head}\n{line}\n", rater="guest"))

        assert chosen() == [("9", "heron", "owl", 3, "guest")]
        assert models.Response.objects.get(release__system__name="owl").messages == [
            {"role": "assistant", "content": "Dusk"}
        ]

    def test_of_an_arena_with_other_prompts_are_refused(self):
        other = [{"role": "user", "content": "Bye"}, *self.TALK_B[1:]]

        wrong = {**self.VOTE, "question_id": 8, "conversation_b": other}
        upload = imports.pairs(imports.lines(self.VOTE, wrong), "a.jsonl")

        assert codes(upload) == ["prompts_differ"]

    @pytest.mark.parametrize(
        ("preference", "value"), [(1, 2), (2.0, 4), (1.5, 3), (0, 3), (1.49, 2), ("1.51", 4)]
    )
    def test_of_alpaca_eval_go_from_1_to_2(self, preference, value):
        record = {
            "instruction": "Why?",
            "output_1": "So.",
            "output_2": "No.",
            "generator_1": "pine",
            "generator_2": "oak",
            "annotator": "ada",
            "preference": preference,
        }
        self.brought(record, told={"machine_choices": "people"})

        assert chosen()[0][3] == value

    def test_of_alpaca_eval_without_a_preference_have_none(self):
        record = {
            "instruction": "Why?",
            "output_1": "So.",
            "output_2": "No.",
            "generator_1": "pine",
            "generator_2": "oak",
            "annotator": "ada",
            "preference": None,
        }
        also = {**record, "instruction": "How?", "preference": 2}

        self.brought(record, also, told={"machine_choices": "people"})

        assert [one[3] for one in chosen()] == [4]

    def test_of_mt_bench_judges_agree_in_both_orders_or_tie(self):
        imports.apply(imports.answers())
        one = {
            "question_id": "Q1",
            "model_1": "Kestrel",
            "model_2": "Harbour",
            "judge": ["gpt-x", "p"],
        }
        same = {**one, "g1_winner": "model_2", "g2_winner": "model_2"}
        other = {**one, "question_id": "Q2", "g1_winner": "model_1", "g2_winner": "model_2"}

        self.brought(same, other, told={"machine_choices": "people"})

        assert [one[3] for one in chosen()] == [4, 3]

    def test_for_training_come_in_with_their_systems(self):
        record = {
            "prompt": "Why?",
            "chosen": "So.",
            "rejected": "No.",
            "chosen_model": "pine",
            "rejected_model": "oak",
        }
        self.brought(record, rater="panel")

        assert [one[1:] for one in chosen()] == [("pine", "oak", 2, "panel")]

    def test_for_training_without_systems_are_told_by_name(self):
        path = cases.file("dpo_pairs.jsonl")

        with pytest.raises(uploading.HeldBack) as refusal:
            imports.take(path.read_bytes(), path.name, None)

        assert "Pairs of a chosen and a rejected answer" in refusal.value.message

    def test_of_systems_named_for_the_whole_file(self):
        text = "id,question,answer_a,answer_b,winner,annotator\nQ1,Why?,So.,No.,A,ada\n"

        imports.apply(imports.pairs(text, system_a="Old", system_b="New"))

        assert chosen() == [("Q1", "Old", "New", 2, "ada")]


@pytest.fixture
def curator():
    client = Client()
    client.force_login(make.member(Role.CURATOR))
    return client


class TestThePage:
    def url(self, name, *args):
        return reverse(name, args=["northport", *args])

    def test_brings_a_file_in_whose_columns_are_clear(self, curator):
        file = SimpleUploadedFile("pairs.csv", imports.PAIRS.encode())

        sent = curator.post(self.url("import_new"), {"file": file})
        page = curator.get(sent["Location"]).content.decode()
        curator.post(self.url("import_check", Upload.objects.get().number), {"act": "import"})

        assert "4 preferences of 2 people" in page
        assert "A is better (1×), About the same (1×), B is better (1×), Both are bad (1×)" in page
        assert ImportBatch.objects.get().state == ImportBatch.State.APPLIED
        shown = curator.get(self.url("batch", 1)).content.decode()
        assert "Old preferences" not in shown
        assert "pairs" in shown

    def test_asks_who_is_a_machine(self, curator):
        file = SimpleUploadedFile("pairs.csv", TestMachines.TEXT.encode())

        sent = curator.post(self.url("import_new"), {"file": file})
        number = Upload.objects.get().number
        page = curator.get(sent["Location"]).content.decode()
        curator.post(self.url("import_check", number), {"ask-machine_choices": "leave_out"})

        assert "Are gpt-x people?" in page
        assert Upload.objects.get().report["ok"]

    def test_hands_out_a_template_that_comes_back(self, curator):
        imports.apply(imports.answers())

        made = curator.get(self.url("import_template", "pairs", "csv"))
        rows = made.content.decode("utf-8-sig").splitlines()
        filled = [rows[0], *(row.replace(",,,,ada,", ",,,A,ada,") for row in rows[1:])]
        upload = imports.pairs("\n".join([*filled, ""]))

        assert "pairs" in [kind.lower() for kind in starters.KINDS]
        assert (upload.report["ok"], codes(upload)) == (True, [])
        assert upload.report["counts"]["choices"] == 2


class TestPrograms:
    def test_send_a_file_and_learn_of_the_round(self, as_curator):
        file = SimpleUploadedFile("pairs.csv", imports.PAIRS.encode())
        address = "/api/v1/projects/northport/imports/"

        made = as_curator.post(f"{address}pairs/", {"file": file, "round_name": "Old"})

        assert (made.status_code, made.json()["counts"]["choices"]) == (201, 4)
        assert as_curator.get(f"{address}{made.json()['import']}/").json()["round"] == 1

    def test_are_asked_of_machines(self, as_curator):
        address = "/api/v1/projects/northport/imports/pairs/"

        def send(**more):
            file = SimpleUploadedFile("pairs.csv", TestMachines.TEXT.encode())
            return as_curator.post(address, {"file": file, "round_name": "Old", **more})

        asked_ = send()
        done = send(answers=json.dumps({"machine_choices": "leave_out"}))

        assert (asked_.status_code, list(asked_.json()["fields"])) == (409, ["machine_choices"])
        assert (done.status_code, done.json()["counts"]["choices"]) == (201, 1)


def test_what_was_found_is_told_line_by_line():
    found = [one.title for one in faces.lines(imports.pairs())]

    assert found == [
        "Questions: 2 new",
        "Systems: 3 new",
        "Answers: 5",
        "People: 2 new",
        "Preferences: 4",
        "Comments: 1",
    ]
