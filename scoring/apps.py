from django.apps import AppConfig

from evalsite import panels, sweeps


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        from annotation.models import ImportKind, WholeKind
        from annotation.operations import retention
        from annotation.operations.demo import parts
        from annotation.operations.imports import supplied, wholes
        from annotation.queries import room
        from annotation.queries.imports import checks, surveys
        from scoring.operations import (
            benchmark_imports,
            endpoint_tests,
            figures,
            keeping,
            mailed_signals,
            score_imports,
            suite_schedules,
            whole_files,
        )
        from scoring.operations.runs import requesting, sweeping
        from scoring.queries import (
            benchmark_checks,
            open_signals,
            score_checks,
            scripted_runs,
            stored_files,
        )
        from scoring.queries import suite_schedules as schedules
        from scoring.views import (
            drafting_slots,
            first_steps_slots,
            project_rules,
            publishing,
            review_slots,
            run_slots,
            slots,
            story_slots,
            suite_slots,
            system_slots,
            trials,
            watching_slots,
        )

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
        wholes.supply(WholeKind.TALKS, whole_files.read_talks)
        wholes.supply(WholeKind.DIALOGUES, whole_files.read_dialogues)
        room.supply("conversations", stored_files.kept)
        retention.supply("calls", keeping.CALLS)
        retention.supply("figures", keeping.FIGURES)
        sweeps.register("figures.ring", figures.ring_for_waiting)
        sweeps.register("runs.sweep", sweeping.sweep)
        sweeps.register_start("runs.hand_out", sweeping.hand_out_again)
        sweeps.register("endpoints.test", endpoint_tests.ring_again)
        sweeps.register("signals.ask", mailed_signals.sweep)
        sweeps.register("suites.schedule", suite_schedules.sweep)
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
        parts.register("scoring.operations.demo.play")
        parts.register("scoring.operations.demo_drafting.play")
        parts.register("scoring.operations.demo_fusion.play")
        parts.register("scoring.operations.demo_suites.play")
        parts.register("scoring.operations.demo_systems.play")
        parts.register("scoring.operations.demo_trials.play")
        parts.register("scoring.operations.demo_talks.play")
        parts.register("scoring.operations.demo_watched.play")
        parts.register("scoring.operations.demo_with_people.play")
        parts.register("scoring.operations.demo_yardsticks.play")
