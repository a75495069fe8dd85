/*
 * Whole commands on stores that somebody edited: an input is a list of records of four
 * bytes, each of which sets a column to a boundary value, in one row or in all, or
 * replaces a byte of the file; before them one byte chooses the command and one the store.
 * It ends with an answer or a message, and a command that only reads changes nothing.
 * Corpus only.
 *
 * timeout: 300 s
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "damaged_store.h"
#include "run_command.h"
#include "small_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define COLUMNS_MAX 1000
#define HEAD        2 /* bytes before the records */
#define RECORD      4
#define RECORDS_MAX 64
#define BYTES_FROM  224 /* a record whose first byte is at least this replaces a byte */

/*
 * One command line: %s is the store, OUT a file to write, TRACE and BUDGET files to read.
 * A word has no blank; SQL's may be tabs.
 */
static const char *const lines[] = {
	"top %s",
	"top %s --thread 1 --format csv",
	"top %s --by thread,stack --sort calls",
	"top %s --by category",
	"top %s --by annotation",
	"top %s --by step --min-dur 1ns",
	"top %s --time 0.. --cat cpu_op",
	"top %s --tensor-cores",
	"top %s --format torch",
	"list %s",
	"list %s --sort name",
	"list %s --sort self",
	"list %s --sort dur --limit 3",
	"info %s",
	"doctor %s",
	"steps %s",
	"steps %s --phases --format json",
	"steps %s --by phase",
	"devices %s",
	"streams %s --by-time 4",
	"kernels %s --by family",
	"gaps %s",
	"gaps %s --causes hta",
	"memory %s",
	"comm %s",
	"comm %s --ranks",
	"transfers %s",
	"modules %s",
	"compile %s",
	"tree %s",
	"tree %s --kernels --depth 0 --min 0",
	"pstats %s",
	"pstats %s --callers",
	"pstats %s --callees --format csv",
	"callers . %s",
	"callees . %s",
	"advise %s",
	"diff %s %s",
	"diff %s %s --by name",
	"diff %s %s --by step",
	"export --to pstats -f -o /dev/null %s",
	"rm it -o %s",
	"rm absent -o %s",
	"ingest -q --run more -o %s TRACE",
	"overview %s",
	"overview %s --format json",
	"timeline %s",
	"timeline %s --time 0.. --limit 0 --format csv",
	"graphs %s",
	"roofline %s --limit 0 --format csv",
	"roofline %s --peak bf16=100,bw=1000",
	"ranks %s",
	"ranks %s --what-if",
	"ranks %s --by step --format json",
	"trend %s",
	"trend %s --column peak",
	"flame %s --height 24 --width 80",
	"flame %s --to html",
	"flame %s --base %s --inverted",
	"lines %s",
	"memory %s --live --by step",
	"memory %s --events",
	"memory %s --leaks",
	"memory %s --growth",
	"memory %s --curve",
	"compile %s --by region --format csv",
	"streams %s",
	"kernels %s --launches --copies --by step",
	"kernels %s --by op",
	"gaps %s --list --limit 0",
	"gaps %s --by frame",
	"transfers %s --list",
	"comm %s --by size",
	"comm %s --list",
	"comm %s --imbalance",
	"advise %s --evidence",
	"diff %s %s --by memory",
	"diff %s %s --by idle --accounting",
	"diff %s %s --within-run",
	"report -q -f -o OUT %s",
	"report -q -f -o OUT %s %s",
	"export --to folded -f -o OUT %s",
	"export --to speedscope -f -o OUT %s",
	"export --to pprof -f -o OUT %s",
	"export --to callgrind -f -o OUT %s",
	"export --to chrome -f -o OUT %s",
	"export --to pftrace -f -o OUT %s",
	"export --to parquet --table slice -f -o OUT %s",
	"export --to parquet --table op_stat -f -o OUT %s",
	"merge -q -f -o OUT %s",
	"migrate -q -f -o OUT %s",
	"gate -q -f BUDGET %s",
	"sql %s SELECT\t*\tFROM\tslice",
	"sql %s SELECT\t*\tFROM\tv_op,v_step,v_kernel\tLIMIT\t99",
};
#define NLINES (sizeof(lines) / sizeof(*lines))

static const char *const values[] = {
	"NULL",
	"0",
	"1",
	"-1",
	"3",
	"2147483647",
	"2147483648",
	"4294967295",
	"4294967296",
	"9223372036854775807",
	"-9223372036854775807 - 1",
	"''",
	"'x'",
	"'-1'",
	"char(27, 0, 8203)",
	"printf('%5000c', 'x')",
	"x''",
	"x'00'",
	"x'ffffffffffffffffffff01'",
	"zeroblob(5000)",
	"\"%w\" + 1",
	"-\"%w\"",
	"\"%w\" * 1000000",
	"substr(\"%w\", 2)",
	"\"%w\" || \"%w\"",
	"1e308",
	"9e999",
};
#define STEPS_MAX 2000000 /* of SQLite's machine: a damaged tree may go in circles */
#define NVALUES   (sizeof(values) / sizeof(*values))

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz_command: %s\n", what);
	abort();
}

/* Tables and their columns, which all stores have alike. */
struct places {
	char *tables[COLUMNS_MAX], *columns[COLUMNS_MAX];
	size_t n;
};

