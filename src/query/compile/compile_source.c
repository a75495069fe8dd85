/* What Inductor says of its kernels: see compile_source.h. */
#include "query/compile/compile_source.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/buf.h"

#define LOOKED_AT 256  /* that many graphs with a kernel of one name */
#define TEXT_MAX  4096 /* nothing is joined to what is longer */

void compile_sources_init(struct compile_sources *s)
{
	*s = (struct compile_sources){ .n = 0 };
	intern_init(&s->kernels);
}

void compile_sources_release(struct compile_sources *s)
{
	free(s->items);
	free(s->newest);
	intern_release(&s->kernels);
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

void compile_sources_add(struct compile_sources *s, struct str key,
			 const struct compile_source *source)
{
	struct compile_source *item = ARRAY_PUSH(s->items, s->n, s->cap);

	*item = *source;
	compile_source_split(key, &item->kernel, &item->handle);
	uint32_t kernel = intern_add(&s->kernels, item->kernel);
	uint32_t *newest = ARRAY_AT(s->newest, s->newest_cap, kernel);
	item->next = *newest;
	*newest = (uint32_t)s->n;
}

/* 2: it is of the region that is asked for; 1: of none; 0: of another. */
static int nearness(const struct compile_source *item,
		    const struct compile_wanted *wanted)
{
	if (item->handle.n && wanted->handle.n &&
	    !str_equal(item->handle, wanted->handle))
		return 0;
	if (item->region.n == 0)
		return wanted->in_region ? 0 : 1;
	return str_equal(item->region, wanted->region) &&
			       (!item->has_pass ||
				item->is_backward == wanted->is_backward)
		       ? 2
		       : 0;
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

bool compile_sources_find(struct compile_sources *s, const struct compile_wanted *wanted,
			  struct compile_source *out, bool *is_ambiguous)
{
	const struct compile_source *first = NULL;
	int best = 0, looked = 0;

	*is_ambiguous = false;
	*out = (struct compile_source){ .kernel = wanted->kernel };
	if (!intern_has(&s->kernels, wanted->kernel))
		return false;
	uint32_t kernel = intern_add(&s->kernels, wanted->kernel);
	for (uint32_t at = s->newest[kernel]; at && looked < LOOKED_AT; looked++) {
		const struct compile_source *item = &s->items[at - 1];
		int near = nearness(item, wanted);
		at = item->next;
		if (near == 0 || near < best)
			continue;
		if (near > best) {
			best = near;
			first = item;
			*out = *item;
			*is_ambiguous = false;
			continue;
		}
		if (near == 1 && item->file != first->file && !says_same(item, first))
			*is_ambiguous = true;
		join(&s->arena, &out->post_nodes, item->post_nodes);
		join(&s->arena, &out->pre_nodes, item->pre_nodes);
		join(&s->arena, &out->lines, item->lines);
	}
	*is_ambiguous |= looked == LOOKED_AT && best == 1;
	return best > 0 && !*is_ambiguous;
}
