/*
 * What Python's pstats prints: `python -m cProfile`, `-m profile`, %prun, print_stats(),
 * print_callers(), print_callees(), profiling.sampling, wherever in a text it stands.
 *
 * A text may hold several tables.  Those of one profile, which is told by its totals,
 * say the same numbers: its longest listing gives the rows, all of its tables of callers
 * and callees give calls.  An input is one profile, so others are only told.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/bignum.h"
#include "ingest/printed.h"
#include "ingest/pstats_graph.h"
#include "ingest/pstats_table.h"

#define NO_PROFILE UINT32_MAX

/* A table and what stands above it; texts are numbers in `texts`. */
struct report {
	struct title title;
	size_t at; /* where its rows begin */
	size_t rows;
	uint32_t profile, order, restrictions;
};

struct totals {
	uint32_t files, said; /* texts */
	size_t at;
};

struct text {
	struct table_sink table; /* first: the callbacks cast back */
	struct printed in;
	struct intern texts;
	struct intern keys; /* what tells profiles apart; numbers are indexes */
	struct totals *profiles;
	size_t profiles_cap;
	struct report *reports;
	size_t nreports, reports_cap;
	/* What was said since the last table. */
	struct buf files, restrictions, action;
	uint32_t order, profile;
	struct report *counting; /* while tables are looked for */
	size_t bad_at, nbad;
	struct graph graph;
	enum title_kind reading; /* which rows come */
	bool is_swapped, is_uncounted;
};

/* It cannot be kept: see BIGNUM_DIGITS_MAX. */
static bool has_long_count(const struct text_row *row)
{
	return bignum_is_too_long(row->sums.calls.digits) ||
	       bignum_is_too_long(row->sums.primitive.digits);
}

static int count_row(struct table_sink *s, struct str function,
		     const struct text_row *row, size_t at, struct err *err)
{
	struct text *t = (struct text *)s;

	(void)function;
	if (has_long_count(row))
		t->bad_at = t->nbad++ ? t->bad_at : at;
	else
		t->counting->rows++;
	return printed_tick(&t->in, err);
}

static int count_bad(struct table_sink *s, struct str line, size_t at, struct err *err)
{
	struct text *t = (struct text *)s;

	(void)line;
	(void)err;
	t->bad_at = t->nbad++ ? t->bad_at : at;
	return 0;
}

static void add_line(struct buf *to, struct str line)
{
	if (to->n)
		buf_add_char(to, '\n');
	buf_add_str(to, line);
}

/* The profile that what follows is of. */
static void on_totals(struct text *t, struct str said)
{
	size_t known = t->keys.n;
	struct totals totals = { .files = intern_add(&t->texts, buf_str(&t->files)),
				 .said = intern_add(&t->texts, said),
				 .at = t->in.lines.start };

	add_line(&t->files, said);
	t->profile = intern_add(&t->keys, buf_str(&t->files));
	buf_clear(&t->files);
	if (t->profile < known)
		return;
	*ARRAY_AT(t->profiles, t->profiles_cap, t->profile) = totals;
}

static int on_table(struct text *t, const struct title *title, struct err *err)
{
	t->counting = ARRAY_PUSH(t->reports, t->nreports, t->reports_cap);
	*t->counting = (struct report){
		.title = *title,
		.at = t->in.lines.at,
		.profile = t->profile,
		.order = t->order,
		.restrictions = intern_add(&t->texts, buf_str(&t->restrictions)),
	};
	t->counting->title.said = STR_LIT(""); /* it was borrowed */
	t->order = intern_add(&t->texts, STR_LIT(""));
	buf_clear(&t->restrictions);
	return table_read(&t->in.lines, title, &t->table, err);
}

static int on_line(struct text *t, struct err *err)
{
	struct title title = title_of(t->in.lines.line);

	switch (title.kind) {
	case TITLE_NONE:
		return printed_tick(&t->in, err);
	case TITLE_FILE:
		add_line(&t->files, title.said);
		return 0;
	case TITLE_ACTION:
		buf_clear(&t->action);
		buf_add_str(&t->action, title.said);
		return 0;
	case TITLE_TOTALS:
		on_totals(t, title.said);
		return 0;
	case TITLE_ORDER:
		t->order = intern_add(&t->texts, title.said);
		buf_clear(&t->restrictions);
		return 0;
	case TITLE_RESTRICTION:
		add_line(&t->restrictions, title.said);
		return 0;
	case TITLE_LISTING:
	case TITLE_SAMPLES:
	case TITLE_CALLERS:
	case TITLE_CALLEES:
		break;
	}
	return on_table(t, &title, err);
}

