"""Words that stand for numbers: yes and no, the letters of Inspect, and the steps of usual scales."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Final

#: What says in words that something holds, and that it does not; asked about, unless numbers stand beside.
_HOLDS: Final = """
yes y ja j oui sí sim si да da tak evet 是 对 正确 はい 예 네 نعم כן pass passed correct right richtig korrekt
"""
_HOLDS_NOT: Final = """
no n nein non não nao нет nie hayır 否 错 错误 不正确 いいえ 아니오 아니요 لا לא fail failed incorrect wrong falsch
"""
TRUTHS: Final = {word: Decimal(1) for word in _HOLDS.split()} | dict.fromkeys(
    _HOLDS_NOT.split(), Decimal(0)
)
#: Correct, partly, incorrect and no answer, as Inspect writes them.
LETTERS: Final = {"C": Decimal(1), "I": Decimal(0), "P": Decimal("0.5"), "N": Decimal(0)}
_GRADES: Final = "sehr gut, gut, befriedigend, ausreichend, mangelhaft, ungenügend"
#: The steps of scales from 1 on; a stroke stands between words for the same step.
_STEPS: Final = {
    "agreement": "strongly disagree/totally disagree, disagree, neutral/neither agree nor disagree/undecided, "
    "agree, strongly agree/totally agree",
    "quality": "very poor/very bad/terrible, poor/bad, fair/average/acceptable/ok/okay/neutral, good, "
    "very good/excellent",
    "excellence": "poor, fair, good, very good, excellent",
    "satisfaction": "very dissatisfied, dissatisfied, neutral, satisfied, very satisfied",
    "degree": "not at all, slightly/a little, moderately/somewhat, very/mostly, extremely/completely",
    "frequency": "never, rarely/seldom, sometimes, often, always",
    "height": "low, medium/moderate, high",
    "zustimmung": "stimme überhaupt nicht zu/stimme gar nicht zu, stimme nicht zu/stimme eher nicht zu, "
    "neutral/teils-teils/teils teils, stimme zu/stimme eher zu, stimme voll zu/stimme voll und ganz zu",
    "noten": _GRADES,
    "noten_up": ", ".join(reversed(_GRADES.split(", "))),
}
SCALES: Final[Mapping[str, Mapping[str, Decimal]]] = {
    key: {
        word: Decimal(step)
        for step, words in enumerate(said.split(", "), start=1)
        for word in words.split("/")
    }
    for key, said in _STEPS.items()
}
STEPS: Final = frozenset(word for scale in SCALES.values() for word in scale)


def fold(written: str) -> str:
    """Return a word as the scales have it."""
    return " ".join(written.split()).casefold()


def fitting(written: Iterable[str]) -> tuple[str, ...]:
    """Return the scales that have all of these words."""
    words = {fold(one) for one in written}
    return tuple(key for key, scale in SCALES.items() if words <= scale.keys())


def steps(key: str) -> str:
    """Return the steps of a scale, each with its number."""
    said = (words.partition("/")[0] for words in _STEPS[key].split(", "))
    return " · ".join(f"{word} {step}" for step, word in enumerate(said, start=1))
