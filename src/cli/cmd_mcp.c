/*
 * ptool mcp: answers programs that ask by the Model Context Protocol, messages of JSON-RPC
 * 2.0, a line each, on standard input and output.  Source: the specification of
 * modelcontextprotocol.io, versions 2024-11-05 and 2025-06-18.  The handshake, ping and
 * tools are implemented, and nothing else of it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "cli/budget.h"
#include "cli/command.h"
#include "cli/mcp_ask.h"
#include "cli/mcp_call.h"
#include "ingest/json.h"
#include "query/filter.h"
#include "report/json_text.h"

#define LINE_MAX_BYTES ((size_t)1024 * 1024)

/* JSON-RPC's. */
enum rpc_error {
	RPC_NO_JSON = -32700,
	RPC_NO_REQUEST = -32600,
	RPC_NO_METHOD = -32601,
	RPC_NO_PARAMETERS = -32602
};

struct mcp_opts {
	struct opt_args places;
	const char *timeout;
	int64_t budget;
};

#define INTO(type, member) OPT_INTO(type, struct mcp_opts, member)

/* clang-format off */
static const struct opt mcp_options[] = {
	{ .name = "folder", .arg = "FOLDER", .help = "folder whose files may be read; no others are (default: the current folder)",
	  INTO(ARGS, places) },
	{ .name = "budget", .arg = "TOKENS", .help = "most tokens in an answer (3.5 bytes each), unless the client sets another number",
	  INTO(UINT, budget) },
	{ .name = "timeout", .arg = "TIME", .help = "stop working on an answer after this time",
	  INTO(STRING, timeout) },
	OPT_END
};

static const struct opt_group mcp_groups[] = { { .opts = mcp_options }, OPT_GROUP_END };
/* clang-format on */

static const struct mcp_opts defaults = { .budget = 2000, .timeout = "60s" };

struct server {
	struct opt_args places; /* resolved; owned */
	int64_t budget, timeout_ns;
	struct writer w;
};

/* A message; its texts are borrowed from the line. */
struct message {
	struct json_value id;
	struct str method;
	struct str params; /* the text of an object, or n 0 */
	bool has_id;       /* else it is a notification */
	bool is_request;   /* it has a method */
};

static void put(struct server *s, const char *text)
{
	writer_str(&s->w, str_of(text));
}

static void put_text(struct server *s, struct str text)
{
	json_text_str(&s->w, text);
}

static void put_number(struct server *s, int64_t number)
{
	const struct cell cell = cell_int(number);

	json_text_cell(&s->w, UNIT_COUNT, &cell);
}

/* A reply's head; its id is as it came. */
static void begin_reply(struct server *s, const struct message *m, const char *member)
{
	bool has_id = m && m->has_id;
	bool is_text = has_id && m->id.type == JSON_STRING;

	put(s, "{\"jsonrpc\":\"2.0\",\"id\":");
	put(s, is_text ? "\"" : "");
	if (has_id)
		writer_str(&s->w, m->id.text);
	else
		put(s, "null");
	put(s, is_text ? "\",\"" : ",\"");
	put(s, member);
	put(s, "\":");
}

static void end_reply(struct server *s)
{
	put(s, "}\n");
	writer_flush(&s->w);
	fflush(s->w.out);
}

static void refuse(struct server *s, const struct message *m, enum rpc_error code,
		   const char *why)
{
	begin_reply(s, m, "error");
	put(s, "{\"code\":");
	put_number(s, code);
	put(s, ",\"message\":");
	put_text(s, str_of(why));
	put(s, "}");
	end_reply(s);
}

/* The member of an object's text, the last of that name; false: there is none. */
static bool find_member(struct str object, const char *name, struct json_value *out)
{
	struct json_items items = json_items_of(object);
	struct json_value key, value;
	bool is_there = false;

	while (object.n && json_next_member(&items, &key, &value) > 0)
		if (str_is(key.text, name)) {
			*out = value;
			is_there = true;
		}
	return is_there;
}