static int add_place(void *to, int n, char **cells, char **names)
{
	struct places *places = to;

	(void)n;
	(void)names;
	must(places->n < COLUMNS_MAX, "more columns than there is room for");
	places->tables[places->n] = xstrdup(cells[0]);
	places->columns[places->n++] = xstrdup(cells[1]);
	return 0;
}

static const struct places *all_places(void)
{
	static struct places places;
	struct sqlite3 *db;

	if (places.n)
		return &places;
	must(sqlite3_open(small_store_file(small_store(SMALL_TRACE)), &db) == SQLITE_OK,
	     "no store");
	sqlite3_exec(
		db,
		"SELECT m.name, c.name FROM sqlite_schema m, "
		"pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY 1, c.cid",
		add_place, &places, NULL);
	sqlite3_close(db);
	must(places.n > 0, "no columns");
	return &places;
}

/* The statement that a record stands for; sqlite3_free() frees it. */
static char *statement_of(const uint8_t *record)
{
	const struct places *places = all_places();
	size_t place = (record[1] | (size_t)(record[3] & 1) << 8) % places->n;
	const char *table = places->tables[place], *column = places->columns[place];
	char *value = sqlite3_mprintf(values[record[0] % NVALUES], column, column);
	char *sql = record[2] == 0
			    ? sqlite3_mprintf("UPDATE \"%w\" SET \"%w\" = %s;", table,
					      column, value)
			    : sqlite3_mprintf("UPDATE \"%w\" SET \"%w\" = %s WHERE rowid "
					      "= (SELECT rowid FROM \"%w\" LIMIT 1 "
					      "OFFSET %d);",
					      table, column, value, table, record[2] - 1);

	sqlite3_free(value);
	return sql;
}

/* The caller frees bytes.p. */
static struct bytes edited(struct bytes base, const uint8_t *data, size_t nrecords)
{
	struct sqlite3_str *sql = sqlite3_str_new(NULL);

	for (size_t i = 0; i < nrecords; i++) {
		if (data[i * RECORD] >= BYTES_FROM)
			continue;
		char *one = statement_of(data + i * RECORD);
		sqlite3_str_appendall(sql, one);
		sqlite3_free(one);
	}
	char *text = sqlite3_str_finish(sql);
	struct bytes bytes = damaged_store_by_sql(base, text ? text : "");
	uint8_t *writable;
	memcpy(&writable, &bytes.p, sizeof(writable)); /* it is ours */
	sqlite3_free(text);
	for (size_t i = 0; i < nrecords; i++) {
		const uint8_t *r = data + i * RECORD;
		size_t at =
			((size_t)(r[0] - BYTES_FROM) << 16 | (size_t)r[1] << 8 | r[2]);
		if (r[0] >= BYTES_FROM)
			writable[at % bytes.n] = r[3];
	}
	return bytes;
}

/* Does it write to its store? */
static bool is_writer(const char *line)
{
	return strncmp(line, "rm ", 3) == 0 || strncmp(line, "ingest ", 7) == 0;
}

static const char budgets[] =
	"[steps]\nview = steps\ncolumn = total_ns\nmax = 1 s\n"
	"[calls]\nview = top\ncolumn = calls\nstat = sum\nmax = 9\n"
	"[idle]\nview = gaps\ncolumn = dur_ns\nstat = sum\nmin = 0\n";

/* The caller removes it and frees the path. */
static char *file_beside(const char *store, const char *text)
{
	char *path = xasprintf("%s.%s", store, text ? "budget" : "out");
	FILE *out = text ? fopen(path, "w") : NULL;

	must(!text || (out && fputs(text, out) >= 0 && fclose(out) == 0), path);
	return path;
}

static void run_line(const char *line, char *store)
{
	char *out = file_beside(store, NULL), *budget = file_beside(store, budgets);
	const struct placeholder places[] = { { "%s", store },
					      { "TRACE", small_store_trace() },
					      { "OUT", out },
					      { "BUDGET", budget } };
	run_command(line, places, sizeof(places) / sizeof(*places));
	unlink(out);
	unlink(budget);
	free(out);
	free(budget);
}

static int stop(void *unused)
{
	(void)unused;
	return 1;
}

/* Of each connection that is opened: SQLite's SQLITE_EXTENSION_INIT. */
static int set_steps(struct sqlite3 *db, char **message, const void *api)
{
	(void)message;
	(void)api;
	sqlite3_progress_handler(db, STEPS_MAX, stop, NULL);
	return SQLITE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* a longer one is no list of records, but the driver's random trace */
	if (size < HEAD || size > HEAD + RECORD * RECORDS_MAX || data[0] == '{')
		return 0;
	sqlite3_auto_extension((void (*)(void))set_steps);
	sqlite3_hard_heap_limit64((sqlite3_int64)256 << 20);
	size_t line = data[0] % NLINES, nrecords = (size - HEAD) / RECORD;
	enum small_store kind = data[1] % NSMALL_STORES;

	struct bytes bytes = edited(small_store(kind), data + HEAD, nrecords);
	char *path = small_store_copy(bytes);
	run_line(lines[line], path);
	must(is_writer(lines[line]) || small_store_is_in(path, bytes),
	     "the store was changed");
	unlink(path);
	free(path);
	small_store_free(bytes);
	return 0;
}
