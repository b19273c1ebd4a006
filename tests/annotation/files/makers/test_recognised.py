"""Which of the files at hand is whose, and that no other file is taken for one."""

from annotation.files import makers
from annotation.files.cells import BadFile
from evalsite import env
from tests import cases
from tests.files import looked_at

SHAPES = {
    "alpaca_annotations.json": "alpaca_annotations",
    "alpaca_oak-13b.json": "alpaca_outputs",
    "alpaca_pine-7b.json": "alpaca_outputs",
    "appraise.csv": "appraise_11",
    "argilla.jsonl": "argilla",
    "argilla_old.jsonl": "argilla_records",
    "coder_by_item.json": "alt_test",
    "coder_by_item_1line.json": "alt_test",
    "conv_anthropic.jsonl": "anthropic",
    "conv_batch_out.jsonl": "batch_output",
    "conv_gemini.jsonl": "gemini",
    "conv_langchain.jsonl": "langchain",
    "conv_lmsys.jsonl": "lmsys",
    "conv_openai_ft.jsonl": "openai_chat",
    "conv_reasoning.jsonl": "openai_chat",
    "conv_responses_api.jsonl": "openai_responses",
    "conv_sharegpt.json": "sharegpt",
    "dpo_pairs.jsonl": "dpo",
    "form_name.csv": "google_forms",
    "google_forms.csv": "google_forms",
    "helm_instances.json": "helm_instances",
    "helm_scenario_state.json": "helm_unanswered",
    "inspect_log.json": "inspect",
    "labelstudio.csv": "label_studio_csv",
    "labelstudio.json": "label_studio",
    "labelstudio_min.json": "label_studio_min",
    "langfuse_scores.csv": "langfuse_grades",
    "mtbench_answers.jsonl": "mtbench_answers",
    "mtbench_human.jsonl": "arena",
    "mtbench_questions.jsonl": "mtbench_questions",
    "mtbench_single.jsonl": "mtbench_single",
    "mtbench_single_flat.jsonl": "mtbench_single",
    "pandalm.json": "pandalm",
    "promptfoo_ok.csv": "promptfoo_csv",
    "promptfoo_out.json": "promptfoo",
    "qualtrics.csv": "qualtrics",
    "ragas.csv": "ragas",
    "samples_gsm_2024.jsonl": "lm_eval",
    "summeval.jsonl": "summeval",
    "wmt.seg.score": "wmt_metric",
    "wmt_seg_score.tsv": "wmt_metric",
}
#: The modules of makers; MMLU has tables without names.
MODULES = {
    "alpaca",
    "argilla",
    "conversations",
    "helm",
    "inspect_logs",
    "label_studio",
    "lm_eval",
    "mtbench",
    "ours",
    "pairs",
    "promptfoo",
    "promptfoo_tables",
    "evaluators",
    "studies",
    "surveys",
    "tracing",
    "translation",
}


def shape_of(path):
    try:
        return looked_at(path)[0].shape
    except BadFile:
        return ""


def known(names):
    return {
        shape.key for shape in makers.known() if shape.fits.__module__.rpartition(".")[2] in names
    }


def test_files_are_told_by_their_makers_and_no_other_is_taken_for_one():
    examples = env.BASE_DIR / "fixtures" / "examples"
    found = {
        path.name: shape
        for folder in (cases.folder(), examples)
        for path in sorted(folder.iterdir())
        if (shape := shape_of(path)) in known(MODULES)
    }

    assert found == SHAPES


def test_every_shape_has_a_key_of_its_own():
    keys = [shape.key for shape in makers.known()]

    assert len(keys) == len(set(keys))
