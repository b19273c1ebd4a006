"""Keep the words that questions are searched by: written with every saving of a question."""

from collections.abc import Iterable

from annotation.models import QuestionText, QuestionVersion
from annotation.rules import searching as rules


def keep_words(*, versions: Iterable[QuestionVersion]) -> None:
    """Have questions be found by the words of these versions (with `question` at hand)."""
    QuestionText.objects.bulk_create(
        (
            QuestionText(
                question_id=one.question_id,
                said=rules.words_of(
                    one.question.external_id,
                    (str(turn.get("content") or "") for turn in one.turns),
                    one.answer,
                ),
            )
            for one in versions
        ),
        update_conflicts=True,
        unique_fields=["question"],
        update_fields=["said"],
    )
