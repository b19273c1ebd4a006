"""Tables 7 and 14 of KIEval through the product's own importer: judges beside each other, by API and page."""

import csv

import numpy as np
import pytest

from annotation.people.models import Rater, Role
from scoring.stats.judges import coefficients
from tests import imports, make
from tests.scoring import machines, worker

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]

ASPECTS = ("accuracy", "logic", "relevance", "coherence", "conciseness", "overall")
TABLE_14 = {
    "pearson": (0.82188, 2.865e-5),
    "spearman": (0.89830, 4.166e-7),
    "kendall_b": (0.76066, 1.098e-5),
}


def read(golden, name):
    with (golden / "kieval" / name).open(newline="") as file:
        return list(csv.DictReader(file))


def bring_in(scores):
    """Bring in scores by (item, system) and machine, with answers and a mark by one person each."""
    items = list(dict.fromkeys(item for item, _system in scores))
    systems = list(dict.fromkeys(system for _item, system in scores))
    names = list(dict.fromkeys(name for one in scores.values() for name in one))
    lines = [f"{item},{item}?,{system},It.\n" for item in items for system in systems]
    imports.apply(imports.answers("id,question,system,response\n" + "".join(lines)))
    marks = [f"{item},{system},{n % 5 + 1}\n" for n, (item, system) in enumerate(scores)]
    imports.apply(imports.grades("item,system,ann_quality\n" + "".join(marks)))
    rows = [
        ",".join([item, system, *(one.get(name, "") for name in names)])
        for (item, system), one in scores.items()
    ]
    machines.brought("\n".join([",".join(["item", "system", *names]), *rows, ""]))
    return dict(Rater.objects.filter(machine__isnull=False).values_list("ref", "pk"))


def between(client, keys):
    """Return what the API and the page say of every two machines."""
    query = "&".join(f"judge={key}" for key in keys)
    api, page = "/api/v1/projects/northport/judges/pairs/", "/p/northport/judges/pairs/"
    client.force_login(make.member(Role.ANALYST))
    assert client.get(f"{api}?{query}").status_code == 202
    worker.compute()
    told = client.get(f"{api}?{query}").json()
    text = client.get(f"{page}?{query}").content.decode()
    by_pair = {(one["left"], one["right"], one["coefficient"]): one for one in told["matrix"]}
    return by_pair, text


def published_p(name, value, scores, left, right):
    """Return the p that papers print: as if nothing that is correlated belonged together."""
    x, y = (
        np.array(
            [
                float(one[side])
                for one in scores.values()
                if side in one and left in one and right in one
            ]
        )
        for side in (left, right)
    )
    return coefficients.p_value(name, value, x, y, coefficients.concordance(x, y)).value


class TestTable14:
    def test_comes_from_table_13(self, golden, client):
        scores = {}
        for row in read(golden, "table13_evaluators.csv"):
            for aspect in ASPECTS:
                name = row["evaluator"].replace("-", " ")
                scores.setdefault((aspect, row["model"]), {})[name] = row[aspect]
        keys = bring_in(scores)
        assert len(scores) == 18

        found, text = between(client, keys.values())

        left, right, _name = next(iter(found))
        for name, (value, p) in TABLE_14.items():
            one = found[left, right, name]
            assert (one["n"], one["value"]) == (18, pytest.approx(value, abs=5e-6))
            assert (
                one["p"] is None
            )  # three systems by six aspects are no eighteen independent values
            assert published_p(name, one["value"], scores, left, right) == pytest.approx(
                p, rel=1e-3
            )
        assert ">0.822</td>" in text


class TestTable7:
    @pytest.mark.parametrize("without", ["", "Yi 6B"])
    def test_comes_from_tables_15_to_19(self, golden, client, without):
        scores = {}
        for row in read(golden, "tables15_19_full.csv"):
            if row["model"] != without:
                one = scores.setdefault((row["dataset"], row["model"]), {})
                for dataset in ("everything", row["dataset"]):
                    one[f"interview {dataset}"] = row["overall"]
                    one[f"accuracy {dataset}"] = row["acc_5shot"]
        keys = bring_in(scores)

        found, text = between(client, keys.values())

        printed = read(golden, "table07_pcc.csv")
        assert len(printed) == 6
        end = "_excl_yi" if without else ""
        for row in printed:
            dataset = row["dataset"].replace("Overall", "everything")
            one = found[f"accuracy {dataset}", f"interview {dataset}", "pearson"]
            assert one["value"] == pytest.approx(float(row["r" + end]), abs=0.0015)
            sides = f"accuracy {dataset}", f"interview {dataset}"
            p = published_p("pearson", one["value"], scores, *sides)
            assert p == pytest.approx(float(row["p" + end]), rel=0.08)
            assert one["p"] in (None, pytest.approx(p))
            assert f">{one['value']:.3f}</td>" in text
