/*
 * The table that key_averages().table() of torch.profiler prints (torch/autograd/
 * profiler_util.py), as logs hold it: columns that some recordings have and others have
 * not, as wide as the dashes under their titles, two blanks apart.  Times and sizes have
 * units of their own in each cell.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/intern.h"
#include "base/sum.h"
#include "base/utf8.h"
#include "ingest/printed.h"
#include "trace/opstat.h"

#define COLUMNS_MAX 24
#define GAP         2    /* blanks between columns */
#define WHOLE_LEAST 0.99 /* of the printed total, of a table with all rows */

enum column {
	COLUMN_OTHER, /* percentages, averages, nodes: they follow from others */
	COLUMN_NAME,
	COLUMN_OVERLOAD,
	COLUMN_SHAPES,
	COLUMN_SOURCE,
	COLUMN_CALLS,
	COLUMN_FLOPS,
	COLUMN_TOTAL_SHARE, /* "0" without a percent sign outside the tree */
	COLUMN_SELF,        /* from here on numbers with a unit */
	COLUMN_TOTAL,
	COLUMN_SELF_DEVICE,
	COLUMN_TOTAL_DEVICE,
	COLUMN_MEM,
	COLUMN_SELF_MEM,
	COLUMN_DEVICE_MEM,
	COLUMN_SELF_DEVICE_MEM,
	NCOLUMNS
};

static const struct {
	const char *title;
	enum column column;
} known[] = {
	{ "Name", COLUMN_NAME },
	{ "Overload Name", COLUMN_OVERLOAD },
	{ "Input Shapes", COLUMN_SHAPES },
	{ "Source Location", COLUMN_SOURCE },
	{ "# of Calls", COLUMN_CALLS },
	{ "Number of Calls", COLUMN_CALLS }, /* up to torch 1.6 */
	{ "Self CPU", COLUMN_SELF },
	{ "Self CPU total", COLUMN_SELF }, /* likewise */
	{ "CPU total", COLUMN_TOTAL },
	{ "CPU total %", COLUMN_TOTAL_SHARE },
	{ "CPU Mem", COLUMN_MEM },
	{ "Self CPU Mem", COLUMN_SELF_MEM },
};

/* A column of the table; places and widths in characters. */
struct place {
	enum column column;
	size_t at, width;
};

struct layout {
	struct place places[COLUMNS_MAX];
	size_t n;
	double flops; /* that one of the column Total KFLOPs is */
	bool has[NCOLUMNS];
	bool has_edges; /* the dashes told them */
};

struct row {
	struct op_sum_fact sum;
	uint32_t shown; /* the name in `names` */
};

struct reading {
	struct printed in;
	struct layout layout;
	size_t at;           /* of the titles */
	struct intern names; /* numbers are indexes */
	bool *is_host;       /* owned, by name: an operator of the host has it */
	size_t is_host_cap;
	struct row *rows; /* owned */
	size_t nrows, rows_cap;
	struct buf stack; /* of the newest row */
	struct buf totals;
	double total_s;    /* Self CPU time total, or NaN */
	int64_t device_ns; /* Self CUDA time total, or 0 */
};

static bool ends_with(struct str s, const char *end)
{
	size_t n = strlen(end);

	return s.n >= n && memcmp(s.p + s.n - n, end, n) == 0;
}

/* What one of "Total KFLOPs" is. */
static double flops_unit(char letter)
{
	static const char letters[] = " KMGTP";
	const char *at = strchr(letters, letter);

	return at && *at ? pow(1000, (double)(at - letters)) : 1;
}

/* Of other devices than the CPU: CUDA, XPU, MTIA, ... */
static enum column device_column(struct str title)
{
	bool is_self = str_starts_with(title, STR_LIT("Self "));

	if (ends_with(title, " Mem"))
		return is_self ? COLUMN_SELF_DEVICE_MEM : COLUMN_DEVICE_MEM;
	if (ends_with(title, " total"))
		return is_self ? COLUMN_SELF_DEVICE : COLUMN_TOTAL_DEVICE;
	return is_self ? COLUMN_SELF_DEVICE : COLUMN_OTHER;
}

static enum column column_of(struct str title, double *flops)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (str_is(title, known[i].title))
			return known[i].column;
	if (str_starts_with(title, STR_LIT("Total ")) && ends_with(title, "FLOPs")) {
		*flops = flops_unit((char)(title.n > 11 ? title.p[6] : ' '));
		return COLUMN_FLOPS;
	}
	if (ends_with(title, "%") || ends_with(title, "time avg"))
		return COLUMN_OTHER;
	return device_column(title);
}

