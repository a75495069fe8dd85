/*
 * What a recording tells of memory: peaks, what was live at them, statistics of
 * operators, blocks with their lifetimes, growth from step to step.  Each device and
 * profile is apart; nothing is added up over them.
 */
#ifndef PTOOL_QUERY_MEMORY_H
#define PTOOL_QUERY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/table.h"
#include "query/filter.h"
#include "query/memory/memory_device.h"
#include "query/scope.h"
#include "query/view.h"
#include "store/store.h"

enum memory_view {
	MEMORY_VIEW_PEAKS,
	MEMORY_VIEW_STATS,
	MEMORY_VIEW_LIVE,
	MEMORY_VIEW_EVENTS,
	MEMORY_VIEW_CURVE,
	MEMORY_VIEW_GROWTH,
	MEMORY_VIEW_LEAKS,
	MEMORY_VIEW_SPIKES,
	MEMORY_VIEW_OOM,
	NMEMORY_VIEWS
};

/* What the rows of MEMORY_VIEW_LIVE are. */
enum memory_by { MEMORY_BY_OP, MEMORY_BY_SIZE, MEMORY_BY_STEP, NMEMORY_BYS };

struct memory_request {
	enum memory_view view;
	enum memory_by by;
	struct memory_specs devices;
	const struct filter *filter; /* borrowed: names, steps and times */
	int64_t limit;               /* rows; 0: all */
	int64_t min_bytes;           /* of blocks (MEMORY_VIEW_EVENTS) */
	double min_share_pct;        /* of the peak: what is a spike */
	bool for_people;
};

/*
 * ERR_EMPTY when no memory events were recorded, or not what the view needs: the
 * message says how to record it.  The scope outlives *out.
 */
int memory_open(struct store *store, const struct scope *scope,
		const struct memory_request *request, struct table **out,
		struct err *err);

extern const struct view memory_peaks_view, memory_stats_view, memory_live_view,
	memory_block_view, memory_event_view, memory_growth_view, memory_leak_view,
	memory_spikes_view;

/* What to say when no row came; NULL: none is an answer. */
const char *memory_nothing(enum memory_view view);

#endif
