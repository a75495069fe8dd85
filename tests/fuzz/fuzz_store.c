/*
 * The way from any bytes to a store: reader, loader, and the passes that order,
 * nest, link and sum up.  Whatever the reader accepts gives rows that hold
 * together, and the same rows whatever the window it was read through.
 *
 * One in 3.  timeout: 300 s
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/input.h"
#include "base/intern.h"
#include "ingest/chrome.h"
#include "ingest/json.h"
#include "store/load.h"
#include "store/sql.h"
#include "store/write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each selects what must not be; :size is the input's. */
static const char *const forbidden[] = {
	/* an id that refers to no row */
	"SELECT \"table\", rowid FROM pragma_foreign_key_check",
	/* a duration below zero */
	"SELECT id, dur FROM slice_row WHERE dur < 0",
	/* an impossible time that still counts */
	"SELECT s.id, s.dur FROM quarantine q JOIN slice_row s ON s.id = q.slice_id "
	"WHERE s.dur <> 0 OR s.self_ns <> 0 OR coalesce(s.flags, 0) & 4 = 0",
	"SELECT id, flags FROM slice_row WHERE flags & 4 "
	"AND id NOT IN (SELECT slice_id FROM quarantine)",
	/* a parent that does not hold its child */
	"SELECT c.id, p.id FROM slice_row c JOIN slice_row p ON p.id = c.parent_id "
	"WHERE c.track_id <> p.track_id OR c.ts < p.ts OR c.ts >= p.ts + p.dur "
	"OR c.depth <> p.depth + 1 OR p.id >= c.id",
	"SELECT id, depth FROM slice_row WHERE (parent_id IS NULL) <> (depth = 0)",
	/* self times that do not add up to the roots */
	"SELECT id, self_ns FROM slice_row WHERE self_ns < 0 OR self_ns > dur",
	"SELECT t.id, sum(s.self_ns) FROM slice_row s JOIN track t ON t.id = s.track_id "
	"WHERE t.kind <> 'stream' GROUP BY t.id "
	"HAVING sum(s.self_ns) <> sum(iif(s.parent_id IS NULL, s.dur, 0))",
	/* rows out of their order, or outside the profile */
	"SELECT b.id, b.ts FROM slice_row a JOIN slice_row b ON b.id = a.id + 1 "
	"WHERE a.track_id = b.track_id AND (a.ts > b.ts OR (a.ts = b.ts AND a.dur < b.dur))",
	"SELECT p.id, p.slices FROM profile p "
	"WHERE p.slices <> (SELECT count(*) FROM slice_row)",
	"SELECT t.id, t.slices FROM track t "
	"WHERE t.slices <> (SELECT count(*) FROM slice_row s WHERE s.track_id = t.id)",
	"SELECT s.id, s.ts FROM slice_row s, profile p "
	"WHERE coalesce(s.flags, 0) & 4 = 0 AND (s.ts < 0 OR s.ts + s.dur > p.dur_ns)",
	/* work whose launch is no call, or another one's */
	"SELECT s.id, l.id FROM slice_row s JOIN slice_row l ON l.id = s.launch_id "
	"JOIN slice_class k ON k.id = l.class "
	"WHERE k.name NOT IN ('runtime', 'driver') OR s.correlation IS NOT l.correlation",
	"SELECT s.id, o.id FROM slice_row s JOIN slice_row o ON o.id = s.op_id "
	"JOIN slice_class k ON k.id = o.class WHERE k.name <> 'op'",
	/* summaries that disagree */
	"SELECT kind, count(DISTINCT sums) FROM (SELECT kind, grain, sum(calls) || ' ' || "
	"sum(self_ns) || ' ' || sum(total_ns) || ' ' || sum(self_device_ns) || ' ' || "
	"sum(cpu_mem_bytes) AS sums FROM op_stat GROUP BY kind, grain) "
	"GROUP BY kind HAVING count(DISTINCT sums) > 1 OR count(*) <> 3",
	/* text or an offset that cannot be */
	"SELECT id, metadata FROM profile WHERE NOT json_valid(metadata)",
	"SELECT id, first_offset FROM finding WHERE count < 1 OR first_offset < 0 "
	"OR first_offset > :size",
};

static void must(bool holds, const char *what, const char *detail)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz_store: %s: %s\n", what, detail);
	abort();
}

static void must_do(int rc, const struct err *err)
{
	must(rc >= 0, "a failure", err->text);
}

/* With its tables, and no transaction; made once, for making one takes longest. */
static struct sqlite3 *empty_store(void)
{
	static struct sqlite3 *db;
	struct err err = ERR_INIT;

	if (db)
		return db;
	must(sqlite3_open(":memory:", &db) == SQLITE_OK, "no memory", "");
	must_do(write_schema(db, &err), &err);
	return db;
}