static int find_tables(struct text *t, struct err *err)
{
	t->table = (struct table_sink){ .row = count_row, .bad = count_bad };
	t->profile = NO_PROFILE;
	t->order = intern_add(&t->texts, STR_LIT(""));
	while (lines_next(&t->in.lines))
		if (on_line(t, err) < 0)
			return -1;
	return 0;
}

static bool is_calls(const struct report *r)
{
	return r->title.kind == TITLE_CALLERS || r->title.kind == TITLE_CALLEES;
}

/* The first table with rows, a listing if there is one; NULL: none. */
static const struct report *first_report(const struct text *t)
{
	const struct report *first = NULL;

	for (size_t i = 0; i < t->nreports; i++) {
		const struct report *r = &t->reports[i];
		if (r->rows && !is_calls(r))
			return r;
		if (r->rows && !first)
			first = r;
	}
	return first;
}

/* Of the same profile; the first of equals. */
static const struct report *longest_listing(const struct text *t,
					    const struct report *first)
{
	const struct report *longest = first;

	for (size_t i = 0; i < t->nreports; i++) {
		const struct report *r = &t->reports[i];
		if (!is_calls(r) && r->profile == first->profile &&
		    r->rows > longest->rows)
			longest = r;
	}
	return longest;
}

static int read_listing_row(struct text *t, const struct text_row *row, size_t at,
			    struct err *err)
{
	struct text_row right = *row;

	t->is_swapped |= call_sums_put_right(&right.sums);
	t->is_uncounted |= row->sums.calls.n == -1 && row->sums.primitive.n == -1;
	if (graph_row(&t->graph, &right, at))
		return 0;
	return printed_tell(&t->in, FINDING_DUPLICATE_FUNCTION, at, row->name, err);
}

static int read_row(struct table_sink *s, struct str function, const struct text_row *row,
		    size_t at, struct err *err)
{
	struct text *t = (struct text *)s;

	if (has_long_count(row))
		return printed_tell(&t->in, FINDING_ROW_SYNTAX, at, row->name, err);
	if ((row->sums.calls.digits.n || row->sums.primitive.digits.n) &&
	    printed_tell(&t->in, FINDING_COUNT_RANGE, at, row->name, err) < 0)
		return -1;
	if (t->reading == TITLE_CALLERS)
		graph_call(&t->graph, row->name, function, &row->sums);
	else if (t->reading == TITLE_CALLEES)
		graph_call(&t->graph, function, row->name, &row->sums);
	else
		return read_listing_row(t, row, at, err);
	return 0;
}

static int read_bad(struct table_sink *s, struct str line, size_t at, struct err *err)
{
	return printed_tell(&((struct text *)s)->in, FINDING_ROW_SYNTAX, at,
			    line_trimmed(line), err);
}

static int read_report(struct text *t, const struct report *r, struct err *err)
{
	t->in.lines.at = r->at;
	t->reading = r->title.kind;
	return table_read(&t->in.lines, &r->title, &t->table, err);
}

/* What stands above the listing. */
static int tell_header(struct text *t, const struct report *r, struct err *err)
{
	struct str said = STR_LIT("");

	if (r->profile != NO_PROFILE) {
		printed_metadata(&t->in, "files",
				 intern_str(&t->texts, t->profiles[r->profile].files));
		printed_metadata(&t->in, "totals",
				 intern_str(&t->texts, t->profiles[r->profile].said));
		said = intern_str(&t->texts, t->profiles[r->profile].said);
	}
	printed_metadata(&t->in, "action", buf_str(&t->action));
	printed_metadata(&t->in, "order", intern_str(&t->texts, r->order));
	printed_metadata(&t->in, "restrictions", intern_str(&t->texts, r->restrictions));
	struct str restrictions = intern_str(&t->texts, r->restrictions);
	if (restrictions.n && !is_calls(r) &&
	    printed_tell(&t->in, FINDING_LISTING_REDUCED, r->at, restrictions, err) < 0)
		return -1;
	for (uint32_t i = 0; i < t->keys.n; i++)
		if (r->profile != NO_PROFILE && i != r->profile &&
		    printed_tell(&t->in, FINDING_SEVERAL_PROFILES, t->profiles[i].at,
				 said, err) < 0)
			return -1;
	return 0;
}