/* The next cell of a line whose cells are two blanks apart or more; empty: no more. */
static struct str next_cell(struct str *rest)
{
	struct str cell = str_behind(*rest, line_indent(*rest));
	size_t n = 0;

	while (n < cell.n &&
	       !(cell.p[n] == ' ' && (n + 1 == cell.n || cell.p[n + 1] == ' ')))
		n++;
	*rest = str_behind(cell, n);
	return (struct str){ cell.p, n };
}

static bool is_titles(struct str line, struct layout *l)
{
	struct str title;

	*l = (struct layout){ .flops = 1 };
	if (!str_starts_with(line_trimmed(line), STR_LIT("Name ")))
		return false;
	while ((title = next_cell(&line)).n && l->n < COLUMNS_MAX) {
		struct place *p = &l->places[l->n++];
		p->column = column_of(title, &l->flops);
		if (p->column != COLUMN_OTHER && l->has[p->column])
			return false;
		l->has[p->column] = true;
	}
	/* the value of FLOPs comes before that of the source, the title behind it */
	for (size_t i = 0; i + 1 < l->n; i++)
		if (l->places[i].column == COLUMN_SOURCE &&
		    l->places[i + 1].column == COLUMN_FLOPS) {
			l->places[i].column = COLUMN_FLOPS;
			l->places[i + 1].column = COLUMN_SOURCE;
		}
	return l->has[COLUMN_NAME] && l->has[COLUMN_SELF] && l->has[COLUMN_TOTAL] &&
	       l->has[COLUMN_CALLS];
}

static bool begins(struct str line, struct str *name)
{
	struct layout layout;

	*name = STR_LIT("");
	return is_titles(line, &layout);
}

static enum probe torch_report_probe(struct bytes head)
{
	return printed_probe(head, begins);
}

/* "-----  -----": where columns are, when there are as many as titles. */
static bool is_dashes(struct str line, struct layout *l)
{
	size_t n = 0, at = 0;
	struct place places[COLUMNS_MAX];

	while (at < line.n && n < COLUMNS_MAX) {
		size_t from = at += line_indent(str_behind(line, at));
		while (at < line.n && line.p[at] == '-')
			at++;
		if (at == from)
			break;
		places[n++] = (struct place){ .at = from, .width = at - from };
	}
	if (at < line.n || n == 0)
		return false;
	for (size_t i = 0; i < n && n == l->n; i++) {
		l->places[i].at = places[i].at;
		l->places[i].width = places[i].width;
	}
	l->has_edges |= n == l->n;
	return true;
}

/* The bytes of so many characters from the front, or all that there are. */
static size_t bytes_of(struct str text, size_t characters)
{
	size_t n = 0;
	uint32_t code;

	while (characters-- > 0 && n < text.n)
		n += utf8_decode(str_behind(text, n), &code);
	return n;
}

/* By the dashes; false: something stands where two columns part. */
static bool cut_cells(const struct layout *l, struct str line, struct str *cells)
{
	size_t at = 0, byte = 0;

	for (size_t i = 0; i < l->n; i++) {
		bool is_last = i + 1 == l->n;
		struct str before = str_behind(line, byte);
		before.n = bytes_of(before, l->places[i].at - at);
		if (!line_is_blank(before))
			return false;
		byte += before.n;
		struct str cell = str_behind(line, byte);
		if (!is_last)
			cell.n = bytes_of(cell, l->places[i].width);
		byte += cell.n;
		at = l->places[i].at + l->places[i].width;
		cells[i] = line_trimmed(cell);
	}
	return true;
}

static bool split_cells(const struct layout *l, struct str line, struct str *cells)
{
	for (size_t i = 0; i < l->n; i++) {
		cells[i] = next_cell(&line);
		if (cells[i].n == 0)
			return false;
	}
	return line_is_blank(line);
}

/* "364.388us", "13.11 MB", "-316 b": ns or bytes. */
static bool read_amount(struct str text, int64_t *amount)
{
	static const struct {
		const char *unit;
		double factor;
	} units[] = {
		{ "us", 1e3 },   { "ms", 1e6 },      { "s", 1e9 },          { " b", 1 },
		{ " Kb", 1024 }, { " Mb", 1048576 }, { " Gb", 1073741824 }, { " B", 1 },
		{ " KB", 1024 }, { " MB", 1048576 }, { " GB", 1073741824 },
	};
	double number;

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		struct str digits = { text.p, text.n - strlen(units[i].unit) };
		if (!ends_with(text, units[i].unit) || !printed_number(digits, &number))
			continue;
		number *= units[i].factor;
		if (!(fabs(number) < 9e18))
			return false;
		*amount = llround(number);
		return true;
	}
	return false;
}

