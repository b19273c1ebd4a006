"""The rows of scoring."""

from scoring.endpoints.models import (
    Endpoint,
    EndpointPace,
    EndpointTest,
    EndpointUser,
    Judge,
    SystemConnection,
)
from scoring.engine.models import CallText, Judgment, LLMCall, Machine, Run, Step
from scoring.figures.models import Figure, Snapshot
from scoring.kinds.contamination.models import BenchmarkFigure
from scoring.kinds.drafting.models import Drafting, DraftingRule, Proposal, ProposalUse
from scoring.kinds.fusion.models import EvaluationTask, Plan, TaskVersion
from scoring.kinds.interviews.models import Dialogue, Exchange, PublishedExchange
from scoring.kinds.judging.models import Tuning, TuningAside, TuningQuestion, TuningVersion
from scoring.kinds.suites.models import (
    Conversation,
    ConversationBatch,
    ConversationSet,
    PublishedPart,
    ScheduledRun,
    Suite,
    SuiteSchedule,
    SuiteVersion,
)
from scoring.publishing.models import Publication
from scoring.report.models import ReportLink
from scoring.study.models import StudyAnswers

__all__ = [
    "BenchmarkFigure",
    "CallText",
    "Conversation",
    "ConversationBatch",
    "ConversationSet",
    "Dialogue",
    "Drafting",
    "DraftingRule",
    "Endpoint",
    "EndpointPace",
    "EndpointTest",
    "EndpointUser",
    "EvaluationTask",
    "Exchange",
    "Figure",
    "Judge",
    "Judgment",
    "LLMCall",
    "Machine",
    "Plan",
    "Proposal",
    "ProposalUse",
    "Publication",
    "PublishedExchange",
    "PublishedPart",
    "ReportLink",
    "Run",
    "ScheduledRun",
    "Snapshot",
    "Step",
    "StudyAnswers",
    "Suite",
    "SuiteSchedule",
    "SuiteVersion",
    "SystemConnection",
    "TaskVersion",
    "Tuning",
    "TuningAside",
    "TuningQuestion",
    "TuningVersion",
]
