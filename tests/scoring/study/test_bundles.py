"""Whoever has a bundle computes its figures anew, to the last digit."""

import csv
import hashlib
import io
import json
import zipfile

import pytest
from django.core.management import CommandError, call_command

from annotation.people.models import Role
from annotation.people.permissions import Scope
from annotation.rounds import drafting as unblinding
from annotation.rounds.models import Round
from scoring.figures import operations as figures
from scoring.figures.labels import ReadRound
from scoring.report import queries as ahead
from scoring.study import packing
from scoring.trials import queries as trials
from scoring.watching import queries as signalling
from tests import make
from tests.annotation import qualified
from tests.scoring import beside_people, labelled, preferred, rounds, watched, worked
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db


def reading(round_, *, named=True):
    owner = make.member(Role.OWNER, in_=round_.project)
    if named:
        unblinding.show_names(round_=round_, by=owner, now=make.NOW)
    return ReadRound(Scope(round_.project, owner, frozenset({Role.OWNER})), round_)


def bundle(round_, path, *, named=True, with_texts=False):
    """Write the bundle of a round whose figures are there; return its path."""
    Round.objects.filter(pk=round_.pk).update(final_at=make.at(10))
    mine = reading(round_, named=named)
    ahead.sweep(make.at(11))
    compute()
    held = packing.contents(mine, markdown="# Study", sheet={}, with_texts=with_texts)
    file = path / "bundle.zip"
    file.write_bytes(b"".join(packing.packed(held)))
    return file


def wanted(round_, **params):
    """Ask for figures by name."""
    for name, asked in params.items():
        figures.get(name=name, round_=round_, params=asked, now=make.at(11))


def verified(file):
    out = io.StringIO()
    call_command("verify_figures", file, "--json", stdout=out)
    return json.loads(out.getvalue())


def refused(file):
    with pytest.raises(CommandError) as refusal:
        verified(file)
    return refusal.value


def rewritten(file, change):
    """Write a bundle once more with files changed by name, and checksums that fit."""
    with zipfile.ZipFile(file) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    files = change(files)
    files.pop("SHA256SUMS", None)
    sums = "".join(
        f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items())
    )
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {**files, "SHA256SUMS": sums.encode()}.items():
            archive.writestr(name, data)
    return file


