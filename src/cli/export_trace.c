/* A trace to be written again: see export_trace.h. */
#include "cli/export_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "query/gaps/gap_table.h"
#include "trace/pipeline_op.h"

#define ARGS_BYTES 1024 /* that an event's args may well have */

static bool is_trace(const struct scope_profile *profile)
{
	static const char *const formats[] = { "pytorch", "xprof", "chrome",
					       PIPELINE_FORMAT };

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (strcmp(profile->format, formats[i]) == 0)
			return profile->slices > 0;
	return false;
}

int export_trace_open(const struct export_request *request, struct export_trace *t,
		      struct export_losses *losses, struct err *err)
{
	*t = (struct export_trace){ .request = request,
				    .profile = &request->scope->profiles[0],
				    .losses = losses };
	if (request->scope->n > 1)
		return err_set(err, ERR_USAGE,
			       "a trace file holds one profile, and there are %zu: "
			       "choose one with --rank or --profile",
			       request->scope->n);
	if (!is_trace(t->profile))
		return err_set(err, ERR_EMPTY,
			       "only traces have events; this is not a "
			       "trace");
	if (cut_make(request->store, request->scope, request->filter, &t->cut, err) < 0)
		return -1;
	if (t->cut.slices == 0)
		return err_set(err, ERR_EMPTY, "no slice matches");
	return event_rows_open(request->store, t->profile, &t->rows, err);
}

void export_trace_close(struct export_trace *t)
{
	event_rows_close(t->rows);
	cut_release(&t->cut);
}

int export_trace_at(struct export_trace *t, int64_t id, struct event_row *row,
		    struct err *err)
{
	uint64_t file_bytes = (uint64_t)t->cut.slices * ARGS_BYTES;

	if (event_rows_at(t->rows, id, row, err) < 0)
		return -1;
	if (row->has_own_args || row->args.n <= SPELT_PART || t->losses->args ||
	    spelt_take(&t->args, row->args.n, file_bytes))
		return 0;
	t->losses->args = true;
	event_rows_shorten(t->rows, SPELT_PART);
	return event_rows_at(t->rows, id, row, err);
}

static size_t column_of(const struct table *t, const char *name)
{
	size_t i = 0;

	while (strcmp(t->columns[i].name, name) != 0)
		i++;
	return i;
}

/* What a stretch of idle time is charged to may be one long name for all of them. */
#define BLAMED_BYTES 256 /* of what a text shows */
#define NUMBER_BYTES 24

static struct str text_of(const struct cell *cell)
{
	return cell->type == CELL_TEXT ? cell->as.text : (struct str){ NULL, 0 };
}

static struct str device_of(const struct cell *cell, char number[NUMBER_BYTES])
{
	if (cell->type != CELL_INT)
		return cell->type == CELL_TEXT ? utf8_cut(cell->as.text, BLAMED_BYTES)
					       : STR_LIT("?");
	snprintf(number, NUMBER_BYTES, "%" PRId64, cell->as.integer);
	return str_of(number);
}

static int each_row(struct table *gaps,
		    int (*each)(void *to, const struct export_gap *gap, struct err *err),
		    void *to, struct err *err)
{
	size_t device = column_of(gaps, "device"), start = column_of(gaps, "start_ns");
	size_t dur = column_of(gaps, "dur_ns"), cause = column_of(gaps, "cause");
	size_t blamed = column_of(gaps, "blamed");
	struct cell *cells = xcalloc(gaps->ncolumns, sizeof(*cells));
	char number[NUMBER_BYTES];
	int rc, done = 0;

	while (!done && (rc = gaps->next(gaps, cells, err)) > 0)
		done = each(to,
			    &(struct export_gap){
				    device_of(&cells[device], number),
				    cells[start].as.integer, cells[dur].as.integer,
				    text_of(&cells[cause]),
				    utf8_cut(text_of(&cells[blamed]), BLAMED_BYTES) },
			    err);
	free(cells);
	return done ? (done < 0 ? -1 : 0) : rc;
}

int export_trace_gaps(const struct export_trace *t,
		      int (*each)(void *to, const struct export_gap *gap,
				  struct err *err),
		      void *to, struct err *err)
{
	const struct filter *f = t->request->filter;
	const struct filter when = { .has_steps = f->has_steps,
				     .first_step = f->first_step,
				     .last_step = f->last_step,
				     .phase = f->phase,
				     .has_times = f->has_times,
				     .from_ns = f->from_ns,
				     .to_ns = f->to_ns,
				     .devices = f->devices };
	const struct gap_table_request request = { .filter = &when,
						   .is_list = true,
						   .is_brief = true };
	struct err none = ERR_INIT;
	struct table *gaps = NULL;

	if (gap_list_open(t->request->store, t->request->scope, &request, &gaps, &none) <
	    0) {
		if (none.kind == ERR_EMPTY)
			return 0;
		*err = none;
		return -1;
	}
	int rc = each_row(gaps, each, to, err);
	table_free(gaps);
	return rc;
}
