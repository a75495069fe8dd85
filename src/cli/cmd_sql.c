/* ptool sql: the user's own query on a store, in any output format. */
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/input.h"
#include "base/machine.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "cli/operand.h"
#include "cli/reading.h"
#include "query/user_sql.h"
#include "store/store_limits.h"

/* Of a file with a query: far more than anybody writes, and less than SQLite takes. */
#define QUERY_MAX ((size_t)64 * 1024 * 1024)

/* What SQLite sorts of a store; a view repeats names and arguments in each row. */
#define FILES_LEAST  (INT64_C(2) << 30)
#define FILES_A_BYTE 16

struct sql_opts {
	const char *operand, *query, *file;
	struct opt_strings params;
	int64_t timeout_s;
	const char *memory_limit;
	int64_t memory_bytes; /* what it says, or half of the machine's */
	struct output_opts output;
};

#define INTO(type, member) OPT_INTO(type, struct sql_opts, member)

/* clang-format off */
static const struct opt sql_operands[] = {
	{ .name = "store", .arg = "STORE|FILE", .help = "what to read (default: $PTOOL_STORE or ./ptool.db)",
	  INTO(ARG, operand) },
	{ .name = "query", .arg = "QUERY", .help = "SQL statements, with ; between them",
	  INTO(ARG, query) },
	OPT_END
};

static const struct opt sql_options[] = {
	{ .name = "file", .arg = "FILE", .help = "take the query from a file; - is standard input",
	  INTO(STRING, file), .is_read = true },
	{ .name = "param", .arg = "NAME=VALUE", .help = "the value of :NAME in the query, a number if it looks like one",
	  INTO(STRINGS, params), .short_name = 'p' },
	{ .name = "timeout", .arg = "SECONDS", .help = "stop a query that runs longer; 0 (the default): never",
	  INTO(UINT, timeout_s) },
	{ .name = "memory-limit", .arg = "SIZE", .help = "memory that a query may use (default: half the machine's)",
	  INTO(STRING, memory_limit) },
	OPT_END
};

static const struct opt_group sql_groups[] = {
	{ .title = "Operands", .opts = sql_operands },
	{ .opts = sql_options },
	OUTPUT_GROUP(struct sql_opts, output),
	OPT_GROUP_END
};
/* clang-format on */

static const struct sql_opts defaults = { .output = OUTPUT_DEFAULTS };

static bool is_file(const char *path)
{
	struct stat st;

	return strcmp(path, "-") == 0 || stat(path, &st) == 0;
}

/* One operand is the query, unless that comes from a file. */
static int sort_operands(struct sql_opts *o, struct err *err)
{
	if (o->file)
		return o->query
			       ? err_set(err, ERR_USAGE, "give QUERY or --file, not both")
			       : 0;
	if (o->query)
		return 0;
	if (!o->operand || is_file(o->operand))
		return err_set(err, ERR_USAGE, "QUERY is missing");
	o->query = o->operand;
	o->operand = NULL;
	return 0;
}

/* The caller frees it; NULL with err set. */
static char *read_query(const char *path, struct err *err)
{
	struct input *in = input_open(path, err);

	if (!in)
		return NULL;
	struct bytes bytes = input_peek(in, QUERY_MAX, err);
	char *text = NULL;
	if (bytes.n == QUERY_MAX)
		err_set(err, ERR_USAGE, "the query is longer than 64 MiB");
	else if (memchr(bytes.p, '\0', bytes.n))
		err_set(err, ERR_USAGE, "not SQL: it contains a NUL byte");
	else if (err->kind == ERR_NONE)
		text = xstrndup((const char *)bytes.p, bytes.n);
	input_close(in);
	return text;
}

static int bind_params(struct user_sql *q, const struct opt_strings *params,
		       struct err *err)
{
	for (size_t i = 0; i < params->n; i++) {
		const char *text = params->items[i];
		const char *equals = strchr(text, '=');
		if (!equals || equals == text)
			return err_set(err, ERR_USAGE,
				       "--param wants NAME=VALUE, not '%s'", text);
		struct str name = { text, (size_t)(equals - text) };
		if (user_sql_bind(q, name, equals + 1, err) < 0)
			return -1;
	}
	return user_sql_check_bound(q, err);
}

/* For people one result after the other, an empty line between them. */
static int draw_results(struct user_sql *q, const struct command *self,
			const struct output_opts *o, struct err *err)
{
	struct table *table;
	int rc = user_sql_next(q, !reading_is_for_people(o), &table, err);

	if (rc <= 0)
		return rc;
	rc = output_table(self->name, table, o, err);
	table_free(table);
	return rc;
}

/*
 * A function that is called once may run for hours, and so may the reading of a statement:
 * SQLite looks at no clock in them.
 */
struct stop {
	struct interrupt_alarm alarm;
	volatile sig_atomic_t is_running;
	char words[128];
};

static void stop_late(struct stop *s, const struct command *self, int64_t limit_s)
{
	s->is_running = 0;
	if (limit_s == 0 || limit_s >= UINT_MAX)
		return;
	int n = snprintf(s->words, sizeof(s->words),
			 "ptool: %s: the query took longer than --timeout %" PRId64 "\n",
			 self->name, limit_s);
	s->alarm = (struct interrupt_alarm){ .seconds = (unsigned)limit_s + 1,
					     .is_running = &s->is_running,
					     .last_words = s->words,
					     .nlast_words = n < 0 ? 0 : (size_t)n,
					     .exit_code = EXIT_USAGE };
	interrupt_alarm(&s->alarm);
}

