/* JSON (RFC 8259) strings, cells and rows: see json_text.h. */
#include "report/json_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* ASCII that stands for itself. */
static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void write_escaped(struct writer *w, uint32_t code)
{
	/* Each character with a short escape, and its letter. */
	static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";
	char text[2 * sizeof("\\uffffffff")];

	if (code == UTF8_INVALID) {
		writer_str(w, STR_LIT(REPLACEMENT));
		return;
	}
	for (size_t i = 0; letters[i]; i += 2) {
		if (code == (unsigned char)letters[i]) {
			writer_byte(w, '\\');
			writer_byte(w, letters[i + 1]);
			return;
		}
	}
	if (code > 0xffff) /* a pair of surrogates */
		snprintf(text, sizeof(text), "\\u%04x\\u%04x",
			 0xd7c0 + (unsigned int)(code >> 10),
			 0xdc00 | (unsigned int)(code & 0x3ff));
	else
		snprintf(text, sizeof(text), "\\u%04x", (unsigned int)code);
	writer_str(w, str_of(text));
}

/* Writes the text but for what would not be seen; is_string: within quotes, no JSON. */
static void write_drawn(struct writer *w, struct str text, bool is_string)
{
	size_t plain = 0; /* start of the run not yet written */
	struct utf8_marks marks = { 0 };
	uint32_t code;

	for (size_t at = 0; at < text.n;) {
		if (is_plain(text.p[at])) {
			at++; /* most are: no need to decode them */
			continue;
		}
		if (at > 0 && is_plain(text.p[at - 1]))
			utf8_is_drawn(&marks, (uint32_t)text.p[at - 1]);
		size_t len = utf8_decode((struct str){ text.p + at, text.n - at }, &code);
		bool is_drawn = utf8_is_drawn(&marks, code);
		if (is_string ? !is_drawn || code == '"' || code == '\\'
			      : !is_drawn && code > ' ') {
			writer_str(w, (struct str){ text.p + plain, at - plain });
			write_escaped(w, code);
			plain = at + len;
		}
		at += len;
	}
	if (plain < text.n)
		writer_str(w, str_behind(text, plain));
}

void json_text_str(struct writer *w, struct str text)
{
	writer_byte(w, '"');
	write_drawn(w, text, true);
	writer_byte(w, '"');
}

void json_text_whole(struct writer *w, struct str json)
{
	write_drawn(w, json, false);
}

void json_text_cell(struct writer *w, enum unit unit, const struct cell *cell)
{
	char text[UNITS_TEXT_MAX];

	switch (cell->type) {
	case CELL_TEXT:
		json_text_str(w, cell->as.text);
		break;
	case CELL_INT:
		writer_str(w, unit != UNIT_BOOL  ? units_integer(cell->as.integer, text)
			      : cell->as.integer ? STR_LIT("true")
						 : STR_LIT("false"));
		break;
	case CELL_REAL:
		writer_str(w, isfinite(cell->as.real)
				      ? units_shortest(cell->as.real, text)
				      : STR_LIT("null"));
		break;
	case CELL_NULL:
		writer_str(w, STR_LIT("null"));
		break;
	}
}

#define EXACT_MOST (INT64_C(1) << 53) /* to this JavaScript tells numbers apart */

void json_text_part(struct writer *w, enum unit unit, const struct cell *cell,
		    struct spelt *spelt)
{
	static const char cut[] = " [cut]";
	char room[SPELT_PART + sizeof(cut)];
	struct str text = cell->as.text;

	if (cell->type == CELL_INT && unit == UNIT_ID &&
	    (cell->as.integer > EXACT_MOST || cell->as.integer < -EXACT_MOST)) {
		json_text_str(w, units_integer(cell->as.integer, room));
		return;
	}
	if (cell->type != CELL_TEXT || text.n <= SPELT_PART ||
	    spelt_take(spelt, text.n, 0)) {
		json_text_cell(w, unit, cell);
		return;
	}
	text = utf8_cut(text, SPELT_PART);
	memcpy(room, text.p, text.n);
	memcpy(room + text.n, cut, sizeof(cut));
	json_text_str(w, (struct str){ room, text.n + sizeof(cut) - 1 });
}

void json_text_row(struct writer *w, const struct table *t, const char *const *keys,
		   const struct cell *cells)
{
	writer_byte(w, '{');
	for (size_t i = 0; i < t->ncolumns; i++) {
		if (i)
			writer_byte(w, ',');
		json_text_str(w, str_of(keys[i]));
		writer_byte(w, ':');
		json_text_cell(w, t->columns[i].unit, &cells[i]);
	}
	writer_byte(w, '}');
}
