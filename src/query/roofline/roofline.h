/*
 * ptool roofline: operators by shapes and element types, how fast they were, and how
 * fast the device could have been.  A call's roof is the longer of its operations at
 * the device's peak and its bytes at the speed of the memory.
 */
#ifndef PTOOL_QUERY_ROOFLINE_H
#define PTOOL_QUERY_ROOFLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/intern.h"
#include "query/filter.h"
#include "query/roofline/roof_devices.h"
#include "query/scope.h"
#include "query/text_pool.h"
#include "query/view.h"

/* What one call of an operator did; the work of one piece where no operator is known. */
struct roof_call {
	const struct scope_profile *profile;
	int64_t step_id; /* 0: none */
	int64_t device;  /* its number, or NUMBER_NONE */
	int64_t time_ns, flops;
	enum peak peak; /* that its operations are measured by */
	size_t on;      /* place in roofline.devices.items */
	bool is_comm;   /* it is, or launched, a collective */
};
/* Called for each call; 0, or -1 with err set, which ends the load. */
typedef int roof_call_fn(void *context, const struct roof_call *call, struct err *err);

struct roofline_query {
	const struct filter *filter; /* borrowed; names are those of operators */
	struct view_request show;
	const char *peaks;  /* as --peak has them, over those of the table; or NULL */
	roof_call_fn *each; /* is told all calls, in place of rows; or NULL */
	void *context;      /* for it */
};

/* Numbers are of all calls; NUMBER_NONE, and a negative double, where one is not known. */
struct roof_row {
	uint32_t name, shapes, dtypes; /* texts, or TEXT_NONE */
	bool is_host;                  /* its time is the host's */
	int64_t calls, time_ns;
	int64_t launch_ns; /* of the calls that launched its work */
	int64_t flops, torch_flops, bytes;
	double compute_ns, memory_ns,
		roof_ns; /* at the peak; the longer of both a call */
	uint8_t peaks;   /* bits of enum peak that were used */
};

/* What is known of time: of the device, or of operators on the host. */
struct roof_times {
	int64_t all_ns, flops_ns, bytes_ns, comm_ns;
};

struct roofline {
	struct text_pool texts;
	struct intern keys;
	struct roof_row *rows; /* owned */
	size_t n, cap;
	struct roof_times times;
	struct roof_devices devices;
	bool is_host; /* no device did work */
};

extern const struct view roofline_view;

/* 0 with at least one row, unless none was asked for, or -1; roofline_release() in both cases. */
int roofline_load(struct store *store, const struct scope *scope,
		  const struct roofline_query *query, struct roofline *out,
		  struct err *err);
void roofline_release(struct roofline *r);

/* The table; *out is freed by table_free(). */
int roofline_open(struct store *store, const struct scope *scope,
		  const struct roofline_query *query, struct table **out,
		  struct err *err);

/* Notes of devices' peaks: of types by the bits `used`, or how to give them. */
void roofline_note_peaks(struct memtable *m, const struct roofline *r, unsigned used,
			 bool bandwidth);

#endif
