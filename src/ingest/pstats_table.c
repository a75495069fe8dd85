/* Tables of functions and their rows: see pstats_table.h. */
#include "ingest/pstats_table.h"

#include <math.h>

#include "base/decimal.h"
#include "base/utf8.h"
#include "ingest/pstats_title.h"

#define TIME_WIDTH 8 /* of a column that is left empty */
#define TEXT_MAX   ((size_t)1 << 30)

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "12", "-1", and Python 2's "12L"; digits that do not fit are kept. */
static bool read_count(struct str word, struct count *count)
{
	bool is_negative = word.n && word.p[0] == '-';
	struct str digits = str_behind(word, is_negative);
	int64_t n = 0;
	bool is_big = false;

	if (digits.n > 1 && digits.p[digits.n - 1] == 'L')
		digits.n--;
	if (digits.n == 0)
		return false;
	for (size_t i = 0; i < digits.n; i++) {
		if (!is_digit(digits.p[i]))
			return false;
		is_big |= __builtin_mul_overflow(n, 10, &n) ||
			  __builtin_add_overflow(n, digits.p[i] - '0', &n);
	}
	if (is_big)
		n = INT64_MAX;
	*count = (struct count){ is_negative ? -n : n, { NULL, 0 } };
	if (is_big)
		count->digits = (struct str){ word.p, digits.n + is_negative };
	return true;
}

/* "12" or "12/3": all calls, or samples with it on top, come first. */
static bool read_counts(struct str word, struct count *first, struct count *second)
{
	const char *slash = memchr(word.p, '/', word.n);
	size_t n = slash ? (size_t)(slash - word.p) : word.n;

	if (!read_count((struct str){ word.p, n }, first))
		return false;
	*second = *first;
	return !slash || read_count(str_behind(word, n + 1), second);
}

static bool read_real(struct str word, double *value)
{
	struct str size = str_behind(word, word.n && word.p[0] == '-');

	if (str_is(size, "nan") || str_is(size, "inf")) {
		*value = size.p[0] == 'n' ? (double)NAN : (double)INFINITY;
		*value = size.n < word.n ? -*value : *value;
		return true;
	}
	for (size_t i = 0; i < size.n; i++)
		if (!is_digit(size.p[i]) && size.p[i] != '.')
			return false;
	return word.n && decimal_real(word, value);
}

static bool next_real(struct str *rest, double *value)
{
	return read_real(line_word(rest), value);
}

/* One blank parts a row's numbers from its name, which may begin with others. */
static bool take_name(struct str rest, size_t blanks, struct text_row *row)
{
	size_t indent = line_indent(rest);

	row->name = str_behind(rest, indent < blanks ? indent : blanks);
	return indent > 0 && row->name.n > 0;
}

static bool is_zero(const struct count *count)
{
	return count->n == 0;
}

/* Of no calls no time a call is shown: the column is empty. */
static bool read_listing(struct str rest, struct text_row *row)
{
	struct call_sums *sums = &row->sums;
	double unused;

	if (!read_counts(line_word(&rest), &sums->calls, &sums->primitive) ||
	    !next_real(&rest, &sums->self_s) ||
	    (!is_zero(&sums->calls) && !next_real(&rest, &unused)) ||
	    !next_real(&rest, &sums->total_s) ||
	    (!is_zero(&sums->primitive) && !next_real(&rest, &unused)))
		return false;
	return take_name(rest, is_zero(&sums->primitive) ? TIME_WIDTH + 2 : 1, row);
}

static bool read_samples(struct str rest, double unit_s, struct text_row *row)
{
	struct call_sums *sums = &row->sums;
	double unused;

	if (!read_counts(line_word(&rest), &sums->primitive, &sums->calls) ||
	    !next_real(&rest, &unused) || !next_real(&rest, &sums->self_s) ||
	    !next_real(&rest, &unused) || !next_real(&rest, &sums->total_s))
		return false;
	sums->self_s *= unit_s;
	sums->total_s *= unit_s;
	return take_name(rest, 2, row);
}

static bool read_call(struct str rest, struct text_row *row)
{
	struct call_sums *sums = &row->sums;

	if (!read_counts(line_word(&rest), &sums->calls, &sums->primitive) ||
	    !next_real(&rest, &sums->self_s) || !next_real(&rest, &sums->total_s))
		return false;
	return take_name(rest, 2, row);
}

