"""Where a column may go, and where it probably belongs, from its name."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotation.files.look.layouts import Column


class Target(StrEnum):
    """What a column holds."""

    IGNORE = "ignore"
    EXTERNAL_ID = "external_id"
    QUESTION = "question"
    MESSAGES = "messages"
    STANDARD_ANSWER = "standard_answer"
    KEY_POINTS = "key_points"
    CAPABILITY = "capability"
    DIFFICULTY = "difficulty"
    DOMAIN = "domain"
    TYPE = "type"
    AS_OF = "as_of"
    LANGUAGE = "language"
    GROUP = "group"
    FINGERPRINT = "fingerprint"  # of the wording that was answered
    REFERENCES = "references"  # several texts that an answer may resemble
    QUESTION_DETAILS = "question_details"
    SYSTEM = "system"
    RELEASE = "release"
    RESPONSE = "response"
    SAMPLE_NO = "sample_no"
    RESPONSE_DETAILS = "response_details"
    ANSWER = "answer"  # the answers of one system, in a column of their own
    ITEM = "item"
    CRITERION = "criterion"
    RATER = "rater"
    VALUE = "value"
    AT = "at"
    COMMENT = "comment"
    GRADE = "grade"  # the grades of one rater on one criterion, in a column of their own
    PRINCIPLE = "principle"
    VALID_UNTIL = "valid_until"
    TAGS = "tags"
    SOURCES = "sources"
    SOURCE_TITLE = "source_title"
    SOURCE_ADDRESS = "source_address"
    SOURCE_PLACE = "source_place"
    NOTE = "note"
    OUTCOME = "outcome"
    REASON = "reason"
    TEXT = "text"
    SCORE = "score"  # the scores of one judge or metric, in a column of their own
    OPTION = "option"  # the text of one option, in a column of its own
    RIGHT = "right"  # which option is the right one
    SUBJECT = "subject"
    EXPLANATION = "explanation"
    DATASET = "dataset"
    FIGURE = "figure"  # what was measured elsewhere, such as a benchmark's score


ANSWERS = tuple(Target)[: tuple(Target).index(Target.ITEM)]
GRADES = (
    Target.IGNORE,
    Target.ITEM,
    Target.SYSTEM,
    Target.RELEASE,
    Target.SAMPLE_NO,
    *tuple(Target)[tuple(Target).index(Target.CRITERION) : tuple(Target).index(Target.PRINCIPLE)],
)
#: What a file of questions for the bank may hold, in the order in which it is offered.
QUESTIONS = (
    *tuple(Target)[: tuple(Target).index(Target.AS_OF) + 1],
    Target.VALID_UNTIL,
    Target.TAGS,
    Target.LANGUAGE,
    *tuple(Target)[tuple(Target).index(Target.SOURCES) : tuple(Target).index(Target.NOTE)],
    Target.PRINCIPLE,
    Target.NOTE,
)
#: What a file of scores of judges and metrics may hold.
SCORES = (
    Target.IGNORE,
    Target.ITEM,
    Target.SYSTEM,
    Target.RELEASE,
    Target.SAMPLE_NO,
    Target.RATER,
    Target.CRITERION,
    Target.VALUE,
    Target.OUTCOME,
    Target.REASON,
    Target.TEXT,
    Target.AT,
    Target.SCORE,
)
#: What a table of questions of multiple choice may hold.
CHOICES = (
    Target.IGNORE,
    Target.EXTERNAL_ID,
    Target.QUESTION,
    Target.OPTION,
    Target.RIGHT,
    Target.SUBJECT,
    Target.EXPLANATION,
    Target.QUESTION_DETAILS,
)
#: What a table of figures of other benchmarks may hold.
FIGURES = (
    Target.IGNORE,
    Target.SYSTEM,
    Target.RELEASE,
    Target.DATASET,
    Target.FIGURE,
    Target.VALUE,
)
#: Targets that several columns may have.
REPEATABLE = frozenset(
    {
        Target.IGNORE,
        Target.ANSWER,
        Target.GRADE,
        Target.SCORE,
        Target.OPTION,
        Target.QUESTION_DETAILS,
        Target.RESPONSE_DETAILS,
    }
)


@dataclass(frozen=True, slots=True)
class Guess:
    """A suggestion; an empty target means that a person has to choose.

    One that is not `sure` is only offered to somebody who looks at it.
    """

    target: str = ""
    system: str = ""
    rater: str = ""
    criterion: str = ""
    sure: bool = True


LONG = 40  # signs; texts beyond this in a column without a known name may be answers

_NAMES = {
    Target.EXTERNAL_ID: "id external_id question_id qid item item_id uuid doc doc_id "
    "id_of_the_question 编号 题号 序号",
    Target.QUESTION: "question query prompt input instruction problem source article document "
    "question.stem ctx 问题 题目 提问",
    Target.MESSAGES: "messages conversations conversation dialogue chat 对话",
    Target.STANDARD_ANSWER: "standard_answer answer reference reference_answer "
    "gold gold_answer expected expected_answer ground_truth target label 标准答案 参考答案 答案",
    Target.KEY_POINTS: "key_points keypoints points 要点 得分点",
    Target.CAPABILITY: "capability dimension ability skill 能力 能力维度 维度",
    Target.DIFFICULTY: "difficulty level 难度",
    Target.DOMAIN: "domain subject_area subject topic category area 领域 学科",
    Target.TYPE: "type question_type type_of_question 类型 题型",
    Target.AS_OF: "as_of as_of_date asof date valid_at 截至 日期",
    Target.LANGUAGE: "language lang locale 语言",
    Target.GROUP: "group cluster question_group group_of_questions 组 分组",
    Target.FINGERPRINT: "fingerprint fingerprint_of_the_question prompt_sha",
    Target.REFERENCES: "references reference_texts reference_answers reference_summaries "
    "reference_texts_several_for_metrics refs 参考文本 多个参考答案",
    Target.QUESTION_DETAILS: "sources source_url citation citations explanation notes "
    "keep_with_the_question 来源 解析",
    Target.SYSTEM: "system model system_name model_name assistant 系统 模型 模型名称",
    Target.RELEASE: "release version model_version release_of_the_system 版本",
    Target.RESPONSE: "response output completion prediction generated model_answer "
    "model_response model_output 回答 回复 输出",
    Target.SAMPLE_NO: "sample_no sample sample_id number_of_the_sample repeat attempt 样本",
    Target.RESPONSE_DETAILS: "latency latency_ms tokens usage finish_reason temperature scripted "
    "keep_with_the_answer",
}
#: Beside a column of systems, an answer is what the system said.
_LONG_NAMES = {Target.RESPONSE: _NAMES[Target.RESPONSE] + " answer answers 答案"} | {
    target: names for target, names in _NAMES.items() if target != Target.RESPONSE
}
_GRADE_NAMES = {
    Target.ITEM: _NAMES[Target.EXTERNAL_ID] + " question",
    Target.SYSTEM: _NAMES[Target.SYSTEM],
    Target.RELEASE: _NAMES[Target.RELEASE],
    Target.SAMPLE_NO: _NAMES[Target.SAMPLE_NO],
    Target.CRITERION: "criterion dimension aspect metric criteria 标准 维度 指标",
    Target.RATER: "rater annotator annotator_id evaluator grader judge worker user "
    "评分人 标注员 评委",
    Target.VALUE: "value grade score rating mark points verdict winner 分数 得分 评分",
    Target.AT: "at date time date_and_time timestamp graded_at created_at 时间 日期",
    Target.COMMENT: "comment comments remark note notes reason 备注 评语",
}
_QUESTION_NAMES: dict[Target, str] = {
    **{
        target: _NAMES[target]
        for target in QUESTIONS
        if target in _NAMES and target not in {Target.STANDARD_ANSWER, Target.AS_OF}
    },
    Target.STANDARD_ANSWER: "standard_answer answer reference reference_answer gold gold_answer "
    "expected expected_answer ground_truth response 标准答案 参考答案 答案 回答",
    Target.AS_OF: "as_of as_of_date asof valid_at date 截至 截至日期 日期",
    Target.VALID_UNTIL: "valid_until valid_until_date valid_to expires expires_on expiry 有效期至 有效期 失效日期",
    Target.TAGS: "tags tag keywords 标签 关键词",
    Target.SOURCES: "sources source citations citation 来源 出处 引用",
    Target.SOURCE_TITLE: "source_title source_name title_of_the_source document 来源标题 来源名称 文献",
    Target.SOURCE_ADDRESS: "source_url source_address address_of_the_source source_link url link "
    "来源链接 来源网址 链接 网址",
    Target.SOURCE_PLACE: "locator source_place place_in_the_source source_locator source_page page "
    "place 页码 章节 位置",
    Target.PRINCIPLE: "principle grading_principle principle_of_this_question 评分原则 原则",
    Target.NOTE: "note notes note_becomes_a_comment comment comments remark remarks explanation "
    "备注 说明 解析",
    # What the bank's own files say of a question's standing: the bank decides that anew.
    Target.IGNORE: "version state life author saved_at",
}
_SCORE_NAMES = {
    **{one: _GRADE_NAMES[one] for one in SCORES if one in _GRADE_NAMES},
    Target.CRITERION: "criterion dimension aspect criteria 标准 维度",
    Target.RATER: "rater judge_or_metric judge metric evaluator grader scorer annotator 评委 指标",
    Target.VALUE: "value score rating mark grade judgment judgement verdict 分数 得分 评分",
    Target.OUTCOME: "outcome outcome_scored_refused_error_skipped status state",
    Target.REASON: "reason reason_of_a_failure error error_message why",
    Target.TEXT: "text explanation rationale comment comments output raw reply justification 解释 理由",
}
_CHOICE_NAMES = {
    Target.EXTERNAL_ID: _NAMES[Target.EXTERNAL_ID] + " ind",
    Target.QUESTION: _NAMES[Target.QUESTION] + " stem",
    Target.RIGHT: "answer correct correct_answer right right_answer correct_option right_option "
    "right_option_letter_or_text answer_key answerkey gold label target 正确答案 标准答案 答案",
    Target.SUBJECT: "subject subject_area category topic domain area 学科 科目",
    Target.EXPLANATION: "explanation explanation_of_the_answer rationale reason why 解析 解释",
    Target.QUESTION_DETAILS: "keep_with_the_question",
}
_FIGURE_NAMES = {
    Target.SYSTEM: _NAMES[Target.SYSTEM] + " candidate",
    Target.RELEASE: _NAMES[Target.RELEASE],
    Target.DATASET: "dataset data_set set task subset split 数据集",
    Target.FIGURE: "figure figure_what_was_measured benchmark metric measure name 指标 基准",
    Target.VALUE: _GRADE_NAMES[Target.VALUE] + " result",
}
_OPTION_NAME = re.compile(
    r"[A-H]|(?:option|choice|distractor|ending|选项)[._ -]?(?:[A-Ha-h]|\d{1,2})", re.IGNORECASE
)
#: Endings of columns that name a criterion: judge_coherence is the judge's score on coherence.
_CRITERIA = (
    "accuracy coherence coh completeness con consistency correctness depth engagingness "
    "factuality faithfulness flu fluency groundedness harmlessness helpfulness honesty "
    "informativeness logic naturalness overall quality rel relevance safety "
    "truthfulness understandability usefulness"
)
_ANSWER_NAME = re.compile(
    r"(?:answers?|responses?|outputs?|completions?|predictions?|summar(?:y|ies)|systems?|models?)"
    r"[._: /-]+(?P<system>.+)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_CELL_NAME = re.compile(r"(?P<rater>[^_./: ]+)[_./: ](?P<criterion>.+)")


def suggest_answers(columns: Sequence[Column]) -> list[Guess]:
    """Return a suggestion for each column of a file of questions and answers."""
    guesses = _by_name(columns, _NAMES)
    found = {guess.target for guess in guesses}
    wide = any(
        not guess.target and _ANSWER_NAME.fullmatch(column.name)
        for guess, column in zip(guesses, columns, strict=True)
    )
    if Target.SYSTEM in found and Target.RESPONSE not in found and not wide:
        guesses = _by_name(columns, _LONG_NAMES)
    long_table = any(guess.target == Target.RESPONSE for guess in guesses)
    for place, column in enumerate(columns):
        if guesses[place].target or long_table or not column.is_text:
            continue
        match = _ANSWER_NAME.fullmatch(column.name)
        if match:
            guesses[place] = Guess(Target.ANSWER, system=match["system"].strip())
        elif any(len(sample) > LONG for sample in column.samples):
            guesses[place] = Guess(Target.ANSWER, system=column.name, sure=False)
    return guesses


def suggest_questions(columns: Sequence[Column]) -> list[Guess]:
    """Return a suggestion for each column of a file of questions for the bank."""
    return _by_name(columns, _QUESTION_NAMES)


def suggest_grades(columns: Sequence[Column]) -> list[Guess]:
    """Return a suggestion for each column of a table of grades: e0_coh is rater e0 on coh."""
    guesses = _by_name(columns, _GRADE_NAMES)
    long_table = any(guess.target == Target.VALUE for guess in guesses)
    for place, column in enumerate(columns):
        match = _CELL_NAME.fullmatch(column.name)
        if not guesses[place].target and match and not long_table:
            guesses[place] = Guess(
                Target.GRADE, rater=match["rater"], criterion=match["criterion"].strip()
            )
    return guesses


def suggest_scores(columns: Sequence[Column]) -> list[Guess]:
    """Return a suggestion for each column of scores: a column of numbers is a judge or a metric."""
    guesses = _by_name(columns, _SCORE_NAMES)
    if any(guess.target == Target.VALUE for guess in guesses):
        return guesses
    for place, column in enumerate(columns):
        if not guesses[place].target and any(map(_is_number, column.samples)):
            rater, sign, criterion = _split(column.name)
            named = sign and criterion.lower() in _CRITERIA.split()
            guesses[place] = Guess(
                Target.SCORE,
                rater=rater if named else column.name,
                criterion=criterion if named else "",
            )
    return guesses


def suggest_choices(columns: Sequence[Column]) -> list[Guess]:
    """Return a suggestion for each column of a table of questions of multiple choice."""
    guesses = _by_name(columns, _CHOICE_NAMES)
    for place, column in enumerate(columns):
        if not guesses[place].target and _OPTION_NAME.fullmatch(column.name.strip()):
            guesses[place] = Guess(Target.OPTION)
    return guesses


def suggest_figures(columns: Sequence[Column]) -> list[Guess]:
    """Return a suggestion for each column of a table of figures of other benchmarks."""
    return _by_name(columns, _FIGURE_NAMES)


def _split(name: str) -> tuple[str, str, str]:
    """Return a name before and after its last dividing sign."""
    return max((name.rpartition(sign) for sign in "_./: "), key=lambda parts: len(parts[0]))


def _is_number(sample: str) -> bool:
    return _NUMBER.fullmatch(sample.strip()) is not None


def _by_name(columns: Sequence[Column], names: dict[Target, str]) -> list[Guess]:
    """Give each target to the column whose name stands first among its synonyms."""
    plain = [re.sub(r"[\s(),-]+", "_", column.name.lower()).strip("_") for column in columns]
    guesses = [Guess()] * len(columns)
    for target, synonyms in names.items():
        places = [
            plain.index(name)
            for name in synonyms.split()
            if name in plain and not guesses[plain.index(name)].target
        ]
        for place in places if target in REPEATABLE else places[:1]:
            guesses[place] = Guess(target)
    return guesses
