/* Lines of text, and what those around tables say: see pstats_title.h. */
#include "ingest/pstats_title.h"

#include "base/utf8.h"

#define ESC         '\x1b'
#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

size_t lines_mark(struct bytes text)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t n = sizeof(mark) - 1;

	return text.n >= n && memcmp(text.p, mark, n) == 0 ? n : 0;
}

void lines_init(struct lines *l, struct bytes text)
{
	*l = (struct lines){ .text = text,
			     .at = lines_mark(text),
			     .bad_utf8 = LINE_NONE };
	buf_init(&l->clean, SIZE_MAX);
}

void lines_release(struct lines *l)
{
	buf_release(&l->clean);
}

/* Of "ESC ]": up to BEL or "ESC \". */
static size_t title_bytes(struct str s)
{
	size_t i = 2;

	while (i < s.n && s.p[i] != '\a' && s.p[i] != ESC)
		i++;
	if (i < s.n && s.p[i] == '\a')
		return i + 1;
	return i + 1 < s.n && s.p[i + 1] == '\\' ? i + 2 : i;
}

/* Bytes of the sequence of ECMA-48 that the text begins with. */
static size_t escape_bytes(struct str s)
{
	size_t i = 2;

	if (s.n < 2)
		return s.n;
	if (s.p[1] == ']')
		return title_bytes(s);
	if (s.p[1] != '[')
		return 2;
	while (i < s.n && (unsigned char)s.p[i] >= 0x20 && (unsigned char)s.p[i] < 0x40)
		i++;
	return i < s.n && (unsigned char)s.p[i] >= 0x40 && (unsigned char)s.p[i] < 0x7f
		       ? i + 1
		       : i;
}

static void clean_line(struct lines *l, struct str line)
{
	uint32_t code;

	buf_clear(&l->clean);
	buf_add_text(&l->clean, "");
	for (size_t i = 0, n; i < line.n; i += n) {
		struct str rest = str_behind(line, i);
		if (*rest.p == ESC) {
			n = escape_bytes(rest);
			continue;
		}
		n = utf8_decode(rest, &code);
		if (code != UTF8_INVALID) {
			buf_add(&l->clean, rest.p, n);
			continue;
		}
		buf_add_text(&l->clean, REPLACEMENT);
		if (l->bad_utf8 == LINE_NONE)
			l->bad_utf8 = l->start + i;
	}
	l->line = buf_str(&l->clean);
}

struct str line_plain(struct str line, char *out, size_t size)
{
	size_t to = 0;

	if (line.n > size || !memchr(line.p, ESC, line.n))
		return line;
	for (size_t i = 0; i < line.n;) {
		if (line.p[i] == ESC)
			i += escape_bytes(str_behind(line, i));
		else
			out[to++] = line.p[i++];
	}
	return (struct str){ out, to };
}

static bool is_plain(struct str line)
{
	for (size_t i = 0; i < line.n; i++)
		if ((unsigned char)line.p[i] >= 0x80 || line.p[i] == ESC)
			return false;
	return true;
}

