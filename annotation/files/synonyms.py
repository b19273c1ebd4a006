"""How columns are called in the files of others, the likeliest name first.

* Words that stand for numbers: yes and no, the letters of Inspect, and the steps of usual scales.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Final

from annotation.files.columns import QUESTIONS, SCORES, Target

NAMES: Final = {
    # What only numbers the rows, as "id" may, stands behind what names the question.
    Target.EXTERNAL_ID: "external_id question_id qid item_id item prompt_id id uuid doc doc_id "
    "example_id instance_id task_id key "
    "case_id custom_id trace_id traceid segment seg seg_id question_no question_number frage_nr fragenummer nr "
    "id_of_the_question 编号 题号 序号 番号 번호 문항번호 المعرف الرقم מזהה номер número numéro n° № no # number",
    Target.QUESTION: "question query prompt input instruction user_input user_query user_prompt problem "
    "source article document q "
    "frage fragen pergunta pregunta domanda вопрос "
    "questions prompts origin_prompt question_text input_text "
    "user_message vraag pytanie soru सवाल प्रश्न السؤال سؤال שאלה 質問 質問文 設問 질문 문제 문항 "
    "question.stem ctx inputs 问题 题目 提问",
    Target.MESSAGES: "messages conversations conversation dialogue chat 对话",
    Target.STANDARD_ANSWER: "standard_answer answer reference reference_answer musterantwort referenzantwort "
    "gold gold_answer golden_answer expected expected_answer expected_output expected_response ideal "
    "ideal_answer best_answer correct_answer ground_truth target targets label "
    "标准答案 参考答案 答案 正解 模範解答 정답",
    Target.KEY_POINTS: "key_points keypoints points 要点 得分点",
    Target.CAPABILITY: "capability dimension ability skill 能力 能力维度 维度",
    Target.DIFFICULTY: "difficulty level schwierigkeit schwierigkeitsgrad dificultad difficulté difficoltà "
    "dificuldade сложность 難易度 난이도 难度",
    Target.DOMAIN: "domain subject_area subject topic category area "
    "thema themengebiet bereich kategorie tema categoría thème catégorie argomento categoria тема категория "
    "분야 분류 カテゴリ 分野 领域 学科",
    Target.TYPE: "type question_type type_of_question 类型 题型",
    Target.AS_OF: "as_of as_of_date asof date valid_at 截至 日期",
    Target.LANGUAGE: "language lang locale sprache idioma langue lingua язык 言語 언어 语言",
    Target.GROUP: "group cluster question_group group_of_questions 组 分组",
    Target.FINGERPRINT: "fingerprint fingerprint_of_the_question prompt_sha",
    Target.REFERENCES: "references reference_texts reference_answers reference_summaries "
    "reference_texts_several_for_metrics refs 参考文本 多个参考答案",
    Target.QUESTION_DETAILS: "sources source_url citation citations explanation notes "
    "keep_with_the_question 来源 解析",
    Target.SYSTEM: "system model system_name model_name model_id system_id generator engine "
    "provider candidate assistant bot bot_name chatbot agent_name app_name app_id application "
    "modell modello modelo modèle sistema système systeem модель система النموذج النظام מודל מערכת "
    "モデル モデル名 システム 모델 모델명 시스템 系统 模型 模型名称",
    Target.RELEASE: "release version model_version release_of_the_system 版本",
    Target.RESPONSE: "response output completion prediction predicted_text generated generation model_answer "
    "antwort respuesta réponse risposta resposta antwoord odpowiedź yanıt cevap ответ उत्तर الإجابة إجابة תשובה "
    "actual_output system_output agent_answer agent_response assistant_response ai_response bot_response "
    "chatbot_response llm_response llm_output model_response model_output outputs output_text "
    "回答 回答文 応答 出力 답변 응답 回复 输出 答复 模型回答",
    Target.SAMPLE_NO: "sample_no sample sample_id number_of_the_sample repeat attempt 样本 "
    "run trial iteration epoch",
    Target.RESPONSE_DETAILS: "latency latency_ms tokens usage finish_reason temperature scripted "
    "reasoning reasoning_content thinking thought thoughts chain_of_thought cot keep_with_the_answer",
}
#: Of marks a run or an epoch may be one of the judge, and says nothing of the answer.
_SAMPLES: Final = NAMES[Target.SAMPLE_NO].partition(" run ")[0]
#: Beside a column of systems, an answer is what the system said.
LONG_NAMES: Final = {
    Target.RESPONSE: NAMES[Target.RESPONSE] + " answer answers 答案 text content"
} | {target: names for target, names in NAMES.items() if target != Target.RESPONSE}
GRADE_NAMES: Final = {
    Target.ITEM: f"{NAMES[Target.EXTERNAL_ID]} {NAMES[Target.QUESTION]}",
    Target.SYSTEM: NAMES[Target.SYSTEM],
    Target.RELEASE: NAMES[Target.RELEASE],
    Target.SAMPLE_NO: _SAMPLES,
    Target.CRITERION: "criterion dimension aspect metric criteria kriterium aspekt critère "
    "criterio critério kryterium критерий المعيار 観点 評価項目 기준 평가항목 标准 维度 指标",
    Target.RATER: "rater annotator annotator_id evaluator grader judge worker worker_id user username reviewer "
    "rater_name annotator_name evaluator_name grader_name reviewer_name "
    "coder participant rater_id evaluator_id grader_id reviewer_id user_id coder_id participant_id "
    "your_name bewerter bewertet_von name_des_bewerters prüfer prüferin gutachter gutachterin email_address email "
    "evaluador évaluateur "
    "evaluatore valutatore avaliador beoordelaar оценщик эксперт المقيم מדרג 評価者 採点者 평가자 "
    "评分人 评分者 标注员 标注者 评审 评委",
    Target.VALUE: "value grade score rating mark points verdict judgement judgment label winner note bewertung "
    "punkte nota voto puntuación calificación puntos ocena puan оценка الدرجة التقييم ציון 評価 点数 スコア 점수 평점 "
    "分数 得分 评分 打分",
    Target.AT: "at date time date_and_time timestamp graded_at created_at datum zeitpunkt zeitstempel "
    "fecha data дата التاريخ 日時 日付 날짜 时间 日期",
    Target.COMMENT: "comment comments remark notes reason kommentar commentaire comentario comentário commento "
    "комментарий コメント 의견 备注 评语",
}
QUESTION_NAMES: Final[dict[Target, str]] = {
    **{
        target: NAMES[target]
        for target in QUESTIONS
        if target in NAMES and target not in {Target.STANDARD_ANSWER, Target.AS_OF}
    },
    Target.STANDARD_ANSWER: "standard_answer answer reference reference_answer gold gold_answer "
    "expected expected_answer ideal best_answer correct_answer ground_truth "
    + NAMES[Target.RESPONSE]
    + " 标准答案 参考答案 答案 正解 模範解答 정답",
    Target.AS_OF: "as_of as_of_date asof valid_at date 截至 截至日期 日期",
    Target.VALID_UNTIL: "valid_until valid_until_date valid_to expires expires_on expiry 有效期至 有效期 失效日期",
    Target.TAGS: "tags tag keywords schlagworte stichworte etiquetas mots_clés теги 标签 关键词",
    Target.SOURCES: "sources source citations citation quelle quellen fuente fuentes fonte fonti источник "
    "来源 出处 引用",
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
SCORE_NAMES: Final = {
    **{one: GRADE_NAMES[one] for one in SCORES if one in GRADE_NAMES},
    Target.CRITERION: "criterion dimension aspect criteria 标准 维度",
    Target.RATER: "rater judge_or_metric judge judge_name judge_model metric metric_name evaluator grader scorer "
    "annotator 评委 指标",
    Target.VALUE: "value score rating mark grade metric_value judgment judgement verdict 分数 得分 评分",
    Target.OUTCOME: "outcome outcome_scored_refused_error_skipped status state",
    Target.REASON: "reason reason_of_a_failure error error_message why",
    Target.TEXT: "text explanation rationale reasoning feedback critique comment comments output raw reply "
    "justification judgment judgement 解释 理由",
    Target.SAMPLE_NO: f"{_SAMPLES} turn turn_no reading",
}
CHOICE_NAMES: Final = {
    Target.EXTERNAL_ID: NAMES[Target.EXTERNAL_ID] + " ind",
    Target.QUESTION: NAMES[Target.QUESTION] + " stem",
    Target.RIGHT: "answer correct correct_answer right right_answer correct_option right_option "
    "right_option_letter_or_text answer_key answerkey gold label target 正确答案 标准答案 答案",
    Target.SUBJECT: "subject subject_area category topic domain area 学科 科目",
    Target.EXPLANATION: "explanation explanation_of_the_answer rationale reason why 解析 解释",
    Target.QUESTION_DETAILS: "keep_with_the_question",
}
FIGURE_NAMES: Final = {
    Target.SYSTEM: NAMES[Target.SYSTEM] + " candidate",
    Target.RELEASE: NAMES[Target.RELEASE],
    Target.DATASET: "dataset data_set set task subset split 数据集",
    Target.FIGURE: "figure figure_what_was_measured benchmark metric measure name 指标 基准",
    Target.VALUE: GRADE_NAMES[Target.VALUE] + " result",
}


def _sided(stems: str, *, first: bool) -> str:
    """Return the names of the columns of one side: "model_a", "a_model", "model_1", "left_model"."""
    signs = ("a", "1", "left") if first else ("b", "2", "right")
    return " ".join(
        form.format(stem, sign)
        for stem in stems.split()
        for sign in signs
        for form in ("{}_{}", "{1}_{0}", "{}{}")
    )


#: What stands before the sign of a side: names of systems, and texts.
SIDED_SYSTEMS: Final = "system model generator assistant"
SIDED_ANSWERS: Final = "answer response output completion conversation text"
PAIR_NAMES: Final = {
    Target.SYSTEM_A: _sided(SIDED_SYSTEMS, first=True) + " chosen_model",
    Target.SYSTEM_B: _sided(SIDED_SYSTEMS, first=False) + " rejected_model",
    Target.RELEASE_A: _sided("release version", first=True),
    Target.RELEASE_B: _sided("release version", first=False),
    Target.SAMPLE_A: _sided("sample sample_no", first=True),
    Target.SAMPLE_B: _sided("sample sample_no", first=False),
    Target.ANSWER_A: _sided(SIDED_ANSWERS, first=True),
    Target.ANSWER_B: _sided(SIDED_ANSWERS, first=False),
    Target.CHOICE: "choice winner preference preferred better vote verdict decision label chosen",
    Target.EXTERNAL_ID: NAMES[Target.EXTERNAL_ID],
    Target.QUESTION: NAMES[Target.QUESTION],
    Target.MESSAGES: NAMES[Target.MESSAGES],
    Target.STANDARD_ANSWER: "standard_answer reference reference_answer gold ground_truth",
    Target.RATER: GRADE_NAMES[Target.RATER],
    Target.CRITERION: GRADE_NAMES[Target.CRITERION],
    Target.AT: GRADE_NAMES[Target.AT] + " tstamp",
    Target.COMMENT: GRADE_NAMES[Target.COMMENT],
}

#: Heads of tables, as people write them.
HEADS: Final = frozenset(
    name.replace("_", " ")
    for names in (NAMES, GRADE_NAMES)
    for some in names.values()
    for name in some.split()
)

_QUALITY: Final = """
accuracy accurate adequacy clarity clear coherence coherent coh completeness complete con conciseness
consistency correctness correct creativity depth detail diversity empathy engagingness faithfulness
factuality fact flu fluency fluent grammar groundedness harmlessness helpfulness helpful honesty
informativeness interestingness logic naturalness novelty overall politeness precision quality
readability rel relevance relevant safety safe simplicity style tone truthfulness understandability
understandable usefulness useful faithful korrekt korrektheit klarheit verständlichkeit vollständigkeit
relevanz hilfreich exactitude pertinence clarté fluidité corrección claridad fluidez relevancia
正确 正确性 准确 有用性 准确性 流畅性 相关性 一致性 完整性 质量
"""
#: Words of quality that people grade by, and their usual short forms.
CRITERIA: Final = frozenset(_QUALITY.split())
_NOTED: Final = """
ms sec secs seconds time times timestamp tstamp latency duration lead tokens token count counts length
chars words n num no nr number index idx row line created updated date hash seed temperature finish
reason rationale explanation justification metadata meta tags kind
usage url link price cost usd eur ip browser status error split unnamed fingerprint checksum sha version
"""
#: Last parts of names of what is measured or noted beside an answer: no answer, no grade.
DETAILS: Final = frozenset(_NOTED.split())
_OF_REFERENCES: Final = """
correct incorrect right wrong best true false gold golden reference expected ideal accepted acceptable possible
alternative output outputs response responses prediction predictions
target prompt prompts message messages instruction instructions text type size family provider
"""
#: What stands before "answer" or behind "system" where it is nobody's name.
OF_REFERENCES: Final = frozenset(_OF_REFERENCES.split())
_SUMMED: Final = """
mean avg average median std sd stdev stddev var variance total sum min max durchschnitt mittelwert summe
gesamt moyenne media promedio 平均 平均分 总分 合计
"""
#: Parts of names of what was computed of other columns.
SUMS: Final = frozenset(_SUMMED.split())
#: Last parts of names of what counts or dates rows of scores: no figure of a metric.
COUNTS: Final = frozenset(
    ("id", "no", "nr", "row", "line", "idx", "index", "number", "timestamp", "tstamp")
)
#: What says in words that something holds, and that it does not; asked about, unless numbers stand beside.
_HOLDS: Final = """
yes y ja j oui sí sim si да da tak evet 是 对 正确 はい 예 네 نعم כן pass passed correct right richtig korrekt
👍 ✓ ✔ ✔️ ✅ ☑ ☑️
"""
_HOLDS_NOT: Final = """
no n nein non não nao нет nie hayır 否 错 错误 不正确 いいえ 아니오 아니요 لا לא fail failed incorrect wrong falsch
👎 ✗ ✘ ❌ ✖ ✖️ ☒ ✕
"""
TRUTHS: Final = {word: Decimal(1) for word in _HOLDS.split()} | dict.fromkeys(
    _HOLDS_NOT.split(), Decimal(0)
)
#: Correct, partly, incorrect and no answer, as Inspect writes them.
LETTERS: Final = {"C": Decimal(1), "I": Decimal(0), "P": Decimal("0.5"), "N": Decimal(0)}
_GRADES: Final = "sehr gut, gut, befriedigend, ausreichend, mangelhaft, ungenügend"
#: The steps of scales from 1 on; a stroke stands between words for the same step.
_STEPS: Final = {
    "agreement": "strongly disagree/totally disagree, disagree, neutral/neither agree nor disagree/undecided, "
    "agree, strongly agree/totally agree",
    "agreement_somewhat": "strongly disagree, somewhat disagree, neutral/neither agree nor disagree, somewhat agree, "
    "strongly agree",
    "agreement_7": "strongly disagree/totally disagree, disagree, somewhat disagree/slightly disagree, "
    "neutral/neither agree nor disagree/undecided, somewhat agree/slightly agree, agree, "
    "strongly agree/totally agree",
    "quality": "very poor/very bad/terrible, poor/bad, fair/average/acceptable/ok/okay/neutral, good, "
    "very good/excellent",
    "excellence": "poor, fair, good, very good, excellent",
    "satisfaction": "very dissatisfied, dissatisfied, neutral, satisfied, very satisfied",
    "degree": "not at all, slightly/a little, moderately/somewhat, very/mostly, extremely/completely",
    "frequency": "never, rarely/seldom, sometimes, often, always",
    "height": "low, medium/moderate, high",
    "signs_2": "-/–/—, +",
    "signs_3": "-/–/—, ±/+-, +",
    "signs_5": "--/––, -/–/—, ±/+-, +, ++",
    "記号": "×, △, ○/〇/◯, ◎",
    "correctness": "no/wrong/incorrect, partially/partly/partial/partially correct/partly correct, yes/right/correct",
    "accord": "pas du tout d'accord, pas d'accord/plutôt pas d'accord, neutre/ni d'accord ni pas d'accord, "
    "d'accord/plutôt d'accord, tout à fait d'accord",
    "acuerdo": "totalmente en desacuerdo/muy en desacuerdo, en desacuerdo, neutral/ni de acuerdo ni en desacuerdo, "
    "de acuerdo, totalmente de acuerdo/muy de acuerdo",
    "同意": "非常不同意, 不同意, 中立/一般/不确定, 同意, 非常同意",
    "质量": "很差/非常差, 差/较差, 一般/中等, 好/较好/良好, 很好/非常好/优秀",
    "同意度": "まったくそう思わない/全くそう思わない, そう思わない, どちらともいえない, そう思う, "
    "とてもそう思う/強くそう思う",
    "zustimmung": "stimme überhaupt nicht zu/stimme gar nicht zu, stimme nicht zu/stimme eher nicht zu, "
    "neutral/teils-teils/teils teils, stimme zu/stimme eher zu, stimme voll zu/stimme voll und ganz zu",
    "noten": _GRADES,
    "noten_up": ", ".join(reversed(_GRADES.split(", "))),
}
SCALES: Final[Mapping[str, Mapping[str, Decimal]]] = {
    key: {
        word: Decimal(step)
        for step, words in enumerate(said.split(", "), start=1)
        for word in words.split("/")
    }
    for key, said in _STEPS.items()
}
STEPS: Final = frozenset(word for scale in SCALES.values() for word in scale)


def as_step(written: str) -> str:
    """Return a word as the scales have it."""
    return " ".join(written.split()).casefold().replace("’", "'")


def fitting(written: Iterable[str]) -> tuple[str, ...]:
    """Return the scales that have all of these words."""
    words = {as_step(one) for one in written}
    return tuple(key for key, scale in SCALES.items() if words <= scale.keys())


def narrowest(keys: Sequence[str]) -> list[str]:
    """Return the scales but those that have all the words of another one and more steps."""

    def is_wider(key: str, than: str) -> bool:
        wide, narrow = SCALES[key], SCALES[than]
        return narrow.keys() < wide.keys() and max(narrow.values()) < max(wide.values())

    return [key for key in keys if not any(is_wider(key, one) for one in keys)]


def steps(key: str) -> str:
    """Return the steps of a scale, each with its number."""
    said = (words.partition("/")[0] for words in _STEPS[key].split(", "))
    return " · ".join(f"{word} {step}" for step, word in enumerate(said, start=1))
