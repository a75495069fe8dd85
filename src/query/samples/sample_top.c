/* Functions, lines or files of sampled stacks as a view: see sample_top.h. */
#include "query/samples/sample_top.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/buf.h"
#include "base/spelt.h"
#include "base/sum.h"
#include "base/utf8.h"
#include "query/query.h"
#include "query/samples/sample_note.h"
#include "query/samples/sample_set.h"
#include "query/top/top.h"

#define NO_FILE STR_LIT("(no file)")

struct row {
	struct sample_totals totals;
	struct str file, function, thread; /* function: none of a file */
	int64_t line;                      /* or NUMBER_NONE */
};

/* What is added up: a function, a line of it, or a file. */
struct group {
	uint32_t function;
	int64_t line;
};

struct listing {
	struct sample_set set;
	struct view_request show;
	const struct filter *filter;
	uint32_t *group_of; /* owned: by node */
	struct group *groups;
	size_t ngroups, groups_cap;
	struct row *rows; /* owned */
	size_t n, cap;
	uint8_t *found;  /* owned: by group, of enum found; NULL: all are wanted */
	struct buf name; /* of the newest row */
	struct spelt
		spelt; /* names that are shown: a function's with each of its lines */
	bool is_cut;   /* some of them */
	struct listing *self; /* for cells: names are put together when they are shown */
};

/* What the filter says of a group's name. */
enum found { FOUND_UNKNOWN, FOUND_NOT, FOUND };

static struct cell get_text(const void *from, const void *row, int arg)
{
	struct str text;

	(void)from;
	memcpy(&text, (const char *)row + arg, sizeof(text));
	return text.p ? cell_text(text) : cell_null();
}

/* A function of 1 MiB may have a million lines that ran: not each has all of its name. */
static struct cell get_shown(const void *from, const void *item, int arg)
{
	struct listing *l = ((const struct listing *)from)->self;
	const struct row *row = item;
	struct sample_function f = { row->file, row->function, row->line };
	size_t n = f.file.n + f.name.n;

	(void)arg;
	if (!f.name.p)
		return cell_text(f.file.n ? f.file : NO_FILE);
	size_t most = spelt_part(&l->spelt, n, l->set.arena.total);
	l->is_cut |= most < f.file.n || most < f.name.n;
	f.file = utf8_cut(f.file, most);
	f.name = utf8_cut(f.name, most);
	buf_clear(&l->name);
	sample_add_name(&f, row->line, &l->name);
	return cell_text(buf_str(&l->name));
}

static struct cell get_weight(const void *from, const void *row, int arg)
{
	int64_t weight;

	memcpy(&weight, (const char *)row + arg, sizeof(weight));
	return sample_weight_cell(&((const struct listing *)from)->set, weight);
}

static struct cell get_samples(const void *from, const void *row, int arg)
{
	const struct listing *l = from;

	return l->set.samples == NUMBER_NONE ? cell_null() : view_int64(from, row, arg);
}

static struct cell get_share(const void *from, const void *row, int arg)
{
	const struct listing *l = from;
	int64_t part;

	memcpy(&part, (const char *)row + arg, sizeof(part));
	return share_cell(part, l->set.weight);
}

#define TEXT(member)     .get = get_text, .arg = offsetof(struct row, member)
#define SUM(how, member) .get = (how), .arg = offsetof(struct row, totals.member)
#define PEOPLE           .flags = FIELD_PEOPLE
#define AMOUNT           .flags = FIELD_AMOUNT

