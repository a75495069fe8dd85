/* Records made by several threads: see bulk_team.h. */
#include "store/bulk_team.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/workers.h"

#define STRETCH_ROWS 4096
#define NSTRETCHES   8 /* that are made and not yet taken, at most */

/* Records of the rows from stretch * STRETCH_ROWS on. */
struct stretch {
	int64_t ids[STRETCH_ROWS];
	uint32_t ends[STRETCH_ROWS]; /* of each record in `bytes` */
	size_t n;
	char *bytes; /* owned */
	size_t nbytes, cap;
	bool is_made;
};

/* One thread begins and ends a job, nobody else can do anything for it meanwhile. */
enum job_stage { JOB_BEGIN, JOB_PARTS, JOB_END, JOB_ALONE };

struct bulk_team {
	struct workers workers;
	const void *const *froms;   /* borrowed: the caller's first */
	unsigned njoined;           /* threads that took theirs */
	const struct bulk_job *job; /* borrowed; NULL: none, or done */
	enum job_stage stage;       /* of the job: what is to be done */
	size_t nparts, next_part;
	size_t undone; /* parts */
	/* What is being made; NULL: nothing. */
	const struct bulk *bulk;
	int64_t nrows, first_id;
	int64_t nstretches, next, taken; /* next: to be made; taken: by the writer */
	int64_t unmade;                  /* begun and not made yet */
	struct stretch *stretches;       /* NSTRETCHES, owned: number % NSTRETCHES */
	struct record record;            /* of the caller's thread */
};

static inline struct record_at add_cell(struct record *record, struct record_at at,
					const struct bulk_cell *cell)
{
	switch (cell->kind) {
	case BULK_INT:
		return record_int(at, cell->number);
	case BULK_REAL:
		return record_real(at, cell->real);
	case BULK_TEXT:
		return record_text(record, at, bulk_bytes(cell));
	case BULK_BLOB:
		return record_blob(record, at, bulk_bytes(cell));
	case BULK_UNSET:
	case BULK_NULL:
		break;
	}
	return record_null(at);
}

/* Cells as a record in *record; returns its id. */
static int64_t make_record(const struct bulk *bulk, const struct bulk_cell *cells,
			   int64_t next_id, struct record *record)
{
	struct record_at at = record_null(record_begin(record)); /* the id is the rowid */

	for (int i = 1; i < bulk->ncolumns; i++)
		at = add_cell(record, at, &cells[i]);
	record_end(record, at);
	return cells[0].kind == BULK_INT ? cells[0].number : next_id;
}

static void make_stretch(const struct bulk_team *t, const void *from, int64_t number,
			 struct record *record)
{
	struct stretch *s = &t->stretches[number % NSTRETCHES];
	int64_t first = number * STRETCH_ROWS, end = first + STRETCH_ROWS;
	struct bulk_cell cells[RECORD_COLUMNS_MAX] = { { .kind = BULK_UNSET } };

	s->n = s->nbytes = 0;
	t->bulk->seek(from, first);
	for (int64_t row = first; row < end && row < t->nrows; row++) {
		t->bulk->row(from, row, cells);
		s->ids[s->n] = make_record(t->bulk, cells, t->first_id + row, record);
		size_t size = record_size(record);
		if (s->cap - s->nbytes < size)
			s->bytes = xgrow(s->bytes, &s->cap, s->nbytes + size, 1);
		record_put(record, (uint8_t *)s->bytes + s->nbytes);
		s->nbytes += size;
		s->ends[s->n++] = (uint32_t)s->nbytes;
	}
}

/* With the mutex held: makes the next stretch, if there is one and room for it. */
static bool make_next(struct bulk_team *t, const void *from, struct record *record)
{
	if (!t->bulk || t->next == t->nstretches || t->next - t->taken == NSTRETCHES)
		return false;
	int64_t number = t->next++;
	t->unmade++;
	workers_unlock(&t->workers);
	make_stretch(t, from, number, record);
	workers_lock(&t->workers);
	t->stretches[number % NSTRETCHES].is_made = true;
	t->unmade--;
	workers_wake(&t->workers);
	return true;
}

static void begin_job(struct bulk_team *t)
{
	t->stage = JOB_ALONE;
	workers_unlock(&t->workers);
	size_t nparts = t->job->begin(t->job->to);
	workers_lock(&t->workers);
	t->nparts = t->undone = nparts;
	t->stage = nparts ? JOB_PARTS : JOB_END;
}

static void do_part(struct bulk_team *t)
{
	size_t part = t->next_part++;

	workers_unlock(&t->workers);
	t->job->part(t->job->to, part);
	workers_lock(&t->workers);
	if (--t->undone == 0)
		t->stage = JOB_END;
}

static void end_job(struct bulk_team *t)
{
	t->stage = JOB_ALONE;
	workers_unlock(&t->workers);
	t->job->end(t->job->to);
	workers_lock(&t->workers);
	t->job = NULL;
}

