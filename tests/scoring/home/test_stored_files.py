import pytest

from annotation.files import stored as room
from annotation.files.models import Upload
from evalsite import errors
from scoring.engine.models import Run
from scoring.home import imports as stored_files
from scoring.kinds.suites.conversations import operations as conversations
from scoring.kinds.suites.models import ConversationBatch
from tests import make
from tests.scoring import interviewed, suites
from tests.scoring.kinds.interviews.test_dialogue_imports import archived, bring_in

pytestmark = pytest.mark.django_db
MB = 1024 * 1024


def filled(settings):
    """Let the project have used up its room."""
    settings.PROJECT_FILES = 1
    ConversationBatch.objects.update(size=MB)


class TestKept:
    def test_counts_conversations_as_they_were_sent(self):
        sent = suites.lines(suites.TALKS)

        suites.brought(sent)

        assert stored_files.kept(make.project()) == len(sent)
        assert room.kept(make.project()) == len(sent)
        assert stored_files.kept(make.project("elsewhere")) == 0
        assert not Upload.objects.exists()

    def test_refuses_more_of_them_and_keeps_nothing(self, settings):
        suites.brought(suites.lines(suites.TALKS[:1]))
        filled(settings)

        with pytest.raises(conversations.BadConversations, match="EVALSITE_PROJECT_FILES"):
            suites.brought(suites.lines(suites.TALKS[1:]))

        assert ConversationBatch.objects.count() == 1

    def test_counts_dialogues_and_refuses_them_where_there_is_no_room(self, settings):
        data = archived(interviewed.held(n=2))
        south = make.project("elsewhere")

        bring_in(data, in_=south)

        assert stored_files.kept(south) == len(data)
        settings.PROJECT_FILES = 1
        Run.objects.filter(project=south).update(config={"imported": {"bytes": MB}})
        with pytest.raises(errors.FileRefused, match="EVALSITE_PROJECT_FILES"):
            bring_in(data, 2, in_=south)
        assert Run.objects.filter(project=south).count() == 1

    def test_counts_nothing_of_dialogues_from_before_their_bytes_were_noted(self):
        run = interviewed.held(n=2)
        Run.objects.filter(pk=run.pk).update(config={"imported": {"file": "old.zip"}})

        assert stored_files.kept(run.project) == 0


class TestAnArchive:
    def test_that_holds_more_than_a_file_may_is_refused(self, settings):
        data = archived(interviewed.held(n=2))
        settings.FILE_MOST = MB // 1024

        with pytest.raises(errors.FileRefused, match="EVALSITE_FILE_MB"):
            bring_in(data, in_=make.project("elsewhere"))