static int64_t *amount_of(struct op_sum_fact *sum, enum column column)
{
	int64_t *const amounts[NCOLUMNS] = {
		[COLUMN_SELF] = &sum->sums.self_ns,
		[COLUMN_TOTAL] = &sum->sums.total_ns,
		[COLUMN_SELF_DEVICE] = &sum->sums.self_device_ns,
		[COLUMN_TOTAL_DEVICE] = &sum->sums.total_device_ns,
		[COLUMN_MEM] = &sum->sums.cpu_bytes,
		[COLUMN_SELF_MEM] = &sum->sums.self_cpu_bytes,
		[COLUMN_DEVICE_MEM] = &sum->sums.device_bytes,
		[COLUMN_SELF_DEVICE_MEM] = &sum->sums.self_device_bytes,
	};

	return amounts[column];
}

static bool read_cell(struct reading *r, enum column column, struct str text,
		      struct row *row)
{
	struct op_sum_fact *sum = &row->sum;
	double flops;

	if (column == COLUMN_NAME) {
		sum->name = printed_text(&r->in, text);
		row->shown = intern_add(&r->names, text);
		return true; /* names may be empty */
	}
	if (column == COLUMN_OVERLOAD && text.n)
		sum->overload = printed_text(&r->in, text);
	if (column == COLUMN_SHAPES && text.n)
		sum->shapes = printed_text(&r->in, text);
	sum->is_async |= column == COLUMN_TOTAL_SHARE && str_is(text, "0");
	if (column == COLUMN_CALLS)
		return printed_count(text, &sum->sums.calls) && sum->sums.calls > 0;
	if (column == COLUMN_FLOPS && printed_number(text, &flops) &&
	    fabs(flops * r->layout.flops) < 9e18)
		sum->sums.flops = llround(flops * r->layout.flops);
	return column < COLUMN_SELF || read_amount(text, amount_of(sum, column));
}

static void add_frame(struct reading *r, struct str frame)
{
	if (r->stack.n)
		buf_add_char(&r->stack, ';');
	buf_add_str(&r->stack, frame);
}

static void end_row(struct reading *r)
{
	if (r->nrows && r->stack.n)
		r->rows[r->nrows - 1].sum.stack =
			printed_text(&r->in, buf_str(&r->stack));
	buf_clear(&r->stack);
}

static void push_row(struct reading *r, const struct row *row)
{
	size_t had = r->is_host_cap;

	end_row(r);
	*ARRAY_PUSH(r->rows, r->nrows, r->rows_cap) = *row;
	r->is_host = xgrow(r->is_host, &r->is_host_cap, row->shown + (size_t)1,
			   sizeof(*r->is_host));
	while (had < r->is_host_cap)
		r->is_host[had++] = false;
	r->is_host[row->shown] |=
		row->sum.sums.total_ns != 0 || row->sum.sums.self_ns != 0;
}

static int read_row(struct reading *r, struct err *err)
{
	const struct layout *l = &r->layout;
	struct str cells[COLUMNS_MAX] = { { "", 0 } };
	struct str line = r->in.lines.line, frame = STR_LIT("");
	struct row row = { .sum = { .shapes = TEXT_NONE,
				    .stack = TEXT_NONE,
				    .overload = TEXT_NONE,
				    .sums.flops = NUMBER_NONE,
				    .offset = r->in.lines.start } };
	bool is_row = !r->in.lines.is_cut, has_number = false;

	if (!(l->has_edges && cut_cells(l, line, cells)) && !split_cells(l, line, cells))
		return printed_bad_row(&r->in, err);
	for (size_t i = 0; i < l->n; i++) {
		if (l->places[i].column == COLUMN_SOURCE)
			frame = cells[i];
		else
			has_number |= cells[i].n > 0;
	}
	if (has_number) { /* else a stack goes on, or ends */
		for (size_t i = 0; i < l->n && is_row; i++)
			is_row = read_cell(r, l->places[i].column, cells[i], &row);
		if (!is_row)
			return printed_bad_row(&r->in, err);
		push_row(r, &row);
	}
	if (frame.n)
		add_frame(r, frame);
	return 0;
}

static int find_titles(struct reading *r, struct err *err)
{
	int more;

	while ((more = printed_next(&r->in, err)) > 0) {
		r->at = r->in.lines.start;
		if (is_titles(r->in.lines.line, &r->layout))
			return 1;
	}
	return more;
}

/* To the dashes that close the table, or an empty line. */
static int read_rows(struct reading *r, struct err *err)
{
	bool has_begun = false;
	int more;

	while ((more = printed_next(&r->in, err)) > 0) {
		struct str line = r->in.lines.line;
		bool is_rule = is_dashes(line, &r->layout);
		if (is_rule && r->nrows)
			break;
		if (!is_rule && line_trimmed(line).n == 0 && has_begun &&
		    !r->layout.has[COLUMN_SOURCE])
			break;
		has_begun |= !is_rule;
		if (!is_rule && line_trimmed(line).n && read_row(r, err) < 0)
			return -1;
	}
	end_row(r);
	return more < 0 ? -1 : 0;
}

