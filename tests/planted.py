"""A bank of made-up questions with planted near-duplicates, the same for the same seed.

Every question is cut to a pattern and says its own subject in the gaps, so that the questions of a
pattern are as alike as different questions can be: what is asked differs by a word or two. Two
questions with the same pattern and subject are the same one; a number is no subject.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from annotation.common import draws as seeds

_DATA = json.loads(Path(__file__).with_name("planted.json").read_text("utf-8"))
ENGLISH, CHINESE_TEXTS = _DATA["English"], _DATA["Chinese"]
EDITS, ORDER, NUMBERS, CHINESE = "edits", "order", "numbers", "Chinese"


@dataclass(frozen=True)
class Asked:
    """A question, and what makes it this question: its pattern and subject."""

    text: str
    subject: tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    """A question of the bank by its place, and the same in other words."""

    kind: str
    place: int
    text: str
    subject: tuple[str, ...]


def questions(seed: str) -> Iterator[Asked]:
    """Yield different questions without end, two of three in English, one in Chinese."""
    rng = seeds.generator(seed)
    seen = set()
    while True:
        chinese = rng.random() < 1 / 3
        texts = CHINESE_TEXTS if chinese else ENGLISH
        made = _filled(_one(texts["patterns"], rng), texts["gaps"], rng)
        if made.subject not in seen:
            seen.add(made.subject)
            yield made


def _filled(pattern: str, gaps: dict[str, list[str]], rng: np.random.Generator) -> Asked:
    subject = [pattern]
    chosen: dict[str, str] = {}

    def fill(match: re.Match[str]) -> str:
        name = match[1]
        if name == "n":
            return str(rng.integers(2, 900))
        kind = name.rstrip("2")
        free = [one for one in gaps[kind] if one != chosen.get(kind)]
        chosen[kind] = _one(free, rng)
        subject.append(chosen[kind])
        return chosen[kind]

    text = re.sub(r"{(\w+)}", fill, pattern)
    return Asked(text[0].upper() + text[1:], (pattern, *sorted(subject[1:])))


def pairs(bank: list[Asked], n: int, seed: str) -> list[Pair]:
    """Return near-duplicates of questions of the bank, as many of every kind."""
    rng = seeds.generator(seed)
    kinds = {EDITS: _edited, ORDER: _reordered, NUMBERS: _renumbered, CHINESE: _chinese}
    made: list[Pair] = []
    while len(made) < n:
        kind = list(kinds)[len(made) % len(kinds)]
        place = int(rng.integers(len(bank)))
        asked = bank[place]
        if (kind == CHINESE) != _is_chinese(asked.text):
            continue
        text = kinds[kind](asked.text, rng)
        if text != asked.text:
            made.append(Pair(kind, place, text, asked.subject))
    return made


T = TypeVar("T")


def _one(things: Sequence[T], rng: np.random.Generator) -> T:
    return things[int(rng.integers(len(things)))]


def _is_chinese(text: str) -> bool:
    return re.search(r"[\u4e00-\u9fff]", text) is not None


def _edited(text: str, rng: np.random.Generator) -> str:
    """Return a text with one or two edits of a person who rewrites it."""
    edits = (_slip, _synonym, _filler, _recased, _dropped)
    for place in rng.permutation(len(edits))[: rng.integers(1, 3)]:
        text = edits[place](text, rng)
    return text


def _slip(text: str, rng: np.random.Generator) -> str:
    long = list(re.finditer(r"[a-z]{5,}", text))
    match = _one(long, rng)
    at = rng.integers(match.start() + 1, match.end() - 1)
    before, letter, after = text[:at], text[at], text[at + 1 :]
    return _one(
        [before + after, before + 2 * letter + after, before + after[0] + letter + after[1:]], rng
    )


def _synonym(text: str, rng: np.random.Generator) -> str:
    fits = [word for word in ENGLISH["synonyms"] if re.search(rf"\b{word}\b", text)]
    if not fits:
        return text
    word = _one(fits, rng)
    return re.sub(rf"\b{word}\b", ENGLISH["synonyms"][word], text, count=1)


def _filler(text: str, rng: np.random.Generator) -> str:
    return _one(ENGLISH["fillers"], rng) + text


def _recased(text: str, rng: np.random.Generator) -> str:
    return text.replace(",", "").replace("?", " ?").lower()


def _dropped(text: str, rng: np.random.Generator) -> str:
    words = text.split()
    small = [n for n, word in enumerate(words) if word in {"the", "a", "of", "when", "and", "how"}]
    return " ".join(word for n, word in enumerate(words) if not small or n != small[0])


def _reordered(text: str, rng: np.random.Generator) -> str:
    """Return the clauses in another order, or a run of words moved to the front."""
    clauses = re.split(r"(?<=[,.?:])\s+", text)
    if len(clauses) > 1:
        turn = rng.integers(1, len(clauses))
        return " ".join(clauses[turn:] + clauses[:turn])
    words = text.split()
    at = rng.integers(2, len(words) - 1)
    return " ".join(words[at:] + words[:at])


def _renumbered(text: str, rng: np.random.Generator) -> str:
    return re.sub(r"\d+", lambda match: str(int(match[0]) + rng.integers(1, 400)), text)


def _chinese(text: str, rng: np.random.Generator) -> str:
    """Return a Chinese question edited, reordered or with other numbers."""
    way = rng.integers(4)
    if way == 0:
        fits = [word for word in CHINESE_TEXTS["synonyms"] if word in text]
        word = _one(fits, rng) if fits else ""
        return text.replace(word, CHINESE_TEXTS["synonyms"][word], 1) if word else "请问，" + text
    if way == 1:
        return _one(CHINESE_TEXTS["fillers"], rng) + text
    if way == 2:
        clauses = re.split("，", text.rstrip("？。"))
        turn = rng.integers(len(clauses))
        return "，".join(clauses[turn:] + clauses[:turn]) + "？"
    return re.sub(r"\d+", lambda match: str(int(match[0]) + rng.integers(1, 90)), text)
