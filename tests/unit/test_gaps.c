/* What names say of idle time, and where gaps, steps and times are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "query/gaps/gap_blame.h"
#include "query/gaps/gap_read.h"
#include "query/gaps/gap_stretch.h"
#include "query/gaps/gap_sums.h"
#include "query/gaps/gap_usual.h"

static void tells(enum slice_class class, const char *name, enum gap_cause cause)
{
	if (gap_cause_of(class, str_of(name)) != cause)
		fail_msg("'%s' tells '%s'", name,
			 gap_causes[gap_cause_of(class, str_of(name))].code);
}

static void names_of_calls_tell_what_the_host_waited_for(void **state)
{
	(void)state;
	tells(CLASS_RUNTIME, "cudaStreamSynchronize", GAP_SYNC);
	tells(CLASS_RUNTIME, "hipDeviceSynchronize", GAP_SYNC);
	tells(CLASS_DRIVER, "cuCtxSynchronize_v2", GAP_SYNC);
	tells(CLASS_RUNTIME, "cudaMalloc", GAP_MALLOC);
	tells(CLASS_RUNTIME, "cudaFreeHost", GAP_MALLOC);
	tells(CLASS_DRIVER, "cuMemAddressReserve", GAP_MALLOC);
	tells(CLASS_DRIVER, "cuModuleLoadData", GAP_NONE);
	tells(CLASS_RUNTIME, "synchronizeStream", GAP_SYNC);
	tells(CLASS_RUNTIME, "cudaLaunchKernel", GAP_NONE);
	tells(CLASS_RUNTIME, "cudaMemcpyAsync", GAP_NONE);
	tells(CLASS_OP, "my::Synchronize", GAP_NONE);
}

static void names_of_operators_and_frames_tell_causes(void **state)
{
	(void)state;
	tells(CLASS_OP, "aten::item", GAP_READ);
	tells(CLASS_OP, "aten::items", GAP_NONE);
	tells(CLASS_PYTHON, "aten::item", GAP_NONE);
	tells(CLASS_ANNOTATION,
	      "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
	      GAP_LOADER);
	tells(CLASS_PYTHON, "torch/utils/data/dataloader.py(701): __next__", GAP_LOADER);
	tells(CLASS_ANNOTATION, "Optimizer.step#SGD.step", GAP_OPTIMIZER);
	tells(CLASS_ANNOTATION, "optimizer", GAP_OPTIMIZER);
	tells(CLASS_PYTHON, "train.py(2): optimizer", GAP_NONE);
	tells(CLASS_OP, "c10d::allreduce_", GAP_NONE);
	tells(CLASS_OP, "c10d::barrier", GAP_COMMUNICATION);
	tells(CLASS_OVERHEAD, "Activity Buffer Request", GAP_OVERHEAD);
	tells(CLASS_OP, "aten::add", GAP_NONE);
	tells(CLASS_OP, "", GAP_NONE);
}

/* Names that an early ptool took for causes: they launch, or run at every call. */
static void what_only_launches_tells_no_cause(void **state)
{
	(void)state;
	tells(CLASS_PYTHON, "torch/_inductor/compile_fx.py(1767): run", GAP_NONE);
	tells(CLASS_PYTHON, "torch/_inductor/compile_fx.py(2735): wrapper", GAP_NONE);
	tells(CLASS_PYTHON, "torch/_inductor/compile_fx.py(600): compile_fx_inner",
	      GAP_COMPILE);
	tells(CLASS_PYTHON, "triton/compiler/compiler.py(420): launch_metadata",
	      GAP_NONE);
	tells(CLASS_PYTHON, "triton/compiler/compiler.py(226): compile", GAP_COMPILE);
	tells(CLASS_PYTHON, "torch/distributed/distributed_c10d.py(2000): get_rank",
	      GAP_NONE);
	tells(CLASS_PYTHON, "torch/distributed/distributed_c10d.py(4000): barrier",
	      GAP_COMMUNICATION);
	tells(CLASS_ANNOTATION, "nccl:all_reduce", GAP_NONE);
	tells(CLASS_ANNOTATION, "Optimizer.zero_grad#SGD.zero_grad", GAP_NONE);
	tells(CLASS_ANNOTATION, "optimizer_zero_grad", GAP_NONE);
	tells(CLASS_PYTHON, "torch/optim/optimizer.py(900): zero_grad", GAP_NONE);
	tells(CLASS_PYTHON, "torch/optim/sgd.py(63): step", GAP_OPTIMIZER);
	assert_true(gap_name_is_collective(CLASS_ANNOTATION, STR_LIT("nccl:all_reduce")));
	assert_false(gap_name_is_collective(CLASS_RUNTIME, STR_LIT("nccl:all_reduce")));
}

