from django.apps import AppConfig

from evalsite import panels
from scoring.kinds.interviews import exchange as interviews_exchange
from scoring.kinds.suites import exchange as suites_exchange


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        from annotation.demo import loading as parts
        from annotation.files import room
        from annotation.files.models import ImportKind, WholeKind
        from annotation.home import operations as retention
        from annotation.imports import checks, wholes
        from annotation.imports import places as surveys
        from annotation.imports import uploading as supplied
        from scoring.endpoints import testing as endpoint_tests
        from scoring.engine import auditing as keeping
        from scoring.engine import pages as run_slots
        from scoring.engine import requests as requesting
        from scoring.engine import requests as sweeping
        from scoring.figures import operations as figures
        from scoring.home import imports as score_checks
        from scoring.home import imports as score_imports
        from scoring.home import imports as stored_files
        from scoring.home import rules as project_rules
        from scoring.home import scripted as scripted_runs
        from scoring.home import story as first_steps_slots
        from scoring.home import story as story_slots
        from scoring.kinds.collect import pages as system_slots
        from scoring.kinds.contamination import imports as benchmark_checks
        from scoring.kinds.contamination import imports as benchmark_imports
        from scoring.kinds.drafting import pages as drafting_slots
        from scoring.kinds.suites import pages as suite_slots
        from scoring.kinds.suites import schedules
        from scoring.kinds.suites import schedules as suite_schedules
        from scoring.publishing import pages as publishing
        from scoring.results import pages as slots
        from scoring.review import pages as review_slots
        from scoring.trials import pages as trials
        from scoring.watching import pages as watching_slots
        from scoring.watching import queries as mailed_signals
        from scoring.watching import queries as open_signals

        checks.supply(ImportKind.SCORES, score_checks.ScoreCheck)
        surveys.supply(score_checks.known)
        how = supplied.Supplied(score_imports.begin, score_imports.Writer, score_imports.layers)
        supplied.supply(ImportKind.SCORES, how)
        checks.supply(ImportKind.FIGURES, benchmark_checks.FigureCheck)
        how = supplied.Supplied(
            benchmark_imports.begin, benchmark_imports.Writer, benchmark_imports.layers
        )
        supplied.supply(ImportKind.FIGURES, how)
        marks = requesting.Marks(
            scripted_runs.has_scripted_texts, scripted_runs.has_scripted_scores
        )
        requesting.supply_marks("scripts", marks)
        wholes.supply(WholeKind.TALKS, suites_exchange.read_talks)
        wholes.supply(WholeKind.DIALOGUES, interviews_exchange.read_dialogues)
        room.supply("conversations", stored_files.kept)
        retention.supply("calls", keeping.CALLS)
        retention.supply("figures", keeping.FIGURES)
        panels.register_sweep("figures.ring", figures.ring_for_waiting)
        panels.register_sweep("runs.sweep", sweeping.sweep)
        panels.register_start("runs.hand_out", sweeping.hand_out_again)
        panels.register_sweep("endpoints.test", endpoint_tests.ring_again)
        panels.register_sweep("signals.ask", mailed_signals.sweep)
        panels.register_sweep("suites.schedule", suite_schedules.sweep)
        panels.register("menu", "insight", slots.menu)
        panels.register("menu_under", "insight", slots.menu_under)
        panels.register("menu_elsewhere", "insight", slots.menu_elsewhere)
        panels.register("domain_scores", "insight", slots.domain_scores)
        panels.register("home", "insight", slots.home)
        panels.register("home", "review", review_slots.home)
        panels.register("home", "gates", suite_slots.home)
        panels.register("notices", "gates", schedules.notices)
        panels.register("notices", "signals", open_signals.notices)
        panels.register("needs_a_look", "watching", watching_slots.needs_a_look)
        panels.register("settings_rules", "reviews", project_rules.lines)
        panels.register("first_steps", "results", first_steps_slots.steps)
        panels.register("story", "results", story_slots.story)
        panels.register("round", "results", slots.of_round)
        panels.register("round", "runs", run_slots.of_round)
        panels.register("run", "publishing", publishing.of_run)
        panels.register("finish", "review", review_slots.finish)
        panels.register("trial", "report", trials.link)
        panels.register("release", "connection", system_slots.of_release)
        panels.register("round", "published", system_slots.of_published)
        panels.register("collect", "answers", system_slots.of_missing_answers)
        panels.register("source", "drafting", drafting_slots.of_source)
        panels.register("draft", "drafting", drafting_slots.of_draft)
        parts.register("scoring.demo.files.play_demo")
        parts.register("scoring.demo.files.play_drafting")
        parts.register("scoring.demo.fusion.play")
        parts.register("scoring.demo.files.play")
        parts.register("scoring.demo.files.play_systems")
        parts.register("scoring.demo.trials.play")
        parts.register("scoring.demo.interviews.play")
        parts.register("scoring.demo.watched.play")
        parts.register("scoring.demo.interviews.play_with_people")
        parts.register("scoring.demo.interviews.play_yardsticks")
