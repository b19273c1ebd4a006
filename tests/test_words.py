from tests import words


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

        assert sorted(found) == ["%(n)d a", "%(n)d b", "One two"]

    def test_have_no_words_where_values_stand(self):
        assert words.n_words("%(name)s rose by {{ points }} points, a judge’s own") == 6


class TestCount:
    def test_is_by_area_with_everything_below(self, tmp_path):
        page = tmp_path / "templates/scoring/results/parts/a.html"
        code = tmp_path / "scoring/results/pages.py"
        for path, text in ((page, '{% translate "Three short words" %}'), (code, '_("One more")')):
            path.parent.mkdir(parents=True)
            path.write_text(text)
        said: list[str] = []

        words.main(said.append, tmp_path)

        assert [one.split()[:3] for one in said] == [
            ["5", "2", "scoring/results"],
            ["5", "2", "in"],
        ]
