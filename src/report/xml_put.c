/* Writing XML: see xml_put.h. */
#include "report/xml_put.h"

#include <stdio.h>

#include "base/utf8.h"

static void put(struct xml *x, const char *text)
{
	writer_str(x->w, str_of(text));
}

static void close_tag(struct xml *x)
{
	if (x->is_tag_open)
		writer_byte(x->w, '>');
	x->is_tag_open = false;
}

void xml_begin(struct xml *x, const char *element)
{
	close_tag(x);
	writer_byte(x->w, '<');
	put(x, element);
	x->is_tag_open = true;
}

void xml_end(struct xml *x, const char *element)
{
	if (x->is_tag_open) {
		put(x, "/>");
		x->is_tag_open = false;
		return;
	}
	put(x, "</");
	put(x, element);
	writer_byte(x->w, '>');
}

/* Controls but for line breaks, and what is no character. */
static bool is_forbidden(uint32_t code)
{
	return (code < ' ' && code != '\n' && code != '\t') || code == 0x7f ||
	       (code & 0xfffe) == 0xfffe || code == UTF8_INVALID;
}

static void put_escape(struct xml *x, uint32_t code, unsigned char byte)
{
	char text[16];

	if (code == UTF8_INVALID || code < 0x80)
		snprintf(text, sizeof(text), "\\x%02x", byte);
	else
		snprintf(text, sizeof(text), code > 0xffff ? "\\U%08x" : "\\u%04x",
			 (unsigned)code);
	put(x, text);
}

static void put_escaped(struct xml *x, struct str text)
{
	while (text.n > 0) {
		uint32_t code;
		size_t n = utf8_decode(text, &code);
		if (is_forbidden(code))
			put_escape(x, code, (unsigned char)text.p[0]);
		else if (code == '<')
			put(x, "&lt;");
		else if (code == '>')
			put(x, "&gt;");
		else if (code == '&')
			put(x, "&amp;");
		else if (code == '"')
			put(x, "&quot;");
		else
			writer_str(x->w, (struct str){ text.p, n });
		text = str_behind(text, n);
	}
}

void xml_value(struct xml *x, const char *attribute, struct str value)
{
	writer_byte(x->w, ' ');
	put(x, attribute);
	put(x, "=\"");
	put_escaped(x, value);
	writer_byte(x->w, '"');
}

void xml_number(struct xml *x, const char *attribute, double value)
{
	char text[48];
	int n = snprintf(text, sizeof(text), "%.3f", value);

	while (n > 0 && text[n - 1] == '0')
		n--;
	if (n > 0 && text[n - 1] == '.')
		n--;
	text[n] = '\0';
	xml_value(x, attribute, str_of(text));
}

void xml_text(struct xml *x, struct str text)
{
	close_tag(x);
	put_escaped(x, text);
}