static void a_bound_is_that_of_the_others_of_its_kind(void **state)
{
	const struct gap_bounds bounds = { .few_ns = 500, .least_ns = 3 };
	struct gap_usual u = { .n = 0 };
	const struct gap_sample long_one = { 1, 9000, 99 };

	(void)state;
	for (uint32_t i = 0; i < 19; i++)
		gap_usual_add(&u, (struct gap_sample){ 1, 10 + i, i });
	gap_usual_add(&u, long_one);
	gap_usual_sort(&u);
	assert_int_equal(500, gap_usual_bound(&u, &long_one, &bounds));
	gap_usual_add(&u, (struct gap_sample){ 1, 400, 19 });
	gap_usual_add(&u, (struct gap_sample){ 2, 1, 20 });
	gap_usual_sort(&u);
	/* 10 to 28 and 400: the median is 19, the 99th percentile 400 */
	assert_int_equal(190, gap_usual_bound(&u, &long_one, &bounds));
	assert_int_equal(200,
			 gap_usual_bound(&u, &(struct gap_sample){ 1, 10, 0 }, &bounds));
	gap_usual_release(&u);
}

static void every_cause_has_a_code_a_title_and_a_remedy(void **state)
{
	(void)state;
	for (int i = GAP_NONE + 1; i < NGAP_CAUSES; i++) {
		assert_non_null(gap_causes[i].code);
		assert_true(strlen(gap_causes[i].title) <= 25);
		assert_true(strlen(gap_causes[i].remedy) > 0);
		for (int k = GAP_NONE; k < i; k++)
			assert_string_not_equal(gap_causes[i].code, gap_causes[k].code);
	}
}

/* The remedy for gaps of a cause; those of one gap come in two pieces. */
static const char *remedy_of(enum gap_cause cause, const int64_t *gaps_ns, size_t n)
{
	const struct gap_sum of = { .cause = (uint8_t)cause, .key = (uint32_t)cause };
	struct gap_sums sums = { .n = 0 };

	for (uint32_t i = 0; i < n; i++) {
		gap_sums_add(&sums, &of, i, gaps_ns[i] / 2, true);
		gap_sums_add(&sums, &of, i, gaps_ns[i] - gaps_ns[i] / 2, true);
	}
	const int64_t cause_ns[NGAP_CAUSES] = { 0 };
	const struct gap_sum *sum = sums.n ? sums.items : &of;
	const struct gap_loss loss = { .ns = sum->idle_ns,
				       .long_ns = sum->long_ns,
				       .cause_ns = cause_ns };
	gap_sums_release(&sums);
	return gap_cause_remedy(cause, &loss);
}

static void a_remedy_is_for_the_gaps_that_most_of_the_time_is_in(void **state)
{
	int64_t gaps_ns[213];

	(void)state;
	for (size_t i = 0; i < 213; i++) /* most gaps are short, most time is not */
		gaps_ns[i] = i % 10 ? 30000 : 12000000;
	assert_ptr_equal(gap_causes[GAP_GRAPH_NODES].few,
			 remedy_of(GAP_GRAPH_NODES, gaps_ns, 213));
	for (size_t i = 0; i < 213; i++) /* one long gap is not most of it */
		gaps_ns[i] = i ? 30000 : 1000000;
	assert_ptr_equal(gap_causes[GAP_GRAPH_NODES].remedy,
			 remedy_of(GAP_GRAPH_NODES, gaps_ns, 213));
}

