import importlib

import pytest
from django import forms

from annotation.common import forms as names
from tests.architecture import sources

#: What fields are called in which something is named.
CALLED = {
    *("name", "title", "label", "subtitle", "family", "tag", "tags", "whom", "publisher"),
    *("licence", "dataset", "model_name", "system", "release", "rater", "criterion", "new_name"),
}


def form_classes() -> set[type[forms.BaseForm]]:
    for path in sources.modules("annotation", "scoring"):
        if "from django import forms" in path.read_text() and "migrations" not in path.parts:
            importlib.import_module(sources.dotted(path))
    found, open_ones = set(), [forms.BaseForm]
    while open_ones:
        for kind in open_ones.pop().__subclasses__():
            found.add(kind)
            open_ones.append(kind)
    return {one for one in found if one.__module__.startswith(("annotation.", "scoring."))}


class TestEveryForm:
    def test_looks_at_names(self):
        fields = [
            (f"{kind.__module__}.{kind.__name__}.{name}", field)
            for kind in form_classes()
            for name, field in getattr(kind, "base_fields", {}).items()
            if name in CALLED and type(field) in {forms.CharField, names.NameInput}
        ]

        assert [name for name, field in fields if type(field) is forms.CharField] == []
        assert len(fields) > 30


class TestNameField:
    def test_refuses_what_cannot_be_seen(self):
        with pytest.raises(forms.ValidationError, match=r"U\+202E"):
            names.NameInput().clean("Le\u202ena")
        assert names.NameInput().clean(" Lena Voß ") == "Lena Voß"


class TestUserNameField:
    @pytest.mark.parametrize("given", ["le na", "<lena>", "lena\u202e", "l/ena", "a\nb"])
    def test_takes_letters_digits_and_few_signs_only(self, given):
        with pytest.raises(forms.ValidationError):
            names.UserNameField().clean(given)
        assert names.UserNameField().clean("lena.voß+1@x-y_z") == "lena.voß+1@x-y_z"
