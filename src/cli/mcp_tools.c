/* The tools, and their command lines: see mcp_call.h. */
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "cli/command.h"
#include "cli/mcp_call.h"
#include "cli/suggest.h"
#include "ingest/json.h"
#include "report/renderer.h"

#define TEXT_MAX        ((size_t)64 * 1024) /* of a value */
#define MCP_OPTIONS_MAX 100                 /* of a command, in a message */

/* What `query` may ask: none of them writes, and none reads a file that a profile names. */
static const char *const asked[] = {
	"overview",  "top",     "steps",    "devices", "streams", "kernels",  "gaps",
	"transfers", "comm",    "ranks",    "modules", "tree",    "memory",   "callers",
	"callees",   "pstats",  "info",     "doctor",  "list",    "timeline", "advise",
	"trend",     "compile", "roofline", "graphs",  NULL
};

static int add_word(struct mcp_call *call, const char *word, struct err *err)
{
	if (call->nwords == MCP_WORDS_MAX)
		return err_set(err, ERR_USAGE, "more than %d words", MCP_WORDS_MAX);
	call->words[call->nwords++] = arena_strdup(call->arena, word);
	call->words[call->nwords] = NULL;
	return 0;
}

/* A string without its escapes, in the arena; NULL with err set where it has a NUL. */
static char *text_of(struct mcp_call *call, const struct json_value *value,
		     struct err *err)
{
	char *copy = NULL;
	struct buf text;

	buf_init(&text, TEXT_MAX);
	struct str plain = value->type == JSON_STRING ? json_unescape(value->text, &text)
						      : value->text;
	if (plain.n >= TEXT_MAX || memchr(plain.p, '\0', plain.n))
		err_set(err, ERR_USAGE, "a string of more than %zu bytes, or with a NUL",
			TEXT_MAX);
	else
		copy = arena_printf(call->arena, STR_FMT, STR_ARG(plain));
	buf_release(&text);
	return copy;
}

/* The argument of that name; the last, if there are several.  False: there is none. */
static bool find_argument(const struct mcp_call *call, const char *name,
			  struct json_value *out)
{
	struct json_items items = json_items_of(call->arguments);
	struct json_value key, value;
	bool is_there = false;

	while (call->arguments.n && json_next_member(&items, &key, &value) > 0)
		if (str_is(key.text, name)) {
			*out = value;
			is_there = value.type != JSON_NULL;
		}
	return is_there;
}

/* NULL with err set when it is missing or no text. */
static char *text_argument(struct mcp_call *call, const char *name, struct err *err)
{
	struct json_value value;

	if (!find_argument(call, name, &value) || value.type != JSON_STRING) {
		err_set(err, ERR_USAGE, "'%s' is missing or is not a string", name);
		return NULL;
	}
	return text_of(call, &value, err);
}

static int add_place(struct mcp_call *call, const struct json_value *value,
		     struct err *err)
{
	char *text = value->type == JSON_STRING ? text_of(call, value, err) : NULL;

	if (!text)
		return err->kind ? -1
				 : err_set(err, ERR_USAGE,
					   "a file name must be a "
					   "string");
	char *place = mcp_place(call, str_of(text), err);
	return place ? add_word(call, place, err) : -1;
}

/* A place, or a list of places. */
static int add_places(struct mcp_call *call, const char *name, struct err *err)
{
	struct json_value value, item;
	bool is_there = find_argument(call, name, &value);
	int more = 0, n = 0;

	if (is_there && value.type != JSON_ARRAY)
		return add_place(call, &value, err);
	struct json_items items = json_items_of(is_there ? value.text : str_of(""));
	while (is_there && (more = json_next_element(&items, &item)) > 0) {
		n++;
		if (add_place(call, &item, err) < 0)
			return -1;
	}
	/* without one the command would read the default store, wherever it lies */
	return n || more < 0
		       ? more
		       : err_set(err, ERR_USAGE,
				 "'%s' is missing: name a recording or store", name);
}

/* May a client set it?  Not what names files, which may lie outside. */
static bool is_settable(const struct opt *opt)
{
	static const char *const files[] = { "FILE",  "STORE",  "DIR", "GLOB",
					     "TRACE", "FOLDER", "URL" };

	for (size_t i = 0; opt->arg && i < sizeof(files) / sizeof(*files); i++)
		if (strstr(opt->arg, files[i]))
			return false;
	return !opt_is_operand(opt);
}

/* NULL: there is none that a client may set. */
static const struct opt *find_option(const struct command *command, struct str name)
{
	const struct opt *opt = opt_find(command->groups, name).opt;

	return opt && is_settable(opt) ? opt : NULL;
}

static int unknown_option(struct mcp_call *call, const struct command *command,
			  struct str name, struct err *err)
{
	const char *names[MCP_OPTIONS_MAX + 1];
	struct str shown = { name.p, name.n < 60 ? name.n : 60 };
	size_t n = 0;

