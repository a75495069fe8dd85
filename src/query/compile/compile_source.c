/* What Inductor says of its kernels: see compile_source.h. */
#include "query/compile/compile_source.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/buf.h"

#define LOOKED_AT 1024 /* that many calls of a kernel in a graph, or graphs */
#define TEXT_MAX  4096 /* nothing is joined to what is longer */

void compile_sources_init(struct compile_sources *s)
{
	*s = (struct compile_sources){ .n = 0 };
	intern_init(&s->keys);
}

void compile_sources_release(struct compile_sources *s)
{
	free(s->items);
	free(s->newest);
	free(s->found);
	intern_release(&s->keys);
	arena_release(&s->arena);
	*s = (struct compile_sources){ .n = 0 };
}

void compile_source_split(struct str key, struct str *name, struct str *handle)
{
	size_t at = key.n;

	while (at > 0 && key.p[at - 1] >= '0' && key.p[at - 1] <= '9')
		at--;
	*name = key;
	*handle = (struct str){ key.p, 0 };
	if (at == key.n || at < 2 || key.p[at - 1] != ':')
		return;
	*handle = str_behind(key, at);
	name->n = at - 1;
}

/* A kernel of a region, and with `handle` one call of it; the caller releases the buffer. */
static struct str key_of(struct buf *buf, struct str kernel, struct str region,
			 const struct str *handle)
{
	buf_clear(buf);
	buf_add_str(buf, kernel);
	buf_add_char(buf, '\n');
	buf_add_str(buf, region);
	if (handle) {
		buf_add_char(buf, '\n');
		buf_add_str(buf, *handle);
	}
	return buf_str(buf);
}

/* Puts the newest item in front of those of the key; the one that was there + 1. */
static uint32_t chain(struct compile_sources *s, struct str key)
{
	uint32_t at = intern_add(&s->keys, key);
	uint32_t *newest = ARRAY_AT(s->newest, s->newest_cap, at);
	uint32_t next = *newest;

	*newest = (uint32_t)s->n;
	return next;
}

void compile_sources_add(struct compile_sources *s, struct str key,
			 const struct compile_source *source)
{
	struct compile_source *item = ARRAY_PUSH(s->items, s->n, s->cap);
	struct buf buf;

	*item = *source;
	compile_source_split(key, &item->kernel, &item->handle);
	buf_init(&buf, SIZE_MAX);
	item->next_of_kernel = chain(s, key_of(&buf, item->kernel, item->region, NULL));
	item->next_of_call =
		chain(s, key_of(&buf, item->kernel, item->region, &item->handle));
	buf_release(&buf);
}

static bool says_same(const struct compile_source *a, const struct compile_source *b)
{
	return str_equal(a->post_nodes, b->post_nodes) &&
	       str_equal(a->pre_nodes, b->pre_nodes) && str_equal(a->lines, b->lines);
}

/* A text under way: that of one item as it is, or several in the buffer. */
struct joined {
	struct str text; /* borrowed */
	struct buf buf;
};

static void join_begin(struct joined *j, struct str text)
{
	j->text = text;
	buf_init(&j->buf, SIZE_MAX);
}

/* The text, or both where they differ. */
static void join(struct joined *j, struct str more)
{
	if (more.n == 0 || j->text.n > TEXT_MAX || str_contains(j->text, more))
		return;
	if (j->text.n == 0) {
		j->text = more;
		return;
	}
	if (j->buf.n == 0)
		buf_add_str(&j->buf, j->text);
	buf_add_text(&j->buf, "; ");
	buf_add_str(&j->buf, more);
	j->text = buf_str(&j->buf);
}

/* It lives as long as the sources. */
static struct str join_end(struct joined *j, struct arena *arena)
{
	struct str text = j->buf.n ? arena_copy(arena, j->text) : j->text;

	buf_release(&j->buf);
	return text;
}