static void a_remedy_fits_what_the_recording_has(void **state)
{
	int64_t cause_ns[NGAP_CAUSES] = { 0 };
	struct gap_loss loss = { .ns = 9, .cause_ns = cause_ns };

	(void)state;
	assert_non_null(strstr(gap_cause_remedy(GAP_UNTRACED, &loss), "with_stack=True"));
	cause_ns[GAP_PYTHON] = 1;
	assert_null(strstr(gap_cause_remedy(GAP_UNTRACED, &loss), "with_stack=True"));
	assert_non_null(strstr(gap_cause_remedy(GAP_ORDER, &loss), "as a CUDA graph"));
	cause_ns[GAP_GRAPH_NODES] = 1;
	assert_null(strstr(gap_cause_remedy(GAP_ORDER, &loss), "as a CUDA graph"));
	assert_null(strstr(gap_cause_remedy(GAP_LATENCY, &loss), "torch.compile"));
	loss.blamed = STR_LIT("/tmp/torchinductor_me/ov/cov.py(25): call");
	/* the graphs are there already */
	assert_null(strstr(gap_cause_remedy(GAP_PYTHON, &loss), "reduce-overhead"));
	cause_ns[GAP_GRAPH_NODES] = 0;
	assert_non_null(strstr(gap_cause_remedy(GAP_PYTHON, &loss), "reduce-overhead"));
}

static void remedies_for_jax_and_tensorflow_name_nothing_of_pytorch(void **state)
{
	static const char *const words[] = {
		"torch",      "Torch",        "with_stack",
		"DataLoader", "non_blocking", "empty_cache",
		"expandable", "schedule(",    "ProfilerActivity",
		"optimizer ("
	};
	const int64_t cause_ns[NGAP_CAUSES] = { 0 };

	(void)state;
	for (int cause = GAP_NONE + 1; cause < NGAP_CAUSES; cause++)
		for (int64_t long_ns = 0; long_ns < 2; long_ns++) {
			const struct gap_loss loss = { .ns = 1,
						       .long_ns = long_ns,
						       .blamed = STR_LIT(""),
						       .cause_ns = cause_ns,
						       .is_xprof = true };
			const char *remedy =
				gap_cause_remedy((enum gap_cause)cause, &loss);
			for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
				assert_null(strstr(remedy, words[i]));
		}
}

static void generated_code_is_not_the_users_own(void **state)
{
	(void)state;
	assert_true(gap_frame_is_own(STR_LIT("train.py(30): my_step")));
	assert_false(gap_frame_is_own(STR_LIT("/tmp/torchinductor_me/ov/c.py(2): call")));
	assert_false(gap_frame_is_own(STR_LIT("/ws/python/triton/jit.py(7): run")));
}

static void a_stretch_is_written_in_one_unit_and_rounded_outwards(void **state)
{
	struct arena arena = { 0 };
	struct gap_times t = { 0 };

	(void)state;
	gap_times_see(&t, 488980, 999999);
	assert_string_equal("488.980us..999.999us",
			    gap_times_text(&t, &arena, 488980, 999999));
	gap_times_see(&t, 469282001, 533607001);
	assert_string_equal("469.282ms..533.608ms",
			    gap_times_text(&t, &arena, 469282001, 533607001));
	gap_times_see(&t, 1000, 4000); /* 3 us want tenths of them */
	assert_string_equal("469.2820ms..533.6071ms",
			    gap_times_text(&t, &arena, 469282001, 533607001));
	gap_times_see(&t, 7, 8);
	assert_string_equal("469.282001ms..533.607001ms",
			    gap_times_text(&t, &arena, 469282001, 533607001));
	assert_string_equal("0ns..9223372036854775807ns",
			    gap_times_text(&t, &arena, 0, INT64_MAX));
	arena_release(&arena);
}

/* Work of one device on streams 0 and 1, by start. */
static struct device_work work_of(struct work_item *items, size_t n,
				  struct work_device *device)
{
	*device = (struct work_device){ .device = 0, .n = n };
	return (struct device_work){
		.items = items, .n = n, .devices = device, .ndevices = 1
	};
}

static void zero_length_work_ends_no_gap_but_the_last(void **state)
{
	struct work_item items[] = {
		{ .start_ns = 10, .end_ns = 20, .slice_id = 1 },
		{ .start_ns = 25, .end_ns = 25, .slice_id = 2 },
		{ .start_ns = 30, .end_ns = 30, .slice_id = 3 },
		{ .start_ns = 30, .end_ns = 35, .slice_id = 4 },
		{ .start_ns = 30, .end_ns = 31, .slice_id = 5, .stream = 1 },
		{ .start_ns = 50, .end_ns = 50, .slice_id = 6 },
	};
	struct err err = ERR_INIT;
	struct work_device device;
	struct device_work work = work_of(items, 6, &device);
	struct gaps gaps;

	(void)state;
	assert_int_equal(0, gaps_find(&work, NULL, &gaps, &err));
	assert_int_equal(2, gaps.n);
	assert_int_equal(20, gaps.items[0].start_ns);
	assert_int_equal(30, gaps.items[0].end_ns);
	assert_int_equal(4, items[gaps.items[0].after].slice_id);
	assert_int_equal(6, items[gaps.items[1].after].slice_id);
	assert_int_equal(40, gaps.span_ns[0]);
	gaps_release(&gaps);
}