	for (struct opt_iter it = opt_first(command->groups); it.opt; opt_next(&it))
		if (is_settable(it.opt) && n < MCP_OPTIONS_MAX)
			names[n++] = it.opt->name;
	names[n] = NULL;
	return suggest_unknown(err, "option", arena_copy(call->arena, shown).p, names);
}

static int add_option(struct mcp_call *call, const struct opt *opt,
		      const struct json_value *value, struct err *err)
{
	if (value->type == JSON_FALSE || value->type == JSON_NULL)
		return 0;
	if (value->type == JSON_TRUE)
		return add_word(call, arena_printf(call->arena, "--%s", opt->name), err);
	if (value->type != JSON_STRING && value->type != JSON_NUMBER)
		return err_set(err, ERR_USAGE,
			       "option '%s' must be a string, a number "
			       "or true",
			       opt->name);
	const char *text = text_of(call, value, err);
	return text ? add_word(call,
			       arena_printf(call->arena, "--%s=%s", opt->name, text), err)
		    : -1;
}

static int add_values(struct mcp_call *call, const struct opt *opt,
		      const struct json_value *value, struct err *err)
{
	struct json_items items = json_items_of(value->text);
	struct json_value item;
	int more;

	if (value->type != JSON_ARRAY)
		return add_option(call, opt, value, err);
	while ((more = json_next_element(&items, &item)) > 0)
		if (add_option(call, opt, &item, err) < 0)
			return -1;
	return more;
}

/* "options", an object of the command's options. */
static int add_options(struct mcp_call *call, const struct command *command,
		       struct err *err)
{
	bool is_cut = find_option(command, STR_LIT("budget"));
	struct json_value options, key, value;
	int more = 0;

	if (!find_argument(call, "options", &options))
		return 0;
	if (options.type != JSON_OBJECT)
		return err_set(err, ERR_USAGE,
			       "'options' must be an object: {\"limit\": "
			       "5}");
	struct json_items items = json_items_of(options.text);
	while ((more = json_next_member(&items, &key, &value)) > 0) {
		const struct opt *opt = find_option(command, key.text);
		if (is_cut && (str_is(key.text, "format") || str_is(key.text, "budget")))
			return err_set(err, ERR_USAGE,
				       "'%s' is an argument of the tool, not one of its "
				       "options",
				       opt->name);
		if (!opt)
			return unknown_option(call, command, key.text, err);
		if (add_values(call, opt, &value, err) < 0)
			return -1;
	}
	return more;
}

static int read_budget(struct mcp_call *call, struct err *err)
{
	struct json_value value;

	if (find_argument(call, "budget", &value) &&
	    (json_int(&value, &call->budget) != DECIMAL_OK || call->budget < 1))
		return err_set(err, ERR_USAGE, "'budget' must be a number of tokens");
	return 0;
}

/* What all commands get that make tables: how it looks, and how long it may be. */
static int add_output(struct mcp_call *call, const struct command *command,
		      struct err *err)
{
	struct json_value value;
	const char *format = "table";

	call->is_cut = find_option(command, STR_LIT("budget")) != NULL;
	if (!call->is_cut)
		return 0;
	if (find_argument(call, "format", &value))
		format = text_of(call, &value, err);
	const struct renderer *renderer = format ? renderer_find(format) : NULL;
	if (format && (!renderer || renderer->is_binary))
		return err_set(err, ERR_USAGE,
			       "'format' must be table, json, csv or markdown, not %s",
			       format);
	if (!format || add_word(call, "--quiet", err) < 0 ||
	    add_word(call, arena_printf(call->arena, "--format=%s", format), err) < 0)
		return -1;
	return add_word(
		call, arena_printf(call->arena, "--budget=%" PRId64, call->budget), err);
}

static int begin(struct mcp_call *call, const char *name, const struct command **command,
		 struct err *err)
{
	*command = command_find(name);
	if (!*command)
		return err_set(err, ERR_USAGE, "there is no command '%s'", name);
	if (read_budget(call, err) < 0 || add_word(call, name, err) < 0 ||
	    add_options(call, *command, err) < 0)
		return -1;
	return add_output(call, *command, err);
}

static int make_of_file(struct mcp_call *call, const char *name, struct err *err)
{
	const struct command *command;

	return begin(call, name, &command, err) < 0 ? -1 : add_places(call, "file", err);
}

static int make_overview(struct mcp_call *call, struct err *err)
{
	return make_of_file(call, "overview", err);
}

static int make_advise(struct mcp_call *call, struct err *err)
{
	return make_of_file(call, "advise", err);
}

static bool takes_pattern(const struct command *command)
{
	for (struct opt_iter it = opt_first(command->groups); it.opt; opt_next(&it))
		if (opt_is_operand(it.opt) && strcmp(it.opt->arg, "RE") == 0)
			return true;
	return false;
}

/* Other commands would take it for one more file, wherever that is. */
static int add_pattern(struct mcp_call *call, const struct command *command,
		       struct err *err)
{
	struct json_value pattern;

