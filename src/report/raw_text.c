/* Text of csv and tsv: see raw_text.h. */
#include "report/raw_text.h"

#include <stdint.h>

#include "base/utf8.h"

/* Of a text; none in a store is as long. */
#define ROOM_MAX (SIZE_MAX / 2)

void raw_text_init(struct raw_text *r, bool is_shown)
{
	r->is_shown = is_shown;
	buf_init(&r->room, ROOM_MAX);
}

void raw_text_release(struct raw_text *r)
{
	buf_release(&r->room);
}

struct str raw_text(struct raw_text *r, struct str text)
{
	if (utf8_is_plain(text) || (!r->is_shown && utf8_is_valid(text)))
		return text;
	buf_clear(&r->room);
	if (r->is_shown)
		utf8_add_visible(&r->room, text);
	else
		utf8_add_valid(&r->room, text);
	return buf_str(&r->room);
}