static void zero_length_work_at_the_edge_ends_no_gap(void **state)
{
	struct work_item items[] = {
		{ .start_ns = 10, .end_ns = 10, .slice_id = 1 },
		{ .start_ns = 20, .end_ns = 30, .slice_id = 2 },
	};
	const struct interval around = { 4, 30 };
	struct err err = ERR_INIT;
	struct work_device device;
	struct device_work work = work_of(items, 2, &device);
	struct gaps gaps;

	(void)state;
	assert_int_equal(0, gaps_find(&work, &around, &gaps, &err));
	assert_int_equal(1, gaps.n);
	assert_int_equal(4, gaps.items[0].start_ns);
	assert_int_equal(20, gaps.items[0].end_ns);
	assert_int_equal(20, gaps.span_ns[0]);
	gaps_release(&gaps);
}

static void an_extent_adds_the_edges_before_and_after_all_work(void **state)
{
	struct work_item items[] = {
		{ .start_ns = 10, .end_ns = 10, .slice_id = 1 },
		{ .start_ns = 10,
		  .end_ns = 20,
		  .slice_id = 2,
		  .launch_id = 9,
		  .launch_start_ns = 6 },
	};
	const struct interval around = { 4, 50 }, within = { 12, 18 };
	struct err err = ERR_INIT;
	struct work_device device;
	struct device_work work = work_of(items, 2, &device);
	struct gaps gaps;

	(void)state;
	assert_int_equal(0, gaps_find(&work, &around, &gaps, &err));
	assert_int_equal(2, gaps.n);
	assert_int_equal(4, gaps.items[0].start_ns);
	assert_int_equal(6, gaps.items[0].host_end_ns);
	assert_int_equal(10, gaps.items[0].end_ns);
	assert_int_equal(2, items[gaps.items[0].after].slice_id);
	assert_true(gaps.items[0].before == GAP_NO_WORK);
	assert_int_equal(20, gaps.items[1].start_ns);
	assert_int_equal(50, gaps.items[1].host_end_ns);
	assert_true(gaps.items[1].after == GAP_NO_WORK);
	assert_int_equal(10, gaps.span_ns[0]);
	gaps_release(&gaps);
	assert_int_equal(0, gaps_find(&work, &within, &gaps, &err));
	assert_int_equal(0, gaps.n);
	gaps_release(&gaps);
}

static void work_out_of_order_or_beyond_int64_is_refused(void **state)
{
	struct work_item unordered[] = { { .start_ns = 9, .end_ns = 10 },
					 { .start_ns = 5, .end_ns = 6 } };
	struct work_item wide[] = { { .start_ns = -9, .end_ns = 10 },
				    { .start_ns = 11, .end_ns = INT64_MAX } };
	struct err err = ERR_INIT;
	struct work_device device;
	struct device_work work = work_of(unordered, 2, &device);
	struct gaps gaps;

	(void)state;
	assert_int_equal(-1, gaps_find(&work, NULL, &gaps, &err));
	assert_int_equal(ERR_INPUT, err.kind);
	gaps_release(&gaps);
	work = work_of(wide, 2, &device);
	assert_int_equal(-1, gaps_find(&work, NULL, &gaps, &err));
	gaps_release(&gaps);
}

