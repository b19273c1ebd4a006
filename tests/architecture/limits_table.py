"""The table of tests.architecture.limits: which form takes the same as which body, or why none does."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Twin:
    """A form and the body that takes the same from programs."""

    body: str
    #: Fields that have another name in the body.
    renamed: Mapping[str, str] = field(default_factory=dict)
    #: Fields that the body has not, or takes in another shape.
    only_here: tuple[str, ...] = ()
    #: Fields whose limits differ, with the reason.
    differs: Mapping[str, str] = field(default_factory=dict)


def _run(body: str, **more: Any) -> Twin:
    """Return the twin of a form that starts a run; the operation checks its budget for both."""
    return Twin(body, **more)


BY_KIND = {"max_tokens": "each kind of judge has its fewest; the operation asks by kind"}
APPLICATION = dict.fromkeys(("url", "model_name"), "an application has its request instead")
HIDDEN = "a hidden field, which the page always sends"

TWINS = {
    "annotation.bank_files.NewExport": Twin("annotation.bank_files.BankFileIn"),
    "annotation.bank_files.HandIn": Twin("annotation.bank_files.BankFileIn"),
    "annotation.bank_files.Confirm": Twin("annotation.bank_files.ConfirmIn"),
    "annotation.bank_lists.SaveForm": Twin(
        "annotation.bank_lists.SavedFilterIn", renamed={"shared": "is_shared"}
    ),
    "annotation.bulk_edits.BulkForm": Twin(
        "annotation.bank_lists.BulkEditIn",
        renamed={"capability": "capability_id", "domain": "domain_id"},
        only_here=("no_end", "meaning"),
    ),
    "annotation.checklists.LimitForm": Twin("annotation.inspection_rules.LimitIn"),
    "annotation.checklists.SettleForm": Twin("annotation.inspection_rules.SettledIn"),
    "annotation.choice_imports.ChoiceOptions": Twin(
        "annotation.file_bodies.ChoicesIn",
        differs={"dataset": "left out, a published layout has its own name"},
    ),
    "annotation.draws.Draw": Twin("annotation.draws.DrawIn"),
    "annotation.figure_imports.FigureOptions": Twin("annotation.file_bodies.FiguresIn"),
    "annotation.imports.AnswerOptions": Twin("annotation.file_bodies.AnswersIn"),
    "annotation.imports.GradeOptions": Twin(
        "annotation.file_bodies.GradesIn",
        only_here=("new_name", "minimum", "maximum", "step"),  # as new_rubric
    ),
    "annotation.question_imports.QuestionOptions": Twin("annotation.file_bodies.QuestionsIn"),
    "annotation.score_imports.ScoreOptions": Twin("annotation.file_bodies.ScoresIn"),
    "annotation.score_imports.MachineRow": Twin(
        "annotation.file_bodies.MachineIn",
        renamed={"minimum": "min", "maximum": "max", "direction": "higher_is_better"},
        only_here=("sure",),  # a body that names a criterion's range is sure of it
    ),
    "annotation.people.AddMember": Twin("annotation.people.MemberIn"),
    "annotation.people.Roles": Twin("annotation.people.RolesIn"),
    "annotation.people.Invite": Twin("annotation.invitations.InviteIn"),
    "annotation.people.NewProject": Twin("annotation.projects.NewProjectIn"),
    "annotation.people.EditProject": Twin("annotation.projects.AboutIn"),
    "annotation.people.ProjectSettings": Twin("annotation.projects.AboutIn"),
    "annotation.plan.Share": Twin("annotation.plan.ShareIn"),
    "annotation.questions.Details": Twin(
        "annotation.questions.TextIn",
        renamed={"capability": "capability_id", "domain": "domain_id"},
    ),
    "annotation.questions.NewSource": Twin(
        "annotation.sources.SourceIn",
        only_here=("locator",),
        differs={"title": "asked for where anything of a source is entered"},
    ),
    "annotation.rounds.NewRound": Twin("annotation.round_drafts.NewRoundIn"),
    "annotation.rounds.SettingsForm": Twin("annotation.round_drafts.RoundIn"),
    "annotation.rounds.Releases": Twin("annotation.round_drafts.RoundIn"),
    "annotation.rounds.Annotators": Twin("annotation.round_drafts.RoundIn"),
    "annotation.rounds.Reason": Twin("annotation.round_work.ReasonIn"),
    "annotation.rounds.FlagAnswer": Twin("annotation.round_work.FlagAnswerIn"),
    "annotation.rounds.Deadline": Twin("annotation.round_deeds.DeadlineIn"),
    "annotation.rounds.CopyRound": Twin("annotation.round_deeds.CopyIn"),
    "annotation.rounds.DiscardRound": Twin(
        "annotation.round_deeds.DiscardIn",
        differs={"reason": "a draft needs none, and its form has no such field"},
    ),
    "annotation.rounds.CloseReason": Twin("annotation.round_deeds.ClosingIn"),
    "annotation.rubrics.Head": Twin(
        "annotation.rubrics.NewRubricIn",
        differs={"key": "the page makes one of the name"},
    ),
    "annotation.rubrics.CopyRubric": Twin("annotation.rubrics.CopyIn"),
    "annotation.rubrics.CriterionForm": Twin(
        "annotation.rubrics.CriterionIn",
        renamed={"minimum": "min", "maximum": "max"},
        differs={"key": "the page makes one of the name"},
    ),
    "annotation.rubrics.LevelForm": Twin("annotation.rubrics.LevelIn"),
    "annotation.settings.BankForm": Twin("annotation.settings.BankIn", differs={"base": HIDDEN}),
    "annotation.settings.MasksForm": Twin("annotation.settings.MasksIn", differs={"base": HIDDEN}),
    "annotation.settings.RetentionForm": Twin(
        "annotation.settings.RetentionIn", differs={"base": HIDDEN}
    ),
    "annotation.sources.SaidForm": Twin("annotation.sources.SaidIn", only_here=("file",)),
    "annotation.sources.AboutForm": Twin("annotation.sources.AboutIn"),
    "annotation.sources.EditForm": Twin("annotation.sources.AboutIn", only_here=("seen",)),
    "annotation.sources.SourceForm": Twin(
        "annotation.sources.SourceIn",
        only_here=("file",),
        differs={"title": "the page takes it from the file"},
    ),
    "annotation.sources.CheckForm": Twin(
        "annotation.sources.CheckIn", renamed={"number": "version"}
    ),
    "annotation.sources.CollectionForm": Twin("annotation.source_collections.CollectionIn"),
    "annotation.sources.AppointForm": Twin(
        "annotation.source_collections.AppointIn", renamed={"user": "designer"}
    ),
    "annotation.systems.SystemForm": Twin("annotation.systems.SystemIn"),
    "annotation.systems.NewSystem": Twin("annotation.systems.NewSystemIn"),
    "annotation.systems.ReleaseForm": Twin("annotation.systems.ReleaseIn"),
    "annotation.taxonomy.CapabilityForm": Twin(
        "annotation.taxonomy.CapabilityIn",
        only_here=tuple(
            f"{one}{more}"
            for one in ("simple", "intermediate", "difficult")
            for more in ("", "_example")
        ),  # as difficulties
    ),
    "annotation.taxonomy.DomainForm": Twin("annotation.taxonomy.DomainIn"),
    "annotation.training.ExampleForm": Twin("annotation.training.ExampleIn"),
    "annotation.training.RuleForm": Twin("annotation.qualifications.RuleIn"),
    "annotation.training.ProjectRuleForm": Twin(
        "annotation.qualifications.RuleIn", renamed={"asked_always": "asked"}
    ),
    "annotation.training.SayForm": Twin("annotation.qualifications.StepIn"),
    "annotation.training.TrialForm": Twin(
        "annotation.trials.TrialIn", renamed={"users": "annotators"}
    ),
    "scoring.assistants.AssistantForm": Twin("scoring.assistants.AssistantIn"),
    "scoring.assistants.SimilarityForm": Twin("scoring.assistants.AssistantIn"),
    "scoring.assistants.LikelihoodForm": Twin("scoring.assistants.AssistantIn"),
    "scoring.assistants.EntailmentForm": Twin("scoring.assistants.AssistantIn"),
    "scoring.assistants.AssistForm": _run("scoring.assistants.AssistingIn", only_here=("over",)),
    "scoring.connections.AnswersForm": _run("scoring.connections.AnswersIn"),
    "scoring.connections.ConnectionForm": Twin(
        "scoring.connections.ConnectionIn",
        only_here=("system_prompt", "temperature", "top_p", "max_tokens", "seed", "stop"),
    ),
    "scoring.conversations.ConversationsForm": Twin(
        "scoring.suites.ConversationsIn",
        renamed={"set_name": "set"},
        only_here=("file",),
    ),
    "scoring.dialogues.DialogueImportForm": Twin(
        "scoring.dialogue_files.DialoguesIn", renamed={"new_system": "system"}
    ),
    "scoring.drafting.PassageForm": Twin("scoring.drafting.AskIn", only_here=("first", "last")),
    "scoring.drafting.HelpForm": Twin("scoring.drafting.AskIn"),
    "scoring.endpoints.EndpointForm": Twin("scoring.endpoints.AboutIn", differs=APPLICATION),
    "scoring.endpoints.NewEndpointForm": Twin("scoring.endpoints.EndpointIn", differs=APPLICATION),
    "scoring.endpoints.ApplicationFields": Twin("scoring.endpoints.RequestIn"),
    "scoring.endpoints.KeyForm": Twin("scoring.endpoints.KeyIn"),
    "scoring.evaluation_tasks.Head": Twin(
        "scoring.evaluation_tasks.ContentIn",
        only_here=("name", "overall_minimum", "overall_maximum"),
    ),
    "scoring.evaluation_tasks.FieldForm": Twin("scoring.evaluation_tasks.FieldIn"),
    "scoring.evaluation_tasks.CriterionForm": Twin("scoring.evaluation_tasks.CriterionIn"),
    "scoring.evaluation_tasks.AssistantForm": Twin("scoring.evaluation_tasks.AssistantIn"),
    "scoring.fusing.PlanForm": Twin("scoring.evaluation_tasks.PlanIn"),
    "scoring.fusing.PlanWriteForm": _run("scoring.evaluation_tasks.PlanWriteIn"),
    "scoring.fusing.FusionForm": _run("scoring.fusing.FusionIn", only_here=("over",)),
    "scoring.fusing.CombineForm": _run("scoring.fusing.CombineIn", only_here=("over", "budget")),
    "scoring.interview_evaluators.RejudgeForm": _run("scoring.interview_evaluators.JudgeAgainIn"),
    "scoring.interviews.InterviewForm": _run("scoring.interviews.InterviewsIn"),
    "scoring.judges.JudgeForm": Twin(
        "scoring.judge_runs.JudgeIn", renamed={"manner": "together"}, differs=BY_KIND
    ),
    "scoring.judges.SingleForm": Twin("scoring.judge_runs.JudgeIn", differs=BY_KIND),
    "scoring.judges.GEvalForm": Twin("scoring.judge_runs.JudgeIn", differs=BY_KIND),
    "scoring.judges.JudgeRoundForm": _run("scoring.judge_runs.JudgingIn"),
    "scoring.losses.LossesForm": _run("scoring.losses.LossesIn"),
    "scoring.metrics.MetricsForm": _run(
        "scoring.metrics.MetricsIn", only_here=("over", "budget", "seed")
    ),
    "scoring.project_rules.DisputesForm": Twin(
        "scoring.project_rules.DisputeRulesIn", differs={"base": HIDDEN}
    ),
    "scoring.publishing.PublishForm": Twin("scoring.publishing.PublishIn"),
    "scoring.quizzes.QuizForm": _run("scoring.quizzes.QuizIn"),
    "scoring.reviews.DecisionForm": Twin(
        "scoring.review.DecisionIn", renamed={"letter": "response"}, differs={"key": HIDDEN}
    ),
    "scoring.reviews.RuleForm": Twin("scoring.project_rules.ReviewRulesIn"),
    "scoring.runs.BudgetForm": Twin("scoring.run_deeds.BudgetIn"),
    "scoring.suite_schedules.ScheduleForm": Twin("scoring.suite_schedules.ScheduleIn"),
    "scoring.suites.SuiteForm": Twin("scoring.suites.SuiteIn"),
    "scoring.suites.SuiteRunForm": _run("scoring.suites.SuiteRunIn"),
}

COLUMN = "one column of a file; programs name them under `columns`"
PERSON = "what people do for themselves: accounts, passwords, tokens"
PART = "a part of other forms or bodies"
ACT = "a button on the page"
OWN_FIELDS = "fields made as the page is, or read by hand; the operation checks them"
#: Forms without a twin: why.
ONLY_ON_PAGES = {
    **dict.fromkeys(
        (
            "annotation.choice_imports.ChoiceColumn",
            "annotation.figure_imports.FigureColumn",
            "annotation.imports.AnswerColumn",
            "annotation.imports.GradeColumn",
            "annotation.question_imports.QuestionColumn",
            "annotation.score_imports.ScoreColumn",
        ),
        COLUMN,
    ),
    **dict.fromkeys(
        (
            "annotation.people.ChangePassword",
            "annotation.people.Details",
            "annotation.people.Erase",
            "annotation.people.Forgotten",
            "annotation.people.Join",
            "annotation.people.NewAccount",
            "annotation.people.NewPassword",
            "annotation.people.TwiceTyped",
            "annotation.personal_tokens.MakeToken",
            "annotation.sign_in.SignInForm",
        ),
        PERSON,
    ),
    **dict.fromkeys(
        (
            "annotation.settings.Section",
            "scoring.endpoints.ApplicationForm",  # EndpointForm and ApplicationFields
            "scoring.endpoints.KeyFields",  # KeyForm
            "scoring.endpoints.NewApplicationForm",
            "scoring.runs.StartForm",
        ),
        PART,
    ),
    **dict.fromkeys(
        (
            "annotation.collecting.Choice",  # what of a list is shown
            "annotation.plan.View",
            "annotation.rounds.Pace",
            "annotation.training.PoolFilter",
        ),
        "what the page shows, in its address",
    ),
    "annotation.rounds.Rubrics": OWN_FIELDS,  # a list in RoundIn
    "annotation.training.TagsForm": "has no body",
    "annotation.imports.NewUpload": "hands a file in, to be mapped next; programs do both at once",
    "annotation.collecting.Sheet": "a file of answers; programs send it as an import",
    "annotation.taxonomy.Move": "moves a branch; programs send its parent with the branch",
    "scoring.drafting.AllowForm": "who drafts is allowed on the page only",
    "scoring.suite_builder.SuiteBuilder": "writes the YAML that programs send",
    "scoring.watching.LookForm": "an owner looks into a person's grades on the page only",
}
#: Bodies without a twin: why.
ONLY_BY_PROGRAMS = {
    **dict.fromkeys(
        (
            "annotation.bank_lists.BulkActIn",
            "annotation.imports.ActIn",
            "annotation.questions.ActIn",
            "annotation.sources.FileIn",
            "annotation.training.AdoptIn",
            "scoring.drafting.TakeIn",
            "scoring.endpoints.ScriptIn",
            "scoring.run_deeds.RetryIn",
            "scoring.trials.DecisionIn",
        ),
        ACT,
    ),
    **dict.fromkeys(
        (
            "annotation.file_bodies.FileIn",
            "annotation.file_bodies.NewRubricIn",  # of GradesIn
            "annotation.rubrics.WordingIn",
            "annotation.rubrics.NextVersionIn",  # NewRubricIn without a key
            "annotation.settings._Based",
            "annotation.taxonomy.DifficultiesIn",
            "annotation.taxonomy.NodeIn",
            "annotation.taxonomy.SaidIn",
            "annotation.training.NewExampleIn",  # ExampleIn and where it belongs
            "scoring.evaluation_tasks.RangeIn",
            "scoring.evaluation_tasks.TaskIn",  # a name and ContentIn
            "scoring.publishing.RubricIn",
        ),
        PART,
    ),
    **dict.fromkeys(
        (
            "annotation.inspection_rules.ChecklistIn",
            "annotation.inspection_rules.LineIn",
            "annotation.inspections.CheckedIn",
            "annotation.inspections.DecisionIn",
            "annotation.plan.CellIn",
            "annotation.plan.PlanIn",
            "annotation.questions.CitedIn",
            "annotation.questions.CommentIn",
            "annotation.questions.TurnIn",
            "annotation.round_drafts.RoundRubricIn",
            "annotation.round_work.IdentityIn",
            "annotation.training.ReferenceIn",
            "annotation.training.ReferencesIn",
            "annotation.workload.LeaveIn",
            "scoring.movement_pairs.TagIn",
            "scoring.run_deeds.RunIn",  # JudgingIn, by the number of a round
        ),
        OWN_FIELDS,
    ),
}
