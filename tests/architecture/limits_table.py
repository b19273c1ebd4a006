"""The table of tests.architecture.limits: which form takes the same as which body, or why none does."""

from collections.abc import Mapping
from dataclasses import dataclass, field


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


BY_KIND = {"max_tokens": "each kind of judge has its fewest; the operation asks by kind"}
APPLICATION = dict.fromkeys(("url", "model_name"), "an application has its request instead")
HIDDEN = "a hidden field, which the page always sends"

TWINS = {
    "annotation.bankfile.pages.NewExport": Twin("annotation.bankfile.api.BankFileIn"),
    "annotation.bankfile.pages.HandIn": Twin("annotation.bankfile.api.BankFileIn"),
    "annotation.bankfile.pages.Confirm": Twin("annotation.bankfile.api.ConfirmIn"),
    "annotation.bank.list_forms.SaveForm": Twin(
        "annotation.bank.api.SavedFilterIn", renamed={"shared": "is_shared"}
    ),
    "annotation.bank.list_forms.BulkForm": Twin(
        "annotation.bank.api.BulkEditIn",
        renamed={"capability": "capability_id", "domain": "domain_id"},
        only_here=("no_end", "meaning"),
    ),
    "annotation.inspection.forms.LimitForm": Twin("annotation.inspection.api.LimitIn"),
    "annotation.inspection.forms.SettleForm": Twin("annotation.inspection.api.SettledIn"),
    "annotation.people.forms.AddMember": Twin("annotation.people.records.MemberIn"),
    "annotation.people.forms.RolesForm": Twin("annotation.people.records.RolesIn"),
    "annotation.rubrics.forms.CopyRubric": Twin("annotation.rubrics.api.RubricsCopyIn"),
    "annotation.home.settings.RetentionForm": Twin(
        "annotation.home.api.RetentionIn", differs={"base": HIDDEN}
    ),
    "scoring.kinds.assistants.pages.ServedModelForm": Twin(
        "scoring.kinds.assistants.api.AssistantsAssistantIn"
    ),
    "scoring.kinds.assistants.pages.SimilarityForm": Twin(
        "scoring.kinds.assistants.api.AssistantsAssistantIn"
    ),
    "scoring.kinds.assistants.pages.LikelihoodForm": Twin(
        "scoring.kinds.assistants.api.AssistantsAssistantIn"
    ),
    "scoring.kinds.assistants.pages.EntailmentForm": Twin(
        "scoring.kinds.assistants.api.AssistantsAssistantIn"
    ),
    "scoring.endpoints.forms.ConnectionForm": Twin(
        "scoring.endpoints.api.ConnectionIn",
        only_here=("system_prompt", "temperature", "top_p", "max_tokens", "seed", "stop", "effort"),
    ),
    "scoring.kinds.suites.conversations.pages.ConversationsForm": Twin(
        "scoring.kinds.suites.api.ConversationsIn",
        renamed={"set_name": "set"},
        only_here=("file",),
    ),
    "scoring.kinds.interviews.forms.DialogueImportForm": Twin(
        "scoring.kinds.interviews.api.DialoguesIn", renamed={"new_system": "system"}
    ),
    "scoring.kinds.drafting.pages.PassageForm": Twin(
        "scoring.kinds.drafting.api.AskIn", only_here=("first", "last")
    ),
    "scoring.kinds.drafting.pages.HelpForm": Twin("scoring.kinds.drafting.api.AskIn"),
    "scoring.endpoints.forms.ApplicationFields": Twin(
        "scoring.endpoints.records.Request",
        only_here=("headers",),  # a table, by name
    ),
    "scoring.endpoints.forms.KeyForm": Twin("scoring.endpoints.records.KeyIn"),
    "scoring.kinds.fusion.forms.TaskHeadForm": Twin(
        "scoring.kinds.fusion.api.ContentIn",
        only_here=("name", "overall_minimum", "overall_maximum"),
    ),
    "scoring.kinds.fusion.forms.FieldForm": Twin("scoring.kinds.fusion.api.FieldIn"),
    "scoring.kinds.fusion.forms.TaskCriterionForm": Twin("scoring.kinds.fusion.api.CriterionIn"),
    "scoring.kinds.fusion.forms.TaskAssistantForm": Twin(
        "scoring.kinds.fusion.api.EvaluationTasksAssistantIn"
    ),
    "scoring.kinds.fusion.forms.PlanForm": Twin("scoring.kinds.fusion.api.EvaluationTasksPlanIn"),
    "scoring.home.rules.DisputesForm": Twin(
        "scoring.home.rules.DisputeRulesIn", differs={"base": HIDDEN}
    ),
    "scoring.review.pages.DecisionForm": Twin(
        "scoring.review.api.ReviewDecisionIn",
        renamed={"letter": "response"},
        differs={"key": HIDDEN},
    ),
    "scoring.review.pages.ReviewSettingForm": Twin("scoring.home.rules.ReviewRulesIn"),
    "scoring.kinds.suites.pages.SuiteForm": Twin("scoring.kinds.suites.api.SuiteIn"),
    "scoring.kinds.suites.pages.NewSuiteForm": Twin(
        "scoring.kinds.suites.api.SuiteIn",
        only_here=("file", "rubrics"),
    ),
}

