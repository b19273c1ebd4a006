from scoring.kinds.interviews import asking_v1 as asking
from scoring.kinds.interviews.asking_v1 import Problem, Room
from scoring.llm.base import Message
from tests.scoring.kinds.interviews.table import CHOICE, FENCE


class TestAsked:
    def test_puts_the_options_under_the_last_message_of_a_conversation(self):
        turns = (
            Message("user", "I moor a ship."),
            Message("assistant", "Good."),
            Message("user", "With what?"),
        )
        problem = Problem("q", turns, "", dict(CHOICE.options), "A")

        found = asking.asked(problem)

        assert found[:2] == turns[:2]
        assert found[2].content.startswith("With what?\n\nA. a rope\nB. a bell")

    def test_tells_readers_of_a_conversation_who_said_what(self):
        turns = (Message("user", "I moor a ship."), Message("assistant", "Good."))
        room = Room(Problem("q", (*turns, Message("user", "How?")), "With a rope."), FENCE)

        first = asking.of_interactor(room, "Somehow.", ())[1].content

        assert "user: I moor a ship.\nassistant: Good.\nuser: How?" in first

    def test_names_the_correct_option_by_label_and_text(self):
        assert CHOICE.correct == "A. a rope"
