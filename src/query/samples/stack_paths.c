/* Frames of stacks: see stack_paths.h. */
#include "query/samples/stack_paths.h"

#include <stdlib.h>

#include "base/array.h"

#define OUTER_FRAMES (STACK_FRAMES_MAX - STACK_FRAMES_INNER - 1)

struct stack_path_node {
	uint32_t caller, frame;
	uint32_t depth; /* frames of the stack */
	uint32_t
		outer; /* the stack of its last outer frame; itself where all are outer */
};

void stack_paths_add(struct stack_paths *p, uint32_t caller, uint32_t frame)
{
	struct stack_path_node node = { caller, frame, 1, (uint32_t)p->n };

	if (caller != STACK_PATH_ROOT)
		node.depth += p->nodes[caller].depth;
	if (node.depth > OUTER_FRAMES)
		node.outer = p->nodes[caller].outer;
	p->is_deep |= node.depth > STACK_FRAMES_MAX;
	*ARRAY_PUSH(p->nodes, p->n, p->cap) = node;
}

bool stack_paths_find(struct stack_paths *p, uint32_t stack)
{
	const struct stack_path_node *nodes = p->nodes;
	uint32_t at = stack;
	size_t i = stack_paths_depth(p, stack);
	bool is_shortened = i > STACK_FRAMES_MAX;

	p->nframes = is_shortened ? STACK_FRAMES_MAX : i;
	if (is_shortened) {
		for (i = STACK_FRAMES_MAX; i > STACK_FRAMES_MAX - STACK_FRAMES_INNER;
		     at = nodes[at].caller)
			p->frames[--i] = nodes[at].frame;
		p->frames[--i] = p->left_out;
		at = nodes[at].outer;
	}
	for (; i > 0; at = nodes[at].caller)
		p->frames[--i] = nodes[at].frame;
	return is_shortened;
}

size_t stack_paths_depth(const struct stack_paths *p, uint32_t stack)
{
	return stack == STACK_PATH_ROOT ? 0 : p->nodes[stack].depth;
}

void stack_paths_release(struct stack_paths *p)
{
	free(p->nodes);
	*p = (struct stack_paths){ .n = 0 };
}
