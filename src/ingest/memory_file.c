/* Events of memory files: see memory_file.h. */
#include "ingest/memory_file.h"

#include "base/sum.h"
#include "ingest/tell.h"

void memory_file_begin(struct memory_file *f, struct sink *sink,
		       const struct read_options *options, int64_t device_type,
		       int64_t device, const char *label)
{
	const struct ident pid = { 0, TEXT_NONE };
	const struct ident tid = { device > 0 ? device : 0, TEXT_NONE };
	const struct track_fact track = {
		.kind = TRACK_THREAD, .pid = pid, .tid = tid, .scope = TEXT_NONE
	};
	const struct naming_fact naming = {
		.kind = NAMING_THREAD, .pid = pid, .tid = tid, .text = str_of(label)
	};

	*f = (struct memory_file){ .sink = sink,
				   .options = options,
				   .track = sink->track(sink, &track),
				   .device_type = device_type,
				   .device = device,
				   .total_bytes = NUMBER_NONE,
				   .reserved_bytes = NUMBER_NONE };
	sink->naming(sink, &naming);
}

int memory_file_event(struct memory_file *f, const struct memory_file_event *event,
		      struct err *err)
{
	if (f->total_bytes != NUMBER_NONE && !event->is_out_of_memory)
		f->total_bytes = sum_add(f->total_bytes, event->bytes);
	if (!time_is_possible(event->ts_ns))
		return tell_finding(f->sink, f->options, FINDING_TIME_RANGE,
				    event->offset, STR_LIT(""), err);
	const struct memory_fact memory = { .bytes = event->bytes,
					    .address = event->address,
					    .total_allocated = f->total_bytes,
					    .total_reserved = f->reserved_bytes,
					    .device_type = f->device_type,
					    .device = f->device,
					    .out_of_memory = event->is_out_of_memory };
	const struct slice_fact slice = { .ts_ns = event->ts_ns,
					  .track = f->track,
					  .name = event->name,
					  .category = TEXT_NONE,
					  .class = CLASS_MEMORY,
					  .phase = PHASE_INSTANT,
					  .correlation = NUMBER_NONE,
					  .external_id = NUMBER_NONE,
					  .offset = event->offset,
					  .memory = &memory };

	return f->sink->slice(f->sink, &slice, err);
}

void memory_file_end(struct sink *sink, const char *format, bool has_base)
{
	const struct profile_fact profile = { .format = format,
					      .dialect = "",
					      .has_base = has_base,
					      PROFILE_FACT_NONE,
					      .has_memory = true };

	sink->profile(sink, &profile);
}
