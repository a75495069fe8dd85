/*
 * What ranks did as a summary (query/summary/summary.h): the rows of rank_part from a
 * profile's slices, and what they say in place of the slices.
 */
#include "base/array.h"
#include "base/sum.h"
#include "query/comm/comm_load.h"
#include "query/query.h"
#include "query/ranks/rank_facts.h"
#include "store/columns.h"

static const char *const whats[NRANK_WHATS] = {
	[RANK_COMPUTE] = "compute",
	[RANK_COPY] = "copy",
	[RANK_COLLECTIVE] = "collective",
	[RANK_IDLE] = "idle",
};

static bool add_row(const struct rank_facts *f, const struct rank_part *part,
		    struct part_rows *out)
{
	struct cell *c = part_rows_add(out);

	if (!c)
		return false;
	c[COL_RANK_PART_STEP] = number_cell(f->steps[part->step].number);
	c[COL_RANK_PART_STEP_TS] = cell_int(f->steps[part->step].start_ns);
	c[COL_RANK_PART_TS] = cell_int(part->start_ns);
	c[COL_RANK_PART_DUR] = cell_int(part->end_ns - part->start_ns);
	c[COL_RANK_PART_NS] = cell_int(part->ns);
	c[COL_RANK_PART_WHAT_ID] =
		cell_text(str_of(part->what == RANK_IDLE ? gap_causes[part->cause].code
							 : whats[part->what]));
	if (part->call)
		c[COL_RANK_PART_PLACE] =
			cell_int(part->call - f->profile->first_slice_id);
	return true;
}

/* Also of a profile without a rank: the order of files may tell it later (`ptool merge`). */
static int make(struct summary_source *from, struct part_rows *out, struct err *err)
{
	const struct comm_profile *comm = summary_collectives(from, err);
	struct rank_facts facts;

	if (!comm)
		return -1;
	int rc = rank_facts_make(from, &comm->calls, &facts, err);
	for (size_t i = 0; rc == 0 && i < facts.nparts; i++)
		if (!add_row(&facts, &facts.parts[i], out))
			break;
	rank_facts_release(&facts);
	return rc;
}

const struct summary summary_ranks = { PART_TABLE(RANK_PART, rank_part), make };

/* What the text says: 0, or -1 when it is none of these. */
static int read_what(struct cell cell, struct rank_part *part)
{
	if (cell.type != CELL_TEXT)
		return -1;
	for (int i = 0; i < RANK_IDLE; i++)
		if (str_is(cell.as.text, whats[i])) {
			part->what = (uint8_t)i;
			return 0;
		}
	for (int i = 0; i < NGAP_CAUSES; i++)
		if (gap_causes[i].code && str_is(cell.as.text, gap_causes[i].code)) {
			part->what = RANK_IDLE;
			part->cause = (uint8_t)i;
			return 0;
		}
	return -1;
}

/* Of rows of one step the place; a new one where another begins. */
static uint32_t step_of(struct rank_facts *f, int64_t number, int64_t start_ns)
{
	bool is_new = f->nsteps == 0 || f->steps[f->nsteps - 1].number != number ||
		      f->steps[f->nsteps - 1].start_ns != start_ns;

	if (is_new)
		*ARRAY_PUSH(f->steps, f->nsteps, f->steps_cap) =
			(struct rank_step){ number, start_ns, 0 };
	return (uint32_t)f->nsteps - 1;
}

static int read_row(const struct cell *c, struct rank_facts *f, struct err *err)
{
	int64_t ts_ns = part_int(c[COL_RANK_PART_TS], INT64_MAX);
	int64_t dur_ns = part_int(c[COL_RANK_PART_DUR], -1);
	int64_t place = part_int(c[COL_RANK_PART_PLACE], NUMBER_NONE);
	struct rank_part part = { .start_ns = ts_ns,
				  .end_ns = sum_add(ts_ns, dur_ns),
				  .ns = part_int(c[COL_RANK_PART_NS], -1) };

	if (!query_is_time(ts_ns, dur_ns) || part.ns < 0 || part.ns > dur_ns ||
	    (place != NUMBER_NONE && (place < 0 || place >= f->profile->slices)) ||
	    (f->nparts && f->parts[f->nparts - 1].start_ns > ts_ns) ||
	    read_what(c[COL_RANK_PART_WHAT_ID], &part) < 0)
		return summary_damaged(&summary_ranks, err);
	part.step = step_of(f, part_int(c[COL_RANK_PART_STEP], NUMBER_NONE),
			    part_int(c[COL_RANK_PART_STEP_TS], 0));
	if (place != NUMBER_NONE)
		part.call = f->profile->first_slice_id + place;
	f->steps[part.step].wall_ns = sum_add(f->steps[part.step].wall_ns, part.ns);
	*ARRAY_PUSH(f->parts, f->nparts, f->parts_cap) = part;
	return 0;
}

int rank_facts_load(struct summary_reader *reader, const struct comm_calls *calls,
		    const struct scope_profile *profile, struct rank_facts *out,
		    struct err *err)
{
	struct part_rows rows;

	*out = (struct rank_facts){ .profile = profile };
	if (!summary_has(reader, profile, &summary_ranks)) {
		struct summary_source from = { .store = reader->store,
					       .texts = reader->texts,
					       .profile = profile };
		int made = rank_facts_make(&from, calls, out, err);
		summary_source_release(&from);
		return made;
	}
	int rc = summary_read(reader, profile, &summary_ranks, &rows, err);
	for (size_t i = 0; rc == 0 && i < rows.n; i++)
		rc = read_row(part_rows_at(&rows, i), out, err);
	part_rows_release(&rows);
	return rc;
}
