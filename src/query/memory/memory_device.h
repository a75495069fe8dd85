/*
 * Devices of memory events as torch spells them, and what --device says of them.
 */
#ifndef PTOOL_QUERY_MEMORY_DEVICE_H
#define PTOOL_QUERY_MEMORY_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

#define MEMORY_DEVICE_MAX 40

/*
 * "cpu", "cuda:0"; "type 77:0" for a c10::DeviceType that has no name here.  The
 * index is left out where it is not told.
 */
void memory_device_name(int64_t type, int64_t index, char out[MEMORY_DEVICE_MAX]);

#define MEMORY_SPECS_MAX 64

/* One of the devices that were asked for. */
struct memory_spec {
	struct str text;  /* borrowed: as it was written */
	const char *kind; /* "cuda"; NULL: of any kind but the CPU's */
	int64_t index;    /* when has_index */
	bool has_index;
};

/* None: every device. */
struct memory_specs {
	struct memory_spec items[MEMORY_SPECS_MAX];
	size_t n;
};

/*
 * Adds "cpu", "cuda", "cuda:1", "1" or "type 77:0", or several with commas; -1 with an
 * ERR_USAGE.  The text is borrowed.
 */
int memory_specs_add(struct memory_specs *to, const char *text, struct err *err);
bool memory_specs_have(const struct memory_specs *specs, int64_t type, int64_t index);

#endif
