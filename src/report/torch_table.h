/*
 * The text of torch's key_averages().table(), byte for byte
 * (torch/autograd/profiler_util.py, _build_table; torch-profiler.md a.11).  No
 * renderer of tables: it takes what torch's rows hold, in float64 microseconds.
 */
#ifndef PTOOL_REPORT_TORCH_TABLE_H
#define PTOOL_REPORT_TORCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/* A row of key_averages(); all borrowed. */
struct torch_row {
	struct str name;
	struct str overload; /* empty: none */
	struct str shapes;   /* as Python prints them; empty: not grouped by */
	struct str stack;    /* frames, innermost first, ';' between them; empty: none */
	int64_t calls;
	double self_cpu_us, total_cpu_us, self_device_us, total_device_us;
	int64_t cpu_bytes, self_cpu_bytes, device_bytes, self_device_bytes;
	int64_t flops;       /* 0: none */
	bool is_async;       /* its share of the total means nothing: 0 */
	bool has_parent;     /* of its first call */
	bool is_device_work; /* counts to the device's total */
};

struct torch_table {
	const struct torch_row *rows; /* sorted */
	size_t nrows;
	/* What shares are of, where the rows are only some; NULL: their sums. */
	const double *self_cpu_us, *self_device_us;
	const char *device;     /* "CUDA"; NULL: the profile has none */
	const char *header;     /* NULL: none */
	const char *time_unit;  /* "s", "ms", "us"; NULL: each number its own */
	int64_t row_limit;      /* negative: none */
	int64_t max_name_width; /* 0: none */
	bool top_level;         /* only rows without a parent */
	bool memory, flops;     /* recorded */
	bool old_memory_units;  /* "Kb" up to torch 2.6, "KB" later */
	bool short_stacks;      /* five frames, up to torch 1.13 */
};

/* 0, or -1 with an ERR_IO. */
int torch_table_print(const struct torch_table *table, FILE *out, struct err *err);

/*
 * Numbers, names and stacks as torch's table spells them
 * (torch/autograd/profiler_util.py): what torch_table.c puts into columns.
 * Texts live in the arena.
 */

/* _format_time: "12.345ms"; `unit` is "s", "ms", "us", or NULL for the number's own. */
struct str torch_time(struct arena *arena, double us, const char *unit);

/* len(text): characters, not bytes */
size_t torch_length(struct str text);
/* Cut three characters before the limit already, as torch does; 0: never. */
struct str torch_name(struct arena *arena, struct str name, int64_t max_width);
/* trim_path: the end of a path says more than its beginning. */
struct str torch_path(struct arena *arena, struct str path, size_t width);

#endif
