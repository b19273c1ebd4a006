"""Files of every shape people have, handed in as every kind: taken, asked about or refused in words.

Never an error of ours, on the page, by API or by command, and nothing half done.
"""

import io
import json

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import transaction
from django.urls import reverse

from annotation.files import stored as files
from annotation.files.models import ImportBatch, ImportKind, Upload
from annotation.people.models import Role
from scoring.kinds.suites.models import Conversation
from tests import cases, imports, make
from tests.undoing import Undo

pytestmark = pytest.mark.django_db

COMMANDS = {
    ImportKind.ANSWERS: "import_responses",
    ImportKind.QUESTIONS: "import_questions",
    ImportKind.GRADES: "import_grades",
    ImportKind.SCORES: "import_scores",
    ImportKind.CHOICES: "import_choices",
    ImportKind.FIGURES: "import_figures",
    ImportKind.PAIRS: "import_preferences",
}
#: What an API needs beside the file.
GIVEN = {
    ImportKind.GRADES: {
        "round_name": "Old",
        "new_rubric": json.dumps({"name": "R", "min": "0", "max": "10"}),
    },
    ImportKind.CHOICES: {"dataset": "Own"},
    ImportKind.PAIRS: {"round_name": "Old"},
}
MORE = {ImportKind.GRADES: ["--new-rubric", "R", "--max", "10"]}
#: Shapes that end a first look early; the files as people have them are more of the same.
OWN = {
    "no_item.csv": b"example_id,score,comment\n1,0.5,\n2,0.7,ok\n",
    "no_system.csv": b"item,score\nQ1,0.5\n",
    "no_score.csv": b"item,system,remark\nQ1,Kestrel,good\n",
    "named.csv": b"id,name,value,dataType,comment\n1,tone,0.5,NUMERIC,\n2,ok,True,BOOLEAN,\n",
    "bare.tsv": b"sys\tdoc\tseg\tNone\nsys\tdoc\tseg\t-1.5\n",
    "list.json": b'[{"model": "a", "score": 1}, {"model": "b", "score": null}]',
    "nested.json": b'{"results": {"results": [{"score": 1}]}}',
    "scalars.jsonl": b'1\n"two"\n{"three": 3}\n',
    "only_head.csv": b"item,system,score\n",
    "pairs.csv": b"id,model_a,model_b,judge,winner\nQ1,Kestrel,Harbour,ada,model_a\n",
    "columns.json": b'{"id": ["1", "2"], "score": [1, 2]}',
}

KINDS = [pytest.param(kind, id=kind.lower()) for kind in ImportKind]


def own(tmp_path):
    for name, content in OWN.items():
        path = tmp_path / name
        path.write_bytes(content)
        yield path


def from_outside():
    return sorted(cases.folder().iterdir())


def totals():
    """Count all rows but those of what was handed in."""
    kinds = [*apps.get_app_config("annotation").get_models()]
    kinds += apps.get_app_config("scoring").get_models()
    left_out = {"AuditEvent", "Upload", "UploadChunk", "UploadProblems"}
    return {
        one.__name__: one._base_manager.count() for one in kinds if one.__name__ not in left_out
    }


def tried(deed, path):
    """Do something and take it back; an error of ours names the file."""
    try:
        with transaction.atomic():
            try:
                deed(path)
            except (CommandError, AssertionError):
                raise
            except Exception as crash:
                raise AssertionError(f"{path.name}: {crash!r}") from crash
            raise Undo
    except Undo:
        pass


def sent(page):
    """Return what the form of a mapping sends if nothing is changed in it."""
    options = page.context["options"]
    forms = [*page.context["columns"], options, *getattr(options, "machines", ())]
    found = {field.html_name: field.value() for form in forms for field in form}
    return {name: value for name, value in found.items() if value not in {None, False}}


