/* Commands that draw one table: see table_command.h. */
#include "cli/table_command.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "cli/message.h"
#include "query/devices/work_filter.h"
#include "query/filter_nothing.h"
#include "trace/category.h"

#define INTO(type, member) OPT_INTO(type, struct filter_opts, member)

/* clang-format off */
const struct opt filter_options[] = {
	{ .name = "focus", .arg = "RE", .help = "only names that match the regular expression",
	  INTO(STRING, focus), .short_name = 'F' },
	{ .name = "ignore", .arg = "RE", .help = "no names that match the regular expression",
	  INTO(STRING, ignore), .short_name = 'N' },
	{ .name = "cat", .arg = "CATEGORY", .help = "only slices of these categories (cpu_op,kernel)",
	  .value_at = category_word_at, INTO(STRINGS, cat), .is_list = true },
	{ .name = "thread", .arg = "THREAD", .help = "only slices on these threads, by number or name",
	  INTO(STRINGS, thread) },
	{ .name = "stream", .arg = "N", .help = "only device work on these streams",
	  INTO(STRINGS, stream) },
	{ .name = "device", .arg = "N", .help = "only device work on these devices",
	  INTO(STRINGS, device) },
	OPT_END
};

const char *const filter_phases[] = { "prefill", "decode", "mixed", "other", NULL };

const struct opt filter_time_options[] = {
	{ .name = "step", .arg = "A..B", .help = "only work of these steps, both ends included",
	  INTO(STRING, step) },
	FILTER_PHASE(struct filter_opts, phase),
	{ .name = "time", .arg = "A..B", .help = "only this interval of the recording (1ms..2.5ms): slices that start in it, busy and idle time within it",
	  INTO(STRING, time) },
	{ .name = "min-dur", .arg = "TIME", .help = "only slices that last at least this long (10us)",
	  INTO(STRING, min_dur) },
	OPT_END
};
/* clang-format on */

int filter_options_compile(const struct filter_opts *o, struct filter *out,
			   struct err *err)
{
	const struct filter_texts texts = {
		.focus = o->focus,
		.ignore = o->ignore,
		.steps = o->step,
		.phase = o->phase,
		.times = o->time,
		.min_dur = o->min_dur,
		.categories = o->cat.items,
		.threads = o->thread.items,
		.streams = o->stream.items,
		.devices = o->device.items,
		.ncategories = o->cat.n,
		.nthreads = o->thread.n,
		.nstreams = o->stream.n,
		.ndevices = o->device.n,
	};

	return filter_compile(&texts, out, err);
}

static const struct view *view_of(const struct table_command *t, const void *options)
{
	return t->view_of ? t->view_of(options) : t->view;
}

static const struct view_opts *sorting_of(const struct table_command *t,
					  const void *options)
{
	return (const void *)((const char *)options + t->sorting);
}

static int make_request(const struct table_command *t, const void *options,
			const struct filter *filter, void *request, struct err *err)
{
	const struct table_opts *on = options;

	if (t->make && t->make(options, filter, request, err) < 0)
		return -1;
	if (t->is_of_devices && work_filter_check(filter, err) < 0)
		return -1;
	if (!view_of(t, options))
		return 0;
	struct view_request *show = (void *)((char *)request + t->show);
	show->for_people = reading_is_for_people(&on->output);
	return view_options_read(sorting_of(t, options), view_of(t, options), show, err);
}

/* taker: NULL where the table goes to the output. */
static int read_table(const struct command *self, const void *options, void *request,
		      const struct reading_taker *taker, struct err *err)
{
	const struct table_command *t = self->table;
	const struct table_opts *on = options;
	struct filter filter;
	int rc = 0, code = EXIT_OK;

	if (filter_options_compile(&on->filter, &filter, err) < 0)
		return -1;
	if (make_request(t, options, &filter, request, err) < 0) {
		filter_release(&filter);
		return -1;
	}
	struct fetch_need need = { .tables = NULL };
	if (t->need)
		t->need(request, &need);
	const struct reading_plan plan = { .command = self->name,
					   .operand = on->operand,
					   .scope = &on->scope,
					   .output = &on->output,
					   .all_runs = t->all_runs,
					   .open = t->open,
					   .options = options,
					   .request = request,
					   .need = t->need ? &need : NULL,
					   .filter = &filter,
					   .nothing = t->nothing_of
							      ? t->nothing_of(request)
							      : t->nothing,
					   .lacks = t->lacks };
	if (taker)
		rc = reading_take(&plan, taker, err);
	else
		code = reading_run(&plan);
	filter_release(&filter);
	return rc < 0 ? rc : code;
}

