/* JSON (RFC 8259) strings, cells and rows: see json_text.h. */
#include "report/json_text.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static bool is_plain(uint32_t code)
{
	return code >= 0x20 && code != '"' && code != '\\' && code != UTF8_INVALID;
}

static void write_escaped(FILE *out, uint32_t code)
{
	/* Each character with a short escape, and its letter. */
	static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";

	if (code == UTF8_INVALID) {
		fputs(REPLACEMENT, out);
		return;
	}
	for (size_t i = 0; letters[i]; i += 2) {
		if (code == (unsigned char)letters[i]) {
			putc('\\', out);
			putc(letters[i + 1], out);
			return;
		}
	}
	fprintf(out, "\\u%04x", (unsigned int)code);
}

void json_text_str(FILE *out, struct str text)
{
	size_t plain = 0; /* start of the run not yet written */
	uint32_t code;

	putc('"', out);
	for (size_t at = 0; at < text.n;) {
		if ((unsigned char)text.p[at] < 0x80 && is_plain((uint32_t)text.p[at])) {
			at++; /* most are ASCII: no need to decode them */
			continue;
		}
		size_t len = utf8_decode((struct str){ text.p + at, text.n - at }, &code);
		if (!is_plain(code)) {
			fwrite(text.p + plain, 1, at - plain, out);
			write_escaped(out, code);
			plain = at + len;
		}
		at += len;
	}
	if (plain < text.n)
		fwrite(text.p + plain, 1, text.n - plain, out);
	putc('"', out);
}

void json_text_cell(FILE *out, enum unit unit, const struct cell *cell)
{
	char text[UNITS_TEXT_MAX];
	struct str digits;

	switch (cell->type) {
	case CELL_TEXT:
		json_text_str(out, cell->as.text);
		break;
	case CELL_INT:
		if (unit == UNIT_BOOL) {
			fputs(cell->as.integer ? "true" : "false", out);
			break;
		}
		digits = units_integer(cell->as.integer, text);
		fwrite(digits.p, 1, digits.n, out);
		break;
	case CELL_REAL:
		fputs(isfinite(cell->as.real) ? units_shortest(cell->as.real, text).p
					      : "null",
		      out);
		break;
	case CELL_NULL:
		fputs("null", out);
		break;
	}
}

/* Taken by a key before `at`, or kept for a column after it that is named so. */
static bool is_taken(const struct table *t, const char **keys, size_t at, const char *key)
{
	for (size_t i = 0; i < t->ncolumns; i++)
		if (i != at && strcmp(i < at ? keys[i] : t->columns[i].name, key) == 0)
			return true;
	return false;
}

const char **json_text_keys(struct arena *arena, const struct table *t)
{
	const char **keys = arena_alloc(arena, t->ncolumns * sizeof(*keys));

	for (size_t i = 0; i < t->ncolumns; i++) {
		const char *name = t->columns[i].name;
		size_t nsame = 1;
		for (size_t k = 0; k < i; k++)
			nsame += strcmp(t->columns[k].name, name) == 0;
		keys[i] = arena_strdup(arena, name);
		for (; nsame > 1 && is_taken(t, keys, i, keys[i]); nsame++)
			keys[i] = arena_printf(arena, "%s_%zu", name, nsame);
	}
	return keys;
}

void json_text_row(FILE *out, const struct table *t, const char *const *keys,
		   const struct cell *cells)
{
	putc('{', out);
	for (size_t i = 0; i < t->ncolumns; i++) {
		if (i)
			putc(',', out);
		json_text_str(out, str_of(keys[i]));
		putc(':', out);
		json_text_cell(out, t->columns[i].unit, &cells[i]);
	}
	putc('}', out);
}
