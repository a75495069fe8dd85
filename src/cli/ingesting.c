/* The visible side of an import: see ingesting.h. */
#include "cli/ingesting.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/table.h"
#include "base/units.h"
#include "cli/interrupt.h"
#include "cli/message.h"

static void on_begin(void *to, const char *path, uint64_t size)
{
	struct ingesting *i = to;

	progress_start(&i->progress, path, size);
	i->is_running = true;
}

static int on_progress(void *to, uint64_t consumed, struct err *err)
{
	struct ingesting *i = to;

	if (consumed)
		progress_update(&i->progress, consumed);
	return interrupt_check(err);
}

static struct str count_text(int64_t n, char out[UNITS_TEXT_MAX])
{
	return units_text(UNIT_COUNT, cell_int(n), out);
}

static void on_done(void *to, const struct import_file *file)
{
	char slices[UNITS_TEXT_MAX], findings[UNITS_TEXT_MAX];
	struct ingesting *i = to;

	ingesting_end(i);
	if (i->is_quiet)
		return;
	if (file->findings == 0)
		message_note(i->command, file->path, STR_FMT " slices",
			     STR_ARG(count_text(file->slices, slices)));
	else
		message_note(i->command, file->path,
			     STR_FMT " slices, " STR_FMT " findings; 'ptool doctor' lists them",
			     STR_ARG(count_text(file->slices, slices)),
			     STR_ARG(count_text(file->findings, findings)));
}

static void on_refused(void *to, const char *path, const struct err *err)
{
	struct ingesting *i = to;

	ingesting_end(i);
	message_error(i->command, path, err);
}

struct import_events ingesting_events(struct ingesting *i)
{
	interrupt_catch();
	return (struct import_events){ .to = i,
				       .begin = on_begin,
				       .progress = on_progress,
				       .done = on_done,
				       .refused = on_refused };
}

void ingesting_end(struct ingesting *i)
{
	if (i->is_running)
		progress_end(&i->progress);
	i->is_running = false;
}
