/*
 * Idle time of devices in cells: what `ptool gaps` charges of the same steps and times,
 * cell by cell and summed up by cause.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "query/gaps/gap_profile.h"
#include "query/gaps/gap_ranks.h"
#include "query/gaps/gap_read.h"
#include "query/gaps/gap_sums.h"
#include "query/timeline/cell_rows.h"

/* Idle time of one cause in one cell. */
struct idle_piece {
	int64_t ns;
	int64_t most_ns; /* of one amount, which `blamed` was charged */
	uint32_t blamed; /* text, or TEXT_NONE */
};

/* One profile. */
struct idling {
	struct cell_rows *rows;
	const struct gap_profile *p;
	size_t profile;
	struct gap_reader reader;
	int64_t device;                           /* the newest */
	struct cell_row *row;                     /* its row, when that is shown */
	struct idle_piece (*pieces)[NGAP_CAUSES]; /* owned; of its cells */
	struct gap_sums sums, totals;
};

/* What is charged of the gap in [from, to). */
static void add_sums(struct idling *s, uint32_t gap, int64_t from_ns, int64_t to_ns)
{
	const struct gap *g = &s->p->blame.gaps.items[gap];
	struct gap_amount amount;

	gap_reader_seek(&s->reader, g, from_ns, to_ns);
	while (gap_reader_next(&s->reader, &amount)) {
		struct gap_sum of = { .device = g->device,
				      .key = amount.cause,
				      .cause = amount.cause,
				      .blamed = amount.blamed };
		gap_sums_add(&s->sums, &of, gap, amount.ns, false);
		of.cause = GAP_NONE;
		of.blamed = TEXT_NONE;
		gap_sums_add(&s->totals, &of, gap, amount.ns, false);
	}
}

/* The same, all of it in one cell. */
static void add_piece(struct idling *s, uint32_t gap, size_t cell, int64_t from_ns,
		      int64_t to_ns)
{
	const struct gap *g = &s->p->blame.gaps.items[gap];
	struct gap_amount amount;

	gap_reader_seek(&s->reader, g, from_ns, to_ns);
	while (gap_reader_next(&s->reader, &amount)) {
		struct idle_piece *piece = &s->pieces[cell][amount.cause];
		piece->ns += amount.ns;
		if (amount.ns > piece->most_ns) {
			piece->most_ns = amount.ns;
			piece->blamed = amount.blamed;
		}
	}
}

static void add_part(struct idling *s, uint32_t gap, int64_t from_ns, int64_t to_ns)
{
	const struct cell_axis *axis = &s->rows->axes[s->profile];

	from_ns = from_ns < axis->from_ns ? axis->from_ns : from_ns;
	to_ns = to_ns > axis->until_ns ? axis->until_ns : to_ns;
	if (from_ns >= to_ns)
		return;
	add_sums(s, gap, from_ns, to_ns);
	if (!s->row)
		return;
	for (size_t cell = cell_of(axis, from_ns); from_ns < to_ns; cell++) {
		int64_t end_ns = cell_start(axis, cell + 1);
		end_ns = end_ns > to_ns ? to_ns : end_ns;
		add_piece(s, gap, cell, from_ns, end_ns);
		from_ns = end_ns;
	}
}

static struct str kept(struct cell_rows *r, struct str text)
{
	return text.n ? arena_copy(&r->arena, text) : text;
}

/* The cause that is most of it, of equal ones the first. */
static struct row_cell end_cell(const struct idling *s,
				const struct idle_piece pieces[NGAP_CAUSES])
{
	struct row_cell cell = { .ns = 0 };

	for (size_t cause = 0; cause < NGAP_CAUSES; cause++) {
		cell.ns += pieces[cause].ns;
		if (pieces[cause].ns > pieces[cell.kind].ns)
			cell.kind = (uint8_t)cause;
	}
	if (cell.ns)
		cell.name = kept(s->rows,
				 text_pool_str(s->p->texts, pieces[cell.kind].blamed));
	return cell;
}

