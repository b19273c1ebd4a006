import json
from uuid import UUID

import pytest

from annotation.bank import operations as writing
from annotation.bank.models import MachineDraft, Question
from annotation.people.models import Role
from annotation.sources import operations as sources
from evalsite import errors
from scoring.engine import working
from scoring.engine.claims import Means
from scoring.engine.models import Run, Step
from scoring.engine.pacing import Patience
from scoring.kinds.drafting import kind as reads
from scoring.kinds.drafting import operations as drafting
from scoring.kinds.drafting import v1
from scoring.kinds.drafting.kind import DraftingNotAllowed
from scoring.kinds.drafting.models import Proposal
from tests import make
from tests.scoring import connected, running
from tests.scoring.llm import serving

pytestmark = pytest.mark.django_db
TEXT = "First paragraph.\n\nDemurrage is charged inside the terminal."
ONE = {
    "question": "Where is demurrage charged?",
    "answer": "Inside the terminal.",
    "key_points": ["Inside the terminal."],
    "evidence": "charged inside the terminal",
}
PROPOSES = {"replies": [{"contains": "", "reply": json.dumps({"questions": [ONE]})}]}
POINTS = {"replies": [{"contains": "", "reply": '{"key_points": ["It stays.", "It runs."]}'}]}


def allowed(script=PROPOSES, endpoint=None):
    helper = endpoint or connected.endpoint("Helper", script=script)
    drafting.allow(
        project=make.project(), endpoint=helper, by=make.member(Role.OWNER), now=make.NOW
    )
    return helper


def source():
    return sources.add_source(
        project=make.project(),
        about=sources.SourceAbout("Tariff"),
        said=sources.SourceSaid(text=TEXT),
        by=make.member(Role.CURATOR),
        now=make.NOW,
    )


def asked(version, by=None, number=1):
    return drafting.request_questions(
        version=version,
        start=18,
        end=len(TEXT),
        key=UUID(int=number),
        seed=3,
        by=by or make.member(Role.DESIGNER),
        now=make.NOW,
    )


def done(found):
    connected.done(found.run)
    found.refresh_from_db()
    return found


class TestAllow:
    def test_is_the_owner_s(self):
        helper = connected.endpoint("Helper")

        with pytest.raises(DraftingNotAllowed):
            drafting.allow(
                project=make.project(),
                endpoint=helper,
                by=make.member(Role.CURATOR),
                now=make.NOW,
            )
        assert reads.endpoint_of(make.project()) is None

    def test_can_be_taken_back(self):
        allowed()
        drafting.allow(
            project=make.project(), endpoint=None, by=make.member(Role.OWNER), now=make.NOW
        )

        with pytest.raises(errors.Refusal):
            asked(source())
        assert not Run.objects.exists()


class TestRequestQuestions:
    def test_proposes_by_the_endpoint_that_is_allowed(self):
        allowed()

        found = done(asked(source()))

        [one] = found.proposals.all()
        assert one.content["question"] == ONE["question"]
        assert one.content["found"]
        assert found.run.config["prompts_sha"] == v1.prompts_sha()
        assert not Question.objects.exists()

    def test_is_one_request_however_often_it_is_sent(self):
        allowed()
        version = source()

        assert asked(version).pk == asked(version).pk
        assert Run.objects.count() == 1

    def test_refuses_a_source_that_one_does_not_see(self):
        allowed()
        version, curator = source(), make.member(Role.CURATOR)
        shelf = sources.create_collection(
            project=make.project(), name="Closed", note="", by=curator, now=make.NOW
        )
        sources.move(source=version.source, collection=shelf, by=curator, now=make.NOW)

        with pytest.raises(DraftingNotAllowed):
            asked(version)

    def test_refuses_who_does_not_write_questions(self):
        allowed()

        with pytest.raises(DraftingNotAllowed):
            asked(source(), by=make.member(Role.INSPECTOR))

    def test_proposes_nothing_where_the_reply_has_no_form(self):
        allowed({"replies": [{"contains": "", "reply": "Gladly!"}]})

        found = done(asked(source()))

        came = reads.came_of(found)
        assert (came.is_over, came.proposals) == (True, [])
        assert "no proposal" in came.problem
        assert found.run.steps.get().outcome == Step.Outcome.NO_READING


