/* Stacks and frames of Firefox's profiler: from rows of its tables to the sink's numbers. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "ingest/gecko.h"

/* A column of the thread's own table, if that has rows, or of the one that all share. */
static const struct gecko_column *column(const struct gecko *g,
					 const struct gecko_tables *own,
					 enum gecko_column_id id)
{
	return own->of_tables & 1U << id ? &own->columns[id] : &g->shared->columns[id];
}

/* NUMBER_NONE also where the row, which may be that, is not there. */
static int64_t cell(const struct gecko *g, const struct gecko_tables *own,
		    enum gecko_column_id id, int64_t row)
{
	const struct gecko_column *c = column(g, own, id);

	return row >= 0 && (uint64_t)row < c->n ? c->at[row] : NUMBER_NONE;
}

/* NULL, with err set: there is none of that number. */
static struct gecko_string *string_of(struct gecko *g, struct gecko_tables *own,
				      int64_t number, struct err *err)
{
	struct gecko_tables *t = own->has_strings ? own : g->shared;

	if (number >= 0 && (uint64_t)number < t->nstrings)
		return &t->strings[number];
	err_at(err, g->thread_at, "string %lld of %zu", (long long)number, t->nstrings);
	return NULL;
}

/* What a string is called by the sink: a text is looked at once, however often it is named. */
static int text_of(struct gecko *g, struct gecko_string *s, struct err *err)
{
	if (s->text != GECKO_UNKNOWN)
		return 0;
	buf_clear(&g->name);
	struct str text = json_unescape(s->raw, &g->name);
	s->is_root = str_is(text, "(root)");
	return stacks_text(&g->stacks, text.n ? text : STR_LIT("(anonymous)"),
			   g->thread_at, &s->text, err);
}

/* Digits at the end behind a ':', which go off the text; NUMBER_NONE: there are none. */
static int64_t take_number(struct str *text)
{
	size_t n = text->n;
	int64_t number = 0;

	while (n > 0 && text->p[n - 1] >= '0' && text->p[n - 1] <= '9')
		n--;
	if (n == text->n || text->n - n > 18 || n == 0 || text->p[n - 1] != ':')
		return NUMBER_NONE;
	for (size_t i = n; i < text->n; i++)
		number = number * 10 + (text->p[i] - '0');
	text->n = n - 1;
	return number;
}

/*
 * "run (a.js:3:12)" and "run (a.js:3)", where the definition is, and "run (in libxul.so)" of
 * perf; else it is a name.
 */
static void take_location(struct str text, struct stacks_frame *frame)
{
	size_t open = stacks_bracket(text);

	frame->name = text;
	if (open == 0)
		return;
	struct str name = { text.p, open - 1 };
	struct str place = { text.p + open + 1, text.n - open - 2 };
	if (str_starts_with(place, STR_LIT("in "))) {
		place = str_behind(place, 3);
	} else {
		int64_t last = take_number(&place), line = take_number(&place);
		if (last == NUMBER_NONE)
			return;
		frame->first_line = line == NUMBER_NONE ? last : line;
	}
	frame->name = name;
	frame->file = place;
}

/* A function's file is in one of three places, the older the version the more direct. */
static int64_t file_of(const struct gecko *g, const struct gecko_tables *own,
		       int64_t func)
{
	int64_t file = cell(g, own, GECKO_FUNC_FILE, func);

	if (file == NUMBER_NONE)
		file = cell(g, own, GECKO_SOURCE_FILE,
			    cell(g, own, GECKO_FUNC_SOURCE, func));
	if (file == NUMBER_NONE)
		file = cell(g, own, GECKO_RESOURCE_NAME,
			    cell(g, own, GECKO_FUNC_RESOURCE, func));
	return file;
}

/* The function of a string that says where it is; SAMPLE_NONE: the root, which is no call. */
static int find_location(struct gecko *g, struct gecko_string *s, struct err *err)
{
	struct stacks_frame frame = { .first_line = NUMBER_NONE, .line = NUMBER_NONE };
	struct frame_fact fact;

	if (s->function != GECKO_UNKNOWN)
		return 0;
	buf_clear(&g->name);
	take_location(json_unescape(s->raw, &g->name), &frame);
	if (frame.name.n == 0)
		frame.name = STR_LIT("(anonymous)");
	s->function = SAMPLE_NONE;
	if (str_is(frame.name, "(root)") && frame.file.n == 0)
		return 0;
	if (stacks_frame(&g->stacks, &frame, g->thread_at, &fact, err) < 0)
		return -1;
	s->function = fact.function;
	return 0;
}

/* Likewise the function of a row of the table of functions. */
static int find_function(struct gecko *g, struct gecko_tables *own, int64_t func,
			 struct gecko_string *name, uint32_t *number, struct err *err)
{
	struct function_fact function = { .file = g->stacks.no_file };
	int64_t place = file_of(g, own, func);
	struct gecko_string *file = NULL;

	if (text_of(g, name, err) < 0 ||
	    (place != NUMBER_NONE && !(file = string_of(g, own, place, err))))
		return -1;
	function.name = name->text;
	*number = SAMPLE_NONE;
	if (file && file->raw.n) {
		if (text_of(g, file, err) < 0)
			return -1;
		function.file = file->text;
		function.line = cell(g, own, GECKO_FUNC_LINE, func);
	} else if (name->is_root) {
		return 0;
	}
	*number = g->stacks.sink->function(g->stacks.sink, &function);
	return 0;
}

