/* Tables in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/memtable.h"
#include "base/table_pack.h"

static const struct column columns[] = { { "name", "Name", UNIT_TEXT },
					 { "calls", "Calls", UNIT_COUNT } };

static void add(struct memtable *m, struct str name, int64_t calls)
{
	struct cell row[] = { cell_text(name), cell_int(calls) };

	memtable_add_row(m, row);
}

static void rows_come_back_in_order_and_then_the_end(void **state)
{
	struct memtable *m = memtable_new(columns, 2);
	struct table *t = &m->table;
	struct cell cells[2];
	struct err err = ERR_INIT;

	(void)state;
	for (int64_t i = 0; i < 1000; i++)
		add(m, STR_LIT("aten::mm"), i);
	assert_int_equal(1000, t->total_rows);
	for (int64_t i = 0; i < 1000; i++) {
		assert_int_equal(1, t->next(t, cells, &err));
		assert_int_equal(CELL_TEXT, cells[0].type);
		assert_true(str_is(cells[0].as.text, "aten::mm"));
		assert_int_equal(i, cells[1].as.integer);
	}
	assert_int_equal(0, t->next(t, cells, &err));
	assert_int_equal(0, t->next(t, cells, &err));
	table_free(t);
}

static void text_is_copied(void **state)
{
	struct memtable *m = memtable_new(columns, 2);
	char name[] = "aten::mm";

	(void)state;
	add(m, str_of(name), 1);
	memset(name, 'x', sizeof(name) - 1);
	assert_true(str_is(memtable_row(m, 0)[0].as.text, "aten::mm"));
	table_free(&m->table);
}

static void a_long_text_is_kept_once(void **state)
{
	struct memtable *m = memtable_new(columns, 2);
	char name[MEMTABLE_LONG + 1] = "";

	(void)state;
	for (int64_t i = 0; i < 6; i++) {
		memset(name, 'a' + (int)(i % 2), MEMTABLE_LONG);
		add(m, str_of(name), i);
	}
	const char *first = memtable_row(m, 0)[0].as.text.p;
	const char *second = memtable_row(m, 1)[0].as.text.p;
	assert_ptr_not_equal(first, second);
	for (size_t i = 0; i < 6; i++) {
		struct str text = memtable_row(m, i)[0].as.text;
		assert_ptr_equal(i % 2 ? second : first, text.p);
		assert_int_equal(MEMTABLE_LONG, text.n);
		assert_int_equal('a' + (int)(i % 2), text.p[MEMTABLE_LONG - 1]);
		assert_int_equal('\0', text.p[MEMTABLE_LONG]);
	}
	table_free(&m->table);
}

static void nulls_and_reals_stay_what_they_are(void **state)
{
	struct memtable *m = memtable_new(columns, 2);
	struct cell row[] = { cell_null(), cell_real(0.5) };

	(void)state;
	memtable_add_row(m, row);
	assert_int_equal(CELL_NULL, memtable_row(m, 0)[0].type);
	assert_int_equal(CELL_REAL, memtable_row(m, 0)[1].type);
	assert_true(memtable_row(m, 0)[1].as.real == 0.5);
	table_free(&m->table);
}

static void notes_end_in_null(void **state)
{
	struct memtable *m = memtable_new(columns, 2);

	(void)state;
	assert_null(m->table.notes);
	for (int i = 0; i < 40; i++)
		memtable_add_note(m, "note %d", i);
	assert_string_equal("note 0", m->table.notes[0]);
	assert_string_equal("note 39", m->table.notes[39]);
	assert_null(m->table.notes[40]);
	table_free(&m->table);
}

static void a_table_can_be_copied_from_another(void **state)
{
	struct memtable *from = memtable_new(columns, 2), *to = memtable_new(columns, 2);
	struct err err = ERR_INIT;

	(void)state;
	add(from, STR_LIT("a"), 1);
	add(from, STR_LIT("b"), 2);
	assert_int_equal(0, memtable_add_table(to, &from->table, &err));
	table_free(&from->table);
	assert_int_equal(2, to->nrows);
	assert_true(str_is(memtable_row(to, 1)[0].as.text, "b"));
	table_free(&to->table);
}

static int next_fails(struct table *t, struct cell *cells, struct err *err)
{
	(void)t;
	(void)cells;
	return err_set(err, ERR_IO, "disk on fire");
}

static void a_failure_of_the_other_table_is_passed_on(void **state)
{
	struct table from = { .columns = columns, .ncolumns = 2, .next = next_fails };
	struct memtable *m = memtable_new(columns, 2);
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(-1, memtable_add_table(m, &from, &err));
	assert_string_equal("disk on fire", err.text);
	table_free(&m->table);
}

static void freeing_no_table_is_fine(void **state)
{
	(void)state;
	table_free(NULL);
}

/* The bytes of a table with another below it, which the caller frees. */
static char *packed(size_t *n)
{
	struct memtable *m = memtable_new(columns, 2), *below = memtable_new(columns, 1);
	struct err err = ERR_INIT;
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, n);

	add(m, STR_LIT("a\0b"), 1);
	add(m, STR_LIT(""), -2);
	memtable_add_note(m, "first");
	memtable_add_note(m, "second");
	m->table.caption = "caption";
	m->table.total_rows = 7;
	m->table.more = &below->table;
	below->table.is_prose = true;
	assert_int_equal(0, table_pack(&m->table, out, &err));
	fclose(out);
	table_free(&m->table);
	return bytes;
}

static void a_table_is_the_same_behind_a_pipe(void **state)
{
	struct err err = ERR_INIT;
	struct cell cells[2];
	size_t n;
	char *bytes = packed(&n);
	struct table *t = table_unpack((struct str){ bytes, n }, &err);

	(void)state;
	free(bytes);
	assert_non_null(t);
	assert_string_equal("calls", t->columns[1].name);
	assert_int_equal(UNIT_COUNT, t->columns[1].unit);
	assert_int_equal(1, t->next(t, cells, &err));
	assert_true(str_equal(cells[0].as.text, STR_LIT("a\0b")));
	assert_int_equal(1, t->next(t, cells, &err));
	assert_int_equal(-2, cells[1].as.integer);
	assert_int_equal(0, t->next(t, cells, &err));
	assert_int_equal(7, t->total_rows);
	assert_string_equal("caption", t->caption);
	assert_string_equal("second", t->notes[1]);
	assert_null(t->notes[2]);
	assert_null(t->empty);
	assert_true(t->more->is_prose);
	assert_null(t->more->more);
	table_free(t);
}

static void bytes_that_are_cut_short_are_no_table(void **state)
{
	size_t n;
	char *bytes = packed(&n);

	(void)state;
	for (size_t cut = 0; cut < n; cut++) {
		struct err err = ERR_INIT;
		assert_null(table_unpack((struct str){ bytes, cut }, &err));
		assert_int_equal(ERR_IO, err.kind);
	}
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_back_in_order_and_then_the_end),
		cmocka_unit_test(text_is_copied),
		cmocka_unit_test(a_long_text_is_kept_once),
		cmocka_unit_test(nulls_and_reals_stay_what_they_are),
		cmocka_unit_test(notes_end_in_null),
		cmocka_unit_test(a_table_can_be_copied_from_another),
		cmocka_unit_test(a_failure_of_the_other_table_is_passed_on),
		cmocka_unit_test(freeing_no_table_is_fine),
		cmocka_unit_test(a_table_is_the_same_behind_a_pipe),
		cmocka_unit_test(bytes_that_are_cut_short_are_no_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
