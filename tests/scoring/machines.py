"""Files of scores for tests: written inline, taken, mapped, checked, brought in."""

from dataclasses import replace

from annotation import models
from annotation.files.mappings import ColumnTarget
from annotation.files.models import ImportKind
from annotation.files.scores import Machine, ScoreMapping
from annotation.imports import operations as checking
from annotation.imports import places as surveys
from annotation.imports import recognising, uploading
from scoring import models as stored_models
from scoring.engine.models import Judgment
from tests import copies, imports, make

#: A wide table; the responses are those of imports.ANSWERS.
WIDE = """item,system,rouge,judge_coherence,judge_fluency
Q1,Kestrel,0.41894,4,5
Q1,Harbour,0.1831,2,NA
Q2,Kestrel,0.3927,,3
Q2,Harbour,nan,1,1
"""
LONG = """item,system,judge,criterion,score,outcome,reason,explanation
Q1,Kestrel,gpt-x,coherence,4,,,Reads well.
Q1,Harbour,gpt-x,coherence,,refused,Against the rules.,
Q2,Kestrel,gpt-x,coherence,,error,,
Q2,Harbour,gpt-x,coherence,,,,
"""


def judge(name="gpt-x", *, in_=None):
    """Return a judge that has scored nothing yet."""
    home = in_ or make.project()
    rater = models.Rater.objects.create(
        project=home, kind=models.RaterKind.JUDGE, ref=name, created_at=make.NOW
    )
    version = make.rubric_version(f"judge-{name}", in_=home)
    return stored_models.Machine.objects.create(
        rater=rater, rubric=version.rubric, created_at=make.NOW
    )


def scored(round_):
    """Let a metric score every answer of a round, and return its key."""
    chosen = models.RoundResponse.objects.filter(round_item__round=round_).order_by("pk")
    rows = chosen.values_list("response__item__external_id", "response__release__system__name")
    lines = [f"{item},{system},0.{place % 7 + 1}" for place, (item, system) in enumerate(rows)]
    brought("\n".join(["item,system,overlap", *lines, ""]))
    return models.Rater.objects.get(ref="overlap").pk


def places(upload, **given):
    """Return the suggested places; one given by the name of its column wins."""
    return tuple(
        ColumnTarget(column.name, *given[column.name])
        if column.name in given
        else ColumnTarget(column.name, guess.target, "", "", guess.rater, guess.criterion)
        for column, guess in recognising.guesses(upload)
    )


@copies.made_once_among
def file(
    text=WIDE,
    name="scores.csv",
    *,
    declared=(),
    given=None,
    project=None,
    sure=True,
    told=None,
    **options,
):
    """Return a file of scores that was checked; what is not declared is taken as suggested.

    A suggestion counts as confirmed, unless nobody is `sure`.
    """
    upload = imports.take(text, name, ImportKind.SCORES, project, told)
    found = places(upload, **(given or {}))
    said = ScoreMapping(found, tuple(declared), **options)
    mapping = surveys.declared(upload, said)
    if sure:
        known = tuple(replace(one, guessed=False) for one in mapping.machines)
        mapping = replace(mapping, machines=known)
    uploading.set_mapping(upload=upload, mapping=mapping)
    checking.check(upload=upload, clock=imports.clock)
    return upload


def brought(text=WIDE, **options):
    return imports.apply(file(text, **options))


def stored():
    """Return what judgments there are: question, system, rater, criterion, value."""
    rows = Judgment.objects.seen().order_by("pk")
    return list(
        rows.values_list(
            "response__item__external_id",
            "response__release__system__name",
            "rater__ref",
            "criterion__name",
            "value",
        )
    )


__all__ = ["LONG", "WIDE", "Machine", "brought", "file", "places", "stored"]
