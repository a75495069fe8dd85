/* Text of profiles in a page: see page_text.h. */
#include "report/page_text.h"

#include "base/buf.h"
#include "base/utf8.h"

/* The character as HTML writes it; NULL: as it is. */
static const char *html_of(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* As it may stand in a string of JSON in a script element; NULL: as it is. */
static const char *json_of(char c)
{
	switch (c) {
	case '&':
		return "\\u0026";
	case '<':
		return "\\u003c";
	case '>':
		return "\\u003e";
	default:
		return NULL;
	}
}

static void put_escaped(FILE *out, struct str text, const char *(*escape)(char))
{
	size_t plain = 0; /* start of what is not yet written */

	for (size_t i = 0; i < text.n; i++) {
		const char *escaped = escape(text.p[i]);
		if (!escaped)
			continue;
		fwrite(text.p + plain, 1, i - plain, out);
		fputs(escaped, out);
		plain = i + 1;
	}
	fwrite(text.p + plain, 1, text.n - plain, out);
}

void page_text(FILE *out, struct str text)
{
	struct buf visible;

	if (text.n == 0)
		return;
	buf_init(&visible, SIZE_MAX);
	if (!utf8_is_plain(text)) {
		utf8_add_visible(&visible, text);
		text = buf_str(&visible);
	}
	put_escaped(out, text, html_of);
	buf_release(&visible);
}

void page_text_json(FILE *out, struct str json)
{
	if (json.n)
		put_escaped(out, json, json_of);
}