bool lines_next(struct lines *l)
{
	const char *text = (const char *)l->text.p;
	struct str rest = { text + l->at, l->text.n - l->at };

	if (rest.n == 0)
		return false;
	const char *newline = memchr(rest.p, '\n', rest.n);
	struct str line = { rest.p, newline ? (size_t)(newline - rest.p) : rest.n };
	l->start = l->at;
	l->at += line.n + (newline != NULL);
	l->is_cut = !newline;
	while (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	l->line = line;
	if (!is_plain(line))
		clean_line(l, line);
	return true;
}

size_t line_indent(struct str line)
{
	size_t n = 0;

	while (n < line.n && (line.p[n] == ' ' || line.p[n] == '\t'))
		n++;
	return n;
}

bool line_is_blank(struct str line)
{
	return line_indent(line) == line.n;
}

struct str line_trimmed(struct str line)
{
	line = str_behind(line, line_indent(line));
	while (line.n && (line.p[line.n - 1] == ' ' || line.p[line.n - 1] == '\t'))
		line.n--;
	return line;
}

struct str line_word(struct str *rest)
{
	struct str word = str_behind(*rest, line_indent(*rest));
	size_t n = 0;

	while (n < word.n && word.p[n] != ' ' && word.p[n] != '\t')
		n++;
	*rest = str_behind(word, n);
	return (struct str){ word.p, n };
}

#define LISTING_INDENT 3 /* of the title as it is printed */
#define DATE_BYTES     24
#define PROMPT_MAX     4096 /* bytes that may stand before what is looked for */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "12", "-1"; how many bytes of it the text begins with. */
static size_t integer_bytes(struct str s)
{
	size_t sign = s.n && s.p[0] == '-', n = sign;

	while (n < s.n && is_digit(s.p[n]))
		n++;
	return n > sign ? n : 0;
}

static bool skip(struct str *s, const char *text)
{
	struct str prefix = str_of(text);

	if (!str_starts_with(*s, prefix))
		return false;
	*s = str_behind(*s, prefix.n);
	return true;
}

static bool skip_integer(struct str *s)
{
	size_t n = integer_bytes(*s);

	*s = str_behind(*s, n);
	return n > 0;
}

/* Behind "12 function calls". */
static bool is_end_of_totals(struct str s)
{
	struct str in = s;

	if (skip(&in, " (") && (!skip_integer(&in) || !skip(&in, " primitive calls)")))
		return false;
	s = str_starts_with(s, STR_LIT(" (")) ? in : s;
	if (!skip(&s, " in ") || line_word(&s).n == 0)
		return false;
	s = line_trimmed(s);
	return str_is(s, "seconds") || str_is(s, "CPU seconds");
}

/* "12 function calls in ...", behind whatever else the line begins with. */
static bool find_totals(struct str line, struct str *said)
{
	const struct str words = STR_LIT(" function calls");

	for (size_t i = 1; i + words.n < line.n && i < PROMPT_MAX; i++) {
		if (line.p[i] != ' ' || !str_starts_with(str_behind(line, i), words))
			continue;
		size_t from = i;
		while (from && is_digit(line.p[from - 1]))
			from--;
		if (from == i || !is_end_of_totals(str_behind(line, i + words.n)))
			return false;
		from -= from && line.p[from - 1] == '-';
		*said = line_trimmed(str_behind(line, from));
		return true;
	}
	return false;
}

/* "Tue Jan  2 03:04:05 2024    ", as ctime() has it. */
static bool is_date(struct str s)
{
	static const char form[] = "Aaa Aaa 00 00:00:00 0000    ";

	if (s.n < sizeof(form) - 1)
		return false;
	for (size_t i = 0; form[i]; i++) {
		bool fits = form[i] == s.p[i];
		if (form[i] == 'A')
			fits = s.p[i] >= 'A' && s.p[i] <= 'Z';
		else if (form[i] == 'a')
			fits = s.p[i] >= 'a' && s.p[i] <= 'z';
		else if (form[i] == '0')
			fits = is_digit(s.p[i]) || (i == 8 && s.p[i] == ' ');
		if (!fits)
			return false;
	}
	return true;
}

static bool find_date(struct str line, struct str *said)
{
	for (size_t i = 0; i + DATE_BYTES < line.n && i < PROMPT_MAX; i++) {
		if (line.p[i] < 'A' || line.p[i] > 'Z' || !is_date(str_behind(line, i)))
			continue;
		*said = str_behind(line, i);
		return true;
	}
	return false;
}

/* Behind the prompt of `python -m pstats`, if there is one. */
static struct str behind_prompt(struct str line)
{
	struct str said = line_trimmed(line);

	for (size_t i = 0; i + 1 < said.n && i < PROMPT_MAX; i++)
		if (said.p[i] == '%' && said.p[i + 1] == ' ')
			return line_trimmed(str_behind(said, i + 1));
	return said;
}

/* Are these the words of the line, whatever the blanks between them?  units: of "(s)". */
static bool has_words(struct str line, const char *const *words, struct str *units)
{
	for (; *words; words++) {
		struct str word = line_word(&line);
		if (**words == '(' && word.n > 2 && word.p[0] == '(')
			*units++ = (struct str){ word.p + 1, word.n - 2 };
		else if (!str_is(word, *words))
			return false;
	}
	return line_is_blank(line);
}

static bool find_unit(struct str name, double *unit_s)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = { { "s", 1 },          { "ms", 1e-3 },      { "us", 1e-6 },
		      { "\u00b5s", 1e-6 }, { "\u03bcs", 1e-6 }, { "ns", 1e-9 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (str_is(name, units[i].name)) {
			*unit_s = units[i].seconds;
			return true;
		}
	return false;
}

static bool is_listing(struct str line, struct title *title)
{
	static const char *const listing[] = { "ncalls",  "tottime",
					       "percall", "cumtime",
					       "percall", "filename:lineno(function)",
					       NULL };
	static const char *const samples[] = { "nsamples", "sample%",
					       "tottime",  "(s)",
					       "cumul%",   "cumtime",
					       "(s)",      "filename:lineno(function)",
					       NULL };
	size_t indent = line_indent(line);
	struct str units[2];

	title->indent = indent > LISTING_INDENT ? indent - LISTING_INDENT : 0;
	title->kind = TITLE_LISTING;
	if (has_words(line, listing, units))
		return true;
	title->kind = TITLE_SAMPLES;
	return has_words(line, samples, units) &&
	       find_unit(units[0], &title->units_s[0]) &&
	       find_unit(units[1], &title->units_s[1]);
}

static size_t characters(struct str s)
{
	size_t n = 0;
	uint32_t code;

	for (; s.n; n++)
		s = str_behind(s, utf8_decode(s, &code));
	return n;
}

/* "Function     was called by...", the name's column as wide as the longest one. */
static bool is_calls(struct str line, struct title *title)
{
	struct str said = line_trimmed(line), rest = said;

	if (!skip(&rest, "Function ") || !rest.n)
		return false;
	rest = line_trimmed(rest);
	title->kind = str_is(rest, "was called by...") ? TITLE_CALLERS : TITLE_CALLEES;
	if (title->kind == TITLE_CALLEES && !str_is(rest, "called..."))
		return false;
	title->indent = line_indent(line);
	title->name_width = characters((struct str){ said.p, said.n - rest.n });
	return true;
}

struct title title_of(struct str line)
{
	struct title title = { .said = line_trimmed(line) };
	struct str plain;

	if (title.said.n == 0 || is_listing(line, &title) || is_calls(line, &title))
		return title;
	title.indent = 0;
	title.kind = TITLE_TOTALS;
	if (find_totals(line, &title.said))
		return title;
	title.kind = TITLE_FILE;
	if (find_date(line, &title.said))
		return title;
	plain = behind_prompt(line);
	title.kind = TITLE_ACTION;
	title.said = plain;
	if (skip(&title.said, "Profile stats for: ") && title.said.n)
		return title;
	title.kind = TITLE_NONE;
	if (str_starts_with(plain, STR_LIT("Ordered by: ")) ||
	    str_is(plain, "Random listing order was used"))
		title.kind = TITLE_ORDER;
	else if (str_starts_with(plain, STR_LIT("List reduced from ")) ||
		 str_starts_with(plain, STR_LIT("<Invalid regular expression ")))
		title.kind = TITLE_RESTRICTION;
	title.said = plain;
	return title;
}