class Page:
    """Hands a file in and goes on as far as the page lets one."""

    def __init__(self, client, kind):
        self.client, self.kind = client, kind

    def __call__(self, path):
        before = totals()
        file = SimpleUploadedFile(path.name, path.read_bytes())
        new = self.post("import_new", {"kind": self.kind, "file": file})
        if new.status_code == 422:
            assert "alert" in new.content.decode(), path.name
            return
        number = Upload.objects.latest("pk").number
        page = self.get("import_map", number)
        assert page.status_code == 200, path.name
        checked = self.post("import_check", sent(page), number)
        assert checked.status_code in {302, 422}, path.name
        assert self.get("import_map", number).status_code == 200, path.name
        self.look(path, before, number)

    def look(self, path, before, number):
        report = Upload.objects.latest("pk").report
        assert totals() == before, f"{path.name}: something was written by a check"
        if report and report["ok"]:
            self.post("import_check", {"act": "import"}, number)
            batch = ImportBatch.objects.latest("pk")
            assert batch.state == ImportBatch.State.APPLIED, f"{path.name}: {batch.stopped}"
            assert self.get("batch", batch.number).status_code == 200
        elif report:
            assert report["problems"] or report["asks"], path.name

    def get(self, name, *args):
        return self.client.get(reverse(name, args=["northport", *args]))

    def post(self, name, data, *args):
        return self.client.post(reverse(name, args=["northport", *args]), data)


class Api:
    def __init__(self, client, kind):
        self.client, self.kind = client, kind

    def __call__(self, path):
        before = totals()
        file = SimpleUploadedFile(path.name, path.read_bytes())
        given = {"file": file, **GIVEN.get(self.kind, {})}
        url = f"/api/v1/projects/northport/imports/{self.kind.lower()}/"
        answer = self.client.post(url, given)
        assert answer.status_code in {200, 201, 400, 409, 422}, f"{path.name}: {answer.content!r}"
        if answer.status_code > 201:
            assert answer.json()["message"], path.name
            assert totals() == before, f"{path.name}: refused, and something was written"
        else:
            assert answer.json()["state"] == "APPLIED", f"{path.name}: {answer.json()}"


class Command:
    def __init__(self, kind):
        self.kind = kind

    def __call__(self, path):
        before, said = totals(), ""
        out = io.StringIO()
        try:
            more = MORE.get(self.kind, [])
            call_command(
                COMMANDS[self.kind], path, *more, project="northport", stdout=out, stderr=out
            )
        except CommandError as refusal:
            said = str(refusal)
        assert not said or totals() == before, f"{path.name}: refused, and something was written"


@pytest.fixture
def curator(client):
    imports.apply(imports.answers())
    client.force_login(make.member(Role.CURATOR))
    return client


@pytest.mark.parametrize("kind", KINDS)
class TestOwnShapes:
    def test_go_through_the_page(self, curator, kind, tmp_path):
        for path in own(tmp_path):
            tried(Page(curator, kind), path)

    def test_go_through_the_api(self, curator, kind, tmp_path):
        for path in own(tmp_path):
            tried(Api(curator, kind), path)

    def test_go_through_the_command(self, curator, kind, tmp_path):
        for path in own(tmp_path):
            tried(Command(kind), path)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.timeout(240)
class TestFilesFromOutside:
    @pytest.mark.slow
    def test_go_through_the_page(self, curator, kind):
        for path in from_outside():
            tried(Page(curator, kind), path)

    @pytest.mark.nightly
    def test_go_through_the_api(self, curator, kind):
        for path in from_outside():
            tried(Api(curator, kind), path)

    @pytest.mark.nightly
    def test_go_through_the_command(self, curator, kind):
        for path in from_outside():
            tried(Command(kind), path)


