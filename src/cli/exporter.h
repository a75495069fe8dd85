/*
 * What ptool export writes for other programs: a new format is a file with a
 * struct exporter and a row in exporters.c.
 */
#ifndef PTOOL_CLI_EXPORTER_H
#define PTOOL_CLI_EXPORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "query/filter.h"
#include "query/scope.h"
#include "store/store.h"

enum export_weight { EXPORT_HOST, EXPORT_DEVICE };

/* What is to be written; borrowed for the call. */
struct export_request {
	struct store *store;
	const struct scope *scope;
	const struct filter *filter; /* of whole profiles unless `takes_filters` */
	enum export_weight weight;   /* of stacks */
	const char *table;           /* NULL: none was named */
	const char *title;           /* what the user calls the recording */
};

/* What the format cannot hold, to be told once; zeroed: nothing. */
struct export_losses {
	int64_t renamed;    /* names with characters that mean something in the format */
	int64_t negative;   /* times below zero */
	int64_t name_bytes; /* that names were cut to; 0: none was */
	int64_t series;     /* of sampled stacks, that were left out */
	int64_t rounded;    /* weights with decimals, of a format that has none */
	bool is_estimated;  /* paths, of a call graph */
	bool args;   /* long texts that events share are not in all of their args */
	bool is_cut; /* the estimate was not followed to its end */
	bool is_shortened; /* stacks deeper than STACK_FRAMES_MAX (query/samples/stack_paths.h) */
};

struct exporter {
	const char *name;            /* what --to takes */
	const char *const *suffixes; /* of files in it, NULL-terminated; with the dot */
	bool is_binary;              /* nothing for a terminal */
	bool takes_filters;          /* else it writes whole profiles */
	bool takes_weight;           /* --weight */
	bool takes_table;            /* --table, and of the whole store */
	/*
	 * Writes it.  -1 with err set when the store does not hold what it needs; what
	 * fails on the stream is the caller's to see.
	 */
	int (*write)(const struct export_request *request, FILE *out,
		     struct export_losses *losses, struct err *err);
};

/* NULL-terminated. */
extern const struct exporter *const exporters[];
/* NULL when there is none. */
const struct exporter *exporter_find(const char *name);
/* By the suffix of a file; NULL when it tells none. */
const struct exporter *exporter_for_path(const char *path);

#endif
