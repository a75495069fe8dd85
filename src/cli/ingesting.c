/* The visible side of an import: see ingesting.h. */
#include "cli/ingesting.h"

#include "base/buf.h"
#include "base/table.h"
#include "base/units.h"
#include "cli/interrupt.h"
#include "cli/message.h"

static void on_begin(void *to, const char *path, uint64_t size)
{
	struct ingesting *i = to;

	ingesting_end(i); /* that of the file before */
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

/* "1 slice", "1,432 slices" */
static void add_count(struct buf *line, int64_t n, const char *one, const char *many)
{
	char digits[UNITS_TEXT_MAX];

	buf_add_str(line, units_text(UNIT_COUNT, cell_int(n), digits));
	buf_addf(line, " %s", n == 1 ? one : many);
}

static void on_done(void *to, const struct import_file *file)
{
	struct ingesting *i = to;
	struct buf line;

	ingesting_end(i);
	if (i->is_quiet)
		return;
	buf_init(&line, ERR_TEXT_MAX);
	add_count(&line, file->slices, "slice", "slices");
	if (i->where)
		buf_addf(&line, " %s", i->where);
	if (file->findings) {
		buf_add_text(&line, ", ");
		add_count(&line, file->findings, "warning or error",
			  "warnings or errors");
		buf_addf(&line, "; 'ptool doctor' lists %s",
			 file->findings == 1 ? "it" : "them");
	}
	message_note(i->command, file->path, STR_FMT, STR_ARG(buf_str(&line)));
	buf_release(&line);
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
