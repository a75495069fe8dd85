/* The visible side of an import: see ingesting.h. */
#include "cli/ingesting.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/shell_word.h"
#include "base/sum.h"
#include "base/table.h"
#include "base/units.h"
#include "base/utf8.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "cli/operand.h"
#include "cli/terminal.h"

#define SECOND_NS       INT64_C(1000000000)
#define QUIET_NS        (SECOND_NS / 2)
#define BETWEEN_NS      (SECOND_NS / 6)
#define LABEL_CELLS     32
#define LABEL_BYTES_MAX ((size_t)64 * 1024)

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * SECOND_NS + now.tv_nsec;
}

/* total_bytes 0 when the size is unknown: no percentage and no ETA then. */
static void progress_start(struct progress *p, const char *label, uint64_t total_bytes)
{
	*p = (struct progress){ .label = label, .total = total_bytes };
	p->enabled = terminal_is(STDERR_FILENO);
	if (p->enabled)
		p->started_ns = now_ns();
}

static void add_size(struct buf *line, uint64_t bytes)
{
	double size = (double)bytes;

	if (bytes < 1000000)
		buf_addf(line, "%.0f kB", size / 1e3);
	else if (bytes < 1000000000)
		buf_addf(line, "%.0f MB", size / 1e6);
	else
		buf_addf(line, "%.2f GB", size / 1e9);
}

static void add_eta(struct buf *line, double seconds)
{
	uint64_t left = (uint64_t)(seconds + 0.5);

	buf_add_text(line, "  ETA ");
	if (left >= 3600)
		buf_addf(line, "%" PRIu64 "h%02" PRIu64 "m", left / 3600, left / 60 % 60);
	else if (left >= 60)
		buf_addf(line, "%" PRIu64 "m%02" PRIu64 "s", left / 60, left % 60);
	else
		buf_addf(line, "%" PRIu64 "s", left);
}

/* A file's name may hold anything, and may be as long as it likes. */
static void add_label(struct buf *line, const char *label)
{
	struct buf visible;

	buf_init(&visible, LABEL_BYTES_MAX);
	utf8_add_visible(&visible, str_of(label));
	utf8_add_shortened(line, buf_str(&visible), LABEL_CELLS);
	buf_release(&visible);
}

void progress_format(const struct progress *p, int64_t elapsed_ns, size_t width,
		     char line[PROGRESS_LINE_MAX])
{
	double seconds = (double)elapsed_ns / (double)SECOND_NS;
	double rate = seconds > 0 ? (double)p->done / seconds : 0;
	/* a file that grew while it was read is not 104% done */
	bool sized = p->total > 0 && p->done <= p->total;
	struct buf text;

	buf_init(&text, PROGRESS_LINE_MAX);
	add_label(&text, p->label);
	if (sized)
		buf_addf(&text, "  %.0f%%", 100.0 * (double)p->done / (double)p->total);
	buf_add_text(&text, "  ");
	add_size(&text, p->done);
	buf_addf(&text, "  %.0f MB/s", rate / 1e6);
	/* what comes behind the bytes takes as long as them, and cannot be told in bytes */
	if (sized && p->done == p->total)
		buf_add_text(&text, "  writing");
	else if (sized && rate > 0)
		add_eta(&text, (double)(p->total - p->done) / rate);
	if (width > PROGRESS_LINE_MAX - 1)
		width = PROGRESS_LINE_MAX - 1;
	snprintf(line, width + 1, "%s", text.p);
	buf_release(&text);
}

/* Cheap enough to be called for every batch of events. */
static void progress_update(struct progress *p, uint64_t done_bytes)
{
	char line[PROGRESS_LINE_MAX];

	p->done = done_bytes;
	if (!p->enabled)
		return;
	int64_t now = now_ns();
	if (now - p->started_ns < QUIET_NS || now - p->shown_ns < BETWEEN_NS)
		return;
	int width = terminal_width(STDERR_FILENO);
	/* the last column stays free: some terminals wrap when it is filled */
	progress_format(p, now - p->started_ns, width > 1 ? (size_t)width - 1 : 0, line);
	fprintf(stderr, PROGRESS_ERASE "%s", line);
	p->shown_ns = now;
	p->visible = true;
}

