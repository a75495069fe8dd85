/* Lines of functions gathered: see line_rows.h. */
#include "ingest/line_rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"
#include "base/utf8.h"
#include "ingest/tell.h"

#define NS_PER_S     1e9
#define NEARLY_WHOLE 1e-12
#define ROWS_MAX     (UINT32_MAX - 1)

void line_rows_init(struct line_rows *l, struct sink *sink,
		    const struct read_options *options)
{
	*l = (struct line_rows){ .sink = sink, .options = options };
	intern_init(&l->keys);
	buf_init(&l->text, (size_t)read_limits(options)->text_bytes);
}

void line_rows_release(struct line_rows *l)
{
	intern_release(&l->keys);
	buf_release(&l->text);
	free(l->functions);
	free(l->rows);
}

int line_rows_finding(const struct line_rows *l, enum finding what, size_t at,
		      struct str excerpt, struct err *err)
{
	return tell_finding(l->sink, l->options, what, at, excerpt, err);
}

int line_rows_text(struct line_rows *l, struct str text, size_t at, uint32_t *number,
		   struct err *err)
{
	buf_clear(&l->text);
	bool is_whole = utf8_add_valid(&l->text, text);
	*number = l->sink->text(l->sink, l->text.n ? buf_str(&l->text) : STR_LIT(""));
	return is_whole ? 0
			: line_rows_finding(l, FINDING_TEXT_SIZE, at, STR_LIT(""), err);
}

int line_rows_begin(struct line_rows *l, const struct line_function *function,
		    struct err *err)
{
	const int64_t key[] = { function->file, function->name, function->line };
	size_t known = l->keys.n;
	uint32_t at =
		intern_add(&l->keys, (struct str){ (const char *)key, sizeof(key) });

	if (at == known)
		*ARRAY_PUSH(l->functions, l->nfunctions, l->functions_cap) =
			(struct line_function){ .block = 0 };
	struct line_function *f = &l->functions[at];
	int64_t block = f->block + 1, timed = f->timed;
	if (l->is_timed || !timed) /* a table of memory knows no total */
		*f = *function;
	f->block = block;
	f->timed = l->is_timed ? block : timed;
	l->newest = at;
	return timed && l->is_timed ? line_rows_finding(l, FINDING_DUPLICATE_FUNCTION,
							function->at, STR_LIT(""), err)
				    : 0;
}

int line_rows_add(struct line_rows *l, const struct line_row *row, struct err *err)
{
	if (l->nrows >= ROWS_MAX)
		return err_set(err, ERR_INPUT, "more than %u lines in one profile",
			       ROWS_MAX);
	struct line_row *to = ARRAY_PUSH(l->rows, l->nrows, l->rows_cap);
	*to = *row;
	to->fact.function = l->newest;
	to->fact.block = l->functions[l->newest].block;
	to->is_timed = l->is_timed;
	return 0;
}

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct line_fact *x = &((const struct line_row *)context)[a].fact;
	const struct line_fact *y = &((const struct line_row *)context)[b].fact;

	if (x->function != y->function)
		return x->function < y->function;
	return x->block != y->block ? x->block < y->block : x->line < y->line;
}

static int64_t add_numbers(int64_t a, int64_t b)
{
	if (a == NUMBER_NONE || b == NUMBER_NONE)
		return a == NUMBER_NONE ? b : a;
	return sum_add(a, b);
}

static void add_line(struct line_fact *to, const struct line_fact *more)
{
	to->hits = add_numbers(to->hits, more->hits);
	to->self_ns = add_numbers(to->self_ns, more->self_ns);
	to->increment_bytes = add_numbers(to->increment_bytes, more->increment_bytes);
	if (more->memory_bytes > to->memory_bytes) /* NUMBER_NONE is below all */
		to->memory_bytes = more->memory_bytes;
	if (to->text == TEXT_NONE)
		to->text = more->text;
}

