"""Where a column probably belongs: what stands in it first, then how it is called.

What is certain neither by its values nor by its name is offered to be checked, never taken in silence.
"""

import re
import unicodedata
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from annotation.files import cells, shapes, synonyms
from annotation.files.columns import REPEATABLE, Guess, Target
from annotation.files.look.layouts import VALUES, FileColumn
from annotation.files.look.objects import KEY, KEY_2
from annotation.files.values import Form, day_of, form_of, moment_of, plain

#: Columns of what rows stand under: names in an object, of a sheet, of files in a ZIP.
_OUTER: Final = frozenset(
    (KEY, KEY_2, "name of the sheet", "name of the file", "name of the folder", "end of the name")
)
#: Texts beyond so many signs in a column without a known name may be answers.
LONG: Final = 40
#: A name of more words is none of a system.
MOST_OF_A_NAME: Final = 5
#: So large a share of the values of a column has to be known for it to be told by them.
SHARE: Final = 0.5

#: Figures that metrics compute, and others that machines note: lower may be better.
_METRICS: Final = re.compile(
    r"rouge|bleu|bert_?score|meteor|chrf|comet|bleurt|perplex|exact_?match|cosine|similarity"
    r"|faithful|relevancy|context_|answer_|ragas|latency|toxic|hallucin"
    r"|(?<![a-z])(?:f1|[twc]er|ppl|cost|recall)(?![a-z])",
    re.IGNORECASE,
)
_OPTION_NAME: Final = re.compile(
    r"[A-H]|(?:option|choice|distractor|ending|选项)[._ -]?(?:[A-Ha-h]|\d{1,2})", re.IGNORECASE
)
_ANSWER_NAME: Final = re.compile(
    r"(?:answers?|responses?|outputs?|completions?|predictions?|summar(?:y|ies)|systems?|models?"
    r"|antwort(?:en)?|respuestas?|réponses?|ответ|回答)[._: /-]+"
    r"(?:(?:of|by|from|von|vom|de|del|por)[._: /-]+)?(?P<system>.+)",
    re.IGNORECASE,
)
_NAMED_FIRST: Final = re.compile(
    r"(?P<system>.*?[^\W_].*?)(?:['’]s)?[._: /-]+(?:answers?|responses?|outputs?|completions?|predictions?"
    r"|antwort|respuesta|réponse|ответ|回答)",
    re.IGNORECASE,
)
#: What stands around the name of a criterion without being a part of it.
_AROUND: Final = re.compile(
    r"^(?:score|rating|grade|is)[_. :-]+|[_. :-]*\(.*\)$|[_. :-]+(?:scores?|rating|grade|mark|评分|得分)$",
    re.IGNORECASE,
)
_NUMBERED_RATER: Final = re.compile(
    r"(?:rater|annotator|evaluator|grader|judge|worker|reviewer|coder|expert|human|person)[ _-]?\w{1,3}",
    re.IGNORECASE,
)
#: Language models, whose marks are none of people.
_MODELS: Final = re.compile(r"gpt|llm|claude|gemini|llama|mi[sx]tral|qwen|deepseek", re.IGNORECASE)
#: What only holds the marks of a record, as some tools nest them.
_MARKED: Final = re.compile(
    r"^(?:scores?|ratings?|grades?|labels?|metrics?|judge?ments?|evaluations?|results?|answers?|outputs?"
    r"|criteria|aspects|dimensions|marks)[.:]",
    re.IGNORECASE,
)
#: What only holds a record, as some tools nest it.
_WRAPPED: Final = re.compile(
    r"(?:(?:row|data|record|item|example|sample|fields|doc|inputs?|outputs?|metadata|meta|attributes|llm"
    r"|request|properties|answer|assignment|expectations)[.:/])+",
    re.IGNORECASE,
)
_VALUE: Final = re.compile(r"\.value$", re.IGNORECASE)
_COUNTED: Final = re.compile(r"systems?|models?", re.IGNORECASE)
_SIGNS: Final = re.compile(r"[_./: ]")
#: What people write between two names.
_BETWEEN: Final = re.compile(r"\s+[-–—|/>·]+\s+|\s*[|→]\s*|:\s+")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def fold(name: str) -> str:
    """Return a name as it is compared: capitals and spaces do not count."""
    return " ".join(name.split()).casefold()


