/* The numbers of a budget: see gate_values.h. */
#include "cli/gate_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/buf.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sum.h"
#include "base/units.h"
#include "cli/scope_options.h"
#include "cli/suggest.h"
#include "cli/table_command.h"
#include "trace/fact.h"

/* What a column is of a row's key: nothing, a part, or a part only where keys are equal. */
enum part { NO_PART, A_KEY, A_LAST_KEY };

struct taking {
	const struct budget *budget;
	struct gate_runs *runs;
	struct gate_run *run;
	const struct scope *scope;
	enum part *parts; /* of the table's columns */
};

#define NOWHERE ((size_t)-1)

static size_t place_of(const struct table *t, const char *name)
{
	for (size_t i = 0; i < t->ncolumns; i++)
		if (strcmp(t->columns[i].name, name) == 0)
			return i;
	return NOWHERE;
}

/* Of those that this table has: others are there with other options. */
static int unknown_column(const struct table *t, const char *name, struct err *err)
{
	struct arena arena = { 0 };
	const char **names = arena_alloc(&arena, (t->ncolumns + 1) * sizeof(*names));
	size_t n = 0;

	for (size_t i = 0; i < t->ncolumns; i++)
		if (t->columns[i].unit != UNIT_TEXT)
			names[n++] = t->columns[i].name;
	names[n] = NULL;
	int rc = suggest_unknown(err, "column", name, names);
	arena_release(&arena);
	return rc;
}

/* Numbers that mean something else in another recording, and what is found of a row. */
static const char *const no_keys[] = { "id", "parent_id", "correlation", "bound", NULL };

/* What tells apart only rows that are else alike: code moves, and the others vary. */
static const char *const last_keys[] = { "profile", "line",          "caller_line",
					 "cause",   "message_bytes", NULL };