/* SAMPLE_NONE: the root, which is no call. */
static int find_frame(struct gecko *g, struct gecko_tables *own, uint32_t *numbers,
		      int64_t row, struct err *err)
{
	int64_t location = cell(g, own, GECKO_FRAME_LOCATION, row);
	int64_t func = cell(g, own, GECKO_FRAME_FUNC, row);
	int64_t name =
		location != NUMBER_NONE ? location : cell(g, own, GECKO_FUNC_NAME, func);
	int64_t line = cell(g, own, GECKO_FRAME_LINE, row);
	struct frame_fact fact = { .line = stacks_line(line) };
	struct gecko_string *string;

	if (numbers[row] != GECKO_UNKNOWN)
		return 0;
	if (name == NUMBER_NONE)
		return err_at(err, g->thread_at, "frame %lld has no function",
			      (long long)row);
	if (!(string = string_of(g, own, name, err)))
		return -1;
	if (location == NUMBER_NONE) {
		if (find_function(g, own, func, string, &fact.function, err) < 0)
			return -1;
	} else {
		if (find_location(g, string, err) < 0)
			return -1;
		fact.function = string->function;
	}
	numbers[row] = SAMPLE_NONE;
	if (fact.function != SAMPLE_NONE)
		numbers[row] = g->stacks.sink->frame(g->stacks.sink, SAMPLE_NONE, &fact);
	return 0;
}

static uint32_t *unknown(size_t n)
{
	uint32_t *numbers = xcalloc(n + 1, sizeof(*numbers));

	for (size_t i = 0; i < n; i++)
		numbers[i] = GECKO_UNKNOWN;
	return numbers;
}

/* Where the sink's numbers are kept: they are of the tables that say what rows are. */
static struct gecko_tables *numbers_of(struct gecko *g, struct gecko_tables *own)
{
	struct gecko_tables *t = own->has_tables || own->has_strings ? own : g->shared;
	size_t frames = column(g, own, GECKO_FRAME_FUNC)->n;
	size_t locations = column(g, own, GECKO_FRAME_LOCATION)->n;
	size_t stacks = column(g, own, GECKO_STACK_FRAME)->n;

	if (!t->stacks) {
		t->stacks = unknown(stacks);
		t->frames = unknown(frames > locations ? frames : locations);
		t->is_open = xcalloc(stacks + 1, sizeof(*t->is_open));
	}
	return t;
}

/* Its frame on its caller's stack. */
static int add_frame(struct gecko *g, struct gecko_tables *own, int64_t row,
		     uint32_t *stack, struct err *err)
{
	struct gecko_tables *t = numbers_of(g, own);
	int64_t frame = cell(g, own, GECKO_STACK_FRAME, row);
	size_t most = column(g, own, GECKO_FRAME_FUNC)->n;
	size_t locations = column(g, own, GECKO_FRAME_LOCATION)->n;

	most = locations > most ? locations : most;
	if (frame < 0 || (uint64_t)frame >= most)
		return err_at(err, g->thread_at, "stack %lld names frame %lld of %zu",
			      (long long)row, (long long)frame, most);
	if (find_frame(g, own, t->frames, frame, err) < 0)
		return -1;
	if (t->frames[frame] != SAMPLE_NONE)
		*stack = g->stacks.sink->stack(g->stacks.sink, *stack, t->frames[frame]);
	return 0;
}

/*
 * Rows that all threads share have other texts for each thread with strings of its own: they
 * are looked at again, which a file cannot ask for without end.
 */
static int count_again(struct gecko *g, const struct gecko_tables *own, struct err *err)
{
	static const enum gecko_column_id ids[] = { GECKO_STACK_FRAME, GECKO_FRAME_FUNC,
						    GECKO_FRAME_LOCATION };
	uint64_t n = 0;

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		if (!(own->of_tables & 1U << ids[i]))
			n += g->shared->columns[ids[i]].n;
	return stacks_refer(&g->stacks, n, g->text.n, g->thread_at, err);
}

int gecko_check(struct gecko *g, const struct gecko_tables *own, struct err *err)
{
	size_t prefixes = column(g, own, GECKO_STACK_PREFIX)->n;
	size_t frames = column(g, own, GECKO_STACK_FRAME)->n;

	if (prefixes == frames)
		return own->has_tables || own->has_strings ? count_again(g, own, err) : 0;
	return err_at(err, g->thread_at,
		      "the stack table has %zu prefixes and %zu frames", prefixes,
		      frames);
}

int gecko_stack(struct gecko *g, struct gecko_tables *own, int64_t row, uint32_t *stack,
		struct err *err)
{
	struct gecko_tables *t = numbers_of(g, own);
	size_t most = column(g, own, GECKO_STACK_FRAME)->n, n = 0, cap = 0;
	int64_t *path = NULL;
	int rc = 0;

	*stack = SAMPLE_NONE;
	/* up to a stack that is known, and down again: any depth, and no circles */
	while (row != NUMBER_NONE && rc == 0) {
		if (row < 0 || (uint64_t)row >= most)
			rc = err_at(err, g->thread_at, "stack %lld of %zu",
				    (long long)row, most);
		else if (t->is_open[row])
			rc = err_at(err, g->thread_at, "stack %lld is below itself",
				    (long long)row);
		if (rc < 0)
			break;
		*stack = t->stacks[row];
		if (*stack != GECKO_UNKNOWN)
			break;
		t->is_open[row] = 1;
		*ARRAY_PUSH(path, n, cap) = row;
		row = cell(g, own, GECKO_STACK_PREFIX, row);
		*stack = SAMPLE_NONE;
	}
	while (n > 0 && rc == 0) {
		rc = add_frame(g, own, path[--n], stack, err);
		t->stacks[path[n]] = *stack;
		t->is_open[path[n]] = 0;
	}
	free(path);
	return rc;
}