class TestRoundTrip:
    def test_of_all_that_is_asked_ahead(self, tmp_path):
        round_ = rounds.graded(n_items=8, capabilities=("Factuality", "Tone"))

        found = verified(bundle(round_, tmp_path))

        assert not found["differ"], found
        assert {one["figure"] for one in found["figures"]} >= {
            *("scores", "agreement", "disputes", "raters", "plan", "model", "breakdown", "domains"),
        }

    def test_of_preferences_and_the_grades_beside_them(self, tmp_path):
        round_ = preferred.chosen(n_items=8, capabilities=("Factuality", "Tone"))
        preferred.graded_too(round_)
        wanted(round_, beside_grades={"rounds": [2]})

        found = verified(bundle(round_, tmp_path))

        assert not found["differ"], found
        assert {one["figure"] for one in found["figures"]} >= {
            *("preferences", "agreement", "disputes", "plan", "beside_grades"),
        }

    def test_of_movements_and_the_trend(self, tmp_path):
        before, after = worked.two_rounds()
        Round.objects.update(final_at=make.at(10))
        reading(before)

        found = verified(bundle(after, tmp_path))

        assert not found["differ"], found
        assert {one["figure"] for one in found["figures"]} >= {"fluctuation", "trend"}

    def test_of_machines_beside_people(self, tmp_path):
        round_ = beside_people.world()
        Round.objects.update(kind=Round.Kind.IMPORTED, state="FINAL")
        round_.refresh_from_db()
        make.member(Role.OWNER, in_=round_.project)
        asked = beside_people.choice("good", "guess")
        one = beside_people.choice("good")
        wanted(
            round_,
            judges=asked.params(),
            judge_pairs=asked.params(),
            judge_mixes=asked.params(),
            judge=one.params(),
            judge_apart=one.params(),
            powered=one.params(),
        )

        found = verified(bundle(round_, tmp_path))

        assert not found["differ"], found
        assert {one["figure"] for one in found["figures"]} >= {
            *("judges", "judge_pairs", "judge_mixes", "judge", "judge_apart", "powered"),
        }

    def test_of_signals(self, tmp_path):
        round_ = watched.watched(careless=1)
        Round.objects.update(state="FINAL")
        round_.refresh_from_db()
        wanted(round_, signals=signalling.params(round_))

        found = verified(bundle(round_, tmp_path))

        assert not found["differ"], found
        assert "signals" in {one["figure"] for one in found["figures"]}

    def test_of_a_trial(self, tmp_path):
        round_ = qualified.open_trial(("ann-1", "ann-2"), n_items=6)
        for rater, values in zip(make.annotators(round_), ([2] * 6, [0] * 6), strict=True):
            qualified.take(round_, rater, values)
        round_ = qualified.close(round_)
        Round.objects.update(state="FINAL")
        round_.refresh_from_db()
        trials.figure_of(round_.trial, make.at(61))

        found = verified(bundle(round_, tmp_path))

        assert not found["differ"], found
        assert "trial" in {one["figure"] for one in found["figures"]}

    def test_of_criteria_that_ask_for_labels_and_texts(self, tmp_path):
        found = verified(bundle(labelled.graded(), tmp_path))

        assert not found["differ"], found
        assert "scores" in {one["figure"] for one in found["figures"]}

    def test_with_names_hidden_tells_no_system_and_no_person(self, tmp_path):
        round_ = rounds.graded(n_items=4, systems=("Kestrel", "Harbour"))
        file = bundle(round_, tmp_path, named=False)

        found = verified(file)

        assert not found["differ"], found
        assert len(found["figures"]) >= 5
        with zipfile.ZipFile(file) as archive:
            held = b"".join(archive.read(name) for name in archive.namelist())
        for word in (b"Kestrel", b"Harbour", b"annotator-0", make.SAID.encode(), b"Question 1?"):
            assert word not in held, word

    def test_with_texts_where_they_are_wanted(self, tmp_path):
        file = bundle(rounds.graded(n_items=2), tmp_path, with_texts=True)

        assert not verified(file)["differ"]
        with zipfile.ZipFile(file) as archive:
            assert b"Question 1?" in archive.read("texts/questions.csv")
            assert make.SAID.encode() in archive.read("texts/answers.csv")

    def test_describes_every_column_and_knows_the_hash_of_every_table(self, tmp_path):
        file = bundle(rounds.graded(n_items=2), tmp_path)

        with zipfile.ZipFile(file) as archive:
            package = json.loads(archive.read("datapackage.json"))
            for one in package["resources"]:
                data = archive.read(one["path"])
                assert one["hash"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
                names = [field["name"] for field in one["schema"]["fields"]]
                assert data.decode().splitlines()[0] == ",".join(names)
                assert all(field["description"] for field in one["schema"]["fields"])


def other_mark(files):
    """Change the first mark that is a 2 into a 1."""
    lines = files["tables/ratings.csv"].decode().splitlines()
    value = lines[0].split(",").index("value")
    for n, line in enumerate(lines[1:], start=1):
        cells = line.split(",")
        if cells[value].startswith("2"):
            cells[value] = "1" + cells[value][1:]
            lines[n] = ",".join(cells)
            break
    return {**files, "tables/ratings.csv": "\n".join([*lines, ""]).encode()}


def another_form(files, form=99):
    package = json.loads(files["datapackage.json"])
    package["evalsite-bundle"]["version"] = form
    return {**files, "datapackage.json": json.dumps(package).encode()}


def first_form(files):
    """Take out what bundles have held since they know rounds of pairs."""
    package = json.loads(files["datapackage.json"])
    package["evalsite-bundle"]["version"] = 1
    files = {**files, "datapackage.json": json.dumps(package).encode()}
    for table, column in (
        ("rounds", "of_pairs"),
        ("round_questions", "pair"),
        ("ratings", "against"),
    ):
        rows = list(csv.reader(io.StringIO(files[f"tables/{table}.csv"].decode())))
        place = rows[0].index(column)
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(
            [*row[:place], *row[place + 1 :]] for row in rows
        )
        files[f"tables/{table}.csv"] = out.getvalue().encode()
    return files


class TestTheFirstForm:
    def test_is_still_computed_anew(self, tmp_path):
        file = rewritten(bundle(rounds.graded(n_items=4), tmp_path), first_form)

        found = verified(file)

        assert not found["differ"], found
        assert "scores" in {one["figure"] for one in found["figures"]}

    def test_has_no_columns_of_the_second(self, tmp_path):
        file = bundle(rounds.graded(n_items=2), tmp_path)
        told = rewritten(file, lambda files: another_form(files, 1))

        assert "its columns are others" in str(refused(told))


class TestRefusals:
    @pytest.fixture
    def file(self, tmp_path):
        return bundle(rounds.graded(n_items=2), tmp_path)

    def test_another_mark_is_told_with_both_figures(self, file, capsys):
        with pytest.raises(CommandError) as refusal:
            call_command("verify_figures", rewritten(file, other_mark))

        told = capsys.readouterr().out
        assert refusal.value.returncode == 1
        assert "differs  figures/" in told
        assert ": stored " in told

    def test_one_byte_flipped_is_damage(self, file):
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)

        assert refused(file).returncode == 2

    def test_a_file_that_does_not_fit_its_checksum_is_damage(self, file):
        with zipfile.ZipFile(file) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in other_mark(files).items():
                archive.writestr(name, data)

        refusal = refused(file)

        assert refusal.returncode == 2
        assert "tables/ratings.csv does not fit its checksum" in str(refusal)

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (lambda files: {**files, "../../evil.csv": b"x"}, "it holds ../../evil.csv"),
            (lambda files: {**files, "/etc/evil": b"x"}, "it holds /etc/evil"),
            (lambda files: {**files, "figures/1-x.json": b" " * 30_000_000}, "unpacked"),
            (
                lambda files: {k: v for k, v in files.items() if k != "tables/ratings.csv"},
                "it lacks tables/ratings.csv",
            ),
            (another_form, "has form 99"),
            (
                lambda files: {**files, "tables/ratings.csv": b"id,other\n"},
                "its columns are others",
            ),
            (
                lambda files: {
                    **files,
                    "tables/ratings.csv": files["tables/ratings.csv"].replace(b"true", b"yes"),
                },
                "neither true nor false",
            ),
        ],
    )
    def test_what_is_no_bundle(self, file, change, said):
        refusal = refused(rewritten(file, change))

        assert refusal.returncode == 2
        assert said in str(refusal)

    def test_something_else_entirely(self, tmp_path):
        file = tmp_path / "notes.txt"
        file.write_text("no archive")

        assert refused(file).returncode == 2
        assert refused(tmp_path / "nowhere.zip").returncode == 2

    def test_leaves_the_site_as_it_was(self, file):
        before = Round.objects.count(), Round.objects.get().state

        verified(file)

        assert (Round.objects.count(), Round.objects.get().state) == before
