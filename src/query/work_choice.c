/* Which device work a filter wants: see work_choice.h. */
#include "query/work_choice.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "ingest/sink.h"
#include "query/query.h"

int work_choice_check(const struct filter *filter, struct err *err)
{
	if (filter->categories.n || filter->threads.n)
		return err_set(err, ERR_USAGE,
			       "--cat and --thread choose slices of the host: 'ptool "
			       "list' shows them");
	return 0;
}

int work_choice_open(struct store *store, const struct scope *scope,
		     const struct filter *filter, struct work_choice *out,
		     struct err *err)
{
	struct sqlite3_stmt *stmt;
	int rc;

	*out = (struct work_choice){ .filter = filter };
	if (query_prepare(store, asset_query_views_slice_steps_sql, &stmt, err) < 0)
		return -1;
	query_bind_text(stmt, ":profiles", scope->ids);
	while ((rc = sql_step(stmt, err)) > 0) {
		size_t n = out->nsteps++;
		out->step_ids =
			xgrow(out->step_ids, &out->ids_cap, n + 1, sizeof(int64_t));
		out->steps = xgrow(out->steps, &out->steps_cap, n + 1, sizeof(int64_t));
		out->step_ids[n] = sqlite3_column_int64(stmt, 0);
		out->steps[n] = sqlite3_column_int64(stmt, 1);
	}
	sqlite3_finalize(stmt);
	return rc;
}

void work_choice_close(struct work_choice *c)
{
	free(c->step_ids);
	free(c->steps);
	*c = (struct work_choice){ .filter = NULL };
}

bool work_choice_step(const struct work_choice *c, int64_t step_id, int64_t *number)
{
	size_t low = 0, high = c->nsteps;

	while (low < high) {
		size_t middle = low + ((high - low) / 2);
		if (c->step_ids[middle] < step_id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == c->nsteps || c->step_ids[low] != step_id)
		return false;
	*number = c->steps[low];
	return true;
}

static bool has_number(const struct filter_numbers *wanted, int64_t number)
{
	return !wanted->n || (number != NUMBER_NONE && filter_has_number(wanted, number));
}

int work_choice_wants(const struct work_choice *c, const struct work_piece *piece,
		      struct err *err)
{
	const struct filter *f = c->filter;
	int64_t step = 0;
	bool in_step = work_choice_step(c, piece->step_id, &step);

	if (!has_number(&f->devices, piece->device) ||
	    !has_number(&f->streams, piece->stream) ||
	    !filter_has_step(f, step, in_step) || !filter_has_time(f, piece->start_ns) ||
	    !filter_has_dur(f, piece->dur_ns))
		return 0;
	return filter_has_name(f, piece->name, err);
}
