/* XML 1.0 as far as pictures need it: see xml.h. */
#include "ingest/xml.h"

#include <stdint.h>

#include "base/utf8.h"

#define ENTITY_MAX 10 /* "&#x10ffff;" */
#define CODE_MAX   0x10ffffU

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static struct str left_of(const struct xml_reader *x)
{
	return (struct str){ x->p, (size_t)(x->end - x->p) };
}

/* Behind the first `mark`; the end where there is none. */
static const char *behind(struct str text, const char *mark)
{
	size_t n = strlen(mark);
	const char *at = text.n >= n ? memmem(text.p, text.n, mark, n) : NULL;

	return at ? at + n : text.p + text.n;
}

/* "<!DOCTYPE svg [ <!ENTITY a "b"> ]>": brackets may hold '>'. */
static const char *behind_declaration(struct str text)
{
	int open = 0;

	for (size_t i = 0; i < text.n; i++) {
		open += text.p[i] == '[';
		open -= text.p[i] == ']';
		if (text.p[i] == '>' && open <= 0)
			return text.p + i + 1;
	}
	return text.p + text.n;
}

/* Goes behind what is neither a tag nor text.  False: it is one of these. */
static bool pass_other(struct xml_reader *x)
{
	static const struct {
		const char *begin, *end;
	} marks[] = { { "<!--", "-->" }, { "<![CDATA[", "]]>" }, { "<?", "?>" } };
	struct str text = left_of(x);

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (str_starts_with(text, str_of(marks[i].begin))) {
			x->p = behind(str_behind(text, strlen(marks[i].begin)),
				      marks[i].end);
			return true;
		}
	if (!str_starts_with(text, STR_LIT("<!")))
		return false;
	x->p = behind_declaration(text);
	return true;
}

/* The '>' of the tag, which values in quotes may hold too; NULL: it is cut off. */
static const char *end_of_tag(struct str text)
{
	char quote = '\0';

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		if (quote && c == quote)
			quote = 0;
		else if (quote)
			continue;
		else if (c == '>')
			return text.p + i;
		else if (c == '"' || c == '\'')
			quote = c;
	}
	return NULL;
}

static enum xml_kind take_tag(struct xml_reader *x, struct xml_token *token)
{
	struct str tag = str_behind(left_of(x), 1);
	bool is_close = tag.n && tag.p[0] == '/';
	const char *end = end_of_tag(tag);
	size_t n = 0;

	if (!end) {
		x->p = x->end;
		return XML_CUT;
	}
	x->p = end + 1;
	tag = (struct str){ tag.p + is_close, (size_t)(end - tag.p) - is_close };
	token->is_empty = tag.n && tag.p[tag.n - 1] == '/';
	tag.n -= token->is_empty;
	while (n < tag.n && !is_blank(tag.p[n]))
		n++;
	token->name = (struct str){ tag.p, n };
	token->attributes = str_behind(tag, n);
	return is_close ? XML_CLOSE : XML_OPEN;
}

enum xml_kind xml_next(struct xml_reader *x, struct xml_token *token)
{
	while (x->p < x->end) {
		*token = (struct xml_token){ .start = x->p };
		if (*x->p != '<') {
			const char *end = memchr(x->p, '<', left_of(x).n);
			token->text = left_of(x);
			if (end)
				token->text.n = (size_t)(end - x->p);
			x->p += token->text.n;
			return XML_TEXT;
		}
		if (!pass_other(x))
			return take_tag(x, token);
	}
	return XML_END;
}

/* The next attribute; false: there is no more that can be read. */
static bool take_attribute(struct str *text, struct str *name, struct str *value)
{
	size_t n = 0;

	while (text->n && is_blank(text->p[0]))
		*text = str_behind(*text, 1);
	while (n < text->n && text->p[n] != '=' && !is_blank(text->p[n]))
		n++;
	*name = (struct str){ text->p, n };
	while (n < text->n && (is_blank(text->p[n]) || text->p[n] == '='))
		n++;
	*text = str_behind(*text, n);
	if (name->n == 0 || text->n == 0 || (text->p[0] != '"' && text->p[0] != '\''))
		return false;
	const char *end = memchr(text->p + 1, text->p[0], text->n - 1);
	if (!end)
		return false;
	*value = (struct str){ text->p + 1, (size_t)(end - text->p) - 1 };
	*text = str_behind(*text, value->n + 2);
	return true;
}

bool xml_attribute(const struct xml_token *token, const char *name, struct str *value)
{
	struct str text = token->attributes, is;

	while (take_attribute(&text, &is, value))
		if (str_is(is, name))
			return true;
	return false;
}

/* A digit of any base up to 16, or 16. */
static uint32_t digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (uint32_t)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (uint32_t)(c - 'a') + 10;
	return c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10 : 16;
}

/* "#60" or "#x3c" */
static bool code_of(struct str entity, uint32_t *code)
{
	bool is_hex = entity.n > 1 && entity.p[1] == 'x'; /* small, in XML */
	uint32_t base = is_hex ? 16 : 10;

	if (entity.n < 2U + is_hex || entity.p[0] != '#')
		return false;
	*code = 0;
	for (size_t i = 1U + is_hex; i < entity.n; i++) {
		uint32_t digit = digit_of(entity.p[i]);
		if (digit >= base)
			return false;
		*code = *code * base + digit;
	}
	return *code > 0 && *code <= CODE_MAX && (*code < 0xd800 || *code > 0xdfff);
}

static bool entity_code(struct str entity, uint32_t *code)
{
	static const struct {
		const char *name;
		char is;
	} known[] = { { "lt", '<' },
		      { "gt", '>' },
		      { "amp", '&' },
		      { "quot", '"' },
		      { "apos", '\'' } };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (str_is(entity, known[i].name)) {
			*code = (uint32_t)known[i].is;
			return true;
		}
	return code_of(entity, code);
}

struct str xml_unescape(struct str text, struct buf *into)
{
	const char *at = text.n ? memchr(text.p, '&', text.n) : NULL;

	if (!at)
		return text;
	buf_clear(into);
	while (at) {
		size_t n = (size_t)(at - text.p);
		struct str entity = str_behind(text, n + 1);
		size_t most = entity.n < ENTITY_MAX ? entity.n : ENTITY_MAX;
		const char *end = memchr(entity.p, ';', most);
		uint32_t code;
		entity.n = end ? (size_t)(end - entity.p) : 0;
		buf_add(into, text.p, n);
		if (end && entity_code(entity, &code)) {
			utf8_add(into, code);
			text = str_behind(text, n + entity.n + 2);
		} else { /* as it stands */
			buf_add_char(into, '&');
			text = str_behind(text, n + 1);
		}
		at = text.n ? memchr(text.p, '&', text.n) : NULL;
	}
	buf_add_str(into, text);
	return buf_str(into);
}
