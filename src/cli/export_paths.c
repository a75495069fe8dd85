/* Frames of stacks: see export_paths.h. */
#include "cli/export_paths.h"

#include <stdlib.h>

#include "base/array.h"

#define OUTER_FRAMES (EXPORT_FRAMES_MAX - EXPORT_FRAMES_INNER - 1)

struct export_path_node {
	uint32_t caller, frame;
	uint32_t depth; /* frames of the stack */
	uint32_t
		outer; /* the stack of its last outer frame; itself where all are outer */
};

void export_paths_add(struct export_paths *p, uint32_t caller, uint32_t frame)
{
	struct export_path_node node = { caller, frame, 1, (uint32_t)p->n };

	if (caller != EXPORT_PATH_ROOT)
		node.depth += p->nodes[caller].depth;
	if (node.depth > OUTER_FRAMES)
		node.outer = p->nodes[caller].outer;
	p->is_deep |= node.depth > EXPORT_FRAMES_MAX;
	*ARRAY_PUSH(p->nodes, p->n, p->cap) = node;
}

bool export_paths_find(struct export_paths *p, uint32_t stack)
{
	const struct export_path_node *nodes = p->nodes;
	uint32_t at = stack;
	size_t i = at == EXPORT_PATH_ROOT ? 0 : nodes[at].depth;
	bool is_shortened = i > EXPORT_FRAMES_MAX;

	p->nframes = is_shortened ? EXPORT_FRAMES_MAX : i;
	if (is_shortened) {
		for (i = EXPORT_FRAMES_MAX; i > EXPORT_FRAMES_MAX - EXPORT_FRAMES_INNER;
		     at = nodes[at].caller)
			p->frames[--i] = nodes[at].frame;
		p->frames[--i] = p->left_out;
		at = nodes[at].outer;
	}
	for (; i > 0; at = nodes[at].caller)
		p->frames[--i] = nodes[at].frame;
	return is_shortened;
}

void export_paths_release(struct export_paths *p)
{
	free(p->nodes);
	*p = (struct export_paths){ .n = 0 };
}