@dataclass(frozen=True, slots=True)
class KnownNames:
    """What a project has of that which a file names, each name as `fold` has it."""

    items: frozenset[str] = frozenset()
    systems: frozenset[str] = frozenset()
    criteria: frozenset[str] = frozenset()
    raters: frozenset[str] = frozenset()

    def names_criterion(self, name: str) -> bool:
        """Say whether a name is that of a criterion here, or a word of quality."""
        return bool({fold(name), fold(criterion_of(name))} & (self.criteria | synonyms.CRITERIA))


NOTHING: Final = KnownNames()
#: Names of texts that were shown beside what was marked.
_SHOWN: Final = {
    name
    for target in (Target.QUESTION, Target.RESPONSE, Target.STANDARD_ANSWER)
    for name in synonyms.NAMES[target].split()
}


def criterion_of(name: str) -> str:
    """Return the criterion that a column is called after: "Fluency (1-5)" and "scores.fluency" name fluency."""
    return _AROUND.sub("", _AROUND.sub("", _MARKED.sub("", name).strip())).strip() or name


def settled(columns: Sequence[FileColumn], guesses: Iterable[Guess]) -> list[Guess]:
    """Return guesses by which a column is ignored that has neither a name nor anything in it."""
    return [
        Guess(Target.IGNORE) if _is_nameless(column) and not column.n_filled else guess
        for column, guess in zip(columns, guesses, strict=True)
    ]


def suggest_answers(columns: Sequence[FileColumn], known: KnownNames = NOTHING) -> list[Guess]:
    """Return a suggestion for each column of a file of questions and answers."""
    guesses = _by_name(columns, synonyms.NAMES)
    found = {guess.target for guess in guesses}
    wide = any(
        not guess.target and _system_of(column)
        for guess, column in zip(guesses, columns, strict=True)
    )
    if Target.SYSTEM in found and Target.RESPONSE not in found and not wide:
        guesses = _by_name(columns, synonyms.LONG_NAMES)
    guesses = [_by_form(column, guess) for column, guess in zip(columns, guesses, strict=True)]
    guesses = _by_value(
        columns, guesses, {Target.EXTERNAL_ID: known.items, Target.SYSTEM: known.systems}
    )
    guesses = _outer(columns, guesses)
    has_question = {Target.QUESTION, Target.MESSAGES} & {one.target for one in guesses}
    long_table = any(guess.target == Target.RESPONSE for guess in guesses)
    for place, column in enumerate(columns):
        if not guesses[place].target:
            guesses[place] = _of_answers(column, known, long_table=long_table)
    guesses = [
        _alone(column, guess, guesses, known)
        for column, guess in zip(columns, guesses, strict=True)
    ]
    guesses = _rest_of_answers(columns, guesses, long_table=long_table)
    numbered = [one for one in guesses if one.target == Target.ANSWER]
    if Target.SYSTEM in found and all(one.system.isdecimal() for one in numbered):
        guesses = [replace(one, sure=True) if one in numbered else one for one in guesses]
    asking = None if has_question else _asks(columns, guesses)
    if asking is not None:
        guesses[asking] = Guess(Target.QUESTION, sure=False)
    return guesses


def _rest_of_answers(
    columns: Sequence[FileColumn], guesses: Sequence[Guess], *, long_table: bool
) -> list[Guess]:
    """Offer places for what neither its name nor its values tell of.

    Beside a column of answers it is kept with the answer, and nobody is shown it. Columns of sentences
    beside a question are what several systems said, each under its name.
    """
    left = [place for place, guess in enumerate(guesses) if not guess.target]
    offered = list(guesses)
    asked = {Target.QUESTION, Target.MESSAGES, Target.EXTERNAL_ID} & {one.target for one in guesses}
    if not asked:
        return offered
    if long_table:
        for place in left:
            offered[place] = Guess(Target.RESPONSE_DETAILS, sure=False)
        return offered
    said = [place for place in left if _has_sentences(columns[place])]
    if len(said) + sum(one.target == Target.ANSWER for one in guesses) > 1:
        for place in said:
            offered[place] = Guess(Target.ANSWER, system=columns[place].name, sure=False)
    return offered


