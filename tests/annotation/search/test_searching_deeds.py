import pytest

from annotation import models
from annotation.bank import operations as writing
from annotation.search import similarity
from tests import make

pytestmark = pytest.mark.django_db


def words() -> dict[str, str]:
    rows = models.QuestionText.objects.values_list("question__external_id", "said")
    return dict(rows)


class TestKeepWords:
    def test_keeps_what_the_newest_version_says(self):
        text = make.question_text("What is FCA?", "Free  Carrier.")
        version = make.question_version(external_id="A1", text=text)

        assert words() == {"A1": "a1\nwhat is fca?\nfree carrier."}

        newer = writing.revise(version=version, by=version.author, now=make.NOW)
        again = make.question_text("What is DAP?", "Delivered at place.")
        writing.save_draft(version=newer, text=again, base_rev=0, by=version.author, now=make.NOW)

        assert words() == {"A1": "a1\nwhat is dap?\ndelivered at place."}

        newer.refresh_from_db()
        writing.discard(version=newer, by=version.author, now=make.NOW)

        assert words() == {"A1": "a1\nwhat is fca?\nfree carrier."}

    def test_goes_with_the_question(self):
        version = make.question_version("DRAFT")

        writing.discard(version=version, by=version.author, now=make.NOW)

        assert words() == {}

    def test_reads_what_nobody_has_read(self):
        make.question_version(
            "DRAFT", external_id="A1", text=make.question_text("海运提单？", "是")
        )
        models.QuestionText.objects.all().delete()
        models.IndexedText.objects.update(method=0)

        similarity.index_rest(project=make.project())

        assert words() == {"A1": "a1\n海运提单?\n是"}
