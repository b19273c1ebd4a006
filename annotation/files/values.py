"""How numbers, words and times of a file are read, and what only a person can say of them.

What may mean two things is asked of the whole file: the same answers read it in the check and in the
import. Whatever is neither clear nor answered is no value.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Final

from annotation.common import scales
from annotation.files import cells
from annotation.files.asks import FileAsk, Told
from annotation.files.cells import Unfit, excerpt, is_blank
from annotation.files.synonyms import (
    LETTERS,
    SCALES,
    STEPS,
    TRUTHS,
    as_step,
    fitting,
    narrowest,
)

#: Between the words that count as missing, as a person writes them.
DIVIDER: Final = " | "
#: So a share is rounded that has no end: what a grade can hold.
SHARE: Final = Decimal("0.0001")
#: What full-width, Arabic, Persian and Indian digits and signs, and the minus of mathematics, stand for.
#: ③ and ½ are none of these.
_WIDE: Final = str.maketrans(
    "０１２３４５６７８９．，％／＋－−٠١٢٣٤٥٦٧٨٩٫٪۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९",
    "0123456789.,%/+--0123456789.%01234567890123456789",
)
_PLAIN: Final = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
_NUMBER: Final = re.compile(_PLAIN + r"(?:[eE][+-]?[0-9]{1,3})?")
#: Three digits behind each sign: what divides thousands looks like this.
_THOUSANDS: Final = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:([.,' ])[0-9]{3})(?:\1[0-9]{3})*")
_WITH_COMMA: Final = re.compile(r"[+-]?[0-9]*,[0-9]+")
#: Thousands by one sign and decimals by the other.
_BOTH: Final = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:(?:\.[0-9]{3})+,[0-9]+|(?:,[0-9]{3})+\.[0-9]+)")
_MARK: Final = r"([+-]?[0-9]{1,3}(?:[.,][0-9]+)?)"
_LEADING: Final = re.compile(
    _MARK
    + r"\s*(?:[-–—:=(]\s*[^\W\d_].*|(?:stars?|points?|pts?|sterne?|punkte?|étoiles?|estrellas?|分|点|점)\.?)"
    rf"|[^\W\d_].*[(\[]{_MARK}[)\]]",
    re.DOTALL | re.IGNORECASE,
)
_FRACTION: Final = re.compile(
    r"([+-]?[0-9]+(?:[.,][0-9]+)?)\s*(?:/|out of|of|von|sur|de|di|из)\s*([0-9]+)", re.IGNORECASE
)
_TRUTH: Final = {"true": Decimal(1), "false": Decimal(0)}
_STARS: Final = re.compile("(?=.)([★⭐]*)☆*")
#: What people and programs write where there is no value.
_SENTINELS: Final = frozenset(map(Decimal, (-1, -9, -99, -999, -9999, 99, 999, 9999)))


#: So many different values are looked at once, however often they stand in a file.
REMEMBERED: Final = 5000
#: So many different numbers of samples show that there are several.
MOST_NUMBERS: Final = 100


class Form(StrEnum):
    """How a number is written; one that may mean two things is named by the key of its question."""

    PLAIN = "plain"
    COMMA = "comma"
    POINT = "point"
    PERCENT = "percent"
    FRACTION = "fraction"
    LEADING = "leading_number"
    LETTER = "letters"
    TRUTH = "truth"
    STARS = "stars"
    SCALE = "scale"


#: What may be answered of each, and what is taken until somebody says otherwise.
_ANSWERS: Final[Mapping[Form, tuple[tuple[str, ...], str]]] = {
    Form.COMMA: (("decimal", "thousand"), ""),
    Form.POINT: (("decimal", "thousand"), ""),
    Form.PERCENT: (("share", "number"), "share"),
    Form.FRACTION: (("share", "first"), "share"),
    Form.LEADING: (("yes", "no"), "yes"),
    Form.LETTER: (("yes", "no"), "yes"),
    Form.TRUTH: (("yes", "no"), "yes"),
}
#: Words are numbers only where a whole criterion has nothing else.
WORDED: Final = (Form.LETTER, Form.TRUTH, Form.SCALE)


_DECIMALS: Final = frozenset({Form.PLAIN, Form.COMMA, Form.POINT})


def plain(written: str) -> str:
    """Return a text with its full-width digits and signs as plain ones."""
    written = written.strip()
    return written if written.isascii() else written.translate(_WIDE)


def missing_words(told: Told) -> frozenset[str]:
    """Return what says that there is no value, in small letters."""
    said = told.get("missing")
    words = cells.NO_VALUE if said is None else said.split(DIVIDER.strip())
    return frozenset(" ".join(word.split()).casefold() for word in words) - {""}


def form_of(written: str, *, decimal_comma: bool) -> Form | None:
    """Return how a number is written; None where there is none. `written` is plain."""
    if _NUMBER.fullmatch(written):
        unclear = decimal_comma and written.count(".") == 1 and _THOUSANDS.fullmatch(written)
        return Form.POINT if unclear else Form.PLAIN
    if _is_clear(written):
        return Form.PLAIN
    if _WITH_COMMA.fullmatch(written):
        return Form.PLAIN if decimal_comma else Form.COMMA
    if written.endswith("%"):
        inner = form_of(written[:-1].rstrip(), decimal_comma=decimal_comma)
        return Form.PERCENT if inner == Form.PLAIN else inner if inner in _DECIMALS else None
    return _form_with_words(written)


def _form_with_words(written: str) -> Form | None:
    if written in LETTERS:
        return Form.LETTER
    if written.casefold() in TRUTHS:
        return Form.TRUTH
    if as_step(written) in STEPS:
        return Form.SCALE
    patterns = {Form.FRACTION: _FRACTION, Form.STARS: _STARS, Form.LEADING: _LEADING}
    return next((form for form, one in patterns.items() if one.fullmatch(written)), None)


def _is_clear(written: str) -> bool:
    """Say whether a number with more signs than one point can be read in one way only."""
    if _BOTH.fullmatch(written) or written.casefold() in _TRUTH:
        return True
    return bool(_THOUSANDS.fullmatch(written)) and written.count(",") != 1


class ValueReader:
    """Reads the values of one file, by what a person said of it."""

    def __init__(self, told: Told | None = None, *, decimal_comma: bool = False) -> None:
        """Make a reader.

        Args:
            told: what was answered, and what is taken of what was not, by the key of the question.
            decimal_comma: a comma stands before decimals, as in files that divide by semicolons.
        """
        self.told = told or {}
        self.decimal_comma = decimal_comma
        self._read_before: dict[str, Decimal | None] = {}
        # A dash is no value, but where somebody says that it is the lowest of some signs.
        self.missing = (
            missing_words(self.told) - SCALES.get(self.told.get(Form.SCALE, ""), {}).keys()
        )
        self.no_values = frozenset(
            Decimal(key.partition(":")[2])
            for key, said in self.told.items()
            if key.startswith("missing:") and said == "missing"
        )

    def told_by(self, told: Told) -> "ValueReader":
        """Return a reader of the same file by other answers."""
        return ValueReader(told, decimal_comma=self.decimal_comma)

    def survey(self) -> "Survey":
        """Return what looks at the values of the file."""
        return Survey(self.told, decimal_comma=self.decimal_comma)

    def is_missing(self, value: object) -> bool:
        """Say whether a cell is empty, or says by a word or a number that there is no value."""
        if is_blank(value) or (isinstance(value, float) and math.isnan(value)):
            return True
        if isinstance(value, str) and " ".join(value.split()).casefold() in self.missing:
            return True
        return bool(self.no_values) and self._is_no_value(value)

    def _is_no_value(self, value: object) -> bool:
        try:
            return self._any_number(value) in self.no_values
        except Unfit:
            return False

    def number(self, value: object) -> Decimal | None:
        """Return the number that a cell holds; None where it has no value.

        Raises:
            Unfit: it is no number.
        """
        if not isinstance(value, str):
            return None if self.is_missing(value) else self._any_number(value)
        if value not in self._read_before:
            found = None if self.is_missing(value) else self._any_number(value)
            if len(self._read_before) >= REMEMBERED:
                self._read_before.clear()
            self._read_before[value] = found
        return self._read_before[value]

    def _any_number(self, value: object) -> Decimal:
        written = plain(cells.text(value))
        form = form_of(written, decimal_comma=self.decimal_comma)
        found = self._read(written, form) if form is not None else None
        if found is None or not found.is_finite():
            raise Unfit("not_a_number", value, reason="")
        return found

    def _read(self, written: str, form: Form) -> Decimal | None:
        """Return what is written in a form; None where a person said that it is no such number."""
        if form in _DECIMALS and not written.endswith("%"):
            return self._decimal(written)
        if form in WORDED:
            return self._worded(written)
        if form == Form.STARS:
            return Decimal(sum(written.count(sign) for sign in "★⭐"))
        if form == Form.LEADING:
            match = _LEADING.fullmatch(written)
            said = match and self.told.get(form) != "no" and (match[1] or match[2])
            return self._decimal(said) if said else None
        if form == Form.FRACTION:
            return self._share_of(written)
        found = self._decimal(written[:-1].rstrip())
        as_share = self.told.get(Form.PERCENT) != "number"
        return found / 100 if found is not None and as_share else found

    def _worded(self, written: str) -> Decimal | None:
        """Return what a word stands for; N is a letter of Inspect or says no."""
        if written in LETTERS and self.told.get(Form.LETTER) == "yes":
            return LETTERS[written]
        if (
            step := SCALES.get(self.told.get(Form.SCALE, ""), {}).get(as_step(written))
        ) is not None:
            return step
        return TRUTHS.get(written.casefold()) if self.told.get(Form.TRUTH) == "yes" else None

    def _share_of(self, written: str) -> Decimal | None:
        match = _FRACTION.fullmatch(written)
        part = self._decimal(match[1]) if match else None
        whole = Decimal(match[2]) if match else Decimal(0)
        if part is None or not whole:
            return None
        if self.told.get(Form.FRACTION) == "first":
            return part
        share = part / whole
        return share if share == share.quantize(SHARE) else share.quantize(SHARE)

    def _decimal(self, written: str) -> Decimal | None:
        if written.casefold() in _TRUTH:
            return _TRUTH[written.casefold()]
        form = form_of(written, decimal_comma=self.decimal_comma)
        if form in {Form.COMMA, Form.POINT} and self.told.get(form) == "thousand":
            grouped = _THOUSANDS.fullmatch(written)
            return Decimal(re.sub("[.,]", "", written)) if grouped else None
        return _as_decimal(written, comma=self.decimal_comma or form == Form.COMMA)

    def moment(self, value: object) -> datetime:
        """Return a moment; one without a time zone is of the universal one.

        Raises:
            Unfit: it is none.
        """
        written = plain(cells.text(value))
        found = day_of(written) if self.told.get("days") != "no" else None
        found = found or moment_of(written, day_first=self.told.get("date_order") == "day")
        if found is None:
            raise Unfit("no_moment", value)
        return found


def _as_decimal(written: str, *, comma: bool) -> Decimal | None:
    """Return a number whose thousands and decimals are clear; `comma`: a comma alone is a decimal one."""
    if _BOTH.fullmatch(written):
        divider = "," if written.rindex(".") > written.rindex(",") else "."
        written = written.replace(divider, "").replace(",", ".")
    elif (found := _THOUSANDS.fullmatch(written)) and (
        found[1] in "' " or written.count(found[1]) > 1
    ):
        written = written.replace(found[1], "")
    elif comma:
        written = written.replace(",", ".")
    try:
        return Decimal(written)
    except InvalidOperation:
        return None


_TIME: Final = (
    r"(?:[T ,]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<part>\d{1,9}))?)?"
    r"(?:\s*(?P<half>[AaPp])\.?[Mm]\.?)?)?"
    r"\s*(?P<zone>Z|(?:UTC|GMT)?(?P<off>[+-]\d{1,2}(?::?\d{2})?)|UTC|GMT)?"
)
_MONTH: Final = r"(?P<name>[A-Za-z]{3,9})\.?"
_YEAR_FIRST: Final = re.compile(r"(?P<y>\d{4})[-/.](?P<b>\d{1,2})[-/.](?P<c>\d{1,2})" + _TIME)
_YEAR_LAST: Final = re.compile(
    r"(?P<b>\d{1,2})(?P<sign>[-/.])\s?(?P<c>\d{1,2})(?P=sign)\s?(?P<y>\d{4}|\d{2})" + _TIME
)
_NAMED: Final = re.compile(
    rf"(?:[A-Za-z]{{3,9}},?\s+)?(?:(?P<c>\d{{1,2}})\.?[\s-]{_MONTH},?[\s-]|"
    rf"(?P<name2>[A-Za-z]{{3,9}})\.?\s(?P<c2>\d{{1,2}}),?\s)(?P<y>\d{{4}})" + _TIME
)
#: As Unix and Mechanical Turk write it: Mon May 13 10:00:00 PDT 2024.
_UNIX: Final = re.compile(
    r"[A-Z][a-z]{2} (?P<month>[A-Z][a-z]{2}) +(?P<day>\d{1,2}) (?P<time>\d\d:\d\d:\d\d)"
    r" (?P<of>UTC|GMT|[ECMP][SD]T|CES?T) (?P<year>\d{4})"
)
_ZONES: Final = {
    "UTC": "Z",
    "GMT": "Z",
    "CET": "+01:00",
    "CEST": "+02:00",
    **{f"{at}ST": f"-0{hours}:00" for at, hours in zip("ECMP", range(5, 9), strict=True)},
    **{f"{at}DT": f"-0{hours}:00" for at, hours in zip("ECMP", range(4, 8), strict=True)},
}
_STAMP: Final = re.compile(r"\d{9,16}(?:\.\d+)?")
_MONTHS: Final = [
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
]
#: Unix time is taken for one between these, in seconds.
_EARLIEST, _LATEST = 631_152_000, 4_102_444_800
#: Spreadsheets count days from here; those of 1995 to 2064 are taken for days.
_DAYS: Final = re.compile(r"(?:3[5-9]|[45]\d)\d{3}(?:[.,]\d+)?")
_FIRST_DAY: Final = datetime(1899, 12, 30, tzinfo=UTC)


def moment_of(written: str, *, day_first: bool) -> datetime | None:
    """Return the moment that is written in any usual form; None where there is none.

    Args:
        written: as people and programs write it: ISO, with the year last, with a month's name, in
            seconds or milliseconds since 1970, with or without a time zone.
        day_first: 3/5/2024 is in May.
    """
    if match := _UNIX.fullmatch(written):
        ahead = _ZONES.get(match["of"].upper(), "")
        written = f"{match['day']} {match['month']} {match['year']} {match['time']} {ahead}"
    if _STAMP.fullmatch(written):
        return _of_stamp(Decimal(written))
    if match := _YEAR_FIRST.fullmatch(written):
        return _moment(match, int(match["y"]), int(match["b"]), int(match["c"]))
    if match := _YEAR_LAST.fullmatch(written):
        year = int(match["y"]) + (2000 if len(match["y"]) == 2 else 0)
        first, second = int(match["b"]), int(match["c"])
        if match["sign"] == "." or first > 12 or (day_first and second <= 12):
            first, second = second, first
        return _moment(match, year, first, second)
    if match := _NAMED.fullmatch(written):
        name = (match["name"] or match["name2"])[:3].lower()
        month = _MONTHS.index(name) + 1 if name in _MONTHS else 0
        return _moment(match, int(match["y"]), month, int(match["c"] or match["c2"]))
    try:
        found = datetime.fromisoformat(written)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def day_of(written: str) -> datetime | None:
    """Return the moment that a spreadsheet counts in days; None where it is written in another way."""
    if not _DAYS.fullmatch(written):
        return None
    return _FIRST_DAY + timedelta(seconds=round(float(written.replace(",", ".")) * 86_400))


def order_of(written: str) -> str:
    """Return which comes first in a date: "day" or "month", "either" if both may, else ""."""
    match = _YEAR_LAST.fullmatch(written)
    if match is None or match["sign"] == ".":
        return ""
    first, second = int(match["b"]), int(match["c"])
    if first > 12 or second > 12:
        return ("day" if first > 12 else "month") if min(first, second) <= 12 else ""
    return "either" if first != second else ""


def _of_stamp(number: Decimal) -> datetime | None:
    for unit in (1, 1000, 1_000_000):
        seconds = number / unit
        if _EARLIEST <= seconds < _LATEST:
            return datetime.fromtimestamp(0, UTC) + timedelta(seconds=float(seconds))
    return None


def _moment(match: re.Match[str], year: int, month: int, day: int) -> datetime | None:
    hour = int(match["hour"] or 0)
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["half"] in "Pp" else 0)
    part = int((match["part"] or "0").ljust(6, "0")[:6])
    times = (hour, int(match["minute"] or 0), int(match["second"] or 0), part)
    try:
        return datetime(year, month, day, *times, tzinfo=_zone(match["off"]))
    except ValueError:
        return None


def _zone(offset: str | None) -> timezone:
    """Return the zone of an offset as people mean it: GMT+1 is an hour ahead."""
    if not offset:
        return UTC
    digits = offset[1:].replace(":", "")
    hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
    ahead = timedelta(hours=hours, minutes=minutes)
    return timezone(-ahead if offset[0] == "-" else ahead)


def fold(name: str) -> str:
    """Return what two names have in common that differ in case and spaces only."""
    return "".join(name.split()).casefold()


def likeness(name: str) -> str:
    """Return what two names have in common that may mean the same: their letters and digits."""
    return "".join(sign for sign in name.casefold() if sign.isalnum())


RATER: Final = "rater"
CRITERION: Final = "criterion"


class Names:
    """What raters and criteria of a file are called here, by what was said of names that are near."""

    def __init__(self, told: Told | None = None) -> None:
        self._as = {key: said for key, said in (told or {}).items() if key.startswith("as:")}

    def of(self, kind: str, name: str) -> str:
        """Return what one is called."""
        return self._as.get(f"as:{kind}:{name}", name) if self._as else name


@dataclass(slots=True)
class _CriterionNumbers:
    """The numbers of one criterion, or of one judge on it."""

    low: Decimal | None = None
    high: Decimal | None = None
    forms: Counter[Form | None] = field(default_factory=Counter)
    suspects: Counter[Decimal] = field(default_factory=Counter)
    words: set[str] = field(default_factory=set)

    def add(self, number: Decimal, n: int) -> None:
        if number in _SENTINELS:
            self.suspects[number] += n
            return
        self.low = number if self.low is None else min(self.low, number)
        self.high = number if self.high is None else max(self.high, number)

    def mixes(self, form: Form) -> bool:
        """Say whether words stand beside something else; N may be of either kind of words."""
        others = {one for one in self.forms if one != form}
        if form == Form.TRUTH and not (self.words & LETTERS.keys()) - {"N"}:
            others.discard(Form.LETTER)
        if form == Form.SCALE and STEPS.issuperset(map(as_step, self.words)):
            others.discard(Form.TRUTH)  # yes, partly and no are steps
        return form in self.forms and bool(others)

    def sentinels(self) -> Iterable[Decimal]:
        """Yield what lies far outside of all other numbers, where these are of a usual scale."""
        if self.low is None or self.high is None or self.low < 0 or self.high > 100:
            return
        top = 10 if self.high <= 10 else 100
        yield from (one for one in self.suspects if one < 0 or one > top)


@dataclass(slots=True)
class _NumberFormCount:
    """How often numbers are written in one form, and how the first of them is."""

    n: int = 0
    found: str = ""


#: Says whether a part's scale is known to hold a number.
Holds = Callable[[tuple[str, ...], Decimal], bool]


class Survey:
    """Looks at all values of a file, and says what only a person can tell of them."""

    def __init__(self, told: Told, *, decimal_comma: bool = False) -> None:
        self._told = told
        # What stands for no value is looked at as the number it is.
        read_by = {key: said for key, said in told.items() if not key.startswith("missing:")}
        self._values = ValueReader(read_by, decimal_comma=decimal_comma)
        self._waiting: Counter[tuple[tuple[str, ...], str | float]] = Counter()
        self._parts: dict[tuple[str, ...], _CriterionNumbers] = {}
        self._forms: dict[str, _NumberFormCount] = {}
        self._missing: Counter[str] = Counter()
        self._orders: dict[str, _NumberFormCount] = {}
        self._names: dict[str, Counter[str]] = {RATER: Counter(), CRITERION: Counter()}
        self._samples: set[int] = set()

    def number(self, part: tuple[str, ...], value: object) -> None:
        """Look at a cell that should hold a number; `part` says whose and of what."""
        if isinstance(value, str | int | float):
            self._waiting[part, value] += 1
            if len(self._waiting) >= REMEMBERED:
                self._weigh()

    def _weigh(self) -> None:
        """Look at the values that came since, each as often as it came."""
        for (part, value), n in self._waiting.items():
            if not self._values.is_missing(value):
                self._add(part, value, n)
            elif not is_blank(value):
                self._missing[str(value).strip()] += n
        self._waiting.clear()

    def _add(self, part: tuple[str, ...], value: str | float, n: int) -> None:
        written = plain(cells.text(value))
        form = form_of(written, decimal_comma=self._values.decimal_comma)
        found = self._parts.setdefault(part, _CriterionNumbers())
        found.forms[form] += n
        if form is not None and form in _ANSWERS:
            self._note(self._forms, form, written, n)
        if form in WORDED:
            found.words.add(written)
        elif form is not None:
            try:
                number = self._values.number(value)
            except Unfit:
                return  # the check tells it with its row
            if number is not None:
                found.add(number, n)

    def moment(self, value: object) -> None:
        """Look at a cell that should hold a moment."""
        if not isinstance(value, str | int | float):
            return
        written = plain(str(value))
        if order := "days" if day_of(written) else order_of(written):
            self._note(self._orders, order, written)

    def sample(self, number: int) -> None:
        """Look at the number of a sample, or of one of several marks of an answer."""
        if len(self._samples) < MOST_NUMBERS:
            self._samples.add(number)

    def name(self, kind: str, name: str) -> None:
        """Look at the name of a rater or a criterion."""
        if name:
            self._names[kind][name] += 1

    def _note(self, forms: dict[str, _NumberFormCount], key: str, written: str, n: int = 1) -> None:
        form = forms.setdefault(key, _NumberFormCount(found=excerpt(written)))
        form.n += n

    def asks(self, known: Mapping[str, Iterable[str]], holds: Holds) -> list[FileAsk]:
        """Return what is to be asked of the file, or to be checked.

        Args:
            known: raters and criteria that the project has, by kind.
            holds: says whether a part's scale is known to hold a number.
        """
        self._weigh()
        return [
            *self._ask_missing(),
            *self._ask_forms(),
            *self._ask_scale(),
            *self._ask_sentinels(holds),
            *self._ask_order(),
            *self._ask_readings(),
            *self._ask_names(known),
        ]

    def taken(self, known: Mapping[str, Iterable[str]], asks: Sequence[FileAsk]) -> dict[str, str]:
        """Return what the file is read by: what was said of it, and what is taken of the rest."""
        found = {**self._told, **{one.key: one.answer(self._told) for one in asks}}
        # Until it is said, a suspect is left out of every range; nothing comes in before.
        found |= {
            one.key: "missing" for one in asks if one.code == "no_value" and not found[one.key]
        }
        for kind, group in self._groups(known):
            if found.get(_key_of(group)) != "apart":
                here = set(group) & set(known.get(kind, ()))
                counts = self._names[kind]
                best = max(here or group, key=lambda name: (counts[name], name))
                found |= {f"as:{kind}:{name}": best for name in group if name != best}
        return {key: said for key, said in found.items() if said}

    def _ask_missing(self) -> Iterable[FileAsk]:
        if self._missing or "missing" in self._told:
            words = ", ".join(word for word, _n in self._missing.most_common(5))
            n = str(self._missing.total())
            suggested = DIVIDER.join(cells.NO_VALUE)
            yield FileAsk("missing", "missing", (), suggested, found=words, facts={"n": n})

    def _ask_forms(self) -> Iterable[FileAsk]:
        for form, seen in self._forms.items():
            options, suggested = _ANSWERS[Form(form)]
            if form in WORDED and any(one.mixes(Form(form)) for one in self._parts.values()):
                continue  # they are words among others
            found = ", ".join(self._words()) if form == Form.TRUTH else seen.found
            yield FileAsk(str(form), str(form), options, suggested, "", found, {"n": str(seen.n)})

    def _ask_scale(self) -> Iterable[FileAsk]:
        """Ask which numbers the steps of a scale are; of several scales that have the words none is taken."""
        parts = [one for one in self._parts.values() if one.forms[Form.SCALE]]
        words = sorted({word for one in parts for word in one.words})
        if "+" in words:  # beside it a dash is a mark too
            words += [word for word in ("-", "–", "—") if word in self._missing]
        scales_ = (
            fitting(words) if parts and not any(one.mixes(Form.SCALE) for one in parts) else ()
        )
        if scales_:
            least = narrowest(scales_)
            suggested = least[0] if len(least) == 1 else ""
            found, n = ", ".join(words[:5]), sum(one.forms[Form.SCALE] for one in parts)
            options = (*scales_, "no")
            yield FileAsk("scale", "scale", options, suggested, "", found, {"n": str(n)})

    def _words(self) -> list[str]:
        """Return the words for yes, then those for no, as they are written."""
        words = {word for one in self._parts.values() for word in one.words}
        known = [word for word in words if word.casefold() in TRUTHS]
        return sorted(known, key=lambda word: (-TRUTHS[word.casefold()], word))

    def _ask_sentinels(self, holds: Holds) -> Iterable[FileAsk]:
        counts: Counter[Decimal] = Counter()
        ends: dict[Decimal, tuple[Decimal, Decimal]] = {}
        for part, seen in self._parts.items():
            for number in seen.sentinels():
                if not holds(part, number) and seen.low is not None and seen.high is not None:
                    counts[number] += seen.suspects[number]
                    ends.setdefault(number, (seen.low, seen.high))
        for number, n in sorted(counts.items()):
            low, high = map(scales.text, ends[number])
            written = scales.text(number)
            facts = {"n": str(n), "low": low, "high": high}
            key, options = f"missing:{written}", ("missing", "grade")
            yield FileAsk(key, "no_value", options, found=written, facts=facts)

    def _ask_order(self) -> Iterable[FileAsk]:
        if unclear := self._orders.get("either"):
            told = [one for one in ("day", "month") if one in self._orders]
            facts = {"n": str(unclear.n)}
            settled = told[0] if len(told) == 1 else ""
            options = ("day", "month")
            yield FileAsk("date_order", "date_order", options, settled, "", unclear.found, facts)
        if (counted := self._orders.get("days")) and (day := day_of(counted.found)):
            facts = {"n": str(counted.n), "day": day.date().isoformat()}
            yield FileAsk("days", "days", ("yes", "no"), "yes", "", counted.found, facts)

    def _ask_readings(self) -> Iterable[FileAsk]:
        if len(self._samples) > 1:
            found = ", ".join(map(str, sorted(self._samples)[:5]))
            yield FileAsk("readings", "readings", ("yes", "no"), "yes", found=found)

    def _ask_names(self, known: Mapping[str, Iterable[str]]) -> Iterable[FileAsk]:
        for kind, group in self._groups(known):
            same = len({fold(name) for name in group}) == 1
            clear = len(set(group) & set(known.get(kind, ()))) < 2
            suggested = "same" if same and clear else ""
            found = " · ".join(f"“{name}”" for name in group)
            options = ("same", "apart")
            yield FileAsk(_key_of(group), f"same_{kind}", options, suggested, found=found)

    def _groups(self, known: Mapping[str, Iterable[str]]) -> Iterable[tuple[str, list[str]]]:
        """Yield names that are near each other: of the file, and of the project beside them."""
        for kind, counts in self._names.items():
            groups: dict[str, dict[str, None]] = {}
            for name in counts:
                groups.setdefault(likeness(name) or name, {}).setdefault(name)
            here = set(known.get(kind, ()))
            for name in sorted(here):
                group = groups.get(likeness(name), {})
                if any(fold(one) == fold(name) and one not in here for one in group):
                    group.setdefault(name)
            for group in groups.values():
                if len(group) > 1 and not here.issuperset(group):
                    yield kind, sorted(group)


def _key_of(group: Sequence[str]) -> str:
    """Return the key of the question whether names mean the same."""
    return f"same:{min(group, key=lambda name: (len(name), name)).casefold()}"
