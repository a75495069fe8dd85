/* The frame of a page: see page.h. */
#include "report/page.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/asset.h"
#include "base/asset_unpack.h"
#include "report/page_text.h"
#include "report/renderer.h"

#define OPENS   "{{"
#define CLOSES  "}}"
#define TO_BODY "{{body}}"

void page_stream_open(struct page_stream *s)
{
	s->out = xopen_memory(&s->text, &s->n);
}

static void stream_close(struct page_stream *s)
{
	if (s->out)
		fclose(s->out);
	s->out = NULL;
}

struct str page_stream_text(struct page_stream *s)
{
	stream_close(s);
	return (struct str){ s->text, s->n };
}

void page_stream_release(struct page_stream *s)
{
	stream_close(s);
	free(s->text);
	*s = (struct page_stream){ .out = NULL };
}

void page_init(struct page *p, const char *title)
{
	*p = (struct page){ .title = title };
	page_stream_open(&p->facts);
	page_stream_open(&p->nav);
	page_stream_open(&p->sections);
	page_stream_open(&p->blocks);
	p->data = p->blocks.out;
}

void page_release(struct page *p)
{
	page_stream_release(&p->facts);
	page_stream_release(&p->nav);
	page_stream_release(&p->sections);
	page_stream_release(&p->blocks);
	page_stream_release(&p->tab);
	arena_release(&p->arena);
	*p = (struct page){ .title = NULL };
}

static struct str asset_text(const unsigned char *bytes, unsigned long n)
{
	return (struct str){ (const char *)bytes, n };
}

#define ASSET_TEXT(name) asset_text(name, name##_len)

static const struct page_slot *find_slot(const struct page_slot *slots, struct str name)
{
	for (; slots && slots->name; slots++)
		if (str_is(name, slots->name))
			return slots;
	return NULL;
}

static void put_slot(FILE *out, const struct page_slot *slot)
{
	if (!slot || slot->text.n == 0)
		return;
	if (slot->is_markup)
		fwrite(slot->text.p, 1, slot->text.n, out);
	else
		page_text(out, slot->text);
}

static const char *find_text(struct str in, const char *what)
{
	return in.n ? memmem(in.p, in.n, what, strlen(what)) : NULL;
}

/* Behind {{/name}}, or all of it. */
static struct str behind_optional(struct str text, struct str name)
{
	char *end = xasprintf(OPENS "/" STR_FMT CLOSES, STR_ARG(name));
	const char *found = find_text(text, end);

	assert(found);
	text = str_behind(text, (size_t)(found - text.p) + strlen(end));
	free(end);
	return text;
}

/*
 * The template with what its slots hold; {{?name}}...{{/name}} is left out where the slot
 * is empty.
 */
static void fill(FILE *out, struct str text, const struct page_slot *slots)
{
	const char *open, *close;

	while ((open = find_text(text, OPENS)) != NULL) {
		fwrite(text.p, 1, (size_t)(open - text.p), out);
		text = str_behind(text, (size_t)(open - text.p) + strlen(OPENS));
		close = find_text(text, CLOSES);
		assert(close);
		struct str name = { text.p, (size_t)(close - text.p) };
		text = str_behind(text, name.n + strlen(CLOSES));
		if (name.n && name.p[0] == '?') {
			name = str_behind(name, 1);
			const struct page_slot *slot = find_slot(slots, name);
			if (!slot || slot->text.n == 0)
				text = behind_optional(text, name);
		} else if (name.n && name.p[0] != '/') {
			put_slot(out, find_slot(slots, name));
		}
	}
	if (text.n)
		fwrite(text.p, 1, text.n, out);
}

/* The text between <template id="ID"> and its end. */
static struct str find_part(const char *id)
{
	struct str all = ASSET_TEXT(asset_report_assets_parts_html);
	char *head = xasprintf("<template id=\"%s\">\n", id);
	const char *begin = find_text(all, head);

	assert(begin);
	struct str part = str_behind(all, (size_t)(begin - all.p) + strlen(head));
	free(head);
	part.n = (size_t)(find_text(part, "</template>") - part.p);
	return part;
}

void page_part(FILE *out, const char *id, const struct page_slot *slots)
{
	fill(out, find_part(id), slots);
}

void page_part_open(FILE *out, const char *id, const struct page_slot *slots)
{
	struct str part = find_part(id);

	part.n = (size_t)(find_text(part, TO_BODY) - part.p);
	fill(out, part, slots);
}

void page_part_close(FILE *out, const char *id)
{
	struct str part = find_part(id);
	const char *body = find_text(part, TO_BODY);

	fill(out, str_behind(part, (size_t)(body - part.p) + strlen(TO_BODY)), NULL);
}

void page_fact(struct page *p, struct str text)
{
	if (text.n)
		page_part(p->facts.out, "fact", PAGE_SLOTS(PAGE_TEXT("text", text)));
}

/* Its link and its section are written when it is known whether it holds anything. */
static void end_tab(struct page *p)
{
	const struct page_slot *slots;

	if (!p->id)
		return;
	slots = PAGE_SLOTS(PAGE_TEXT("id", str_of(p->id)),
			   PAGE_TEXT("title", str_of(p->name)),
			   PAGE_TEXT("class", str_of(p->has_data ? "full" : "empty")),
			   PAGE_MARKUP("body", page_stream_text(&p->tab)));
	page_part(p->nav.out, "link", slots);
	page_part(p->sections.out, "tab", slots);
	page_stream_release(&p->tab);
	p->id = NULL;
}

void page_tab(struct page *p, const char *id, const char *title)
{
	end_tab(p);
	page_stream_open(&p->tab);
	p->body = p->tab.out;
	p->id = id;
	p->name = title;
	p->has_data = false;
}

static void append(struct page_stream *to, struct page_stream *from)
{
	struct str text = page_stream_text(from);

	if (text.n)
		fwrite(text.p, 1, text.n, to->out);
}

void page_append(struct page *p, struct page *from)
{
	end_tab(p);
	end_tab(from);
	append(&p->facts, &from->facts);
	append(&p->nav, &from->nav);
	append(&p->sections, &from->sections);
	append(&p->blocks, &from->blocks);
}

#define ASSET_UNPACK(name, out) asset_unpack(name, name##_len, out)

int page_write(struct page *p, FILE *out, struct err *err)
{
	struct str style, script;
	char *own_style = ASSET_UNPACK(asset_report_page_css_gz, &style);
	char *own_script = ASSET_UNPACK(asset_report_page_js_gz, &script);

	end_tab(p);
	fill(out, ASSET_TEXT(asset_report_assets_page_html),
	     PAGE_SLOTS(
		     PAGE_TEXT("title", str_of(p->title)),
		     PAGE_MARKUP("facts", page_stream_text(&p->facts)),
		     PAGE_MARKUP("nav", page_stream_text(&p->nav)),
		     PAGE_MARKUP("sections", page_stream_text(&p->sections)),
		     PAGE_MARKUP("blocks", page_stream_text(&p->blocks)),
		     PAGE_MARKUP("style", style), PAGE_MARKUP("script", script),
		     PAGE_MARKUP("style-hash", ASSET_TEXT(asset_report_page_css_hash)),
		     PAGE_MARKUP("script-hash", ASSET_TEXT(asset_report_page_js_hash))));
	free(own_style);
	free(own_script);
	return render_end(out, err);
}
