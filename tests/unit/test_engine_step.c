/* Steps by the annotations of engines: real spellings, and what looks like one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/engine_step.h"
#include "trace/fact.h"
#include "trace/step_name.h"

#define NO NUMBER_NONE

static const struct {
	const char *name, *engine;
	enum engine_phase phase;
	int64_t number, requests, tokens, context_tokens;
} known[] = {
	{ "execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)",
	  "vLLM", ENGINE_DECODE, NO, 32, 32, 55086 },
	{ "execute_15360_context_15(sq15360sk15360sqsq15728640sqsk15728640)_generation_0(sq0sk0"
	  "sqsq0sqsk0)",
	  "vLLM", ENGINE_PREFILL, NO, 15, 15360, 15360 },
	{ "execute_6147_context_2(sq6144sk7144sqsq20971520sqsk23019520)_generation_3(sq3sk6144sq"
	  "sq3sqsk6144)",
	  "vLLM", ENGINE_MIXED, NO, 5, 6147, 13288 },
	{ "execute_context_9(8155)_generation_37(37)", "vLLM", ENGINE_MIXED, NO, 46, 8192,
	  NO },
	{ "execute_8192_context_9(8155)_generation_37(37)", "vLLM", ENGINE_MIXED, NO, 46,
	  8192, NO },
	{ "execute_context_0(0)_generation_0(0)", "vLLM", ENGINE_OTHER, NO, 0, 0, 0 },
	{ "execute_new_1_cached_31", "vLLM", ENGINE_MIXED, NO, 32, NO, NO },
	{ "execute_new_0_cached_31", "vLLM", ENGINE_DECODE, NO, 31, NO, NO },
	{ "step[DECODE bs=32]", "SGLang", ENGINE_DECODE, NO, 32, 32, NO },
	{ "step[EXTEND bs=15 toks=15360]", "SGLang", ENGINE_PREFILL, NO, 15, 15360, NO },
	{ "step[MIXED bs=2]", "SGLang", ENGINE_MIXED, NO, 2, NO, NO },
	{ "step[MIXED bs=2 c=1 g=1 c_sq=5 c_sk=8 c_sqsq=25 c_sqsk=40 g_sq=1 g_sk=12 g_sqsq=1 "
	  "g_sqsk=12]",
	  "SGLang", ENGINE_MIXED, NO, 2, 6, 20 },
	{ "step[DECODE bs=64 g_sq=128 g_sqsq=256 g_sqsk=262144 g_sk=131072]", "SGLang",
	  ENGINE_DECODE, NO, 64, 128, 131072 },
	{ "step[EXTEND bs=1 toks=1025 c_sqsq=1050625 c_sqsk=1050625 c_sk=1025]", "SGLang",
	  ENGINE_PREFILL, NO, 1, 1025, 1025 },
	{ "step[TARGET_VERIFY bs=4]", "SGLang", ENGINE_DECODE, NO, 4, NO, NO },
	{ "step[TARGET_VERIFY bs=4 sq=16 sk=4096 sqsq=64 sqsk=16384]", "SGLang",
	  ENGINE_DECODE, NO, 4, 16, 4096 },
	{ "step[DRAFT_LOOP raw_bs=3 bs=4 topk=1]", "SGLang", ENGINE_OTHER, NO, 4, NO,
	  NO },
	{ "scheduler.run_batch", "SGLang", ENGINE_UNTOLD, NO, NO, NO, NO },
	{ "step[DRAFT_EXTEND_V2 bs=4]", "SGLang", ENGINE_OTHER, NO, 4, NO, NO },
	{ "step[IDLE bs=0]", "SGLang", ENGINE_OTHER, NO, 0, NO, NO },
	{ "step[decode bs=3]", "SGLang", ENGINE_DECODE, NO, 3, 3, NO },
	{ "prefill[bs=2 tok=14721 ctx=[7803, 6918]]", "ATOM", ENGINE_PREFILL, NO, 2,
	  14721, NO },
	{ "prefill[bs=6 tok=17408 ctx=[4096, 4096, 4096]...+3 sqsq=9 sqsk=8 sk=17500]",
	  "ATOM", ENGINE_PREFILL, NO, 6, 17408, 17500 },
	{ "decode[bs=117/128 tok=117 d=117]", "ATOM", ENGINE_DECODE, NO, 117, 117, NO },
	{ "decode[bs=32 tok=128 d=32 spec=3 sqsq=512 sqsk=262144 sk=65536]", "ATOM",
	  ENGINE_DECODE, NO, 32, 128, 65536 },
	{ "[Executor] _forward_step 17: 1 ctx reqs, 128 ctx tokens, 31 gen reqs",
	  "TensorRT-LLM", ENGINE_MIXED, 17, 32, 159, NO },
	{ "[Executor] _forward_step 60000: 0 ctx reqs, 32 gen reqs", "TensorRT-LLM",
	  ENGINE_DECODE, 60000, 32, 32, NO },
	{ "[Executor] _forward_step 3: 2 ctx reqs, 0 gen reqs", "TensorRT-LLM",
	  ENGINE_PREFILL, 3, 2, NO, NO },
	{ "[Executor] _forward_step: 2 ctx reqs, 1 gen reqs", "TensorRT-LLM",
	  ENGINE_MIXED, NO, 3, NO, NO },
	{ "execute_diffusion_1_256x256", "xDiT", ENGINE_OTHER, NO, 1, NO, NO },
	{ "[pl][profile]run_training_batch", "Lightning", ENGINE_UNTOLD, NO, NO, NO, NO },
	{ "[pl][profile][Strategy]SingleDeviceStrategy.validation_step", "Lightning",
	  ENGINE_UNTOLD, NO, NO, NO, NO },
	{ "iteration12", "iteration N", ENGINE_UNTOLD, 12, NO, NO, NO },
	{ "Iteration 12", "iteration N", ENGINE_UNTOLD, 12, NO, NO, NO },
	{ "iteration#3", "iteration N", ENGINE_UNTOLD, 3, NO, NO, NO },
	{ "step_4", "step N", ENGINE_UNTOLD, 4, NO, NO, NO },
	{ "iter_4", "iteration N", ENGINE_UNTOLD, 4, NO, NO, NO },
	{ "iter#0", "iteration N", ENGINE_UNTOLD, 0, NO, NO, NO },
	{ "train_step", "step N", ENGINE_UNTOLD, NO, NO, NO, NO },
	{ "Train step 7", "step N", ENGINE_UNTOLD, 7, NO, NO, NO },
	{ "decode_step_12", "decode step N", ENGINE_DECODE, 12, NO, NO, NO },
	{ "decode_step", "decode step N", ENGINE_DECODE, NO, NO, NO, NO },
	{ "prefill", "decode step N", ENGINE_PREFILL, NO, NO, NO, NO },
};

static void each_spelling_says_what_the_step_was_for(void **state)
{
	struct engine_step told;

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (!engine_step_parse(str_of(known[i].name), &told))
			fail_msg("no step: %s", known[i].name);
		if (told.phase != known[i].phase || told.number != known[i].number ||
		    told.requests != known[i].requests ||
		    told.tokens != known[i].tokens ||
		    told.context_tokens != known[i].context_tokens)
			fail_msg("%s: phase %d, %lld requests, %lld tokens, context %lld",
				 known[i].name, (int)told.phase, (long long)told.requests,
				 (long long)told.tokens, (long long)told.context_tokens);
		assert_string_equal(known[i].engine, told.engine);
	}
}

static void sums_are_told_of_prompts_and_of_those_that_generate(void **state)
{
	struct engine_step told;

	(void)state;
	assert_true(engine_step_parse(
		STR_LIT("execute_6147_context_2(sq6144sk7144sqsq20971520sqsk23019520)_"
			"generation_3(sq3sk6144sqsq4sqsk6145)"),
		&told));
	assert_true(told.prompts.n == 2 && told.prompts.q == 6144 &&
		    told.prompts.k == 7144 && told.prompts.qq == 20971520 &&
		    told.prompts.qk == 23019520);
	assert_true(told.decodes.n == 3 && told.decodes.q == 3 &&
		    told.decodes.k == 6144 && told.decodes.qq == 4 &&
		    told.decodes.qk == 6145);
	/* keys without a prefix are of what the phase says */
	assert_true(engine_step_parse(STR_LIT("decode[bs=2 tok=2 sk=9 sqsk=7]"), &told));
	assert_true(told.decodes.k == 9 && told.decodes.qk == 7 && told.prompts.n == 0);
}

