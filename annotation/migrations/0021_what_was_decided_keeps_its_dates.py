"""What was decided keeps its dates, what a round serves says where it came from; findings are counted."""

from django.db import migrations, models

from evalsite.db.guards import Guard

SERVED = (
    "EXISTS (SELECT 1 FROM annotation_roundresponse s JOIN annotation_rounditem i "
    "ON i.id = s.round_item_id JOIN annotation_round r ON r.id = i.round_id "
    "WHERE s.response_id = OLD.id AND r.state <> 'DRAFT')"
)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0020_words_of_questions")]

    operations = [
        migrations.AddIndex(
            model_name="finding",
            index=models.Index(
                fields=["outcome", "inspection", "reason"], name="finding_by_outcome"
            ),
        ),
        Guard(
            "a_decided_version_keeps_its_dates",
            table="annotation_questionversion",
            before="UPDATE",
            when="OLD.state IN ('ACCEPTED', 'RETURNED')",
            columns=["rev", "created_at", "saved_at", "submitted_at", "decided_at"],
            message="a decided version keeps its dates",
        ),
        Guard(
            "a_served_response_stays",
            table="annotation_response",
            before="UPDATE",
            when=SERVED,
            columns=[
                "item_id",
                "release_id",
                "content_sha",
                "messages",
                "sample_no",
                "origin",
                "details",
                "created_at",
            ],
            message="a response that a round serves stays as it is",
        ),
    ]