/* Of files without a name, into which SQLite sorts: rows may come without end. */
static int64_t file_bytes(const struct sql_opts *o, struct store *store)
{
	int64_t most = INT64_MAX;

	if (store_bytes(store) < (INT64_MAX - FILES_LEAST) / FILES_A_BYTE)
		most = FILES_LEAST + FILES_A_BYTE * store_bytes(store);
	return o->memory_limit && o->memory_bytes > most ? o->memory_bytes : most;
}

static int answer(const struct command *self, const struct sql_opts *o,
		  struct store *store, struct err *err)
{
	struct user_sql *q;
	struct stop stop;
	const struct user_sql_limits limits = { .memory_bytes = o->memory_bytes,
						.keeps_results = o->output.budget != 0,
						.file_bytes = file_bytes(o, store),
						.seconds = o->timeout_s,
						.is_running = &stop.is_running };

	stop_late(&stop, self, o->timeout_s);
	if (user_sql_open(store, o->query, &limits, &q, err) < 0) {
		interrupt_alarm(NULL);
		return -1;
	}
	int rc = bind_params(q, &o->params, err);
	size_t n = user_sql_nresults(q);
	if (rc == 0 && n > 1 && !reading_is_for_people(&o->output))
		rc = err_set(err, ERR_USAGE,
			     "%zu statements return rows; only --format table and "
			     "markdown can show more than one result",
			     n);
	else if (rc == 0)
		rc = draw_results(q, self, &o->output, err);
	interrupt_alarm(NULL);
	user_sql_close(q);
	return rc;
}

/* Mistakes in the query name its file, if any; damage names the store. */
static int ask(const struct command *self, const struct sql_opts *o)
{
	struct err err = ERR_INIT;
	struct operand operand;

	if (!output_renderer(&o->output, &err) || output_check(&o->output, &err) < 0)
		return message_error(self->name, NULL, &err);
	struct operand_wish wish = { .command = self->name,
				     .path = o->operand,
				     .is_quiet = o->output.quiet };
	if (operand_open_for(&wish, &operand, &err) < 0)
		return message_error(self->name, operand_name(o->operand), &err);
	int code = EXIT_OK;
	int rc = answer(self, o, operand.store, &err);
	if (rc < 0 && operand_missed_slices(&operand)) {
		operand_close(&operand);
		err = (struct err)ERR_INIT;
		wish.is_again = wish.wants_slices = true;
		if (operand_open_for(&wish, &operand, &err) < 0)
			return message_error(self->name, operand_name(o->operand), &err);
		rc = answer(self, o, operand.store, &err);
	}
	if (rc < 0) {
		operand_explain(&operand, &err);
		bool is_of_query = err.kind != ERR_INPUT && err.offset >= 0;
		code = is_of_query
			       ? message_error(self->name, o->file, &err)
			       : message_error_reading(self->name, operand.path, &err);
	}
	operand_close(&operand);
	return code;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct sql_opts o;
	struct err err = ERR_INIT;
	char *text = NULL;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (sort_operands(&o, &err) < 0 ||
	    opt_memory_limit(o.memory_limit, &o.memory_bytes, &err) < 0)
		return message_error(self->name, NULL, &err);
	if (o.memory_bytes == 0)
		o.memory_bytes = (int64_t)(machine_memory() / 2);
	if (o.file) {
		text = read_query(o.file, &err);
		if (!text)
			return message_error(self->name, o.file, &err);
		o.query = text;
	}
	code = ask(self, &o);
	free(text);
	return code;
}

static const char *const examples[] = {
	"ptool sql 'SELECT * FROM v_step'",
	"ptool sql trace.json 'SELECT name, dur FROM slice ORDER BY dur DESC LIMIT 5'",
	"ptool sql -p min=1000000 'SELECT * FROM slice WHERE dur > :min' --format csv",
	"ptool sql \"SELECT name, sql FROM sqlite_schema WHERE type = 'view'\"",
	"ptool sql --file report.sql before.db --format json",
	NULL
};

/* clang-format off */
static const struct command_exit exits[] = {
	{ EXIT_OK, "the query ran, even if it selected nothing" },
	{ EXIT_USAGE, "a mistake in the query or in the command line; a statement that writes or is refused; a query that took longer than --timeout; or the output exists" },
	{ EXIT_EMPTY, "the query reads slices, which were left out of the store" },
	{ EXIT_INPUT, "the store, the file or the query's file is missing, cannot be read, or is of another schema" },
	{ EXIT_IO, "the output or the cache cannot be written, or the query needs more memory than --memory-limit" },
	{ EXIT_INTERRUPT, "interrupted" },
	EXITS_END,
};
/* clang-format on */

const struct command cmd_sql = {
	.name = "sql",
	.part = COMMAND_STORE,
	.question = "Ask anything else, in SQL",
	.summary = "Ask a store in SQL",
	.groups = sql_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.exits = exits,
	.limits_memory = true,
	.run = run,
};
