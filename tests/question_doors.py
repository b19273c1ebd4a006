"""The ways by which somebody may try to do something to a question: operations, pages, the API.

Every door has a deed for every act of annotation/bank/rules.py: an act without one fails
tests/journeys/test_question_doors.py. Where a door does not know an act, its deed asks for it all
the same.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.test import Client
from django.urls import reverse

from annotation import models
from annotation.bank import operations as bank
from annotation.bank import rules as boards
from annotation.bank.rules import Act, BulkAction
from annotation.inspection import operations as inspecting
from evalsite import errors
from tests import make

Deed = Callable[[], object]


@dataclass
class Attempt:
    """A question, and somebody who wants to do something to it (nobody: not signed in)."""

    version: models.QuestionVersion
    who: models.User | None

    @property
    def project(self) -> models.Project:
        return self.version.question.project

    @cached_property
    def client(self) -> Client:
        client = Client(raise_request_exception=False)
        if self.who is not None:
            client.force_login(self.who)
        return client

    def address(self, name: str) -> str:
        key = self.version.pk if "inspection" in name else self.version.question_id
        return reverse(name, args=[self.project.slug, key])


def operations(of: Attempt) -> Mapping[Act, Deed]:
    """Return the deeds as programs do them, without any page."""
    version = of.version
    given: dict[str, Any] = {"by": of.who, "now": make.at(9)}

    def life(act: Act) -> Deed:
        return lambda: bank.change_life(
            question=version.question, act=act, reason="A reason.", **given
        )

    deeds: dict[Act, Deed] = {
        Act.EDIT: lambda: bank.save_draft(
            version=version,
            text=make.question_text("Another one?", in_=of.project),
            base_rev=version.rev,
            **given,
        ),
        Act.SUBMIT: lambda: bank.submit(version=version, base_rev=version.rev, **given),
        Act.DISCARD: lambda: bank.discard(version=version, **given),
        Act.WITHDRAW: lambda: bank.withdraw(version=version, **given),
        Act.INSPECT: lambda: inspecting.inspect(
            version=version, verdict="ACCEPT", checked=make.checked(of.project), **given
        ),
        Act.REVISE: lambda: bank.revise(version=version, **given),
        Act.COMMENT: lambda: bank.comment(question=version.question, text="So?", **given),
        **{act: life(act) for act in boards.OF_CURATORS},
    }
    return {act: _refusable(deed) for act, deed in deeds.items()}


def _refusable(deed: Deed) -> Deed:
    def attempt() -> object:
        try:
            return deed()
        except (errors.Refusal, models.Question.DoesNotExist) as refusal:
            return refusal  # what an import still brings in is there for nobody

    return attempt


def pages(of: Attempt) -> Mapping[Act, Deed]:
    """Return the deeds as the pages' forms send them."""
    of.client  # noqa: B018  signs in before anything is taken back
    typed = {
        "rev": of.version.rev,
        "role": "user",
        "content": "Another one?",
        "answer": "Yes.",
        "capability": of.version.capability_id,
        "difficulty": "SIMPLE",
        "source": [one.source_version_id for one in of.version.citations.all()],
        "locator": [one.locator for one in of.version.citations.all()],
    }
    answers = {f"outcome-{one.line}": one.outcome for one in make.checked(of.project)}

    def send(name: str, **form: Any) -> Deed:
        return lambda: of.client.post(of.address(name), form)

    return {
        Act.EDIT: send("question_draft", **typed),
        Act.SUBMIT: send("question_edit", act="submit", **typed),
        Act.DISCARD: send("question", act="discard"),
        Act.WITHDRAW: send("question", act="withdraw"),
        Act.INSPECT: send("inspection", verdict="ACCEPT", **answers),
        Act.REVISE: send("question", act="revise"),
        Act.RETIRE: send("question", act="retire", reason="A reason."),
        Act.INVALIDATE: send("question", act="invalidate", reason="A reason."),
        Act.REVIVE: send("question", act="revive", reason="A reason."),
        Act.COMMENT: send("question", text="So?"),
    }


def api(of: Attempt) -> Mapping[Act, Deed]:
    """Return the deeds as programs send them over the API."""
    of.client  # noqa: B018  signs in before anything is taken back
    lines = [{"line": one.line, "outcome": one.outcome} for one in make.checked(of.project)]
    text = {
        "rev": of.version.rev,
        "turns": [{"role": "user", "content": "Another one?"}],
        "answer": "Yes.",
        "capability_id": of.version.capability_id,
        "difficulty": "SIMPLE",
    }

    def send(name: str, **body: Any) -> Deed:
        return lambda: of.client.post(
            of.address(name), json.dumps(body), content_type="application/json"
        )

    plain = (Act.SUBMIT, Act.DISCARD, Act.WITHDRAW, Act.REVISE, *boards.OF_CURATORS)
    return {
        Act.EDIT: send("api_question_draft", **text),
        Act.INSPECT: send("api_inspection", verdict="ACCEPT", checked=lines),
        Act.COMMENT: send("api_question_comments", text="So?"),
        **{act: send("api_question", act=act.lower(), reason="A reason.") for act in plain},
    }


def board(of: Attempt) -> Mapping[Act, Deed]:
    """Return the deeds as the cards of the board send them."""
    of.client  # noqa: B018  signs in before anything is taken back
    card = {"number": of.version.number, "rev": of.version.rev, "reason": "A reason."}

    def send(act: Act) -> Deed:
        return lambda: of.client.post(of.address("question_move"), {**card, "act": act.value})

    return {act: send(act) for act in Act}


def bulk_edit(of: Attempt) -> Mapping[Act, Deed]:
    """Return the deeds as a bulk edit of this one question does them: tried out, and started."""
    of.client  # noqa: B018  signs in before anything is taken back
    project = [of.project.slug]
    changing = dict.fromkeys(CHANGED_IN_BULK, BulkAction.CHANGE.value)

    def send(act: Act) -> Deed:
        chosen = {"id": of.version.question_id, "action": changing.get(act, act.value)}
        tag = "audit" if act in changing else ""

        def attempt() -> object:
            form = {**chosen, "tags_added": tag, "note": "A reason."}
            tried = of.client.post(reverse("bulk_edit_new", args=project), form)
            edit = models.BulkEdit.objects.order_by("pk").last()
            if edit is None:
                return tried
            return of.client.post(reverse("bulk_edit_start", args=[*project, edit.number]))

        return attempt

    return {act: send(act) for act in Act}


DOORS: Mapping[str, Callable[[Attempt], Mapping[Act, Deed]]] = {
    "operations": operations,
    "pages": pages,
    "api": api,
    "board": board,
    "bulk edit": bulk_edit,
}
#: What a change of many does to each: a draft is edited, anything else gets a new version.
CHANGED_IN_BULK = frozenset({Act.EDIT, Act.REVISE})
#: For the doors that do not know every act: the acts they do, and any of which the rules must allow.
DECIDED_BY: Mapping[str, Mapping[Act, frozenset[Act]]] = {
    "board": {act: frozenset({act}) for act in boards.ACTS},
    "bulk edit": {
        **dict.fromkeys(CHANGED_IN_BULK, CHANGED_IN_BULK),
        Act.SUBMIT: frozenset({Act.SUBMIT}),
        Act.RETIRE: frozenset({Act.RETIRE}),
    },
}


def decided_by(door: str, act: Act) -> frozenset[Act]:
    """Return the acts any of which must be allowed for a door to do this one; none: it never does."""
    known = DECIDED_BY.get(door)
    return frozenset({act}) if known is None else known.get(act, frozenset())
