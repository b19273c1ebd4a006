"""Query parameters that several routes of results take, by what reads them."""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import lazy

from evalsite.contract.calls import AFTER, Query, choice, whole
from scoring.queries import (
    disputes,
    graded,
    interview_profiles,
    interview_voices,
    judge_asked,
    loss_results,
    quiz_options,
    reporting,
    selection,
    sheets_of_judges,
)
from scoring.queries.weights import PREFIX


def _explained(known: Mapping[str, Any]) -> Any:
    """Return what each value means, in the language in which it is read."""
    return lazy(lambda: "; ".join(f"`{value}`: {word}" for value, word in known.items()), str)()


#: Of scores: weights and filters (scoring.queries.cut).
CUT = (
    Query(f"{PREFIX}…", "A weight, by its name in `settings`."),
    *(
        Query(name, "A filter; its values stand in `settings`.", many=True)
        for name in selection.FACETS
    ),
)
#: Of a cell behind a score (scoring.queries.graded).
CELL = tuple(
    Query(f"{graded.PREFIX}{name}", "Where the cell stands; `at` of the breakdown has it.")
    for name in graded.AT
)
#: Rules of disputes, and what a plan is made for (scoring.queries.asked).
DISPUTES = (
    choice("rater_rule", tuple(disputes.RATER_RULES), "When an annotator stands alone."),
    choice("question_rule", tuple(disputes.QUESTION_RULES), "When a question divides."),
    *(
        Query(name, text)
        for name, text in (
            ("far", "How far a mark must lie from the others."),
            ("share", "The share of annotators, at most 1."),
            ("span", "How far the marks must spread."),
            ("w1", "The weight of dividing responses, such as 1/2."),
            ("w2", "The weight of annotators who stand alone, such as 1/2."),
        )
    ),
)
PLAN = (
    Query("delta", "The difference of scores that is to be seen, in points."),
    Query("power", "With which probability it is to be seen, below 1."),
    Query("width", "How wide an interval may be, in points."),
)
TABLE = (*CUT, *DISPUTES, *PLAN)
REPORT = (
    choice("annotators", reporting.PEOPLE, "How annotators are called, or that they are left out."),
    whole("before", "The earlier round to compare with, by number."),
    *TABLE,
)
MOVEMENT = (
    choice("figure", ("score", "accuracy"), "Of which figure."),
    whole("capability", "The id of a capability; all of them by default."),
)
#: Axes by which verdicts become scores; the first value of each is the usual one.
PROFILE = tuple(
    choice(name, tuple(known), _explained(known)) for name, known in interview_profiles.AXES.items()
)
VOTE = choice("vote", tuple(interview_voices.VOTES), "How a panel votes.")
AXIS = Query("axis", "What scores are set against; `axes` has what there is.")
QUIZ = tuple(
    choice(name, tuple(known), _explained(known)) for name, known in quiz_options.AXES.items()
)
SHARE = choice("share", tuple(map(str, loss_results.SHARES)), "Percent of the tokens of a text.")
#: What is compared beside people (scoring.queries.judge_options).
JUDGES = (
    Query("round", "A round, by number.", {"type": "integer"}, many=True),
    Query("judge", "A judge, by key.", {"type": "integer"}, many=True),
    Query("raters", "Whose grades count, as the page has it.", many=True),
    Query("level", "At which level is correlated."),
    Query("coefficient", "Which coefficient."),
    Query("criterion", "Which criterion of people."),
    Query("map.…", "`map.CRITERION.JUDGE`: the judge's own criterion; empty for none."),
)
MIXES = (
    Query("align.…", "`align.CRITERION`: a judge of LLMSel for it.", many=True),
    choice("open", ("data",), "`data` takes open ranges from the scores."),
)
APART = (
    whole("system", "Its place in `systems`, from 1."),
    choice("direction", judge_asked.DIRECTIONS, "Where the judge is so; both by default."),
    choice("least", judge_asked.LEAST_GAPS, "How far apart at least."),
    AFTER,
)
ANY_OF_JUDGES = (*JUDGES, *MIXES, *APART)


def kinds_of_judges(
    name: str, kinds: "Mapping[str, sheets_of_judges.Table] | Mapping[str, sheets_of_judges.Plot]"
) -> Query:
    """Return the part of an address that names a table or a plot of judges, with those there are."""
    of_one = [key for key, one in kinds.items() if one.figure in judge_asked.OF_ONE]
    others = [key for key in kinds if key not in of_one]
    text = f"With a judge in the address: {', '.join(of_one)}. Without: {', '.join(others)}."
    return choice(name, tuple(kinds), text)
