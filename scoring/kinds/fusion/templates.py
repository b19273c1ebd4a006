"""Tasks to begin with: what is usually asked of summaries and of dialogue turns, in our own words.

Criteria and ranges are those of the papers that Fusion-Eval is tested on (Shu et al. 2024, section 3;
SummEval and TopicalChat as annotated in USR); the wording is ours.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from annotation.common.scales import Scale
from scoring.kinds.fusion.tasks import CONVERSATION, KEPT, QUESTION, FusionTask, TaskField
from scoring.protocols.task_asking_v1 import Criterion

#: What a task says that was made of a rubric without a principle.
PLAIN: Final = "Judge how well the answer meets what was asked."


def _to(maximum: int, minimum: int = 1) -> Scale:
    return Scale(Decimal(minimum), Decimal(maximum))


SUMMARY: Final = FusionTask(
    description="A system was given a text and wrote a short summary of it. Judge the summary: a reader "
    "who does not know the text should learn from it what matters there, and nothing that is not there.",
    fields=(TaskField("Source text", QUESTION),),
    criteria=(
        Criterion(
            "coherence",
            "Coherence",
            _to(5),
            "The sentences belong together and follow one another in a sensible order; as a whole the "
            "summary tells one story and is no heap of facts.",
            (
                "Read the source and note its main subject and how it unfolds.",
                "Read the summary at one go: does each sentence prepare the next?",
                "Lower the score for jumps, repetitions and words that refer to nothing.",
            ),
        ),
        Criterion(
            "consistency",
            "Consistency",
            _to(5),
            "Every statement of the summary can be found in the source. Invented names, numbers or causes "
            "count against it, even if they are true in the world.",
            (
                "List the statements of the summary.",
                "Look each of them up in the source.",
                "Lower the score for each that the source does not say.",
            ),
        ),
        Criterion(
            "fluency",
            "Fluency",
            _to(5),
            "Each sentence is well formed: grammar, spelling, punctuation and capital letters do not get "
            "in the reader's way.",
            ("Read sentence by sentence.", "Lower the score for mistakes that slow reading down."),
        ),
        Criterion(
            "relevance",
            "Relevance",
            _to(5),
            "The summary picks what is important in the source, leaves minor matters out, and says nothing "
            "twice.",
            (
                "Note the points of the source that a reader must not miss.",
                "See which of them the summary has.",
                "Lower the score for what is missing and for what is superfluous.",
            ),
        ),
    ),
)

DIALOGUE: Final = FusionTask(
    description="Two partners talk about a subject, and a system wrote the next turn. It was also given a "
    "piece of knowledge that it could use. Judge that turn as the next one of this conversation. Overall, "
    "from 1 (very bad) to 5 (very good), is your impression of the turn as a whole, not a mean.",
    fields=(TaskField("Conversation so far", CONVERSATION), TaskField("Fact", f"{KEPT}fact")),
    criteria=(
        Criterion(
            "naturalness",
            "Naturalness",
            _to(3),
            "A person could have said this in such a talk, in these words.",
        ),
        Criterion(
            "coherence",
            "Coherence",
            _to(3),
            "The turn continues what was said before it: it answers, picks up or leads on.",
        ),
        Criterion(
            "engagingness",
            "Engagingness",
            _to(3),
            "The turn is interesting and invites a reply; it is more than a polite nothing.",
        ),
        Criterion(
            "groundedness",
            "Groundedness",
            _to(1, 0),
            "The turn makes use of the fact that was given, and uses it rightly.",
        ),
        Criterion(
            "understandability",
            "Understandability",
            _to(1, 0),
            "One can tell from the conversation what the turn means.",
        ),
    ),
    overall=_to(5),
)

TEMPLATES: Final[Mapping[str, FusionTask]] = {"summary": SUMMARY, "dialogue": DIALOGUE}
