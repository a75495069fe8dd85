/* One or a few calls on the CPU that are a large part of the step. */
#include "base/buf.h"
#include "query/advise/long_calls.h"
#include "query/advise/rule_parts.h"

enum { MIN_PCT };

#define TEXT_MAX 400

#define WARM_UP                                                                          \
	"record more steps after warm-up: a first call loads code, compiles or touches " \
	"new memory; a later one waits, most likely for a core"
#define WITH_SHAPES WARM_UP "; record_shapes=True shows on which tensors it works"

/* "aten::sqrt takes 15.502 ms (the only call with its shapes)" */
static void add_call(const struct rule_run *run, const struct fact_call *call,
		     struct buf *text)
{
	const char *with = run->facts->profile->has_shapes ? " with its shapes" : "";

	buf_addf(text, "%s takes %s (",
		 rule_name(run, text_pool_str(run->facts->texts, call->name)),
		 rule_ns_text(run, call->self_ns));
	if (call->n == 1)
		buf_addf(text, "the only call%s)", with);
	else
		buf_addf(text, "call %lld of %lld%s; %s %s)", (long long)call->turn,
			 (long long)call->n, with,
			 call->n == 2 ? "the other takes" : "usually",
			 rule_ns_text(run, call->median_ns));
}

static void add_finding(const struct rule_run *run, const struct long_calls *calls)
{
	const struct fact_window *window = &run->facts->window;
	struct buf text;
	const char *count = calls->n == 1 ? "one call"
					  : arena_printf(&run->out->arena, "%lld calls",
							 (long long)calls->n);

	buf_init(&text, TEXT_MAX);
	for (size_t i = 0; i < LONG_CALLS_NAMED && calls->longest[i]; i++) {
		if (i)
			buf_add_text(&text, ", ");
		add_call(run, calls->longest[i], &text);
	}
	advice_add(run, cell_null(),
		   run->facts->profile->has_shapes ? WARM_UP : WITH_SHAPES,
		   "%.1f%% of %s is lost in %s: " STR_FMT "%s",
		   facts_pct(calls->above_ns, window->ns), rule_whole(run), count,
		   STR_ARG(buf_str(&text)), calls->n > LONG_CALLS_NAMED ? ", ..." : "");
	buf_release(&text);
}

static int check(const struct rule_run *run, struct err *err)
{
	struct long_calls calls;

	if (long_calls_other(run->facts, &calls, err) < 0)
		return -1;
	if (facts_pct(calls.above_ns, run->facts->window.ns) <= run->values[MIN_PCT])
		return 0;
	add_finding(run, &calls);
	rule_add_window(run);
	advice_evidence(run, "long_calls", UNIT_COUNT, cell_int(calls.n));
	rule_add_share(run, "long_calls_ns", calls.above_ns, "long_calls_pct",
		       "self time of those calls above what the others like them take / "
		       "steps");
	return 0;
}

const struct rule rule_long_calls = {
	.name = "long-calls",
	.title = "Long calls",
	.looks = "In recordings without device work: calls of operators that take a "
		 "twentieth of the steps, and twice what the median call with the same "
		 "shapes takes (of the same name, where shapes were not recorded), where "
		 "there is another. Calls that slow-calls reports do not count.",
	.source = "ptool's own: 10 % of the steps.",
	.parameters = { [MIN_PCT] = { "min_pct", 10,
				      "share of the steps that is fine" } },
	.needs = NEED_STEPS | NEED_HOST_ONLY | NEED_ENOUGH,
	.check = check,
};