/* clang-format off */
static const struct field fields[] = {
	{ "file", NULL, "file", "filename module", UNIT_TEXT, TEXT(file), .flags = FIELD_KEY },
	{ "line", NULL, "line of the definition, or with --by line the one that ran", NULL, UNIT_ID, .get = view_number, .arg = offsetof(struct row, line), .flags = FIELD_KEY },
	{ "function", NULL, "name", "name key", UNIT_TEXT, TEXT(function), .flags = FIELD_KEY },
	{ "shown", "Function", NULL, NULL, UNIT_TEXT, .get = get_shown, PEOPLE },
	{ "thread", "Thread", "thread, with --by thread", NULL, UNIT_TEXT, TEXT(thread), .needs = TOP_SPLIT(TOP_BY_THREAD), .flags = FIELD_KEY, .least = 12 },
	{ "samples", "Samples", "samples with the function on the stack", "count", UNIT_COUNT, SUM(get_samples, samples), .leaves = 4 },
	{ "self_samples", "Self samples", "samples with the function innermost", NULL, UNIT_COUNT, SUM(get_samples, self_samples), .leaves = 5 },
	{ "self", "Self", "weight of the stacks that end with it", "self_ns self_bytes self_count tottime time flat", UNIT_NS, SUM(get_weight, self), AMOUNT },
	{ "self_pct", "Self", NULL, NULL, UNIT_PERCENT, SUM(get_share, self), PEOPLE, .leaves = 2 },
	{ "total", "Total", "weight of the stacks that it is on", "total_ns total_bytes total_count cumulative cumtime cum", UNIT_NS, SUM(get_weight, total), AMOUNT },
	{ "total_pct", "Total", NULL, NULL, UNIT_PERCENT, SUM(get_share, total), PEOPLE, .leaves = 3 },
	{ .name = NULL },
};
/* clang-format on */

const struct view sample_view = {
	.name = "top of sampled stacks",
	.fields = fields,
	.people = VIEW_PART("shown! thread self_pct self total_pct total samples"),
	.sort = "self",
};

/* A count needs no second column that says the same. */
static const struct view_part people_counts[] = {
	{ .fields = "shown! thread self_pct self total_pct total" }, { .fields = NULL }
};

static uint32_t add_group(struct listing *l, struct intern *known, struct str key,
			  const struct group *group)
{
	size_t before = known->n;
	uint32_t at = intern_add(known, key);

	if (at == before)
		*ARRAY_PUSH(l->groups, l->ngroups, l->groups_cap) = *group;
	return at;
}

/* The group of each node: what --by asks to be told apart. */
static void group_nodes(struct listing *l)
{
	const struct sample_set *set = &l->set;
	struct intern known;

	intern_init(&known);
	l->group_of = xrealloc_array(NULL, set->nnodes + 1, sizeof(*l->group_of));
	for (size_t i = 0; i < set->nnodes; i++) {
		const struct sample_node *node = &set->nodes[i];
		const struct sample_function *f = &set->functions[node->function];
		struct group group = { node->function, f->line };
		if (l->show.asked & TOP_FILE) {
			group.line = NUMBER_NONE;
			l->group_of[i] = add_group(l, &known, f->file, &group);
			continue;
		}
		if (l->show.asked & TOP_LINE)
			group.line = node->line;
		const int64_t key[] = { group.function, group.line };
		const struct str bytes = { (const char *)key, sizeof(key) };
		l->group_of[i] = add_group(l, &known, bytes, &group);
	}
	intern_release(&known);
}

/* Is the group one that --focus and --ignore leave? */
static int is_wanted(struct listing *l, uint32_t group, const struct row *row,
		     struct err *err)
{
	const struct sample_function f = { row->file, row->function, row->line };
	struct str name = row->file.n ? row->file : NO_FILE;

	if (!l->found)
		return 1;
	if (l->found[group] == FOUND_UNKNOWN) {
		if (row->function.p) {
			buf_clear(&l->name);
			sample_add_name(&f, row->line, &l->name);
			name = buf_str(&l->name);
		}
		int has = filter_has_name(l->filter, name, err);
		if (has < 0)
			return -1;
		l->found[group] = has ? FOUND : FOUND_NOT;
	}
	return l->found[group] == FOUND;
}

/* The row of a group, of one thread or of all. */
static int add_row(struct listing *l, uint32_t thread, uint32_t group,
		   const struct sample_totals *totals, struct err *err)
{
	const struct sample_function *f = &l->set.functions[l->groups[group].function];
	struct row row = { .totals = *totals,
			   .file = f->file.n ? f->file : (struct str){ NULL, 0 },
			   .function = l->show.asked & TOP_FILE ? (struct str){ NULL, 0 }
								: f->name,
			   .thread = thread == UINT32_MAX ? (struct str){ NULL, 0 }
							  : l->set.threads[thread].name,
			   .line = l->groups[group].line };

	if (totals->total == 0 && totals->self == 0 && totals->samples == 0)
		return 0;
	int has = is_wanted(l, group, &row, err);
	if (has > 0)
		*ARRAY_PUSH(l->rows, l->n, l->cap) = row;
	return has < 0 ? -1 : 0;
}

