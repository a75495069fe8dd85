/* Samples, or stacks, one by one: see sample_list.h. */
#include "query/samples/sample_list.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/buf.h"
#include "base/sort.h"
#include "query/query.h"
#include "query/samples/sample_note.h"
#include "query/samples/sample_runs.h"
#include "query/samples/sample_set.h"
#include "query/samples/stack_paths.h"

/* The frame that stands for those that are left out; others are places in functions. */
#define FRAMES_LEFT_OUT UINT32_MAX

struct row {
	int64_t ts, samples, weight; /* ts, samples: or NUMBER_NONE */
	uint32_t node, thread;       /* SAMPLE_ROOT; a place, or UINT32_MAX */
	const char *series;
};

/* What the filter finds in the stack of a node. */
enum wanted { HAS_FOCUS = 1, HAS_IGNORED = 2 };

struct listing {
	struct sample_set set;
	const struct filter *filter;
	struct view_request show;
	struct row *rows; /* owned, as all below */
	size_t n, cap;
	uint8_t *wanted;          /* by node: of enum wanted */
	struct stack_paths paths; /* of nodes; a frame is a place in functions */
	struct buf text;          /* the stack of `text_node` */
	uint32_t text_node;       /* or SAMPLE_ROOT */
	size_t first_node;        /* place of the first of the profile that is read */
	int64_t total;            /* rows, with those beyond the limit */
	struct listing *self; /* for cells: stacks are put together when they are shown */
};

static const struct sample_function *innermost(const struct listing *l,
					       const struct row *row)
{
	static const struct sample_function none = { { "", 0 }, { "", 0 }, NUMBER_NONE };

	return row->node == SAMPLE_ROOT
		       ? &none
		       : &l->set.functions[l->set.nodes[row->node].function];
}

static struct cell get_function(const void *from, const void *row, int arg)
{
	(void)arg;
	return ((const struct row *)row)->node == SAMPLE_ROOT
		       ? cell_null()
		       : cell_text(innermost(from, row)->name);
}

static struct cell get_file(const void *from, const void *row, int arg)
{
	struct str file = innermost(from, row)->file;

	(void)arg;
	return file.n ? cell_text(file) : cell_null();
}

static struct cell get_line(const void *from, const void *row, int arg)
{
	const struct listing *l = from;
	uint32_t node = ((const struct row *)row)->node;

	(void)arg;
	if (node == SAMPLE_ROOT || l->set.nodes[node].line == NUMBER_NONE)
		return cell_null();
	return cell_int(l->set.nodes[node].line);
}

static struct cell get_depth(const void *from, const void *row, int arg)
{
	const struct listing *l = from;

	(void)arg;
	return cell_int(
		(int64_t)stack_paths_depth(&l->paths, ((const struct row *)row)->node));
}

static struct str frame_name(const struct listing *l, uint32_t frame)
{
	return frame == FRAMES_LEFT_OUT ? STR_LIT(STACK_FRAMES_LEFT_OUT)
					: l->set.functions[frame].name;
}

/* The outermost first, with ';' between them. */
static void join_frames(struct listing *l)
{
	buf_clear(&l->text);
	for (size_t i = 0; i < l->paths.nframes; i++) {
		if (i)
			buf_add_char(&l->text, ';');
		buf_add_str(&l->text, frame_name(l, l->paths.frames[i]));
	}
}

static struct cell get_stack(const void *from, const void *row, int arg)
{
	struct listing *l = ((const struct listing *)from)->self;
	uint32_t node = ((const struct row *)row)->node;

	(void)arg;
	if (node == SAMPLE_ROOT)
		return cell_text(STR_LIT(""));
	if (l->text_node != node) {
		stack_paths_find(&l->paths, node);
		join_frames(l);
		l->text_node = node;
	}
	return cell_text(buf_str(&l->text));
}

static struct cell get_weight(const void *from, const void *row, int arg)
{
	(void)arg;
	return sample_weight_cell(&((const struct listing *)from)->set,
				  ((const struct row *)row)->weight);
}

static struct cell get_thread(const void *from, const void *row, int arg)
{
	const struct listing *l = from;
	uint32_t thread = ((const struct row *)row)->thread;

