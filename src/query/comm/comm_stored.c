/*
 * Collectives as a summary (query/summary/summary.h): the rows of comm_part from a
 * profile's slices, and what they say in place of the slices.
 */

#include "query/comm/comm_stored.h"
#include "base/alloc.h"
#include "base/buf.h"
#include "base/varint.h"
#include "query/comm/comm_load.h"
#include "query/query.h"
#include "store/columns.h"

/*
 * When computation ran within [from, to) of a call, as pairs: how far from the call's
 * start, then from the end of the one before, it began, and how long it ran.
 */
static void pack_compute(const struct intervals *compute, const struct comm_call *call,
			 int64_t from_ns, struct buf *to)
{
	struct intervals within;
	int64_t before_ns = call->start_ns;

	buf_clear(to);
	intervals_within(compute, from_ns, call->end_ns, &within);
	for (size_t i = 0; i < within.n; i++) {
		const struct interval *run = &within.items[i];
		buf_add_varint(to, (uint64_t)(run->start_ns - before_ns));
		buf_add_varint(to, (uint64_t)(run->end_ns - run->start_ns));
		before_ns = run->end_ns;
	}
	intervals_release(&within);
}

static bool unpack_compute(struct str packed, const struct comm_call *call,
			   struct intervals *to)
{
	const uint8_t *p = (const uint8_t *)packed.p, *end = p + packed.n;
	uint64_t distance, ns, left = (uint64_t)(call->end_ns - call->start_ns);
	int64_t at_ns = call->start_ns;

	while (p < end) {
		if (!varint_get(&p, end, &distance) || !varint_get(&p, end, &ns) ||
		    distance > left || ns > left - distance)
			return false;
		left -= distance + ns;
		at_ns += (int64_t)distance;
		intervals_add(to, at_ns, at_ns + (int64_t)ns);
		at_ns += (int64_t)ns;
	}
	return true;
}

struct adding {
	const struct text_pool *texts;
	const struct comm_profile *p;
	int64_t first_slice_id;
	struct part_rows *out;
	struct buf packed;
	uint32_t device;  /* of the newest call */
	int64_t reach_ns; /* the last end of its device's calls so far */
};

static void set_texts(const struct adding *a, const struct comm_call *call,
		      struct cell *c)
{
	c[COL_COMM_PART_COLLECTIVE_ID] = text_pool_cell(a->texts, call->collective);
	c[COL_COMM_PART_DTYPE_ID] = text_pool_cell(a->texts, call->dtype);
	c[COL_COMM_PART_GROUP_ID] = text_pool_cell(a->texts, call->group);
	c[COL_COMM_PART_GROUP_RANKS_ID] = text_pool_cell(a->texts, call->ranks);
	c[COL_COMM_PART_ALGORITHM_ID] = text_pool_cell(a->texts, call->algorithm);
	c[COL_COMM_PART_PROTOCOL_ID] = text_pool_cell(a->texts, call->protocol);
	c[COL_COMM_PART_NAME_ID] = text_pool_cell(a->texts, call->name);
}

/* What an earlier call has is not told again. */
static void set_compute(struct adding *a, const struct comm_call *call, struct cell *c)
{
	if (call->device != a->device)
		a->reach_ns = INT64_MIN;
	a->device = call->device;
	if (call->end_ns <= a->reach_ns)
		return;
	pack_compute(&a->p->compute[call->device], call,
		     call->start_ns > a->reach_ns ? call->start_ns : a->reach_ns,
		     &a->packed);
	if (a->packed.n)
		c[COL_COMM_PART_COMPUTE] = part_rows_bytes(a->out, buf_str(&a->packed));
	a->reach_ns = call->end_ns;
}

static bool add_row(struct adding *a, const struct comm_call *call)
{
	struct cell *c = part_rows_add(a->out);

	if (!c)
		return false;
	if (call->side == COMM_ON_DEVICE) {
		const struct work_device *device = &a->p->devices[call->device];
		c[COL_COMM_PART_DEVICE] = number_cell(device->device);
		if (device->device == NUMBER_NONE)
			c[COL_COMM_PART_DEVICE_NAME_ID] =
				part_rows_text(a->out, device->name);
	}
	set_texts(a, call, c);
	c[COL_COMM_PART_STREAM] = number_cell(call->stream);
	c[COL_COMM_PART_SIDE_ID] =
		cell_text(str_of(comm_side_name((enum comm_side)call->side)));
	c[COL_COMM_PART_TS] = cell_int(call->start_ns);
	c[COL_COMM_PART_DUR] = cell_int(call->end_ns - call->start_ns);
	c[COL_COMM_PART_STEP] = number_cell(call->step);
	c[COL_COMM_PART_GROUP_SIZE] = number_cell(call->group_size);
	c[COL_COMM_PART_SEQUENCE] = number_cell(call->sequence);
	c[COL_COMM_PART_BYTES] = number_cell(call->bytes);
	c[COL_COMM_PART_PLACE] = cell_int(call->slice_id - a->first_slice_id);
	set_compute(a, call, c);
	return true;
}

static void add_rows(const struct summary_source *from, const struct comm_profile *p,
		     struct part_rows *out)
{
	struct adding a = { .texts = from->texts,
			    .p = p,
			    .first_slice_id = from->profile->first_slice_id,
			    .out = out,
			    .reach_ns = INT64_MIN };

	buf_init(&a.packed, SIZE_MAX);
	for (size_t i = 0; i < p->calls.n && add_row(&a, &p->calls.items[i]); i++)
		;
	buf_release(&a.packed);
}

static int make(struct summary_source *from, struct part_rows *out, struct err *err)
{
	const struct comm_profile *comm = summary_collectives(from, err);

	if (comm)
		add_rows(from, comm, out);
	return comm ? 0 : -1;
}

