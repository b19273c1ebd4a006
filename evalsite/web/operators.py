"""The operators' desk: Django's admin, to look at every row, with hardly anything to change.

Rows change through operations, which know the rules; here they are shown. What the database guards
(evalsite/db/guards.py) is frozen by derivation: its guards are read from the migrations, and nothing of
it can be offered for editing. Secrets are left out by their names.
"""

import importlib.util
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, update_wrapper
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.core.exceptions import ImproperlyConfigured
from django.db import models
from django.http import Http404, HttpRequest
from django.urls import path, reverse
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from evalsite.db import guards

#: Fields of these names are shown to nobody.
SECRET = re.compile(r"(^|_)(secret|password|token|sealed|session_key|session_data|unsealed)(_|$)")
#: A list shows so many columns of its own choice, and a page so many characters of a text.
COLUMNS, SHOWN = 7, 20_000
ROOMS = ("annotation", "scoring")
#: Parts of the stock admin that have a door of their own on the site.
LEFT_OUT = {"login", "logout", "password_change", "password_change_done", "autocomplete"}


class OperatorSite(admin.AdminSite):
    """For operators only; nobody else learns that it is there."""

    site_header = site_title = _("Operators' desk")
    index_title = _("All rows, room by room")
    empty_value_display = "–"

    def has_permission(self, request: HttpRequest) -> bool:
        user: Any = request.user
        return bool(user.is_active and user.is_superuser)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        guarded = super().admin_view(view, cacheable)

        def entered(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            if not self.has_permission(request):
                raise Http404
            return guarded(request, *args, **kwargs)

        return update_wrapper(entered, view)

    def get_urls(self) -> list[Any]:
        found = [one for one in super().get_urls() if getattr(one, "name", "") not in LEFT_OUT]
        for one in found:  # who is not signed in goes where all do
            if hasattr(getattr(one, "callback", None), "login_url"):
                delattr(one.callback, "login_url")
        return found


site = OperatorSite(name="admin")


@cache
def guarded() -> dict[str, tuple[guards.Guard, ...]]:
    """Return the guards that the migrations leave in place, by the table they watch."""
    found: dict[str, tuple[guards.Guard, ...]] = {}
    for room in ROOMS:
        for one in guards.declared(f"{room}.migrations"):
            found[one.table] = (*found.get(one.table, ()), one)
    return found


def guards_of(model: type[models.Model]) -> tuple[guards.Guard, ...]:
    return guarded().get(model._meta.db_table, ())


class RowsAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # takes none when it runs
    """The rows of a model, to be looked at.

    A subclass may name `open_fields`, which can be changed; a field that a guard watches cannot be
    among them.
    """

    open_fields: Sequence[str] = ()
    actions: tuple[str, ...] | None = None
    ordering = ("-pk",)
    list_per_page = 50
    show_full_result_count = False
    list_max_show_all = 0

    def __init__(self, model: type[models.Model], admin_site: admin.AdminSite) -> None:
        super().__init__(model, admin_site)
        self._shown = [one for one in model._meta.concrete_fields if is_shown(one)]
        if not self.search_fields:
            self.search_fields = _sought(model)  # type: ignore[misc]  # each its own
        if self.list_display == ("__str__",):
            self.list_display = [_column(one) for one in _columns(model)]
        if not self.list_filter:
            self.list_filter = [  # type: ignore[misc]
                one.name
                for one in self._shown
                if (one.choices or isinstance(one, models.BooleanField)) and not one.primary_key
            ]

    @cached_property
    def opened(self) -> tuple[str, ...]:
        """The fields that can be changed.

        Raises:
            ImproperlyConfigured: the database guards one of them.
        """
        _refuse_open_frozen(self.model, self.open_fields)
        return tuple(self.open_fields)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return [one.name if one.name in self.opened else _whole(one) for one in self._shown]

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        messages = dict.fromkeys(one.message for one in guards_of(self.model))
        said = "; ".join(messages)
        about = _("The database keeps it: %(rules)s.") % {"rules": said} if said else ""
        return [(None, {"fields": self.get_fields(request, obj), "description": about})]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return [one for one in self.get_fields(request, obj) if one not in self.opened]

    def has_add_permission(self, request: HttpRequest, *_args: Any) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(self.opened) and super().has_change_permission(request, obj)


def _refuse_open_frozen(model: type[models.Model], names: Iterable[str]) -> None:
    """Refuse to open what the database would not let change.

    Raises:
        ImproperlyConfigured: a guard watches one of these fields.
    """
    for name in names:
        column = model._meta.get_field(name).column  # type: ignore[union-attr]
        for guard in guards_of(model):
            if guard.before == "UPDATE" and (not guard.columns or column in guard.columns):
                raise ImproperlyConfigured(
                    f"{model._meta.label}.{name} cannot be opened to operators: {guard.message}."
                )


def is_shown(field: "models.Field[Any, Any]") -> bool:
    return not isinstance(field, models.BinaryField) and SECRET.search(field.name) is None


def _columns(model: type[models.Model]) -> "list[models.Field[Any, Any]]":
    """Return the fields that say most in a list: no long texts, no fingerprints."""

    def says(field: "models.Field[Any, Any]") -> bool:
        long = isinstance(field, (models.TextField, models.JSONField))
        return is_shown(field) and not long and not field.name.endswith("sha")

    own = [one for one in model._meta.concrete_fields if says(one) and not one.primary_key]
    times = [one for one in own if isinstance(one, models.DateTimeField)]
    others = [one for one in own if one not in times]
    return [model._meta.pk, *others[: COLUMNS - 1], *times[-1:]]


def _sought(model: type[models.Model]) -> tuple[str, ...]:
    """Return what rows are sought by: the key, short texts, the project's and the person's name."""
    key = model._meta.pk
    found = [f"={key.name}__pk" if key.is_relation else f"={key.name}"]
    for field in model._meta.concrete_fields:
        if not is_shown(field):
            continue
        if isinstance(field, models.CharField) and not field.choices:
            found.append(field.name)
        elif isinstance(field, models.UUIDField):
            found.append(f"{field.name}__icontains")
        elif isinstance(field, models.ForeignKey):
            label = field.related_model._meta.label_lower
            if label == "annotation.project":
                found.append(f"{field.name}__slug")
            elif label == settings.AUTH_USER_MODEL.lower():
                found.append(f"{field.name}__username")
    return tuple(found)


def _column(field: "models.Field[Any, Any]") -> Any:
    """Return what a list shows of a field; of another row its key, which costs no question."""
    if not isinstance(field, models.ForeignKey):
        return field.name
    return _told(field, _key_of(field), ordered=True)


def _key_of(field: "models.ForeignKey[Any, Any]") -> Callable[[Any], Any]:
    meta = field.related_model._meta

    def key(row: Any) -> Any:
        value = getattr(row, field.attname)
        if value is None:
            return None
        address = f"admin:{meta.app_label}_{meta.model_name}_change"
        return format_html('<a href="{}">{}</a>', reverse(address, args=[value]), value)

    return key


def _whole(field: "models.Field[Any, Any]") -> Any:
    """Return what a page shows of a field: another row by its key, a long text by its beginning."""
    if isinstance(field, models.ForeignKey):
        return _told(field, _key_of(field))
    if isinstance(field, models.TextField):
        return _told(field, lambda row: Truncator(getattr(row, field.name)).chars(SHOWN))
    return field.name


def _told(
    field: "models.Field[Any, Any]", say: Callable[[Any], Any], *, ordered: bool = False
) -> Any:
    def told(row: Any) -> Any:
        return say(row)

    described: Any = told
    described.short_description = field.verbose_name
    described.__name__ = field.name
    if ordered:
        described.admin_order_field = field.attname
    return described


#: What rows are called where neither the model's name nor a plural by rule is English.
CALLED = {
    "chosen columns": ("choice of columns", "choices of columns"),
    "criterion": ("criterion", "criteria"),
    "expertise": ("expertise", "expertise"),
    "first steps": ("first steps", "first steps"),
    "link asked": ("request for a link", "requests for links"),
    "llm call": ("LLM call", "LLM calls"),
    "person": ("person", "people"),
    "sign in": ("sign-in", "sign-ins"),
}


def called(name: str) -> tuple[str, str]:
    """Return what one row and several of a model are called, in plain English."""
    if name in CALLED:
        return CALLED[name]
    if name.endswith("y") and name[-2] not in "aeiou":
        return name, f"{name[:-1]}ies"
    return name, f"{name}{'es' if name.endswith(('s', 'x', 'z', 'ch', 'sh')) else 's'}"


def _name(model: type[models.Model]) -> None:
    """Call the rows of a model in English; what the model itself calls them stands."""
    meta = model._meta
    if "verbose_name_plural" not in meta.original_attrs:
        one, several = called(str(meta.verbose_name))
        meta.verbose_name, meta.verbose_name_plural = one, several


@cache
def _told_once() -> None:
    """Register every model of the rooms, and what the admin itself writes down."""
    for room in ROOMS:
        # Not those of libraries: they register for the stock admin, which has no address here.
        if importlib.util.find_spec(f"{room}.admin"):
            importlib.import_module(f"{room}.admin")
        for model in apps.get_app_config(room).get_models():
            _name(model)
            if not site.is_registered(model):
                site.register(model, RowsAdmin)
    if not site.is_registered(LogEntry):
        site.register(LogEntry, RowsAdmin)


def routes(at: str) -> list[Any]:
    """Return the routes of the desk at this address; none where there is no address."""
    if not at:
        return []
    _told_once()
    return [path(f"{at}/", site.urls)]