	(void)arg;
	return thread == UINT32_MAX ? cell_null()
				    : cell_text(l->set.threads[thread].name);
}

static struct cell get_series(const void *from, const void *row, int arg)
{
	const char *series = ((const struct row *)row)->series;

	(void)from, (void)arg;
	return *series ? cell_text(str_of(series)) : cell_null();
}

/* clang-format off */
static const struct field fields[] = {
	{ "start_ns", "Start", "when it begins; null where the file has no times", NULL, UNIT_TIME, .get = view_number, .arg = offsetof(struct row, ts) },
	{ "weight", "Weight", "its weight", NULL, UNIT_NS, .get = get_weight, .flags = FIELD_AMOUNT },
	{ "samples", "Samples", "how many samples; null where they were not counted", NULL, UNIT_COUNT, .get = view_number, .arg = offsetof(struct row, samples), .leaves = 2 },
	{ "thread", "Thread", "thread", NULL, UNIT_TEXT, .get = get_thread, .leaves = 3, .least = 10 },
	{ "series", "Series", "series", NULL, UNIT_TEXT, .get = get_series, .leaves = 4, .least = 10 },
	{ "depth", "Depth", "frames of the stack", NULL, UNIT_COUNT, .get = get_depth, .leaves = 5 },
	{ "file", "File", "file of the innermost function", NULL, UNIT_TEXT, .get = get_file, .leaves = 1, .least = 12 },
	{ "line", "Line", "line of it that ran", NULL, UNIT_ID, .get = get_line, .leaves = 1 },
	{ "function", "Function", "innermost function", NULL, UNIT_TEXT, .get = get_function, .least = 12 },
	{ "stack", "Stack", "functions, the outermost first, with ; between them; of more than 512 those in the middle are left out", NULL, UNIT_TEXT, .get = get_stack },
	{ .name = NULL },
};
/* clang-format on */

const struct view sample_list_view = {
	.name = "list of sampled stacks",
	.fields = fields,
	.people = VIEW_PART("start_ns weight! thread depth function! file line"),
};

/* What the names of a node and of its callers, which are before it, are to the filter. */
static int look_for_names(struct listing *l, uint32_t node, struct buf *name,
			  struct err *err)
{
	const struct filter focus = { .focus = l->filter->focus },
			    ignore = { .ignore = l->filter->ignore };
	const struct sample_node *n = &l->set.nodes[node];
	int has = 1, kept = 1;

	buf_clear(name);
	sample_add_name(&l->set.functions[n->function], NUMBER_NONE, name);
	if (l->filter->focus)
		has = filter_has_name(&focus, buf_str(name), err);
	if (has >= 0)
		kept = filter_has_name(&ignore, buf_str(name), err);
	if (has < 0 || kept < 0)
		return -1;
	l->wanted[node] =
		(uint8_t)((has ? HAS_FOCUS : 0) | (kept ? 0 : HAS_IGNORED) |
			  (n->caller == SAMPLE_ROOT ? 0 : l->wanted[n->caller]));
	return 0;
}

static int look_at_nodes(struct listing *l, struct err *err)
{
	bool chooses = filter_chooses_names(l->filter);
	struct buf name;
	int rc = 0;

	buf_init(&name, SIZE_MAX);
	for (uint32_t i = 0; i < l->set.nnodes && rc == 0; i++) {
		stack_paths_add(&l->paths, l->set.nodes[i].caller,
				l->set.nodes[i].function);
		if (chooses)
			rc = look_for_names(l, i, &name, err);
	}
	l->paths.left_out = FRAMES_LEFT_OUT;
	buf_release(&name);
	return rc;
}

static void add_row(struct listing *l, const struct row *row)
{
	uint8_t found = row->node == SAMPLE_ROOT ? 0 : l->wanted[row->node];

	if (!filter_chooses_names(l->filter) || found == HAS_FOCUS)
		*ARRAY_PUSH(l->rows, l->n, l->cap) = *row;
}

static bool is_heavier(const void *context, uint32_t a, uint32_t b)
{
	const struct sample_set *set = context;

	return set->sums[a].weight > set->sums[b].weight;
}