static void what_only_looks_like_one_is_none(void **state)
{
	static const char *const names[] = {
		"",
		"s",
		"step",
		"step[",
		"step[]",
		"step[DECODE",
		"step[DECODE bs=]",
		"step[DECODE bs=32",
		"step[DECODE bs=32] more",
		"step[DECODE bs=-1]",
		"step[DECODE]",
		"step[DECODE bs=99999999999999999999999]",
		"step_",
		"step_1_of_3",
		"step12/inner_loop",
		"Optimizer.step",
		"iteration",
		"iteration 99999999999999999999999",
		"iteration twelve",
		"iter",
		"iter4_flash",
		"train",
		"train_step_no_grad_ckpt",
		"decode_batch_4",
		"decoder_layer_3",
		"decode_step_3 of 4",
		"prefill_heavy",
		"execute_",
		"execute_32_context_0(sq0sk0",
		"execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk",
		"execute_context_9(8155)_generation_37(37) ",
		"execute_context_9(99999999999999999999)_generation_37(37)",
		"execute_context_(8155)_generation_37(37)",
		"execute_new_1",
		"execute_model",
		"[Executor] _forward_step",
		"[Executor] _forward_step 17",
		"[pl][profile]run_training_epoch",
		"[pl][profile][Strategy].",
		"decode",
		"decode[",
		"decode[]",
		"decode[bs=]",
		"decode[bs=x tok=3]",
		"prefill[[[[]",
	};
	struct engine_step told;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (engine_step_parse(str_of(names[i]), &told))
			fail_msg("a step: '%s'", names[i]);
	assert_false(engine_step_parse(STR_LIT("step\0"
					       "4"),
				       &told));
}