def _has_sentences(column: FileColumn) -> bool:
    """Say whether a column that may be called after somebody holds texts of several words, each another one."""
    is_asked = len(column.name.split()) > MOST_OF_A_NAME or column.name.rstrip().endswith(
        ("?", "？")
    )
    if not column.is_text or not column.samples or is_asked or is_detail(column):
        return False
    if all(sample.rstrip().endswith(("?", "？")) for sample in column.samples):
        return False
    n_several = sum(len(sample.split()) > 1 for sample in column.samples)
    n_samples = len(column.samples)
    return 2 * n_several >= n_samples and len(set(column.samples)) == n_samples


def _alone(column: FileColumn, guess: Guess, guesses: Sequence[Guess], known: KnownNames) -> Guess:
    """Take the only "NAME answer" of a file for doubtful: it may be a short, a final or a true one."""
    is_last = guess.target == Target.ANSWER and not _ANSWER_NAME.fullmatch(column.name)
    if not is_last or fold(guess.system) in known.systems:
        return guess
    several = sum(one.target == Target.ANSWER for one in guesses) > 1
    return replace(guess, sure=guess.sure and several)


def _outer(columns: Sequence[FileColumn], guesses: Sequence[Guess]) -> list[Guess]:
    """Offer whose answer or of which question a row is by what it stands under; fewer names are of systems."""
    offered = list(guesses)
    found = {one.target for one in guesses}
    left = [
        place
        for place, column in enumerate(columns)
        if column.name in _OUTER and not guesses[place].target
    ]
    left.sort(key=lambda place: (_is_said(columns[place]), len(columns[place].values)))
    asked, named = bool(found & {Target.QUESTION, Target.MESSAGES}), Target.EXTERNAL_ID in found
    answered = Target.SYSTEM in found
    for n, place in enumerate(left, start=1):
        column, is_said = columns[place], _is_said(columns[place])
        again = len(column.values) < min(column.n_filled, VALUES) and not is_said
        if not answered and (named or again or n < len(left)):
            answered, target = True, Target.SYSTEM
        elif is_said and not asked:
            asked, target = True, Target.QUESTION
        elif not named and not is_said:
            named, target = True, Target.EXTERNAL_ID
        else:
            target = Target.RESPONSE_DETAILS
        offered[place] = Guess(target, sure=False)
    return offered


def _is_said(column: FileColumn) -> bool:
    """Say whether most of what stands in a column are questions or sentences, and no ids."""
    samples = [sample.rstrip() for sample in column.samples]
    said = [one for one in samples if one.endswith(("?", "？")) or len(one.split()) > 3]
    return 2 * len(said) > len(samples)


def _by_form(column: FileColumn, guess: Guess) -> Guess:
    """Tell a question that is a text from one that is a conversation, by how it is written."""
    listed = not column.is_text and not column.values and column.n_filled
    if guess.target == Target.QUESTION and listed:
        return Guess(Target.MESSAGES)
    if guess.target == Target.MESSAGES and not _holds_messages(column):
        return Guess()
    if guess.target == Target.SAMPLE_NO and column.values and not column.is_numeric:
        return Guess(Target.RESPONSE_DETAILS)
    return guess


def _holds_messages(column: FileColumn) -> bool:
    """Say whether a column holds lists, or texts of them, as conversations are written."""
    written = all(sample.lstrip().startswith(("[", "{")) for sample in column.samples)
    return not column.n_filled or not column.is_text or written