static void parts_are_cut_where_steps_begin_and_end(void **state)
{
	struct gap_step steps[] = { { 4, 10, 20 }, { 5, 20, 30 }, { 6, 40, 50 } };
	struct interval all = { 12, 45 };
	const struct gap_range range = { .steps = steps,
					 .nsteps = 3,
					 .wanted = { .items = &all, .n = 1, .cap = 1 } };
	const struct gap_part expected[] = {
		{ 12, 20, 0 }, { 20, 30, 1 }, { 30, 40, GAP_NO_STEP }, { 40, 45, 2 }
	};
	struct gap_part part;
	int64_t from_ns = 0;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_true(gap_range_next(&range, &from_ns, 100, &part));
		assert_int_equal(expected[i].start_ns, part.start_ns);
		assert_int_equal(expected[i].end_ns, part.end_ns);
		assert_true(expected[i].step == part.step);
	}
	assert_false(gap_range_next(&range, &from_ns, 100, &part));
	from_ns = 0;
	assert_false(gap_range_next(&range, &from_ns, 12, &part));
	assert_true(gap_range_step(&range, 19) == 0);
	assert_true(gap_range_step(&range, 35) == GAP_NO_STEP);
}

/* One more gap, which is the line from start_ns on. */
static void add_gap(struct gap_blame *b, struct gap gap, uint32_t line)
{
	struct interval when = { gap.start_ns, gap.end_ns };
	size_t cap = b->gaps.n;

	b->gaps.items = xgrow(b->gaps.items, &cap, b->gaps.n + 1, sizeof(*b->gaps.items));
	b->gaps.items[b->gaps.n] = gap;
	gap_blame_add_span(b, &b->gaps.items[b->gaps.n++],
			   gap_line_span(b, line, 0, when));
}

static void a_blame_that_leaves_a_hole_is_refused(void **state)
{
	struct gap_blame blame = { .nspans = 0 };
	struct err err = ERR_INIT;

	(void)state;
	uint32_t at = gap_blame_add_line(&blame);
	gap_line_add(&blame.lines[at], gap_segment_of(5, 7));
	gap_line_add(&blame.lines[at], gap_segment_of(7, 9));
	gap_line_add(&blame.lines[at], gap_segment_of(11, 12));
	add_gap(&blame, (struct gap){ .start_ns = 5, .end_ns = 9 }, at);
	assert_int_equal(0, gap_blame_check(&blame, &err));
	blame.gaps.items[0].end_ns = 10; /* its span ends before */
	assert_int_equal(-1, gap_blame_check(&blame, &err));
	blame.gaps.items[0].end_ns = blame.spans[0].end_ns = 12;
	blame.spans[0].n = 3; /* the line has a hole */
	assert_int_equal(-1, gap_blame_check(&blame, &err));
	gap_blame_release(&blame);
}

/* A read of 4 ns in a gap, of read_ns in all, and the bursts behind it; to be released. */
static struct gap_blame read_and_bursts(int64_t read_ns)
{
	const struct gap gaps[] = {
		{ 0, 10, 10, 0, 0, 0, 0, 0 },  /* a read, then an operator */
		{ 20, 30, 30, 0, 0, 0, 0, 0 }, /* its burst */
		{ 40, 50, 40, 0, 0, 0, 0, 0 }, /* launched before */
		{ 60, 70, 70, 0, 0, 0, 0, 0 }, /* no burst any more */
	};
	const struct gap_segment segments[] = {
		{ .start_ns = 0,
		  .end_ns = 4,
		  .slice_id = 7,
		  .dur_ns = read_ns,
		  .cause = GAP_READ,
		  .drains = true },
		{ .start_ns = 4, .end_ns = 10, .cause = GAP_OPERATOR },
		{ .start_ns = 20, .end_ns = 30, .cause = GAP_UNTRACED },
		{ .start_ns = 40, .end_ns = 50, .cause = GAP_ORDER },
		{ .start_ns = 60, .end_ns = 70, .cause = GAP_OPERATOR },
	};
	struct gap_blame blame = { .nspans = 0 };
	uint32_t at = gap_blame_add_line(&blame);

	for (size_t i = 0; i < sizeof(segments) / sizeof(segments[0]); i++)
		gap_line_add(&blame.lines[at], segments[i]);
	for (size_t i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++)
		add_gap(&blame, gaps[i], at);
	return blame;
}