class TestTakeQuestion:
    def test_begins_a_draft_that_says_for_ever_that_a_machine_drafted_it(self):
        helper = allowed()
        found = done(asked(source()))
        designer = found.run.requested_by

        made = drafting.take_question(proposal=found.proposals.get(), by=designer, now=make.NOW)

        [cited] = made.citations.all()
        mark = MachineDraft.objects.get(version=made)
        assert (made.state, made.author, made.answer) == ("DRAFT", designer, ONE["answer"])
        assert cited.quote == "Demurrage is charged inside the terminal."
        assert cited.locator == "paragraph 2"
        assert (mark.part, mark.protocol) == ("QUESTION", "drafting/v1")
        assert mark.endpoint.startswith(helper.name)

    def test_is_for_who_asked(self):
        allowed()
        found = done(asked(source()))

        with pytest.raises(DraftingNotAllowed):
            drafting.take_question(
                proposal=found.proposals.get(), by=make.member(Role.CURATOR), now=make.NOW
            )
        assert not Question.objects.exists()

    def test_lets_the_draft_be_thrown_away(self):
        allowed()
        found = done(asked(source()))
        designer = found.run.requested_by
        made = drafting.take_question(proposal=found.proposals.get(), by=designer, now=make.NOW)

        writing.discard(version=made, by=designer, now=make.NOW)

        assert Proposal.objects.get().uses.get().question_version is None


class TestRequestHelp:
    def help(self, task, script):
        allowed(script)
        version = make.question_version("DRAFT")
        found = drafting.request_help(
            version=version,
            task=task,
            key=UUID(int=7),
            seed=1,
            by=version.author,
            now=make.NOW,
        )
        return version, done(found)

    def test_puts_key_points_into_the_draft_and_marks_it(self):
        version, found = self.help("POINTS", POINTS)

        saved = drafting.take_points(
            proposal=found.proposals.get(), base_rev=version.rev, by=version.author, now=make.NOW
        )

        assert saved.key_points == ["It stays.", "It runs."]
        assert saved.citations.count() == 1
        assert MachineDraft.objects.get(version=saved).part == "POINTS"

    def test_looks_for_ambiguity(self):
        said = '{"readings": ["Import", "Export"], "missing": ["direction"], "rewording": ""}'
        script = {"replies": [{"contains": "", "reply": said}]}

        _version, found = self.help("AMBIGUITY", script)

        assert found.proposals.get().content["missing"] == ["direction"]

    def test_is_for_the_author(self):
        allowed(POINTS)
        version = make.question_version("DRAFT")

        with pytest.raises(DraftingNotAllowed):
            drafting.request_help(
                version=version,
                task="POINTS",
                key=UUID(int=7),
                seed=1,
                by=make.member(Role.CURATOR),
                now=make.NOW,
            )


FAULTS = {"429": 0.2, "500": 0.15, "garbage": 0.15, "drop": 0.15, "seed": 2}


class TestOverHTTP:
    def test_comes_to_an_end_whatever_the_server_does(self, settings):
        settings.ENDPOINT_NETWORKS = ["127.0.0.0/8"]
        version = source()
        patience = Patience(first_wait=0.01, longest_wait=0.1)
        ended = []
        with serving.in_thread(PROPOSES, FAULTS) as served:
            allowed(endpoint=running.endpoint(url=served.url, model_name="scripted", timeout=2))
            for number in range(1, 9):
                found = asked(version, number=number)
                working.work(found.run_id, running.clock, Means(patience=patience))
                found.refresh_from_db()
                ended.append(reads.came_of(found))
            counts = served.counts()

        assert sum(counts["faults"].values()) > 0
        assert all(one.is_over for one in ended)
        good = [one for one in ended if one.proposals]
        assert len(good) >= 5
        assert all(one.proposals[0].content["answer"] == ONE["answer"] for one in good)
        assert all(one.problem for one in ended if not one.proposals)
