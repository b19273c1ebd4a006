import pytest

from evalsite.text import markdown as mathml


class TestFromLatex:
    def test_writes_a_formula(self):
        assert mathml.from_latex("x") == '<math display="inline"><mrow><mi>x</mi></mrow></math>'
        assert mathml.from_latex("x", block=True).startswith('<math display="block">')

    @pytest.mark.parametrize(
        "latex",
        [r"\href{javascript:alert(1)}{x}", r"\style{a}{x}", r"\class{a}{x}", r"\color{red}{x}"],
    )
    def test_leaves_out_attributes_that_are_not_on_the_list(self, latex):
        assert "=" not in mathml.from_latex(latex).removeprefix('<math display="inline">')

    def test_leaves_out_lengths_that_would_fill_the_page(self):
        assert "9999" not in mathml.from_latex(r"\hspace{99999em}x")

    def test_escapes_every_text(self):
        page = mathml.from_latex(r"\text{<script>} < \unicode{x3c}")

        assert "<mtext>&lt;script&gt;</mtext>" in page
        assert "<script" not in page

    @pytest.mark.parametrize(
        "latex",
        [r"\frac{", "x^x^x", "x" * 2001, "{" * 301, r"\sqrt" * 400, "", r"\sqrt{" * 80 + "}" * 80],
    )
    def test_refuses_what_is_not_sound(self, latex):
        with pytest.raises(mathml.NotSound):
            mathml.from_latex(latex)
