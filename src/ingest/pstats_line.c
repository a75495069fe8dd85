/* Lines of text: see pstats_line.h. */
#include "ingest/pstats_line.h"

#include "base/utf8.h"

#define ESC         '\x1b'
#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

void lines_init(struct lines *l, struct bytes text)
{
	*l = (struct lines){ .text = text, .bad_utf8 = LINE_NONE };
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
