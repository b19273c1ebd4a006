import subprocess
import sys

import pytest

from scoring.kinds.metrics import catalogue


class TestInOrder:
    def test_keeps_the_order_of_the_catalogue(self):
        found = catalogue.in_order(["words", "bleu", "rouge1"])

        assert [one.key for one in found] == ["rouge1", "bleu", "words"]

    def test_refuses_what_it_does_not_know(self):
        with pytest.raises(KeyError, match="bluest"):
            catalogue.in_order(["bluest"])


class TestMetrics:
    def test_have_names_of_their_own_for_what_they_read(self):
        said = [(one.name, one.needs) for one in catalogue.METRICS.values()]

        assert len(said) == len(set(said))
        assert set(catalogue.USUAL) <= catalogue.METRICS.keys()

    def test_are_listed_without_loading_a_library(self):
        code = (
            "import sys; import scoring.kinds.metrics.catalogue;"
            "print({'nltk', 'rouge_score', 'sacrebleu', 'numpy'} & set(sys.modules))"
        )

        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )

        assert done.stdout.strip() == "set()"