/* Rows in order, each line of a table once: how many. */
static size_t settle(struct line_rows *l, uint32_t *at)
{
	size_t n = 0;

	for (size_t i = 0; i < l->nrows; i++) {
		const struct line_row *row = &l->rows[at[i]];
		const struct line_function *f = &l->functions[row->fact.function];
		if (row->is_timed && row->fact.block < f->timed)
			continue;
		struct line_fact *last = n ? &l->rows[at[n - 1]].fact : NULL;
		if (last && last->function == row->fact.function &&
		    last->block == row->fact.block && last->line == row->fact.line)
			add_line(last, &row->fact);
		else
			at[n++] = at[i];
	}
	return n;
}

struct told {
	int64_t total_ns, calls; /* or NUMBER_NONE */
	int64_t block;           /* that `calls` has counted, or 0 */
	bool is_timed;           /* a table of times counts its calls */
	bool is_loop;            /* it would count rounds */
};

/* Calls are the hits of the first line that ran, in each table of the kind that counts. */
static void note_line(struct told *to, const struct line_row *row)
{
	const struct line_fact *line = &row->fact;

	if (to->is_timed && !row->is_timed)
		return;
	to->total_ns = add_numbers(to->total_ns, line->self_ns);
	if (line->hits == NUMBER_NONE || line->hits <= 0 || to->block == line->block)
		return;
	to->calls = add_numbers(to->calls, line->hits);
	to->is_loop |= row->is_loop;
	to->block = line->block;
}

static int tell_function(struct line_rows *l, const struct line_function *f,
			 const struct told *told, uint32_t *number, struct err *err)
{
	const struct function_fact fact = { .file = f->file,
					    .name = f->name,
					    .line = f->line };
	struct function_stat_fact stat = { .offset = f->at };

	*number = stat.function = l->sink->function(l->sink, &fact);
	stat.sums =
		(struct call_sums){ .calls.n = told->is_loop ? NUMBER_NONE : told->calls,
				    .primitive.n = NUMBER_NONE,
				    .has_times = true,
				    .self_s = (double)NAN,
				    .total_s = (double)NAN };
	if (f->total_s >= 0)
		stat.sums.total_s = f->total_s;
	else if (told->total_ns != NUMBER_NONE)
		stat.sums.total_s = (double)told->total_ns / NS_PER_S;
	return l->sink->function_stat(l->sink, &stat, err);
}

/* The rows at[0] to at[n - 1] are the function's. */
static int tell(struct line_rows *l, const struct line_function *f, const uint32_t *at,
		size_t n, struct err *err)
{
	int64_t none = f->timed ? 0 : NUMBER_NONE;
	struct told told = { .total_ns = none, .calls = none, .is_timed = f->timed };
	uint32_t number;

	for (size_t i = 0; i < n; i++)
		note_line(&told, &l->rows[at[i]]);
	int rc = tell_function(l, f, &told, &number, err);
	for (size_t i = 0; i < n && rc == 0; i++) {
		struct line_fact line = l->rows[at[i]].fact;
		line.function = number;
		rc = l->sink->line(l->sink, &line, err);
	}
	return rc;
}

int line_rows_tell(struct line_rows *l, struct err *err)
{
	uint32_t *at = sorted_places(l->nrows, is_before, l->rows);
	size_t n = settle(l, at), from = 0, to;
	int rc = 0;

	for (size_t f = 0; f < l->nfunctions && rc == 0; f++, from = to) {
		for (to = from; to < n && l->rows[at[to]].fact.function == f;)
			to++;
		rc = tell(l, &l->functions[f], at + from, to - from, err);
	}
	free(at);
	return rc;
}

double line_tick_ns(double unit_s)
{
	double ns = unit_s * NS_PER_S, whole = rint(ns);

	return fabs(ns - whole) <= NEARLY_WHOLE * fabs(ns) ? whole : ns;
}