static void add_stacks(struct listing *l)
{
	uint32_t *order = sorted_places(l->set.nsums, is_heavier, &l->set);

	for (size_t i = 0; i < l->set.nsums; i++) {
		const struct sample_sum *sum = &l->set.sums[order[i]];
		add_row(l, &(struct row){ NUMBER_NONE, sum->samples, sum->weight,
					  sum->node, sum->thread, "" });
	}
	free(order);
	l->total = (int64_t)l->n;
}

/* The place of a node that a row names, by the sums' rule; UINT32_MAX - 1: none. */
static int take_sample(struct listing *l, const struct sample_series *s,
		       struct sqlite3_stmt *stmt, struct err *err)
{
	size_t first_node = l->first_node;
	int64_t node = query_number(stmt, 2), thread = query_number(stmt, 0);
	struct row row = { query_number(stmt, 1), 1,          query_number(stmt, 3),
			   SAMPLE_ROOT,           UINT32_MAX, s->name };

	if (s->is_evented)
		row.samples = NUMBER_NONE;
	if (node != NUMBER_NONE) {
		if (node < s->first_node_id || node >= s->first_node_id + s->nodes ||
		    first_node + (size_t)(node - s->first_node_id) >= l->set.nnodes)
			return query_damaged("samples", err);
		row.node = (uint32_t)(first_node + (size_t)(node - s->first_node_id));
	}
	if (thread != NUMBER_NONE)
		row.thread = sample_thread_find(&l->set, thread);
	if (thread != NUMBER_NONE && row.thread == UINT32_MAX)
		return 0; /* the filter left the thread out */
	add_row(l, &row);
	return 0;
}

static struct query query_of_samples(struct store *store, const unsigned char *sql,
				     const struct sample_series *s,
				     const struct sample_run *run, struct err *err)
{
	struct query q = query_of_range(store, sql, run->first, run->last, err);

	query_bind_int(q.stmt, ":series", s->id);
	return q;
}

/* Adds all of a run to the total, shown or not. */
static int count_samples(struct listing *l, struct store *store,
			 const struct sample_series *s, const struct sample_run *run,
			 struct err *err)
{
	struct query q = query_of_samples(store, asset_query_views_sample_row_count_sql,
					  s, run, err);

	l->total += query_next(&q, err) ? query_number(q.stmt, 0) : 0;
	return query_end(&q);
}

/* At most `limit`, which becomes what is left of it; -1: all. */
static int add_run(struct listing *l, struct store *store, const struct sample_series *s,
		   const struct sample_run *run, int64_t *limit, struct err *err)
{
	struct query q =
		query_of_samples(store, asset_query_views_sample_rows_sql, s, run, err);

	query_bind_int(q.stmt, ":limit", *limit);
	while (query_next(&q, err)) {
		q.rc = take_sample(l, s, q.stmt, err);
		*limit -= *limit > 0;
	}
	return query_end(&q);
}

/* Of the series at that place in the set. */
static int add_samples(struct listing *l, struct store *store,
		       const struct sample_runs *runs, size_t series, struct err *err)
{
	const struct sample_series *s = &l->set.series[series];
	/* those that filters leave out are not known before */
	bool may_limit = l->show.limit && !filter_chooses_names(l->filter) &&
			 !l->filter->threads.n;
	int64_t limit = may_limit ? (int64_t)l->show.limit : -1;
	size_t n;
	const struct sample_run *run = sample_runs_of(runs, series, &n);
	int rc = 0;

	for (; n-- > 0 && rc == 0; run++) {
		if (limit)
			rc = add_run(l, store, s, run, &limit, err);
		if (rc == 0 && may_limit)
			rc = count_samples(l, store, s, run, err);
	}
	if (!may_limit)
		l->total = (int64_t)l->n;
	return rc;
}

/* Have all series that were chosen an order, as samples of them have? */
static bool is_ordered(const struct sample_set *set)
{
	for (size_t i = 0; i < set->nseries; i++)
		if (set->series[i].is_chosen && set->series[i].sample_rows == 0)
			return false;
	return true;
}

