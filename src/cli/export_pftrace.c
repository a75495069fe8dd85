/*
 * ptool export --to pftrace: what --to chrome writes, in Perfetto's own format: smaller,
 * with exact nanoseconds, and with tracks of ours for what overlaps.
 * Source: perfetto.dev/docs/reference/synthetic-track-event and trace_packet.proto.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/lanes.h"
#include "base/search.h"
#include "base/sum.h"
#include "base/utf8.h"
#include "cli/export_trace.h"
#include "report/proto_put.h"

/* Fields of Trace, TracePacket and what is in it, by the names of the .proto files. */
enum { TRACE_PACKET = 1 };
enum packet_field {
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum descriptor_field {
	DESCRIPTOR_UUID = 1,
	DESCRIPTOR_NAME = 2,
	DESCRIPTOR_PROCESS = 3,
	DESCRIPTOR_THREAD = 4,
	DESCRIPTOR_PARENT = 5,
	DESCRIPTOR_COUNTER = 8
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum event_field {
	EVENT_CATEGORY_IID = 3,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_DOUBLE_COUNTER = 44,
	EVENT_FLOW = 47,
	EVENT_FLOW_END = 48
};
enum event_type { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { INTERNED_CATEGORY = 1, INTERNED_NAME = 2 };
enum { ENTRY_IID = 1, ENTRY_NAME = 2 };
enum { ANNOTATION_NAME = 10, ANNOTATION_JSON = 9, ANNOTATION_TEXT = 6 };

#define SEQUENCE 1

/* Of a lane: when what is open on it ends, the innermost last. */
struct lane {
	uint64_t uuid;
	int64_t *ends; /* owned */
	size_t n, cap;
};

/* The end of an arrow on a slice. */
struct flow {
	int64_t slice_id;
	uint64_t id;
	bool is_end;
};

struct pftrace {
	FILE *out; /* borrowed */
	struct export_trace trace;
	struct intern names, categories; /* numbers + 1 are iids */
	struct buf packet, part, inner;  /* a message and those in it; reused */
	struct lane *lanes;              /* owned; of the newest track */
	size_t nlanes, lanes_cap;
	struct lanes open;  /* owned; of each lane: when its innermost ends */
	struct flow *flows; /* owned; by slice */
	size_t nflows, flows_cap;
	uint64_t uuid; /* the newest */
	int64_t upid;  /* of the newest process, and its track: */
	uint64_t process_uuid;
	struct intern devices; /* of gaps: numbers are places of their tracks */
	uint64_t *gap_tracks;  /* owned */
	size_t ngap_tracks, gap_tracks_cap;
};

static void put_packet(struct pftrace *p)
{
	struct buf *head = &p->inner;

	proto_put_int(&p->packet, PACKET_SEQUENCE_ID, SEQUENCE);
	buf_clear(head);
	proto_put_message(head, TRACE_PACKET, &p->packet);
	fwrite(head->p, 1, head->n, p->out);
	buf_clear(&p->packet);
}

/* The first packet, which says that nothing came before it. */
static void put_start(struct pftrace *p)
{
	proto_put_int(&p->packet, PACKET_SEQUENCE_FLAGS, FLAG_CLEARED);
	put_packet(p);
}

/* The descriptor in p->part, of a new track: its uuid. */
static uint64_t put_track(struct pftrace *p)
{
	proto_put_int(&p->part, DESCRIPTOR_UUID, (int64_t)++p->uuid);
	proto_put_message(&p->packet, PACKET_TRACK_DESCRIPTOR, &p->part);
	put_packet(p);
	buf_clear(&p->part);
	return p->uuid;
}

static uint64_t named_track(struct pftrace *p, struct str name, uint64_t parent)
{
	proto_put_text(&p->part, DESCRIPTOR_NAME, name);
	if (parent)
		proto_put_int(&p->part, DESCRIPTOR_PARENT, (int64_t)parent);
	return put_track(p);
}

/* A number that a process or thread of Perfetto can have: above 0, in 31 bits. */
static bool is_number(const struct cell *cell)
{
	return cell->type == CELL_INT && cell->as.integer > 0 &&
	       cell->as.integer <= INT32_MAX;
}

static void add_cell(struct buf *to, const struct cell *cell)
{
	if (cell->type == CELL_INT)
		buf_addf(to, "%lld", (long long)cell->as.integer);
	else if (cell->type == CELL_TEXT)
		buf_add_str(to, cell->as.text);
}

/* "python3 4242 (CPU)" */
static void add_process_name(struct buf *to, const struct event_track *track)
{
	buf_add_str(to, track->process);
	if (track->process.n)
		buf_add_char(to, ' ');
	add_cell(to, &track->pid);
	if (track->labels.n)
		buf_addf(to, " (%.*s)", (int)track->labels.n, track->labels.p);
}

static bool is_thread(const struct event_track *track)
{
	return strcmp(track->kind, "thread") == 0 && is_number(&track->pid) &&
	       is_number(&track->tid);
}

/* Devices are processes in a trace, but of no number that an operating system gave. */
static void enter_process(struct pftrace *p, const struct event_track *track)
{
	struct buf name;

	if (p->process_uuid && p->upid == track->upid)
		return;
	p->upid = track->upid;
	buf_init(&name, SIZE_MAX);
	add_process_name(&name, track);
	if (is_thread(track)) {
		buf_clear(&p->inner);
		proto_put_int(&p->inner, PROCESS_PID, track->pid.as.integer);
		proto_put_text(&p->inner, PROCESS_NAME, buf_str(&name));
		proto_put_message(&p->part, DESCRIPTOR_PROCESS, &p->inner);
		p->process_uuid = put_track(p);
	} else {
		p->process_uuid = named_track(p, buf_str(&name), 0);
	}
	buf_release(&name);
}

static void add_track_name(struct buf *to, const struct event_track *track, bool is_lane)
{
	if (track->name.n) {
		buf_add_str(to,
			    is_lane ? utf8_cut(track->name, SPELT_PART) : track->name);
		return;
	}
	buf_addf(to, "%s ", track->kind);
	add_cell(to, &track->tid);
}

/* Lane 0 is the thread itself, as an operating system knows it. */
static uint64_t put_lane(struct pftrace *p, const struct event_track *track, size_t lane)
{
	struct buf name;
	uint64_t uuid;

	buf_init(&name, SIZE_MAX);
	add_track_name(&name, track, lane > 0);
	if (lane == 0 && is_thread(track)) {
		buf_clear(&p->inner);
		proto_put_int(&p->inner, THREAD_PID, track->pid.as.integer);
		proto_put_int(&p->inner, THREAD_TID, track->tid.as.integer);
		proto_put_text(&p->inner, THREAD_NAME, buf_str(&name));
		proto_put_message(&p->part, DESCRIPTOR_THREAD, &p->inner);
		uuid = put_track(p);
	} else {
		if (lane)
			buf_addf(&name, " lane %zu", lane + 1);
		uuid = named_track(p, buf_str(&name), p->process_uuid);
	}
	buf_release(&name);
	return uuid;
}

/* The number of a text, which is written once, in the packet that has it first. */
static void put_interned(struct pftrace *p, struct intern *texts, unsigned int list,
			 unsigned int field, struct str text)
{
	size_t known = texts->n;
	uint32_t iid = intern_add(texts, text) + 1;

	proto_put_int(&p->part, field, iid);
	if (texts->n == known)
		return;
	struct buf entry, data;
	buf_init(&entry, SIZE_MAX);
	buf_init(&data, SIZE_MAX);
	proto_put_int(&entry, ENTRY_IID, iid);
	proto_put_text(&entry, ENTRY_NAME, text);
	proto_put_message(&data, list, &entry);
	proto_put_message(&p->packet, PACKET_INTERNED_DATA, &data);
	buf_release(&entry);
	buf_release(&data);
}

/* The event in p->part. */
static void put_event(struct pftrace *p, int64_t ts_ns, uint64_t track,
		      enum event_type type)
{
	int64_t start_ns = p->trace.profile->start_ns;

	/* a clock below 0 is none that Perfetto knows: from the first event on then */
	ts_ns = sum_add(ts_ns, start_ns > 0 ? start_ns : 0);
	proto_put_int(&p->part, EVENT_TYPE, type);
	proto_put_int(&p->part, EVENT_TRACK, (int64_t)track);
	proto_put_int(&p->packet, PACKET_TIMESTAMP, ts_ns > 0 ? ts_ns : 0);
	proto_put_int(&p->packet, PACKET_SEQUENCE_FLAGS, FLAG_NEEDS_STATE);
	proto_put_message(&p->packet, PACKET_TRACK_EVENT, &p->part);
	put_packet(p);
	buf_clear(&p->part);
}

static void put_args(struct pftrace *p, const char *name, unsigned int field,
		     struct str value)
{
	buf_clear(&p->inner);
	proto_put_text(&p->inner, ANNOTATION_NAME, str_of(name));
	proto_put_text(&p->inner, field, value);
	proto_put_message(&p->part, EVENT_ANNOTATION, &p->inner);
}

/* When the innermost on the lane ends. */
static int64_t lane_end(const struct lane *lane)
{
	return lane->n ? lane->ends[lane->n - 1] : LANE_FREE;
}

/* Ends what has ended at this time, on all lanes. */
static void end_until(struct pftrace *p, int64_t ts_ns)
{
	size_t i;

	while ((i = lanes_at_most(&p->open, ts_ns)) < p->nlanes) {
		struct lane *lane = &p->lanes[i];
		put_event(p, lane->ends[--lane->n], lane->uuid, TYPE_END);
		lanes_set(&p->open, i, lane_end(lane));
	}
}

static void end_track(struct pftrace *p)
{
	end_until(p, LANE_FREE - 1);
	for (size_t i = 0; i < p->nlanes; i++)
		free(p->lanes[i].ends);
	p->nlanes = 0;
	lanes_clear(&p->open);
}

/* The first lane on which the slice lies within what is open there: its number. */
static size_t find_lane(struct pftrace *p, const struct event_track *track,
			int64_t start_ns, int64_t end_ns)
{
	end_until(p, start_ns);
	size_t i = lanes_at_least(&p->open, end_ns);
	if (i == p->nlanes) {
		struct lane *lane = ARRAY_PUSH(p->lanes, p->nlanes, p->lanes_cap);
		*lane = (struct lane){ .uuid = put_lane(p, track, i) };
		lanes_add(&p->open, LANE_FREE);
	}
	return i;
}

static void put_flows(struct pftrace *p, int64_t id)
{
	size_t at;

	SEARCH(at, (size_t)0, p->nflows, p->flows[at].slice_id < id);
	for (; at < p->nflows && p->flows[at].slice_id == id; at++)
		proto_put_fixed(&p->part,
				p->flows[at].is_end ? EVENT_FLOW_END : EVENT_FLOW,
				p->flows[at].id);
}

/* A lane that is free ends later than any slice. */
static int64_t before_free(int64_t ns)
{
	return ns < LANE_FREE ? ns : LANE_FREE - 1;
}

static void put_slice(struct pftrace *p, int64_t id, const struct event_row *row)
{
	int64_t dur_ns = row->is_instant || row->dur_ns < 0 ? 0 : row->dur_ns;
	int64_t start_ns = before_free(row->ts_ns);
	int64_t end_ns = before_free(sum_add(start_ns, dur_ns));
	size_t at = find_lane(p, row->track, start_ns, end_ns);
	struct lane *lane = &p->lanes[at];

	if (row->category.n)
		put_interned(p, &p->categories, INTERNED_CATEGORY, EVENT_CATEGORY_IID,
			     row->category);
	put_interned(p, &p->names, INTERNED_NAME, EVENT_NAME_IID, row->name);
	if (row->args.n > sizeof("{}") - 1)
		put_args(p, "args", ANNOTATION_JSON, row->args);
	if (row->more.n > sizeof("{}") - 1)
		put_args(p, "collective", ANNOTATION_JSON, row->more);
	put_flows(p, id);
	put_event(p, start_ns, lane->uuid, row->is_instant ? TYPE_INSTANT : TYPE_BEGIN);
	if (row->is_instant)
		return;
	*ARRAY_PUSH(lane->ends, lane->n, lane->cap) = end_ns;
	lanes_set(&p->open, at, end_ns);
}

static int put_slices(struct pftrace *p, struct err *err)
{
	int64_t track_id = 0;
	struct event_row row;
	int rc = 0;

	for (int64_t id = p->trace.cut.first;
	     (id = cut_next(&p->trace.cut, id)) && !ferror(p->out); id++) {
		if ((rc = export_trace_at(&p->trace, id, &row, err)) < 0)
			break;
		if (row.track->id != track_id)
			end_track(p);
		track_id = row.track->id;
		enter_process(p, row.track);
		put_slice(p, id, &row);
	}
	end_track(p);
	return rc;
}

static int add_flow(void *to, const struct event_link *link, struct err *err)
{
	struct pftrace *p = to;
	const struct cut *cut = &p->trace.cut;
	uint64_t id = p->nflows / 2 + 1;

	(void)err;
	if (!cut_has(cut, link->out_id) || !cut_has(cut, link->in_id))
		return 0;
	*ARRAY_PUSH(p->flows, p->nflows, p->flows_cap) =
		(struct flow){ link->out_id, id, false };
	*ARRAY_PUSH(p->flows, p->nflows, p->flows_cap) =
		(struct flow){ link->in_id, id, true };
	return 0;
}

static int by_slice(const void *a, const void *b)
{
	const struct flow *x = a, *y = b;

	if (x->slice_id != y->slice_id)
		return x->slice_id < y->slice_id ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* A counter has one track, which its first sample makes. */
struct counters {
	struct pftrace *p;
	uint64_t *uuids; /* owned; by place among the tracks */
	const struct event_track *tracks;
};

static int put_sample(void *to, const struct event_sample *sample, struct err *err)
{
	struct counters *c = to;
	struct pftrace *p = c->p;
	uint64_t *uuid = &c->uuids[sample->track - c->tracks];

	(void)err;
	if (!*uuid) {
		enter_process(p, sample->track);
		proto_put_bytes(&p->part, DESCRIPTOR_COUNTER, (struct str){ "", 0 });
		*uuid = named_track(p, sample->track->name, p->process_uuid);
	}
	proto_put_double(&p->part, EVENT_DOUBLE_COUNTER,
			 sample->value.type == CELL_INT ? (double)sample->value.as.integer
							: sample->value.as.real);
	put_event(p, sample->ts_ns, *uuid, TYPE_COUNTER);
	return ferror(p->out) != 0;
}

static int put_samples(struct pftrace *p, struct err *err)
{
	bool is_all = !filter_is_given(p->trace.request->filter);
	struct counters c = { .p = p };
	size_t n;

	c.tracks = event_rows_tracks(p->trace.rows, &n);
	c.uuids = xcalloc(n + 1, sizeof(*c.uuids));
	int rc = event_rows_samples(
		p->trace.rows, is_all ? INT64_MIN : p->trace.cut.from_ns,
		is_all ? INT64_MAX : p->trace.cut.to_ns, put_sample, &c, err);
	free(c.uuids);
	return rc;
}

/* The track of a device's idle time, which its first gap makes. */
static uint64_t gap_track(struct pftrace *p, struct str device)
{
	size_t known = p->devices.n;
	uint32_t at = intern_add(&p->devices, device);
	struct buf name;

	if (at < known)
		return p->gap_tracks[at];
	buf_init(&name, SIZE_MAX);
	buf_add_text(&name, EXPORT_IDLE_PROCESS ", device ");
	buf_add_str(&name, device);
	uint64_t uuid = named_track(p, buf_str(&name), 0);
	buf_release(&name);
	*ARRAY_PUSH(p->gap_tracks, p->ngap_tracks, p->gap_tracks_cap) = uuid;
	return uuid;
}

static int put_gap(void *to, const struct export_gap *gap, struct err *err)
{
	struct pftrace *p = to;
	uint64_t uuid = gap_track(p, gap->device);

	(void)err;
	put_interned(p, &p->names, INTERNED_NAME, EVENT_NAME_IID, gap->cause);
	if (gap->blamed.n)
		put_args(p, "look at", ANNOTATION_TEXT, gap->blamed);
	put_event(p, gap->start_ns, uuid, TYPE_BEGIN);
	put_event(p, sum_add(gap->start_ns, gap->dur_ns), uuid, TYPE_END);
	return ferror(p->out) != 0;
}

static int put_all(struct pftrace *p, struct err *err)
{
	if (event_rows_links(p->trace.rows, add_flow, p, err) < 0)
		return -1;
	if (p->nflows)
		qsort(p->flows, p->nflows, sizeof(*p->flows), by_slice);
	put_start(p);
	if (put_slices(p, err) < 0 || put_samples(p, err) < 0)
		return -1;
	return export_trace_gaps(&p->trace, put_gap, p, err);
}

static int write_pftrace(const struct export_request *request, FILE *out,
			 struct export_losses *losses, struct err *err)
{
	struct pftrace p = { .out = out };

	intern_init(&p.names);
	intern_init(&p.categories);
	intern_init(&p.devices);
	buf_init(&p.packet, SIZE_MAX);
	buf_init(&p.part, SIZE_MAX);
	buf_init(&p.inner, SIZE_MAX);
	int rc = export_trace_open(request, &p.trace, losses, err);
	if (rc == 0)
		rc = put_all(&p, err);
	end_track(&p);
	export_trace_close(&p.trace);
	intern_release(&p.names);
	intern_release(&p.categories);
	intern_release(&p.devices);
	buf_release(&p.packet);
	buf_release(&p.part);
	buf_release(&p.inner);
	free(p.lanes);
	lanes_release(&p.open);
	free(p.flows);
	free(p.gap_tracks);
	return rc;
}

static const char *const suffixes[] = { ".pftrace", ".perfetto-trace", NULL };

const struct exporter export_pftrace = {
	.name = "pftrace",
	.suffixes = suffixes,
	.is_binary = true,
	.takes_filters = true,
	.write = write_pftrace,
};
