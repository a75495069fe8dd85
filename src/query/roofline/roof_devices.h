/* The devices that work ran on, and their peaks: those of one name and size are one. */
#ifndef PTOOL_QUERY_ROOF_DEVICES_H
#define PTOOL_QUERY_ROOF_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/intern.h"
#include "query/roofline/device_peaks.h"
#include "query/scope.h"
#include "query/text_pool.h"

/* A device's name as recorded, and its peaks. */
struct roof_device {
	uint32_t name; /* text, or TEXT_NONE: not recorded */
	struct device_peaks peaks;
};

struct roof_devices {
	struct roof_device *items; /* owned */
	size_t n, cap;
	const char *given; /* as --peak has them, over those of the table; or NULL */
	struct intern keys;
	/* Of the profile that was opened last: */
	struct device_place {
		int64_t device; /* number, or NUMBER_NONE */
		size_t at;      /* place in items */
	} * places;             /* owned; by number */
	size_t nplaces, places_cap;
	bool is_one; /* they are alike */
};

/* roof_devices_release() also of a zeroed one.  `given` is borrowed. */
void roof_devices_init(struct roof_devices *d, const char *given);
void roof_devices_release(struct roof_devices *d);
/* The devices of a profile are those that numbers mean from now on. */
int roof_devices_open(struct roof_devices *d, struct store *store,
		      struct text_pool *texts, const struct scope_profile *profile,
		      struct err *err);
/*
 * The place in items of the device that work ran on; where the recording does not say
 * which, and they are all alike, that of them, else of one that is not known.
 */
int roof_devices_place(struct roof_devices *d, int64_t number, size_t *at,
		       struct err *err);

#endif