static bool is_one_of(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

/* A time would be another in each recording. */
static bool is_key(const struct table *t, size_t column)
{
	return t->fields && t->fields[column]->flags & FIELD_KEY &&
	       t->columns[column].unit != UNIT_NS;
}

/* Which columns tell rows apart: the view's keys, or all texts and numbers of things. */
static enum part *find_parts(const struct table *t)
{
	enum part *parts = xcalloc(t->ncolumns + 1, sizeof(*parts));
	bool has_keys = false;

	for (size_t i = 0; i < t->ncolumns; i++)
		has_keys |= is_key(t, i);
	for (size_t i = 0; i < t->ncolumns; i++) {
		enum unit unit = t->columns[i].unit;
		const char *name = t->columns[i].name;
		bool is_part =
			has_keys ? is_key(t, i) : unit == UNIT_TEXT || unit == UNIT_ID;
		parts[i] = is_one_of(last_keys, name)             ? A_LAST_KEY
			   : is_part && !is_one_of(no_keys, name) ? A_KEY
								  : NO_PART;
	}
	return parts;
}

/*
 * Profiles are numbered as they were ingested, or told by their files: here they count from
 * 1, as the run has them.
 */
static struct cell cell_for_key(const struct taking *to, const struct column *column,
				struct cell cell)
{
	if (strcmp(column->name, "profile") != 0)
		return cell;
	for (size_t i = 0; i < to->scope->n; i++) {
		const struct scope_profile *p = &to->scope->profiles[i];
		bool is_it = cell.type == CELL_TEXT
				     ? str_is(cell.as.text, p->path)
				     : cell.type == CELL_INT && cell.as.integer == p->id;
		if (is_it)
			return to->scope->n > 1 ? cell_int((int64_t)i + 1) : cell_null();
	}
	return cell_null();
}

/* "rank 1, step 2": the parts up to `last`; a number says of what it is. */
static const char *key_of(const struct taking *to, const struct table *t,
			  const struct cell *cells, enum part last)
{
	struct buf key;

	buf_init(&key, SIZE_MAX);
	for (size_t i = 0; i < t->ncolumns; i++) {
		const struct column *column = &t->columns[i];
		struct cell cell = cell_for_key(to, column, cells[i]);
		char number[UNITS_TEXT_MAX];
		bool is_named = column->unit != UNIT_TEXT || cell.type == CELL_INT ||
				strcmp(column->name, "step") == 0;
		if (to->parts[i] == NO_PART || to->parts[i] > last ||
		    cell.type == CELL_NULL)
			continue;
		if (key.n)
			buf_add_text(&key, ", ");
		if (is_named)
			buf_addf(&key, "%s ", column->name);
		enum unit unit = cell.type == CELL_INT && column->unit == UNIT_TEXT
					 ? UNIT_ID
					 : column->unit;
		buf_add_str(&key, units_raw(unit, cell, number));
	}
	const char *out = arena_copy(&to->runs->arena, buf_str(&key)).p;
	buf_release(&key);
	return out;
}

static bool read_value(struct cell cell, double *value)
{
	*value = cell.type == CELL_INT    ? (double)cell.as.integer
		 : cell.type == CELL_REAL ? cell.as.real
					  : (double)NAN;
	return isfinite(*value);
}

static int find_column(const struct taking *to, const struct table *t, size_t *place,
		       struct err *err)
{
	const char *name = to->budget->column;

	*place = name ? place_of(t, name) : 0;
	if (*place == NOWHERE)
		return unknown_column(t, name, err);
	if (name && t->columns[*place].unit == UNIT_TEXT)
		return err_set(err, ERR_USAGE, "column '%s' holds texts, not numbers",
			       name);
	if (!to->runs->column)
		to->runs->column = arena_strdup(&to->runs->arena, name ? name : "rows");
	to->runs->unit = name ? t->columns[*place].unit : UNIT_COUNT;
	return 0;
}

/* Means over other rows are no rows. */
static bool is_mean(const struct cell *step)
{
	return step && step->type == CELL_TEXT && str_is(step->as.text, "mean");
}

/* Rows that are lines are told apart by these alone. */
static bool are_lines(const struct budget *b)
{
	bool are = strcmp(b->view->name, "lines") == 0;

	for (int i = 0; i < b->noptions; i++)
		are |= strcmp(b->options[i], "--by=line") == 0;
	return are;
}

/* Of the row itself, or of its call. */
static int64_t line_of(const struct table *t, const struct cell *cells)
{
	int64_t line = NUMBER_NONE;

	for (size_t i = 0; i < t->ncolumns && line == NUMBER_NONE; i++)
		if (cells[i].type == CELL_INT &&
		    (strcmp(t->columns[i].name, "line") == 0 ||
		     strcmp(t->columns[i].name, "caller_line") == 0))
			line = cells[i].as.integer;
	return line;
}

static int take(void *context, struct table *t, struct err *err)
{
	struct taking *to = context;
	struct arena *arena = &to->runs->arena;
	size_t place, step = place_of(t, "step");
	char number[UNITS_TEXT_MAX];
	int rc;

	if (find_column(to, t, &place, err) < 0)
		return -1;
	struct cell *cells = xcalloc(t->ncolumns + 1, sizeof(*cells));
	to->parts = find_parts(t);
	while ((rc = t->next(t, cells, err)) > 0) {
		const struct cell *at = step == NOWHERE ? NULL : &cells[step];
		double value = 1;
		if (is_mean(at) ||
		    (to->budget->column && !read_value(cells[place], &value)))
			continue;
		*ARRAY_PUSH(to->run->rows, to->run->n, to->run->cap) = (struct gate_row){
			.key = key_of(to, t, cells, A_KEY),
			.whole_key = key_of(to, t, cells, A_LAST_KEY),
			.line = are_lines(to->budget) ? NUMBER_NONE : line_of(t, cells),
			.step = at && at->type != CELL_NULL
					? arena_copy(arena,
						     units_raw(UNIT_ID, *at, number))
						  .p
					: NULL,
			.value = value,
		};
	}
	free(to->parts);
	free(cells);
	return rc < 0 ? -1 : 1;
}

/* Takes the view's rows; `without` is an option that is left out, or NULL. */
static int ask(struct taking *to, const struct reading *reading, const char *without,
	       struct err *err)
{
	const struct budget *b = to->budget;
	const struct table_use use = { take, to };
	char **words = xrealloc_array(NULL, (size_t)b->noptions + 1, sizeof(*words));
	int n = 0;

	for (int i = 0; i < b->noptions; i++)
		if (!without || strncmp(b->options[i], without, strlen(without)) != 0)
			words[n++] = b->options[i];
	words[n] = NULL;
	int rc = table_command_use_words(b->view, n, words, reading, &use, err);
	free(words);
	return rc;
}

/* Is --min-dur all that leaves no row?  That nothing takes so long is what is asked for. */
static bool is_short(const struct taking *to, const struct reading *reading)
{
	struct gate_run run = { .n = 0 };
	struct taking all = *to;
	struct err why = ERR_INIT;

	all.run = &run;
	bool has_rows = ask(&all, reading, "--min-dur=", &why) > 0 && run.n > 0;
	free(run.rows);
	return has_rows;
}

/* The view of one run; without rows its `lacks` says why. */
static int use_view(struct taking *to, const struct diff_run *run,
		    const struct scope *scope, struct err *err)
{
	const struct budget *b = to->budget;
	const struct reading reading = { .store = run->store,
					 .path = run->name,
					 .scope = scope };
	struct err why = ERR_INIT;

	to->scope = scope;
	int rc = ask(to, &reading, NULL, &why);
	bool is_lacking = rc == 0 || (rc < 0 && why.kind == ERR_EMPTY);
	if (is_lacking && b->stat && !b->stat->least && is_short(to, &reading))
		return 0;
	bool is_number = to->run->n >= (b->stat ? b->stat->least : 1);
	if (is_lacking || (rc > 0 && !is_number))
		to->run->lacks = arena_strdup(
			&to->runs->arena,
			why.text[0] ? why.text : "no row has a number in this column");
	if (rc >= 0 || is_lacking)
		return 0;
	*err = why;
	return -1;
}

static int load_run(struct taking *to, const struct diff_run *run, struct err *err)
{
	const struct budget *b = to->budget;
	const struct scope_opts narrow = { .run = run->scope->profiles[0].run,
					   .rank = b->rank,
					   .profile = b->profile };
	struct scope scope = { .n = 0 };
	struct err why = ERR_INIT;

	if (!b->rank && !b->profile)
		return use_view(to, run, run->scope, err);
	if (scope_options_check(&narrow, err) < 0)
		return -1;
	if (scope_options_load(run->store, &narrow, &scope, &why) < 0) {
		to->run->lacks = arena_strdup(&to->runs->arena, why.text);
		*err = why;
		return why.kind == ERR_EMPTY ? 0 : -1;
	}
	int rc = use_view(to, run, &scope, err);
	scope_release(&scope);
	return rc;
}

int gate_runs_load(const struct budget *b, const struct diff_run *runs, size_t n,
		   struct gate_runs *out, const char **culprit, struct err *err)
{
	struct taking to = { .budget = b, .runs = out };

	*out = (struct gate_runs){ .items = xcalloc(n, sizeof(*out->items)), .n = n };
	*culprit = NULL;
	for (size_t i = 0; i < n; i++) {
		to.run = &out->items[i];
		if (load_run(&to, &runs[i], err) < 0) {
			*culprit = err->kind == ERR_USAGE ? NULL : runs[i].name;
			return -1;
		}
	}
	return 0;
}

void gate_runs_release(struct gate_runs *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->items[i].rows);
		free(r->items[i].by_key);
	}
	free(r->items);
	arena_release(&r->arena);
	*r = (struct gate_runs){ .n = 0 };
}