/* Its causes, the largest first, and what its row shows. */
static void end_device(struct idling *s, uint32_t device)
{
	const struct gap_total *total = &s->p->totals[device];
	struct cell_rows *r = s->rows;
	struct gap_row *rows;
	size_t n = gap_rows_make(&s->sums, &s->totals, s->p->texts, GAP_LARGEST, &rows);

	*ARRAY_PUSH(r->devices, r->ndevices, r->devices_cap) = (struct cell_device){
		.profile = s->profile,
		.device = s->device,
		.idle_ns = total->idle_ns,
		.span_ns = total->span_ns,
	};
	for (size_t i = 0; i < n; i++)
		*ARRAY_PUSH(r->causes, r->ncauses, r->causes_cap) = (struct cell_cause){
			.profile = s->profile,
			.device = s->device,
			.cause = (enum gap_cause)rows[i].sum.key,
			.idle_ns = rows[i].sum.idle_ns,
			.gaps = rows[i].sum.gaps,
			.longest_ns = rows[i].sum.longest_ns,
			.blamed = kept(
				r, text_pool_str(s->p->texts, rows[i].largest.blamed)),
		};
	free(rows);
	for (size_t i = 0; s->row && i < r->ncells; i++) {
		s->row->cells[i] = end_cell(s, s->pieces[i]);
		s->row->busy_ns += s->row->cells[i].ns;
	}
	gap_sums_clear(&s->sums);
	gap_sums_clear(&s->totals);
}

/* Cells are of rows that are shown. */
static void begin_device(struct idling *s, uint32_t device)
{
	s->device = s->p->work.devices[device].device;
	s->row = cell_rows_find_idle(s->rows, s->profile, s->device);
	if (s->row && (!s->row->is_shown || s->row->busy_ns))
		s->row = NULL;
	if (s->row)
		memset(s->pieces, 0, s->rows->ncells * sizeof(*s->pieces));
}

/* Gaps are in the order of their devices. */
static void add_devices(struct idling *s)
{
	const struct gaps *gaps = &s->p->blame.gaps;
	uint32_t gap = 0;

	for (uint32_t device = 0; device < s->p->work.ndevices; device++) {
		bool is_wanted = s->p->totals[device].is_wanted;
		if (is_wanted)
			begin_device(s, device);
		for (; gap < gaps->n && gaps->items[gap].device == device; gap++) {
			int64_t from_ns = gaps->items[gap].start_ns;
			struct gap_part part;
			while (is_wanted &&
			       gap_range_next(&s->p->range, &from_ns,
					      gaps->items[gap].end_ns, &part))
				add_part(s, gap, part.start_ns, part.end_ns);
		}
		if (is_wanted)
			end_device(s, device);
	}
}

static int load_profile(struct store *store, struct cell_rows *rows, size_t profile,
			const struct filter *filter, struct gap_ranks *ranks,
			struct err *err)
{
	const struct gap_table_request request = { .filter = filter };
	struct gap_profile p;
	int rc = gap_profile_load(store, &rows->scope->profiles[profile], &request, ranks,
				  &p, err);

	if (rc == 0 && p.work.ndevices) {
		struct idling s = { .rows = rows, .p = &p, .profile = profile };
		s.pieces = xcalloc(rows->ncells, sizeof(*s.pieces));
		gap_profile_read(&p, GAP_KEY_NONE, &s.reader);
		add_devices(&s);
		gap_reader_close(&s.reader);
		gap_sums_release(&s.sums);
		gap_sums_release(&s.totals);
		free(s.pieces);
	}
	gap_profile_release(&p);
	return rc;
}

/* Steps, times and devices alone choose idle time. */
static struct filter idle_filter(const struct cells_request *request,
				 const struct cell_rows *rows)
{
	const struct filter *asked = request->filter;
	struct filter f = { .devices = asked->devices,
			    .has_times = asked->has_times,
			    .from_ns = asked->from_ns,
			    .to_ns = asked->to_ns,
			    .has_steps = rows->spans.has_steps,
			    .first_step = rows->spans.first_step,
			    .last_step = rows->spans.last_step,
			    .phase = asked->phase };

	return f;
}

int cell_idle_load(struct store *store, const struct cells_request *request,
		   struct cell_rows *rows, struct err *err)
{
	struct filter filter = idle_filter(request, rows);
	struct gap_ranks ranks = { .n = 0 };
	struct text_pool texts;

	if (!cell_rows_have_idle(request))
		return 0;
	int rc = text_pool_open(store, &texts, err);
	if (rc == 0)
		rc = gap_ranks_open(store, &texts, rows->scope->profiles[0].run, &ranks,
				    err);
	for (size_t i = 0; rc == 0 && i < rows->scope->n; i++)
		if (rows->spans.items[i].from_ns < rows->spans.items[i].to_ns)
			rc = load_profile(store, rows, i,
					  filter_is_given(&filter) ? &filter : NULL,
					  &ranks, err);
	gap_ranks_close(&ranks);
	text_pool_close(&texts);
	return rc;
}
