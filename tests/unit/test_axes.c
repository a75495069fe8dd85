/* What names, labels and process groups tell of a rank's axes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "ingest/file_name.h"
#include "trace/fact.h"

#define NONE NUMBER_NONE

/* "tp1 dp0 rank3 sure". */
static const char *words(const struct axes *axes, int64_t rank, bool is_sure)
{
	static char text[128];
	int n = 0;

	text[0] = '\0';
	for (int a = 0; a < NAXES; a++)
		if (axes->at[a] != NONE)
			n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%s%d",
				      n ? " " : "", axis_names[a], (int)axes->at[a]);
	if (rank != NONE)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%srank%d",
			      n ? " " : "", (int)rank);
	if (is_sure)
		snprintf(text + n, sizeof(text) - (size_t)n, " sure");
	return text;
}

struct text_case {
	const char *text, *told;
};

static void names_of_files_tell_axes(void **state)
{
	static const struct text_case cases[] = {
		{ "1764000000.12-TP-1.trace.json.gz", "tp1 sure" },
		{ "1764000000.12-TP-3-DP-1-PP-2-EP-3.trace.json.gz",
		  "tp3 dp1 pp2 ep3 sure" },
		{ "warm-1764000000.12-TP-1-EP-1-DECODE.trace.json", "tp1 ep1 sure" },
		{ "dp0_pp0_tp1_dcp0_ep1_rank1.1790040960731204727.pt.trace.json.gz",
		  "tp1 dp0 pp0 ep1 rank1 sure" },
		{ "dp1_pp1_tp1_dcp1_ep3_rank7.17.pt.trace.json.gz",
		  "tp1 dp1 pp1 ep3 rank7 sure" },
		{ "dp0_pp0_tp1_dcp0_ep1_rank1_25_ascend_pt/trace_view.json",
		  "tp1 dp0 pp0 ep1 rank1 sure" },
		{ "tp_rank_3_pp_rank_1.json", "tp3 pp1 sure" },
		{ "llama_tp8_tp_rank_3.json", "tp3 sure" },
		{ "trace_tp1_pp0.json", "tp1 pp0" },
		{ "llama_tp8_pp2_rank3.json", "tp8 pp2 rank3" },
		{ "llama-TP-8-rank3.json", "tp8 rank3" },
		{ "model-ep-12.json", "" },
		{ "mytp3.json", "" },
		{ "tp0-3_x.json", "" },
		{ "http1.json", "" },
		{ "rank3.json", "rank3" },
		{ "profile_trace/iteration_10/rank2_trace.json",
		  "rank2" },                                   /* torchtitan */
		{ "torch_profile/rank-12.json.gz", "rank12" }, /* Megatron */
		{ "vllm-instance-1a-rank-3.17.pt.trace.json.gz", "rank3" },
		{ "rank3.5.pt.trace.json", "rank3" },          /* Composer */
		{ "trace-rank-1.json", "rank1" },              /* TensorRT-LLM */
		{ "prof_start_1_end_2_rank_6.json", "rank6" }, /* verl */
		{ "17.2-TP-0-DP-1-PP-0-EP-0-EXTEND.trace.json.gz",
		  "tp0 dp1 pp0 ep0 sure" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct file_name name = file_name_parse(str_of(cases[i].text));
		assert_string_equal(cases[i].told,
				    words(&name.axes, name.rank, name.is_axes_sure));
	}
}

static void labels_of_processes_tell_axes_and_ranks(void **state)
{
	static const struct text_case cases[] = {
		{ "[TP00-DP01-PP02-EP03] 4242",
		  "tp0 dp1 pp2 ep3|[TP00-DP01-PP02-EP03] " },
		{ "[rank 3] python3", "rank3|[rank 3] " },
		{ "DP rank [7]", "dp7|" },
		{ "PP rank 1, TP rank 0, compute", "tp0 pp1|" },
		{ "Worker_DP0_TP1_EP3", "tp1 dp0 ep3|" },
		{ "VLLM::Worker_DP1_PP0_TP3_DCP1_EP7", "tp3 dp1 pp0 ep7|" },
		{ "sglang::scheduler_DP1_TP5_EP5", "tp5 dp1 ep5|" },
		{ "sglang::scheduler_TP1", "tp1|" },
		{ "rank 12", "rank12|" },
		{ "Rank: 4", "rank4|" },
		{ "local rank 1", "|" },
		{ "node_rank 1", "|" },
		{ "group rank 1", "|" },
		{ "GPU 0", "|" },
		{ "python3 (pt_main_thread)", "|" },
		{ "[unknown] 3", "|" },
		{ "ranking 5", "|" },
		{ "", "|" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct axes_told told = axes_of_label(str_of(cases[i].text));
		char text[256];
		snprintf(text, sizeof(text), "%s|" STR_FMT,
			 words(&told.axes, told.rank, false), STR_ARG(told.tag));
		assert_string_equal(cases[i].told, text);
	}
}

/* What rank 5 of 8 knows: pairs of a description and its ranks. */
static const char *groups_say(const char *const (*groups)[2], size_t n)
{
	struct axes_groups all = { .known = 0 };
	static char text[128];
	unsigned torn;

	for (size_t i = 0; i < n; i++)
		axes_add_group(&all, str_of(groups[i][0]), str_of(groups[i][1]), 5);
	struct axes axes = axes_of_groups(&all, &torn);
	int len = snprintf(text, sizeof(text), "%s", words(&axes, NONE, false));
	for (int a = 0; a < NAXES; a++)
		if (torn & 1U << a)
			len += snprintf(text + len, sizeof(text) - (size_t)len, " not %s",
					axis_names[a]);
	return text;
}

static void process_groups_tell_axes(void **state)
{
	static const char *const megatron[][2] = {
		{ "default_pg", "[0, 1, 2, 3, 4, 5, 6, 7]" },
		{ "TENSOR_MODEL_PARALLEL_GROUP", "[4, 5]" },
		{ "DATA_PARALLEL_GROUP_WITH_CP", "[5, 1]" },
		{ "DATA_PARALLEL_GROUP", "[1, 3, 5, 7]" },
		{ "PIPELINE_MODEL_PARALLEL_GROUP", "[5]" },
	};
	static const char *const mesh[][2] = {
		{ "mesh_tp", "[1, 3]" }, /* not its own */
		{ "mesh_tp", "[0, 1, ..., 7]" },
		{ "mesh_dp_replicate", "[1, 5]" },
		{ "mesh_dp_shard", "[4, 5, 6]" },
		{ "mesh_infer_pp", "[1,5]" },
		{ "ep:0", "[5, 6]" },
		{ "undefined", "[5, 6]" },
		{ "", "" },
	};

	/* a list without ranks is of all; a group of one rank is none beside another */
	static const char *const all[][2] = {
		{ "DATA_PARALLEL_GROUP", "[]" },
		{ "mesh_infer_tp", "[4, 5]" },
		{ "TENSOR_MODEL_PARALLEL_GROUP", "[5]" },
	};
	/* of two models in one process, and of verl's HSDP with Ulysses */
	static const char *const torn[][2] = {
		{ "mesh_tp", "[4, 5]" },      { "mesh_tp", "[5, 6]" },
		{ "mesh_pp", "[1, 5]" },      { "mesh_infer_pp", "[1, 5]" },
		{ "mesh_fsdp", "[4, 5, 6]" }, { "mesh_ddp", "[1, 5]" },
		{ "mesh_fsdp", "[5, 6]" },
	};

	/* torchtitan: 2 shards by 2 context parallel ranks; and what it says of all data */
	static const char *const titan[][2] = {
		{ "mesh_fsdp", "[4, 5, 6, 7]" },
		{ "mesh_cp", "[4, 5]" },
		{ "mesh_dp_replicate", "[1, 5]" },
		{ "mesh_efsdp", "[5, 6]" },
		{ "mesh_etp", "[5]" },
		{ "mesh_batch", "[1, 3, 5, 7]" },
	};

	(void)state;
	assert_string_equal("dp2 cp1", groups_say(titan, 5));
	assert_string_equal("dp2 cp1", groups_say(titan, 6));
	assert_string_equal(
		"cp0",
		groups_say((const char *const[][2]){ { "mesh_fsdp", "[4, 5, 6, 7]" },
						     { "mesh_cp", "[5, 6]" } },
			   2));
	assert_string_equal("tp1 dp5", groups_say(all, 3));
	assert_string_equal("tp1 dp4 pp1 not tp not dp", groups_say(torn, 7));
	assert_string_equal("tp1 dp2 pp0", groups_say(megatron, 5));
	assert_string_equal("dp4 pp1 ep0", groups_say(mesh, 8));
}

/* A description may have a NUL where a name of ours ends: nothing behind that name is read. */
static void a_description_with_a_nul_is_no_group(void **state)
{
	static const char *const texts[] = { "tp\0x", "mesh_tp\0infer_pp", "\0\0\0\0" };
	static const size_t lengths[] = { 4, 16, 4 };
	struct axes_groups all = { .known = 0 };
	unsigned torn;

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		axes_add_group(&all, (struct str){ texts[i], lengths[i] },
			       str_of("[4, 5]"), 5);
	struct axes axes = axes_of_groups(&all, &torn);
	assert_string_equal("", words(&axes, NONE, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_files_tell_axes),
		cmocka_unit_test(labels_of_processes_tell_axes_and_ranks),
		cmocka_unit_test(process_groups_tell_axes),
		cmocka_unit_test(a_description_with_a_nul_is_no_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
