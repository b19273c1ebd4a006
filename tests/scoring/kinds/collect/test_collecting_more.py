import pytest

from annotation.imports import collecting as wanted
from annotation.rounds import drafting, drawing
from scoring.endpoints import operations
from scoring.engine import estimating, requests
from scoring.engine.models import Run
from scoring.kinds.collect import operations as collecting
from tests import make
from tests.scoring import connected

pytestmark = pytest.mark.django_db


def lacking():
    return wanted.of_bank(make.project(), [], [], make.NOW)


class TestConfigure:
    def test_lists_what_each_connected_release_lacks(self):
        first, second = make.item("Q01"), make.item("Q02")
        made = connected.connection(temperature=0.5)
        make.release("Heron")
        make.response(first, made.release)

        config = collecting.configure(wanted=lacking())

        chosen = config["releases"]["Kestrel · 1"]
        assert config["items"] == {str(made.release_id): [second.pk]}
        assert chosen["n_items"] == 1
        assert chosen["settings"] == {"temperature": 0.5}
        assert (chosen["connection"], chosen["endpoint"]) == (made.pk, made.endpoint_id)

    def test_leaves_out_what_cannot_be_sent_to_a_system(self):
        connected.connection()
        make.item("Q01")
        make.item("Q02", earlier=[{"role": "tool", "content": "42"}])

        (items,) = collecting.configure(wanted=lacking())["items"].values()

        assert len(items) == 1

    def test_refuses_a_release_that_nothing_answers_as(self):
        make.item()
        connected.connection()
        heron = make.release("Heron")

        with pytest.raises(operations.ReleaseNotConnected, match="Heron"):
            collecting.configure(wanted=lacking(), releases=[heron.pk])

    def test_refuses_where_nothing_is_connected(self):
        make.item()
        make.release()

        with pytest.raises(operations.ReleaseNotConnected):
            collecting.configure(wanted=lacking())

    def test_refuses_more_than_a_run_asks_for(self, monkeypatch):
        connected.connection()
        for _ in range(3):
            make.item()
        monkeypatch.setattr(collecting, "MOST", 5)

        with pytest.raises(collecting.TooManyAnswers, match="6 answers"):
            collecting.configure(wanted=lacking(), samples=2)

    def test_refuses_too_many_answers_to_a_question(self):
        connected.connection()
        make.item()

        with pytest.raises(requests.BadWish) as refused:
            connected.request(samples=11)

        assert "samples" in refused.value.fields


class TestEstimate:
    def test_counts_every_turn_of_a_script_as_a_call(self):
        turn = {"role": "user", "content": "First this."}
        connected.connection(max_tokens=100)
        make.item("Q01")
        make.item("Q02", earlier=[turn, turn])

        wish = collecting.Collected(**connected.head(1, "Answers"), samples=2)
        found, _asked = connected.reckoned(collecting.KIND, make.project(), wish)

        assert found.calls == 8
        assert found.completion_tokens == 800

    def test_refuses_prompts_that_do_not_fit(self):
        connected.connection(max_tokens=100, to=connected.endpoint("Short", context_length=120))
        make.item("Q01", question="What is it? " * 20)

        wish = collecting.Collected(**connected.head(1, "Answers"))
        with pytest.raises(estimating.TooLong, match="Q01"):
            connected.reckoned(collecting.KIND, make.project(), wish)


class TestRequestAnswers:
    def test_is_the_same_run_when_it_is_asked_for_twice(self):
        connected.connection()
        make.item()

        assert connected.request(1) == connected.request(1)

    def test_fills_what_a_draft_lacks(self):
        round_ = make.draft_round(n_items=3, n_releases=2)
        fresh = make.release("Plover")
        connected.connection(fresh)
        by = round_.created_by
        drafting.choose_releases(
            round_=round_,
            releases=[*(one.release for one in round_.systems.all()), fresh],
            by=by,
            now=make.NOW,
        )
        run = connected.done(connected.request(round=round_.number))
        counts = drawing.prepare(round_=round_, now=make.NOW)

        assert (run.state, run.scripted, run.round) == (Run.State.DONE, True, round_)
        assert counts["missing"] == 0
        assert (counts["responses"], counts["scripted"]) == (9, 3)
