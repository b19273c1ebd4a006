import pytest

from evalsite import env
from tests import words

CODE = """
_("One more")
raise Gone(_("No such page."))
"""


class TestMessages:
    def test_of_a_template_are_translated_words_and_both_numbers_of_a_block(self):
        found = words.of_template(
            """{% translate "Go to it" %} not this {% include "x" with text=_("Or here") %}
            {% blocktranslate count n=n trimmed %}{{ n }} question{% plural %}{{ n }} of
            the questions{% endblocktranslate %}"""
        )

        assert list(found) == [
            "Go to it",
            "Or here",
            "{{ n }} question",
            "{{ n }} of the questions",
        ]

    def test_of_code_are_those_that_are_marked(self):
        found = words.of_code(
            '_("One " "two")\nngettext("%(n)d a", "%(n)d b", n)\nprint("no")\n_(x)\n'
        )

        assert sorted(found.shown) == ["%(n)d a", "%(n)d b", "One two"]

    def test_have_no_words_where_values_stand(self):
        assert words.n_words("%(name)s rose by {{ points }} points, a judge’s own") == 6


class TestRefusals:
    @pytest.mark.parametrize(
        "code",
        [
            'raise Gone(_("Ask again."))',
            'form.add_error("name", _("Ask again."))',
            'problems["name"] = _("Ask again.")',
            'forms.CharField(error_messages={"required": _("Ask again.")})',
            'def act():\n    words = _("Ask again.")\n    raise Gone(words % {"n": 1})',
            'def why():\n    return _("Ask again.")\ndef act():\n    raise Gone(why())',
            'WHY = {"gone": _("Ask again.")}\ndef act():\n    raise Gone(WHY["gone"])',
            'def must(held, words):\n    raise Gone(words)\nmust(True, _("Ask again."))',
            'def _refuse(words): ...\n_refuse(_("Ask again."))',
        ],
    )
    def test_are_what_is_raised_or_given_as_an_error(self, code):
        found = words.of_code(code)

        assert (found.refusals, found.plain()) == ({"Ask again."}, set())

    @pytest.mark.parametrize(
        "code",
        [
            '_("Ask again.")',
            'raise Gone(_("Your key"))',
            'def act():\n    said = 1\n    raise Gone(said)\ndef other():\n    said = _("Ask again.")',
            'HELP = _("Ask again.")\ndef act():\n    raise Gone(problem % {"help": HELP})',
        ],
    )
    def test_are_neither_names_nor_other_sentences_nor_values(self, code):
        assert words.of_code(code).refusals == set()

    def test_of_a_file_are_kept_in_a_constant(self):
        code = 'TEXTS = {"gone": (_("It is gone."), _("Ask again."))}\nHELP = _("Choose one.")'

        assert words.of_code(code, "TEXTS").refusals == {"It is gone.", "Ask again."}

    def test_of_a_house_stand_where_they_are_looked_for(self):
        of_house = {
            path: words.of_code((env.BASE_DIR / path).read_text("utf-8"), name)
            for path, name in words.KEPT.items()
        }

        assert all(found.refusals for found in of_house.values())


class TestCount:
    def test_is_by_area_with_everything_below(self, tmp_path):
        page = tmp_path / "templates/scoring/results/parts/a.html"
        code = tmp_path / "scoring/results/pages.py"
        for path, text in ((page, '{% translate "Three short words" %}'), (code, CODE)):
            path.parent.mkdir(parents=True)
            path.write_text(text)
        said: list[str] = []

        words.main(said.append, tmp_path)

        assert [one.split()[:4] for one in said[1:]] == [
            ["5", "3", "2", "scoring/results"],
            ["5", "3", "2", "in"],
        ]
