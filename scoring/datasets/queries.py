"""Examples for training from a final round: counted for the page, written as files."""

import json
import tempfile
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import IO, Any, Final

from django.utils.translation import gettext as _

from annotation.common import texts as faces
from annotation.grading import facts as grade_table
from annotation.grading.facts import CriterionFacts, Facts, GradeRow
from annotation.rounds.models import Round
from annotation.rubrics.models import Criterion
from annotation.rubrics.rules import CHOICES
from annotation.systems.models import Item, Response
from scoring.datasets import rules
from scoring.datasets.rules import (
    ARENA,
    DPO,
    OWN,
    SFT,
    AnswerMark,
    DataRules,
    DataWish,
    Examples,
    GoodAnswer,
    LeftOut,
    PairVote,
    TrainingPair,
)
from scoring.figures.labels import ReadRound
from scoring.shown.sheet import as_csv, chunks, safe

#: Questions that are read at once.
ITEMS: Final = 100
PIECE: Final = 64 * 1024
MEASURED: Final = frozenset({"LEVELS", "YES_NO", "NUMBER"})
CHOICE: Final = "CHOICE"
#: Who won, as arenas write it, by the value of a choice.
WINNERS: Final = {
    1: "model_a",
    2: "model_a",
    3: "tie",
    4: "model_b",
    5: "model_b",
    6: "tie (bothbad)",
}
OWN_COLUMNS: Final = (
    *("preference", "round", "id", "question", "system_a", "release_a", "sample_a", "answer_a"),
    *("system_b", "release_b", "sample_b", "answer_b", "choice", "annotator", "criterion"),
    *("at", "comment"),
)


@dataclass(frozen=True)
class DataSource:
    """A final round, and what is asked of it."""

    mine: ReadRound
    known: Facts
    wish: DataWish

    @property
    def round(self) -> Round:
        return self.mine.round

    @property
    def kind(self) -> str:
        return self.wish.form

    @property
    def criterion(self) -> str:
        return self.wish.criterion

    @property
    def written(self) -> str:
        return self.wish.written

    @property
    def rules(self) -> DataRules:
        return self.wish.rules


@dataclass(slots=True)
class DataCount:
    """What comes out of a round, for its page: examples, texts people wrote, and the rest by reason."""

    n: int = 0
    n_written: int = 0
    n_questions: int = 0
    left_out: Counter[LeftOut] = field(default_factory=Counter)

    @property
    def reasons(self) -> list[tuple[str, int]]:
        """Return why the rest is left out, the most frequent first."""
        return [(_(rules.REASONS[one]), n) for one, n in self.left_out.most_common()]


@dataclass(slots=True)
class QuestionData:
    """The grades of one question that count, and what was written about it."""

    item: int
    marks: list[AnswerMark] = field(default_factory=list)
    votes: list[PairVote] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    #: The votes with all that is known of each.
    rows: list[tuple[GradeRow, PairVote]] = field(default_factory=list)


def criteria_of(mine: ReadRound, known: Facts, *, texts: bool = False) -> dict[str, str]:
    """Return the names of the criteria that rank answers in a round, or of those that ask for a text."""
    wanted = {Criterion.Mark.TEXT} if texts else {CHOICE}
    return {
        one.key: one.name
        for one in known.criteria.values()
        if (one.mark in wanted if texts or mine.round.of_pairs else _is_measured(one))
    }


def _is_measured(criterion: CriterionFacts) -> bool:
    """Say whether marks can be added up: those of an open scale are a share of nothing."""
    ends = criterion.scale_min, criterion.scale_max
    return criterion.mark in MEASURED and None not in ends


def counted(source: DataSource) -> DataCount:
    """Return what comes out, without reading texts."""
    found = DataCount()
    for some in _questions(source):
        contents = _contents(one.item for one in some)
        for one in some:
            n, left_out = _n_of(source, one, contents)
            found.n += n
            found.left_out += left_out
            found.n_questions += bool(n)
            found.n_written += len(one.texts) if source.kind == SFT else 0
    return found


def _n_of(
    source: DataSource, one: QuestionData, contents: Mapping[int, str]
) -> tuple[int, Counter[LeftOut]]:
    if source.kind in {ARENA, OWN}:
        return len(one.rows), Counter()
    made = _examples(source, one, contents)
    return len(made.pairs) + len(made.good), made.left_out


def _examples(source: DataSource, one: QuestionData, contents: Mapping[int, str]) -> Examples:
    if source.kind == SFT:
        marks = rules.marks_of_votes(one.votes) if source.round.of_pairs else one.marks
        return rules.good_answers(marks, source.rules, contents)
    if source.round.of_pairs:
        return rules.pairs_of_votes(one.votes, source.rules, contents)
    return rules.pairs_of_marks(one.marks, source.rules, contents)