/*
 * The version that the client speaks, or the one before it, as who speaks 2025-03-26, whose
 * batches are not read here, knows that too; else our newest.
 */
static const char *version_for(struct str params)
{
	static const char *const versions[] = { "2025-06-18", "2024-11-05" };
	struct json_value asked;

	if (find_member(params, "protocolVersion", &asked))
		for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++)
			if (str_compare(asked.text, str_of(versions[i])) >= 0)
				return versions[i];
	return versions[0];
}

static void initialize(struct server *s, const struct message *m)
{
	begin_reply(s, m, "result");
	put(s, "{\"protocolVersion\":");
	put_text(s, str_of(version_for(m->params)));
	put(s, ",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"ptool\","
	       "\"version\":");
	put_text(s, STR_LIT(PTOOL_VERSION));
	put(s, "},\"instructions\":");
	put_text(s, STR_LIT("Answers questions about profiles of training and inference "
			    "(PyTorch traces, cProfile, sampled stacks): call overview "
			    "first, then advise, then query for the table that shows the "
			    "cause."));
	put(s, "}");
	end_reply(s);
}

/* "type":"string","enum":[...]: the words that are commands of this program. */
static void put_words(struct server *s, const char *const *words)
{
	bool is_first = true;

	put(s, ",\"enum\":[");
	for (; *words; words++) {
		if (!command_find(*words))
			continue;
		put(s, is_first ? "" : ",");
		put_text(s, str_of(*words));
		is_first = false;
	}
	put(s, "]");
}

static void put_parameters(struct server *s, const struct mcp_parameter *parameters)
{
	const struct mcp_parameter *p;
	bool is_first = true;

	put(s, "{\"type\":\"object\",\"properties\":{");
	for (p = parameters; p->name; p++) {
		put(s, p == parameters ? "" : ",");
		put_text(s, str_of(p->name));
		put(s, ":{");
		put(s, p->schema);
		if (p->words)
			put_words(s, p->words);
		put(s, ",\"description\":");
		put_text(s, str_of(p->help));
		put(s, "}");
	}
	put(s, "},\"required\":[");
	for (p = parameters; p->name; p++) {
		if (p->is_optional)
			continue;
		put(s, is_first ? "" : ",");
		put_text(s, str_of(p->name));
		is_first = false;
	}
	put(s, "]}");
}

static void list_tools(struct server *s, const struct message *m)
{
	begin_reply(s, m, "result");
	put(s, "{\"tools\":[");
	for (const struct mcp_tool *t = mcp_tools; t->name; t++) {
		put(s, t == mcp_tools ? "{\"name\":" : ",{\"name\":");
		put_text(s, str_of(t->name));
		put(s, ",\"description\":");
		put_text(s, str_of(t->help));
		put(s, ",\"inputSchema\":");
		put_parameters(s, t->parameters);
		put(s,
		    ",\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false}}");
	}
	put(s, "]}");
	end_reply(s);
}

static void reply_text(struct server *s, const struct message *m, struct str text,
		       bool is_error)
{
	begin_reply(s, m, "result");
	put(s, "{\"content\":[{\"type\":\"text\",\"text\":");
	put_text(s, text);
	put(s, is_error ? "}],\"isError\":true}" : "}],\"isError\":false}");
	end_reply(s);
}

/* Whole lines of a text that no command cuts, and that there was more. */
static void cut_lines(struct buf *text, int64_t budget)
{
	size_t most = budget_bytes(budget);

	if (text->n <= most)
		return;
	while (most > 0 && text->p[most - 1] != '\n')
		most--;
	text->n = most;
	buf_addf(text, "... cut to %" PRId64 " tokens\n", budget);
}

/*
 * An answer, a message of what is wrong, or that there is nothing: that comes in JSON,
 * which says whether it was recorded.
 */
