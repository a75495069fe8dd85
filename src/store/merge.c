/* One store of many: see merge.h. */
#include "store/merge.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/machine.h"
#include "base/spill.h"
#include "base/str.h"
#include "base/sum.h"
#include "store/condense.h"
#include "store/importing.h"
#include "store/merge_ahead.h"
#include "store/merge_copy.h"
#include "store/need.h"
#include "store/publish.h"
#include "store/schema_check.h"
#include "store/sql.h"
#include "store/statements.h"
#include "store/store.h"
#include "store/write.h"

struct merging {
	struct fleet *fleet;
	const struct merge_options *options;
	const struct import_events *events;
	struct merge_target to;
	const char *run;
	struct fleet_store *bad; /* the store that is to blame for a failure, or NULL */
	/* Stores that are looked at while they are read, in the order in which they were found: */
	const struct fleet_store *before; /* the one before, or NULL */
	size_t ncopied;
	bool is_wrong; /* they are to be read in another order, or otherwise */
	uint64_t done; /* bytes of stores */
};

static int tell_unfinished(const char *temporary, const char *lock, void *to,
			   struct err *err)
{
	const struct import_events *events = ((const struct merging *)to)->events;

	return events->unfinished ? events->unfinished(events->to, temporary, lock, err)
				  : 0;
}

static int tell(struct merging *m, struct err *err)
{
	return m->events->progress ? m->events->progress(m->events->to, m->done, err) : 0;
}

/* Ctrl-C while SQLite is at work. */
#define SQL_STEPS 100000

static int on_sql_steps(void *to)
{
	struct err ignored = ERR_INIT;

	return tell(to, &ignored) < 0;
}

/* Call graphs, sampled stacks and lines are no slices: of them all tables are read. */
static bool has_graphs(const struct fleet *fleet, size_t first)
{
	for (size_t i = first; i < fleet->nprofiles; i++)
		if (fleet->profiles[i].slices == 0)
			return true;
	return false;
}

/*
 * The store was not looked at before.  1: it can be no part of the fleet, and nothing was
 * read of it; -1: what was read of the others is of no use, or no memory, as err says.
 */
static int look(struct merging *m, size_t place, struct store *from, struct err *err)
{
	struct fleet *fleet = m->fleet;
	struct fleet_store *source = &fleet->stores[place];
	size_t nprofiles = fleet->nprofiles;

	if (!from || fleet_look_at(fleet, place, from, err) < 0) {
		if (sql_is_out_of_memory(err))
			return -1;
		fleet_leave_out(fleet, source, err);
		*err = (struct err)ERR_INIT;
		return 1;
	}
	m->is_wrong = has_graphs(fleet, nprofiles) ||
		      (m->before && !fleet_is_in_order(m->before, source));
	m->before = source;
	return m->is_wrong ? -1 : 0;
}

/* Puts the source's path before an error that came from reading the source. */
static void name_source(const struct merge_source *from, const char *path,
			struct err *err)
{
	struct err before = *err;

	if (err->kind == ERR_IO &&
	    (from->err.kind || (from->store && store_has_failed(from->store))))
		err_of_file(err, path, before.text);
}

static int copy_store(struct merging *m, size_t place, struct merge_source *from,
		      struct err *err)
{
	struct fleet_store *source = &m->fleet->stores[place];
	int rc = 0;

	if (m->events->begin)
		m->events->begin(m->events->to, source->path, 0);
	if (tell(m, err) < 0)
		return -1;
	if (!from->store)
		*err = from->err;
	if (!m->fleet->is_looked_at)
		rc = look(m, place, from->store, err);
	else if (!from->store)
		rc = -1;
	if (rc == 0 && from->err.kind) {
		*err = from->err;
		rc = -1;
	} else if (rc == 0) {
		rc = merge_copy(&m->to, from, err);
		m->ncopied++;
	}
	if (rc < 0 && err->kind == ERR_INPUT)
		m->bad = source;
	if (rc < 0)
		name_source(from, source->path, err);
	m->done += (uint64_t)source->st.st_size;
	return rc < 0 ? -1 : 0;
}

