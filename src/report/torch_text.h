/*
 * Numbers, names and stacks as torch's table spells them
 * (torch/autograd/profiler_util.py): what torch_table.c puts into columns.
 * Texts live in the arena.
 */
#ifndef PTOOL_REPORT_TORCH_TEXT_H
#define PTOOL_REPORT_TORCH_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/* _format_time: "12.345ms"; `unit` is "s", "ms", "us", or NULL for the number's own. */
struct str torch_time(struct arena *arena, double us, const char *unit);
/* _format_time_share: "93.10%" */
struct str torch_share(struct arena *arena, double us, double total_us);
/* _format_memory: "1.50 MB", or "1.50 Mb" with `old` units */
struct str torch_memory(struct arena *arena, int64_t bytes, bool old);

/* len(text): characters, not bytes */
size_t torch_length(struct str text);
/* text[:n] */
struct str torch_first(struct str text, size_t n);
/* Cut three characters before the limit already, as torch does; 0: never. */
struct str torch_name(struct arena *arena, struct str name, int64_t max_width);
/* trim_path: the end of a path says more than its beginning. */
struct str torch_path(struct arena *arena, struct str path, size_t width);

/* The first frame of a ';'-joined stack, which moves behind it. */
struct str torch_next_frame(struct str *stack);

#endif