static bool key_before(const void *context, uint32_t a, uint32_t b)
{
	const struct gate_row *rows = context, *x = &rows[a], *y = &rows[b];
	int order = strcmp(x->key, y->key);

	if (!order)
		order = sort_order(x->line, y->line);
	if (!order)
		order = strcmp(x->whole_key, y->whole_key);
	return order < 0 || (order == 0 && a < b);
}

/* A key that several rows of a run have. */
struct twins {
	const char *key;
	const struct gate_run *first; /* that has such rows, */
	size_t from, n;               /* and where in its by_key they are */
	size_t runs;                  /* that have any */
	bool is_one;    /* their code may have moved, and in all runs as one; */
	bool has_moved; /* it has */
};

static int compare_twins(const void *a, const void *b)
{
	return strcmp(((const struct twins *)a)->key, ((const struct twins *)b)->key);
}

struct twins_list {
	struct twins *items; /* owned; in order */
	size_t n, cap;
};

/* The place in by_key behind the rows of the key of the one at `from`. */
static size_t end_of_key(const struct gate_run *run, size_t from)
{
	size_t end = from + 1;

	while (end < run->n && strcmp(run->rows[run->by_key[from]].key,
				      run->rows[run->by_key[end]].key) == 0)
		end++;
	return end;
}

static void index_run(struct gate_run *run, struct twins_list *out)
{
	free(run->by_key);
	run->by_key = sorted_places(run->n, key_before, run->rows);
	for (size_t from = 0, end; from < run->n; from = end) {
		end = end_of_key(run, from);
		if (end - from > 1)
			*ARRAY_PUSH(out->items, out->n, out->cap) =
				(struct twins){ .key = run->rows[run->by_key[from]].key,
						.is_one = true };
	}
}

