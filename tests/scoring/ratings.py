"""Small ratings frames for tests, and the slow scores they are checked against."""

from collections import defaultdict
from fractions import Fraction

from hypothesis import strategies as st

from scoring.stats import frame

TOPS = {("k1", "c1"): 3, ("k1", "c2"): 1, ("k2", "c1"): 2, (None, "c2"): 4}


def rated(group, value, *, release="A", capability="k1", criterion="c1", rater="r1", top=3, **more):
    return {
        "group": group,
        "release": release,
        "capability": capability,
        "criterion": criterion,
        "rater": rater,
        "value": value,
        "scale_min": 0,
        "scale_max": top,
        "pass_at": None,
        **more,
    }


def frame_of(records):
    names = list(dict.fromkeys(name for record in records for name in record))
    return frame.frame({name: [record.get(name) for record in records] for name in names})


def slow_scores(records, *, accuracy=False):
    """{(release, capability): mean of criteria}, with plain dictionaries and fractions."""
    top: dict[tuple[str, str, str], Fraction] = defaultdict(Fraction)
    base: dict[tuple[str, str, str], Fraction] = defaultdict(Fraction)
    for record in records:
        if record["value"] is None:
            continue
        key = (record["release"], record["capability"], record["criterion"])
        low = Fraction(str(record["scale_min"]))
        value = Fraction(str(record["value"]))
        top[key] += int(value > 0) if accuracy else value - low
        base[key] += 1 if accuracy else Fraction(str(record["scale_max"])) - low
    parts = defaultdict(list)
    for release, capability, criterion in top:
        key = (release, capability, criterion)
        parts[release, capability].append(top[key] / base[key])
    return {key: sum(shares) / len(shares) for key, shares in parts.items()}


@st.composite
def record_lists(draw):
    """Grades of up to three releases on scales from 0, some missing, halves allowed."""
    cells = st.tuples(
        st.sampled_from(["g1", "g2", "g3", "g4"]),
        st.sampled_from(["A", "B", "C"]),
        st.sampled_from(list(TOPS)),
        st.sampled_from(["r1", "r2", "r3"]),
    )
    records = []
    for group, release, (capability, criterion), rater in draw(
        st.lists(cells, min_size=1, max_size=40, unique=True)
    ):
        top = TOPS[capability, criterion]
        halves = draw(st.none() | st.integers(0, 2 * top))
        records.append(
            rated(
                group,
                None if halves is None else halves / 2,
                release=release,
                capability=capability,
                criterion=criterion,
                rater=rater,
                top=top,
            )
        )
    return records


def width(result):
    """How far apart the bounds of an interval lie; there must be one."""
    assert result.low is not None
    return result.high - result.low
