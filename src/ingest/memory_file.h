/*
 * What the readers of torch's memory files say alike: events of one allocator, in
 * order, with running totals, as instants on a track of its own.
 */
#ifndef PTOOL_INGEST_MEMORY_FILE_H
#define PTOOL_INGEST_MEMORY_FILE_H

#include <stdbool.h>

#include "base/buf.h"
#include "ingest/reader.h"

/* c10::DeviceType; the files that name no device get the last. */
#define MEMORY_FILE_CUDA      1
#define MEMORY_FILE_NO_DEVICE (-1)

struct memory_file {
	struct sink *sink;                  /* borrowed */
	const struct read_options *options; /* borrowed */
	uint32_t track;
	int64_t device_type, device;
	int64_t total_bytes, reserved_bytes; /* or NUMBER_NONE */
};

struct memory_file_event {
	int64_t ts_ns;
	int64_t bytes; /* below 0: freed */
	int64_t address;
	uint32_t name; /* text: who allocated, or of which category it is */
	uint64_t offset;
	bool is_out_of_memory;
};

/* Begins the events of a device; `label` names their track.  Totals are the caller's to set. */
void memory_file_begin(struct memory_file *f, struct sink *sink,
		       const struct read_options *options, int64_t device_type,
		       int64_t device, const char *label);
/*
 * Adds the bytes to the total, when that is known, and tells the event: with a time that is
 * none it is left out, as a finding.
 */
int memory_file_event(struct memory_file *f, const struct memory_file_event *event,
		      struct err *err);
/* Once, behind the last: `format` is static.  has_base: times are since 1970. */
void memory_file_end(struct sink *sink, const char *format, bool has_base);

#endif
