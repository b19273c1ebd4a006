"""The range of what a metric or a judge says may be open, and lower may be better."""

from decimal import Decimal
from typing import Any

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from evalsite.db.guards import Guard

FROZEN = (
    "EXISTS (SELECT 1 FROM annotation_rubricversion v "
    "WHERE v.id = {row}.rubric_version_id AND v.frozen_at IS NOT NULL)"
)
OF_FROZEN = (
    "EXISTS (SELECT 1 FROM annotation_criterion c JOIN annotation_rubricversion v "
    "ON v.id = c.rubric_version_id WHERE c.id = {row}.criterion_id AND v.frozen_at IS NOT NULL)"
)
RUBRIC = "a rubric that a round uses stays as it is: write a new version"


def kept(name: str, table: str, when: str) -> list[Guard]:
    old, new = when.format(row="OLD"), when.format(row="NEW")
    given = {"table": table, "message": RUBRIC}
    return [
        Guard(f"{name}_gains_nothing", before="INSERT", when=new, **given),
        Guard(f"{name}_stays", before="UPDATE", when=f"({old}) OR ({new})", **given),
        Guard(f"{name}_loses_nothing", before="DELETE", when=old, **given),
    ]


GUARDS = [
    *kept("a_frozen_scale", "annotation_criterion", FROZEN),
    *kept("a_frozen_level", "annotation_level", OF_FROZEN),
]


def lift(_apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Take the guards off while SQLite makes the table of criteria anew; they come back below."""
    for guard in GUARDS:
        for statement in guard.take_off(schema_editor.connection.vendor):
            schema_editor.execute(statement, None)


def put_back(_apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for guard in GUARDS:
        for statement in guard.put_on(schema_editor.connection.vendor):
            schema_editor.execute(statement, None)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0015_kinds_are_counted_from_an_index")]

    operations = [
        migrations.RunPython(lift, put_back),
        migrations.AlterField(
            model_name="criterion",
            name="minimum",
            field=models.DecimalField(
                decimal_places=4,
                default=Decimal(0),
                max_digits=12,
                null=True,
                verbose_name="lowest",
            ),
        ),
        migrations.AlterField(
            model_name="criterion",
            name="maximum",
            field=models.DecimalField(
                decimal_places=4, max_digits=12, null=True, verbose_name="top score"
            ),
        ),
        migrations.AddField(
            model_name="criterion",
            name="higher_is_better",
            field=models.BooleanField(default=True, verbose_name="higher is better"),
        ),
        *GUARDS,
        migrations.AlterField(
            model_name="rubricversion",
            name="kind",
            field=models.CharField(
                choices=[("HUMAN", "for people"), ("METRIC", "of a metric or a judge")],
                default="HUMAN",
                max_length=6,
            ),
        ),
        migrations.AlterField(
            model_name="importbatch",
            name="kind",
            field=models.CharField(
                choices=[
                    ("ANSWERS", "questions and answers"),
                    ("GRADES", "grades"),
                    ("SCORES", "scores of judges and metrics"),
                ],
                max_length=8,
            ),
        ),
        migrations.AlterField(
            model_name="upload",
            name="kind",
            field=models.CharField(
                choices=[
                    ("ANSWERS", "questions and answers"),
                    ("GRADES", "grades"),
                    ("SCORES", "scores of judges and metrics"),
                ],
                max_length=8,
            ),
        ),
    ]
