"""scoring's registry: what fills slots of pages, what the sweeper does, what annotation is supplied with."""

from collections.abc import Mapping
from typing import Final

from django.apps import AppConfig

from evalsite import panels

#: By slot and key, the dotted name of what fills it. A slot of a page is filled in the order of its keys. What
#: a kind of run fills stands in the module `plugin` of its folder.
SLOTS: Final[Mapping[str, Mapping[str, str]]] = {
    "domain_scores": {"insight": "scoring.results.pages.domain_scores"},
    "figures_ahead": {"judges": "scoring.beside.asked.ahead"},
    "files_checked": {
        "SCORES": "scoring.home.imports.ScoreCheck",
    },
    "files_kept": {"conversations": "scoring.home.imports.kept"},
    "files_written": {
        "SCORES": "scoring.home.imports.SUPPLIED",
    },
    "finish": {"review": "scoring.review.pages.finish"},
    "first_steps": {"results": "scoring.home.story.steps"},
    "home": {
        "burnup": "scoring.home.pages.home",
        "insight": "scoring.results.pages.home",
        "review": "scoring.review.pages.home",
        "trend": "scoring.movement.pages.home",
    },
    "home_facts": {
        "insight": "scoring.results.pages.home_facts",
        "pace": "scoring.home.pages.home_facts",
    },
    "kept_for_a_time": {
        "calls": "scoring.engine.auditing.CALLS",
        "figures": "scoring.engine.auditing.FIGURES",
    },
    "machines_known": {"scores": "scoring.home.imports.known"},
    "menu": {"insight": "scoring.results.pages.menu"},
    "menu_elsewhere": {"insight": "scoring.results.pages.menu_elsewhere"},
    "menu_under": {"insight": "scoring.results.pages.menu_under"},
    "needs_a_look": {"watching": "scoring.watching.pages.needs_a_look"},
    "notices": {
        "signals": "scoring.watching.queries.notices",
    },
    "round": {
        "results": "scoring.results.pages.of_round",
        "runs": "scoring.engine.pages.of_round",
    },
    "run": {"publishing": "scoring.publishing.pages.of_run"},
    "scripted_scores": {"scripts": "scoring.home.scripted.has_scripted_scores"},
    "scripted_texts": {"scripts": "scoring.home.scripted.has_scripted_texts"},
    "settings_rules": {"reviews": "scoring.home.rules.lines"},
    "story": {"results": "scoring.home.story.story"},
    "trial": {"report": "scoring.trials.pages.link"},
}
#: What the sweeper calls with the time, every few seconds, in this order, then what kinds of run declare; and once
#: before the workers start.
SWEEPS: Final[Mapping[str, str]] = {
    "figures.ring": "scoring.figures.operations.ring_for_waiting",
    "runs.sweep": "scoring.engine.requests.sweep",
    "endpoints.test": "scoring.endpoints.testing.ring_again",
    "signals.ask": "scoring.watching.queries.sweep",
    "results.ask": "scoring.report.queries.sweep",
}
STARTS: Final[Mapping[str, str]] = {"runs.hand_out": "scoring.engine.requests.hand_out_again"}
#: What plays the machines' part of the demo, in this order.
DEMO: Final = (
    "scoring.demo.files.play_demo",
    "scoring.demo.files.play_drafting",
    "scoring.demo.fusion.play",
    "scoring.demo.files.play",
    "scoring.demo.files.play_systems",
    "scoring.demo.interviews.play",
    "scoring.demo.trials.play",
    "scoring.demo.watched.play",
    "scoring.demo.rated.play",
    "scoring.demo.interviews.play_yardsticks",
    "scoring.demo.files.play_tuning",
    "scoring.demo.rated.play_traces",
    "scoring.demo.rated.play_kinds",
    "scoring.demo.rated.play_pairs",
)


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        from annotation.demo import loading
        from scoring.engine import kinds

        panels.load(SLOTS, SWEEPS, STARTS)
        for module in kinds.modules("plugin"):
            panels.load(getattr(module, "SLOTS", {}), getattr(module, "SWEEPS", {}))
        for name in DEMO:
            loading.register(name)
