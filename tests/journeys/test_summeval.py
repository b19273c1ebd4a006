"""SummEval through the product's own importer: its people, its metrics, and what is published of them."""

import csv
import json
from collections import defaultdict
from decimal import Decimal

import pytest

from annotation.files.mappings import FileRubric, GradeMapping
from annotation.files.models import ImportKind
from annotation.files.scores import ScoreMapping
from annotation.imports import operations as checking
from annotation.imports import places as surveys
from annotation.imports import uploading
from annotation.people.models import Rater, Role
from annotation.rounds.models import Round
from scoring.beside import columns as judge_human
from scoring.beside.columns import PeopleChoice
from scoring.engine.models import Judgment
from scoring.figures import labels
from tests import imports, make
from tests.architecture import sources
from tests.scoring import machines, summeval, worker

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(900)]

DIMENSIONS = ("coh", "con", "flu", "rel")
#: Rows of Table 2 (Fabbri et al. 2021) and columns of the file.
ROUGE = {"ROUGE-1": "rouge1_stem_f", "ROUGE-2": "rouge2_stem_f", "ROUGE-L": "rougeLsum_stem_f"}

#: Entries of expected.json that this journey finds through importer, figures, API and page.
HERE = {
    "seed001.T2",
    "sacrerouge.fabbri2020",
    "summeval.gold_ties",
    "peer_nlpstats.correlate",
    "peer_nlpstats.bootstrap",
}
#: The others, which no page of judges shows in this form, and the test that looks at each.
ELSEWHERE = {
    "summeval.turker": "tests/journeys/test_agreement_of_summeval.py",
    "summeval.expert": "tests/journeys/test_agreement_of_summeval.py",
    "peer_nlpstats.fisher": "tests/scoring/stats/test_correlation.py",  # pages resample instead
    "peer_nlpstats.williams": "tests/scoring/stats/test_paired_tests.py",  # one-sided, unsigned
    "peer_nlpstats.permutation": "tests/scoring/stats/test_paired_tests.py",  # one-sided
}


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def brought(upload, mapping):
    uploading.set_mapping(upload=upload, mapping=mapping)
    checking.check(upload=upload, clock=imports.clock)
    assert upload.report["ok"], upload.report["problems"][:3]
    return imports.apply(upload)


def take(path, kind):
    home = make.project()
    with path.open("rb") as file:
        return uploading.receive(
            project=home,
            kind=kind,
            name=path.name,
            pieces=iter(lambda: file.read(uploading.CHUNK), b""),
            by=make.user("northport-owner"),
            now=make.NOW,
        )


class TestKnownAnswers:
    def test_are_each_looked_for_somewhere(self, golden):
        told = json.loads((golden / "summeval" / "expected.json").read_text())
        parts = {".".join(one["id"].split(".")[:2]) for one in told["anchors"]}
        parts |= {f"peer_nlpstats.{name}" for name in told["peer_nlpstats"]}

        assert parts == {*HERE, *ELSEWHERE}
        assert len(told["anchors"]) == 2 + 15 + 54 + 1
        for path in ELSEWHERE.values():
            assert "golden" in (sources.ROOT / path).read_text()