/* What idle time the read is charged for with its burst; the spans still tile the gaps. */
static int64_t charged_to_read(int64_t read_ns)
{
	struct gap_blame blame = read_and_bursts(read_ns);
	struct err err = ERR_INIT;
	struct gap_roots roots;
	struct gap_reader reader;
	struct gap_amount amount;
	int64_t ns = 0;

	gap_roots_find(&blame, &roots);
	assert_int_equal(0, gap_blame_check(&blame, &err));
	gap_reader_open(&reader, &blame, &roots, GAP_KEY_NONE);
	for (size_t i = 0; i < blame.gaps.n; i++) {
		const struct gap *g = &blame.gaps.items[i];
		gap_reader_seek(&reader, g, g->start_ns, g->end_ns);
		while (gap_reader_next(&reader, &amount))
			ns += amount.cause == GAP_READ ? amount.ns : 0;
	}
	gap_reader_close(&reader);
	gap_roots_release(&roots);
	gap_blame_release(&blame);
	return ns;
}

static void a_burst_is_charged_to_what_emptied_the_queue_until_the_host_is_ahead(
	void **state)
{
	(void)state;
	assert_int_equal(20, charged_to_read(20));
	assert_int_equal(20, charged_to_read(1000));
}

static void a_burst_is_charged_for_no_longer_than_the_wait_lasted(void **state)
{
	(void)state;
	assert_int_equal(19, charged_to_read(19));
	assert_int_equal(10, charged_to_read(10));
	assert_int_equal(7, charged_to_read(7));
	assert_int_equal(4, charged_to_read(4));
	assert_int_equal(4, charged_to_read(3)); /* damaged: its piece is longer */
}

static uint32_t random_below(uint64_t *state, uint32_t n)
{
	*state = (*state * 6364136223846793005) + 1442695040888963407;
	return (uint32_t)(*state >> 33) % n;
}

#define LINE_SEGMENTS 640

/* What drains is one slice for three segments. */
static struct gap_drain drain_at(uint32_t segment, uint64_t *seed)
{
	return (struct gap_drain){
		.slice_id = 1 + segment / 3,
		.dur_ns = random_below(seed, random_below(seed, 8) ? 20 : 2000),
		.blamed = 2 + segment / 3 % 8,
		.cause = segment / 3 % 2 ? GAP_SYNC : GAP_READ,
	};
}

/* What a host did: bursts, some waits and what ends a burst; with a break at 100. */
static void add_host(struct gap_blame *b, uint64_t *seed)
{
	uint32_t of = gap_blame_add_line(b);
	struct gap_line *line = &b->lines[of];
	int64_t at_ns = 0;

	for (uint32_t i = 0; i < LINE_SEGMENTS; i++) {
		const struct gap_drain drain = drain_at(i, seed);
		int64_t ns = 2 + random_below(seed, 9);
		struct gap_segment s = gap_segment_of(at_ns, at_ns + ns);
		s.blamed = random_below(seed, 2);
		s.cause = random_below(seed, 9) ? GAP_CALL : GAP_LOADER;
		if (i / 40 % 2 && random_below(seed, 3) == 0) {
			s.cause = drain.cause;
			s.blamed = drain.blamed;
			s.slice_id = drain.slice_id;
			s.dur_ns = drain.dur_ns;
			s.drains = random_below(seed, 2);
		}
		gap_line_add(line, s);
		if (s.drains) /* in a part of it */
			intervals_add(&line->draining, at_ns + 1, at_ns + 2);
		at_ns += ns + (i == 99);
	}
	intervals_unite(&line->draining);
}

/* Gaps of devices that all wait for that host, some of them drained as they began. */
static void add_gaps(struct gap_blame *b, uint64_t *seed)
{
	const struct gap_segment *items = b->lines[0].items;
	size_t cap = 0;

	for (uint32_t i = 0; i < 90; i++) {
		uint32_t side = random_below(seed, 6) ? 100 : 0; /* of the break */
		uint32_t n = side ? LINE_SEGMENTS - 100 : 100;
		uint32_t first = side + random_below(seed, n);
		uint32_t last = first + random_below(seed, side + n - first);
		int64_t start_ns = items[first].start_ns + random_below(seed, 2);
		int64_t end_ns = items[last].end_ns - random_below(seed, 2);
		struct gap gap = { start_ns, end_ns, end_ns, 0, 0, i / 3, 0, 0 };
		if (start_ns >= end_ns)
			continue;
		if (random_below(seed, 3) == 0) {
			b->drains = xgrow(b->drains, &cap, b->ndrains + 1,
					  sizeof(*b->drains));
			b->drains[b->ndrains] = drain_at(first, seed);
			b->drains[b->ndrains++].gap = (uint32_t)b->gaps.n;
		}
		add_gap(b, gap, 0);
	}
}