static int tell_counts(struct text *t, bool is_sampled, struct err *err)
{
	if (is_sampled)
		return printed_tell(&t->in, FINDING_COUNTS_ARE_SAMPLES, 0, STR_LIT(""),
				    err);
	if (t->is_uncounted)
		return printed_tell(&t->in, FINDING_COUNTS_MISSING, 0, STR_LIT(""), err);
	if (t->is_swapped)
		return printed_tell(&t->in, FINDING_COUNTS_SWAPPED, 0, STR_LIT(""), err);
	return 0;
}

static int tell_rest(struct text *t, const struct report *r, struct err *err)
{
	const struct graph *g = &t->graph;
	struct profile_fact profile = printed_profile("text");

	if (g->nderived &&
	    printed_tell(&t->in, FINDING_ROWS_FROM_CALLERS, r->at, STR_LIT(""), err) < 0)
		return -1;
	t->in.has_cut_text = g->ncut > 0;
	if (tell_counts(t, r->title.kind == TITLE_SAMPLES, err) < 0)
		return -1;
	return printed_end(&t->in, &profile, err);
}

static int no_rows(const struct text *t, struct err *err)
{
	if (t->nbad)
		return err_at(err, t->bad_at,
			      "no row of the pstats listing can be read: a row needs "
			      "ncalls, tottime, percall, cumtime, percall and a name");
	if (t->keys.n || t->nreports)
		return err_at(err, t->keys.n ? t->profiles[0].at : t->reports[0].at,
			      "the pstats listing has no rows: the profile has no "
			      "functions, or the listing was cut off");
	return err_at(err, 0, "it has no listing of pstats");
}

static int read_profile(struct text *t, struct err *err)
{
	const struct report *r = first_report(t);

	if (!r)
		return no_rows(t, err);
	t->table = (struct table_sink){ .row = read_row, .bad = read_bad };
	if (!is_calls(r))
		r = longest_listing(t, r);
	if (tell_header(t, r, err) < 0 || (!is_calls(r) && read_report(t, r, err) < 0))
		return -1;
	for (size_t i = 0; i < t->nreports; i++) {
		const struct report *calls = &t->reports[i];
		bool is_same = calls->profile == r->profile ||
			       calls->profile == NO_PROFILE || r->profile == NO_PROFILE;
		if (is_calls(calls) && is_same && read_report(t, calls, err) < 0)
			return -1;
	}
	t->graph.text_bytes = read_limits(t->in.options)->text_bytes;
	if (graph_tell(&t->graph, t->in.sink, err) < 0)
		return -1;
	return tell_rest(t, r, err);
}

static void text_init(struct text *t)
{
	intern_init(&t->texts);
	intern_init(&t->keys);
	buf_init(&t->files, SIZE_MAX);
	buf_init(&t->restrictions, SIZE_MAX);
	buf_init(&t->action, SIZE_MAX);
	graph_init(&t->graph);
}

static void text_release(struct text *t)
{
	printed_close(&t->in);
	intern_release(&t->texts);
	intern_release(&t->keys);
	free(t->profiles);
	free(t->reports);
	buf_release(&t->files);
	buf_release(&t->restrictions);
	buf_release(&t->action);
	graph_release(&t->graph);
}

static int text_read(struct input *in, const struct read_options *options,
		     struct sink *sink, struct err *err)
{
	struct text t = { 0 };
	int rc;

	text_init(&t);
	rc = printed_open(&t.in, in, options, sink, err);
	if (rc == 0)
		rc = find_tables(&t, err);
	if (rc == 0)
		rc = read_profile(&t, err);
	text_release(&t);
	return rc;
}

/* Totals or a table. */
static bool is_report(struct str line, struct str *name)
{
	enum title_kind kind = title_of(line).kind;

	*name = STR_LIT("");
	return kind == TITLE_TOTALS || title_is_table(kind);
}

static enum probe text_probe(struct bytes head)
{
	return printed_probe(head, is_report);
}

/* A listing of Lightning's AdvancedProfiler, which prints one for each action. */
static bool begins_action(struct str line, struct str *name)
{
	struct title title = title_of(line);

	*name = title.said;
	return title.kind == TITLE_ACTION;
}

const struct reader pstats_text_reader = {
	.name = "pstats-text",
	.help = "what pstats prints: python -m cProfile, %prun, print_stats",
	.probe = text_probe,
	.read = text_read,
	.begins = begins_action,
	.is_anywhere = true,
	.is_print = true,
};
