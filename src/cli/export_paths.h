/*
 * The frames of stacks, each of which goes on where another one ends, for formats that
 * repeat all of them with each sample: n calls within each other would take n x n frames.
 * A deeper stack than EXPORT_FRAMES_MAX is its outermost frames, one that says so, and its
 * EXPORT_FRAMES_INNER innermost.
 */
#ifndef PTOOL_CLI_EXPORT_PATHS_H
#define PTOOL_CLI_EXPORT_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT_FRAMES_MAX      512
#define EXPORT_FRAMES_INNER    8
#define EXPORT_FRAMES_LEFT_OUT "[frames left out]"

#define EXPORT_PATH_ROOT \
	UINT32_MAX /* the caller of outermost frames, and the empty stack */

struct export_paths {
	struct export_path_node *nodes; /* owned */
	size_t n, cap;
	uint32_t left_out; /* the caller's number of EXPORT_FRAMES_LEFT_OUT */
	bool is_deep;      /* a stack is deeper than EXPORT_FRAMES_MAX */
	/* Those of the newest export_paths_find(), outermost first. */
	uint32_t frames[EXPORT_FRAMES_MAX];
	size_t nframes;
};

/* The next stack, numbered from 0: `frame` below a caller that was added before. */
void export_paths_add(struct export_paths *p, uint32_t caller, uint32_t frame);
/* Sets p->frames to those of a stack; true: frames are left out. */
bool export_paths_find(struct export_paths *p, uint32_t stack);
void export_paths_release(struct export_paths *p);

#endif