static void reply_answer(struct server *s, const struct message *m, struct mcp_call *call)
{
	struct mcp_answer a;

	mcp_ask(call->nwords, call->words, s->timeout_ns, &a);
	if (a.code == EXIT_EMPTY && call->is_cut) {
		struct mcp_answer why;
		for (int i = 0; i < call->nwords; i++)
			if (strncmp(call->words[i], "--format=", 9) == 0)
				call->words[i] =
					arena_strdup(call->arena, "--format=json");
		mcp_ask(call->nwords, call->words, s->timeout_ns, &why);
		buf_add_str(&why.out, buf_str(&a.told));
		reply_text(s, m, buf_str(&why.out), false);
		mcp_answer_release(&why);
	} else if (a.code != EXIT_OK && a.code != EXIT_FINDING) {
		reply_text(s, m, buf_str(&a.told), a.code != EXIT_EMPTY);
	} else {
		if (!call->is_cut)
			cut_lines(&a.out, call->budget);
		buf_add_str(&a.out, buf_str(&a.told));
		reply_text(s, m, buf_str(&a.out), false);
	}
	mcp_answer_release(&a);
}

static const struct mcp_tool *find_tool(struct str name)
{
	for (const struct mcp_tool *t = mcp_tools; t->name; t++)
		if (str_is(name, t->name))
			return t;
	return NULL;
}

static void call_tool(struct server *s, const struct message *m)
{
	struct json_value name, arguments = { .type = JSON_NULL };
	struct arena arena = { 0 };
	struct mcp_call call = { .arena = &arena,
				 .places = &s->places,
				 .words = { arena_strdup(&arena, "ptool") },
				 .nwords = 1,
				 .budget = s->budget };
	struct err err = ERR_INIT;

	if (find_member(m->params, "arguments", &arguments) &&
	    arguments.type == JSON_OBJECT)
		call.arguments = arguments.text;
	const struct mcp_tool *tool =
		find_member(m->params, "name", &name) ? find_tool(name.text) : NULL;
	if (!tool)
		refuse(s, m, RPC_NO_PARAMETERS, "there is no such tool");
	else if (tool->make(&call, &err) < 0)
		reply_text(s, m, str_of(err.text), true);
	else
		reply_answer(s, m, &call);
	arena_release(&arena);
}

static void answer(struct server *s, const struct message *m)
{
	if (!m->has_id) /* a notification: none of them changes anything here */
		return;
	if (str_is(m->method, "initialize")) {
		initialize(s, m);
	} else if (str_is(m->method, "tools/list")) {
		list_tools(s, m);
	} else if (str_is(m->method, "tools/call")) {
		call_tool(s, m);
	} else if (str_is(m->method, "ping")) {
		begin_reply(s, m, "result");
		put(s, "{}");
		end_reply(s);
	} else {
		refuse(s, m, RPC_NO_METHOD, "there is no such method");
	}
}

/* 0, or what is wrong with it. */
static enum rpc_error read_message(struct str line, struct message *out)
{
	struct json j = json_of(line);
	struct json_value all, value, method;

	*out = (struct message){ .is_request = false };
	j.strict = true;
	if (json_value(&j, &all) != JSON_OK)
		return RPC_NO_JSON;
	while (j.p < j.end && json_is_blank(*j.p))
		j.p++;
	if (j.p != j.end)
		return RPC_NO_JSON;
	if (all.type != JSON_OBJECT)
		return RPC_NO_REQUEST;
	if (!find_member(all.text, "method", &method))
		return 0; /* a reply, to what nobody asked */
	if (find_member(all.text, "id", &value)) {
		if (value.type != JSON_STRING && value.type != JSON_NUMBER)
			return RPC_NO_REQUEST;
		out->id = value;
		out->has_id = true;
	}
	if (find_member(all.text, "params", &value) && value.type == JSON_OBJECT)
		out->params = value.text;
	if (method.type != JSON_STRING)
		return RPC_NO_REQUEST;
	out->method = method.text;
	out->is_request = true;
	return 0;
}

