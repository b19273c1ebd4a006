"""scoring's registry: what fills slots of pages, what the sweeper does, what annotation is supplied with."""

from collections.abc import Mapping
from typing import Final

from django.apps import AppConfig

from evalsite import panels

#: By slot and key, the dotted name of what fills it. A slot of a page is filled in the order of its keys.
SLOTS: Final[Mapping[str, Mapping[str, str]]] = {
    "collect": {"answers": "scoring.kinds.collect.pages.of_missing_answers"},
    "domain_scores": {"insight": "scoring.results.pages.domain_scores"},
    "draft": {"drafting": "scoring.kinds.drafting.pages.of_draft"},
    "files_checked": {
        "SCORES": "scoring.home.imports.ScoreCheck",
        "FIGURES": "scoring.kinds.contamination.imports.check",
    },
    "files_kept": {"conversations": "scoring.home.imports.kept"},
    "files_read_whole": {
        "TALKS": "scoring.kinds.suites.exchange.read_talks",
        "DIALOGUES": "scoring.kinds.interviews.exchange.read_dialogues",
    },
    "files_written": {
        "SCORES": "scoring.home.imports.SUPPLIED",
        "FIGURES": "scoring.kinds.contamination.imports.SUPPLIED",
    },
    "finish": {"review": "scoring.review.pages.finish"},
    "first_steps": {"results": "scoring.home.story.steps"},
    "home": {
        "gates": "scoring.kinds.suites.pages.home",
        "insight": "scoring.results.pages.home",
        "review": "scoring.review.pages.home",
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
        "gates": "scoring.kinds.suites.schedules.notices",
        "signals": "scoring.watching.queries.notices",
    },
    "release": {"connection": "scoring.kinds.collect.pages.of_release"},
    "round": {
        "published": "scoring.kinds.collect.pages.of_published",
        "results": "scoring.results.pages.of_round",
        "runs": "scoring.engine.pages.of_round",
    },
    "run": {"publishing": "scoring.publishing.pages.of_run"},
    "scripted_scores": {"scripts": "scoring.home.scripted.has_scripted_scores"},
    "scripted_texts": {"scripts": "scoring.home.scripted.has_scripted_texts"},
    "settings_rules": {"reviews": "scoring.home.rules.lines"},
    "source": {"drafting": "scoring.kinds.drafting.pages.of_source"},
    "story": {"results": "scoring.home.story.story"},
    "trial": {"report": "scoring.trials.pages.link"},
}
#: What the sweeper calls with the time, every few seconds, in this order; and once before the workers start.
SWEEPS: Final[Mapping[str, str]] = {
    "figures.ring": "scoring.figures.operations.ring_for_waiting",
    "runs.sweep": "scoring.engine.requests.sweep",
    "endpoints.test": "scoring.endpoints.testing.ring_again",
    "signals.ask": "scoring.watching.queries.sweep",
    "results.ask": "scoring.report.queries.sweep",
    "suites.schedule": "scoring.kinds.suites.schedules.sweep",
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
    "scoring.demo.interviews.play_with_people",
    "scoring.demo.interviews.play_yardsticks",
)


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        from annotation.demo import loading

        panels.load(SLOTS, SWEEPS, STARTS)
        for name in DEMO:
            loading.register(name)
