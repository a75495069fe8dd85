/* A timeline in cells as people see it: see cells.h. */
#include <inttypes.h>

#include "base/memtable.h"
#include "base/strips.h"
#include "base/units.h"
#include "query/timeline/cell_causes.h"
#include "query/timeline/cells.h"

/* By enum cover. */
static const struct strip_kind cover_kinds[NCOVERS] = {
	[COVER_KERNEL] = { "kernel", 'K', 69 },
	[COVER_COMMUNICATION] = { "communication", 'C', 166 },
	[COVER_COPY] = { "copy", 'M', 35 },
	[COVER_SET] = { "set", 'S', 115 },
	[COVER_OP] = { "operator", 'o', 246 },
	[COVER_ANNOTATION] = { "annotation", 'a', 66 },
	[COVER_PYTHON] = { "Python", 'p', 97 },
	[COVER_CALL] = { "runtime call", 'r', 178 },
	[COVER_OTHER] = { "other", 'x', 137 },
};

/* Of idle time, by place of the cause, and of what is no more told apart. */
static const struct strip_kind cause_kinds[CELL_CAUSES_MOST + 1] = {
	{ NULL, '1', 160 }, { NULL, '2', 172 }, { NULL, '3', 132 }, { NULL, '4', 37 },
	{ NULL, '5', 64 },  { NULL, '6', 99 },  { NULL, '+', 243 },
};

/* Text of the arena; of idle time the cause's name, which its letter stands for. */
static struct strip_cell strip_cell_of(const struct cell_rows *r,
				       const struct cell_row *row, size_t i,
				       const struct cell_ranking *ranking,
				       struct arena *arena)
{
	const struct row_cell *cell = &row->cells[i];
	const struct cell_axis *axis = &r->axes[row->profile];
	int64_t length_ns = cell_start(axis, i + 1) - cell_start(axis, i);
	struct strip_cell out = { .share = (double)cell->ns / (double)length_ns };

	if (cell->ns == 0)
		return out;
	if (row->kind == ROW_IDLE) {
		out.kind = (uint8_t)(NCOVERS + cell_cause_place(ranking, cell->kind));
		out.name = str_of(gap_causes[cell->kind].title);
	} else {
		out.kind = cell->kind;
		out.name = arena_copy(arena, cell->name);
	}
	return out;
}

static void add_strip(const struct cell_rows *r, const struct cell_row *row,
		      const struct cell_ranking *ranking, struct arena *arena,
		      struct strip *out)
{
	struct strip_cell *cells = arena_alloc(arena, r->ncells * sizeof(*cells));

	for (size_t i = 0; i < r->ncells; i++)
		cells[i] = strip_cell_of(r, row, i, ranking, arena);
	out->label = arena_copy(arena, row->label);
	out->cells = cells;
}

/* The profile whose times the ruler has: the first that is shown, or the longest. */
static struct cell_span ruler_of(const struct cell_rows *r)
{
	struct cell_span ruler = { 0, 0 };

	for (size_t i = 0; i < r->scope->n; i++) {
		const struct cell_span *span = &r->spans.items[i];
		if (span->to_ns - span->from_ns <= ruler.to_ns - ruler.from_ns)
			continue;
		ruler = *span;
		if (!r->spans.is_aligned)
			ruler = (struct cell_span){ 0, span->to_ns - span->from_ns };
	}
	return ruler;
}