static void index_all(struct gate_runs *sides, size_t n, struct twins_list *out)
{
	size_t kept = 0;

	out->n = 0;
	for (size_t side = 0; side < n; side++)
		for (size_t i = 0; i < sides[side].n; i++)
			index_run(&sides[side].items[i], out);
	if (out->n)
		qsort(out->items, out->n, sizeof(*out->items), compare_twins);
	for (size_t i = 0; i < out->n; i++)
		if (!kept || compare_twins(&out->items[kept - 1], &out->items[i]) != 0)
			out->items[kept++] = out->items[i];
	out->n = kept;
}

typedef void twins_fn(struct gate_runs *r, struct gate_run *run, size_t from, size_t end,
		      struct twins *of);

/* Calls the function for the rows of each run that have such a key. */
static void each_twins(struct gate_runs *r, struct twins_list *list, twins_fn *call)
{
	for (size_t i = 0; i < r->n; i++) {
		struct gate_run *run = &r->items[i];
		for (size_t from = 0, end; from < run->n; from = end) {
			struct twins wanted = { .key = run->rows[run->by_key[from]].key };
			end = end_of_key(run, from);
			struct twins *of = bsearch(&wanted, list->items, list->n,
						   sizeof(wanted), compare_twins);
			if (of)
				call(r, run, from, end, of);
		}
	}
}

/* Of rows as many as the first run's: how many of these are there under the whole key? */
static size_t count_same(const struct gate_run *run, size_t from, const struct twins *of)
{
	size_t same = 0;

	for (size_t i = 0, k = 0; i < of->n && k < of->n;) {
		const struct gate_row *a =
			&of->first->rows[of->first->by_key[of->from + i]];
		const struct gate_row *b = &run->rows[run->by_key[from + k]];
		same += strcmp(a->whole_key, b->whole_key) == 0;
		i += a->line <= b->line;
		k += b->line <= a->line;
	}
	return same;
}

/* Are all of them so many lines further down? */
static bool are_moved(const struct gate_run *run, size_t from, const struct twins *of)
{
	int64_t lines = 0;

	for (size_t i = 0; i < of->n; i++) {
		int64_t before = of->first->rows[of->first->by_key[of->from + i]].line;
		int64_t now = run->rows[run->by_key[from + i]].line;
		if (before == NUMBER_NONE || now == NUMBER_NONE)
			return false;
		if (i && sum_sub(now, before) != lines)
			return false;
		lines = sum_sub(now, before);
	}
	return true;
}

/* Code that moved has no line where it had one; who has one is whom another run names so. */
static void count_twins(struct gate_runs *r, struct gate_run *run, size_t from,
			size_t end, struct twins *of)
{
	(void)r;
	if (of->runs++ == 0) {
		of->first = run;
		of->from = from;
		of->n = end - from;
	}
	size_t same = end - from == of->n ? count_same(run, from, of) : 0;
	if (same == of->n)
		return;
	of->has_moved = true;
	of->is_one &= end - from == of->n && same == 0 && are_moved(run, from, of);
}

/* Of functions of one name that moved the first is the first in other runs, too. */
static void name_twins(struct gate_runs *r, struct gate_run *run, size_t from, size_t end,
		       struct twins *of)
{
	for (size_t k = from; k < end; k++) {
		struct gate_row *row = &run->rows[run->by_key[k]];
		row->key = of->has_moved && of->is_one
				   ? arena_printf(&r->arena, "%s (%zu of %zu)", of->key,
						  k - from + 1, of->n)
				   : row->whole_key;
	}
}

const char *gate_runs_index(struct gate_runs *sides, size_t n)
{
	struct twins_list list = { .n = 0 };
	size_t runs = 0;

	index_all(sides, n, &list);
	for (size_t side = 0; side < n && list.n; side++) {
		runs += sides[side].n;
		each_twins(&sides[side], &list, count_twins);
	}
	for (size_t i = 0; i < list.n; i++)
		list.items[i].is_one &= list.items[i].runs == runs;
	for (size_t side = 0; side < n && list.n; side++)
		each_twins(&sides[side], &list, name_twins);
	if (list.n)
		index_all(sides, n, &list);
	const char *twin = list.n ? list.items[0].key : NULL;
	free(list.items);
	return twin;
}

const struct gate_row *gate_run_find(const struct gate_run *run, const char *key)
{
	size_t at;

	SEARCH(at, 0, run->n, strcmp(run->rows[run->by_key[at]].key, key) < 0);
	if (at == run->n || strcmp(run->rows[run->by_key[at]].key, key) != 0)
		return NULL;
	return &run->rows[run->by_key[at]];
}
