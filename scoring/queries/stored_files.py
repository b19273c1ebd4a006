"""How much a project has taken of conversations and dialogues that came in from files and programs."""

from django.db.models import Sum

from annotation.models import Project
from scoring.models import ConversationBatch, Run


def kept(project: Project) -> int:
    """Return the bytes that were sent; of what came in before they were counted, nothing."""
    batches = ConversationBatch.objects.filter(set__project=project)
    sizes = Run.objects.filter(project=project, config__has_key="imported").values_list(
        "config__imported__bytes", flat=True
    )
    return int(batches.aggregate(n=Sum("size"))["n"] or 0) + sum(one or 0 for one in sizes)
