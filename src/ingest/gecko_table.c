/*
 * Tables of Firefox's profiler, in both spellings: an object of lists, one a column,
 *
 *	{"length": 2, "prefix": [null, 0], "frame": [0, 1]}
 *
 * and, before the profile was processed, rows with a schema that says what is where.
 *
 *	{"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0], [0, 1]]}
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/sum.h"
#include "ingest/gecko.h"

#define SCHEMA_MAX 64 /* columns of a table */

#define NO_DIGITS (-1) /* of a column of whole numbers: 1.5 is none */
#define NS_DIGITS 6    /* of milliseconds */

int gecko_bad(const struct gecko *g, const char *at, const char *what, struct err *err)
{
	return err_at(err, (uint64_t)(at - g->text.p), "%s", what);
}

int gecko_members(struct gecko *g, struct str object, gecko_each *each, void *to,
		  struct err *err)
{
	struct json_items items = json_items_of(object);
	struct json_value key, value;
	int more;

	while ((more = json_next_member(&items, &key, &value)) > 0)
		if (each(g, key.text, &value, to, err) < 0)
			return -1;
	return more < 0 ? gecko_bad(g, items.j.p,
				    "a member of an object is "
				    "malformed",
				    err)
			: 0;
}

static int gecko_elements(struct gecko *g, struct str array, gecko_each *each, void *to,
			  struct err *err)
{
	struct json_items items = json_items_of(array);
	struct json_value value;
	int more;

	while ((more = json_next_element(&items, &value)) > 0)
		if (each(g, STR_LIT(""), &value, to, err) < 0)
			return -1;
	return more < 0 ? gecko_bad(g, items.j.p,
				    "an element of a list is "
				    "malformed",
				    err)
			: 0;
}

/* A column that is asked for. */
struct wanted {
	const char *name;
	int digits; /* kept behind the point, or NO_DIGITS */
	struct gecko_column *to;
	struct str list; /* its text, or n 0 */
	size_t place;    /* in rows, or SIZE_MAX */
};

struct table {
	struct wanted *wanted;
	size_t n;
	struct str schema, rows, weight_type;
};

static int number_of(const struct gecko *g, const struct json_value *value, int digits,
		     int64_t *number, struct err *err)
{
	*number = NUMBER_NONE;
	if (value->type == JSON_NULL)
		return 0;
	enum decimal_status status =
		value->type != JSON_NUMBER ? DECIMAL_BAD
		: digits == NO_DIGITS      ? json_int(value, number)
					   : decimal_scaled(value->text, digits, number);
	if (status == DECIMAL_OK)
		return 0;
	return gecko_bad(g, value->text.p,
			 digits == NO_DIGITS ? "an entry of a table is not a whole number"
					     : "a time or a weight is not a number",
			 err);
}

static int add_number(struct gecko *g, struct str key, const struct json_value *value,
		      void *to, struct err *err)
{
	const struct wanted *w = to;
	int64_t number;

	(void)key;
	if (number_of(g, value, w->digits, &number, err) < 0)
		return -1;
	*ARRAY_PUSH(w->to->at, w->to->n, w->to->cap) = number;
	return 0;
}

/* The schema says where a column is in rows. */
static int add_place(struct gecko *g, struct str key, const struct json_value *value,
		     void *to, struct err *err)
{
	struct table *t = to;
	int64_t place;

	(void)g;
	(void)err;
	for (size_t i = 0; i < t->n; i++)
		if (str_is(key, t->wanted[i].name) && value->type == JSON_NUMBER &&
		    json_int(value, &place) == DECIMAL_OK && place >= 0 &&
		    place < SCHEMA_MAX)
			t->wanted[i].place = (size_t)place;
	return 0;
}

/* Rows may end before columns that are null. */
static int add_row(struct gecko *g, struct str key, const struct json_value *row,
		   void *to, struct err *err)
{
	struct table *t = to;
	struct json_value values[SCHEMA_MAX];
	struct json_items items = json_items_of(row->text);
	size_t n = 0;
	int64_t number;

	(void)key;
	if (row->type != JSON_ARRAY)
		return gecko_bad(g, row->text.p, "a row of a table is not a list", err);
	while (n < SCHEMA_MAX && json_next_element(&items, &values[n]) > 0)
		n++;
	for (size_t i = 0; i < t->n; i++) {
		struct wanted *w = &t->wanted[i];
		if (w->place == SIZE_MAX)
			continue;
		number = NUMBER_NONE;
		if (w->place < n &&
		    number_of(g, &values[w->place], w->digits, &number, err) < 0)
			return -1;
		*ARRAY_PUSH(w->to->at, w->to->n, w->to->cap) = number;
	}
	return 0;
}

static int find_lists(struct gecko *g, struct str key, const struct json_value *value,
		      void *to, struct err *err)
{
	struct table *t = to;

	(void)g;
	(void)err;
	if (str_is(key, "schema") && value->type == JSON_OBJECT)
		t->schema = value->text;
	else if (str_is(key, "data") && value->type == JSON_ARRAY)
		t->rows = value->text;
	else if (str_is(key, "weightType") && value->type == JSON_STRING)
		t->weight_type = value->text;
	for (size_t i = 0; i < t->n; i++)
		if (str_is(key, t->wanted[i].name) && value->type == JSON_ARRAY)
			t->wanted[i].list = value->text;
	return 0;
}

static int read_columns(struct gecko *g, struct table *t, struct err *err)
{
	if (t->schema.n && gecko_members(g, t->schema, add_place, t, err) < 0)
		return -1;
	if (t->schema.n && t->rows.n)
		return gecko_elements(g, t->rows, add_row, t, err);
	for (size_t i = 0; i < t->n; i++)
		if (t->wanted[i].list.n &&
		    gecko_elements(g, t->wanted[i].list, add_number, &t->wanted[i], err) <
			    0)
			return -1;
	return 0;
}

