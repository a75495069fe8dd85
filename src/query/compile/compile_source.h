/*
 * What Inductor says of the kernels that it makes: the nodes of the graphs before and after
 * its passes, and lines of source.  Read from the files that it writes (cli/provenance.h).
 */
#ifndef PTOOL_QUERY_COMPILE_SOURCE_H
#define PTOOL_QUERY_COMPILE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/str.h"

/* What is not told is empty. */
struct compile_source {
	struct str kernel; /* "triton_poi_fused_add_0", "extern_kernels.mm" */
	struct str handle; /* which call of the kernel in its graph */
	struct str region; /* "4/1": where it was compiled */
	struct str post_nodes, pre_nodes; /* "mul, relu" */
	struct str lines;                 /* "model.py(29): forward; ..." */
	uint32_t file;                    /* the number of the file that says so */
	bool has_pass, is_backward;
	/* The places before it + 1; 0: none. */
	uint32_t next_of_kernel,
		next_of_call; /* of its kernel and region; of its handle, too */
};

/* What all items of a key say of one pass, once that was asked for. */
struct compile_found {
	struct compile_source source; /* of the newest, with the texts of all */
	bool is_made, has_source, is_ambiguous;
};

/* Zeroed, but by compile_sources_init(), it is none. */
struct compile_sources {
	struct compile_source *items; /* owned; texts are in the arena, or live as long */
	size_t n, cap;
	struct intern keys; /* kernel and region; these and handle */
	uint32_t *newest;   /* owned; by key: a place + 1 */
	size_t newest_cap;
	struct compile_found *found; /* owned; by key and is_backward */
	size_t found_cap;
	struct arena arena;
};

void compile_sources_init(struct compile_sources *s);
/* Accepts a zeroed one. */
void compile_sources_release(struct compile_sources *s);
/* Before the first is asked for.  `key` is "NAME" or "NAME:HANDLE", `source` the rest; key and texts are in the arena. */
void compile_sources_add(struct compile_sources *s, struct str key,
			 const struct compile_source *source);
/* "NAME:HANDLE" where digits follow the last colon; else the name alone. */
void compile_source_split(struct str key, struct str *name, struct str *handle);

/* What is asked for, and what is known of it. */
struct compile_wanted {
	struct str kernel, handle, region; /* empty: not known */
	bool is_backward;
	bool in_region; /* what does not name this region is no answer */
};

/*
 * What the sources say of it, texts joined where several calls of the kernel in one graph
 * differ.  False: nothing; *is_ambiguous, where they name no region and several files
 * have different kernels of that name.
 */
bool compile_sources_find(struct compile_sources *s, const struct compile_wanted *wanted,
			  struct compile_source *out, bool *is_ambiguous);

#endif
