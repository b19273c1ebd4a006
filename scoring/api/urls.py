"""scoring's addresses of the API, below /api/v1/."""

from django.urls import path

from scoring.api import insights, movement, results

AT = "projects/<slug:project>/rounds/<int:number>/"
urlpatterns = [
    path(
        "projects/<slug:project>/movement/<int:before>/<int:after>/<int:system>/",
        movement.movement,
        name="api_movement",
    ),
    path(f"{AT}results/", results.results, name="api_results"),
    path(f"{AT}agreement/", insights.agreement, name="api_agreement"),
    path(f"{AT}disputes/", insights.disputes, name="api_disputes"),
    path(f"{AT}annotators/", insights.annotators, name="api_annotators"),
    path(f"{AT}plan/", insights.plan, name="api_round_plan"),
    path(f"{AT}grades.csv", results.grades, {"form": "grades.csv"}, name="api_grades_csv"),
    path(f"{AT}grades.jsonl", results.grades, {"form": "grades.jsonl"}, name="api_grades_jsonl"),
    path(f"{AT}table.csv", results.grades, {"form": "table.csv"}, name="api_table_csv"),
]
