"""The drawings of the house: icons (16 by 16, stroked), marks of systems (filled, around 0,0)."""

ICONS = {
    "audit": "M4 1.5h5.5L13 5v9.5H4zM9.500 1.500V5H13M6.500 8h4M6.500 11h4",
    "bank": "M3 3h10v4H3zM3 9h10v4H3z",
    "book": "M3 2.500h4.500L8 3.500l.5-1H13v10H8.500L8 13.500l-.5-1H3zM8 3.500v10",
    "capabilities": (
        "M8 2v3M8 5H3v4M8 5h5v4M8 5v4M1.500 9h3v4h-3zM6.500 9h3v4h-3zM11.500 9h3v4h-3z"
    ),
    "check": "m3 8.5 3.2 3.2L13 5",
    "clock": "M8 1.500a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13M8 4.500V8l2.500 1.500",
    "columns": "M2.500 3h11v10h-11zM8 3v10",
    "comment": "m3 13 .6-2.700L11 3l2 2-7.300 7.400zM9.500 4.500l2 2",
    "copy": "M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3",
    "cross": "m4 4 8 8M12 4l-8 8",
    "down": "m4 6 4 4 4-4",
    "download": "M8 2v8m-3.500-3L8 10.500 11.500 7M2.500 13.500h11",
    "evidence": "M3 5h10M3 8h10M3 11h6",
    "eye": (
        "M1 8s2.500-4.500 7-4.500S15 8 15 8s-2.500 4.500-7 4.500S1 8 1 8"
        "M8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4"
    ),
    "flag": "M4 14V2.500M4 3h8l-2 3 2 3H4",
    "grade": "m3 8 3 3 7-7M3 14h10",
    "grip": "M6 4v0M10 4v0M6 8v0M10 8v0M6 12v0M10 12v0",
    "home": "m2 8 6-5 6 5M4 7v6h8V7",
    "import": "M8 10.500v-8M4.500 6 8 2.500 11.500 6M2.500 13.500h11",
    "info": "M8 1.500a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13M8 7.500v4M8 4.800v0",
    "judges": "M8 2v12M4 14h8M3 5h10M3 5 1.5 9.5h3zM13 5l-1.500 4.5h3z",
    "leave": "M6.500 2.500h-4v11h4M6 8h8M11 5l3 3-3 3",
    "left": "m10 4-4 4 4 4",
    "lock": "M3.500 7h9v6.500h-9zM5.500 7V4.500a2.500 2.500 0 0 1 5 0V7",
    "menu": "M2 4h12M2 8h12M2 12h12",
    "pause": "M5.500 3v10M10.500 3v10",
    "people": (
        "M6 2.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5"
        "M1.500 13.500a4.500 4.500 0 0 1 9 0M11 3a2.250 2.250 0 0 1 0 4.400"
        "M12 9.600a4.500 4.500 0 0 1 2.500 3.900"
    ),
    "plus": "M8 3v10M3 8h10",
    "project": "M2 3.500h4.500L8 5h6v8H2z",
    "results": "M2 14h12M4 11V8M8 11V3M12 11V6",
    "right": "m6 4 4 4-4 4",
    "rounds": "M8 2a6 6 0 1 1-5.6 3.9M2 2v4h4",
    "rubrics": "M2.500 3.500h2M2.500 8h2M2.500 12.500h2M7 3.500h6.500M7 8h6.500M7 12.500h4",
    "runs": "M2 3h5v4H2zM9 3h5v4H9zM2 9h5v4H2zM9 9h5v4H9z",
    "search": "M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9M10.500 10.500 14 14",
    "settings": "M3 5h6M13 5h0M3 11h0M7 11h6M11 3v4M5 9v4",
    "skip": "M3 3.500 8 8l-5 4.500zM8 3.500 13 8l-5 4.500z",
    "systems": (
        "M4 4h8v8H4zM6 1.500V4M10 1.500V4M6 12v2.500M10 12v2.500M1.500 6H4M1.500 10H4"
        "M12 6h2.500M12 10h2.500"
    ),
    "theme": (
        "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1v1M8 14v1M1 8h1M14 8h1"
        "M3 3l.7.7M12.300 12.300l.7.7M3 13l.7-.7M12.300 3.700l.7-.7"
    ),
    "undo": "M5 3 2 6l3 3M2 6h7a4 4 0 0 1 0 8H6",
    "up": "m4 10 4-4 4 4",
    "warning": "M8 2 1.500 13.500h13zM8 6.500v3.500M8 12v0",
}

# In the order of the colours --s1 to --s8: circle, square, diamond, triangle, triangle down, plus,
# cross, star. Areas are about equal, so that no system looks heavier than another.
MARKS = (
    "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
    "M-4.500-4.500h9v9h-9z",
    "M0-6 6 0 0 6-6 0z",
    "M0-5.500 5.800 4.800H-5.800z",
    "M0 5.500 5.800-4.800H-5.800z",
    "M-2-5.700h4v3.700h3.700v4h-3.700v3.700h-4v-3.700h-3.700v-4h3.700z",
    "M-5.450-2.620-2.620-5.450 0-2.830 2.620-5.450 5.450-2.620 2.830 0 5.450 2.620 2.620 5.450"
    " 0 2.830-2.620 5.450-5.450 2.620-2.830 0z",
    "M0-6.600 1.650-2.270 6.280-2.040 2.660.87 3.880 5.340 0 2.800"
    "-3.880 5.340-2.660.87-6.280-2.040-1.650-2.270z",
)

#: Of what is no system, such as an annotator or a coefficient: a tick, which no system wears.
TICK = "M-1.500-7.500h3v15h-3z"

LOGO = (
    '<svg viewBox="0 0 26 16" aria-hidden="true" fill="none" stroke="currentColor"'
    ' stroke-width="2" stroke-linecap="round"><path d="M2 3v10M24 3v10M2 8h22"/>'
    '<circle cx="15" cy="8" r="4.500" fill="currentColor" stroke="none"/></svg>'
)


def colour_of(ordinal: int) -> int:
    """Return which of the eight colours (from 1) the system with this ordinal (from 0) wears."""
    return ordinal % 8 + 1


def shape_of(ordinal: int) -> int:
    """Return the index of a system's mark.

    From the ninth system on the shapes move on by one for each round of colours, so that the pair
    is different for 64 systems. The charts do the same (scoring/charts/svg.py).
    """
    lap, place = divmod(ordinal, 8)
    return (place + lap) % 8
