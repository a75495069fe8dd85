/* Reading commands with filters: see filtered.h. */
#include "cli/filtered.h"

#include "cli/message.h"
#include "trace/category.h"

int filtered_read(const char *command, const struct filtered_plan *plan)
{
	struct err err = ERR_INIT;
	struct filter filter;
	int code;

	if (filter_options_compile(&plan->on->filter, &filter, &err) < 0)
		return message_error(command, NULL, &err);
	if (plan->make(plan->options, &filter, plan->request, &err) < 0)
		code = message_error(command, NULL, &err);
	else
		code = reading_run(&(struct reading_plan){ .command = command,
							   .operand = plan->on->operand,
							   .scope = &plan->on->scope,
							   .output = &plan->on->output,
							   .open = plan->open,
							   .options = plan->request,
							   .filter = &filter,
							   .nothing = plan->nothing,
							   .lacks = plan->lacks });
	filter_release(&filter);
	return code;
}

int filtered_run(const struct command *self, int argc, char **argv,
		 const struct filtered_plan *plan)
{
	int code;

	if (!command_parse(self, argc, argv, plan->options, &code))
		return code;
	if (plan->view && view_options_want_help(plan->show))
		return view_options_help(self, plan->view, &plan->on->output);
	return filtered_read(self->name, plan);
}

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