#define KINDS (NGAP_CAUSES * 10)

/* What of [from, to) of a gap is charged to whom, and the longest of each. */
struct charged {
	int64_t ns[KINDS], longest_ns[KINDS], longest_at[KINDS];
};

static struct charged charged_in(struct gap_reader *reader, const struct gap *gap,
				 int64_t from_ns, int64_t to_ns)
{
	struct charged charged = { .ns = { 0 } };
	struct gap_amount amount;

	gap_reader_seek(reader, gap, from_ns, to_ns);
	while (gap_reader_next(reader, &amount)) {
		size_t kind = ((size_t)amount.cause * 10) + amount.blamed;
		charged.ns[kind] += amount.ns;
		if (amount.longest_ns <= charged.longest_ns[kind])
			continue;
		charged.longest_ns[kind] = amount.longest_ns;
		charged.longest_at[kind] = amount.of->start_ns;
	}
	return charged;
}

/* By sums and by walks, before and after roots are charged. */
static void a_shared_line_tells_what_a_walk_tells(void **state)
{
	(void)state;
	for (uint64_t trial = 0; trial < 60; trial++) {
		struct gap_blame blames[2] = { { .nspans = 0 }, { .nspans = 0 } };
		struct gap_reader readers[2];
		struct gap_roots roots[2];
		uint64_t more = trial;
		for (size_t i = 0; i < 2; i++) {
			uint64_t seed = trial;
			add_host(&blames[i], &seed);
			add_gaps(&blames[i], &seed);
			blames[i].lines[0].is_shared = i;
			if (trial % 3)
				gap_roots_find(&blames[i], &roots[i]);
			gap_reader_open(&readers[i], &blames[i],
					trial % 3 ? &roots[i] : NULL, GAP_KEY_NONE);
		}
		for (size_t i = 0; i < blames[0].gaps.n; i++) {
			const struct gap *g = &blames[0].gaps.items[i];
			int64_t half_ns = (g->end_ns - g->start_ns) / 2;
			int64_t from_ns =
				g->start_ns + random_below(&more, (uint32_t)half_ns + 1);
			struct charged walk =
				charged_in(&readers[0], g, from_ns, g->end_ns);
			struct charged sums =
				charged_in(&readers[1], &blames[1].gaps.items[i], from_ns,
					   g->end_ns);
			assert_memory_equal(&walk, &sums, sizeof(walk));
		}
		for (size_t i = 0; i < 2; i++) {
			gap_reader_close(&readers[i]);
			if (trial % 3)
				gap_roots_release(&roots[i]);
			gap_blame_release(&blames[i]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_calls_tell_what_the_host_waited_for),
		cmocka_unit_test(names_of_operators_and_frames_tell_causes),
		cmocka_unit_test(what_only_launches_tells_no_cause),
		cmocka_unit_test(a_bound_is_that_of_the_others_of_its_kind),
		cmocka_unit_test(every_cause_has_a_code_a_title_and_a_remedy),
		cmocka_unit_test(a_remedy_is_for_the_gaps_that_most_of_the_time_is_in),
		cmocka_unit_test(a_remedy_fits_what_the_recording_has),
		cmocka_unit_test(remedies_for_jax_and_tensorflow_name_nothing_of_pytorch),
		cmocka_unit_test(generated_code_is_not_the_users_own),
		cmocka_unit_test(a_stretch_is_written_in_one_unit_and_rounded_outwards),
		cmocka_unit_test(zero_length_work_ends_no_gap_but_the_last),
		cmocka_unit_test(zero_length_work_at_the_edge_ends_no_gap),
		cmocka_unit_test(an_extent_adds_the_edges_before_and_after_all_work),
		cmocka_unit_test(work_out_of_order_or_beyond_int64_is_refused),
		cmocka_unit_test(parts_are_cut_where_steps_begin_and_end),
		cmocka_unit_test(a_blame_that_leaves_a_hole_is_refused),
		cmocka_unit_test(
			a_burst_is_charged_to_what_emptied_the_queue_until_the_host_is_ahead),
		cmocka_unit_test(a_burst_is_charged_for_no_longer_than_the_wait_lasted),
		cmocka_unit_test(a_shared_line_tells_what_a_walk_tells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