class TestSummeval:
    """One test, since bringing 1,600 answers with their grades and scores in takes a while."""

    def test_comes_in_and_gives_what_is_published(self, golden, client):
        folder = golden / "summeval"
        people = self.people(folder)
        metrics = self.metrics(folder / "summeval_metrics.csv")

        self.has_two_groups_of_raters(people)
        self.has_the_exact_ties_that_are_known(people)
        self.joins_scores_by_key(folder, people, metrics)
        self.gives_the_published_correlations(folder, people)
        self.shows_them_on_the_page(folder, client)
        self.shows_the_single_reference_table(folder, client)
        self.shows_what_a_peer_library_finds(folder, client)

    @staticmethod
    def people(folder):
        """Bring answers and the grades of all eight raters in."""
        ratings = rows_of(folder / "summeval_ratings.csv")
        table = "".join(f"{row['doc']},{row['doc']}?,{row['system']},It.\n" for row in ratings)
        imports.apply(imports.answers("id,question,system,response\n" + table))
        upload = take(folder / "summeval_ratings.csv", ImportKind.GRADES)
        rubric = FileRubric("Summary", "1", "5", "1")
        batch = brought(upload, GradeMapping(imports.places(upload), "SummEval", new_rubric=rubric))
        assert batch.counts["grades"] == 1600 * 8 * 4
        return Round.objects.get(batch=batch)

    @staticmethod
    def metrics(path):
        upload = take(path, ImportKind.SCORES)
        places = machines.places(upload)
        return brought(upload, surveys.declared(upload, ScoreMapping(places)))

    @staticmethod
    def has_two_groups_of_raters(people):
        stems = labels.stems([people])
        assert {name: len(raters) for name, raters in stems.items()} == {"e*": 3, "t*": 5}
        experts = judge_human.columns(PeopleChoice((people,), ("e*",)), [])
        assert set(experts.people) == set(DIMENSIONS)
        assert all(len(one.raters) == 3 for one in experts.people.values())
        assert all((one.count == 3).all() for one in experts.people.values())

    @staticmethod
    def has_the_exact_ties_that_are_known(people):
        experts = judge_human.columns(PeopleChoice((people,), ("e*",)), [])

        def total(system, criteria):
            return sum(
                int(experts.people[one].total[place])
                for one in criteria
                for place, name in enumerate(experts.system)
                if name == system
            )

        assert total("M1", ["flu"]) == total("M22", ["flu"])
        assert total("M0", DIMENSIONS) == total("M23", DIMENSIONS)

    @staticmethod
    def joins_scores_by_key(folder, people, metrics):
        rows = rows_of(folder / "summeval_metrics.csv")
        names = [name for name in rows[0] if name not in {"doc", "system"}]
        keys = dict(Rater.objects.filter(kind="METRIC").values_list("ref", "pk"))
        assert sorted(keys) == sorted(names)
        assert metrics.counts["scores"] == Judgment.objects.count() == 1600 * len(names)
        made = judge_human.columns(PeopleChoice((people,)), list(keys.values()))
        keyed = enumerate(zip(made.group, made.system, strict=True))
        place = {key: n for n, key in keyed}
        for name in names:
            values = made.judges[keys[name], "score"].values
            assert [float(row[name]) for row in rows] == [
                values[place[row["doc"], row["system"]]] for row in rows
            ]

    @staticmethod
    def gives_the_published_correlations(folder, people):
        anchors = json.loads((folder / "expected.json").read_text())["anchors"]
        keys = dict(Rater.objects.filter(kind="METRIC").values_list("ref", "pk"))
        chosen = {"ROUGE-1": "rouge1_stem_f", "ROUGE-2": "rouge2_stem_f"}
        of = [keys[name] for name in chosen.values()]
        made = judge_human.columns(PeopleChoice((people,), ("e*",)), of)

        def totals(values):
            by_system = defaultdict(Decimal)
            for system, value in zip(made.system, values, strict=True):
                by_system[system] += Decimal(repr(float(value)))
            return by_system

        checked = 0
        for anchor in anchors:
            _seed, _table, metric, dimension = (*anchor["id"].split("."), "", "", "")[:4]
            if metric in chosen and dimension in DIMENSIONS:
                human = totals(made.people[dimension].total)
                machine = totals(made.judges[keys[chosen[metric]], "score"].values)
                found = tau_b(human, machine)
                assert found == pytest.approx(anchor["published"], abs=anchor["tol"])
                checked += 1
        assert checked == 8

    @staticmethod
    def shows_them_on_the_page(folder, client):
        """Look at the experts alone, over systems: the API has the values, the page three decimals."""
        anchors = json.loads((folder / "expected.json").read_text())["anchors"]
        table = "seed001.T2."
        published = {
            tuple(one["id"].removeprefix(table).split(".")): one
            for one in anchors
            if one["id"].startswith(table)
        }
        keys = dict(Rater.objects.filter(kind="METRIC").values_list("ref", "pk"))
        query = "&".join(f"judge={keys[name]}" for name in ROUGE.values())
        query += "&raters=e*&level=system&coefficient=kendall_b"
        client.force_login(make.member(Role.ANALYST))
        api, page = "/api/v1/projects/northport/judges/people/", "/p/northport/judges/people/"
        assert client.get(f"{api}?{query}").status_code == 202
        worker.compute()
        told = client.get(f"{api}?{query}").json()
        text = client.get(f"{page}?{query}").content.decode()

        assert (told["counts"]["raters"], told["counts"]["systems"]) == (3, 16)
        found = {
            (one["judge"], one["criterion"]): one["value"]
            for one in told["coefficients"]
            if one["coefficient"] == "kendall_b"
        }
        assert len(found) == len(ROUGE) * len(DIMENSIONS)
        for one in told["overall"]:
            if one["coefficient"] == "kendall_b" and one["definition"] == "mean_of_coefficients":
                found[one["judge"], "overall"] = one["value"]
        for metric, name in ROUGE.items():
            for dimension in (*DIMENSIONS, "overall"):
                value, anchor = found[name, dimension], published[metric, dimension]
                assert value == pytest.approx(anchor["published"], abs=anchor["tol"])
                assert f">{value:.3f}</td>" in text
        for name in ("flu", "overall"):
            assert f"{name}: 1 pair of systems tied by people" in text

    @staticmethod
    def shows_the_single_reference_table(folder, client):
        """Look at relevance over systems and within documents: 54 values as they were published."""
        anchors = json.loads((folder / "expected.json").read_text())["anchors"]
        known = [one for one in anchors if one["id"].startswith("sacrerouge.")]
        metrics = sorted({one["id"].split(".")[2] for one in known})
        for level, short in (("system", "sys"), ("item", "doc")):
            found, _low_high, text = on_relevance(client, metrics, level)
            wanted = [one for one in known if one["id"].split(".")[3] == short]
            assert len(wanted) == 27
            for anchor in wanted:
                _at, _table, metric, _short, name = anchor["id"].split(".")
                value = found[metric, summeval.COEFFICIENTS[name]]
                assert value == pytest.approx(anchor["published"], abs=anchor["tol"])
                assert value == pytest.approx(anchor["value"], abs=1.1e-6)
                assert f">{value:.3f}<".replace("-", "−") in text

    @staticmethod
    def shows_what_a_peer_library_finds(folder, client):
        """Look at three metrics at three levels, with the intervals that resample both sides."""
        peer = json.loads((folder / "expected.json").read_text())["peer_nlpstats"]
        names = {key.split("|")[0] for key in peer["correlate"]}
        columns = [summeval.METRICS[name] for name in names]
        checked = 0
        for short, level in (("system", "system"), ("input", "item"), ("global", "pooled")):
            found, low_high, _text = on_relevance(client, columns, level)
            for key, value in peer["correlate"].items():
                metric, _criterion, at, name = key.split("|")
                if at == short:
                    near = 2e-4 if metric in summeval.ROUNDED else 1e-9
                    one = summeval.METRICS[metric], summeval.COEFFICIENTS[name]
                    assert found[one] == pytest.approx(value, abs=near)
                    checked += 1
            for key, (low, high, _n) in peer["bootstrap"].items():
                metric, _criterion, at, name, drawn, *_more = key.split("|")
                if (at, drawn) == (short, "both"):
                    one = summeval.METRICS[metric], summeval.COEFFICIENTS[name]
                    # Both ends are drawn: tests/scoring/stats/test_correlation_intervals.py allows
                    # for that by their level, here they are roughly the same.
                    assert low_high[one] == pytest.approx((low, high), abs=0.1)
        assert checked == 27


