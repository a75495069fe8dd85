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

/* The text, or both where they differ. */
static void join(struct arena *arena, struct str *to, struct str more)
{
	if (more.n == 0 || to->n > TEXT_MAX || str_contains(*to, more))
		return;
	*to = to->n ? str_of(arena_printf(arena, STR_FMT "; " STR_FMT, STR_ARG(*to),
					  STR_ARG(more)))
		    : more;
}

static bool says_same(const struct compile_source *a, const struct compile_source *b)
{
	return str_equal(a->post_nodes, b->post_nodes) &&
	       str_equal(a->pre_nodes, b->pre_nodes) && str_equal(a->lines, b->lines);
}

/* What was found so far. */
struct finding {
	struct compile_sources *sources;
	const struct compile_wanted *wanted;
	const struct compile_source *first; /* NULL: nothing */
	struct compile_source *out;
	bool is_ambiguous;
};

static void add_found(struct finding *f, const struct compile_source *item)
{
	if (!f->first) {
		f->first = item;
		*f->out = *item;
		return;
	}
	if (item->region.n == 0 && item->file != f->first->file &&
	    !says_same(item, f->first))
		f->is_ambiguous = true;
	join(&f->sources->arena, &f->out->post_nodes, item->post_nodes);
	join(&f->sources->arena, &f->out->pre_nodes, item->pre_nodes);
	join(&f->sources->arena, &f->out->lines, item->lines);
}

/* All of the key, and its pass; with `handle` those of one call. */
static void find_of(struct finding *f, struct str region, const struct str *handle)
{
	struct compile_sources *s = f->sources;
	struct buf buf;
	int looked = 0;

	buf_init(&buf, SIZE_MAX);
	struct str key = key_of(&buf, f->wanted->kernel, region, handle);
	uint32_t at =
		intern_has(&s->keys, key) ? s->newest[intern_add(&s->keys, key)] : 0;
	buf_release(&buf);
	for (; at && looked < LOOKED_AT; looked++) {
		const struct compile_source *item = &s->items[at - 1];
		if (!item->has_pass || item->is_backward == f->wanted->is_backward)
			add_found(f, item);
		at = handle ? item->next_of_call : item->next_of_kernel;
	}
	f->is_ambiguous |= at && region.n == 0;
}

bool compile_sources_find(struct compile_sources *s, const struct compile_wanted *wanted,
			  struct compile_source *out, bool *is_ambiguous)
{
	const struct str none = { "", 0 };
	struct finding f = { .sources = s, .wanted = wanted, .out = out };
	int regions = wanted->in_region ? 1 : 2;

	*out = (struct compile_source){ .kernel = wanted->kernel };
	for (int i = wanted->region.n ? 0 : 1; i < regions && !f.first; i++) {
		struct str region = i ? none : wanted->region;
		if (wanted->handle.n == 0) {
			find_of(&f, region, NULL);
			continue;
		}
		find_of(&f, region, &wanted->handle);
		if (!f.first)
			find_of(&f, region, &none); /* files without handles */
	}
	*is_ambiguous = f.is_ambiguous;
	return f.first && !f.is_ambiguous;
}