static void functions_that_run_a_step_are_known_by_their_file(void **state)
{
	static const struct {
		const char *name;
		enum engine_phase phase;
	} steps[] = {
		{ "sglang/srt/model_executor/model_runner.py(1151): forward_extend",
		  ENGINE_PREFILL },
		{ "/sgl-workspace/sglang/python/sglang/srt/model_executor/model_runner.py(9): "
		  "forward_decode",
		  ENGINE_DECODE },
		{ "sglang/srt/model_executor/cuda_graph_runner.py(744): replay",
		  ENGINE_DECODE },
		{ "vllm/v1/worker/gpu_model_runner.py(1504): execute_model",
		  ENGINE_UNTOLD },
	};
	static const char *const others[] = {
		"",
		"(",
		"model_executor/model_runner.py(9): forward_decoder",
		"model_executor/model_runner.py(9):forward_decode",
		"model_executor/model_runner.py(): forward_decode",
		"model_executor/model_runner.py: forward_decode",
		"my_model_executor/model_runner.py(9): forward_decode",
		"sglang/srt/layers/attention/triton_backend.py(7): forward_decode",
		"runner.py(7): replay",
		"vllm/v1/worker/gpu_model_runner.py(10): _dummy_run",
	};
	struct engine_step told;

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		assert_true(engine_frame_parse(str_of(steps[i].name), &told));
		assert_int_equal(steps[i].phase, told.phase);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (engine_frame_parse(str_of(others[i]), &told))
			fail_msg("a step: '%s'", others[i]);
}