/* "a.py:1(f)(12)    0.002": the time is the other function's own. */
static bool read_counted_call(struct str text, struct text_row *row)
{
	double unused;
	size_t n;

	text = line_trimmed(text);
	for (n = text.n; n && text.p[n - 1] != ' '; n--)
		;
	if (!read_real(str_behind(text, n), &unused))
		return false;
	text = line_trimmed((struct str){ text.p, n });
	if (text.n < 3 || text.p[text.n - 1] != ')')
		return false;
	for (n = text.n - 1; n && text.p[n - 1] != '('; n--)
		;
	if (n < 2 ||
	    !read_count((struct str){ text.p + n, text.n - 1 - n }, &row->sums.calls))
		return false;
	row->sums.has_times = false;
	row->sums.primitive = (struct count){ NUMBER_NONE, { NULL, 0 } };
	row->name = (struct str){ text.p, n - 1 };
	return true;
}

bool text_row(struct str text, enum row_kind kind, double unit_s, struct text_row *row)
{
	*row = (struct text_row){ .sums.has_times = true };
	switch (kind) {
	case ROW_LISTING:
		return read_listing(text, row);
	case ROW_SAMPLES:
		return read_samples(text, unit_s, row);
	case ROW_CALL:
		break;
	}
	return read_call(text, row) || read_counted_call(text, row);
}

/* Where ":12(" stands for the last time, as a greedy (.*):(\d+)\((.*)\) finds it. */
static bool find_line(struct str shown, size_t *colon, size_t *bracket)
{
	if (shown.n < 4 || shown.p[shown.n - 1] != ')')
		return false;
	for (size_t i = shown.n - 1; i-- > 2;) {
		size_t n = i;
		if (shown.p[i] != '(')
			continue;
		while (n && is_digit(shown.p[n - 1]))
			n--;
		bool has_digits = n < i;
		n -= n && shown.p[n - 1] == '-';
		if (has_digits && n && shown.p[n - 1] == ':') {
			*colon = n - 1;
			*bracket = i;
			return true;
		}
	}
	return false;
}

static bool is_builtin(struct str shown)
{
	return shown.n > 1 && shown.p[0] == '{' && shown.p[shown.n - 1] == '}';
}

/* Is it certain that the name ends here?  It may be "{...}" or "...:12(...)". */
static bool text_name_is_whole(struct str name)
{
	size_t colon, bracket;

	return is_builtin(name) || find_line(name, &colon, &bracket);
}

void text_function_init(struct text_function *f)
{
	buf_init(&f->file, TEXT_MAX);
	buf_init(&f->name, TEXT_MAX);
}

void text_function_release(struct text_function *f)
{
	buf_release(&f->file);
	buf_release(&f->name);
}

/* " at 0x7f2a", which "<code object NAME at 0x7f2a, file ..." has. */
static void add_without_address(struct buf *out, struct str name)
{
	const struct str mark = STR_LIT(" at 0x");
	const char *const hex = "0123456789abcdefABCDEF";

	if (!str_starts_with(name, STR_LIT("<code object "))) {
		buf_add_str(out, name);
		return;
	}
	for (size_t i = 0; i < name.n; i++) {
		struct str rest = str_behind(name, i);
		if (!str_starts_with(rest, mark)) {
			buf_add_char(out, *rest.p);
			continue;
		}
		i += mark.n;
		while (i < name.n && name.p[i] && strchr(hex, name.p[i]))
			i++;
		buf_add_str(out, str_behind(name, i));
		return;
	}
}

void text_function(struct text_function *f, struct str shown)
{
	size_t colon, bracket;
	struct count line;

	buf_clear(&f->file);
	buf_clear(&f->name);
	buf_add_text(&f->file, "");
	buf_add_text(&f->name, "");
	f->line = 0;
	if (text_name_is_whole(line_trimmed(shown)))
		shown = line_trimmed(shown);
	if (!is_builtin(shown) && find_line(shown, &colon, &bracket) &&
	    read_count((struct str){ shown.p + colon + 1, bracket - colon - 1 }, &line) &&
	    line.digits.n == 0) {
		f->line = line.n;
		buf_add(&f->file, shown.p, colon);
		add_without_address(&f->name, (struct str){ shown.p + bracket + 1,
							    shown.n - bracket - 2 });
		return;
	}
	buf_add_char(&f->file, '~');
	if (!is_builtin(shown)) {
		buf_add_str(&f->name, shown);
		return;
	}
	buf_add_char(&f->name, '<');
	buf_add(&f->name, shown.p + 1, shown.n - 2);
	buf_add_char(&f->name, '>');
}