static struct strips *make_strips(const struct cell_rows *r,
				  const struct cell_ranking *ranking, struct arena *arena)
{
	struct strips *s = arena_alloc(arena, sizeof(*s));
	struct strip_kind *kinds =
		arena_alloc(arena, (NCOVERS + CELL_CAUSES_MOST + 1) * sizeof(*kinds));
	struct strip *items = arena_alloc(arena, r->nshown * sizeof(*items));
	struct cell_span ruler = ruler_of(r);
	size_t n = 0;

	for (size_t i = 0; i < NCOVERS; i++)
		kinds[i] = cover_kinds[i];
	for (size_t i = 0; i <= CELL_CAUSES_MOST; i++)
		kinds[NCOVERS + i] = cause_kinds[i];
	for (size_t i = 0; i < r->n; i++)
		if (r->items[i].is_shown)
			add_strip(r, &r->items[i], ranking, arena, &items[n++]);
	*s = (struct strips){ .items = items,
			      .n = n,
			      .ncells = r->ncells,
			      .label_cells = r->label_cells,
			      .kinds = kinds,
			      .nkinds = NCOVERS + CELL_CAUSES_MOST + 1,
			      .from_ns = ruler.from_ns,
			      .to_ns = ruler.to_ns,
			      .legend = "Height: how much; letter: what:" };
	return s;
}

struct time_text {
	char room[UNITS_TEXT_MAX];
};

static const char *time_text(int64_t ns, struct time_text *room)
{
	return units_text(UNIT_NS, cell_int(ns), room->room).p;
}

/* What an engine's host did for the step can be before the step's own time. */
static const char *host_text(const struct cell_rows *r, int64_t length_ns,
			     struct arena *arena)
{
	struct time_text own;

	if (r->spans.has_times || r->spans.longest_ns >= length_ns)
		return "";
	return arena_printf(arena, "%s and what its host did for it, ",
			    time_text(r->spans.longest_ns, &own));
}

/* "Step 7, nearest to the median of 6 (126.548 ms): " */
static const char *span_text(const struct cell_rows *r, int64_t length_ns,
			     struct arena *arena)
{
	const struct cell_spans *s = &r->spans;
	struct time_text median;

	if (s->is_nearest && s->nsteps > 1)
		return arena_printf(
			arena,
			"Step %" PRId64 ", nearest to the median of %" PRId64
			"%s%s (%s): %s",
			s->first_step, s->nsteps, s->phase ? " of phase " : "",
			s->phase ? s->phase : "", time_text(s->median_ns, &median),
			host_text(r, length_ns, arena));
	if (s->has_steps && s->first_step == s->last_step)
		return arena_printf(arena, "Step %" PRId64 ": %s", s->first_step,
				    host_text(r, length_ns, arena));
	if (s->has_steps)
		return arena_printf(
			arena, "Steps %" PRId64 " to %" PRId64 "%s%s: ", s->first_step,
			s->last_step, s->phase ? ", idle time of phase " : "",
			s->phase ? s->phase : "");
	return s->has_times ? "" : "All of the recording: ";
}

static void add_captions(const struct cell_rows *r, struct memtable *m)
{
	struct cell_span ruler = ruler_of(r);
	int64_t length_ns = ruler.to_ns - ruler.from_ns;
	struct time_text length, cell;

	m->table.caption = arena_printf(
		&m->arena, "%s%s in cells of %s%s", span_text(r, length_ns, &m->arena),
		time_text(length_ns, &length),
		time_text(length_ns / (int64_t)r->ncells, &cell),
		r->spans.is_aligned ? "" : ", from its start in each recording");
}

static void note_hidden(const struct cell_rows *r, struct memtable *m)
{
	if (r->nshown < r->n)
		memtable_add_note(m,
				  "%zu of %zu rows are shown, the busiest first; "
				  "--limit 0 shows all",
				  r->nshown, r->n);
}

struct table *cells_picture(struct cell_rows *rows, const struct cells_request *request)
{
	static const struct column columns[] = { { "timeline", "Timeline", UNIT_TEXT } };
	struct memtable *m = memtable_new(columns, 1);

	struct cell_ranking ranking;

	cell_causes_rank(rows, request->lines, &ranking);
	m->table.strips = make_strips(rows, &ranking, &m->arena);
	add_captions(rows, m);
	note_hidden(rows, m);
	m->table.empty = "";
	if (rows->ndevices)
		m->table.more = &cell_causes_table(rows, &ranking)->table;
	m->table.total_rows = (int64_t)rows->n;
	cell_rows_release(rows);
	return &m->table;
}
