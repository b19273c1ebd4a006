"""Write questions with all their versions, as the guards of the database let them come to be.

A version begins as a draft, gets its sources, is handed in, and is decided; then the next one is
written. So it is done here, for many questions at a time.
"""

from collections import Counter
from collections.abc import Sequence

from django.db import connection

from annotation.models import (
    Citation,
    Inspection,
    Item,
    MachineDraft,
    Project,
    Question,
    QuestionChange,
    QuestionComment,
    QuestionVersion,
)
from annotation.operations.bank import inspecting
from annotation.operations.banks.settling import Settling, at_, day, maybe
from annotation.queries.banks.comparing import Fate, Standing, question_fate
from annotation.rules.banks.records import Record

State = QuestionVersion.State


class Histories:
    """Writes questions batch by batch."""

    def __init__(
        self, project: Project, standing: Standing, settling: Settling, keep_own: bool
    ) -> None:
        self._project, self._standing, self._on = project, standing, settling
        self._keep_own = keep_own
        self.made: Counter[str] = Counter()
        self.n_differing = 0

    def add(self, some: Sequence[Record]) -> None:
        here = self._standing.questions([one["external_id"] for one in some])
        fresh: list[Record] = []
        longer: list[tuple[Record, int]] = []
        for one in some:
            ours = here.get(one["external_id"])
            fate = question_fate(ours, one["versions"])
            self.n_differing += fate is Fate.DIFFERS
            if fate is Fate.NEW:
                fresh.append(one)
            elif fate is Fate.MORE:
                longer.append((one, len(ours or ())))
        rows = Question.objects.bulk_create(self._question(one) for one in fresh)
        wanted = [(row, one["versions"]) for row, one in zip(rows, fresh, strict=True)]
        old = Question.objects.filter(
            project=self._project, external_id__in=[one["external_id"] for one, _n in longer]
        )
        known = {row.external_id: row for row in old}
        wanted += [(known[one["external_id"]], one["versions"][n:]) for one, n in longer]
        versions = self._versions(wanted)
        self._around(list(zip(rows, fresh, strict=True)), versions)
        self.made["questions"] += len(fresh)
        self.made["versions"] += len(versions)

    def _question(self, one: Record) -> Question:
        return Question(
            project=self._project,
            external_id=one["external_id"],
            state=one["state"],
            created_by_id=self._on.users[one["by"]],
            created_at=at_(one["at"]),
        )

    def _versions(
        self, wanted: Sequence[tuple[Question, Sequence[Record]]]
    ) -> dict[tuple[int, int], QuestionVersion]:
        """Write the first versions of all questions, then the second ones, and so on."""
        made: dict[tuple[int, int], QuestionVersion] = {}
        for place in range(max((len(theirs) for _q, theirs in wanted), default=0)):
            layer = [(q, theirs[place]) for q, theirs in wanted if place < len(theirs)]
            rows = QuestionVersion.objects.bulk_create(self._version(*one) for one in layer)
            pairs = list(zip(rows, [one for _q, one in layer], strict=True))
            self._belongings(pairs)
            self._hand_in(pairs)
            self._inspections(pairs)
            self._decide(pairs)
            made |= {(row.question_id, row.number): row for row in rows}
        return made

    def _version(self, question: Question, one: Record) -> QuestionVersion:
        names = (
            "number",
            "turns",
            "answer",
            "key_points",
            "difficulty",
            "question_type",
            "principle",
            "as_of",
            "tags",
            "language",
            "meaning_changed",
            "meaning_note",
            "replies",
            "rev",
        )
        on = self._on
        return QuestionVersion(
            question=question,
            author_id=on.users[one["author"]],
            capability_id=on.capabilities[tuple(one["capability"])] if one["capability"] else None,
            domain_id=on.domains[tuple(one["domain"])] if one["domain"] else None,
            valid_until=day(one["valid_until"]),
            created_at=at_(one["created_at"]),
            saved_at=at_(one["saved_at"]),
            submitted_at=maybe(one["submitted_at"]),
            **{name: one[name] for name in names},
        )

    def _belongings(self, pairs: Sequence[tuple[QuestionVersion, Record]]) -> None:
        Citation.objects.bulk_create(
            Citation(
                version=row,
                source_version_id=self._on.places[each["source"], each["sha"]],
                locator=each["locator"],
                start=each["start"],
                end=each["end"],
                position=each["position"],
            )
            for row, one in pairs
            for each in one["citations"]
        )
        MachineDraft.objects.bulk_create(
            MachineDraft(
                version=row,
                part=each["part"],
                endpoint=each["endpoint"],
                protocol=each["protocol"],
                prompts_sha=each["prompts_sha"],
                by_id=self._on.users[each["by"]],
                at=at_(each["at"]),
            )
            for row, one in pairs
            for each in one["machine_drafts"]
        )

    def _hand_in(self, pairs: Sequence[tuple[QuestionVersion, Record]]) -> None:
        submitted = [row.pk for row, one in pairs if one["state"] != State.DRAFT]
        QuestionVersion.objects.filter(pk__in=submitted).update(state=State.SUBMITTED)

    def _inspections(self, pairs: Sequence[tuple[QuestionVersion, Record]]) -> None:
        on = self._on
        wanted = [(row, each) for row, one in pairs for each in one["inspections"]]
        made = Inspection.objects.bulk_create(
            Inspection(
                version=row,
                inspector_id=on.users[each["by"]],
                author_id=row.author_id,
                checklist_id=on.checklists[each["checklist"]],
                verdict=each["verdict"],
                note=each["note"],
                suggestion=each["suggestion"],
                at=at_(each["at"]),
            )
            for row, each in wanted
        )
        names = "line", "outcome", "reason", "field", "note", "position"
        values = [
            (row.pk, *(finding[name] for name in names))
            for row, (_version, each) in zip(made, wanted, strict=True)
            for finding in each["findings"]
        ]
        with connection.cursor() as cursor:  # there are many of them, and they are plain
            cursor.executemany(
                "INSERT INTO annotation_finding "
                "(inspection_id, line, outcome, reason, field, note, position) "
                "VALUES (%s, %s, %s, %s, %s, %s, %s)",
                values,
            )
        self.made["inspections"] += len(made)

    def _decide(self, pairs: Sequence[tuple[QuestionVersion, Record]]) -> None:
        decided = [(row, one) for row, one in pairs if one["decided_at"] is not None]
        moment = connection.ops.adapt_datetimefield_value
        values = [(one["state"], moment(at_(one["decided_at"])), row.pk) for row, one in decided]
        with connection.cursor() as cursor:  # every row has a moment of its own
            cursor.executemany(
                "UPDATE annotation_questionversion SET state = %s, decided_at = %s WHERE id = %s",
                values,
            )
        for row, one in decided:
            row.state, row.decided_at = one["state"], at_(one["decided_at"])
        Item.objects.bulk_create(
            inspecting.item_of(row, row.decided_at)
            for row, _one in decided
            if row.state == State.ACCEPTED and row.decided_at is not None
        )

    def _around(
        self,
        fresh: Sequence[tuple[Question, Record]],
        versions: dict[tuple[int, int], QuestionVersion],
    ) -> None:
        users = self._on.users
        QuestionChange.objects.bulk_create(
            QuestionChange(
                question=row,
                old=each["old"],
                new=each["new"],
                reason=each["reason"],
                by_id=users[each["by"]],
                at=at_(each["at"]),
            )
            for row, one in fresh
            for each in one["changes"]
        )
        QuestionComment.objects.bulk_create(
            QuestionComment(
                question=row,
                version=versions[row.pk, each["version"]] if each["version"] else None,
                field=each["field"],
                text=each["text"],
                author_id=users[each["by"]],
                at=at_(each["at"]),
            )
            for row, one in fresh
            for each in one["comments"]
        )
