/* One sentence: see verdict.h. */
#include "query/overview/verdict.h"

#include <ctype.h>

#include "base/units.h"
#include "query/short_name.h"

#define IDLE_PCT   15.0 /* of the steps: below that the device is used */
#define NAME_CELLS 56   /* of a name in a sentence */

struct number {
	struct str item;
	struct str unit; /* a word of units_word() */
	double share;    /* percent */
};

static const struct cell *row_at(const struct overview_making *m, size_t i)
{
	return memtable_row(m->out, i);
}

static bool is_row_of(const struct overview_making *m, size_t i,
		      enum overview_block block)
{
	return str_is(row_at(m, i)[OVERVIEW_BLOCK].as.text, overview_block_name(block));
}

static double share_of(const struct cell *row)
{
	return row[OVERVIEW_SHARE].type == CELL_REAL ? row[OVERVIEW_SHARE].as.real : 0;
}

/* The first row of a block with a share, from *at on, which moves behind it. */
static bool next_number(const struct overview_making *m, enum overview_block block,
			size_t *at, struct number *out)
{
	for (; *at < m->out->nrows; (*at)++) {
		const struct cell *row = row_at(m, *at);
		if (!is_row_of(m, *at, block) || row[OVERVIEW_VALUE].type == CELL_NULL ||
		    row[OVERVIEW_SHARE].type == CELL_NULL)
			continue;
		*out = (struct number){ .item = row[OVERVIEW_ITEM].as.text,
					.unit = row[OVERVIEW_UNIT].as.text,
					.share = share_of(row) };
		(*at)++;
		return true;
	}
	return false;
}

/* The number of this name in a block. */
static bool find_number(const struct overview_making *m, enum overview_block block,
			const char *item, struct number *out)
{
	size_t at = 0;

	while (next_number(m, block, &at, out))
		if (str_is(out->item, item))
			return true;
	return false;
}

static const char *ns_text(int64_t ns, struct arena *arena)
{
	char number[UNITS_TEXT_MAX];

	return arena_copy(arena, units_text(UNIT_NS, cell_int(ns), number)).p;
}

static const char *short_text(struct str name, struct arena *arena)
{
	struct buf text;

	buf_init(&text, SIZE_MAX);
	short_name_add(&text, name, NAME_CELLS);
	const char *copy = arena_copy(arena, buf_str(&text)).p;
	buf_release(&text);
	return copy;
}

static const char *sentence_of(const char *finding, struct arena *arena)
{
	char *text = arena_printf(arena, "%s.", finding);

	text[0] = (char)toupper((unsigned char)text[0]);
	return text;
}

static bool judge_finding(const struct overview_making *m, struct arena *arena,
			  struct overview_verdict *out)
{
	const struct advice_list *list = &m->facts.advice;

	if (!list->n || list->items[0].severity == ADVICE_LOW)
		return false;
	const struct advice *a = &list->items[0];
	out->sentence = sentence_of(a->finding, arena);
	if (a->saving_ns == NUMBER_NONE || a->of_ns <= 0 || a->is_of_recording)
		out->worth = sentence_of(a->suggestion, arena);
	else
		out->worth = arena_printf(
			arena, "Fixing it could save up to %s of the %s of %s (%.0f%%).",
			ns_text(a->saving_ns, arena), ns_text(a->of_ns, arena),
			a->is_whole ? "the recording" : "a step",
			100.0 * (double)a->saving_ns / (double)a->of_ns);
	return true;
}

static const char *span_word(const struct overview_making *m)
{
	return m->facts.has_mean ? "steps" : "recording";
}

static const char *device_word(const struct overview_making *m)
{
	const struct advice_list *list = &m->facts.advice;

	return list->nviews && !list->views[0].is_gpu ? "device" : "GPU";
}

static bool judge_idle(const struct overview_making *m, struct arena *arena,
		       struct overview_verdict *out)
{
	struct number idle, cause;
	size_t at = 0;

	if (!find_number(m, OVERVIEW_IDLE, "idle", &idle) || idle.share < IDLE_PCT)
		return false;
	/* busy and idle stand before the causes */
	for (int i = 0; i < 3; i++)
		if (!next_number(m, OVERVIEW_IDLE, &at, &cause))
			return false;
	out->sentence = arena_printf(
		arena, "The %s is idle %.0f%% of the %s, %s: " STR_FMT ".",
		device_word(m), idle.share, span_word(m),
		cause.share > 50 ? "most of that for" : "the largest cause is",
		STR_ARG(cause.item));
	out->worth = arena_printf(
		arena, "That cause is %.0f%% of the idle time.%s", cause.share,
		m->facts.advice.n ? ""
				  : " No rule of ptool advise found what to do "
				    "about it.");
	return true;
}

static bool judge_kernel(const struct overview_making *m, struct arena *arena,
			 struct overview_verdict *out)
{
	struct number kernel, busy;
	size_t at = 0;