def _of_answers(column: FileColumn, known: KnownNames, *, long_table: bool) -> Guess:
    if is_index(column) or is_detail(column):
        return Guess(Target.IGNORE if is_index(column) else Target.RESPONSE_DETAILS)
    if not long_table and (system := _system_of(column)):
        return Guess(Target.ANSWER, system=system, sure=not system.isdecimal())
    if column.is_numeric:
        return Guess(Target.RESPONSE_DETAILS)
    if long_table or not column.is_text:
        return Guess()
    if fold(column.name) in known.systems:
        return Guess(Target.ANSWER, system=column.name)
    if column.longest > LONG or any(len(sample) > LONG for sample in column.samples):
        return Guess(Target.ANSWER, system=column.name, sure=False)
    return Guess()


def _system_of(column: FileColumn) -> str:
    """Return the system whose answers a column holds by its name; empty where it is none."""
    match = _ANSWER_NAME.fullmatch(column.name) or _NAMED_FIRST.fullmatch(column.name)
    if match and match["system"].strip().casefold() in synonyms.OF_REFERENCES:
        return ""
    one_value = column.is_text or bool(column.values) or not column.n_filled
    words = _words(column.name)
    if "scores" in words or words[-1:] in (["score"], ["rating"], ["grade"]):
        return ""
    if not match or not one_value or is_detail(column):
        return ""
    # An answer may be a number; a system or a model that has numbers is counted by something, and a
    # criterion that has them is what was marked.
    counted = _COUNTED.match(column.name) or any(
        map(NOTHING.names_criterion, _words(match["system"]))
    )
    if column.is_numeric and counted:
        return ""
    return match["system"].strip()


def _asks(columns: Sequence[FileColumn], guesses: Sequence[Guess]) -> int | None:
    """Return the column without a sure place whose texts ask; None where no single one does."""
    open_ones = [place for place, guess in enumerate(guesses) if not guess.target or not guess.sure]
    asking = [
        place
        for place in open_ones
        if columns[place].samples
        and all(sample.rstrip().endswith(("?", "？")) for sample in columns[place].samples)
    ]
    return asking[0] if len(asking) == 1 else None


def suggest_questions(columns: Sequence[FileColumn], known: KnownNames = NOTHING) -> list[Guess]:
    """Return a suggestion for each column of a file of questions for the bank."""
    guesses = _by_name(columns, synonyms.QUESTION_NAMES)
    guesses = [_by_form(column, guess) for column, guess in zip(columns, guesses, strict=True)]
    guesses = _by_value(columns, guesses, {Target.EXTERNAL_ID: known.items})
    asked = {Target.QUESTION, Target.MESSAGES} & {one.target for one in guesses}
    for place, column in enumerate(columns):
        if column.name in _OUTER and not guesses[place].target:
            is_asked = not asked and _is_said(column)
            guesses[place] = Guess(Target.QUESTION if is_asked else Target.IGNORE, sure=False)
        elif not guesses[place].target and (is_index(column) or is_detail(column)):
            guesses[place] = Guess(Target.IGNORE, sure=False)
    return guesses


def suggest_pairs(columns: Sequence[FileColumn], known: KnownNames = NOTHING) -> list[Guess]:
    """Return a suggestion for each column of a file that says which of two answers is better."""
    guesses = _by_name(columns, synonyms.PAIR_NAMES)
    guesses = [_by_form(column, guess) for column, guess in zip(columns, guesses, strict=True)]
    guesses = _by_value(columns, guesses, {Target.EXTERNAL_ID: known.items})
    for place, column in enumerate(columns):
        if not guesses[place].target and (is_index(column) or is_detail(column)):
            guesses[place] = Guess(Target.IGNORE, sure=False)
    return guesses


