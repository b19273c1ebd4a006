"""What one has and the others have not, and so cannot be measured; each with where that was read."""

from collections.abc import Sequence
from dataclasses import dataclass

LABEL_STUDIO = "https://github.com/HumanSignal/label-studio/blob/develop/label_studio"
LABEL_STUDIO_SDK = "https://github.com/HumanSignal/label-studio-sdk"
POTATO = "https://github.com/davidjurgens/potato/tree/master"
INSPECT = "https://inspect.aisi.org.uk"
FLEXEVAL = "https://github.com/DigitalHarborFoundation/FlexEval"
NLPSTATS = "https://github.com/danieldeutsch/nlpstats"
KRIPPENDORFF = "https://github.com/pln-fing-udelar/fast-krippendorff"


@dataclass(frozen=True)
class Feature:
    """A feature, and what each program says about it: its name, words, and where."""

    what: str
    others: Sequence[tuple[str, str, str]]


#: What ours has, and what is there in the others.
FEATURES = (
    Feature(
        "Seats of a question are never overbooked",
        (
            (
                "Label Studio",
                "no, in the community edition",
                f"{LABEL_STUDIO}/projects/functions/next_task.py",
            ),
            (
                "Potato",
                "yes, when items are assigned",
                f"{POTATO}/potato/item_state_management.py",
            ),
        ),
    ),
    Feature(
        "An interval beside every agreement",
        (
            ("Label Studio", "no, in the community edition", LABEL_STUDIO_SDK),
            (
                "Potato",
                "for α of a question, in an export",
                f"{POTATO}/potato/export/reliability_exporter.py",
            ),
            ("krippendorff", "no", KRIPPENDORFF),
        ),
    ),
    Feature(
        "Judges as raters beside people",
        (
            ("Label Studio", "no, in the community edition", LABEL_STUDIO_SDK),
            (
                "Potato",
                "for the alignment of a judge with people",
                f"{POTATO}/docs/agent-evaluation/judge_alignment.md",
            ),
            ("python-flexeval", "no, models alone judge", FLEXEVAL),
            ("Inspect AI", "no, functions and models score", f"{INSPECT}/scorers.html"),
        ),
    ),
    Feature(
        "A killed run asks no model twice",
        (("Inspect AI", "by sample", f"{INSPECT}/reference/inspect_eval-retry.html"),),
    ),
    Feature(
        "Correlations with resampled intervals",
        (("nlpstats", "yes, one coefficient a call", NLPSTATS),),
    ),
)

#: What others have and ours has not.
THEIRS = (
    Feature(
        "Images, sound, video and time series",
        (
            ("Label Studio", "yes", "https://labelstud.io/guide/"),
            ("Potato", "images, sound, video", POTATO),
        ),
    ),
    Feature(
        "Labels of spans and regions, qualitative coding",
        (
            ("Label Studio", "spans and regions", "https://labelstud.io/guide/"),
            ("Potato", "spans, codebook and memos", POTATO),
        ),
    ),
    Feature(
        "Models that label beforehand and learn from people",
        (("Label Studio", "yes", "https://labelstud.io/guide/ml"),),
    ),
    Feature(
        "Agents that run tools and code in a sandbox",
        (("Inspect AI", "yes", f"{INSPECT}/sandboxing.html"),),
    ),
    Feature(
        "Over 200 evaluations ready to run",
        (("Inspect AI", "yes", f"{INSPECT}/"),),
    ),
    Feature(
        "A library without a server",
        (
            ("Inspect AI", "yes", f"{INSPECT}/"),
            ("python-flexeval", "yes", FLEXEVAL),
            ("nlpstats", "yes", NLPSTATS),
            ("krippendorff", "yes", KRIPPENDORFF),
        ),
    ),
)


def section() -> str:
    """Return the section in Markdown."""
    return "\n".join(
        [
            "## What is not everywhere",
            "",
            "Read in the documentation and the source of the versions named above.",
            "",
            *_table("ours has", FEATURES),
            "",
            *_table("ours has not", THEIRS),
        ]
    )


def _table(head: str, features: Sequence[Feature]) -> list[str]:
    """Return a line a feature, with each program's answer and where it was read."""
    lines = [f"| {head} | in others |", "|---|---|"]
    for feature in features:
        said = "; ".join(
            f"{name}: {text} ([source]({where}))" for name, text, where in feature.others
        )
        lines.append(f"| {feature.what} | {said} |")
    return lines