/* With the mutex held: what is to be done next for the job, if there is anything. */
static bool do_job(struct bulk_team *t)
{
	if (!t->job || t->stage == JOB_ALONE ||
	    (t->stage == JOB_PARTS && t->next_part == t->nparts))
		return false;
	if (t->stage == JOB_BEGIN)
		begin_job(t);
	else if (t->stage == JOB_PARTS)
		do_part(t);
	else
		end_job(t);
	workers_wake(&t->workers);
	return true;
}

static void *help(void *to)
{
	struct bulk_team *t = to;
	struct record record = { .body = NULL };

	workers_lock(&t->workers);
	const void *from = t->froms[++t->njoined];
	while (!t->workers.is_stopping || t->job)
		if (!do_job(t) && !make_next(t, from, &record))
			workers_wait(&t->workers);
	workers_unlock(&t->workers);
	record_release(&record);
	return NULL;
}

struct bulk_team *bulk_team_new(const void *const *froms, unsigned n,
				const struct bulk_job *job)
{
	struct bulk_team *t = xcalloc(1, sizeof(*t));

	t->froms = froms;
	t->job = job;
	workers_init(&t->workers);
	if (workers_start(&t->workers, n, help, t) > 0)
		t->stretches = xcalloc(NSTRETCHES, sizeof(*t->stretches));
	workers_lock(&t->workers);
	while (t->workers.n == 0 && do_job(t))
		;
	workers_unlock(&t->workers);
	return t;
}

void bulk_team_wait(struct bulk_team *t)
{
	workers_lock(&t->workers);
	while (t->job)
		if (!do_job(t))
			workers_wait(&t->workers);
	workers_unlock(&t->workers);
}

void bulk_team_free(struct bulk_team *t)
{
	if (!t)
		return;
	workers_release(&t->workers);
	for (size_t i = 0; t->stretches && i < NSTRETCHES; i++)
		free(t->stretches[i].bytes);
	free(t->stretches);
	record_release(&t->record);
	free(t);
}

static int take_stretch(const struct stretch *s, const struct bulk_taker *taker,
			struct err *err)
{
	uint32_t at = 0;

	for (size_t i = 0; i < s->n; at = s->ends[i++])
		if (taker->take(taker->to, s->ids[i],
				(struct str){ s->bytes + at, s->ends[i] - at }, err) < 0)
			return -1;
	return 0;
}

/* The stretches in order; what is not made yet is made here. */
static int take_all(struct bulk_team *t, const struct bulk_taker *taker, struct err *err)
{
	int rc = 0;

	while (t->taken < t->nstretches && rc == 0) {
		struct stretch *s = &t->stretches[t->taken % NSTRETCHES];
		if (s->is_made) {
			workers_unlock(&t->workers);
			rc = take_stretch(s, taker, err);
			workers_lock(&t->workers);
			s->is_made = false;
			t->taken++;
			workers_wake(&t->workers);
		} else if (!make_next(t, t->froms[0], &t->record)) {
			workers_wait(&t->workers);
		}
	}
	return rc;
}

static int rows_together(struct bulk_team *t, const struct bulk *bulk, int64_t nrows,
			 int64_t first_id, const struct bulk_taker *taker,
			 struct err *err)
{
	workers_lock(&t->workers);
	t->bulk = bulk;
	t->nrows = nrows;
	t->first_id = first_id;
	t->nstretches = (nrows + STRETCH_ROWS - 1) / STRETCH_ROWS;
	t->next = t->taken = 0;
	workers_wake(&t->workers);
	int rc = take_all(t, taker, err);
	t->next = t->nstretches;
	while (t->unmade)
		workers_wait(&t->workers);
	t->bulk = NULL;
	for (size_t i = 0; i < NSTRETCHES; i++)
		t->stretches[i].is_made = false;
	workers_unlock(&t->workers);
	return rc;
}

int bulk_team_rows(struct bulk_team *t, const struct bulk *bulk, int64_t nrows,
		   int64_t first_id, const struct bulk_taker *taker, struct err *err)
{
	struct bulk_cell cells[RECORD_COLUMNS_MAX] = { { .kind = BULK_UNSET } };
	int rc = 0;

	if (bulk->seek && t->workers.n)
		return rows_together(t, bulk, nrows, first_id, taker, err);
	if (bulk->seek)
		bulk->seek(t->froms[0], 0);
	for (int64_t row = 0; row < nrows && rc == 0; row++) {
		bulk->row(t->froms[0], row, cells);
		if ((row == 0 || bulk->failure) && bulk_check(bulk, row, cells, err) < 0)
			return -1;
		int64_t id = make_record(bulk, cells, first_id + row, &t->record);
		rc = taker->take(taker->to, id, record_whole(&t->record), err);
	}
	return rc;
}