def suggest_grades(columns: Sequence[FileColumn], known: KnownNames = NOTHING) -> list[Guess]:
    """Return a suggestion for each column of a table of grades.

    A row holds one grade, or one for each rater, each criterion or each pair of them: `e0_coh` is rater
    e0 on coh, `fluency_ann1` the other way round, as known criteria and words of quality tell.
    """
    guesses = _by_name(columns, synonyms.GRADE_NAMES)
    guesses = _of_grid(columns, _by_value(columns, guesses, _known_places(known)))
    found = {guess.target for guess in guesses}
    lacking = [one for one in (Target.SYSTEM, Target.RATER) if one not in found]
    for place, column in enumerate(columns):  # whose grades, or of whom, where only that is left
        if column.name in _OUTER and not guesses[place].target and len(lacking) == 1:
            guesses[place] = Guess(lacking.pop(), sure=False)
    guesses = _with_marks(columns, guesses, known, Target.GRADE)
    several = sum(one.target == Target.GRADE for one in guesses) > 1
    return _of_no_mark(guesses, {Target.COMMENT}) if several else guesses


def _of_no_mark(guesses: Sequence[Guess], of_one: Container[str]) -> list[Guess]:
    """Offer to leave out what is said of one mark, beside several of which it may be of any."""
    return [Guess(Target.IGNORE, sure=False) if one.target in of_one else one for one in guesses]


def _of_grid(columns: Sequence[FileColumn], guesses: list[Guess]) -> list[Guess]:
    """Say what the rows of a form's grids are: systems, where these are known, else criteria of one answer."""
    places = {column.name: place for place, column in enumerate(columns)}
    if shapes.GRID not in places:
        return guesses
    asked, row = places[shapes.GRID], places[shapes.GRID_ROW]
    of = {asked: guesses[asked].target, row: guesses[row].target}
    if of[row] == Target.SYSTEM:
        guesses[asked] = Guess(Target.CRITERION, sure=of[asked] == Target.CRITERION)
    elif of[asked] == Target.SYSTEM:
        guesses[row] = Guess(Target.CRITERION)
    elif of[asked] == Target.CRITERION:
        guesses[row] = Guess(Target.SYSTEM, sure=False)
    elif len(columns[asked].samples) <= 1:
        guesses[asked], guesses[row] = Guess(Target.IGNORE), Guess(Target.CRITERION)
    return guesses


def suggest_scores(columns: Sequence[FileColumn], known: KnownNames = NOTHING) -> list[Guess]:
    """Return a suggestion for each column of scores: a column of numbers is a judge or a metric."""
    guesses = _by_name(columns, synonyms.SCORE_NAMES)
    guesses = _by_value(columns, guesses, _known_places(replace(known, raters=frozenset())))
    found = {guess.target for guess in guesses}
    if Target.VALUE in found:
        return [_beside(column, guess) for column, guess in zip(columns, guesses, strict=True)]
    if Target.RATER in found:
        guesses = _with_marks(columns, guesses, known, Target.SCORE)
        wide = any(one.target == Target.SCORE for one in guesses)
        return _of_no_mark(guesses, _OF_ONE) if wide else guesses
    places = [
        place
        for place, column in enumerate(columns)
        if not guesses[place].target and _has_numbers(column) and not _is_count(column)
    ]
    names = [columns[place].name for place in places]
    turned = bool(names) and all(known.names_criterion(_split(name)[0]) for name in names)
    for place, name in zip(places, names, strict=True):
        first, _sign, last = _split(name)
        rater, criterion = (last, first) if turned else (first, last)
        named = rater and not names_metric(name) and known.names_criterion(criterion)
        guesses[place] = Guess(
            Target.SCORE, rater=rater if named else name, criterion=criterion if named else ""
        )
    if places:  # a text or a reason is of no single one of several scores
        guesses = _of_no_mark(guesses, _OF_ONE)
    return [_beside(column, guess) for column, guess in zip(columns, guesses, strict=True)]


def suggest_choices(columns: Sequence[FileColumn], known: KnownNames = NOTHING) -> list[Guess]:
    """Return a suggestion for each column of a table of questions of multiple choice."""
    del known
    guesses = _by_name(columns, synonyms.CHOICE_NAMES)
    for place, column in enumerate(columns):
        if not guesses[place].target and _OPTION_NAME.fullmatch(column.name.strip()):
            guesses[place] = Guess(Target.OPTION)
    return guesses