static void must_hold_together(struct sqlite3 *db, size_t size)
{
	for (size_t i = 0; i < sizeof(forbidden) / sizeof(*forbidden); i++) {
		struct err err = ERR_INIT;
		struct sqlite3_stmt *stmt;

		must_do(sql_prepare(db, forbidden[i], &stmt, &err), &err);
		if (sqlite3_bind_parameter_count(stmt))
			sqlite3_bind_int64(stmt, 1, (sqlite3_int64)size);
		int rc = sql_step(stmt, &err);
		/* Centuries that add up to more than 64 bits are not compared. */
		if (rc < 0 && str_is(str_of(err.text), "integer overflow"))
			rc = 0;
		must_do(rc, &err);
		if (rc > 0)
			fprintf(stderr, "fuzz_store: %s, %s\n",
				(const char *)sqlite3_column_text(stmt, 0),
				(const char *)sqlite3_column_text(stmt, 1));
		must(rc == 0, "a row that must not be", forbidden[i]);
		sqlite3_finalize(stmt);
	}
}

static void add_rows(struct sqlite3 *db, const char *table, struct buf *dump)
{
	struct err err = ERR_INIT;
	struct sqlite3_stmt *stmt;
	struct buf query;
	int rc;

	buf_init(&query, 256);
	buf_addf(&query, "SELECT * FROM %s", table);
	must_do(sql_prepare(db, buf_str(&query).p, &stmt, &err), &err);
	while ((rc = sql_step(stmt, &err)) > 0) {
		for (int i = 0; i < sqlite3_column_count(stmt); i++) {
			bool is_text = sqlite3_column_type(stmt, i) == SQLITE_TEXT;
			const char *cell = (const char *)sqlite3_column_text(stmt, i);
			int n = sqlite3_column_bytes(stmt, i);
			struct str text = { cell ? cell : "", (size_t)n };
			must(!is_text || !json_bad_utf8(text), "no UTF-8", table);
			buf_add_str(dump, text);
			buf_add_char(dump, '|');
		}
		buf_add_char(dump, '\n');
	}
	must_do(rc, &err);
	sqlite3_finalize(stmt);
	buf_release(&query);
}

/* All rows of all tables as text, but for what a window may show less of. */
static void add_dump(struct sqlite3 *db, struct buf *dump)
{
	struct err err = ERR_INIT;
	struct sqlite3_stmt *stmt;
	int rc;

	must_do(sql_exec(db, "UPDATE finding SET excerpt = ''", &err), &err);
	must_do(sql_prepare(db,
			    "SELECT name FROM sqlite_schema WHERE type = 'table' "
			    "AND sql NOT LIKE 'CREATE VIRTUAL%'",
			    &stmt, &err),
		&err);
	while ((rc = sql_step(stmt, &err)) > 0)
		add_rows(db, (const char *)sqlite3_column_text(stmt, 0), dump);
	must_do(rc, &err);
	sqlite3_finalize(stmt);
}

static void write_store(struct sqlite3 *db, struct loader *loader, struct intern *texts,
			size_t size)
{
	struct err err = ERR_INIT;
	struct load_source source = { .path = "it", .bytes = size };
	struct load_result result;

	must_do(write_run(db, "it", &source.run_id, &err), &err);
	must_do(loader_write(loader, db, &source, &result, &err), &err);
	must_do(write_texts(db, texts, 0, &usual_limits, &err), &err);
}

/* Through a window of that size into the store: true when it was a trace. */
static bool read_into(struct sqlite3 *db, struct bytes bytes, size_t window, bool keep,
		      struct buf *dump)
{
	const struct read_options options = { .keep_args = keep };
	struct err err = ERR_INIT;
	struct intern texts;

	intern_init(&texts);
	struct loader *loader = loader_new(&texts, NULL, NULL, NULL);
	struct input *in = input_from_memory(bytes);
	if (window)
		input_set_window(in, 2, (size_t)1 << 30);
	must_do(sql_exec(db, "BEGIN", &err), &err);
	bool is_trace = chrome_read_windowed(in, &options, loader_sink(loader),
					     window ? window : WINDOW_BYTES, &err) == 0;
	/* What offsets count: the bytes without their compression. */
	size_t size = input_offset(in) + input_peek(in, 1, &(struct err)ERR_INIT).n;
	if (is_trace) {
		write_store(db, loader, &texts, bytes.n);
		must_hold_together(db, size);
		add_dump(db, dump);
	}
	err = (struct err)ERR_INIT;
	must_do(sql_exec(db, "ROLLBACK", &err), &err);
	input_close(in);
	loader_free(loader);
	intern_release(&texts);
	return is_trace;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sqlite3 *db = empty_store();
	const struct bytes bytes = { data, size };
	uint64_t choice = size ? hash_bytes(data, size) : 0;
	struct buf first, again;

	buf_init(&first, (size_t)1 << 30);
	buf_init(&again, (size_t)1 << 30);
	bool keep = choice >> 32 & 1;
	bool is_trace = read_into(db, bytes, 0, keep, &first);
	/* Of most inputs fuzz_chrome tells as much, and faster. */
	size_t window = 1 + (choice >> 8) % 200;
	bool is_compressed = size > 1 && (data[0] == 0x1f || data[0] == 0x28);
	if (choice % 4 == 0 && !is_compressed) {
		must(read_into(db, bytes, window, keep, &again) == is_trace,
		     "another answer", "through a small window");
		must(str_equal(buf_str(&first), buf_str(&again)), "other rows",
		     "through a small window");
	}
	buf_release(&first);
	buf_release(&again);
	return 0;
}
