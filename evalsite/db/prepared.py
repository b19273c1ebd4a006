"""Queries whose SQL is worked out once, for what is asked with every grade.

Django works the SQL of a query out anew each time, which takes several times as long as the database
does to answer it. Here a query is written as ever, over placeholders; its SQL is kept, and only the
values are put in afterwards.

    seat_by_token = prepared.Query(
        lambda token: Assignment.objects.select_related("round").filter(token=token), token=str
    )
    seat = seat_by_token.first(token="…")
"""

import datetime
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model, QuerySet, sql
from django.db.models.base import ModelState
from django.db.models.fields.related_descriptors import ForeignKeyDeferredAttribute
from django.db.models.query import (
    FlatValuesListIterable,
    ModelIterable,
    ValuesListIterable,
    get_related_populators,
)
from django.db.models.query_utils import DeferredAttribute

T = TypeVar("T")
M = TypeVar("M", bound=Model)

#: So many rows go into one statement at most: it stays within what a database takes.
TOGETHER = 40
#: Stand-ins that no real query holds, so that their places can be found again.
_MARKS: dict[type, Callable[[int], Any]] = {
    int: lambda n: 2_000_000_011 + n,
    str: "prepared:{}".format,
    uuid.UUID: lambda n: uuid.UUID(int=2**120 + n),
    datetime.datetime: lambda n: datetime.datetime(1900, 1, 1 + n, tzinfo=datetime.UTC),
    dict: lambda n: {"prepared": n},
}
_ADAPTED: dict[type, Callable[[Any, BaseDatabaseWrapper], Any]] = {
    uuid.UUID: lambda value, line: value if line.features.has_native_uuid_field else value.hex,
    datetime.datetime: lambda value, line: line.ops.adapt_datetimefield_value(value),
    dict: lambda value, line: line.ops.adapt_json_value(value, None),
}


def _line() -> BaseDatabaseWrapper:
    """Return this thread's connection itself; what stands before it looks it up at every step."""
    return connections[DEFAULT_DB_ALIAS]


@dataclass(frozen=True)
class _Statement:
    sql: str
    params: Sequence[Any]
    #: Which value stands at which place of the parameters.
    places: Sequence[tuple[int, str]]
    read: Callable[[Sequence[Any]], Any]


class _Prepared:
    """What is kept of a statement, one for each kind of database."""

    def __init__(self, make: Callable[..., Any], kinds: Mapping[str, type]) -> None:
        self.make, self.kinds = make, kinds
        self.statements: dict[str, _Statement] = {}

    def _statement(self, line: BaseDatabaseWrapper) -> _Statement:
        found = self.statements.get(line.vendor)
        if found is None:
            found = self.statements[line.vendor] = self._worked_out(line)
        return found

    def _worked_out(self, line: BaseDatabaseWrapper) -> _Statement:
        marks = {name: _MARKS[kind](n) for n, (name, kind) in enumerate(self.kinds.items())}
        text, params, read = self._compiled(self.make(**marks))
        names = {_comparable(self._adapted(name, mark, line)): name for name, mark in marks.items()}
        places = [
            (place, names[key])
            for place, param in enumerate(params)
            if (key := _comparable(param)) in names
        ]
        if missing := self.kinds.keys() - {name for _place, name in places}:
            raise ValueError(f"{sorted(missing)} stand nowhere in: {text}")
        return _Statement(text, params, places, read)

    def _compiled(self, made: Any) -> tuple[str, Sequence[Any], Callable[[Sequence[Any]], Any]]:
        raise NotImplementedError

    def _adapted(self, name: str, value: Any, line: BaseDatabaseWrapper) -> Any:
        adapt = _ADAPTED.get(self.kinds[name])
        return value if adapt is None else adapt(value, line)

    def _filled(
        self, values: Mapping[str, Any], line: BaseDatabaseWrapper
    ) -> tuple[_Statement, list[Any]]:
        statement = self._statement(line)
        params = list(statement.params)
        adapted = {name: self._adapted(name, value, line) for name, value in values.items()}
        for place, name in statement.places:
            params[place] = adapted[name]
        return statement, params


