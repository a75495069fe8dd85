/*
 * Dumps of line_profiler (.lprof): a pickle of one object,
 *
 *	LineStats(timings={(file, first line, name): [(line, hits, ticks), ...]}, unit=1e-09)
 *
 * whose class has had three names.  The pickle is read as data (pickle.h): nothing of it
 * is imported or called.  A tick is `unit` seconds; the time of a line is with what it
 * called.
 */
#include <math.h>

#include "base/product.h"
#include "base/spill.h"
#include "ingest/foreign_head.h"
#include "ingest/line_rows.h"
#include "ingest/pickle.h"

static const struct pickle_class classes[] = {
	{ "_line_profiler", "LineStats", PICKLE_DATA },
	{ "line_profiler._line_profiler", "LineStats", PICKLE_DATA },
	{ "line_profiler.line_profiler", "LineStats", PICKLE_DATA },
	{ "copy_reg", "_reconstructor", PICKLE_MAKER },
	{ "copyreg", "_reconstructor", PICKLE_MAKER },
	{ "__builtin__", "object", PICKLE_BASE },
	{ "builtins", "object", PICKLE_BASE },
	{ .name = NULL },
};

struct lprof {
	struct pickle pickle;
	struct line_rows rows;
	double tick_ns;
	size_t looked_at; /* values: lists may refer to one again and again */
	uint32_t *texts;  /* owned: by value, the sink's number, or TEXT_NONE */
};

static const struct pickle_value *value_at(const struct pickle *p, uint32_t value)
{
	return &p->values[value];
}

/* As many as the file has, however often one is referred to. */
static int spend(struct lprof *l, const struct pickle_value *v, struct err *err)
{
	if (++l->looked_at <= l->pickle.nvalues)
		return 0;
	return err_at(err, v->at, "more entries than the file has values");
}

static bool is_list(const struct pickle_value *v)
{
	return v->type == PICKLE_LIST || v->type == PICKLE_TUPLE;
}

/* The first items of a tuple or list, of which there are so many: false. */
static bool take_items(const struct pickle *p, const struct pickle_value *v, uint32_t n,
		       const struct pickle_value **out)
{
	if (!is_list(v) || v->n != n)
		return false;
	for (uint32_t i = v->first, k = 0; k < n; i = p->items[i].next, k++)
		out[k] = value_at(p, p->items[i].value);
	return true;
}

/* A whole number, also as a float; one beyond 64 bits is the end of the range. */
static int read_count(struct lprof *l, const struct pickle_value *v, const char *what,
		      int64_t *out, struct err *err)
{
	bool fits = true;

	if (v->type == PICKLE_FLOAT && v->as.real == rint(v->as.real))
		fits = product_round(product_of(v->as.real, 1), out);
	else if (v->type == PICKLE_INT || v->type == PICKLE_BIG)
		*out = v->as.number;
	else
		return err_at(err, v->at, "%s is %s, not a whole number", what,
			      pickle_type_name(v->type));
	if (*out == NUMBER_NONE)
		*out = -INT64_MAX;
	if (!fits || v->type == PICKLE_BIG)
		return line_rows_finding(&l->rows, FINDING_LINE_RANGE, v->at, STR_LIT(""),
					 err);
	return 0;
}

static int read_ticks(struct lprof *l, const struct pickle_value *v, int64_t *ns,
		      struct err *err)
{
	struct product ticks;

	if (v->type == PICKLE_FLOAT && isfinite(v->as.real))
		ticks = product_of(v->as.real, 1);
	else if (v->type == PICKLE_INT || v->type == PICKLE_BIG)
		ticks = product_of_int(v->as.number);
	else
		return err_at(err, v->at, "a time is %s, not a number",
			      pickle_type_name(v->type));
	if (product_round(product_times(ticks, l->tick_ns), ns) && v->type != PICKLE_BIG)
		return 0;
	return line_rows_finding(&l->rows, FINDING_LINE_RANGE, v->at, STR_LIT(""), err);
}

static int read_entry(struct lprof *l, const struct pickle_value *entry, struct err *err)
{
	const struct pickle_value *parts[3];
	struct line_row row = { .fact = { .text = TEXT_NONE,
					  .memory_bytes = NUMBER_NONE,
					  .increment_bytes = NUMBER_NONE } };

	if (spend(l, entry, err) < 0)
		return -1;
	if (!take_items(&l->pickle, entry, 3, parts))
		return err_at(err, entry->at,
			      "bad entry: (line, hits, time) is expected");
	if (read_count(l, parts[0], "a line", &row.fact.line, err) < 0 ||
	    read_count(l, parts[1], "a number of hits", &row.fact.hits, err) < 0 ||
	    read_ticks(l, parts[2], &row.fact.self_ns, err) < 0)
		return -1;
	if (line_rows_add(&l->rows, &row, err) < 0)
		return -1;
	if (row.fact.hits >= 0 && row.fact.self_ns >= 0)
		return 0;
	return line_rows_finding(&l->rows, FINDING_LINE_NEGATIVE, entry->at, STR_LIT(""),
				 err);
}

/* Keys may refer to one long text: it is told once. */
static int read_text(struct lprof *l, const struct pickle_value *v, uint32_t *number,
		     struct err *err)
{
	uint32_t *known = &l->texts[v - l->pickle.values];

	if (*known == TEXT_NONE &&
	    line_rows_text(&l->rows, v->as.text, v->at, known, err) < 0)
		return -1;
	*number = *known;
	return 0;
}