static void take_line(struct server *s, struct str line)
{
	struct message m;
	enum rpc_error wrong = read_message(line, &m);

	if (wrong == RPC_NO_JSON)
		refuse(s, NULL, wrong, "no JSON");
	else if (wrong)
		refuse(s, &m, wrong,
		       "not a request: it must be an object with jsonrpc, "
		       "id and method");
	else if (m.is_request)
		answer(s, &m);
}

/* Adds bytes up to the end of the line; false: the input has ended before any, or failed. */
static bool read_line(FILE *in, struct buf *line, bool *is_too_long)
{
	int c;

	buf_clear(line);
	*is_too_long = false;
	while ((c = getc(in)) != EOF && c != '\n')
		*is_too_long |= !buf_add_char(line, (char)c);
	return c != EOF || (line->n > 0 && !ferror(in));
}

static bool is_blank(struct str line)
{
	for (size_t i = 0; i < line.n; i++)
		if (!json_is_blank(line.p[i]))
			return false;
	return true;
}

static int serve(struct server *s, FILE *in, struct err *err)
{
	static const char padding[JSON_PADDING] = { 0 };
	bool is_too_long;
	struct buf line;

	buf_init(&line, LINE_MAX_BYTES + JSON_PADDING);
	while (!ferror(s->w.out) && read_line(in, &line, &is_too_long)) {
		size_t n = line.n;
		if (is_too_long || n > LINE_MAX_BYTES) {
			refuse(s, NULL, RPC_NO_REQUEST, "a request of more than 1 MiB");
			continue;
		}
		buf_add(&line, padding, sizeof(padding));
		if (!is_blank((struct str){ line.p, n }))
			take_line(s, (struct str){ line.p, n });
	}
	int why = errno;
	buf_release(&line);
	return ferror(in) ? err_of_file(err, "standard input", strerror(why)) : 0;
}

static int resolve_places(struct server *s, const struct opt_args *given, struct err *err)
{
	static char here[] = ".";
	static char *const only_here[] = { here };
	char *const *names = given->n ? given->items : only_here;
	struct stat st;

	s->places.items = xcalloc(given->n + 1, sizeof(*s->places.items));
	for (size_t i = 0; i < (given->n ? given->n : 1); i++) {
		char *real = realpath(names[i], NULL);
		if (!real)
			return err_errno(err, names[i]);
		s->places.items[s->places.n++] = real;
		if (stat(real, &st) < 0 || !S_ISDIR(st.st_mode))
			return err_set(err, ERR_INPUT, "%s is not a folder", names[i]);
	}
	return 0;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct server s = { .w = { .out = stdout } };
	struct err err = ERR_INIT;
	struct mcp_opts o;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	s.budget = o.budget;
	if (!filter_parse_time(str_of(o.timeout), &s.timeout_ns) || s.timeout_ns <= 0)
		err_set(&err, ERR_USAGE, "--timeout wants a time with its unit: 60s");
	else if (s.budget < 1)
		err_set(&err, ERR_USAGE, "--budget wants 1 token or more");
	else if (resolve_places(&s, &o.places, &err) == 0)
		serve(&s, stdin, &err);
	for (size_t i = 0; i < s.places.n; i++)
		free(s.places.items[i]);
	free(s.places.items);
	return err.kind ? message_error(self->name, NULL, &err) : EXIT_OK;
}

static const char *const examples[] = { "ptool mcp", "ptool mcp ~/traces /scratch/runs",
					NULL };

static const struct command_exit exits[] = {
	{ EXIT_OK, "the client has closed its end" },
	{ EXIT_USAGE, "a mistake in the command line" },
	{ EXIT_INPUT, "a folder is missing" },
	{ EXIT_IO, "requests cannot be read, or answers written" },
	EXITS_END
};

const struct command cmd_mcp = {
	.name = "mcp",
	.part = COMMAND_STORE,
	.question = "Let a coding agent ask the same questions",
	.summary = "Answer coding agents by the Model Context Protocol",
	.groups = mcp_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.exits = exits,
	.limits_memory = true,
	.run = run,
};
