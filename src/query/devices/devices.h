/* ptool devices: a row for each device of each profile that did work, or sums by an axis. */
#ifndef PTOOL_QUERY_DEVICES_H
#define PTOOL_QUERY_DEVICES_H

#include "base/table.h"
#include "query/filter.h"
#include "query/scope.h"
#include "query/view.h"

struct devices_request {
	const struct filter *filter; /* borrowed */
	struct view_request show;
	enum axis axis; /* when by_axis: rows are places in it */
	bool by_axis;
};

extern const struct view devices_view, devices_by_axis_view;

/* 0 and *out, or -1: ERR_EMPTY when there is no device work, or none that matches. */
int devices_open(struct store *store, const struct scope *scope,
		 const struct devices_request *request, struct table **out,
		 struct err *err);

/* devices_by_axis.c: that of a request with an axis; ERR_EMPTY where nothing tells it, too. */
int devices_by_axis_open(struct store *store, const struct scope *scope,
			 const struct devices_request *request, struct table **out,
			 struct err *err);

/*
 * What `ptool info` shows below its profiles: what the recordings say of the devices
 * that did work, and how well those were used.  *out is NULL when there are none.
 */
int devices_summary_open(struct store *store, const struct scope *scope,
			 struct table **out, struct err *err);

#endif