class PreparedQuery(_Prepared, Generic[T]):
    """A read. `make` takes the placeholders by name and returns a query set."""

    def __init__(self, make: Callable[..., QuerySet[Any, T]], **kinds: type) -> None:
        super().__init__(make, kinds)

    def all(self, **values: Any) -> list[T]:
        line = _line()
        statement, params = self._filled(values, line)
        with line.cursor() as cursor:
            cursor.execute(statement.sql, params)
            return [statement.read(row) for row in cursor.fetchall()]

    def first(self, **values: Any) -> T | None:
        line = _line()
        statement, params = self._filled(values, line)
        with line.cursor() as cursor:
            cursor.execute(statement.sql, params)
            row = cursor.fetchone()
        return None if row is None else statement.read(row)

    def _compiled(self, made: QuerySet[Any]) -> tuple[str, Sequence[Any], Callable[..., Any]]:
        compiler = made.query.get_compiler(connection=connection)
        text, params = compiler.as_sql()
        return text, params, _reader(made, compiler)


class Update(_Prepared):
    """A change. `make` returns a query set and what its rows become; `run` returns how many there were."""

    def __init__(self, make: Callable[..., Any], **kinds: type) -> None:
        super().__init__(make, kinds)

    def run(self, **values: Any) -> int:
        line = _line()
        statement, params = self._filled(values, line)
        with line.cursor() as cursor:
            cursor.execute(statement.sql, params)
            return int(cursor.rowcount)

    def _compiled(self, made: Any) -> tuple[str, Sequence[Any], Callable[..., Any]]:
        rows, become = made
        query = rows.query.chain(sql.UpdateQuery)
        query.add_update_values(become)
        query.clear_ordering(force=True)
        text, params = query.get_compiler(connection=connection).as_sql()
        return text, params, tuple


class Delete(Update):
    """A removal of rows to which nothing refers; `make` returns the query set."""

    def _compiled(self, made: Any) -> tuple[str, Sequence[Any], Callable[..., Any]]:
        query = made.query.chain(sql.DeleteQuery)
        text, params = query.get_compiler(connection=connection).as_sql()
        return text, params, tuple


class Insert:
    """A new row of one model. Where nothing listens to the model's signals, that is all `save` does.

    Args:
        model: whose rows.
        but_known: a row that a constraint refuses is left out.
    """

    def __init__(self, model: type[Model], *, but_known: bool = False) -> None:
        self.end = " ON CONFLICT DO NOTHING" if but_known else ""
        self.fields = [one for one in model._meta.concrete_fields if not one.primary_key]
        self.model = model
        self.statements: dict[tuple[str, int], str] = {}

    def add(self, row: M) -> M:
        """Store a row and give it its key."""
        pk = self.model._meta.pk
        assert pk is not None
        line = _line()
        with line.cursor() as cursor:
            cursor.execute(
                f"{self._sql(1, line)} RETURNING {line.ops.quote_name(pk.column or '')}",
                self._values(row, line),
            )
            row.pk = cursor.fetchone()[0]
        row._state.adding, row._state.db = False, "default"
        return row

    def add_all(self, rows: Sequence[Model]) -> None:
        """Store rows, whose keys nobody needs."""
        line = _line()
        for start in range(0, len(rows), TOGETHER):
            few = rows[start : start + TOGETHER]
            with line.cursor() as cursor:
                values = [value for row in few for value in self._values(row, line)]
                cursor.execute(self._sql(len(few), line), values)

    def _values(self, row: Model, line: BaseDatabaseWrapper) -> list[Any]:
        return [
            one.get_db_prep_save(one.pre_save(row, add=True), connection=line)
            for one in self.fields
        ]

    def _sql(self, n_rows: int, line: BaseDatabaseWrapper) -> str:
        key = (line.vendor, n_rows)
        if key not in self.statements:
            name = line.ops.quote_name
            columns = ", ".join(name(one.column or "") for one in self.fields)
            places = f"({', '.join(['%s'] * len(self.fields))})"
            self.statements[key] = (
                f"INSERT INTO {name(self.model._meta.db_table)} ({columns}) "  # noqa: S608
                f"VALUES {', '.join([places] * n_rows)}{self.end}"
            )
        return self.statements[key]


