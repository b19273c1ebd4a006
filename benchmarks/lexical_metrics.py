"""Lexical metrics of 1,600 summaries × 11 references: `python -m benchmarks.lexical_metrics`.

Every metric of the catalogue but METEOR (which needs WordNet) and readability, in steps of 80 as a run
makes them, in two processes. Texts are made up, as long as those of SummEval; `--texts` names a folder
that holds the real ones. Processor time is what counts where a machine has other things to do.
"""

import argparse
import gzip
import json
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from scoring.kinds.metrics import measuring
from scoring.kinds.metrics.catalogue import METRICS, MeasuredText

SYSTEMS, DOCUMENTS, REFERENCES, AT_ONCE, WORKERS = 16, 100, 11, 80, 2
MOST_S = 60
#: Words of an article, a reference and a summary, as SummEval has them in the mean.
LENGTHS = (400, 40, 65)
KEYS = [key for key, one in METRICS.items() if key != "meteor" and one.group != "readability"]


def made() -> Iterator[MeasuredText]:
    """Yield texts of words that are drawn as unevenly as those of a language."""
    rng = np.random.default_rng(0)
    vocabulary = [f"{stem}{end}" for stem in _stems(rng) for end in ("", "s", "ing", "ed")]
    chances = 1 / np.arange(1, len(vocabulary) + 1)
    chances /= chances.sum()

    def text(n: int) -> str:
        drawn = rng.choice(len(vocabulary), size=n, p=chances)
        words = [vocabulary[k] for k in drawn]
        return " ".join(f"{one} ." if place % 15 == 14 else one for place, one in enumerate(words))

    for _ in range(DOCUMENTS):
        article, references = text(LENGTHS[0]), tuple(text(LENGTHS[1]) for _ in range(REFERENCES))
        for _ in range(SYSTEMS):
            yield MeasuredText(text(LENGTHS[2]), references, article)


def _stems(rng: np.random.Generator) -> list[str]:
    letters = np.array(list("etaoinshrdlu"))
    return ["".join(rng.choice(letters, size=n)) for n in rng.integers(2, 7, size=2_000)]


def real(folder: Path) -> Iterator[MeasuredText]:
    with gzip.open(folder / "summeval_texts.jsonl.gz", "rt") as lines:
        for doc in map(json.loads, lines):
            for summary in doc["summaries"].values():
                yield MeasuredText(summary, tuple(doc["references"]), doc["source"])


def step(texts: list[MeasuredText]) -> tuple[int, float]:
    """Measure one step; return how many values there are, and the processor time."""
    begun = time.process_time()
    measurer = measuring.measurer(KEYS)
    n = sum(
        not isinstance(value, str) for text in texts for value in measurer.measure(text).values()
    )
    return n, time.process_time() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, help="a folder with summeval_texts.jsonl.gz")
    options = parser.parse_args()
    texts = list(real(options.texts) if options.texts else made())
    steps = [texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE)]
    begun = time.monotonic()
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as workers:
        found = list(workers.map(step, steps))
    wall = time.monotonic() - begun
    spent = sum(took for _n, took in found)
    print(f"{len(texts)} summaries, {len(KEYS)} metrics, {sum(n for n, _took in found)} values")
    print(f"processor time {spent:6.1f} s, on {WORKERS} processes {spent / WORKERS:6.1f} s each")
    print(f"wall           {wall:6.1f} s (at most {MOST_S} s)")


if __name__ == "__main__":
    main()
