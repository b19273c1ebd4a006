"""Addresses of evaluation tasks and Fusion-Eval for programs."""

from django.urls import path

from scoring.api import evaluation_tasks, fusing

TASKS = "projects/<slug:project>/tasks/"
TASK = f"{TASKS}<int:number>/"
api_patterns = [
    path(TASKS, evaluation_tasks.tasks, name="api_fusion_tasks"),
    path(TASK, evaluation_tasks.task, name="api_fusion_task"),
    path(f"{TASK}plans/", evaluation_tasks.plans, name="api_fusion_plans"),
    path(f"{TASK}plans/write/", evaluation_tasks.write_plan, name="api_fusion_plan_write"),
    path(f"{TASK}combine/", fusing.combine, name="api_fusion_combine"),
    path(f"{TASK}runs/", fusing.start, name="api_fusion_runs"),
    path(
        "projects/<slug:project>/runs/<int:number>/fusion/", fusing.results, name="api_run_fusion"
    ),
]
