/* Rows of functions, and the functions that they name: see pstats_row.h. */
#include "ingest/pstats_row.h"

#include <math.h>

#include "base/decimal.h"
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

static bool read_samples(struct str rest, const double *units_s, struct text_row *row)
{
	struct call_sums *sums = &row->sums;
	double unused;

	if (!read_counts(line_word(&rest), &sums->primitive, &sums->calls) ||
	    !next_real(&rest, &unused) || !next_real(&rest, &sums->self_s) ||
	    !next_real(&rest, &unused) || !next_real(&rest, &sums->total_s))
		return false;
	sums->self_s *= units_s[0];
	sums->total_s *= units_s[1];
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

bool text_row(struct str text, enum row_kind kind, const double *units_s,
	      struct text_row *row)
{
	*row = (struct text_row){ .sums.has_times = true };
	switch (kind) {
	case ROW_LISTING:
		return read_listing(text, row);
	case ROW_SAMPLES:
		return read_samples(text, units_s, row);
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

bool text_name_is_whole(struct str name)
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
