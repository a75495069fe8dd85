/*
 * Sampled stacks as a speedscope file that says all that the store holds of the file they
 * came from: each series a profile, its samples in their order, what was from events as
 * events.  What is told otherwise: times are in nanoseconds.
 */
#ifndef PTOOL_CLI_EXPORT_SAMPLES_H
#define PTOOL_CLI_EXPORT_SAMPLES_H

#include "base/err.h"
#include "cli/exporter.h"
#include "report/writer.h"

/* What such a file begins with, up to the first frame. */
#define EXPORT_SPEEDSCOPE_HEAD                                                 \
	"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"," \
	"\"exporter\":\"ptool " PTOOL_VERSION "\",\"shared\":{\"frames\":["

/* The scope's one profile, which is of the format "samples".  0, or -1 with err set. */
int export_samples(const struct export_request *request, struct writer *w,
		   struct export_losses *losses, struct err *err);

#endif
