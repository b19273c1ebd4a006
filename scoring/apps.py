from django.apps import AppConfig

from evalsite import panels, sweeps


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        from scoring.operations import figures
        from scoring.views import slots

        sweeps.register("figures.ring", figures.ring_for_waiting)
        panels.register("menu", "insight", slots.menu)
        panels.register("domain_scores", "insight", slots.domain_scores)
        panels.register("home", "insight", slots.home)
        panels.register("round", "results", slots.of_round)