int table_command_answer(const struct command *self, const void *options)
{
	const struct table_command *t = self->table;
	void *request = xcalloc(1, t->request_size + 1);
	struct err err = ERR_INIT;
	int code = read_table(self, options, request, NULL, &err);

	if (code < 0)
		code = message_error(self->name, NULL, &err);
	if (t->release)
		t->release(request);
	free(request);
	return code;
}

#define WORDS_MAX 16

/* The words of a line, in the arena; NULL-terminated. */
static int split(const char *line, struct arena *arena, char *words[WORDS_MAX])
{
	char *rest = arena_strdup(arena, line);
	int n = 0;

	for (char *word; n < WORDS_MAX - 1 && (word = strtok_r(rest, " ", &rest));)
		words[n++] = word;
	words[n] = NULL;
	return n;
}

static int use_table(const struct table_command *t, const struct reading *r,
		     void *request, const struct table_use *use, struct err *err)
{
	const char *nothing = t->nothing_of ? t->nothing_of(request) : t->nothing;
	struct table *table = NULL;

	if (t->open(r, request, &table, err) < 0)
		return err->kind == ERR_EMPTY ? 0 : -1;
	int rc = use->use(use->to, table, err);
	table_free(table);
	if (rc == 0 && t->lacks)
		filter_lacks(r->scope, t->lacks, err);
	else if (rc == 0 && nothing)
		err_set(err, ERR_EMPTY, "%s", nothing);
	return rc;
}

int table_command_use_words(const struct command *command, int nwords, char **words,
			    const struct reading *r, const struct table_use *use,
			    struct err *err)
{
	struct arena arena = { 0 };
	const struct table_command *t = command->table;
	struct table_opts *options = arena_alloc(&arena, command->options_size);
	void *request = xcalloc(1, t->request_size + 1);
	struct filter filter = { .focus = NULL };
	int rc = -1;

	memcpy(options, command->defaults, command->options_size);
	if (opt_parse(command->groups, nwords, words, options, err) == OPT_PARSED &&
	    filter_options_compile(&options->filter, &filter, err) == 0 &&
	    make_request(t, options, &filter, request, err) == 0 &&
	    filter_find_steps(&filter, r->store, r->scope, err) == 0) {
		struct reading reading = *r;
		reading.for_people = reading_is_for_people(&options->output);
		reading.options = options;
		rc = use_table(t, &reading, request, use, err);
	}
	if (t->release)
		t->release(request);
	filter_release(&filter);
	free(request);
	arena_release(&arena);
	return rc;
}

int table_command_use(const char *line, const struct reading *r,
		      const struct table_use *use, struct err *err)
{
	struct arena arena = { 0 };
	char *words[WORDS_MAX];
	int n = split(line, &arena, words);
	int rc = table_command_use_words(command_find(words[0]), n - 1, words + 1, r, use,
					 err);

	arena_release(&arena);
	return rc;
}

int table_command_run(const struct command *self, int argc, char **argv)
{
	const struct table_command *t = self->table;
	struct table_opts *options = xcalloc(1, self->options_size);
	int code;

	if (command_parse(self, argc, argv, options, &code)) {
		const struct view *view = view_of(t, options);
		if (view && view_options_want_help(sorting_of(t, options)))
			code = view_options_help(self, view, &options->output);
		else
			code = table_command_answer(self, options);
	}
	free(options);
	return code;
}

int table_command_take(const struct command *self, int argc, char **argv,
		       const struct reading_taker *taker, struct err *err)
{
	const struct table_command *t = self->table;
	void *options = xcalloc(1, self->options_size);
	void *request = xcalloc(1, t->request_size + 1);
	int rc = -1;

	memcpy(options, self->defaults, self->options_size);
	enum opt_result parsed = opt_parse(self->groups, argc, argv, options, err);
	if (parsed == OPT_PARSED)
		rc = read_table(self, options, request, taker, err);
	else if (parsed == OPT_HELP)
		err_set(err, ERR_USAGE, "--help makes no table");
	if (t->release)
		t->release(request);
	free(request);
	free(options);
	return rc;
}
