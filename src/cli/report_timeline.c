/* The timeline of a page: see report_timeline.h. */
#include "cli/report_timeline.h"

#include "base/memtable.h"
#include "base/sum.h"
#include "cli/report_colors.h"
#include "cli/report_options.h"
#include "cli/report_tabs.h"
#include "cli/table_command.h"
#include "query/filter_nothing.h"
#include "query/timeline/timeline.h"
#include "report/page_table.h"
#include "report/page_timeline.h"

#define INTO(type, member) OPT_INTO(type, struct report_timeline_opts, member)

/* clang-format off */
const struct opt report_timeline_options[] = {
	{ .name = "max-slices", .arg = "N", .help = "above N slices, bundle short ones on the timeline; 0 for never",
	  INTO(UINT, max_slices) },
	{ .name = "step", .arg = "N|A..B", .help = "keep every slice of these steps (default: the slowest and the median one)",
	  INTO(STRING, step) },
	FILTER_PHASE_TO(struct report_timeline_opts, phase,
			"keep every slice of steps of an inference engine in this phase"),
	{ .name = "time", .arg = "A..B", .help = "keep every slice of this time, as in 10ms..25ms",
	  INTO(STRING, time) },
	OPT_END
};
/* clang-format on */

static int compile(const struct report_timeline_opts *o, struct filter *out,
		   struct err *err)
{
	const struct filter_texts texts = { .steps = o->step,
					    .phase = o->phase,
					    .times = o->time };

	return filter_compile(&texts, out, err);
}

int report_timeline_check(const struct report_timeline_opts *o, struct err *err)
{
	struct filter filter;
	int rc = compile(o, &filter, err);

	filter_release(&filter);
	return rc;
}

const char *report_timeline_given(const struct report_timeline_opts *o)
{
	return o->step ? "--step" : o->phase ? "--phase" : o->time ? "--time" : NULL;
}

/*
 * A timeline whose tracks are listed as they pass: for those who do not see it, and for
 * browsers without JavaScript.
 */
struct listed_timeline {
	struct timeline timeline; /* first: it is what the page pulls from */
	struct timeline *inner;   /* borrowed */
	struct memtable *list;    /* owned */
};

enum { RANK, KIND, DEVICE, PROCESS, TRACK, SLICES, BUSY, LONGEST, NCOLUMNS };

static const struct column columns[NCOLUMNS] = {
	[RANK] = { "rank", "Rank", UNIT_ID },
	[KIND] = { "kind", "Track", UNIT_TEXT },
	[DEVICE] = { "device", "Device", UNIT_ID },
	[PROCESS] = { "process", "Process", UNIT_ID },
	[TRACK] = { "name", "Name", UNIT_TEXT },
	[SLICES] = { "slices", "Slices", UNIT_COUNT },
	[BUSY] = { "busy_ns", "In slices", UNIT_NS },
	[LONGEST] = { "longest_ns", "Longest", UNIT_NS },
};

/* By enum timeline_kind. */
static const char *const kinds[NTIMELINE_KINDS] = {
	"thread", "async", "marks of a stream", "stream", "idle", NULL, "counter",
};

static void list_track(struct listed_timeline *l, const struct timeline_track *track)
{
	int64_t busy_ns = 0, longest_ns = 0, slices = 0, bundled = 0;
	struct timeline_head head;

	if (!kinds[track->kind])
		return;
	for (size_t i = 0; i < track->n; i++) {
		const struct timeline_slice *s = &track->slices[i];
		slices += s->bundled ? s->bundled : 1;
		bundled += s->bundled;
		if (s->row == 0)
			busy_ns = sum_add(busy_ns, s->bundled ? s->busy_ns : s->dur_ns);
		if (!s->bundled && longest_ns < s->dur_ns)
			longest_ns = s->dur_ns;
	}
	l->inner->head(l->inner, &head);
	bool counts = track->kind != TIMELINE_COUNTER;
	/* the longest may be in a bundle, whose slices are all shorter than bundle_ns */
	bool has_longest = counts && (!bundled || longest_ns >= head.bundle_ns);
	const struct cell cells[NCOLUMNS] = {
		[RANK] = head.profiles[track->profile].rank,
		[KIND] = cell_text(str_of(kinds[track->kind])),
		[DEVICE] = track->device,
		[PROCESS] = track->pid,
		[TRACK] = cell_text(track->name),
		[SLICES] = cell_int(counts ? slices : (int64_t)track->nsamples),
		[BUSY] = counts ? cell_int(busy_ns) : cell_null(),
		[LONGEST] = has_longest ? cell_int(longest_ns) : cell_null(),
	};
	memtable_add_row(l->list, cells);
}

static int next(struct timeline *t, struct timeline_track *out, struct err *err)
{
	struct listed_timeline *l = (struct listed_timeline *)t;
	int rc = l->inner->next(l->inner, out, err);

	if (rc > 0)
		list_track(l, out);
	return rc;
}

static void head(struct timeline *t, struct timeline_head *out)
{
	struct listed_timeline *l = (struct listed_timeline *)t;

	l->inner->head(l->inner, out);
}

static int add(struct report_making *m, struct timeline *timeline, struct err *err)
{
	struct listed_timeline listed = { .timeline = { .next = next, .head = head },
					  .inner = timeline,
					  .list = memtable_new(columns, NCOLUMNS) };
	const bool is_one = m->reading->scope->n == 1;
	const struct page_table how = {
		.id = "table-tracks",
		.title = "Tracks",
		.about = "what the timeline shows",
		.only = is_one ? "kind device process name slices busy_ns longest_ns"
			       : NULL,
	};
	int rc = page_timeline(m->page->data, &listed.timeline, report_color, err);

	if (rc == 0 && listed.list->nrows > 0) {
		page_part(m->page->body, "timeline", PAGE_SLOTS({ .name = NULL }));
		m->page->has_data = true;
		rc = page_table(m->page, &how, &listed.list->table, err);
	}
	if (rc == 0 && listed.list->nrows == 0)
		page_part(m->page->body, "absent",
			  PAGE_SLOTS(
				  PAGE_TEXT("text", STR_LIT("no slices were recorded"))));
	table_free(&listed.list->table);
	return rc < 0 ? -1 : 0;
}

int report_timeline(struct report_making *m, struct err *err)
{
	const struct report_timeline_opts *o = &m->opts->timeline;
	struct timeline_request request = { .max_slices = o->max_slices };
	struct timeline *timeline = NULL;
	struct filter filter;
	int rc = compile(o, &filter, err);

	request.filter = &filter;
	if (rc == 0)
		rc = filter_find_steps(&filter, m->reading->store, m->reading->scope,
				       err);
	/* what nothing matches would leave a page that looks as if it had been heeded */
	if (rc == 0) {
		filter_explain(m->reading->store, m->reading->scope, &filter, err);
		rc = err->kind ? -1 : 0;
	}
	if (rc == 0)
		rc = timeline_open(m->reading->store, m->reading->scope, &request,
				   &timeline, err);
	if (rc == 0)
		rc = add(m, timeline, err);
	timeline_free(timeline);
	filter_release(&filter);
	return rc;
}
