/* The texts of a list as one text: see text_list.h. */
#include "ingest/text_list.h"

#include <string.h>

#define TEXT_MAX 4096 /* bytes that are shown of a list */
#define LIST_MAX 512  /* members of a list that are looked at */
#define LOOKED_MAX \
	(TEXT_MAX + 8) /* bytes of a text: what is longer than TEXT_MAX is not shown */
#define ESCAPE_MAX 6   /* bytes that stand for one or more: \u0041 */

void text_list_init(struct text_list *t, const char *between)
{
	*t = (struct text_list){ .between = between };
	buf_init(&t->joined, SIZE_MAX);
	intern_init(&t->seen);
}

void text_list_release(struct text_list *t)
{
	buf_release(&t->joined);
	intern_release(&t->seen);
}

static struct str cut(struct str text, size_t most)
{
	return (struct str){ text.p, text.n < most ? text.n : most };
}

void text_list_add(struct text_list *t, struct str text)
{
	size_t known = t->seen.n;

	if (t->is_full)
		return;
	text = cut(text, LOOKED_MAX);
	intern_add(&t->seen, text);
	if (t->seen.n == known)
		return;
	if (t->joined.n)
		buf_add_text(&t->joined, t->between);
	t->is_full = t->joined.n + text.n > TEXT_MAX;
	buf_add_str(&t->joined, t->is_full ? STR_LIT("...") : text);
}

void text_list_add_all(struct text_list *t, const struct str *texts, size_t n)
{
	for (size_t i = 0; i < n && !t->is_full && t->looked_at++ < LIST_MAX; i++)
		text_list_add(t, texts[i]);
}

static struct str digits_at(struct str text)
{
	size_t n = 0;

	while (n < text.n && text.p[n] >= '0' && text.p[n] <= '9')
		n++;
	return (struct str){ text.p, n };
}

/* The text behind the last `mark`; false where it has none. */
static bool find_last(struct str text, struct str mark, struct str *behind)
{
	bool has = false;

	for (; text.n >= mark.n; text = str_behind(text, 1)) {
		if (!str_starts_with(text, mark))
			continue;
		*behind = str_behind(text, mark.n);
		has = true;
	}
	return has;
}

/* As ptool writes one itself: "model.py(29): forward". */
static bool is_line(struct str text)
{
	const char *bracket = text.n ? memchr(text.p, '(', text.n) : NULL;

	if (!bracket || memchr(text.p, '\n', text.n))
		return false;
	struct str rest = str_behind(text, (size_t)(bracket + 1 - text.p));
	struct str line = digits_at(rest);
	return line.n && str_starts_with(str_behind(rest, line.n), STR_LIT("): "));
}

/* What follows 'File "': model.py", line 29, in forward. */
static bool read_call(struct str call, struct buf *out)
{
	const char *quote = call.n ? memchr(call.p, '"', call.n) : NULL;
	struct str rest, function = { "", 0 };

	if (!quote)
		return false;
	struct str path = { call.p, (size_t)(quote - call.p) };
	rest = str_behind(call, path.n);
	const char *end = memchr(rest.p, '\n', rest.n);
	if (end)
		rest.n = (size_t)(end - rest.p);
	if (!find_last(rest, STR_LIT(", line "), &rest))
		return false;
	struct str line = digits_at(rest);
	if (line.n == 0)
		return false;
	function = str_behind(rest, line.n);
	if (str_starts_with(function, STR_LIT(", in ")))
		function = str_behind(function, 5);
	buf_add_str(out, path);
	buf_add_char(out, '(');
	buf_add_str(out, line);
	buf_add_text(out, "): ");
	buf_add_str(out, function);
	return true;
}

void text_list_add_line(struct text_list *t, struct str stack)
{
	struct str call;
	struct buf line;

	if (!find_last(stack, STR_LIT("File \""), &call)) {
		if (is_line(stack))
			text_list_add(t, stack);
		return;
	}
	buf_init(&line, SIZE_MAX);
	if (read_call(call, &line))
		text_list_add(t, buf_str(&line));
	buf_release(&line);
}

/*
 * A list may be one text of megabytes.  That of a stack is needed whole: its last line
 * counts.
 */
static struct str plain(const struct json_value *value, text_list_add_fn *add,
			struct buf *buf)
{
	struct str text = value->text;

	if (add == text_list_add)
		text = cut(text, (value->escaped ? ESCAPE_MAX : 1) * (size_t)LOOKED_MAX);
	return value->escaped ? json_unescape(text, buf) : text;
}

const char *text_list_read(struct text_list *t, const struct json_value *list,
			   text_list_add_fn *add, const char **at)
{
	struct json_items items = json_items_of(list->text);
	const char *wrong = NULL;
	struct json_value value;
	struct buf buf;

	*at = list->text.p;
	if (list->type != JSON_ARRAY)
		return "a list was expected";
	buf_init(&buf, SIZE_MAX);
	while (!wrong && !t->is_full && t->looked_at++ < LIST_MAX &&
	       json_next_element(&items, &value) > 0) {
		if (value.type == JSON_STRING) {
			add(t, plain(&value, add, &buf));
			continue;
		}
		*at = value.text.p;
		wrong = "a text was expected";
	}
	buf_release(&buf);
	return wrong;
}

void text_list_lines(struct str json, struct buf *out)
{
	const struct json_value list = { .type = JSON_ARRAY, .text = json };
	struct text_list t;
	const char *at;

	text_list_init(&t, "; ");
	text_list_read(&t, &list, text_list_add_line, &at);
	buf_clear(out);
	buf_add_str(out, buf_str(&t.joined));
	text_list_release(&t);
}
