"""The rows of annotation, one aggregate a file."""

from annotation.models.accounts import (
    Invitation,
    LinkAsked,
    PasswordLink,
    SetUpLink,
    SignIn,
)
from annotation.models.audit import AuditEvent
from annotation.models.bank import (
    Citation,
    MachineDraft,
    Question,
    QuestionChange,
    QuestionComment,
    QuestionVersion,
)
from annotation.models.bank_lists import ChosenColumns, SavedFilter
from annotation.models.banks import BankFile, BankPiece
from annotation.models.bulk_edits import BulkEdit, BulkLine
from annotation.models.first_steps import FirstSteps
from annotation.models.grades import FlagAnswer, Grade, Invalidation, Remark
from annotation.models.imports import (
    ImportBatch,
    ImportKind,
    Upload,
    UploadChunk,
    UploadProblems,
    WholeKind,
)
from annotation.models.inspections import Checklist, Finding, Inspection
from annotation.models.items import Display, Item, Response, System, SystemRelease
from annotation.models.kept_answers import KeptAnswer
from annotation.models.people import Person, User
from annotation.models.personal_tokens import FailedTry, PersonalToken
from annotation.models.plan import PlanCell, PlanShare
from annotation.models.projects import (
    UNBLINDED,
    Membership,
    Project,
    Rater,
    RaterKind,
    Role,
)
from annotation.models.qualification import (
    Expertise,
    Practice,
    Qualification,
    QualificationRule,
    TrainingExample,
    Trial,
)
from annotation.models.retraining import Retraining, RetrainingLimit
from annotation.models.reviews import Decision, Effect, Look, ReviewRule
from annotation.models.rounds import (
    IdentityHit,
    Manifest,
    Round,
    RoundAnnotator,
    RoundItem,
    RoundResponse,
    RoundRubric,
    RoundSystem,
    Unblinding,
)
from annotation.models.search import SearchText
from annotation.models.seats import Assignment, ClaimEvent, Draft, Receipt, Slot
from annotation.models.settings import SettingsVersion
from annotation.models.shingles import IndexedText, QuestionText, TextKey
from annotation.models.sources import (
    Appointment,
    Source,
    SourceCheck,
    SourceCollection,
    SourceEdit,
    SourceVersion,
)
from annotation.models.tags import SamenessTag
from annotation.models.taxonomy import (
    Capability,
    Difficulty,
    Domain,
    Priority,
    QuestionType,
)
from annotation.rubrics.models import Criterion, Level, Rubric, RubricVersion

__all__ = [
    "UNBLINDED",
    "Appointment",
    "Assignment",
    "AuditEvent",
    "BankFile",
    "BankPiece",
    "BulkEdit",
    "BulkLine",
    "Capability",
    "Checklist",
    "ChosenColumns",
    "Citation",
    "ClaimEvent",
    "Criterion",
    "Decision",
    "Difficulty",
    "Display",
    "Domain",
    "Draft",
    "Effect",
    "Expertise",
    "FailedTry",
    "Finding",
    "FirstSteps",
    "FlagAnswer",
    "Grade",
    "IdentityHit",
    "ImportBatch",
    "ImportKind",
    "IndexedText",
    "Inspection",
    "Invalidation",
    "Invitation",
    "Item",
    "KeptAnswer",
    "Level",
    "LinkAsked",
    "Look",
    "MachineDraft",
    "Manifest",
    "Membership",
    "PasswordLink",
    "Person",
    "PersonalToken",
    "PlanCell",
    "PlanShare",
    "Practice",
    "Priority",
    "Project",
    "Qualification",
    "QualificationRule",
    "Question",
    "QuestionChange",
    "QuestionComment",
    "QuestionText",
    "QuestionType",
    "QuestionVersion",
    "Rater",
    "RaterKind",
    "Receipt",
    "Remark",
    "Response",
    "Retraining",
    "RetrainingLimit",
    "ReviewRule",
    "Role",
    "Round",
    "RoundAnnotator",
    "RoundItem",
    "RoundResponse",
    "RoundRubric",
    "RoundSystem",
    "Rubric",
    "RubricVersion",
    "SamenessTag",
    "SavedFilter",
    "SearchText",
    "SetUpLink",
    "SettingsVersion",
    "SignIn",
    "Slot",
    "Source",
    "SourceCheck",
    "SourceCollection",
    "SourceEdit",
    "SourceVersion",
    "System",
    "SystemRelease",
    "TextKey",
    "TrainingExample",
    "Trial",
    "Unblinding",
    "Upload",
    "UploadChunk",
    "UploadProblems",
    "User",
    "WholeKind",
]
