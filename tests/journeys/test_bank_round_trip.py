"""The bank goes out as a file and comes in again: into an empty project, and into its own."""

import datetime
from typing import Any

import pytest
from django.test import Client

from annotation import models
from annotation.bank import operations as writing
from annotation.bank.models import QuestionVersion
from annotation.domains import operations as taxonomy
from annotation.people.models import Role
from annotation.sources import operations as sources
from tests import imports, make

pytestmark = pytest.mark.django_db
PARTS = (
    "turns",
    "answer",
    "key_points",
    "difficulty",
    "question_type",
    "principle",
    "as_of",
    "valid_until",
    "tags",
    "language",
)


@pytest.fixture
def bank():
    """A bank with all that is hard to write into a file."""
    home = make.project()
    by = make.member(Role.DESIGNER)
    general = make.capability("Language")
    nested = taxonomy.save_capability(
        project=home, text=taxonomy.CapabilityText("Reading", general), by=by, now=make.NOW
    )
    twin = taxonomy.save_capability(
        project=home, text=taxonomy.CapabilityText("Reading"), by=by, now=make.NOW
    )
    area = taxonomy.save_domain(
        project=home,
        text=taxonomy.DomainText("Terms / FOB", make.domain("Sea")),
        by=by,
        now=make.NOW,
    )
    gone = sources.add_source(
        project=home,
        about=sources.SourceAbout(
            "Incoterms", "WEB", "https://a.example/x?a=1", "ICC", "all rights"
        ),
        said=sources.SourceSaid(valid_until=datetime.date(2026, 12, 31)),
        by=by,
        now=make.NOW,
    )
    texts = [
        make.question_text(
            "=1+1 is how much?\r\nSay it.",
            '-2, “quoted”, "plain",\n\nand a second paragraph',
            key_points=("- a dash", "a | bar", "=SUM(A1)"),
            capability_id=nested.pk,
            domain_id=area.pk,
            principle="@all",
            as_of="Q1 2026",
            valid_until=datetime.date(2026, 6, 30),
            tags=("sea", "a b; c", "海运"),
            language="en-GB",
        ),
        make.question_text(
            turns=(
                {"role": "system", "content": "You are a clerk."},
                {"role": "user", "content": "Hello"},
                {"role": "assistant", "content": "Yes?"},
                {"role": "user", "content": "海运提单的作用是什么?"},
            ),
            capability_id=twin.pk,
            cited=(writing.Cited(gone.pk, "§ 3"), writing.Cited(gone.pk, "§ 4")),
        ),
        writing.WholeDraft(turns=({"role": "user", "content": "'=quoted already"},)),
    ]
    for number, text in enumerate(texts, 1):
        make.question_version("DRAFT", external_id=f"C-{number}", text=text)
    make.question_version("ACCEPTED", external_id="C-4")
    return home


def file_of(home, ending):
    owner = home.memberships.filter(role=Role.OWNER).earliest("pk").user
    client = Client()
    client.force_login(owner)
    answer: Any = client.get(f"/p/{home.slug}/bank/questions.{ending}")
    return b"".join(answer.streaming_content)


def said(home):
    """Return all that a bank says, but for who said it and how far it has come."""
    found = {}
    for one in QuestionVersion.objects.newest().filter(question__project=home):
        values = {name: getattr(one, name) for name in PARTS}
        values["turns"] = [
            {**turn, "content": turn["content"].replace("\r\n", "\n")} for turn in one.turns
        ]
        values["cited"] = [
            (
                cited.source_version.source.title,
                cited.source_version.source.address,
                cited.source_version.source.kind,
                cited.source_version.valid_until,
                cited.locator,
            )
            for cited in one.citations.all()
        ]
        for name in ("capability", "domain"):
            node, path = getattr(one, name), []
            while node is not None:
                path.insert(0, node.name)
                node = node.parent
            values[name] = path
        found[one.question.external_id] = values
    return found


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
class TestTheBank:
    def test_is_the_same_in_an_empty_project(self, bank, ending):
        there = make.project("southgate")

        upload = imports.questions(file_of(bank, ending), f"bank.{ending}", project=there)
        imports.apply(upload)

        assert imports.problems(upload) == []
        assert said(there) == said(bank)
        states = QuestionVersion.objects.filter(question__project=there)
        assert set(states.values_list("state", "number")) == {("DRAFT", 1)}

    def test_brings_nothing_into_its_own_project(self, bank, ending):
        counted = models.Question.everything.count(), models.Source.objects.count()

        upload = imports.questions(
            file_of(bank, ending), f"bank.{ending}", create_missing=False, make_sources=False
        )
        batch = imports.apply(upload)

        assert (batch.counts["questions"], batch.counts["unchanged"]) == (0, 4)
        assert (models.Question.everything.count(), models.Source.objects.count()) == counted

    def test_brings_nothing_twice(self, bank, ending):
        there = make.project("southgate")
        imports.apply(imports.questions(file_of(bank, ending), f"b.{ending}", project=there))

        again = imports.questions(file_of(there, ending), f"c.{ending}", project=there)

        assert imports.apply(again).counts["unchanged"] == 4

    def test_holds_drafts_that_say_nothing_yet(self, bank, ending):
        make.question_version("DRAFT", external_id="C-5", text=writing.WholeDraft())
        blank = writing.WholeDraft(turns=({"role": "user", "content": ""},))
        make.question_version("DRAFT", external_id="C-6", text=blank)

        upload = imports.questions(file_of(bank, ending), f"bank.{ending}")

        assert imports.apply(upload).counts["unchanged"] == 6


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
class TestAPassage:
    TEXT = "Here.\n\nDemurrage is charged inside the terminal."

    def of(self, home, text, said="Here."):
        by = make.member(Role.DESIGNER, in_=home)
        return sources.add_source(
            project=home,
            about=sources.SourceAbout("Tariff"),
            said=sources.SourceSaid(text=text),
            by=by,
            now=make.NOW,
        )

    def cited(self, ending):
        """Return a project with a question from the first words of a source, and its file."""
        home = make.project()
        version = self.of(home, self.TEXT)
        cited = [writing.Cited(version.pk, "paragraph 1", 0, 5)]
        make.question_version("DRAFT", external_id="P-1", text=make.question_text(cited=cited))
        return home, file_of(home, ending)

    def test_is_nothing_new_in_its_own_project(self, ending):
        home, data = self.cited(ending)

        batch = imports.apply(imports.questions(data, f"bank.{ending}", project=home))

        assert batch.counts["unchanged"] == 1

    @pytest.mark.parametrize(
        ("text", "places"),
        [
            (TEXT, (0, 5)),
            ("Title\n\n" + TEXT, (7, 12)),
            ("", (None, None)),
            ("Here. Here.", (0, 5)),
        ],
        ids=["same", "moved", "no text", "twice"],
    )
    def test_stands_where_its_words_stand(self, ending, text, places):
        _home, data = self.cited(ending)
        there = make.project("southgate")
        if text:
            self.of(there, text)

        imports.apply(imports.questions(data, f"bank.{ending}", project=there))

        [one] = models.Citation.objects.filter(version__question__project=there)
        assert (one.start, one.end) == places
        assert one.locator == "paragraph 1"
        assert one.quote == ("Here." if text else "")
        again = imports.questions(data + data[-1:], f"again.{ending}", project=there)
        assert imports.apply(again).counts["unchanged"] == 1