def suggest_figures(columns: Sequence[FileColumn], known: KnownNames = NOTHING) -> list[Guess]:
    """Return a suggestion for each column of a table of figures of other benchmarks."""
    del known
    return _by_name(columns, synonyms.FIGURE_NAMES)


_OF_ONE: Final = frozenset({Target.OUTCOME, Target.REASON, Target.TEXT})
Suggest = Callable[[Sequence[FileColumn], KnownNames], list[Guess]]


def _known_places(known: KnownNames) -> Mapping[Target, frozenset[str]]:
    return {
        Target.ITEM: known.items,
        Target.SYSTEM: known.systems,
        Target.CRITERION: known.criteria | synonyms.CRITERIA,
        Target.RATER: known.raters,
    }


def _with_marks(
    columns: Sequence[FileColumn], guesses: list[Guess], known: KnownNames, target: Target
) -> list[Guess]:
    """Say of columns of marks whose they are and of what; one column of them is a long table."""
    found = {guess.target for guess in guesses}
    if Target.VALUE not in found:
        marks = [
            place
            for place, column in enumerate(columns)
            if not guesses[place].target
            and (_holds_marks(column) or (known.names_criterion(column.name) and column.values))
            and not (is_detail(column) or is_index(column) or names_text(column.name))
        ]
        totals = [place for place in marks if _sums_up(columns[place])]
        if len(totals) < len(marks):
            marks = [place for place in marks if place not in totals]
        if len(marks) == 1 and _is_nameless(columns[marks[0]]):
            return _without_names(columns, guesses, marks[0])
        for place, guess in zip(marks, _marks(columns, marks, found, known, target), strict=True):
            by_machine = target == Target.GRADE and _MODELS.search(guess.rater)
            guesses[place] = Guess() if by_machine else guess
    return [_beside(column, guess) for column, guess in zip(columns, guesses, strict=True)]


def _sums_up(column: FileColumn) -> bool:
    """Say whether a column holds what was computed of others, by a part of its name."""
    return bool(set(_words(column.name)) & synonyms.SUMS)


def _without_names(columns: Sequence[FileColumn], guesses: list[Guess], value: int) -> list[Guess]:
    """Offer what is left in a table without names: its only numbers, and the only names beside them."""
    guesses[value] = Guess(Target.VALUE, sure=False)
    left = [place for place, guess in enumerate(guesses) if not guess.target]
    if len(left) == 1 and Target.RATER not in {guess.target for guess in guesses}:
        guesses[left[0]] = Guess(Target.RATER, sure=False)
    return guesses


def _is_nameless(column: FileColumn) -> bool:
    return re.fullmatch(r"column \d+", column.name) is not None


def _beside(column: FileColumn, guess: Guess) -> Guess:
    """Leave out what is a detail of a row of grades or scores: nothing is counted of it."""
    if not guess.target and names_text(column.name):
        return Guess(Target.IGNORE, sure=False)
    return (
        Guess(Target.IGNORE)
        if not guess.target and (is_detail(column) or is_index(column) or _sums_up(column))
        else guess
    )


def _marks(
    columns: Sequence[FileColumn],
    marks: Sequence[int],
    found: Iterable[str],
    known: KnownNames,
    target: Target,
) -> list[Guess]:
    names = [columns[place].name for place in marks]
    if target == Target.GRADE and Target.SYSTEM not in found:
        across = [_across(name, known, by_rater=Target.RATER in found) for name in names]
        if names and all(one.system for one in across):
            return across
    if Target.CRITERION in found:  # then the names are of people
        return [Guess(target, rater=name, sure=_is_person(name, known)) for name in names]
    of_people = all(_NUMBERED_RATER.fullmatch(name) or _is_person(name, known) for name in names)
    if names and of_people and Target.RATER not in found:
        return [Guess(target, rater=name) for name in names]
    whole = [known.names_criterion(name) for name in names]
    # Beside known criteria a single word is one as well, and no rater's name.
    single = [sure or not _SIGNS.search(name) for sure, name in zip(whole, names, strict=True)]
    mostly = 2 * sum(whole) > len(names) and all(single)
    if Target.RATER in found or mostly:
        return [
            Guess(target, criterion=criterion_of(name) if sure else name, sure=sure)
            for name, sure in zip(names, whole, strict=True)
        ]
    return _halves(names, known, target)