def _questions(source: DataSource) -> Iterator[list[QuestionData]]:
    """Yield the questions of a round with their grades that count, some at a time."""
    places = source.round.items.order_by("ordinal").values_list("item_id", flat=True)
    for items in chunks(dict.fromkeys(places), ITEMS):
        found = {item: QuestionData(item) for item in items}
        rows = [one for one in grade_table.rows_on(source.known, items) if one.counts]
        shares: dict[tuple[int, int, int], list[float]] = defaultdict(list)
        for row in rows:
            if row.criterion.mark == Criterion.Mark.TEXT:
                _take_text(source, found[row.item.pk], row)
            elif row.value is None or source.criterion not in {"", row.criterion.key}:
                continue
            elif row.against_id is not None:
                vote = PairVote(row.response_id, row.against_id, row.rater.pk, int(row.value))
                found[row.item.pk].votes.append(vote)
                found[row.item.pk].rows.append((row, vote))
            elif _is_measured(row.criterion):
                shares[row.item.pk, row.response_id, row.rater.pk].append(_share(row))
        for (item, response, rater), some in shares.items():
            found[item].marks.append(AnswerMark(response, rater, sum(some) / len(some)))
        yield list(found.values())


def _take_text(source: DataSource, question: QuestionData, row: GradeRow) -> None:
    """Keep what an annotator wrote, once, where it is a better answer."""
    text = row.text.strip()
    if row.criterion.key == source.written and text and text not in question.texts:
        question.texts.append(text)


def _share(row: GradeRow) -> float:
    """Return a mark as a share of its scale, which has both ends."""
    low, high = float(row.criterion.scale_min or 0), float(row.criterion.scale_max or 0)
    return (float(row.value or 0) - low) / (high - low) if high > low else 0.0


def _contents(items: Iterable[int]) -> dict[int, str]:
    """Return what tells the texts of answers apart; empty where an answer says nothing."""
    silent = faces.response_sha(faces.as_messages("", "assistant"))
    rows = Response.objects.filter(item__in=list(items)).values_list("pk", "content_sha")
    return {pk: "" if sha == silent else sha for pk, sha in rows}


# Files -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class QuestionTexts:
    """The texts of some questions and of all answers to them."""

    asked: Mapping[int, Item]
    said: Mapping[int, Response]

    @classmethod
    def of(cls, items: Sequence[int]) -> "QuestionTexts":
        answers = Response.objects.filter(item__in=items)
        return cls(
            {one.pk: one for one in Item.objects.filter(pk__in=items)},
            {one.pk: one for one in answers.only("pk", "release_id", "sample_no", "messages")},
        )


def lines_of(source: DataSource) -> Iterator[dict[str, Any]]:
    """Yield the examples as objects, in the order of the questions."""
    writers: Mapping[str, Callable[..., Iterator[dict[str, Any]]]] = {
        DPO: _pair_lines,
        SFT: _answer_lines,
        ARENA: _battle_lines,
    }
    raters = _Pseudonyms()
    for some in _questions(source):
        items = [one.item for one in some]
        texts, contents = QuestionTexts.of(items), _contents(items)
        for one in some:
            yield from writers[source.kind](source, one, texts, contents, raters)


