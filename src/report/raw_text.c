/* Text of csv and tsv: see raw_text.h. */
#include "report/raw_text.h"

#include <stdint.h>

#include "base/utf8.h"

/* Of a text; none in a store is as long. */
#define ROOM_MAX (SIZE_MAX / 2)

void raw_text_init(struct raw_text *r, const struct render_opts *opts)
{
	r->is_shown = opts->is_shown;
	r->escape_formulas = opts->escape_formulas;
	buf_init(&r->room, ROOM_MAX);
	buf_init(&r->cell, ROOM_MAX);
}

void raw_text_release(struct raw_text *r)
{
	buf_release(&r->room);
	buf_release(&r->cell);
}

struct str raw_text(struct raw_text *r, struct str text)
{
	if (utf8_is_plain(text) || (!r->is_shown && utf8_is_inert(text)))
		return text;
	buf_clear(&r->room);
	if (r->is_shown)
		utf8_add_visible(&r->room, text);
	else
		utf8_add_inert(&r->room, text);
	return buf_str(&r->room);
}

bool raw_text_is_formula(const struct raw_text *r, struct str cell)
{
	/* OWASP, "CSV Injection": the last four are full-width forms */
	static const char *const starts[] = { "=",  "+",  "-",  "@",  "\t", "\r",
					      "\n", "＝", "＋", "－", "＠" };

	for (size_t i = 0; r->escape_formulas && i < sizeof(starts) / sizeof(*starts);
	     i++)
		if (str_starts_with(cell, str_of(starts[i])))
			return true;
	return false;
}

struct str raw_cell(struct raw_text *r, struct str cell)
{
	struct str text = raw_text(r, cell);

	if (!raw_text_is_formula(r, cell))
		return text;
	buf_clear(&r->cell);
	buf_add_char(&r->cell, '\'');
	buf_add_str(&r->cell, text);
	return buf_str(&r->cell);
}
