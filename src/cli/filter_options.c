/* The options of filters: see filter_options.h. */
#include "cli/filter_options.h"

#include "trace/category.h"

#define INTO(type, member) OPT_INTO(type, struct filter_opts, member)

/* clang-format off */
const struct opt filter_options[] = {
	{ .name = "focus", .arg = "RE", .help = "only names that match the regular expression",
	  INTO(STRING, focus), .short_name = 'F' },
	{ .name = "ignore", .arg = "RE", .help = "no names that match the regular expression",
	  INTO(STRING, ignore), .short_name = 'N' },
	{ .name = "cat", .arg = "CATEGORY", .help = "only slices of these categories (cpu_op,kernel)",
	  .value_at = category_word_at, INTO(STRINGS, cat), .is_list = true },
	{ .name = "thread", .arg = "THREAD", .help = "only slices on these threads, by number or name",
	  INTO(STRINGS, thread) },
	{ .name = "stream", .arg = "N", .help = "only device work on these streams",
	  INTO(STRINGS, stream) },
	{ .name = "device", .arg = "N", .help = "only device work on these devices",
	  INTO(STRINGS, device) },
	{ .name = "step", .arg = "A..B", .help = "only work of these steps, both ends included",
	  INTO(STRING, step) },
	{ .name = "time", .arg = "A..B", .help = "only slices that start in this interval of the recording (1ms..2.5ms)",
	  INTO(STRING, time) },
	{ .name = "min-dur", .arg = "TIME", .help = "only slices that last at least this long (10us)",
	  INTO(STRING, min_dur) },
	OPT_END
};
/* clang-format on */

int filter_options_compile(const struct filter_opts *o, struct filter *out,
			   struct err *err)
{
	const struct filter_texts texts = {
		.focus = o->focus,
		.ignore = o->ignore,
		.steps = o->step,
		.times = o->time,
		.min_dur = o->min_dur,
		.categories = o->cat.items,
		.threads = o->thread.items,
		.streams = o->stream.items,
		.devices = o->device.items,
		.ncategories = o->cat.n,
		.nthreads = o->thread.n,
		.nstreams = o->stream.n,
		.ndevices = o->device.n,
	};

	return filter_compile(&texts, out, err);
}