def _across(name: str, known: KnownNames, *, by_rater: bool) -> Guess:
    """Part a name of a system that is known here and what was marked of it, or by whom."""
    if fold(name) in known.systems:
        return Guess(Target.GRADE, system=name)
    for sign in _SIGNS.finditer(name):
        before, after = name[: sign.start()].strip(), name[sign.end() :].strip()
        for system, rest in ((before, after), (after, before)):
            if fold(system) in known.systems and rest:
                if known.names_criterion(rest):
                    return Guess(Target.GRADE, system, criterion=criterion_of(rest))
                names = {"criterion": rest} if by_rater else {"rater": rest}
                return Guess(Target.GRADE, system, sure=False, **names)
    return Guess()


def _halves(names: Sequence[str], known: KnownNames, target: Target) -> list[Guess]:
    """Part names of a rater and a criterion, by which half has more known criteria and words of quality."""
    bare = [_MARKED.sub("", name) for name in names]
    rater_first = [_first_split(name) for name in bare]
    rater_last = [_split(name)[::2] for name in bare]
    n_last = sum(known.names_criterion(criterion) for _rater, criterion in rater_first)
    n_first = sum(known.names_criterion(criterion) for criterion, _rater in rater_last)
    nested = len({rater for rater, _criterion in rater_first}) == 1
    sure = n_first != n_last and not (nested and all(re.search("[.:]", name) for name in bare))
    turned = [(rater, criterion) for criterion, rater in rater_last]
    pairs = turned if n_first > n_last else rater_first
    return [
        Guess(target, rater=rater, criterion=criterion_of(criterion.strip()), sure=sure)
        if rater and criterion
        else Guess(target, rater=name, sure=False)
        for name, (rater, criterion) in zip(names, pairs, strict=True)
    ]


def _first_split(name: str) -> tuple[str, str]:
    match = _BETWEEN.search(name) or _SIGNS.search(name)
    return (name[: match.start()], name[match.end() :]) if match else ("", "")


def _split(name: str) -> tuple[str, str, str]:
    """Return a name before and after its last dividing sign."""
    if parted := list(_BETWEEN.finditer(name)):
        return name[: parted[-1].start()], parted[-1][0], name[parted[-1].end() :]
    return max((name.rpartition(sign) for sign in "_./: "), key=lambda parts: len(parts[0]))


def names_text(name: str) -> bool:
    """Say whether a column is called after a text that is shown: a question, an answer, a reference."""
    return bool(set(_forms(name)) & _SHOWN)


def asks_by_name(name: str) -> bool:
    """Say whether a column is called after a question."""
    return bool(set(_forms(name)) & set(synonyms.NAMES[Target.QUESTION].split()))


def names_mark(name: str) -> bool:
    """Say whether a column is called after what people or machines are asked to judge, or after their marks."""
    called = set(_forms(criterion_of(name))) & set(synonyms.GRADE_NAMES[Target.VALUE].split())
    return bool(called) or NOTHING.names_criterion(name)


def names_metric(name: str) -> bool:
    """Say whether a name is that of a metric."""
    return _METRICS.search(name) is not None


def _is_person(name: str, known: KnownNames) -> bool:
    return "@" in name or fold(name) in known.raters


def _holds_marks(column: FileColumn) -> bool:
    """Say whether a column has numbers, or words that begin with one, as marks are written."""
    if not column.n_filled:
        return False
    return column.is_numeric or (
        bool(column.values) and all(_is_mark(value) for value in column.values)
    )


def _is_mark(value: str) -> bool:
    return form_of(plain(value), decimal_comma=True) not in {None, Form.SCALE}