class _Pseudonyms:
    """Annotators by numbers, in the order in which they come up."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}

    def of(self, rater: int) -> str:
        return f"annotator_{self._numbers.setdefault(rater, len(self._numbers) + 1)}"


def _pair_lines(
    source: DataSource,
    one: QuestionData,
    texts: QuestionTexts,
    contents: Mapping[int, str],
    _raters: _Pseudonyms,
) -> Iterator[dict[str, Any]]:
    for pair in _examples(source, one, contents).pairs:
        yield _pair_line(source, texts.asked[one.item], texts, pair)


def _pair_line(
    source: DataSource, item: Item, texts: QuestionTexts, pair: TrainingPair
) -> dict[str, Any]:
    chosen, rejected = texts.said[pair.chosen], texts.said[pair.rejected]
    return {
        "prompt": item.messages,
        "chosen": chosen.messages,
        "rejected": rejected.messages,
        "question_id": item.external_id,
        "chosen_model": _system(source, chosen),
        "rejected_model": _system(source, rejected),
        "score_chosen": round(pair.chosen_score, 4),
        "score_rejected": round(pair.rejected_score, 4),
        "agreement": round(pair.agreement, 4),
        "n_annotators": pair.n_raters,
    }


def _answer_lines(
    source: DataSource,
    one: QuestionData,
    texts: QuestionTexts,
    contents: Mapping[int, str],
    _raters: _Pseudonyms,
) -> Iterator[dict[str, Any]]:
    item = texts.asked[one.item]
    for good in _examples(source, one, contents).good:
        yield _answer_line(source, item, texts.said[good.response], good)
    for text in one.texts:
        yield {
            "messages": [*item.messages, {"role": "assistant", "content": text}],
            "question_id": item.external_id,
            "model": None,
            "score": None,
            "n_annotators": 1,
            "source": "annotator",
        }


def _answer_line(
    source: DataSource, item: Item, answer: Response, good: GoodAnswer
) -> dict[str, Any]:
    return {
        "messages": [*item.messages, *answer.messages],
        "question_id": item.external_id,
        "model": _system(source, answer),
        "score": round(good.score, 4),
        "n_annotators": good.n_raters,
        "source": "system",
    }


def _battle_lines(
    source: DataSource,
    one: QuestionData,
    texts: QuestionTexts,
    _contents: Mapping[int, str],
    raters: _Pseudonyms,
) -> Iterator[dict[str, Any]]:
    item = texts.asked[one.item]
    for row, vote in one.rows:
        sides = texts.said[vote.first], texts.said[vote.second]
        yield {
            "question_id": item.external_id,
            "model_a": _system(source, sides[0]),
            "model_b": _system(source, sides[1]),
            "winner": WINNERS[vote.value],
            "judge": raters.of(row.rater.pk),
            "turn": 1,
            "conversation_a": [*item.messages, *sides[0].messages],
            "conversation_b": [*item.messages, *sides[1].messages],
            "tstamp": row.at.timestamp() if row.at else None,
        }


def _system(source: DataSource, answer: Response) -> str:
    return source.mine.names[answer.release_id].text


def own_lines(source: DataSource) -> Iterator[str]:
    """Yield preferences as CSV: a line a choice, which comes back in as it went."""
    yield as_csv([OWN_COLUMNS])
    for some in _questions(source):
        texts = QuestionTexts.of([one.item for one in some])
        yield as_csv(_own_line(source, texts, row, vote) for one in some for row, vote in one.rows)


def _own_line(
    source: DataSource, texts: QuestionTexts, row: GradeRow, vote: PairVote
) -> Sequence[object]:
    item = texts.asked[row.item.pk]
    sides = []
    for pk in (vote.first, vote.second):
        answer = texts.said[pk]
        name = source.mine.names[answer.release_id]
        sides.append(
            (
                safe(name.system),
                safe(name.label),
                answer.sample_no,
                _plain(answer.messages, "assistant"),
            )
        )
    return (
        row.pk,
        row.round.number,
        safe(item.external_id),
        _plain(item.messages, "user"),
        *sides[0],
        *sides[1],
        str(CHOICES[vote.value]),
        safe(row.rater.label),
        safe(row.criterion.name),
        row.at.isoformat() if row.at else "",
        safe(row.comment),
    )


def _plain(messages: Sequence[Mapping[str, Any]], role: str) -> str:
    """Return a single text as it is, anything else as JSON."""
    only = messages[0] if len(messages) == 1 else {}
    if set(only) == {"role", "content"} and only["role"] == role:
        return safe(str(only["content"]))
    return json.dumps(list(messages), ensure_ascii=False)


def packed(source: DataSource, now: datetime) -> Iterator[bytes]:
    """Yield a ZIP: the examples, a line each, and how they were made."""
    with tempfile.TemporaryFile() as kept:
        _pack(source, now, kept)
        kept.seek(0)
        while piece := kept.read(PIECE):
            yield piece


def _pack(source: DataSource, now: datetime, kept: IO[bytes]) -> None:
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as made:
        n = 0
        with made.open(_file_of(source), "w") as file:
            for text in _texts_of(source):
                file.write(text.encode())
                n += 1
        n = counted(source).n if source.kind == OWN else n
        about = json.dumps(about_of(source, n, now), ensure_ascii=False, indent=2)
        made.writestr("about.json", f"{about}\n")


def _file_of(source: DataSource) -> str:
    return "preferences.csv" if source.kind == OWN else f"{source.kind}.jsonl"


def _texts_of(source: DataSource) -> Iterator[str]:
    """Yield the lines of a file, or of a table its parts."""
    if source.kind == OWN:
        yield from own_lines(source)
        return
    for line in lines_of(source):
        yield f"{json.dumps(line, ensure_ascii=False)}\n"


def about_of(source: DataSource, n: int, now: datetime) -> dict[str, Any]:
    """Return how a file was made, for whoever finds it later."""
    found = counted(source)
    return {
        "file": _file_of(source),
        "lines": n,
        "written_by_people": found.n_written,
        "left_out": {str(reason): number for reason, number in found.left_out.most_common()},
        "project": source.mine.scope.project.slug,
        "round": source.round.number,
        "round_name": source.round.name,
        "of": "preferences" if source.round.of_pairs else "grades",
        "criterion": source.criterion or "mean of all, as a share of each scale",
        "rubrics": sorted({one.rubric_version for one in source.known.criteria.values()}),
        "rules": asdict(source.rules),
        "systems_named": source.mine.shown,
        "made_at": now.isoformat(),
    }