struct str text_stripped(struct text_function *f, struct str shown)
{
	size_t colon = 0, bracket, from = 0;

	if (!is_builtin(shown) && find_line(shown, &colon, &bracket))
		for (from = colon; from && shown.p[from - 1] != '/';)
			from--;
	buf_clear(&f->file);
	buf_add_str(&f->file, str_behind(shown, from));
	return buf_str(&f->file);
}

#define JOINS_MAX 16 /* lines of one name, or of two on one line */

struct table {
	struct lines *lines;
	const struct title *title;
	struct table_sink *sink;
	enum row_kind kind;
	/* The newest row, which may go on. */
	struct buf row;
	size_t row_at;
	size_t whole;   /* bytes of it that make a row; 0: none do so far */
	size_t more_at; /* where the line stands that follows those */
	unsigned joins;
	/*
	 * Of callers and callees: the function on the left, and what may be the first
	 * lines of the next one's name, or else go on the row.
	 */
	struct buf function, part;
	size_t part_at;
	unsigned parts;
	bool has_function;
};

/* Tells the newest row: it is as whole as it gets. */
static int end_row(struct table *t, struct err *err)
{
	struct str text = { t->row.p, t->whole };
	struct str more = str_behind(buf_str(&t->row), t->whole);
	struct text_row row;
	int rc = 0;

	if (t->row.n == 0)
		return 0;
	if (t->whole && text_row(text, t->kind, t->title->unit_s, &row))
		rc = t->sink->row(t->sink, buf_str(&t->function), &row, t->row_at, err);
	if (rc == 0 && more.n)
		rc = t->sink->bad(t->sink, more, t->more_at, err);
	buf_clear(&t->row);
	return rc;
}

/* Is the row complete now? */
static int look_at_row(struct table *t, struct err *err)
{
	struct text_row row;

	if (!text_row(buf_str(&t->row), t->kind, t->title->unit_s, &row))
		return 0;
	bool is_whole = text_name_is_whole(line_trimmed(row.name));
	if (is_whole || !t->whole)
		t->whole = t->row.n;
	return is_whole ? end_row(t, err) : 0;
}

static int begin_row(struct table *t, struct str text, struct err *err)
{
	if (end_row(t, err) < 0)
		return -1;
	buf_add_str(&t->row, text);
	t->row_at = t->more_at = t->lines->start;
	t->whole = 0;
	t->joins = 0;
	return look_at_row(t, err);
}

static int join_row(struct table *t, struct str line, struct err *err)
{
	if (t->joins++ == JOINS_MAX)
		return end_row(t, err);
	if (t->row.n == t->whole)
		t->more_at = t->lines->start;
	buf_add_char(&t->row, '\n');
	buf_add_str(&t->row, line);
	return look_at_row(t, err);
}

static int bad_line(struct table *t, struct str line, struct err *err)
{
	return t->sink->bad(t->sink, line, t->lines->start, err);
}

static struct str unindented(const struct table *t)
{
	struct str line = t->lines->line;
	size_t n = line_indent(line);

	return str_behind(line, n < t->title->indent ? n : t->title->indent);
}

/* 1, or 0: the table ends before this line, or -1. */
static int listing_line(struct table *t, struct err *err)
{
	struct str line = t->lines->line;
	struct text_row row;

	if (text_row(line, t->kind, t->title->unit_s, &row))
		return begin_row(t, line, err) < 0 ? -1 : 1;
	if (title_of(line).kind != TITLE_NONE)
		return 0;
	if (t->row.n)
		return join_row(t, unindented(t), err) < 0 ? -1 : 1;
	return bad_line(t, line, err) < 0 ? -1 : 1;
}

/* Bytes of so many characters; more than there are: SIZE_MAX. */
static size_t bytes_of(struct str text, size_t characters)
{
	size_t n = 0;
	uint32_t code;

	for (; characters; characters--) {
		if (n == text.n)
			return SIZE_MAX;
		n += utf8_decode(str_behind(text, n), &code);
	}
	return n;
}

/* "NAME    <- ROW", the name as wide as the title says. */
static bool find_arrow(const struct table *t, struct str text, struct str *name,
		       struct str *row)
{
	const char *arrow = t->title->kind == TITLE_CALLERS ? "<-" : "->";
	size_t n = bytes_of(text, t->title->name_width);

	if (n == SIZE_MAX || n == 0 ||
	    !str_starts_with(str_behind(text, n), str_of(arrow)))
		return false;
	*row = str_behind(text, n + 2);
	if (row->n && row->p[0] != ' ')
		return false;
	while (n && text.p[n - 1] == ' ')
		n--;
	*name = (struct str){ text.p, n };
	return true;
}