static const struct {
	const char *table, *column;
} places[NGECKO_COLUMNS] = {
	[GECKO_STACK_PREFIX] = { "stackTable", "prefix" },
	[GECKO_STACK_FRAME] = { "stackTable", "frame" },
	[GECKO_FRAME_FUNC] = { "frameTable", "func" },
	[GECKO_FRAME_LOCATION] = { "frameTable", "location" },
	[GECKO_FRAME_LINE] = { "frameTable", "line" },
	[GECKO_FUNC_NAME] = { "funcTable", "name" },
	[GECKO_FUNC_FILE] = { "funcTable", "fileName" },
	[GECKO_FUNC_SOURCE] = { "funcTable", "source" },
	[GECKO_FUNC_RESOURCE] = { "funcTable", "resource" },
	[GECKO_FUNC_LINE] = { "funcTable", "lineNumber" },
	[GECKO_RESOURCE_NAME] = { "resourceTable", "name" },
	[GECKO_SOURCE_FILE] = { "sources", "filename" },
};

static int add_string(struct gecko *g, struct str key, const struct json_value *value,
		      void *to, struct err *err)
{
	struct gecko_tables *tables = to;

	(void)key;
	if (value->type != JSON_STRING)
		return gecko_bad(g, value->text.p,
				 "an entry of the string table is not "
				 "a string",
				 err);
	*ARRAY_PUSH(tables->strings, tables->nstrings, tables->strings_cap) =
		(struct gecko_string){ .raw = value->text,
				       .text = GECKO_UNKNOWN,
				       .function = GECKO_UNKNOWN };
	return 0;
}

int gecko_take_table(struct gecko *g, struct gecko_tables *tables, struct str key,
		     const struct json_value *value, struct err *err)
{
	struct wanted wanted[NGECKO_COLUMNS];
	struct table t = { .wanted = wanted };
	unsigned of_table = 0;
	bool has_rows = false;

	if ((str_is(key, "stringArray") || str_is(key, "stringTable")) &&
	    value->type == JSON_ARRAY && !tables->has_strings) {
		tables->has_strings = true;
		return gecko_elements(g, value->text, add_string, tables, err);
	}
	for (size_t i = 0; i < NGECKO_COLUMNS; i++) {
		if (!str_is(key, places[i].table))
			continue;
		of_table |= 1U << i;
		wanted[t.n++] = (struct wanted){ .name = places[i].column,
						 .digits = NO_DIGITS,
						 .to = &tables->columns[i],
						 .place = SIZE_MAX };
	}
	if (t.n == 0 || value->type != JSON_OBJECT)
		return 0;
	if (tables->of_tables & of_table)
		return gecko_bad(g, value->text.p, "a table is there twice", err);
	tables->has_tables = true;
	if (gecko_members(g, value->text, find_lists, &t, err) < 0)
		return -1;
	int rc = read_columns(g, &t, err);
	for (size_t i = 0; i < t.n; i++)
		has_rows |= wanted[i].to->n > 0;
	tables->of_tables |= has_rows ? of_table : 0;
	return rc;
}

void gecko_release_tables(struct gecko_tables *tables)
{
	for (size_t i = 0; i < NGECKO_COLUMNS; i++)
		free(tables->columns[i].at);
	free(tables->strings);
	free(tables->stacks);
	free(tables->frames);
	free(tables->is_open);
}

/* Times of samples, where each is given by what it is after the one before. */
static void add_up(struct gecko_column *times, const struct gecko_column *deltas)
{
	int64_t at = 0;

	for (size_t i = 0; i < deltas->n; i++) {
		if (deltas->at[i] != NUMBER_NONE)
			at = sum_add(at, deltas->at[i]);
		*ARRAY_PUSH(times->at, times->n, times->cap) = at;
	}
}

int gecko_take_samples(struct gecko *g, struct str table, struct gecko_samples *samples,
		       struct err *err)
{
	struct gecko_column deltas = { .n = 0 };
	struct wanted wanted[] = {
		{ .name = "stack", .digits = NO_DIGITS, .to = &samples->stack },
		{ .name = "time", .digits = NS_DIGITS, .to = &samples->time_ns },
		{ .name = "timeDeltas", .digits = NS_DIGITS, .to = &deltas },
		{ .name = "weight", .digits = NO_DIGITS, .to = &samples->weight },
		{ .name = "threadCPUDelta",
		  .digits = g->cpu_digits,
		  .to = &samples->cpu },
	};
	struct table t = { .wanted = wanted, .n = sizeof(wanted) / sizeof(*wanted) };

	t.n -= g->cpu_digits < 0;
	for (size_t i = 0; i < t.n; i++)
		wanted[i].place = SIZE_MAX;
	if (gecko_members(g, table, find_lists, &t, err) < 0)
		return -1;
	samples->unit = SAMPLE_COUNT;
	if (str_is(t.weight_type, "bytes"))
		samples->unit = SAMPLE_BYTES;
	if (str_is(t.weight_type, "tracing-ms")) {
		samples->unit = SAMPLE_NS;
		wanted[3].digits = NS_DIGITS;
	}
	int rc = read_columns(g, &t, err);
	if (rc == 0 && samples->time_ns.n == 0)
		add_up(&samples->time_ns, &deltas);
	free(deltas.at);
	return rc;
}

void gecko_release_samples(struct gecko_samples *samples)
{
	free(samples->stack.at);
	free(samples->time_ns.at);
	free(samples->weight.at);
	free(samples->cpu.at);
}