	if (!takes_pattern(command))
		return find_argument(call, "pattern", &pattern)
			       ? err_set(err, ERR_USAGE, "'%s' takes no 'pattern'",
					 command->name)
			       : 0;
	const char *text = text_argument(call, "pattern", err);
	return text && add_word(call, "--", err) == 0 ? add_word(call, text, err) : -1;
}

static int make_query(struct mcp_call *call, struct err *err)
{
	const char *name = text_argument(call, "command", err);
	const struct command *command;

	if (!name)
		return -1;
	if (opt_choice_place(asked, name) == sizeof(asked) / sizeof(*asked) - 1)
		return suggest_unknown(err, "command", name, asked);
	if (begin(call, name, &command, err) < 0)
		return -1;
	if (add_pattern(call, command, err) < 0)
		return -1;
	return add_places(call, "file", err);
}

static int make_diff(struct mcp_call *call, struct err *err)
{
	const struct command *command;

	if (begin(call, "diff", &command, err) < 0 ||
	    add_places(call, "before", err) < 0 || add_word(call, "--", err) < 0)
		return -1;
	return add_places(call, "after", err);
}

static int make_sql(struct mcp_call *call, struct err *err)
{
	const struct command *command;

	if (begin(call, "sql", &command, err) < 0 || add_word(call, "--", err) < 0 ||
	    add_places(call, "file", err) < 0)
		return -1;
	char *query = text_argument(call, "query", err);
	return query ? add_word(call, query, err) : -1;
}

static int make_help(struct mcp_call *call, struct err *err)
{
	char *name = text_argument(call, "command", err);

	if (!name || read_budget(call, err) < 0 || add_word(call, "help", err) < 0 ||
	    add_word(call, "--", err) < 0)
		return -1;
	return add_word(call, name, err);
}

#define TEXT   "\"type\":\"string\""
#define NUMBER "\"type\":\"integer\""
#define PLACE                                                                       \
	"\"anyOf\":[{\"type\":\"string\"},{\"type\":\"array\",\"items\":{\"type\":" \
	"\"string\"}}]"
#define OPTIONS "\"type\":\"object\",\"additionalProperties\":true"

/* clang-format off */
#define FILE_ROW { "file", PLACE, "recording (trace, cProfile dump, sampled stacks, ...), ptool store, or folder of ranks", NULL, false }
#define OPTIONS_ROW { "options", OPTIONS, "the command's options by their long names: {\"limit\": 5, \"sort\": \"total\", \"step\": \"3..5\", \"list\": true}", NULL, true }
#define BUDGET_ROW { "budget", NUMBER, "tokens of the answer; rows that do not fit are left out", NULL, true }
#define FORMAT_ROW { "format", TEXT ",\"enum\":[\"table\",\"json\",\"csv\",\"markdown\"]", "table (default) is the shortest; numbers of the others are exact ns and bytes", NULL, true }
#define END_ROW { .name = NULL }

static const struct mcp_parameter of_file[] = { FILE_ROW, BUDGET_ROW, FORMAT_ROW, END_ROW };

static const struct mcp_parameter of_query[] = {
	{ "command", TEXT, "which table", asked, false },
	FILE_ROW,
	{ "pattern", TEXT, "of callers and callees: a regular expression of function names", NULL, true },
	OPTIONS_ROW, BUDGET_ROW, FORMAT_ROW, END_ROW
};

static const struct mcp_parameter of_diff[] = {
	{ "before", PLACE, "recordings or stores from before the change", NULL, false },
	{ "after", PLACE, "recordings or stores from after the change", NULL, false },
	OPTIONS_ROW, BUDGET_ROW, FORMAT_ROW, END_ROW
};

static const struct mcp_parameter of_sql[] = {
	FILE_ROW,
	{ "query", TEXT, "one SELECT; tables and views: slice, v_op, v_kernel, v_step, ... (SELECT name FROM sqlite_schema)", NULL, false },
	BUDGET_ROW, FORMAT_ROW, END_ROW
};

static const struct mcp_parameter of_help[] = {
	{ "command", TEXT, "the command to explain", NULL, false }, BUDGET_ROW, END_ROW
};

const struct mcp_tool mcp_tools[] = {
	{ "overview", "The first screen of a recording: what ran on what, steps, busy and idle time, top operators and kernels, memory, first findings.  Ask this first.", of_file, make_overview },
	{ "advise", "What slows the recording down, with the cause, what it would save and what to change.", of_file, make_advise },
	{ "query", "One table about a recording: operators (top), steps, kernels, idle time by cause (gaps), memory, collectives (comm), prefill and decode of a server (steps, {\"by\": \"phase\"}), roofline, torch.compile (compile), CUDA graphs (graphs), ...", of_query, make_query },
	{ "diff", "Is it slower than before, by how much, is that noise, and where does it come from?", of_diff, make_diff },
	{ "sql", "One SELECT over the store of a recording, read-only.", of_sql, make_sql },
	{ "help", "The options of a command and what its columns mean.", of_help, make_help },
	{ .name = NULL },
};
/* clang-format on */