static void clear_part(struct table *t)
{
	buf_clear(&t->part);
	t->parts = 0;
}

static int begin_function(struct table *t, struct str name, struct str row,
			  struct err *err)
{
	/* Lines that were not sure to be the row's are this name's. */
	if (t->part.n && t->whole)
		t->row.n = t->row.n < t->whole ? t->row.n : t->whole;
	clear_part(t);
	if (end_row(t, err) < 0)
		return -1;
	buf_clear(&t->function);
	buf_add_text(&t->function, "");
	buf_add_str(&t->function, name);
	t->has_function = true;
	return line_is_blank(row) ? 0 : begin_row(t, str_behind(row, 1), err);
}

static bool is_columns(struct str line)
{
	return str_is(line_word(&line), "ncalls") && str_is(line_word(&line), "tottime");
}

static int end_part(struct table *t, struct err *err)
{
	int rc =
		t->part.n ? t->sink->bad(t->sink, buf_str(&t->part), t->part_at, err) : 0;

	buf_clear(&t->part);
	t->parts = 0;
	return rc;
}

/* A line of a name on the left that goes on. */
static int add_part(struct table *t, struct str line, struct err *err)
{
	if (t->part.n == 0)
		t->part_at = t->lines->start;
	else
		buf_add_char(&t->part, '\n');
	buf_add_str(&t->part, line);
	return ++t->parts > JOINS_MAX ? end_part(t, err) : 0;
}

/* A line that begins neither a function nor a row. */
static int other_line(struct table *t, struct str line, struct err *err)
{
	if (t->row.n == 0)
		return add_part(t, line, err);
	if (join_row(t, line, err) < 0)
		return -1;
	if (t->row.n)
		return add_part(t, line, err);
	clear_part(t);
	return 0;
}

static struct str joined_part(const struct table *t, struct str line, struct buf *to)
{
	if (t->part.n == 0)
		return line;
	buf_add_str(to, buf_str(&t->part));
	buf_add_char(to, '\n');
	buf_add_str(to, line);
	return buf_str(to);
}

/* As listing_line(). */
static int calls_line(struct table *t, struct err *err)
{
	struct str line = unindented(t), name, row;
	bool is_row = t->has_function && (!t->part.n || t->row.n) &&
		      line_indent(line) >= t->title->name_width;
	struct buf joined;
	int rc = 0;

	buf_init(&joined, SIZE_MAX);
	if (find_arrow(t, joined_part(t, line, &joined), &name, &row)) {
		rc = begin_function(t, name, row, err);
	} else if (is_row) {
		clear_part(t);
		rc = begin_row(t, line_trimmed(line), err);
	} else if (t->has_function || !is_columns(line)) {
		bool is_title = title_of(line).kind != TITLE_NONE;
		if (!is_title)
			rc = other_line(t, line, err);
		buf_release(&joined);
		return rc < 0 ? -1 : !is_title;
	}
	buf_release(&joined);
	return rc < 0 ? -1 : 1;
}

static int read_lines(struct table *t, struct err *err)
{
	bool is_listing = t->kind != ROW_CALL;
	int more = 1;

	while (more > 0 && lines_next(t->lines)) {
		if (line_is_blank(t->lines->line)) {
			t->lines->at = t->lines->start;
			break;
		}
		more = is_listing ? listing_line(t, err) : calls_line(t, err);
		if (more == 0)
			t->lines->at = t->lines->start;
	}
	/* A file that was cut within a name shows a part of it. */
	if (t->lines->at == t->lines->text.n && t->lines->is_cut && t->row.n)
		t->whole = 0;
	if (t->row.n)
		clear_part(t);
	if (more < 0 || end_row(t, err) < 0)
		return -1;
	return end_part(t, err);
}

int table_read(struct lines *lines, const struct title *title, struct table_sink *sink,
	       struct err *err)
{
	struct table t = { .lines = lines, .title = title, .sink = sink };

	t.kind = title->kind == TITLE_LISTING   ? ROW_LISTING
		 : title->kind == TITLE_SAMPLES ? ROW_SAMPLES
						: ROW_CALL;
	buf_init(&t.row, SIZE_MAX);
	buf_init(&t.function, SIZE_MAX);
	buf_init(&t.part, SIZE_MAX);
	int rc = read_lines(&t, err);
	buf_release(&t.row);
	buf_release(&t.function);
	buf_release(&t.part);
	return rc;
}