	if (!next_number(m, OVERVIEW_KERNELS, &at, &kernel))
		return false;
	if (find_number(m, OVERVIEW_IDLE, "busy", &busy))
		out->sentence = arena_printf(arena, "The %s works %.0f%% of the %s.",
					     device_word(m), busy.share, span_word(m));
	else
		out->sentence = arena_printf(arena, "The %s works without a gap.",
					     device_word(m));
	out->worth = arena_printf(
		arena,
		"%.0f%% of kernel time is in %s: what is left to gain is in the kernels.",
		kernel.share, short_text(kernel.item, arena));
	return true;
}

/* "total" stands below each function. */
static bool is_total(struct str item)
{
	return str_is(item, "total");
}

/* The next row of a block that is no total; false: there is none. */
static bool next_name(const struct overview_making *m, enum overview_block block,
		      size_t *at, struct number *number)
{
	while (next_number(m, block, at, number))
		if (!is_total(number->item))
			return true;
	return false;
}

static const char *unit_words(struct str unit)
{
	return str_is(unit, "bytes")   ? "the bytes are"
	       : str_is(unit, "count") ? "the samples are"
				       : "the time is";
}

/* The largest of a block, and how much the first of them take together. */
static bool judge_names(const struct overview_making *m, enum overview_block block,
			const char *what, struct arena *arena,
			struct overview_verdict *out)
{
	struct number number, first = { .share = 0 };
	double sum = 0;
	size_t at = 0, n = 0;

	while (sum < 50 && next_name(m, block, &at, &number)) {
		if (n++ == 0)
			first = number;
		sum += number.share;
	}
	if (!n || first.share <= 0)
		return false;
	out->sentence =
		arena_printf(arena, "%.0f%% of %s in %s.", first.share,
			     unit_words(first.unit), short_text(first.item, arena));
	if (n > 1)
		out->worth =
			arena_printf(arena, "%zu %ss take %.0f%% of it.", n, what, sum);
	else if (next_name(m, block, &at, &number))
		out->worth = arena_printf(arena, "The next, %s, takes %.0f%%.",
					  short_text(number.item, arena), number.share);
	else
		out->worth = arena_printf(arena, "No other %s takes time.", what);
	return true;
}

/* Functions without self times: the longest. */
static bool judge_totals(const struct overview_making *m, struct arena *arena,
			 struct overview_verdict *out)
{
	for (size_t i = 0; i + 1 < m->out->nrows; i++) {
		const struct cell *row = row_at(m, i), *total = row_at(m, i + 1);
		if (!is_row_of(m, i, OVERVIEW_FUNCTIONS) ||
		    row[OVERVIEW_VALUE].type != CELL_NULL ||
		    total[OVERVIEW_VALUE].type != CELL_INT)
			continue;
		out->sentence =
			arena_printf(arena, "The longest function is %s: %s.",
				     short_text(row[OVERVIEW_ITEM].as.text, arena),
				     ns_text(total[OVERVIEW_VALUE].as.integer, arena));
		out->worth = "Calls lie within each other: their times do not add up.";
		return true;
	}
	return false;
}

/* The largest of devices or processes; where there are none, the first function. */
static bool judge_memory(const struct overview_making *m, struct arena *arena,
			 struct overview_verdict *out)
{
	const struct cell *most = NULL;
	char number[UNITS_TEXT_MAX];

	for (size_t i = 0; i < m->out->nrows; i++) {
		const struct cell *row = row_at(m, i);
		if (!is_row_of(m, i, OVERVIEW_MEMORY))
			continue;
		/* functions follow, each with its increment */
		if (most && str_is(row_at(m, i - 1)[OVERVIEW_ITEM].as.text, "functions"))
			break;
		if (row[OVERVIEW_VALUE].type == CELL_INT &&
		    (!most ||
		     row[OVERVIEW_VALUE].as.integer > most[OVERVIEW_VALUE].as.integer))
			most = row;
	}
	if (!most)
		return false;
	struct str of = most[OVERVIEW_ITEM].as.text;
	units_text(UNIT_BYTES, most[OVERVIEW_VALUE], number);
	out->sentence =
		arena_printf(arena, "The memory of " STR_FMT "%s was at most %s.",
			     STR_ARG(of), str_is(of, "all") ? " processes" : "", number);
	out->worth = "Memory alone was recorded: it says nothing of time.";
	return true;
}

void overview_judge(const struct overview_making *m, struct arena *arena,
		    struct overview_verdict *out)
{
	*out = (struct overview_verdict){ .sentence =
						  "Nothing that took time was recorded.",
					  .worth = "" };
	if (judge_finding(m, arena, out) || judge_idle(m, arena, out) ||
	    judge_kernel(m, arena, out) ||
	    judge_names(m, OVERVIEW_OPERATORS, "operator", arena, out) ||
	    judge_names(m, OVERVIEW_FUNCTIONS, "function", arena, out) ||
	    judge_totals(m, arena, out))
		return;
	judge_memory(m, arena, out);
}
