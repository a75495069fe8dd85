/*
 * The report of PyTorch Lightning's SimpleProfiler (lightning/pytorch/profilers/
 * simple.py), wherever in a text it stands: a table of actions, whose cells have bars
 * between them.  Three layouts: up to 1.0 the mean and the total alone, as with
 * extended=False ever since; 1.1 to 1.5 with counts and percentages, a bar behind each
 * cell but the first; since 1.6 a bar before the first, too.  Actions lie within each
 * other (a batch in its epoch), so that their times are inclusive and percentages add up
 * to more than 100.
 */
#include <math.h>

#include "base/sum.h"
#include "ingest/parts.h"
#include "ingest/printed.h"

#define CELLS_MAX 5 /* of a row */
/* Both numbers of a count that is computed have 5 digits. */
#define COMPUTED_ERROR 2e-4

enum cell_kind { CELL_NAME, CELL_MEAN, CELL_CALLS, CELL_TOTAL, CELL_SHARE, NCELLS };

static const char *const titles[NCELLS] = {
	[CELL_NAME] = "Action",        [CELL_MEAN] = "Mean duration (s)",
	[CELL_CALLS] = "Num calls",    [CELL_TOTAL] = "Total time (s)",
	[CELL_SHARE] = "Percentage %",
};

struct layout {
	enum cell_kind kinds[CELLS_MAX];
	size_t n;
	bool begins_with_bar, ends_with_bar;
};

struct reading {
	struct printed in;
	struct layout layout;
	struct buf stage; /* "FIT" */
	double whole_s;   /* of the row Total, or NaN */
	size_t ncomputed; /* counts that the report does not hold */
	size_t at;        /* of the titles */
};

/*
 * The cells of a line, from the right, so that a bar in a name is no matter: as many as
 * there are at most, of which the first is all that is left.  0: there is no bar.
 */
static size_t cells_of(struct str line, size_t most, bool begins_with_bar,
		       bool ends_with_bar, struct str cells[CELLS_MAX])
{
	size_t n = 0;

	line = line_trimmed(line);
	if (begins_with_bar && line.n && line.p[0] == '|')
		line = str_behind(line, 1);
	if (ends_with_bar && line.n && line.p[line.n - 1] == '|')
		line.n--;
	for (size_t at = line.n; at > 0 && n + 1 < most; at--) {
		if (line.p[at - 1] != '|')
			continue;
		cells[n++] = line_trimmed(str_behind(line, at));
		line.n = at - 1;
	}
	if (n == 0)
		return 0;
	cells[n++] = line_trimmed(line);
	for (size_t i = 0; i < n / 2; i++) {
		struct str other = cells[i];
		cells[i] = cells[n - 1 - i];
		cells[n - 1 - i] = other;
	}
	return n;
}

/* The titles of the columns, which say how rows are laid out. */
static bool is_titles(struct str line, struct layout *l)
{
	struct str cells[CELLS_MAX] = { { "", 0 } }, said = line_trimmed(line);
	bool has[NCELLS] = { false };

	if (said.n < 2 || !memchr(said.p, '|', said.n))
		return false;
	*l = (struct layout){ .begins_with_bar = said.p[0] == '|',
			      .ends_with_bar = said.p[said.n - 1] == '|' };
	l->n = cells_of(line, CELLS_MAX, l->begins_with_bar, l->ends_with_bar, cells);
	for (size_t i = 0; i < l->n; i++) {
		size_t kind = 0;
		while (kind < NCELLS && !str_is(cells[i], titles[kind]))
			kind++;
		if (kind == NCELLS || has[kind])
			return false;
		has[kind] = true;
		l->kinds[i] = (enum cell_kind)kind;
	}
	return l->n > 0 && l->kinds[0] == CELL_NAME && has[CELL_MEAN];
}

static bool begins(struct str line, struct str *name)
{
	struct layout layout;

	*name = STR_LIT("");
	return is_titles(line, &layout);
}

bool lightning_stage(struct str line, struct str *stage)
{
	const struct str title = STR_LIT("Profiler Report");
	struct str said = line_trimmed(line);

	if (said.n < title.n || !str_equal(str_behind(said, said.n - title.n), title))
		return false;
	*stage = line_trimmed((struct str){ said.p, said.n - title.n });
	for (size_t i = 0; i < stage->n; i++)
		if ((stage->p[i] < 'A' || stage->p[i] > 'Z') && stage->p[i] != '_')
			return false;
	return true;
}

static bool is_report(struct str line, struct str *said)
{
	return begins(line, said) || lightning_stage(line, said);
}

static enum probe lightning_probe(struct bytes head)
{
	return printed_probe(head, is_report);
}

struct action {
	struct str name;
	double mean_s, total_s; /* NaN: not a number */
	int64_t calls;
	unsigned numbers; /* cells that are one */
};

static void read_cell(enum cell_kind kind, struct str text, struct action *a)
{
	double share;

	if (kind == CELL_NAME)
		a->name = text;
	else if (kind == CELL_MEAN)
		a->numbers += printed_number(text, &a->mean_s);
	else if (kind == CELL_TOTAL)
		a->numbers += printed_number(text, &a->total_s);
	else if (kind == CELL_CALLS)
		a->numbers += printed_count(text, &a->calls);
	else
		a->numbers += printed_number(text, &share);
}

