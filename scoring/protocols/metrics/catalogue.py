"""The metrics there are: what each reads, where its values lie, which way is better. Loads no library."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

#: What a metric reads beside the response.
Needs = Literal["", "references", "source"]
#: What a run is asked for in one go; the headings of the page.
Group = Literal["likeness", "overlap", "shape", "readability"]
LONGEST = 3


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric. An end of its range that is None is open.

    `joins` says whether a choice is to be made of what several references give, their mean or the
    best; where it is false the metric reads them all by its own definition.
    """

    key: str
    name: str
    group: Group
    needs: Needs = ""
    minimum: int | None = 0
    maximum: int | None = 1
    higher_is_better: bool = True
    joins: bool = False
    n: int = 0


def _ngrams(
    kind: Literal["overlap", "novelty"], needs: Literal["references", "source"]
) -> list[Metric]:
    said = {"overlap": "Overlap of", "novelty": "New"}[kind]
    return [
        Metric(f"{kind}{n}_{needs}", f"{said} {n}-grams", "overlap", needs, n=n)
        for n in range(1, LONGEST + 1)
    ]


_ALL: Sequence[Metric] = (
    Metric("rouge1", "ROUGE-1", "likeness", "references", joins=True),
    Metric("rouge2", "ROUGE-2", "likeness", "references", joins=True),
    Metric("rougeL", "ROUGE-L", "likeness", "references", joins=True),
    Metric("rougeLsum", "ROUGE-Lsum", "likeness", "references", joins=True),
    Metric("bleu", "BLEU", "likeness", "references", maximum=100),
    Metric("chrf", "chrF", "likeness", "references", maximum=100),
    Metric("chrfpp", "chrF++", "likeness", "references", maximum=100),
    Metric("meteor", "METEOR", "likeness", "references", joins=True),
    *_ngrams("overlap", "references"),
    *_ngrams("novelty", "references"),
    *_ngrams("overlap", "source"),
    *_ngrams("novelty", "source"),
    Metric("words", "Words", "shape", maximum=None),
    Metric("signs", "Signs", "shape", maximum=None),
    Metric("sentences", "Sentences", "shape", maximum=None),
    Metric("repetition2", "Repeated 2-grams", "shape", higher_is_better=False, n=2),
    Metric("repetition3", "Repeated 3-grams", "shape", higher_is_better=False, n=3),
    Metric("reading_ease", "Flesch reading ease", "readability", minimum=None, maximum=None),
    Metric(
        "grade_level",
        "Flesch–Kincaid grade",
        "readability",
        minimum=None,
        maximum=None,
        higher_is_better=False,
    ),
)
METRICS: Mapping[str, Metric] = {one.key: one for one in _ALL}
#: What is ticked at first: what papers report of a summary or an answer with a standard answer.
USUAL = ("rouge1", "rouge2", "rougeLsum", "bleu", "chrf", "words")


def in_order(keys: Iterable[str]) -> list[Metric]:
    """Return metrics in the order of the catalogue.

    Raises:
        KeyError: there is no such metric.
    """
    wanted = set(keys)
    for key in wanted - METRICS.keys():
        raise KeyError(key)
    return [one for one in _ALL if one.key in wanted]
