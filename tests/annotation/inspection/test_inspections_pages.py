import pytest
from django.urls import reverse

from annotation import models
from annotation.bank import operations as writing
from annotation.bank.checklists import ChecklistLine
from annotation.inspection import operations as inspecting
from annotation.people.models import Role
from tests import make
from tests.pages import squeezed

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script> **bold** <img src=x onerror=alert(1)>"


def waiting(question="What is it?", author=None, **text) -> models.QuestionVersion:
    return make.question_version(
        "SUBMITTED", author=author, text=make.question_text(question, **text)
    )


def core(question) -> models.QuestionVersion:
    return waiting(question, domain_id=make.domain("Core", priority="P0").pk)


def listed(client, **query) -> str:
    return client.get(reverse("inspections", args=["northport"]), query).content.decode()


def page_of(version) -> str:
    return reverse("inspection", args=["northport", version.pk])


def sheet(verdict="ACCEPT", failed=(), **more) -> dict[str, str]:
    """Return the form as a browser sends it."""
    sent = {"verdict": verdict, "note": "", **more}
    for one in make.checked(make.project(), failed=failed):
        sent[f"outcome-{one.line}"] = one.outcome
        if one.outcome == "FAIL":
            sent[f"reason-{one.line}"], sent[f"field-{one.line}"] = one.reason, one.field
            sent[f"note-{one.line}"] = one.note
    return sent


class TestQueue:
    def test_says_that_nothing_waits(self, client, inspector):
        assert "Nothing waits" in listed(client)

    def test_says_that_what_waits_is_for_others(self, client):
        curator = make.member(Role.CURATOR)
        client.force_login(curator)
        waiting("Mine?", author=curator)

        page = listed(client)

        assert "Nothing waits for you" in page
        assert "Mine?" not in page

    def test_shows_core_domains_first_and_then_the_oldest(self, client, inspector):
        for question in ("First?", "Second?"):
            waiting(question)
        core("Core?")

        page = listed(client)

        assert page.index("Core?") < page.index("First?") < page.index("Second?")

    def test_leaves_out_what_was_decided_and_what_is_out_of_use(self, client, inspector):
        make.question_version("ACCEPTED", text=make.question_text("Decided?"))
        gone = waiting("Retired?")
        models.Question.objects.filter(pk=gone.question_id).update(state="RETIRED")

        page = listed(client)

        assert "Decided?" not in page
        assert "Retired?" not in page

    def test_leaves_out_what_this_inspector_has_passed(self, client, inspector):
        version = core("Core?")
        inspecting.inspect(
            version=version,
            verdict="ACCEPT",
            checked=make.checked(make.project()),
            by=inspector,
            now=make.NOW,
        )

        assert "Core?" not in listed(client)

    def test_leaves_out_what_holds_words_of_this_inspector(self, client):
        curator = make.member(Role.CURATOR)
        client.force_login(curator)
        first = make.question_version("RETURNED", author=curator)
        second = writing.revise(version=first, by=make.member(Role.DESIGNER), now=make.NOW)
        make.taken_to("SUBMITTED", second)

        assert "Nothing waits for you" in listed(client)

    @pytest.mark.parametrize("name", ["capability", "designer"])
    def test_can_be_narrowed(self, client, inspector, name):
        other = make.member(Role.DESIGNER, username="other")
        wanted = waiting("Wanted?", author=other, capability_id=make.capability("Creativity").pk)
        waiting("Unwanted?")
        value = {"capability": wanted.capability_id, "designer": other.pk}[name]

        page = listed(client, **{name: value})

        assert "Wanted?" in page
        assert "Unwanted?" not in page
        assert f"{page_of(wanted)}?{name}={value}" in page


