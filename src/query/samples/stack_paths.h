/*
 * The frames of stacks, each of which goes on where another one ends, for formats that
 * repeat all of them with each sample: n calls within each other would take n x n frames.
 * A deeper stack than STACK_FRAMES_MAX is its outermost frames, one that says so, and its
 * STACK_FRAMES_INNER innermost.
 */
#ifndef PTOOL_QUERY_STACK_PATHS_H
#define PTOOL_QUERY_STACK_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STACK_FRAMES_MAX      512
#define STACK_FRAMES_INNER    8
#define STACK_FRAMES_LEFT_OUT "[frames left out]"

#define STACK_PATH_ROOT \
	UINT32_MAX /* the caller of outermost frames, and the empty stack */

struct stack_paths {
	struct stack_path_node *nodes; /* owned */
	size_t n, cap;
	uint32_t left_out; /* the caller's number of STACK_FRAMES_LEFT_OUT */
	bool is_deep;      /* a stack is deeper than STACK_FRAMES_MAX */
	/* Those of the newest stack_paths_find(), outermost first. */
	uint32_t frames[STACK_FRAMES_MAX];
	size_t nframes;
};

/* The next stack, numbered from 0: `frame` below a caller that was added before. */
void stack_paths_add(struct stack_paths *p, uint32_t caller, uint32_t frame);
/* Sets p->frames to those of a stack; true: frames are left out. */
bool stack_paths_find(struct stack_paths *p, uint32_t stack);
/* Frames of the stack, with those that are left out. */
size_t stack_paths_depth(const struct stack_paths *p, uint32_t stack);
void stack_paths_release(struct stack_paths *p);

#endif
