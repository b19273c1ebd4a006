"""What the others do not have, and so cannot be measured beside; each with where that was read."""

from collections.abc import Sequence
from dataclasses import dataclass

LABEL_STUDIO = "https://github.com/HumanSignal/label-studio/blob/develop/label_studio"
POTATO = "https://github.com/davidjurgens/potato/tree/master"
INSPECT = "https://inspect.aisi.org.uk"
FLEXEVAL = "https://github.com/DigitalHarborFoundation/FlexEval"
NLPSTATS = "https://github.com/danieldeutsch/nlpstats"
KRIPPENDORFF = "https://github.com/pln-fing-udelar/fast-krippendorff"


@dataclass(frozen=True)
class Feature:
    """Something ours has, and what each of the others says about it: words, and where."""

    what: str
    others: Sequence[tuple[str, str, str]]


FEATURES = (
    Feature(
        "A question never has more annotators than it has seats",
        (
            (
                "Label Studio",
                "not offered in the community edition: the strict overlap in its choice of the next "
                "task asks for a setting of the enterprise edition, and handing in is not refused",
                f"{LABEL_STUDIO}/projects/functions/next_task.py",
            ),
            (
                "Potato",
                "a number of annotators for each item, kept when items are assigned",
                f"{POTATO}/potato/item_state_management.py",
            ),
        ),
    ),
    Feature(
        "An interval beside every agreement",
        (
            (
                "Label Studio",
                "not offered in the community edition: statistics of agreement are for the "
                "enterprise edition",
                "https://github.com/HumanSignal/label-studio-sdk",
            ),
            (
                "Potato",
                "offered for α of a question, by resampling items, in an export",
                f"{POTATO}/potato/export/reliability_exporter.py",
            ),
            ("krippendorff", "not offered: α alone", KRIPPENDORFF),
        ),
    ),
    Feature(
        "Machine judges as raters beside people, in the same results",
        (
            (
                "Label Studio",
                "not offered in the community edition: predictions are shown beforehand, agreement "
                "is of the enterprise edition",
                "https://github.com/HumanSignal/label-studio-sdk",
            ),
            (
                "Potato",
                "offered for the alignment of a judge with people",
                f"{POTATO}/docs/agent-evaluation/judge_alignment.md",
            ),
            ("python-flexeval", "not offered: rubrics are graded by models alone", FLEXEVAL),
            (
                "Inspect AI",
                "not offered: scorers are functions and models; people enter as a baseline agent",
                f"{INSPECT}/scorers.html",
            ),
        ),
    ),
    Feature(
        "A run that was killed goes on without asking a model twice",
        (
            (
                "Inspect AI",
                "offered by sample: `eval-retry` keeps those that were completed",
                f"{INSPECT}/reference/inspect_eval-retry.html",
            ),
        ),
    ),
    Feature(
        "Correlations with resampled intervals",
        (
            ("nlpstats", "offered, by systems, inputs or both, one coefficient a call", NLPSTATS),
            ("krippendorff", "not offered: another subject", KRIPPENDORFF),
        ),
    ),
)


def section() -> str:
    """Return the section in Markdown."""
    lines = [
        "## What is not everywhere",
        "",
        "Read in the documentation and the source of the versions named above.",
        "",
        "| what ours has | program | there |",
        "|---|---|---|",
    ]
    for feature in FEATURES:
        for name, said, where in feature.others:
            lines.append(f"| {feature.what} | {name} | {said} ([source]({where})) |")
    return "\n".join(lines)
