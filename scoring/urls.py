"""scoring's pages."""

from django.urls import path

from scoring.views import files, insights, movement, results

AT = "p/<slug:project>/rounds/<int:number>/results/"
urlpatterns = [
    path("p/<slug:project>/insight/", results.insight, name="insight"),
    path("p/<slug:project>/insight/movement/", movement.movement, name="movement"),
    path("p/<slug:project>/insight/movement/tags/", movement.movement_tags, name="movement_tags"),
    path(AT, results.round_results, name="results"),
    path(f"{AT}names/", results.show_names, name="results_names"),
    path(f"{AT}again/", results.compute_again, name="results_again"),
    path(f"{AT}table/", results.results_table, name="results_table"),
    path(f"{AT}agreement/", insights.agreement_page, name="results_agreement"),
    path(f"{AT}disputes/", insights.disputes_page, name="results_disputes"),
    path(f"{AT}disputes/open/", insights.dispute_page, name="results_dispute"),
    path(f"{AT}annotators/", insights.annotators_page, name="results_annotators"),
    path(f"{AT}plan/", insights.plan_page, name="results_plan"),
    path(f"{AT}results.csv", files.results_csv, name="results_csv"),
    path(f"{AT}grades.csv", files.grades, {"form": "grades.csv"}, name="grades_csv"),
    path(f"{AT}grades.jsonl", files.grades, {"form": "grades.jsonl"}, name="grades_jsonl"),
    path(f"{AT}table.csv", files.grades, {"form": "table.csv"}, name="table_csv"),
]