/* "Self CPU time total: 191.236ms", one line a device. */
static int read_totals(struct reading *r, struct err *err)
{
	const struct str words = STR_LIT(" time total: ");
	int more;

	while ((more = printed_next(&r->in, err)) > 0) {
		struct str said = line_trimmed(r->in.lines.line);
		const char *at = said.n > words.n
					 ? memmem(said.p, said.n, words.p, words.n)
					 : NULL;
		int64_t ns;
		if (!at || !str_starts_with(said, STR_LIT("Self ")))
			return 0;
		if (r->totals.n)
			buf_add_text(&r->totals, "; ");
		buf_add_str(&r->totals, said);
		size_t from = (size_t)(at - said.p) + words.n;
		if (!read_amount(str_behind(said, from), &ns))
			continue;
		if (str_starts_with(said, STR_LIT("Self CPU")))
			r->total_s = (double)ns / 1e9;
		else
			r->device_ns = ns;
	}
	return more;
}

/*
 * What took no time of the host is work of the device, or where a row of the host has the
 * same name, its range there.
 */
static enum op_kind kind_of(const struct reading *r, const struct row *row)
{
	const struct op_sums *s = &row->sum.sums;

	if (s->self_ns || s->total_ns || (!s->self_device_ns && !s->total_device_ns))
		return OP_HOST;
	return r->is_host[row->shown] ? OP_DEVICE_ANNOTATION : OP_DEVICE;
}

static int tell_rows(struct reading *r, struct err *err)
{
	double self_s = 0;

	for (size_t i = 0; i < r->nrows; i++) {
		struct op_sum_fact sum = r->rows[i].sum;
		sum.kind = (int)kind_of(r, &r->rows[i]);
		self_s += (double)sum.sums.self_ns / 1e9;
		if (r->in.sink->op_sum(r->in.sink, &sum, err) < 0)
			return -1;
	}
	if (!(self_s < WHOLE_LEAST * r->total_s))
		return 0;
	return printed_tell(&r->in, FINDING_LISTING_REDUCED, r->at, buf_str(&r->totals),
			    err);
}

/* What shares are of, also where the table was cut to its first rows. */
static void tell_total(struct reading *r, const char *key, int64_t ns)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, ns);
	r->in.sink->metadata(r->in.sink, str_of(key), str_of(text));
}

static int tell_rest(struct reading *r, struct err *err)
{
	struct profile_fact profile = printed_profile("");
	const bool *has = r->layout.has;

	if (r->nrows == 0)
		return err_at(err, r->at,
			      "the table of key_averages() has no rows: it was cut off");
	if (tell_rows(r, err) < 0)
		return -1;
	profile.format = "torch_table";
	profile.has_memory = has[COLUMN_MEM] || has[COLUMN_SELF_MEM];
	profile.has_shapes = has[COLUMN_SHAPES];
	profile.has_stacks = has[COLUMN_SOURCE];
	profile.has_flops = has[COLUMN_FLOPS];
	if (!isnan(r->total_s)) {
		profile.span_end_ns = sum_of_double(round(r->total_s * 1e9));
		tell_total(r, "self_cpu_ns", profile.span_end_ns);
	}
	if (r->device_ns > 0)
		tell_total(r, "self_device_ns", r->device_ns);
	printed_metadata(&r->in, "totals", buf_str(&r->totals));
	return printed_end(&r->in, &profile, err);
}

static int torch_report_read(struct input *in, const struct read_options *options,
			     struct sink *sink, struct err *err)
{
	struct reading r = { .total_s = (double)NAN };

	intern_init(&r.names);
	buf_init(&r.stack, SIZE_MAX);
	buf_init(&r.totals, SIZE_MAX);
	int rc = printed_open(&r.in, in, options, sink, err);
	if (rc == 0)
		rc = find_titles(&r, err);
	if (rc > 0)
		rc = read_rows(&r, err);
	if (rc == 0)
		rc = read_totals(&r, err);
	if (rc == 0)
		rc = tell_rest(&r, err);
	printed_close(&r.in);
	intern_release(&r.names);
	buf_release(&r.stack);
	buf_release(&r.totals);
	free(r.is_host);
	free(r.rows);
	return rc;
}

const struct reader torch_report_reader = {
	.name = "torch-table",
	.help = "what torch's key_averages().table() prints",
	.probe = torch_report_probe,
	.read = torch_report_read,
	.begins = begins,
	.is_print = true,
};