class Form:
    """Hands a file in where one page takes it whole."""

    def __init__(self, client, name, **given):
        self.client, self.name, self.given = client, name, given

    def __call__(self, path):
        before = totals()
        file = SimpleUploadedFile(path.name, path.read_bytes())
        url = reverse(self.name, args=["northport"])
        answer = self.client.post(url, {"file": file, **self.given})
        assert answer.status_code in {302, 422}, f"{path.name}: {answer.status_code}"
        if answer.status_code == 422:
            assert totals() == before, f"{path.name}: refused, and something was written"


FORMS = (
    ("conversations_new", {"set_name": "Talks", "system": "Kestrel", "release": "1"}),
    ("collect", {}),
    ("source_new", {"kind": "WEB", "title": "T", "language": "en"}),
)


@pytest.mark.parametrize(("name", "given"), FORMS, ids=[name for name, _given in FORMS])
class TestFormsOfOnePage:
    def test_take_or_refuse_own_shapes(self, curator, name, given, tmp_path):
        for path in own(tmp_path):
            tried(Form(curator, name, **given), path)

    @pytest.mark.slow
    @pytest.mark.timeout(240)
    def test_take_or_refuse_files_from_outside(self, curator, name, given):
        for path in from_outside():
            tried(Form(curator, name, **given), path)


#: What stands in the files of old encodings, as their first question.
ENCODED = {
    "korean_euckr.csv": "부두란 무엇입니까?",
    "japanese_sjis.csv": "埠頭とは何ですか?",
    "japanese_eucjp.csv": "埠頭とは何ですか?",
    "chinese_big5.csv": "什麼是碼頭?",
    "russian_cp1251.csv": "Что такое причал?",
    "greek_1253.csv": "Τι είναι προβλήτα;",
    "hebrew_1255.csv": "מהו רציף?",
    "excel_de_cp1252.csv": "Was heißt „Löschen“ im Hafen?",
    "mac_roman.csv": "Qu’est-ce qu’un quai ?",
}


class TestOldEncodings:
    @pytest.mark.parametrize("name", ENCODED)
    def test_are_read_right_or_asked_about_with_the_right_reading_first(self, name):
        upload = imports.take(cases.file(name).read_bytes(), name)

        layout = files.layout_of(upload)

        found = [column.samples[0] for column in layout.columns]
        assert ENCODED[name] in found
        assert not layout.doubtful or ENCODED[name] in layout.readings[0].sample


#: How many conversations each file holds.
TAKEN = {
    "table_conv.csv": 2,
    "table_agent.csv": 2,
    "table_conv_turn_id.csv": 2,
    "table_turns_shuffled.csv": 2,
    "emoji_rtl.jsonl": 1,
    "conv_sharegpt.json": 1,
    "conv_anthropic.jsonl": 1,
    "conv_openai_ft.jsonl": 2,
    "conv_langchain.jsonl": 2,
    "conv_responses_api.jsonl": 1,
    "conv_gemini.jsonl": 1,
    "conv_batch_out.jsonl": 1,
    "conv_lmsys.jsonl": 1,
    "conv_reasoning.jsonl": 1,
}


class TestConversations:
    def bring(self, client, name):
        file = SimpleUploadedFile(name, cases.file(name).read_bytes())
        given = {"file": file, "set_name": "Talks", "system": "Kestrel", "release": "1"}
        return client.post(reverse("conversations_new", args=["northport"]), given, follow=True)

    @pytest.mark.parametrize("name", TAKEN)
    def test_that_are_kept_whole_come_in(self, curator, name):
        assert self.bring(curator, name).status_code == 200
        assert Conversation.objects.count() == TAKEN[name]

    def test_name_the_roles_that_were_only_likely(self, curator):
        page = self.bring(curator, "table_agent.csv").content.decode()

        assert "“Agent” is the assistant." in page
        assert "“Customer” is the user." in page

    def test_keep_calls_and_prompts(self, curator):
        self.bring(curator, "conv_anthropic.jsonl")

        talk = Conversation.objects.get()
        assert (talk.n_turns, talk.n_tool_calls) == (2, 1)
        assert talk.text.startswith("You book rooms.")