def _has_numbers(column: FileColumn) -> bool:
    return column.n_numbers > 0 or (bool(column.values) and all(map(_is_mark, column.values)))


def _is_count(column: FileColumn) -> bool:
    """Say whether a column of numbers only counts or dates rows; times, errors and costs are figures."""
    words = _words(column.name)
    return is_index(column) or (bool(words) and words[-1] in synonyms.COUNTS)


def is_detail(column: FileColumn) -> bool:
    """Say whether a column notes something beside answers and grades, by a part of its name."""
    words = _words(column.name)
    if not words:
        return False
    if words[-1] == "id" or (words[-1] == "at" and len(words) > 1):
        return True
    return words[-1] in synonyms.DETAILS or (len(words) > 1 and words[0] in {"unnamed", "n", "num"})


def is_index(column: FileColumn) -> bool:
    """Say whether a column without a name only counts the rows, as tools for tables write it."""
    nameless = column.name == "column 1" or column.name.lower().startswith("unnamed")
    counted = column.values in {
        tuple(str(place) for place in range(start, start + len(column.values))) for start in (0, 1)
    }
    return nameless and bool(column.values) and counted


def _words(name: str) -> list[str]:
    return [word for word in re.split(r"[^\w]+|_", _CAMEL.sub(" ", name).lower()) if word]


def _plain(name: str) -> str:
    name = unicodedata.normalize("NFC", name).lower()
    return re.sub(r"[\s(),-]+", "_", name).strip("_.:?*") or name


def _forms(name: str) -> list[str]:
    """Return how a name may stand among synonyms: as it is, in single words, without what is around it."""
    bare = _WRAPPED.sub("", _VALUE.sub("", name))
    without = re.sub(r"[(\[（].*[)\]）]", "", bare)
    return [_plain(one) for one in (name, _CAMEL.sub("_", name), bare, without)]


def _by_name(columns: Sequence[FileColumn], names: Mapping[Target, str]) -> list[Guess]:
    """Give each target to the column whose name stands first among its synonyms."""
    written = [_forms(column.name) for column in columns]
    here: dict[str, int] = {}
    for form in zip(*written, strict=True):
        for place, name in enumerate(form):
            here.setdefault(name, place)
    guesses = [Guess()] * len(columns)
    for target, said in names.items():
        found = [here[name] for name in said.split() if name in here]
        places = [
            place
            for place in dict.fromkeys(found)
            if not guesses[place].target and _may_hold(columns[place], target)
        ]
        for place in places if target in REPEATABLE else places[:1]:
            guesses[place] = Guess(target)
    return guesses


def _may_hold(column: FileColumn, target: Target) -> bool:
    """Say whether a name that may mean something else is believed: types of tools, times that something took."""
    if target == Target.AT and column.is_numeric:
        return any(moment_of(one, day_first=False) or day_of(one) for one in column.values)
    if not column.values or not (_WRAPPED.match(column.name) or _plain(column.name) == "data"):
        return True
    if target in {Target.TYPE, Target.DIFFICULTY}:
        return any(cells.is_code(one, target.value) for one in column.values)
    return target != Target.AT or any(re.search(r"\d", one) for one in column.values)


def _by_value(
    columns: Sequence[FileColumn], guesses: list[Guess], known: Mapping[Target, frozenset[str]]
) -> list[Guess]:
    """Give a target to the column whose values the project knows, before one that is only called so."""
    for target, names in known.items():
        shares = [_share(column, names) for column in columns]
        best = max(range(len(columns)), key=shares.__getitem__, default=0)
        if not columns or shares[best] < SHARE or guesses[best].target == target:
            continue
        here = [place for place, guess in enumerate(guesses) if guess.target == target]
        if any(shares[place] >= SHARE for place in here) or guesses[best].target:
            continue
        for place in here:
            guesses[place] = Guess()
        guesses[best] = Guess(target)
    return guesses


def _share(column: FileColumn, names: frozenset[str]) -> float:
    if not names or not column.values:
        return 0.0
    return sum(fold(value) in names for value in column.values) / len(column.values)
