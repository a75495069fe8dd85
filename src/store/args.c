/* The args of begins and ends: see args.h. */
#include "store/args.h"

#include "ingest/json.h"

static bool is_object(struct str json)
{
	return json.n >= 2 && json.p[0] == '{';
}

/*
 * Takes members out of an object that is followed by JSON_PADDING: those that begin before
 * `middle` and have a key of one behind it.
 */
static struct str without_repeated(char *p, size_t n, size_t middle)
{
	struct json_items items = json_items_of((struct str){ p, n });
	struct json_value key, value;
	struct intern keys;
	char *to = p + 1, *from = to;

	intern_init(&keys);
	while (json_next_member(&items, &key, &value) > 0)
		if (key.text.p > p + middle)
			intern_add(&keys, key.text);
	size_t behind = keys.n;
	items = json_items_of((struct str){ p, n });
	while (json_next_member(&items, &key, &value) > 0 && key.text.p < p + middle) {
		char *end = p + (json_skip_blanks(items.j.p) + 1 - p); /* of its comma */
		items.j.p = end - 1; /* what is before it is overwritten */
		if (intern_add(&keys, key.text) >= behind) {
			memmove(to, from, (size_t)(end - from));
			to += end - from;
		}
		from = end;
	}
	memmove(to, from, (size_t)(p + n - from));
	intern_release(&keys);
	return (struct str){ p, n - (size_t)(from - to) };
}

/*
 * "{a}" and "{b}" as "{a,b}": of a key in both the end's counts.  What is no object stays
 * the begin's.
 */
static struct str join(struct arena *arena, struct str begin, struct str end)
{
	size_t n = begin.n - 1; /* without the '}' */

	if (!is_object(begin) || !is_object(end))
		return begin;
	while (n > 1 && strchr(" \t\r\n", begin.p[n - 1]))
		n--;
	if (n == 1)
		return end;
	char *p = arena_alloc(arena, n + end.n + JSON_PADDING);
	memcpy(p, begin.p, n);
	p[n] = ',';
	memcpy(p + n + 1, end.p + 1, end.n - 1);
	memset(p + n + end.n, 0, JSON_PADDING);
	return without_repeated(p, n + end.n, n);
}

static bool is_empty(struct str json)
{
	for (size_t i = 1; i + 1 < json.n; i++)
		if (!strchr(" \t\r\n", json.p[i]))
			return false;
	return is_object(json);
}

/* True when the record is to stay: moved to the begin, or not an end's. */
static bool move_to_begin(struct model *m, struct args_rec *args, uint32_t *of_slice,
			  uint32_t at)
{
	const struct slice_rec *end = &m->slices[args->slice];

	if (end->phase != PHASE_END)
		return true;
	if (end->key == ROW_NONE || is_empty(args->json))
		return false;
	args->slice = end->key;
	if (of_slice[args->slice] == ROW_NONE) {
		of_slice[args->slice] = at;
		return true;
	}
	struct args_rec *begin = &m->args[of_slice[args->slice]];
	begin->json = join(&m->arena, begin->json, args->json);
	return false;
}

void args_of_ends(struct model *m)
{
	size_t to = 0;

	if (m->nargs == 0)
		return;
	uint32_t *of_slice = spill_alloc(m->spill, m->nslices, sizeof(*of_slice));
	memset(of_slice, 0xff, m->nslices * sizeof(*of_slice)); /* ROW_NONE */
	for (uint32_t i = 0; i < m->nargs; i++)
		of_slice[m->args[i].slice] = i;
	for (uint32_t i = 0; i < m->nargs; i++) {
		struct args_rec args = m->args[i];
		if (!move_to_begin(m, &args, of_slice, (uint32_t)to))
			continue;
		of_slice[args.slice] = (uint32_t)to;
		m->args[to++] = args;
	}
	m->nargs = to;
	spill_free(m->spill, of_slice);
}
