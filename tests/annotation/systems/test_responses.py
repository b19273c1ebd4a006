import pytest

from annotation.common import texts as contents
from annotation.systems import operations as responses
from annotation.systems.models import Response
from annotation.systems.rules import Output
from tests import make

pytestmark = pytest.mark.django_db


def record(item, release, text: str, **more) -> int:
    output = Output(release.pk, contents.as_messages(text, "assistant"), **more)
    return responses.record_response(item_id=item.pk, output=output, now=make.NOW)


class TestRecordResponse:
    def test_keeps_what_was_put_out_and_where_it_comes_from(self):
        item, release = make.item(), make.release()

        pk = record(item, release, "A base.", details={"run": 3})

        kept = Response.objects.get(pk=pk)
        assert kept.messages == [{"role": "assistant", "content": "A base."}]
        assert (kept.origin, kept.sample_no, kept.details) == ("GENERATED", 1, {"run": 3})
        assert kept.content_sha == contents.response_sha(kept.messages)

    def test_finds_the_same_again(self):
        item, release = make.item(), make.release()

        assert record(item, release, "A base.") == record(item, release, "A base.")

    def test_keeps_an_answer_without_a_word(self):
        pk = record(make.item(), make.release(), "")

        assert Response.objects.get(pk=pk).messages == [{"role": "assistant", "content": ""}]


class TestRecordResponses:
    def test_stores_each_as_if_it_came_alone(self):
        item, release = make.item("Q01"), make.release()
        outputs = [
            (item.pk, Output(release.pk, [{"role": "assistant", "content": text}], sample_no=n))
            for n, text in enumerate(("A rope.", "A bell."), start=1)
        ]

        keys = responses.record_responses(outputs=outputs, now=make.NOW)

        again = [
            responses.record_response(item_id=pk, output=one, now=make.NOW) for pk, one in outputs
        ]
        assert keys == again