class TestInspectionPage:
    def test_shows_all_that_helps_to_judge(self, client, inspector):
        capability = make.capability()
        models.Capability.objects.filter(pk=capability.pk).update(
            difficulties={"SIMPLE": {"definition": "One fact.", "example": "A name."}}
        )
        version = waiting("What is **it**?", principle="Be strict.")

        page = client.get(page_of(version)).content.decode()

        for words in ("<strong>it</strong>", "a receipt", "Be strict.", "One fact.", "A name."):
            assert words in page
        assert "What the handbook says." in page
        assert page.count('type="radio"') == 3 * 14

    def test_shows_texts_of_people_as_texts(self, client, inspector):
        version = waiting(HOSTILE, answer=HOSTILE, key_points=(HOSTILE,))

        page = client.get(page_of(version)).content.decode()

        assert "<script>alert" not in page
        assert "<img src=x" not in page

    def test_shows_what_changed_and_what_the_author_replies(self, client, inspector):
        first = waiting("What is that thing?")
        inspecting.inspect(
            version=first,
            verdict="RETURN",
            checked=make.checked(make.project(), failed=("correct",)),
            by=make.member(Role.CURATOR),
            now=make.NOW,
        )
        given = {"by": first.author, "now": make.NOW}
        second = writing.revise(version=first, **given)
        text = make.question_text("What is this thing?", replies={"correct": "Mended."})
        second = writing.save_draft(version=second, text=text, base_rev=0, **given)
        make.taken_to("SUBMITTED", second)

        page = squeezed(client.get(page_of(second)).content.decode())

        assert "that<span" in page.split("<del>")[1]
        assert "this<span" in page.split("<ins>")[1]
        assert "Not so." in page
        assert "Mended." in page

    def test_does_not_say_what_the_first_inspector_found(self, client):
        version = core("Core?")
        inspecting.inspect(
            version=version,
            verdict="ACCEPT",
            checked=make.checked(make.project()),
            by=make.member(Role.INSPECTOR, username="first", in_=make.project()),
            now=make.NOW,
            note="A word of the first.",
        )
        client.force_login(make.member(Role.INSPECTOR))

        page = client.get(page_of(version)).content.decode()

        assert "Core area: 2 inspectors." in page
        assert "1 of 2" not in page
        assert "A word of the first." not in page
        assert "First" not in page.split('class="crumb"')[1].split("</form>")[0].replace(
            "First page", ""
        )

    def test_leads_on_to_the_next_one(self, client, inspector):
        first, second = waiting("First?"), waiting("Second?")

        sent = client.post(page_of(first), sheet())

        assert sent.headers["Location"] == page_of(second)
        sent = client.post(page_of(second) + "?designer=999999", sheet())
        assert (
            sent.headers["Location"]
            == reverse("inspections", args=["northport"]) + "?designer=999999"
        )

    def test_keeps_what_was_sent_and_says_what_is_missing(self, client, inspector):
        version = waiting()
        sent = {
            **sheet("RETURN", failed=("correct",)),
            "note": "Think again.",
            "suggest-answer": "So.",
        }
        del sent["outcome-new"]

        page = client.post(page_of(version), sent)

        assert page.status_code == 422
        text = page.content.decode()
        assert "Not saved." in text
        assert 'href="#line-10"' in text
        assert "Think again." in text
        assert ">So.</textarea>" in text
        assert version.inspections.count() == 0

    def test_keeps_suggestions_and_what_the_rubric_gave(self, client, inspector):
        version = waiting()
        more = {
            "suggest-answer": "Another answer.",
            "suggest-key_points": "a receipt\na title\nfor goods",
            "suggest-question": version.turns[0]["content"],
            "sample-1": "A paper.",
            "mark-1-grade": "1",
        }

        client.post(page_of(version), sheet("RETURN", failed=("correct",), **more))

        made = version.inspections.get()
        assert made.suggestion == {
            "answer": "Another answer.",
            "key_points": ["a receipt", "a title", "for goods"],
        }
        assert made.note == "Rubric tried on “A paper.”: Grade 1"

    def test_shows_new_lines_where_the_checklist_has_moved_on(self, client, inspector):
        version = waiting()
        old = inspecting.current_checklist(project=make.project(), now=make.NOW)
        inspecting.save_checklist(
            project=make.project(),
            lines=[ChecklistLine("new", "A new line")],
            base=old,
            by=make.member(Role.CURATOR),
            now=make.NOW,
        )

        page = client.post(page_of(version), {**sheet(), "checklist": str(old.pk)})

        assert page.status_code == 409
        assert "A new line" in page.content.decode()

    def test_shows_a_decided_version_and_how_it_was_decided(self, client, inspector):
        version = make.question_version("RETURNED", inspector=make.member(Role.CURATOR))

        page = client.get(page_of(version)).content.decode()

        assert "This version is decided." in page
        assert "Not so." in page
        assert 'type="radio"' not in page

    def test_shows_authors_their_own_without_a_form(self, client):
        curator = make.member(Role.CURATOR)
        client.force_login(curator)
        version = waiting(author=curator)

        assert "somebody else inspects it" in client.get(page_of(version)).content.decode()

    @pytest.mark.parametrize("where", ["draft", "elsewhere"])
    def test_knows_no_drafts_and_nothing_of_other_projects(self, client, inspector, where):
        version = (
            make.question_version("DRAFT")
            if where == "draft"
            else make.question_version("SUBMITTED", in_=make.project("southgate"))
        )

        assert client.get(page_of(version)).status_code == 404
