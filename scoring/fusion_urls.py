"""Addresses of evaluation tasks, their plans and Fusion-Eval."""

from django.urls import path

from scoring.views import (
    assistants,
    combining,
    evaluation_plans,
    evaluation_tasks,
    fusing,
    fusion_results,
)

TASKS = "p/<slug:project>/judges/tasks/"
TASK = "p/<slug:project>/judges/tasks/<int:number>/"
RUN = "p/<slug:project>/runs/<int:number>/fusion"
urlpatterns = [
    path(TASKS, evaluation_tasks.fusion_tasks, name="fusion_tasks"),
    path(f"{TASKS}new/", evaluation_tasks.fusion_task_new, name="fusion_task_new"),
    path(TASK, evaluation_tasks.fusion_task, name="fusion_task"),
    path(f"{TASK}edit/", evaluation_tasks.fusion_task_edit, name="fusion_task_edit"),
    path(f"{TASK}plans/new/", evaluation_plans.fusion_plan_new, name="fusion_plan_new"),
    path(f"{TASK}plans/write/", evaluation_plans.fusion_plan_write, name="fusion_plan_write"),
    path(f"{TASK}plans/<int:plan>/", evaluation_plans.fusion_plan, name="fusion_plan"),
    path(f"{TASK}run/", fusing.fusion_new, name="fusion_new"),
    path(f"{TASK}combine/", combining.fusion_combine, name="fusion_combine"),
    path(f"{RUN}/", fusion_results.run_fusion, name="run_fusion"),
    path(
        "p/<slug:project>/runs/<int:number>/assistant.csv",
        assistants.run_assistant_csv,
        name="run_assistant_csv",
    ),
    path(f"{RUN}.csv", fusion_results.run_fusion_csv, name="run_fusion_csv"),
]
