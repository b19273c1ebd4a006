"""The rows of scoring."""

from scoring.models.benchmarks import BenchmarkFigure
from scoring.models.drafting import Drafting, DraftingRule, Proposal, ProposalUse
from scoring.models.endpoint_tests import EndpointTest
from scoring.models.endpoints import Endpoint, EndpointPace, EndpointUser, Judge, SystemConnection
from scoring.models.figures import Figure, Snapshot
from scoring.models.interviews import Dialogue, Exchange, PublishedExchange
from scoring.models.judgments import Judgment, Machine
from scoring.models.publications import Publication
from scoring.models.runs import CallText, LLMCall, Run, Step
from scoring.models.schedules import ScheduledRun, SuiteSchedule
from scoring.models.suites import (
    Conversation,
    ConversationBatch,
    ConversationSet,
    PublishedPart,
    Suite,
    SuiteVersion,
)
from scoring.models.tasks import EvaluationTask, Plan, TaskVersion

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
    "Run",
    "ScheduledRun",
    "Snapshot",
    "Step",
    "Suite",
    "SuiteSchedule",
    "SuiteVersion",
    "SystemConnection",
    "TaskVersion",
]
