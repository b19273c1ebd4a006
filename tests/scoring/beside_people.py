"""People's marks and judges' scores on the same responses, for tests of the judge–human figures."""

import numpy as np

from annotation.files.mappings import FileRubric
from annotation.people.models import Rater
from annotation.rounds.models import Round, RoundResponse
from scoring.beside import columns as judge_human
from scoring.beside.options import BesideChoice
from scoring.engine.models import Judgment
from tests import copies, imports, make
from tests.scoring import machines

SYSTEMS = ("Kestrel", "Harbour", "Harbour mini", "Tern")
N_QUESTIONS = 24


@copies.made_once_among
def world(seed=1):
    """Bring in answers, grades of three people and scores of two judges and one metric.

    The good judge lies a little above people and prefers Harbour; the other one guesses.
    """
    lot = np.random.default_rng(seed)
    answers, grades, scores = (
        [
            "id,question,capability,difficulty,standard_answer,"
            + ",".join(f"answer_{name}" for name in SYSTEMS)
        ],
        ["item,system,e1_coh,e2_coh,e3_coh"],
        ["item,system,good_coherence,guess_coherence,rouge"],
    )
    for number in range(N_QUESTIONS):
        part = ("Facts", "Routes")[number % 2]
        said = [
            f"Answer {number} of {name} " + "and more " * int(lot.integers(1, 9))
            for name in SYSTEMS
        ]
        answers.append(f"Q{number},What is {number}?,{part},easy,It is {number}.," + ",".join(said))
        for place, name in enumerate(SYSTEMS):
            true = 4.2 - 0.7 * place + lot.normal(0, 0.8)
            marks = [min(5, max(1, round(true + lot.normal(0, 0.6)))) for _ in range(3)]
            if number == 0 and place == 0:
                marks[2] = ""
            good = min(
                5, max(1, round(true + 0.4 + 0.5 * name.startswith("Harbour") + lot.normal(0, 0.5)))
            )
            grades.append(f"Q{number},{name}," + ",".join(map(str, marks)))
            scores.append(
                f"Q{number},{name},{good},{lot.integers(1, 6)},{max(0, min(1, true / 6 + lot.normal(0, 0.1))):.4f}"
            )
    make.capability("Facts")
    make.capability("Routes")
    imports.apply(imports.answers("\n".join(answers) + "\n"))
    imports.apply(
        imports.grades("\n".join(grades) + "\n", new_rubric=FileRubric("Quality", "1", "5", "1"))
    )
    machines.brought("\n".join(scores) + "\n")
    return Round.objects.get()


def by_lot(monkeypatch, chance):
    """Let every graded answer have been drawn with this chance: those of an import have none."""
    monkeypatch.setattr(
        judge_human,
        "_inclusion",
        lambda _human, response: np.full(len(response), chance, dtype=np.float64),
    )


def drawn(monkeypatch):
    """Make the round a sample of a third: the judges also scored answers that nobody graded.

    What they scored beyond it is like what they scored in it, a little apart.
    """
    by_lot(monkeypatch, 1 / 3)
    rows = Judgment.objects.seen().filter(criterion__name__in=("coherence", "score"))
    found: dict[tuple[str, str], dict[str, float | None]] = {}
    for item, system, rater, value in rows.values_list(
        "response__item__external_id", "response__release__system__name", "rater__ref", "value"
    ):
        found.setdefault((item, system), {})[rater] = value
    answers = [
        "id,question,capability,standard_answer," + ",".join(f"answer_{name}" for name in SYSTEMS)
    ]
    scores = ["item,system,good_coherence,guess_coherence,rouge"]
    for copy in ("a", "b"):
        for number in range(N_QUESTIONS):
            said = ",".join(f"More {copy}{number} of {name}" for name in SYSTEMS)
            answers.append(f"{copy}{number},What {copy} is {number}?,Facts,It is {number}.,{said}")
            for name in SYSTEMS:
                one = found[f"Q{number}", name]
                told = f"{one['good']:g},{one['guess']:g},{one['rouge']:g}"
                scores.append(f"{copy}{number},{name},{told}")
    imports.apply(imports.answers("\n".join(answers) + "\n"))
    machines.brought("\n".join(scores) + "\n")


def again(round_, number):
    """Make an open round over one of the same answers, which nobody has graded in it."""
    other = make.draft_round(in_=round_.project)
    Round.objects.filter(pk=other.pk).update(number=number, state="OPEN")
    one = RoundResponse.objects.filter(round_item__round=round_).select_related("round_item")[0]
    item = one.round_item
    item.pk, item.round, item.ordinal, item.item = None, other, 999, make.item(f"again {number}")
    item.save()
    RoundResponse.objects.create(
        round_item=item, response=one.response, release=one.response.release
    )
    return Round.objects.get(pk=other.pk)


def the_round():
    return Round.objects.get(kind="IMPORTED")


def judge(name):
    return Rater.objects.get(ref=name, machine__isnull=False).pk


def choice(*names, **options):
    keys = [judge(name) for name in names]
    own = {"good": "coherence", "guess": "coherence", "rouge": "score"}
    return BesideChoice(
        rounds=(Round.objects.get().number,),
        judges=tuple(keys),
        criteria={"coh": {key: own[name] for key, name in zip(keys, names, strict=True)}},
        **options,
    )