static int add_rows(struct listing *l, struct err *err)
{
	struct sample_totals *totals = xcalloc(l->ngroups + 1, sizeof(*totals));
	int rc = 0;

	sample_add_up(&l->set, l->group_of, l->ngroups, totals);
	for (uint32_t i = 0; i < l->ngroups && rc == 0; i++)
		rc = add_row(l, UINT32_MAX, i, &totals[i], err);
	free(totals);
	return rc;
}

/* Those of each thread apart: each name once, as profiles of one name are one thread. */
static int add_threads(struct listing *l, struct err *err)
{
	struct sample_adder a;
	int rc = 0;

	if (l->set.nthreads == 0)
		return err_set(
			err, ERR_EMPTY,
			"--by thread: the file does not say which thread is sampled");
	sample_adder_open(&a, &l->set, l->group_of, l->ngroups);
	for (uint32_t t = 0; t < l->set.nthreads && rc == 0; t++) {
		sample_adder_next(&a, t);
		for (size_t i = 0; i < a.ngroups && rc == 0; i++)
			rc = add_row(l, t, a.groups[i], &a.totals[a.groups[i]], err);
	}
	sample_adder_close(&a);
	return rc;
}

/* "93.1% of all time" */
static const char *shown_share(const struct listing *l, const struct view_rows *rows,
			       struct arena *arena)
{
	uint64_t limit = (uint64_t)l->show.limit;
	int64_t shown = 0;

	if (limit == 0 || limit >= l->n || l->set.weight <= 0 ||
	    sum_is_stuck(l->set.weight))
		return NULL;
	uint32_t *order = view_order(&sample_view, rows, &l->show);
	for (size_t i = 0; i < limit; i++)
		shown = sum_add(shown, l->rows[order[i]].totals.self);
	free(order);
	return arena_printf(arena, "%.1f%% of %s",
			    100.0 * (double)shown / (double)l->set.weight,
			    l->set.unit == UNIT_NS      ? "all time"
			    : l->set.unit == UNIT_BYTES ? "all bytes"
							: "all samples");
}

static struct table *draw(struct listing *l, const struct scope *scope)
{
	const struct view_rows rows = { l, l->rows, l->n, sizeof(*l->rows) };

	l->show.amounts = l->set.unit;
	if (l->set.unit == UNIT_COUNT)
		l->show.people = people_counts;
	struct memtable *m = view_table(&sample_view, &rows, scope, &l->show);
	m->table.share = shown_share(l, &rows, &m->arena);
	if (l->is_cut)
		memtable_add_note(m, "long names are cut after %d bytes", SPELT_PART);
	sample_add_notes(&l->set, scope, m);
	return &m->table;
}

int sample_top_open(struct store *store, const struct scope *scope,
		    const struct filter *filter, const struct view_request *show,
		    struct table **out, struct err *err)
{
	struct listing l = { .show = *show, .filter = filter, .self = &l };

	buf_init(&l.name, SIZE_MAX);
	int rc = sample_set_load(store, scope, filter, &l.set, err);
	if (rc == 0) {
		group_nodes(&l);
		if (filter_chooses_names(filter))
			l.found = xcalloc(l.ngroups + 1, sizeof(*l.found));
		rc = l.show.asked & TOP_SPLIT(TOP_BY_THREAD) ? add_threads(&l, err)
							     : add_rows(&l, err);
	}
	if (rc == 0 && l.n == 0)
		rc = err_set(err, ERR_EMPTY, "no function matches");
	if (rc == 0)
		*out = draw(&l, scope);
	sample_set_release(&l.set);
	buf_release(&l.name);
	free(l.found);
	free(l.group_of);
	free(l.groups);
	free(l.rows);
	return rc;
}