/* Erases the line; to be called before anything else goes to the terminal. */
static void progress_end(struct progress *p)
{
	if (p->visible)
		fputs(PROGRESS_ERASE, stderr);
	p->visible = false;
	p->enabled = false;
}

static void erase(struct ingesting *i)
{
	if (i->is_running)
		progress_end(&i->progress);
	free(i->label);
	i->label = NULL;
	i->is_running = false;
}

static void on_begin(void *to, const char *path, uint64_t size)
{
	struct ingesting *i = to;

	free(i->label);
	i->label = xstrdup(path);
	if (i->is_running)
		i->progress.label = i->label; /* one line over all files */
	else
		progress_start(&i->progress, i->label, size);
	i->is_running = true;
}

static int on_progress(void *to, uint64_t consumed, struct err *err)
{
	struct ingesting *i = to;

	progress_update(&i->progress, consumed ? consumed : i->progress.done);
	return interrupt_check(err);
}

/* What was unfinished is made, or given up. */
static void forget_unfinished(struct ingesting *i)
{
	interrupt_leave(NULL);
	free(i->temporary);
	free(i->lock);
	free(i->last_words);
	i->temporary = i->lock = i->last_words = NULL;
}

/*
 * Between two looks at the flag a pass over millions of rows may take longer than a
 * user likes to wait: from here on Ctrl-C has nobody to wait for.
 */
static int on_unfinished(void *to, const char *temporary, const char *lock,
			 struct err *err)
{
	struct ingesting *i = to;
	char *line = message_line(i->command, i->subject, "interrupted");

	forget_unfinished(i); /* a merge that began anew */
	i->temporary = xstrdup(temporary);
	i->lock = xstrdup(lock);
	i->last_words =
		xasprintf("%s%s", terminal_is(STDERR_FILENO) ? PROGRESS_ERASE : "", line);
	free(line);
	i->leave = (struct interrupt_leave){ .temporary = i->temporary,
					     .lock = i->lock,
					     .folder = i->folder,
					     .last_words = i->last_words,
					     .nlast_words = strlen(i->last_words),
					     .exit_code = EXIT_INTERRUPT };
	interrupt_leave(&i->leave);
	return interrupt_check(err); /* it may have come just before */
}

/* "1 slice", "1,432 slices" */
static void add_count(struct buf *line, int64_t n, const char *one, const char *many)
{
	char digits[UNITS_TEXT_MAX];

	buf_add_str(line, units_text(UNIT_COUNT, cell_int(n), digits));
	buf_addf(line, " %s", n == 1 ? one : many);
}

/* "120 slices, 3 stacks and 40 functions"; where there is nothing, "0 slices". */
static void add_counts(struct buf *line, const struct import_file *file)
{
	const struct {
		int64_t n;
		const char *one, *many;
	} kinds[] = {
		{ file->slices, "slice", "slices" },
		{ file->stacks, "stack", "stacks" },
		{ file->operators, "operator", "operators" },
		{ file->functions, "function", "functions" },
	};
	const size_t n = sizeof(kinds) / sizeof(kinds[0]);
	size_t left = 0;

	for (size_t k = 0; k < n; k++)
		left += kinds[k].n != 0;
	if (left == 0)
		add_count(line, 0, kinds[0].one, kinds[0].many);
	for (size_t k = 0; k < n; k++) {
		if (kinds[k].n == 0)
			continue;
		add_count(line, kinds[k].n, kinds[k].one, kinds[k].many);
		left--;
		buf_add_text(line, left > 1 ? ", " : left ? " and " : "");
	}
}

/* Where `ptool doctor` finds what was read, when it has to be told: " STORE". */
static void add_doctor(struct buf *line, const struct ingesting *i, int64_t findings)
{
	const char *path = i->operand ? i->operand : i->subject;
	bool is_default = strcmp(path, operand_default_store()) == 0;

	buf_add_text(line, ", ");
	add_count(line, findings, "warning or error", "warnings or errors");
	buf_addf(line, "; 'ptool doctor%s%s' lists %s", is_default ? "" : " ",
		 is_default ? "" : shell_word_or(path, "FILE"),
		 findings == 1 ? "it" : "them");
}