def _comparable(param: Any) -> tuple[type, str]:
    plain = getattr(param, "obj", param)  # psycopg wraps what is stored as JSON
    if isinstance(plain, int):  # and has kinds of whole numbers of its own
        return int, str(int(plain))
    return type(plain), str(plain)


def _reader(made: QuerySet[Any], compiler: Any) -> Callable[[Sequence[Any]], Any]:
    """Return what makes a row into what the query set would give."""
    plain = _converted(compiler)
    kind = made._iterable_class
    if kind is FlatValuesListIterable:
        return lambda row: plain(row)[0]
    if kind is ValuesListIterable:
        return lambda row: tuple(plain(row))
    if kind is not ModelIterable:
        raise ValueError(f"A prepared query gives rows or tuples, not {kind.__name__}.")
    return _instances(compiler, plain)


def _converted(compiler: Any) -> Callable[[Sequence[Any]], list[Any]]:
    selected = [one[0] for one in compiler.select]
    converters = list(compiler.get_converters(selected).items())

    def plain(row: Sequence[Any]) -> list[Any]:
        values = list(row)
        for place, (steps, expression) in converters:
            value = values[place]
            for step in steps:
                value = step(value, expression, connection)
            values[place] = value
        return values

    return plain


def _instances(
    compiler: Any, plain: Callable[[Sequence[Any]], list[Any]]
) -> Callable[[Sequence[Any]], Any]:
    info = compiler.klass_info
    fields = info["select_fields"]
    start, end = fields[0], fields[-1] + 1
    make = _maker(info["model"], [one[0].target.attname for one in compiler.select[start:end]])
    populators = get_related_populators(info, compiler.select, DEFAULT_DB_ALIAS)  # type: ignore[call-arg]
    related = [_joined(one) for one in populators]
    extra = list((compiler.annotation_col_map or {}).items())

    def instance(row: Sequence[Any]) -> Any:
        values = plain(row)
        made = make(values[start:end])
        for join in related:
            join(values, made)
        for name, place in extra:
            setattr(made, name, values[place])
        return made

    return instance


def _maker(model: type[Model], names: Sequence[str]) -> Callable[[Sequence[Any]], Model]:
    """Return what makes an instance of a row as Django's `from_db` does, all fields at once.

    Models whose fields do something when they are set, or that are made in a way of their own, are
    left to `from_db`. Nobody is told by signals: the style check allows none here.
    """
    kinds = {type(model.__dict__.get(name)) for name in names}
    is_plain = (
        model.__init__ is Model.__init__
        and model.from_db.__func__ is Model.from_db.__func__  # type: ignore[attr-defined]
        and kinds <= {DeferredAttribute, ForeignKeyDeferredAttribute}
    )
    if not is_plain:
        return lambda values: model.from_db(DEFAULT_DB_ALIAS, names, values)

    def made(values: Sequence[Any]) -> Model:
        one = model.__new__(model)
        state = one._state = ModelState()
        state.adding, state.db = False, DEFAULT_DB_ALIAS
        one.__dict__.update(zip(names, values, strict=True))
        return one

    return made


def _joined(populator: Any) -> Callable[[Sequence[Any], Any], None]:
    """Return what makes the instance that another refers to, and those it refers to itself."""
    if populator.reorder_for_init is not None:
        populate: Callable[[Sequence[Any], Any], None] = populator.populate
        return populate
    start, end, key = populator.cols_start, populator.cols_end, populator.pk_idx
    here, there = populator.local_setter, populator.remote_setter
    make = _maker(populator.model_cls, populator.init_list)
    related = [_joined(one) for one in populator.related_populators]

    def join(row: Sequence[Any], whose: Any) -> None:
        values = row[start:end]
        if values[key] is None:
            here(whose, None)
            return
        made = make(values)
        for inner in related:
            inner(row, made)
        here(whose, made)
        there(made, whose)

    return join
