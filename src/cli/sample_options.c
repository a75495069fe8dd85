/* The options of sampled stacks: see sample_options.h. */
#include "cli/sample_options.h"

#define INTO(type, member) OPT_INTO(type, struct sample_opts, member)

static const char *const modes[] = { "wall", "cpu", "gil", "allocation", NULL };

/* clang-format off */
const struct opt sample_options[] = {
	{ .name = "series", .arg = "NAME|N", .help = "only series whose name has this in it, or the one of this number ('ptool info' lists them)",
	  INTO(STRING, series) },
	{ .name = "mode", .arg = "MODE", .help = "only series of this mode",
	  INTO(CHOICE, mode), .choices = modes },
	{ .name = "no-idle", .help = "leave out stacks of threads that wait (py-spy's rule)",
	  INTO(FLAG, no_idle) },
	OPT_END
};
/* clang-format on */

void sample_options_set(const struct sample_opts *o, struct filter *filter)
{
	filter->samples = (struct sample_choice){ .series = o->series,
						  .mode = o->mode,
						  .no_idle = o->no_idle };
}
