/* The lines of tables of functions, row by row: see pstats_table.h. */
#include "ingest/pstats_table.h"

#include "base/utf8.h"

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
	if (t->whole && text_row(text, t->kind, t->title->units_s, &row))
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

	if (!text_row(buf_str(&t->row), t->kind, t->title->units_s, &row))
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

	if (text_row(line, t->kind, t->title->units_s, &row))
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