def on_relevance(client, metrics, level):
    """Return coefficients and intervals of the experts' relevance by API, and the page's text."""
    keys = dict(Rater.objects.filter(kind="METRIC").values_list("ref", "pk"))
    query = "&".join(f"judge={keys[name]}" for name in metrics)
    query += f"&raters=e*&criterion=rel&level={level}"
    query += "".join(
        f"&map.{other}.{keys[name]}=" for name in metrics for other in DIMENSIONS if other != "rel"
    )
    api, page = "/api/v1/projects/northport/judges/people/", "/p/northport/judges/people/"
    assert client.get(f"{api}?{query}").status_code == 202
    worker.compute()
    told = client.get(f"{api}?{query}").json()["coefficients"]
    text = client.get(f"{page}?{query}").content.decode()
    assert {(one["criterion"], one["level"]) for one in told} == {("rel", level)}
    return (
        {(one["judge"], one["coefficient"]): one["value"] for one in told},
        {(one["judge"], one["coefficient"]): (one["low"], one["high"]) for one in told},
        text,
    )


def tau_b(left, right):
    """Return Kendall's tau-b by counting pairs."""
    systems = sorted(left)
    signs = [
        ((left[a] > left[b]) - (left[a] < left[b]), (right[a] > right[b]) - (right[a] < right[b]))
        for n, a in enumerate(systems)
        for b in systems[n + 1 :]
    ]
    product = sum(x * y for x, y in signs)
    return product / (sum(x * x for x, _ in signs) * sum(y * y for _, y in signs)) ** 0.5