static int copy_stores(struct merging *m, struct err *err)
{
	struct merge_ahead *ahead = merge_ahead_open(&m->to.wish, m->fleet);
	struct merge_source *from;
	size_t place;
	int rc = 0;

	while (rc == 0 && (from = merge_ahead_next(ahead, &place)) != NULL)
		rc = copy_store(m, place, from, err);
	merge_ahead_close(ahead);
	return rc;
}

/* Now all of them were looked at: were they rightly taken, and what is the run called? */
static int settle(struct merging *m, struct err *err)
{
	if (m->fleet->is_looked_at)
		return 0;
	if (fleet_look(m->fleet, false, NULL, err) < 0)
		return -1;
	m->is_wrong = m->ncopied == 0 || m->ncopied != fleet_count(m->fleet);
	m->run = m->options->run ? m->options->run : m->fleet->run;
	return m->is_wrong ? -1 : statement_run(m->to.db, "name_run", m->run, err);
}

/* As of files that one ingest has read. */
static int list_profiles(struct merging *m, struct importing *i, struct err *err)
{
	struct sqlite3_stmt *stmt;
	int rc;

	if (statement_prepare(m->to.db, "select_profiles", &stmt, err) < 0)
		return -1;
	sqlite3_bind_int64(stmt, 1, m->to.run_id);
	while ((rc = sql_step(stmt, err)) > 0) {
		const char *path = (const char *)sqlite3_column_text(stmt, 1);
		bool is_ranked = sqlite3_column_type(stmt, 2) != SQLITE_NULL;
		struct import_profile *p =
			ARRAY_PUSH(i->profiles, i->nprofiles, i->profiles_cap);
		*p = (struct import_profile){
			.id = sqlite3_column_int64(stmt, 0),
			.shown = xstrdup(path ? path : ""),
			.path = xstrdup(path ? path : ""),
			.rank = is_ranked ? sqlite3_column_int64(stmt, 2) : NUMBER_NONE,
		};
		p->name = file_name_parse(str_of(p->shown));
		for (int a = 0; a < NAXES; a++)
			p->axes.at[a] = sqlite3_column_type(stmt, 3 + a) == SQLITE_NULL
						? NUMBER_NONE
						: sqlite3_column_int64(stmt, 3 + a);
	}
	sqlite3_finalize(stmt);
	return rc;
}

/* Spans, and ranks by the order of files: both of all profiles together. */
static int place_profiles(struct merging *m, struct err *err)
{
	struct import_result ignored = { 0 };
	struct importing i = {
		.db = m->to.db, .result = &ignored, .is_collection = true, .noperands = 1
	};
	int rc = statements_run(m->to.db, "forget_placed_ranks", m->run, err);

	if (rc == 0)
		rc = list_profiles(m, &i, err);
	if (rc == 0)
		rc = import_place(&i, err);
	for (size_t k = 0; k < i.nprofiles; k++) {
		free(i.profiles[k].shown);
		free(i.profiles[k].path);
	}
	free(i.profiles);
	return rc;
}

static int fill(struct merging *m, struct err *err)
{
	struct merge_target *to = &m->to;

	if (sql_exec(to->db, "BEGIN", err) < 0 || write_tables(to->db, err) < 0 ||
	    write_run(to->db, m->run, &to->run_id, err) < 0 ||
	    merge_tables_read(to->db, &to->tables, err) < 0)
		return -1;
	if (copy_stores(m, err) < 0 || settle(m, err) < 0 ||
	    merge_copy_ops(to, err) < 0 || schema_make(to->db, false, err) < 0 ||
	    place_profiles(m, err) < 0)
		return -1;
	return write_texts(to->db, &to->texts, 0, &usual_limits, err);
}

/* As one ingest: of several profiles; one of several ranks has them already. */
static bool wants_parts(const struct merging *m)
{
	return m->options->need || m->fleet->nprofiles > 1;
}