static void a_cut_of_a_spelling_is_never_read_behind_its_end(void **state)
{
	char text[256];
	struct engine_step told;

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		for (size_t n = 0; n <= strlen(known[i].name); n++) {
			char *exact = memcpy(text + sizeof(text) - n, known[i].name, n);
			(void)engine_step_parse((struct str){ exact, n }, &told);
		}
}

static void the_annotation_within_fills_what_the_outer_does_not_say(void **state)
{
	struct engine_step outer, inner;

	(void)state;
	assert_true(engine_step_parse(STR_LIT("execute_new_0_cached_4"), &outer));
	assert_true(engine_step_parse(STR_LIT("step[EXTEND bs=15 toks=15360]"), &inner));
	engine_step_merge(&outer, &inner); /* of another phase */
	assert_true(engine_step_parse(STR_LIT("step[DECODE bs=5]"), &inner));
	engine_step_merge(&outer, &inner);
	assert_true(outer.phase == ENGINE_DECODE && outer.requests == 4 &&
		    outer.tokens == 5);
}

/* A batch of SGLang with drafts: what checks them says what the batch is. */
static void passes_of_drafts_are_of_less_account(void **state)
{
	static const char *const within[] = {
		"step[DRAFT_LOOP raw_bs=3 bs=4 topk=1]",
		"step[TARGET_VERIFY bs=3]",
		"step[DRAFT_EXTEND_V2 bs=3]",
	};
	struct engine_step outer, inner;

	(void)state;
	assert_true(engine_step_parse(STR_LIT("scheduler.run_batch"), &outer));
	for (size_t i = 0; i < sizeof(within) / sizeof(*within); i++) {
		assert_true(engine_step_parse(str_of(within[i]), &inner));
		engine_step_merge(&outer, &inner);
	}
	assert_true(outer.phase == ENGINE_DECODE && outer.requests == 3 &&
		    outer.tokens == NO);
}

/* What summaries call the steps of a kind is itself the name of such a step. */
static void steps_of_a_kind_have_one_name(void **state)
{
	static const struct {
		const char *name, *all;
	} names[] = {
		{ "ProfilerStep#12", "ProfilerStep*" },
		{ "execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk500sqsq32sqsk500)",
		  "execute_*_context_0_generation_*" },
		{ "execute_2_context_1(sq9sk9sqsq81sqsk81)_generation_0(sq0sk0sqsq0sqsk0)",
		  "execute_*_context_*_generation_0" },
		{ "step[DECODE bs=117/128]", "step[DECODE bs=*/*]" },
		{ "[Executor] _forward_step 7: 0 ctx reqs, 8 gen reqs",
		  "[Executor] _forward_step *: 0 ctx reqs, * gen reqs" },
		{ "iteration 12", NULL },
		{ "aten::mm", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct buf all;
		buf_init(&all, 1000);
		assert_int_equal(names[i].all != NULL,
				 step_name_of_all(str_of(names[i].name), &all));
		assert_string_equal(names[i].all ? names[i].all : "", all.n ? all.p : "");
		if (names[i].all)
			assert_true(step_name_is_mark(buf_str(&all)));
		buf_release(&all);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_of_a_kind_have_one_name),
		cmocka_unit_test(each_spelling_says_what_the_step_was_for),
		cmocka_unit_test(sums_are_told_of_prompts_and_of_those_that_generate),
		cmocka_unit_test(what_only_looks_like_one_is_none),
		cmocka_unit_test(functions_that_run_a_step_are_known_by_their_file),
		cmocka_unit_test(a_cut_of_a_spelling_is_never_read_behind_its_end),
		cmocka_unit_test(passes_of_drafts_are_of_less_account),
		cmocka_unit_test(the_annotation_within_fills_what_the_outer_does_not_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
