import pytest

from scoring.kinds.suites import figure as suite_label_figures
from scoring.kinds.suites import labels as suite_labels
from tests.scoring import suites

pytestmark = pytest.mark.django_db

SUITE = """\
name: Tutor
metrics:
  function:
    - {name: message_matches_regex, kwargs: {expression: "(?i)physics"}, metric_level: Message}
    - {name: string_length, metric_level: Turn}
"""


def talk(number, *turns):
    said = [
        {"role": role, "content": content} | ({"label": label} if label else {})
        for role, content, label in turns
    ]
    return {"id": f"talk-{number}", "messages": said}


TALKS = [
    talk(1, ("user", "Physics!", "Off"), ("assistant", "On physics then.", "ON ")),
    talk(2, ("user", "Hi", ""), ("assistant", "What is physics?", "on")),
    talk(3, ("user", "Hm", "off"), ("assistant", "Look at the sky.", "on")),
]


def run():
    return suites.done(suites.requested(suites.saved(SUITE), suites.brought(suites.lines(TALKS))))


def found(made, metric="message_matches_regex", label="label"):
    choice = next(one for one in suite_labels.choices(made) if metric in one.name)
    return suite_label_figures.compute_labels(made, choice, label)


class TestChoices:
    def test_name_every_value_of_the_run(self):
        names = [one.name for one in suite_labels.choices(run())]

        assert len(names) == 2
        assert {name[name.rindex("(") :] for name in names} == {"(Message)", "(Turn)"}


class TestLabels:
    def test_are_what_messages_carry_that_takes_few_values(self):
        (label,) = suite_labels.labels(run())

        assert (label.name, label.why, label.n) == ("label", "", 5)
        assert label.values == (("on", 3), ("off", 2))
        assert label.shown == "label (on, off)"

    def test_say_why_other_metadata_is_none(self):
        talks = [
            {
                "id": f"t{n}",
                "batch": "May",
                "messages": [
                    {"role": "user", "content": "a" * n, "stamp": f"s{n}", "mood": "ab"[n % 2]}
                ]
                * 2,
                "few": n if n < 4 else None,
                "timestamp": "now",
            }
            for n in range(1, 16)
        ]
        made = suites.done(suites.requested(None, suites.brought(suites.lines(talks))))

        found = {one.name: one.why for one in suite_labels.labels(made)}

        assert found == {
            "mood": "",
            "stamp": "15 values: no classes",
            "batch": "it always says “may”",
            "few": "nearly all differ",
        }
        assert next(iter(found)) == "mood"


class TestCompute:
    def test_compares_what_has_both_whatever_its_case(self):
        data = found(run())

        assert (data["n"], data["n_unlabelled"], data["n_silent"]) == (5, 1, 0)
        by = {one["label"]: one for one in data["classes"]}
        assert (by["on"]["n_true"], by["off"]["n_true"]) == (3, 2)

    def test_is_of_the_run_and_metric_that_are_named(self):
        made = run()
        choice = suite_labels.choices(made)[0]

        data = suite_label_figures.labels_of_figure(made, {"metric": choice.key, "label": "label"})

        assert data == suite_label_figures.compute_labels(made, choice, "label")

    def test_refuses_a_metric_that_is_not_there(self):
        with pytest.raises(ValueError, match="no such value"):
            suite_label_figures.labels_of_figure(run(), {"metric": "9:TURN:x", "label": "label"})

    def test_asks_for_each_conversation_no_more_than_once(self, django_assert_max_num_queries):
        made = run()
        choice = suite_labels.choices(made)[0]

        with django_assert_max_num_queries(6):
            suite_label_figures.compute_labels(made, choice, "label")


class TestLabelOf:
    @pytest.mark.parametrize(
        ("value", "label"),
        [
            ("  On Task ", "on task"),
            (True, "yes"),
            (2.0, "2"),
            (None, ""),
            (["x"], ""),
            ("x" * 61, ""),
        ],
    )
    def test_is_compared_without_case_and_room(self, value, label):
        assert suite_labels.label_of({"label": value}, "label") == label

    def test_what_a_machine_said_is_its_label_or_its_number(self):
        said = [suite_labels.said_by("Yes", 1.0), suite_labels.said_by("", 0.0)]

        assert [*said, suite_labels.said_by("", None)] == ["yes", "0", ""]