/* What was found so far. */
struct finding {
	struct compile_found *out;
	const struct compile_source *first; /* NULL: nothing */
	struct joined post_nodes, pre_nodes, lines;
};

static void add_found(struct finding *f, const struct compile_source *item)
{
	if (!f->first) {
		f->first = item;
		f->out->source = *item;
		f->out->has_source = true;
		join_begin(&f->post_nodes, item->post_nodes);
		join_begin(&f->pre_nodes, item->pre_nodes);
		join_begin(&f->lines, item->lines);
		return;
	}
	if (item->region.n == 0 && item->file != f->first->file &&
	    !says_same(item, f->first))
		f->out->is_ambiguous = true;
	join(&f->post_nodes, item->post_nodes);
	join(&f->pre_nodes, item->pre_nodes);
	join(&f->lines, item->lines);
}

/* All of the key that are of the pass, or of none; with `handle` those of one call. */
static void make_found(struct compile_sources *s, uint32_t key, bool is_backward,
		       bool has_handle, struct compile_found *out)
{
	struct finding f = { .out = out };
	uint32_t at = s->newest[key];
	bool has_region = at && s->items[at - 1].region.n;

	*out = (struct compile_found){ .is_made = true };
	for (int looked = 0; at && looked < LOOKED_AT; looked++) {
		const struct compile_source *item = &s->items[at - 1];
		if (!item->has_pass || item->is_backward == is_backward)
			add_found(&f, item);
		at = has_handle ? item->next_of_call : item->next_of_kernel;
	}
	out->is_ambiguous |= at && !has_region;
	if (!f.first)
		return;
	out->source.post_nodes = join_end(&f.post_nodes, &s->arena);
	out->source.pre_nodes = join_end(&f.pre_nodes, &s->arena);
	out->source.lines = join_end(&f.lines, &s->arena);
}

/* Many calls may want the same; NULL: nothing has that key. */
static const struct compile_found *find_of(struct compile_sources *s,
					   const struct compile_wanted *wanted,
					   struct str region, const struct str *handle)
{
	struct buf buf;

	buf_init(&buf, SIZE_MAX);
	struct str text = key_of(&buf, wanted->kernel, region, handle);
	bool is_there = intern_has(&s->keys, text);
	uint32_t key = is_there ? intern_add(&s->keys, text) : 0;
	buf_release(&buf);
	if (!is_there)
		return NULL;
	size_t at = ((size_t)key * 2) + wanted->is_backward;
	struct compile_found *found = ARRAY_AT(s->found, s->found_cap, at);
	if (!found->is_made)
		make_found(s, key, wanted->is_backward, handle != NULL, found);
	return found;
}

/* False: nothing there says anything. */
static bool ask(struct compile_sources *s, const struct compile_wanted *wanted,
		struct str region, struct compile_source *out, bool *is_ambiguous)
{
	const struct str none = { "", 0 };
	/* files without handles come last */
	const struct str *const handles[] = { wanted->handle.n ? &wanted->handle : NULL,
					      &none };

	for (size_t i = 0; i < (wanted->handle.n ? 2 : 1); i++) {
		const struct compile_found *found =
			find_of(s, wanted, region, handles[i]);
		*is_ambiguous |= found && found->is_ambiguous;
		if (found && found->has_source) {
			*out = found->source;
			return true;
		}
	}
	return false;
}

bool compile_sources_find(struct compile_sources *s, const struct compile_wanted *wanted,
			  struct compile_source *out, bool *is_ambiguous)
{
	const struct str none = { "", 0 };
	bool has_source = false;

	*out = (struct compile_source){ .kernel = wanted->kernel };
	*is_ambiguous = false;
	if (wanted->region.n)
		has_source = ask(s, wanted, wanted->region, out, is_ambiguous);
	if (!has_source && !wanted->in_region)
		has_source = ask(s, wanted, none, out, is_ambiguous);
	return has_source && !*is_ambiguous;
}