static int load_samples(struct listing *l, struct store *store,
			const struct sample_runs *runs, struct err *err)
{
	int64_t profile = NUMBER_NONE;
	size_t behind = 0;
	int rc = 0;

	for (size_t i = 0; i < l->set.nseries && rc == 0; i++) {
		const struct sample_series *s = &l->set.series[i];
		if (!s->is_chosen)
			continue;
		if (s->profile_id != profile) {
			l->first_node = behind;
			behind += (size_t)s->nodes;
		}
		profile = s->profile_id;
		rc = add_samples(l, store, runs, i, err);
	}
	return rc;
}

static int load(struct listing *l, struct store *store, struct err *err)
{
	struct sample_runs runs;

	l->wanted = xcalloc(l->set.nnodes + 1, sizeof(*l->wanted));
	if (look_at_nodes(l, err) < 0)
		return -1;
	if (!is_ordered(&l->set) || l->filter->samples.no_idle) {
		add_stacks(l);
		return 0;
	}
	int rc = sample_runs_find(store, &l->set, &runs, err);
	if (rc == 0)
		rc = load_samples(l, store, &runs, err);
	sample_runs_release(&runs);
	return rc;
}

static void release(struct listing *l)
{
	sample_set_release(&l->set);
	free(l->rows);
	free(l->wanted);
	stack_paths_release(&l->paths);
	buf_release(&l->text);
	free(l);
}

/* The rows in their order; stacks are put together when they are written. */
struct feed {
	struct view_feed feed;
	struct listing *l;      /* owned, as all below */
	struct memtable *facts; /* its notes */
	uint32_t *order;
	size_t at, n;
};

static int feed_next(struct view_feed *feed, const void **row, struct err *err)
{
	struct feed *f = (struct feed *)feed;

	(void)err;
	if (f->at == f->n)
		return 0;
	*row = &f->l->rows[f->order[f->at++]];
	return 1;
}

static void feed_free(struct view_feed *feed)
{
	struct feed *f = (struct feed *)feed;

	table_free(&f->facts->table);
	free(f->order);
	release(f->l);
	free(f);
}

/* Where the stacks are written, which may be larger than memory: the listing is moved. */
static struct table *open_feed(struct listing *l, const struct scope *scope)
{
	const struct view_rows rows = { l, l->rows, l->n, sizeof(*l->rows) };
	struct feed *f = xcalloc(1, sizeof(*f));
	uint64_t limit = (uint64_t)l->show.limit;

	f->feed = (struct view_feed){ .from = l, .next = feed_next, .free = feed_free };
	f->l = l;
	f->order = view_order(&sample_list_view, &rows, &l->show);
	f->n = limit && limit < l->n ? (size_t)limit : l->n;
	f->facts = memtable_new(NULL, 0);
	sample_add_notes(&l->set, scope, f->facts);
	struct table *t = view_fed(&sample_list_view, &f->feed, &l->show);
	t->notes = f->facts->table.notes;
	return t;
}

static struct table *open_table(struct listing *l, const struct scope *scope)
{
	const struct view_rows rows = { l, l->rows, l->n, sizeof(*l->rows) };
	struct memtable *m = view_table(&sample_list_view, &rows, scope, &l->show);

	sample_add_notes(&l->set, scope, m);
	release(l);
	return &m->table;
}

int sample_list_open(struct store *store, const struct scope *scope,
		     const struct filter *filter, const struct view_request *show,
		     struct table **out, struct err *err)
{
	struct listing *l = xcalloc(1, sizeof(*l));
	int64_t total;

	*l = (struct listing){ .filter = filter, .show = *show, .self = l };
	l->text_node = SAMPLE_ROOT;
	buf_init(&l->text, SIZE_MAX);
	int rc = sample_set_load(store, scope, filter, &l->set, err);
	if (rc == 0)
		rc = load(l, store, err);
	if (rc == 0 && l->n == 0)
		rc = err_set(err, ERR_EMPTY, "no sample matches");
	if (rc < 0) {
		release(l);
		return -1;
	}
	l->show.amounts = l->set.unit;
	total = l->total > (int64_t)l->n ? l->total : (int64_t)l->n;
	*out = show->for_people ? open_table(l, scope) : open_feed(l, scope);
	(*out)->total_rows = total;
	return 0;
}
