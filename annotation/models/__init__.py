"""The rows of annotation, one aggregate a file."""

from annotation.models.audit import AuditEvent
from annotation.models.grades import Grade, Invalidation, Remark
from annotation.models.imports import ImportBatch, ImportKind, Upload, UploadChunk
from annotation.models.items import Display, Item, Response, System, SystemRelease
from annotation.models.people import Person, User
from annotation.models.projects import (
    UNBLINDED,
    Membership,
    Project,
    Rater,
    RaterKind,
    Role,
)
from annotation.models.rounds import (
    IdentityHit,
    Round,
    RoundAnnotator,
    RoundItem,
    RoundResponse,
    RoundRubric,
    RoundSystem,
    Unblinding,
)
from annotation.models.rubrics import Criterion, Level, Rubric, RubricVersion
from annotation.models.seats import Assignment, ClaimEvent, Draft, Receipt, Slot
from annotation.models.taxonomy import (
    Capability,
    Difficulty,
    Domain,
    Priority,
    QuestionType,
)

__all__ = [
    "UNBLINDED",
    "Assignment",
    "AuditEvent",
    "Capability",
    "ClaimEvent",
    "Criterion",
    "Difficulty",
    "Display",
    "Domain",
    "Draft",
    "Grade",
    "IdentityHit",
    "ImportBatch",
    "ImportKind",
    "Invalidation",
    "Item",
    "Level",
    "Membership",
    "Person",
    "Priority",
    "Project",
    "QuestionType",
    "Rater",
    "RaterKind",
    "Receipt",
    "Remark",
    "Response",
    "Role",
    "Round",
    "RoundAnnotator",
    "RoundItem",
    "RoundResponse",
    "RoundRubric",
    "RoundSystem",
    "Rubric",
    "RubricVersion",
    "Slot",
    "System",
    "SystemRelease",
    "Unblinding",
    "Upload",
    "UploadChunk",
    "User",
]
