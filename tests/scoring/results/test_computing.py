import csv
import gzip
import io
import json
from collections import Counter
from fractions import Fraction

import pytest

from annotation.rounds.models import Round
from scoring import jobs as scoring_jobs
from scoring.figures import typed
from scoring.stats.claims import ScoresFigure
from scoring.stats.plain import plain
from tests import imports
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


def scored(round_, **params):
    data = scoring_jobs.compute(name="scores", round_=round_, params=params)
    return typed.read_figure(ScoresFigure, data)


class TestTheScores:
    def test_are_plain_data_that_is_read_back_as_it_was(self):
        data = scoring_jobs.compute(name="scores", round_=rounds.graded(), params={})
        found = typed.read_figure(ScoresFigure, data)

        assert json.loads(json.dumps(data, allow_nan=False)) == data
        assert plain(found) == data
        assert found.counts == {
            "grades": 24,
            "questions": 4,
            "items": 4,
            "raters": 3,
            "responses": 8,
        }

    def test_have_exact_sums(self):
        found = scored(rounds.graded())

        sums = [
            (row.numerator, row.denominator)
            for row in found.usual.scores
            if (row.figure, row.level) == ("score", "criterion")
        ]
        assert sums == [(23, 24), (16, 24)]

    def test_rank_releases_from_the_highest_down(self):
        round_ = rounds.graded(systems=("Weak", "Strong"), marks=lambda system, item, rater: system)

        found = scored(round_)

        best, worst = (one.release for one in round_.systems.order_by("ordinal"))
        assert found.usual.releases == (best.pk, worst.pk)
        assert (best.system.name, worst.system.name) == ("Strong", "Weak")

    def test_come_again_the_same(self):
        round_ = rounds.graded(n_items=6)

        assert scored(round_) == scored(round_)

    def test_weigh_capabilities_as_asked(self):
        round_ = rounds.graded(
            capabilities=("A", "B"), marks=lambda system, item, rater: 2 if item % 2 else 0
        )
        a, b = round_.project.capabilities.order_by("name")

        found = scored(round_, weights={str(a.pk): "1", str(b.pk): "3"})

        overall = [row for row in found.usual.scores if row.level == "overall"]
        assert overall[0].value == Fraction(3, 4)

    def test_name_nobody(self):
        round_ = rounds.graded(capabilities=("Alpha", "Beta"))

        data = scoring_jobs.compute(name="scores", round_=round_, params={})

        text = json.dumps(data)
        assert "Kestrel" not in text
        assert "Alpha" not in text

    def test_stand_for_each_of_several_parts_too(self):
        found = scored(
            rounds.graded(n_items=6, capabilities=("Alpha", "Beta"), criteria=("correct", "tone"))
        )

        parts = [(one.criterion, one.by) for one in found.pieces]
        assert list(found.views) == [
            "accuracy",
            "score/correct",
            "accuracy/correct",
            "score/tone",
            "accuracy/tone",
        ]
        assert parts[:4] == [("", "capability")] * 2 + [("", "criterion")] * 2
        assert parts[4:] == [("correct", "capability")] * 2 + [("tone", "capability")] * 2

    def test_of_a_part_are_those_of_the_whole_table(self):
        found = scored(rounds.graded(n_items=12, capabilities=("Alpha", "Beta")))

        whole = {
            (row.release, row.capability): row.value
            for row in found.usual.scores
            if (row.figure, row.level) == ("score", "capability")
        }
        alone = {
            (row.release, part.key): row.value
            for part in found.pieces
            for row in part.figures["score"].scores
        }
        assert alone == whole

    def test_of_a_round_without_grades_have_no_parts(self):
        found = scored(rounds.graded(n_items=0))

        assert found.pieces == ()
        assert (found.usual.scores, found.counts["grades"]) == ((), 0)


class TestCompute:
    def test_refuses_a_figure_nobody_wrote(self):
        with pytest.raises(scoring_jobs.UnknownFigure):
            scoring_jobs.compute(name="nothing", round_=rounds.graded(), params={})


@pytest.mark.nightly
@pytest.mark.timeout(300)
class TestSummEval:
    def test_scores_every_system_and_criterion_by_the_sums_of_the_file(self, golden):
        folder = golden / "summeval"
        with gzip.open(folder / "summeval_texts.jsonl.gz", "rt") as texts:
            documents = [json.loads(line) for line in texts]
        with (folder / "summeval_ratings.csv").open(newline="") as file:
            ratings = list(csv.DictReader(file))
        columns = [name for name in ratings[0] if name.startswith("e")]
        imports.apply(summaries(documents))
        imports.apply(imports.grades(expert_grades(ratings, columns), "ratings.csv"))
        round_ = Round.objects.get(kind="IMPORTED")

        data = scoring_jobs.compute(name="scores", round_=round_, params={})

        system = {one.release_id: one.release.system.name for one in round_.systems.all()}
        found = {
            (system[row["release"]], row["criterion"]): (row["numerator"], row["denominator"])
            for row in data["scores"]
            if (row["figure"], row["level"]) == ("score", "criterion")
        }
        sums: Counter[tuple[str, str]] = Counter()
        for row in ratings:
            for name in columns:
                sums[row["system"], name.partition("_")[2]] += int(row[name]) - 1
        assert len(sums) == 16 * 4
        assert {
            key: (pair[0]["num"], pair[0]["den"], pair[1]["num"]) for key, pair in found.items()
        } == {key: (total, 1, 100 * 3 * 4) for key, total in sums.items()}
        assert data["counts"]["grades"] == 19_200
        # Krippendorff's α of the experts, interval, by criterion (Fabbri et al., 2021, its data).
        agreement = scoring_jobs.compute(name="agreement", round_=round_, params={})
        alphas = {
            part["criterion"]: next(
                round(one["value"], 3)
                for one in part["agreement"]["coefficients"]
                if one["name"] == "alpha_interval"
            )
            for part in agreement["parts"]
        }
        assert alphas == {"coh": 0.559, "con": 0.899, "flu": 0.726, "rel": 0.453}


def summaries(documents):
    systems = sorted(documents[0]["summaries"])
    rows = [{"id": one["doc"], "question": one["source"], **one["summaries"]} for one in documents]
    targets = {name: f"answer:{name}" for name in systems}
    return imports.answers(imports.lines(*rows), "texts.jsonl", targets)


def expert_grades(ratings, columns):
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["item", "system", *columns])
    for row in ratings:
        writer.writerow([row["doc"], row["system"], *(row[name] for name in columns)])
    return text.getvalue()
