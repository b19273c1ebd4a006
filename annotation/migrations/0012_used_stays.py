"""What a round has used, or people have decided, can neither change nor vanish, whoever writes."""

from django.db import migrations

from evalsite.db.guards import Guard

FROZEN = (
    "EXISTS (SELECT 1 FROM annotation_rubricversion v "
    "WHERE v.id = {row}.rubric_version_id AND v.frozen_at IS NOT NULL)"
)
OF_FROZEN = (
    "EXISTS (SELECT 1 FROM annotation_criterion c JOIN annotation_rubricversion v "
    "ON v.id = c.rubric_version_id WHERE c.id = {row}.criterion_id AND v.frozen_at IS NOT NULL)"
)
HANDED_IN = (
    "EXISTS (SELECT 1 FROM annotation_questionversion v "
    "WHERE v.id = {row}.version_id AND v.state <> 'DRAFT')"
)
SERVED = (
    "EXISTS (SELECT 1 FROM annotation_roundresponse s JOIN annotation_rounditem i "
    "ON i.id = s.round_item_id JOIN annotation_round r ON r.id = i.round_id "
    "WHERE s.response_id = OLD.id AND r.state <> 'DRAFT')"
)
ANY = "OLD.id IS NOT NULL"
RUBRIC = "a rubric that a round uses stays as it is: write a new version"
SOURCES = "the sources of a submitted version stay as they are"


def both(when: str) -> str:
    """Return a condition on the row as it was and as it would be: nothing is moved in or out."""
    return f"({when.format(row='OLD')}) OR ({when.format(row='NEW')})"


def kept(name: str, table: str, when: str, message: str) -> list[Guard]:
    """Return the guards of a table to which nothing is added, changed or taken under a condition."""
    given = {"table": table, "message": message}
    return [
        Guard(f"{name}_gains_nothing", before="INSERT", when=when.format(row="NEW"), **given),
        Guard(f"{name}_stays", before="UPDATE", when=both(when), **given),
        Guard(f"{name}_loses_nothing", before="DELETE", when=when.format(row="OLD"), **given),
    ]


def lasting(name: str, table: str, message: str, when: str = ANY) -> Guard:
    return Guard(f"{name}_lasts", table=table, before="DELETE", when=when, message=message)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0011_items_by_external_id")]

    operations = [
        *kept("a_frozen_scale", "annotation_criterion", FROZEN, RUBRIC),
        *kept("a_frozen_level", "annotation_level", OF_FROZEN, RUBRIC),
        Guard(
            "a_frozen_rubric_stays",
            table="annotation_rubricversion",
            before="UPDATE",
            when="OLD.frozen_at IS NOT NULL",
            columns=["rubric_id", "number", "kind", "principle", "frozen_at"],
            message=RUBRIC,
        ),
        lasting("a_frozen_rubric", "annotation_rubricversion", RUBRIC, "OLD.frozen_at IS NOT NULL"),
        *kept("a_cited_place", "annotation_citation", HANDED_IN, SOURCES),
        Guard(
            "a_question_keeps_its_name",
            table="annotation_question",
            before="UPDATE",
            when=(
                "EXISTS (SELECT 1 FROM annotation_questionversion v "
                "WHERE v.question_id = OLD.id AND v.state <> 'DRAFT')"
            ),
            columns=["project_id", "external_id", "created_by_id"],
            message="a question that was submitted keeps its id",
        ),
        lasting(
            "a_submitted_version",
            "annotation_questionversion",
            "a submitted version is never deleted: retire the question",
            "OLD.state <> 'DRAFT'",
        ),
        Guard(
            "an_item_stays",
            table="annotation_item",
            before="UPDATE",
            columns=[
                "project_id",
                "external_id",
                "content_sha",
                "prompt_sha",
                "messages",
                "reference",
                "key_points",
                "extra",
                "as_of",
                "question_version_id",
            ],
            message="an item stays as it is: another content is another item",
        ),
        lasting(
            "an_item_of_the_bank",
            "annotation_item",
            "what was accepted is never deleted: retire the question",
            "OLD.question_version_id IS NOT NULL",
        ),
        Guard(
            "a_served_response_stays",
            table="annotation_response",
            before="UPDATE",
            when=SERVED,
            columns=["item_id", "release_id", "content_sha", "messages"],
            message="a response that a round serves stays as it is",
        ),
        lasting("an_inspection", "annotation_inspection", "an inspection is never deleted"),
        lasting("a_finding", "annotation_finding", "a finding is never deleted"),
        lasting("a_checklist", "annotation_checklist", "a checklist is never deleted"),
        lasting("a_source_version", "annotation_sourceversion", "what a source said is kept"),
        Guard(
            "a_change_of_a_question_stays",
            table="annotation_questionchange",
            before="UPDATE",
            when=ANY,
            message="what was decided about a question stays on record",
        ),
        lasting(
            "a_change_of_a_question",
            "annotation_questionchange",
            "what was decided about a question stays on record",
        ),
        Guard(
            "a_comment_stays",
            table="annotation_questioncomment",
            before="UPDATE",
            columns=["question_id", "field", "text", "author_id", "at"],
            message="a comment stays as it was said",
        ),
        lasting(
            "a_comment",
            "annotation_questioncomment",
            "a comment stays as it was said",
            "EXISTS (SELECT 1 FROM annotation_questionversion v WHERE v.question_id = OLD.question_id)",
        ),
    ]