static struct merge_wish wish_of(const struct merging *m)
{
	static const struct fetch_need everything;
	const struct fetch_need *need = m->options->need;

	if (need && has_graphs(m->fleet, 0))
		need = &everything;
	return (struct merge_wish){ .tables = &m->to.tables,
				    .need = need,
				    .only_run = m->fleet->only_run,
				    .adds_up_ops =
					    need && need->merges &&
					    need->merges == fetch_need_grains(need) };
}

/* Ends the publishing, whatever comes of it. */
static int merge_into(struct merging *m, struct publish *publish, struct err *err)
{
	struct spill *spill =
		spill_open(machine_memory() / 2, publish_temp_path(publish));

	m->to = (struct merge_target){ .db = publish_db(publish),
				       .wish = wish_of(m),
				       .summarize = wants_parts(m) ? m->options->summarize
								   : NULL };
	if (m->to.wish.adds_up_ops)
		m->to.ops = merge_ops_new();
	intern_init_in(&m->to.texts, spill);
	sqlite3_progress_handler(m->to.db, SQL_STEPS, on_sql_steps, m);
	int rc = fill(m, err);
	merge_tables_release(&m->to.tables);
	merge_ops_free(m->to.ops);
	intern_release(&m->to.texts);
	spill_close(spill);
	if (rc == 0 && m->options->is_condensed)
		rc = store_condense(m->to.db, err);
	if (rc == 0)
		return publish_commit(publish, err);
	publish_abort(publish);
	return -1;
}

static int merge_once(struct merging *m, struct err *err)
{
	struct publish_keep keep = { .always = false,
				     .is_new = m->options->is_new,
				     .to = m,
				     .made = tell_unfinished };
	struct publish *publish;

	m->bad = NULL;
	m->done = 0;
	m->before = NULL;
	m->ncopied = 0;
	m->is_wrong = false;
	m->run = m->options->run ? m->options->run : m->fleet->run;
	if (publish_begin_keep(m->options->store, &keep, &publish, err) < 0)
		return -1;
	return merge_into(m, publish, err);
}

static const struct fleet_store *first_left_out(const struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->n; i++)
		if (fleet->stores[i].err)
			return &fleet->stores[i];
	return NULL;
}

/* Is there nothing to be done, or not without those that are left out? */
static int check(const struct merging *m, struct err *err)
{
	const struct fleet_store *out = first_left_out(m->fleet);

	if (out && (m->options->strict || fleet_count(m->fleet) == 0)) {
		*err = *out->err;
		return -1;
	}
	return fleet_count(m->fleet) ? 0
				     : err_set(err, ERR_INPUT, "holds no ptool store");
}

int merge_stores(struct fleet *fleet, const struct merge_options *options,
		 const struct import_events *events, struct merge_result *result,
		 struct err *err)
{
	struct merging m = { .fleet = fleet, .options = options, .events = events };
	bool again = !options->need;
	int rc;

	/* One that turns out to be damaged spoils what is made: that begins anew without it. */
	do {
		*err = (struct err)ERR_INIT;
		rc = again ? fleet_look(fleet, false, NULL, err) : 0;
		if (rc == 0)
			rc = check(&m, err);
		m.bad = NULL;
		m.is_wrong = false;
		if (rc == 0)
			rc = merge_once(&m, err);
		if (rc < 0 && m.bad)
			fleet_leave_out(fleet, m.bad, err);
		again = rc < 0 && (m.bad || m.is_wrong);
	} while (again);
	*result = (struct merge_result){ .stores = fleet_count(fleet) };
	for (size_t i = 0; i < fleet->nprofiles; i++) {
		const struct fleet_profile *p = &fleet->profiles[i];
		result->profiles += fleet->stores[p->store].err == NULL;
		if (fleet->stores[p->store].err == NULL)
			result->slices = sum_add(result->slices, p->slices);
	}
	return rc;
}