static void tell_read(const struct ingesting *i, const struct import_file *file,
		      size_t nfiles, size_t passed)
{
	struct buf line;

	buf_init(&line, ERR_TEXT_MAX);
	if (nfiles > 1)
		buf_addf(&line, "%zu files, ", nfiles);
	add_counts(&line, file);
	if (i->where)
		buf_addf(&line, " %s", i->where);
	if (passed)
		buf_addf(&line, ", %zu other file%s ignored", passed,
			 passed == 1 ? "" : "s");
	if (file->findings)
		add_doctor(&line, i, file->findings);
	message_note(i->command, file->path, STR_FMT, STR_ARG(buf_str(&line)));
	buf_release(&line);
}

static void on_done(void *to, const struct import_file *file)
{
	struct ingesting *i = to;

	erase(i);
	if (i->is_quiet)
		return;
	if (!i->where) {
		tell_read(i, file, 1, 0);
		return;
	}
	/* a reading command is asked for numbers: of a folder it tells the sum */
	free(i->only);
	i->only = i->nread++ ? NULL : xstrdup(file->path);
	i->sum.slices = sum_add(i->sum.slices, file->slices);
	i->sum.functions = sum_add(i->sum.functions, file->functions);
	i->sum.operators = sum_add(i->sum.operators, file->operators);
	i->sum.stacks = sum_add(i->sum.stacks, file->stacks);
	i->sum.findings = sum_add(i->sum.findings, file->findings);
}

/* A reading command is asked for numbers: it tells only how many there are. */
static void on_passed(void *to, const char *path, const struct err *why)
{
	struct ingesting *i = to;

	/* byte 0 is the file itself, such as one of no known format */
	int64_t offset = why->offset > 0 ? why->offset : ERR_NO_OFFSET;

	erase(i);
	if (!i->is_quiet && !i->where)
		message_note_at(i->command, path, offset, "passed over: %s", why->text);
}

static void tell_passed(const struct ingesting *i, size_t n, const char *more)
{
	if (n > 0)
		message_note(i->command, NULL, "%zu %s%s ignored", n, more,
			     n == 1 ? "file was" : "files were");
}

static void tell_ranks(const struct ingesting *i, const struct import_result *result)
{
	int64_t first = result->first_rank, last = result->last_rank;

	if (result->placed_ranks)
		message_note(i->command, NULL,
			     "ranks are computed from axes (tensor, data, pipeline "
			     "parallel and so on) that file names or recordings give");
	else if (result->named_ranks == 1 && !i->where)
		message_note(i->command, NULL, "rank %" PRId64 " is from a file name",
			     first);
	else if (result->named_ranks && !i->where)
		message_note(i->command, NULL,
			     "ranks %" PRId64 " to %" PRId64 " are from file names",
			     first, last);
	else if (!result->named_ranks && result->ordered_ranks)
		message_note(i->command, NULL,
			     "no rank was recorded: files are numbered %" PRId64
			     " to %" PRId64 " in the order of their names",
			     first, last);
}

static void on_summed(void *to, const struct import_result *result)
{
	struct ingesting *i = to;
	size_t told = i->where ? 0 : IMPORT_PASSED_TOLD;

	erase(i);
	if (i->is_quiet || (i->where && result->is_refusal))
		return;
	if (i->nread) {
		i->sum.path = i->only ? i->only : i->subject;
		tell_read(i, &i->sum, i->nread, result->passed);
	} else if (result->passed > told) {
		tell_passed(i, result->passed - told, told ? "more " : "");
	}
	tell_ranks(i, result);
}

static void on_refused(void *to, const char *path, const struct err *err)
{
	struct ingesting *i = to;

	erase(i);
	if (i->operand && i->result->is_refusal && strcmp(path, i->operand) == 0)
		return;
	i->nrefused++;
	message_error(i->command, path, err);
}

struct import_events ingesting_events(struct ingesting *i)
{
	interrupt_catch();
	return (struct import_events){ .to = i,
				       .begin = on_begin,
				       .progress = on_progress,
				       .unfinished = on_unfinished,
				       .done = on_done,
				       .passed = on_passed,
				       .summed = on_summed,
				       .refused = on_refused };
}

void ingesting_end(struct ingesting *i)
{
	erase(i);
	forget_unfinished(i);
	free(i->only);
	i->only = NULL;
}
