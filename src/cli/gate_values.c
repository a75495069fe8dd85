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
#include "base/units.h"
#include "cli/scope_options.h"
#include "cli/suggest.h"
#include "cli/table_command.h"

struct taking {
	const struct budget *budget;
	struct gate_runs *runs;
	struct gate_run *run;
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

static bool is_key(const struct table *t, size_t column)
{
	return t->fields && t->fields[column]->flags & FIELD_KEY;
}

/* What tells the row apart: its keys, or its texts. */
static const char *key_of(const struct table *t, const struct cell *cells,
			  struct arena *arena)
{
	struct buf key;
	bool has_keys = false;

	buf_init(&key, SIZE_MAX);
	for (size_t i = 0; i < t->ncolumns; i++)
		has_keys |= is_key(t, i);
	for (size_t i = 0; i < t->ncolumns; i++) {
		char number[UNITS_TEXT_MAX];
		bool is_part = has_keys ? is_key(t, i) : t->columns[i].unit == UNIT_TEXT;
		if (!is_part || cells[i].type == CELL_NULL)
			continue;
		if (key.n)
			buf_add_text(&key, ", ");
		buf_add_str(&key, units_raw(t->columns[i].unit, cells[i], number));
	}
	const char *out = arena_copy(arena, buf_str(&key)).p;
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
	while ((rc = t->next(t, cells, err)) > 0) {
		const struct cell *at = step == NOWHERE ? NULL : &cells[step];
		double value = 1;
		if (is_mean(at) ||
		    (to->budget->column && !read_value(cells[place], &value)))
			continue;
		*ARRAY_PUSH(to->run->rows, to->run->n, to->run->cap) = (struct gate_row){
			.key = key_of(t, cells, arena),
			.step = at && at->type != CELL_NULL
					? arena_copy(arena,
						     units_raw(UNIT_ID, *at, number))
						  .p
					: NULL,
			.value = value,
		};
	}
	free(cells);
	return rc < 0 ? -1 : 1;
}

/* The view of one run; without rows its `lacks` says why. */
static int use_view(struct taking *to, const struct diff_run *run,
		    const struct scope *scope, struct err *err)
{
	const struct budget *b = to->budget;
	const struct reading reading = { .store = run->store,
					 .path = run->name,
					 .scope = scope };
	const struct table_use use = { take, to };
	char **words = xrealloc_array(NULL, (size_t)b->noptions + 1, sizeof(*words));
	struct err why = ERR_INIT;

	for (int i = 0; i < b->noptions; i++)
		words[i] = b->options[i];
	words[b->noptions] = NULL;
	int rc = table_command_use_words(b->view, b->noptions, words, &reading, &use,
					 &why);
	free(words);
	bool is_lacking = rc == 0 || (rc < 0 && why.kind == ERR_EMPTY);
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
	const struct gate_row *rows = context;
	int order = strcmp(rows[a].key, rows[b].key);

	return order < 0 || (order == 0 && a < b);
}

void gate_runs_index(struct gate_runs *r)
{
	for (size_t i = 0; i < r->n; i++)
		r->items[i].by_key =
			sorted_places(r->items[i].n, key_before, r->items[i].rows);
}

const struct gate_row *gate_run_find(const struct gate_run *run, const char *key)
{
	size_t at;

	SEARCH(at, 0, run->n, strcmp(run->rows[run->by_key[at]].key, key) < 0);
	if (at == run->n || strcmp(run->rows[run->by_key[at]].key, key) != 0)
		return NULL;
	return &run->rows[run->by_key[at]];
}
