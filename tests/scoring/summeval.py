"""SummEval beside the repository: 16 systems × 100 documents, experts, crowd, released metrics."""

import csv
import functools
import json

import numpy as np

from scoring.stats.judges import levels
from scoring.stats.resampled import exact
from scoring.stats.told import Coefficient

CRITERIA = ("coh", "con", "flu", "rel")
#: Names of the known answers, and the columns of the file.
METRICS = {
    "ROUGE-1": "rouge1_stem_f",
    "ROUGE-2": "rouge2_stem_f",
    "ROUGE-L": "rougeLsum_stem_f",
    "ROUGE-1 (mean11)": "rouge1_stem_f",
    "ROUGE-1-F1 1ref": "R1_F1_1ref_perl",
    "BERTScore-R": "BERTScore_R",
    "QAEval-F1": "QAEval_F1",
}
#: Columns that the file rounds to five decimals, where the peer had all of them.
ROUNDED = {"ROUGE-1 (mean11)", "BERTScore-R", "QAEval-F1"}
LEVELS = {"system": "system", "input": "item", "global": "pooled", "sys": "system", "doc": "item"}
COEFFICIENTS: dict[str, Coefficient] = {
    "pearson": "pearson",
    "spearman": "spearman",
    "kendall": "kendall_b",
}


@functools.cache
def read(folder, name):
    with (folder / "summeval" / name).open() as file:
        return list(csv.DictReader(file))


@functools.cache
def expected(folder):
    return json.loads((folder / "summeval" / "expected.json").read_text())


@functools.cache
def table(folder):
    rows = read(folder, "summeval_ratings.csv")
    return levels.rows(
        response=[(row["doc"], row["system"]) for row in rows],
        system=[row["system"] for row in rows],
        group=[row["doc"] for row in rows],
    )


@functools.cache
def marks(folder, criterion, who="e"):
    """Raters × responses of the experts (e) or the crowd (t)."""
    rows = read(folder, "summeval_ratings.csv")
    n = {"e": 3, "t": 5}[who]
    return np.array([[float(row[f"{who}{i}_{criterion}"]) for row in rows] for i in range(n)])


@functools.cache
def people(folder, criterion):
    return exact.of_marks(marks(folder, criterion))


@functools.cache
def column(folder, name):
    rows = read(folder, "summeval_metrics.csv")
    keys = [(row["doc"], row["system"]) for row in rows]
    return table(folder).place(keys, [float(row[name]) for row in rows])


def metric(folder, name):
    return exact.values(column(folder, METRICS.get(name, name)))


def pairs(folder, name, criterion="rel"):
    return levels.pairs(table(folder), metric(folder, name), people(folder, criterion))
