"""What was measured of systems elsewhere: figures of other benchmarks, as they were brought in. Never changed."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.common.fields import NameColumn
from annotation.files.models import ImportBatch
from annotation.systems.models import SystemRelease
from evalsite.db.rules import unique


class BenchmarkFigure(models.Model):
    """One figure of a release on a data set; without a data set it is of the whole benchmark."""

    release = models.ForeignKey(SystemRelease, on_delete=models.PROTECT, related_name="figures")
    name = NameColumn(max_length=120)
    dataset = NameColumn(max_length=120, blank=True)
    value = models.FloatField()
    batch = models.ForeignKey(ImportBatch, on_delete=models.PROTECT, related_name="figures")
    line = models.PositiveBigIntegerField()

    class Meta:
        verbose_name_plural = _("figures of other benchmarks")
        constraints = [
            unique("one_figure_of_a_release_on_a_data_set", "release", "name", "dataset")
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.value}"
