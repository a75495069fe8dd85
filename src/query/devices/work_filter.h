/*
 * The filters of reading commands on device work, and on collectives of the host: what
 * --focus, --ignore, --stream, --device, --step, --time and --min-dur mean for single
 * pieces, and for the arrays of struct device_work.
 */
#ifndef PTOOL_QUERY_WORK_FILTER_H
#define PTOOL_QUERY_WORK_FILTER_H

#include <stddef.h>
#include <stdint.h>

#include "query/devices/device_work.h"
#include "query/filter.h"
#include "query/steps/step_numbers.h"

struct work_filter {
	const struct filter *filter;   /* borrowed */
	const struct text_pool *texts; /* borrowed */
	struct step_numbers steps;     /* of all profiles of the scope */
	uint8_t *names;                /* owned; by text: what filters say of each */
	size_t names_cap;
};

/*
 * What is asked about; device and stream are NUMBER_NONE for work of the host, and step is
 * the number of one, or NUMBER_NONE.
 */
struct work_piece {
	uint32_t name; /* text of the pool */
	int64_t device, stream, step, start_ns, dur_ns;
};

/* ERR_USAGE for --thread and --cat, which device work does not have here. */
int work_filter_check(const struct filter *filter, struct err *err);

/* work_filter_close() in both cases. */
int work_filter_open(struct store *store, const struct scope *scope,
		     const struct filter *filter, const struct text_pool *texts,
		     struct work_filter *out, struct err *err);
/* Accepts a zeroed one. */
void work_filter_close(struct work_filter *f);

/* The number of a step by its id, NUMBER_NONE for none and for one that no filter wants. */
int64_t work_filter_step(const struct work_filter *f, int64_t step_id);
/* 1, 0, or -1 with err set: a regular expression takes too long. */
int work_filter_wants(struct work_filter *f, const struct work_piece *piece,
		      struct err *err);

/*
 * Keeps the items that all filters want but --time.  Streams and devices stay at their
 * places, also those that have no item left.  0, or -1 with err set.
 */
int work_filter_items(struct work_filter *f, struct device_work *work, struct err *err);
/* Cuts the items off at the ends of --time; takes out those outside it. */
void work_filter_times(struct device_work *work, const struct filter *filter);

#endif