const struct summary summary_comm = { PART_TABLE(COMM_PART, comm_part), make };

static uint32_t text_of(struct comm_sources *s, struct cell cell)
{
	return text_pool_number_of(s->texts, cell);
}

/* NCOMM_SIDES: none is called so. */
static enum comm_side side_of(struct cell cell)
{
	enum comm_side side = COMM_ON_DEVICE;

	while (side < NCOMM_SIDES &&
	       (cell.type != CELL_TEXT || !str_is(cell.as.text, comm_side_name(side))))
		side++;
	return side;
}

/* The device of the row: the last one, or a new one; the host's place is set at the end. */
static uint32_t device_of(struct comm_profile *p, const struct cell *c)
{
	struct cell name = c[COL_COMM_PART_DEVICE_NAME_ID];
	struct work_device device = {
		.device = part_int(c[COL_COMM_PART_DEVICE], NUMBER_NONE),
	};
	const struct work_device *last = &p->devices[p->ndevices ? p->ndevices - 1 : 0];

	if (device.device == NUMBER_NONE && name.type == CELL_TEXT)
		device.name = name.as.text.p;
	/* the pool has each name once */
	if (!p->ndevices || last->device != device.device || last->name != device.name)
		p->devices[p->ndevices++] = device;
	return (uint32_t)p->ndevices - 1;
}

static int read_call(struct comm_sources *s, const struct scope_profile *profile,
		     const struct cell *c, struct comm_profile *to, struct err *err)
{
	int64_t ts_ns = part_int(c[COL_COMM_PART_TS], -1);
	int64_t dur_ns = part_int(c[COL_COMM_PART_DUR], -1);
	int64_t place = part_int(c[COL_COMM_PART_PLACE], -1);
	int64_t group_size = part_int(c[COL_COMM_PART_GROUP_SIZE], NUMBER_NONE);
	enum comm_side side = side_of(c[COL_COMM_PART_SIDE_ID]);
	struct cell collective = c[COL_COMM_PART_COLLECTIVE_ID];

	if (ts_ns < 0 || !query_is_time(ts_ns, dur_ns) || place < 0 ||
	    place >= profile->slices || side == NCOMM_SIDES)
		return summary_damaged(&summary_comm, err);
	struct comm_call call = {
		.start_ns = ts_ns,
		.end_ns = ts_ns + dur_ns,
		.slice_id = profile->first_slice_id + place,
		.bytes = part_int(c[COL_COMM_PART_BYTES], NUMBER_NONE),
		.group_size = group_size > 0 ? group_size : NUMBER_NONE,
		.sequence = part_int(c[COL_COMM_PART_SEQUENCE], NUMBER_NONE),
		.step = part_int(c[COL_COMM_PART_STEP], NUMBER_NONE),
		.stream = part_int(c[COL_COMM_PART_STREAM], NUMBER_NONE),
		.name = text_of(s, c[COL_COMM_PART_NAME_ID]),
		.collective = text_of(s, collective),
		.dtype = text_of(s, c[COL_COMM_PART_DTYPE_ID]),
		.group = text_of(s, c[COL_COMM_PART_GROUP_ID]),
		.ranks = text_of(s, c[COL_COMM_PART_GROUP_RANKS_ID]),
		.algorithm = text_of(s, c[COL_COMM_PART_ALGORITHM_ID]),
		.protocol = text_of(s, c[COL_COMM_PART_PROTOCOL_ID]),
		.kind = (uint8_t)(collective.type == CELL_TEXT
					  ? collective_called(collective.as.text)
					  : COLLECTIVE_OTHER),
		.side = (uint8_t)side,
		.device = side == COMM_ON_DEVICE ? device_of(to, c) : UINT32_MAX,
	};
	to->calls.items[to->calls.n++] = call;
	return 0;
}

static int read_compute(const struct part_rows *rows, struct comm_profile *to,
			struct err *err)
{
	to->compute = xcalloc(to->ndevices + 1, sizeof(*to->compute));
	for (size_t i = 0; i < rows->n; i++) {
		struct cell packed = part_rows_at(rows, i)[COL_COMM_PART_COMPUTE];
		const struct comm_call *call = &to->calls.items[i];
		if (packed.type == CELL_TEXT &&
		    !unpack_compute(packed.as.text, call, &to->compute[call->device]))
			return summary_damaged(&summary_comm, err);
	}
	for (size_t i = 0; i <= to->ndevices; i++)
		intervals_unite(&to->compute[i]);
	return 0;
}

static int read_calls(struct comm_sources *s, const struct scope_profile *profile,
		      const struct part_rows *rows, struct comm_profile *to,
		      struct err *err)
{
	to->calls.items = xrealloc_array(NULL, rows->n + 1, sizeof(*to->calls.items));
	to->devices = xcalloc(rows->n + 1, sizeof(*to->devices));
	for (size_t i = 0; i < rows->n; i++)
		if (read_call(s, profile, part_rows_at(rows, i), to, err) < 0)
			return -1;
	for (size_t i = 0; i < rows->n; i++)
		if (to->calls.items[i].device == UINT32_MAX)
			to->calls.items[i].device = (uint32_t)to->ndevices;
	return 0;
}

int comm_load_stored(struct comm_sources *s, const struct scope_profile *profile,
		     bool with_compute, struct comm_profile *out, struct err *err)
{
	struct part_rows rows;

	*out = (struct comm_profile){ .ndevices = 0 };
	int rc = summary_read(&s->summaries, profile, &summary_comm, &rows, err);
	if (rc == 0)
		rc = read_calls(s, profile, &rows, out, err);
	if (rc == 0 && with_compute)
		rc = read_compute(&rows, out, err);
	part_rows_release(&rows);
	return rc;
}