/*
 * As many as fit the rounded mean and total; where more than one does, the nearest.
 * False: they fit no count.
 */
static bool compute_calls(struct action *a)
{
	double calls = a->mean_s > 0 ? a->total_s / a->mean_s : 0;

	if (!(calls >= 0) || calls > 1e15)
		return false;
	a->calls = llround(calls);
	return fabs(calls - (double)a->calls) <= COMPUTED_ERROR * calls + 1e-9;
}

/* The time of all, "-" and "_" where others have numbers. */
static bool is_total(const struct reading *r, const struct str *cells)
{
	return str_is(cells[0], "Total") && r->layout.n > 1 && str_is(cells[1], "-");
}

static int tell_action(struct reading *r, struct action *a, struct err *err)
{
	bool has_calls = a->calls != NUMBER_NONE;

	if (!has_calls && !compute_calls(a))
		return printed_bad_row(&r->in, err);
	r->ncomputed += !has_calls;
	const struct call_sums sums = { .calls.n = a->calls,
					.primitive.n = a->calls,
					.has_times = true,
					.self_s = (double)NAN,
					.total_s = a->total_s };
	return printed_function(&r->in, a->name, &sums, err);
}

/* A line among the rows; what has no number where numbers stand is other output. */
static int read_row(struct reading *r, struct err *err)
{
	const struct layout *l = &r->layout;
	struct str cells[CELLS_MAX] = { { "", 0 } };
	struct str line = line_trimmed(r->in.lines.line);
	struct action a = { .mean_s = (double)NAN,
			    .total_s = (double)NAN,
			    .calls = NUMBER_NONE };

	if (l->begins_with_bar && (line.n == 0 || line.p[0] != '|'))
		return 0;
	if (cells_of(line, l->n, l->begins_with_bar, l->ends_with_bar, cells) != l->n)
		return 0;
	for (size_t i = 0; i < l->n; i++)
		read_cell(l->kinds[i], cells[i], &a);
	if (is_total(r, cells)) {
		r->whole_s = a.total_s;
		return 0;
	}
	/* its last number may be cut, too */
	bool is_cut = r->in.lines.is_cut && (line.n == 0 || line.p[line.n - 1] != '|') &&
		      line.n == r->in.lines.line.n;
	if (a.numbers == 0)
		return 0;
	if (is_cut || a.numbers + 1 < l->n || a.name.n == 0)
		return printed_bad_row(&r->in, err);
	return tell_action(r, &a, err);
}

static bool is_dashes(struct str line)
{
	line = line_trimmed(line);
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] != '-')
			return false;
	return line.n > 0;
}

/* Behind the titles: to an empty line, or the one that closes the newest layout. */
static int read_rows(struct reading *r, struct err *err)
{
	int more = 1;

	while ((more = printed_next(&r->in, err)) > 0) {
		struct str line = r->in.lines.line;
		if (line_is_blank(line) ||
		    (r->layout.begins_with_bar && r->in.nrows && is_dashes(line)))
			return 0;
		if (!is_dashes(line) && read_row(r, err) < 0)
			return -1;
	}
	return more;
}

static int find_titles(struct reading *r, struct err *err)
{
	int more;

	while ((more = printed_next(&r->in, err)) > 0) {
		struct str stage;
		if (lightning_stage(r->in.lines.line, &stage)) {
			buf_clear(&r->stage);
			buf_add_str(&r->stage, stage);
		}
		if (is_titles(r->in.lines.line, &r->layout)) {
			r->at = r->in.lines.start;
			return 1;
		}
	}
	return more;
}

static int tell_rest(struct reading *r, struct err *err)
{
	struct profile_fact profile = printed_profile("lightning");
	const struct str none = STR_LIT("");

	if (r->in.nrows == 0)
		return err_at(err, r->at,
			      "the report of Lightning has no actions: nothing was "
			      "timed, or it was cut off");
	if (!isnan(r->whole_s))
		profile.span_end_ns = sum_of_double(round(r->whole_s * 1e9));
	printed_metadata(&r->in, "stage", buf_str(&r->stage));
	if (r->ncomputed &&
	    printed_tell(&r->in, FINDING_COUNTS_COMPUTED, r->at, none, err) < 0)
		return -1;
	if (printed_tell(&r->in, FINDING_TOTALS_ALONE, r->at, none, err) < 0)
		return -1;
	return printed_end(&r->in, &profile, err);
}

static int lightning_read(struct input *in, const struct read_options *options,
			  struct sink *sink, struct err *err)
{
	struct reading r = { .whole_s = (double)NAN };

	buf_init(&r.stage, SIZE_MAX);
	int rc = printed_open(&r.in, in, options, sink, err);
	if (rc == 0)
		rc = find_titles(&r, err);
	if (rc > 0)
		rc = read_rows(&r, err);
	if (rc == 0)
		rc = tell_rest(&r, err);
	printed_close(&r.in);
	buf_release(&r.stage);
	return rc;
}

const struct reader lightning_reader = {
	.name = "lightning",
	.help = "what the SimpleProfiler of PyTorch Lightning prints",
	.probe = lightning_probe,
	.read = lightning_read,
	.begins = begins,
	.is_print = true,
};
