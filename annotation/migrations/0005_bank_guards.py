"""What was submitted, inspected or put before raters stays as it was, whoever writes to the tables."""

from django.db import migrations

from evalsite.db.guards import Guard

WORDS = [
    "question_id",
    "number",
    "author_id",
    "turns",
    "answer",
    "key_points",
    "capability_id",
    "domain_id",
    "difficulty",
    "question_type",
    "principle",
    "as_of",
    "valid_until",
    "tags",
    "language",
    "meaning_changed",
    "meaning_note",
    "replies",
]


class Migration(migrations.Migration):
    dependencies = [("annotation", "0004_question_bank")]

    operations = [
        Guard(
            "a_submitted_version_stays",
            table="annotation_questionversion",
            before="UPDATE",
            when="OLD.state <> 'DRAFT'",
            columns=WORDS,
            message="a submitted version stays as it is: write a new version",
        ),
        Guard(
            "a_decided_version_stays_decided",
            table="annotation_questionversion",
            before="UPDATE",
            when=(
                "OLD.state <> NEW.state AND NOT ("
                "(OLD.state = 'DRAFT' AND NEW.state = 'SUBMITTED') OR "
                "(OLD.state = 'SUBMITTED' AND NEW.state IN ('DRAFT', 'ACCEPTED', 'RETURNED')))"
            ),
            message="a version goes from draft to submitted, and from there it is accepted or returned",
        ),
        Guard(
            "an_inspection_names_the_author",
            table="annotation_inspection",
            before="INSERT",
            when=(
                "NEW.author_id <> (SELECT author_id FROM annotation_questionversion "
                "WHERE id = NEW.version_id)"
            ),
            message="an inspection names the author of the version it inspects",
        ),
        Guard(
            "an_inspection_stays",
            table="annotation_inspection",
            before="UPDATE",
            when="OLD.id IS NOT NULL",
            message="an inspection stays as it is",
        ),
        Guard(
            "a_finding_stays",
            table="annotation_finding",
            before="UPDATE",
            when="OLD.id IS NOT NULL",
            message="a finding stays as it is",
        ),
        Guard(
            "a_checklist_stays",
            table="annotation_checklist",
            before="UPDATE",
            when="OLD.id IS NOT NULL",
            message="a checklist stays as it is: write a new version",
        ),
        Guard(
            "an_item_stays",
            table="annotation_item",
            before="UPDATE",
            columns=[
                "external_id",
                "content_sha",
                "prompt_sha",
                "messages",
                "reference",
                "key_points",
                "question_version_id",
            ],
            message="an item stays as it is: another content is another item",
        ),
        Guard(
            "a_source_version_stays",
            table="annotation_sourceversion",
            before="UPDATE",
            when="OLD.id IS NOT NULL",
            message="a version of a source stays as it is: write a new version",
        ),
    ]