static int read_function(struct lprof *l, const struct pickle_value *key,
			 const struct pickle_value *entries, struct err *err)
{
	const struct pickle_value *parts[3];
	struct line_function f = { .total_s = -1, .at = key->at };

	if (spend(l, key, err) < 0 || spend(l, entries, err) < 0)
		return -1;
	if (!take_items(&l->pickle, key, 3, parts) || parts[0]->type != PICKLE_TEXT ||
	    parts[1]->type != PICKLE_INT || parts[2]->type != PICKLE_TEXT)
		return err_at(err, key->at,
			      "bad key: (file, first line, name) is expected");
	if (!is_list(entries))
		return err_at(err, entries->at, "lines are %s, not a list",
			      pickle_type_name(entries->type));
	f.line = parts[1]->as.number;
	if (read_text(l, parts[0], &f.file, err) < 0 ||
	    read_text(l, parts[2], &f.name, err) < 0 ||
	    line_rows_begin(&l->rows, &f, err) < 0)
		return -1;
	const struct pickle_item *items = l->pickle.items;
	for (uint32_t i = entries->first; i != PICKLE_NONE; i = items[i].next)
		if (read_entry(l, value_at(&l->pickle, items[i].value), err) < 0)
			return -1;
	return 0;
}

/* NULL when there is none of that name: the last one counts. */
static const struct pickle_value *get(const struct pickle *p,
				      const struct pickle_value *dict, const char *key)
{
	const struct pickle_value *found = NULL;

	for (uint32_t i = dict->first; i != PICKLE_NONE;
	     i = p->items[p->items[i].next].next) {
		const struct pickle_value *name = value_at(p, p->items[i].value);
		if (name->type == PICKLE_TEXT && str_is(name->as.text, key))
			found = value_at(p, p->items[p->items[i].next].value);
	}
	return found;
}

static int read_unit(struct lprof *l, const struct pickle_value *state, struct err *err)
{
	const struct pickle_value *unit = get(&l->pickle, state, "unit");

	if (!unit)
		return err_at(err, state->at, "LineStats has no timer unit");
	if (unit->type != PICKLE_FLOAT && unit->type != PICKLE_INT)
		return err_at(err, unit->at, "the timer's unit is %s, not a number",
			      pickle_type_name(unit->type));
	double seconds =
		unit->type == PICKLE_INT ? (double)unit->as.number : unit->as.real;
	if (!isfinite(seconds) || seconds <= 0)
		return err_at(err, unit->at, "bad timer unit: %g s", seconds);
	l->tick_ns = line_tick_ns(seconds);
	return 0;
}

static int read_stats(struct lprof *l, struct err *err)
{
	const struct pickle *p = &l->pickle;
	const struct pickle_value *top = value_at(p, p->top);

	if (top->type != PICKLE_OBJECT || !top->n)
		return err_at(err, top->at,
			      "not data of line_profiler: the pickle is %s, not a "
			      "LineStats",
			      top->type == PICKLE_OBJECT ? "the pickled object has no "
							   "state"
							 : pickle_type_name(top->type));
	const struct pickle_value *state = value_at(p, p->items[top->first].value);
	const struct pickle_value *timings = get(p, state, "timings");
	if (!timings)
		return err_at(err, state->at, "LineStats has no timings");
	if (timings->type != PICKLE_DICT)
		return err_at(err, timings->at, "timings is %s, not a dict",
			      pickle_type_name(timings->type));
	if (read_unit(l, state, err) < 0)
		return -1;
	l->texts = spill_alloc(p->spill, p->nvalues, sizeof(*l->texts));
	memset(l->texts, 0xff, p->nvalues * sizeof(*l->texts)); /* TEXT_NONE */
	for (uint32_t i = timings->first; i != PICKLE_NONE;) {
		uint32_t entries = p->items[i].next;
		if (read_function(l, value_at(p, p->items[i].value),
				  value_at(p, p->items[entries].value), err) < 0)
			return -1;
		i = p->items[entries].next;
	}
	return 0;
}

static int lprof_read(struct input *in, const struct read_options *options,
		      struct sink *sink, struct err *err)
{
	const struct profile_fact profile = { .format = "line_profiler",
					      .dialect = "lprof",
					      PROFILE_FACT_NONE };
	struct lprof l = { .looked_at = 0 };
	struct bytes text;

	if (input_whole(in, "a dump", &text, err) < 0)
		return -1;
	line_rows_init(&l.rows, sink, options);
	l.rows.is_timed = true;
	int rc = pickle_open_classes(&l.pickle, text, options->spill, classes, err);
	if (rc == 0)
		rc = read_stats(&l, err);
	if (rc == 0)
		rc = line_rows_tell(&l.rows, err);
	if (rc == 0 && l.pickle.at < text.n)
		rc = line_rows_finding(&l.rows, FINDING_TRAILING_BYTES, l.pickle.at,
				       STR_LIT(""), err);
	if (rc == 0)
		sink->profile(sink, &profile);
	spill_free(options->spill, l.texts);
	pickle_release(&l.pickle);
	line_rows_release(&l.rows);
	return rc;
}

static bool contains(struct bytes head, const char *text)
{
	return str_contains((struct str){ (const char *)head.p, head.n }, str_of(text));
}

/*
 * Other pickles are refused with what they name, which says more than that the format is
 * not known; those that another name fits better are left to it.
 */
static enum probe lprof_probe(struct bytes head)
{
	if (!foreign_is_pickle(head) || contains(head, "YFuncStat") ||
	    contains(head, "segments") || contains(head, "device_traces"))
		return PROBE_NO;
	return contains(head, "LineStats") ? PROBE_SURE : PROBE_MAYBE;
}

const struct reader lprof_reader = {
	.name = "lprof",
	.help = "dumps of line_profiler: kernprof -l",
	.probe = lprof_probe,
	.read = lprof_read,
};