COLUMN = "one column of a file; programs name them under `columns`"
PERSON = "what people do for themselves: accounts, passwords, tokens"
PART = "a part of other forms or bodies"
ACT = "a button on the page"
OWN_FIELDS = "fields made as the page is, or read by hand; the operation checks them"
#: Forms without a twin: why.
ONLY_ON_PAGES = {
    "annotation.imports.kind_forms.ColumnForm": COLUMN,
    **dict.fromkeys(
        (
            "annotation.people.forms.ChangePassword",
            "annotation.people.forms.OwnDetailsForm",
            "annotation.people.forms.Erase",
            "annotation.people.forms.Forgotten",
            "annotation.people.forms.Join",
            "annotation.people.forms.NewAccount",
            "annotation.people.forms.NewPassword",
            "annotation.people.forms.TwiceTyped",
            "annotation.people.forms.MakeToken",
            "annotation.people.forms.SignInForm",
        ),
        PERSON,
    ),
    **dict.fromkeys(
        (
            "annotation.home.settings.SettingsSection",
            "annotation.imports.forms.WholeForm",
            "scoring.endpoints.forms.KeyFields",  # KeyForm
            "scoring.kinds.judging.pages.JudgeForm",  # name and endpoint; the rest is a record
        ),
        PART,
    ),
    **dict.fromkeys(
        (
            "annotation.imports.collecting.CollectForm",  # what of a list is shown
            "annotation.domains.forms.PlanViewForm",
            "annotation.rounds.forms.PaceForm",
            "annotation.training.forms.PoolFilter",
            "scoring.datasets.forms.TrainingDataForm",
        ),
        "what the page shows, in its address",
    ),
    "annotation.rounds.forms.RubricsForm": OWN_FIELDS,  # a list in RoundIn
    "annotation.rounds.forms.Releases": OWN_FIELDS,  # ids in RoundIn
    "annotation.rounds.forms.Annotators": OWN_FIELDS,  # ids in RoundIn
    "annotation.sources.forms.AppointForm": OWN_FIELDS,  # an id in AppointIn
    "annotation.training.forms.TagsForm": "has no body",
    "annotation.imports.forms.NewUpload": "hands a file in, to be mapped next; programs do both at once",
    "annotation.imports.forms.KeepMapping": "keeps a mapping on the page; programs send their own",
    "annotation.imports.collecting.SheetForm": "a file of answers; programs send it as an import",
    "annotation.domains.forms.MoveNodeForm": "moves a branch; programs send its parent with the branch",
    "scoring.kinds.drafting.pages.AllowForm": "who drafts is allowed on the page only",
    "scoring.kinds.suites.builder.SuiteBuilder": "writes the YAML that programs send",
    "scoring.watching.pages.LookForm": "an owner looks into a person's grades on the page only",
}
#: Bodies without a twin: why.
ONLY_BY_PROGRAMS = {
    **dict.fromkeys(
        (
            "annotation.bank.api.BulkActIn",
            "annotation.bank.api.QuestionsActIn",
            "scoring.kinds.drafting.api.TakeIn",
            "scoring.endpoints.api.ScriptIn",
            "scoring.trials.api.TrialsDecisionIn",
        ),
        ACT,
    ),
    **dict.fromkeys(
        (
            "scoring.kinds.fusion.api.RangeIn",
            "scoring.kinds.fusion.api.MoreAssistantsIn",  # a list of AssistantIn
            "scoring.kinds.fusion.api.TaskIn",  # a name and ContentIn
        ),
        PART,
    ),
    **dict.fromkeys(
        ("scoring.movement.api.TagIn",),
        OWN_FIELDS,
    ),
}
