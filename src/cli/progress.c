/* The progress line: see progress.h. */
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/utf8.h"
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

void progress_start(struct progress *p, const char *label, uint64_t total_bytes)
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

void progress_update(struct progress *p, uint64_t done_bytes)
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

void progress_end(struct progress *p)
{
	if (p->visible)
		fputs(PROGRESS_ERASE, stderr);
	p->visible = false;
	p->enabled = false;
}
