/* Paths of calls: see call_paths.h. */
#include "query/graphs/call_paths.h"

#include <stdlib.h>

#include "base/array.h"
#include "trace/fact.h"

void call_paths_init(struct call_paths *p)
{
	*p = (struct call_paths){ .n = 0 };
	intern_init(&p->keys);
}

void call_paths_release(struct call_paths *p)
{
	intern_release(&p->keys);
	free(p->nodes);
	free(p->way);
	*p = (struct call_paths){ .n = 0 };
}

uint32_t call_paths_child(struct call_paths *p, struct call_path path)
{
	path.length = path.caller ? call_path_at(p, path.caller)->length + 1 : 1;
	if (path.length > CALL_PATH_MOST)
		return CALL_PATH_NONE;
	uint32_t at = intern_add(&p->keys, str_bytes(&path, sizeof(path)));

	if (at == p->n)
		*ARRAY_PUSH(p->nodes, p->n, p->cap) = path;
	return at + 1;
}

size_t call_path_nodes(struct call_paths *p, uint32_t node, const uint32_t **nodes)
{
	size_t n = 0;

	for (uint32_t at = node; at != CALL_PATH_NONE; at = call_path_at(p, at)->caller)
		n++;
	p->way = xgrow(p->way, &p->way_cap, n, sizeof(*p->way));
	for (size_t i = n; i-- > 0; node = call_path_at(p, node)->caller)
		p->way[i] = node;
	*nodes = p->way;
	return n;
}

uint32_t call_path_op(const struct call_paths *p, uint32_t node)
{
	while (node != CALL_PATH_NONE && call_path_at(p, node)->class != CLASS_OP)
		node = call_path_at(p, node)->caller;
	return node;
}
