"""What a run by an evaluation task was started with, in words: names in the place of keys."""

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext as _

from scoring.models import Judge, Plan, Run, TaskVersion

#: Kinds of runs whose configuration names a version of a task.
KINDS: Final = (Run.Kind.FUSION, Run.Kind.PLAN, Run.Kind.COMBINE)


def told(run: Run) -> Mapping[str, Any]:
    """Return the parameters of a run as a person and a comparison of runs read them."""
    config = run.config
    version = TaskVersion.objects.select_related("task").filter(pk=config.get("version", 0)).first()
    made: dict[str, Any] = {}
    if version is not None:
        names = {"task": version.task.name, "n": version.number}
        made["task"] = _("%(task)s, version %(n)d") % names
    if plan := Plan.objects.filter(pk=config.get("plan") or 0).first():
        made["plan"] = str(plan.number)
    if config.get("import") is not None:
        made["answers"] = _("import %(n)d") % {"n": config["import"]}
    if "endpoint" in config:
        made["endpoint"] = config["endpoint"]
    if judges := config.get("judges"):
        made["ways"] = [one["variant"] for one in judges]
        made |= {"endpoint": judges[0]["endpoint"], **judges[0]["settings"]}
    if mixes := config.get("mixes"):
        made["ways"] = [one["how"] for one in mixes]
        judge = Judge.objects.filter(pk=config.get("judge") or 0).first()
        made |= {} if judge is None else {"judge": judge.name}
        made |= {} if config.get("people") is None else {"people": str(config["people"])}
    return made
