/* Reports that programs print (ingest/printed.h and its readers), and texts of several. */
#include <dirent.h>
#include <stdio.h>

#include "reading.h"

#include "base/alloc.h"
#include "ingest/parts.h"

/* The lines about functions and calls, and the error; the caller frees. */
static char *facts_of(const char *reader, struct str text, struct err *err)
{
	const struct read_options options = { .strict = false };
	struct recording r;
	struct buf out;

	recording_init(&r);
	buf_init(&out, SIZE_MAX);
	buf_add_text(&out, "");
	recording_read_as(&r, reader_find(reader), text, &options, err);
	assert_false(r.is_ill);
	for (const char *p = recording_text(&r); *p;) {
		const char *next = strchr(p, '\n') + 1;
		if (strncmp(p, "function ", 9) == 0 || strncmp(p, "call ", 5) == 0 ||
		    strncmp(p, "op ", 3) == 0)
			buf_add(&out, p, (size_t)(next - p));
		p = next;
	}
	recording_release(&r);
	return out.p;
}

static void assert_report(const char *reader, const char *text, const char *expected)
{
	struct err err = ERR_INIT;
	char *facts = facts_of(reader, str_of(text), &err);

	assert_string_equal(err.text, "");
	assert_string_equal(facts, expected);
	free(facts);
}

static void the_three_layouts_of_lightning_are_one(void **state)
{
	static const char facts[] =
		"function \"~\":0 \"a b|c\" calls=12/12 self=nan total=0.12\n"
		"function \"~\":0 \"d\" calls=1/1 self=nan total=3\n";

	(void)state;
	assert_report("lightning",
		      "Profiler Report\n\n"
		      "Action    \t|  Mean duration (s)\t|  Total time (s) \n-----\n"
		      "a b|c     \t|  0.01           \t|  0.12           \n"
		      "d         \t|  3.0            \t|  3.0            \n",
		      facts);
	assert_report("lightning",
		      "Action\t|  Mean duration (s)\t|Num calls\t|  Total time (s) "
		      "\t|  Percentage %\t|\n----\n"
		      "Total\t|  -\t|_\t|  3.2\t|  100 %\t|\n----\n"
		      "a b|c\t|  0.01\t|12\t|  0.12\t|  3.75\t|\n"
		      "d\t|  3.0\t|1\t|  3.0\t|  93.75\t|\n",
		      facts);
	assert_report("lightning",
		      "INFO:  | FIT Profiler Report\nFIT Profiler Report\n----\n"
		      "|  Action |  Mean duration (s) |  Num calls |  Total time (s) |  "
		      "Percentage % |\n----\n"
		      "|  Total | - | 13 | 3.2 | 100 % |\n----\n"
		      "|  a b|c | 0.01 | 12 | 0.12 | 3.75 |\n"
		      "Epoch 3: 100%|####| 3/3\n"
		      "|  d | 3.0 | 1 | 3.0 | 93.75 |\n----\n"
		      "|  no row | 1.0 | 1 | 1.0 | 1.0 |\n",
		      facts);
}

static void what_yappi_cuts_off_is_not_known(void **state)
{
	(void)state;
	assert_report("yappi-text",
		      "Clock type: CPU\nOrdered by: totaltime, desc\n\n"
		      "name            ncall  tsub      ttot      tavg      \n"
		      "a b.py:19 main  2/1    0.500000  0.250000  0.262650  \n"
		      "..thon:x        927..  123.50..  123456..  0.000000  \n"
		      "no row\n\n"
		      "name  id  tid  ttot  scnt\n"
		      "main  0   1    0.2   3   \n",
		      "function \"a b.py\":19 \"main\" calls=2/1 self=0.5 total=0.25\n"
		      "function \"~\":0 \"..thon:x\" calls=-1/-1 self=123.5 total=nan\n");
}

/* Of the host, of the device, and a range of the host's name there. */
static void the_columns_of_torch_are_as_wide_as_their_dashes(void **state)
{
	(void)state;
	assert_report(
		"torch-table",
		"[rank 0] epoch 1\n"
		"-------  --------  ---------  ----------  ----------  -------  --------  ----------  ------------  \n"
		"   Name  Self CPU  CPU total   Self CUDA  CUDA total  CPU Mem  CUDA Mem  # of Calls  Total KFLOPs  \n"
		"-------  --------  ---------  ----------  ----------  -------  --------  ----------  ------------  \n"
		"   a  b   1.500us    2.500ms     1.000us     2.000us  -316 Kb      2 MB           3         1.500  \n"
		"  gemm<   0.000us    0.000us      1.000s      1.000s      0 b       0 b           1            --  \n"
		"   a  b   0.000us    0.000us      1.000s      1.000s      0 b       0 b           1            --  \n"
		"    cut   0.000us    0.000us      1.000x      1.000s      0 b       0 b           1            --  \n"
		"-------  --------  ---------  ----------  ----------  -------  --------  ----------  ------------  \n"
		"Self CPU time total: 3.000us\n",
		"op 0 \"a  b\" calls=3 self=1500 total=2500000 device=1000/2000 "
		"bytes=0/-323584/0/2097152 flops=1500\n"
		"op 1 \"gemm<\" calls=1 self=0 total=0 device=1000000000/1000000000 "
		"bytes=0/0/0/0\n"
		"op 2 \"a  b\" calls=1 self=0 total=0 device=1000000000/1000000000 "
		"bytes=0/0/0/0\n");
}

/* b is imported within itself: its total counts once. */
static void imports_stand_above_what_imports_them(void **state)
{
	(void)state;
	assert_report("importtime",
		      "import time: self [us] | cumulative | imported package\n"
		      "import time:    250000 |     250000 |     b\n"
		      "a line of the program\n"
		      "import time:    500000 |     750000 |   b\n"
		      "import time:    250000 |     250000 |   c d\n"
		      "import time:   1000000 |    2000000 | a\n"
		      "import time:   1000000 |    1000000 | c d\n"
		      "import time:   1000000 |    1000000 | cut",
		      "function \"~\":0 \"b\" calls=2/1 self=0.75 total=0.75\n"
		      "call from \"~\":0 \"a\" calls=1/1 self=0.5 total=0.75\n"
		      "call from \"~\":0 \"b\" calls=1/0 self=0.25 total=0\n"
		      "function \"~\":0 \"c d\" calls=2/2 self=1.25 total=1.25\n"
		      "call from \"~\":0 \"a\" calls=1/1 self=0.25 total=0.25\n"
		      "function \"~\":0 \"a\" calls=1/1 self=1 total=2\n");
}

static void a_row_that_is_cut_is_none(void **state)
{
	(void)state;
	assert_report("lightning",
		      "Action\t|  Mean duration (s)\t|  Total time (s) \n"
		      "a     \t|  0.01           \t|  0.12           \n"
		      "d     \t|  3.0            \t|  3.0",
		      "function \"~\":0 \"a\" calls=12/12 self=nan total=0.12\n");
}

/*
 * But for the last line, whose stack may go on, and for what rows further on say of an
 * operator's kind.
 */
static void assert_begins(char *whole, char *facts)
{
	size_t n = strlen(facts);

	if (n == 0)
		return;
	for (n--; n > 0 && facts[n - 1] != '\n';)
		n--;
	for (size_t i = 0; i + 3 < n; i++)
		if (strncmp(facts + i, "op ", 3) == 0 && (i == 0 || facts[i - 1] == '\n'))
			facts[i + 3] = whole[i + 3];
	assert_true(strncmp(whole, facts, n) == 0);
}

/* Every fixture, cut at every byte: what is whole is read, and nothing else. */
static void what_is_whole_in_a_cut_report_is_read(void **state)
{
	char *text = NULL;
	size_t cap = 0;
	char *path = NULL;
	struct dirent *entry;
	char *folder = xasprintf("%s/pyprof/reports", getenv("FIXTURES"));
	DIR *dir = opendir(folder);

	(void)state;
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		path = xasprintf("%s/%s", folder, entry->d_name);
		FILE *file = fopen(path, "rb");
		ssize_t n = getdelim(&text, &cap, EOF, file);
		fclose(file);
		assert_true(n > 0);
		const struct reader *reader =
			reader_detect((struct bytes){ (const uint8_t *)text, (size_t)n });
		assert_non_null(reader);
		struct err err = ERR_INIT;
		char *whole =
			facts_of(reader->name, (struct str){ text, (size_t)n }, &err);
		assert_string_equal(err.text, "");
		for (size_t at = 0; at < (size_t)n && at < 4000; at += 1 + at / 200) {
			err = (struct err)ERR_INIT;
			char *facts =
				facts_of(reader->name, (struct str){ text, at }, &err);
			/* what imports a module stands behind it */
			if (strcmp(reader->name, "importtime") != 0)
				assert_begins(whole, facts);
			free(facts);
		}
		free(whole);
		free(path);
	}
	closedir(dir);
	free(folder);
	free(text);
}

static void a_text_of_several_reports_has_parts(void **state)
{
	static const char text[] = "log\nFIT Profiler Report\n\n"
				   "Profile stats for: a/b\nx\n"
				   "Profile stats for: c\ny\n"
				   "FIT Profiler Report\n"
				   "Profile stats for: c\n"
				   "Profile stats for: c\n";
	static const char *const names[] = { "FIT/a_b", "FIT/c", "FIT 2/c", "FIT 2/c 2" };
	static const size_t at[] = { 4, 50, 73, 114 };
	struct parts parts;

	(void)state;
	parts_find((struct bytes){ (const uint8_t *)text, sizeof(text) - 1 }, NULL,
		   &parts);
	assert_int_equal(parts.n, 4);
	for (size_t i = 0; i < parts.n; i++) {
		assert_true(str_is(parts.items[i].name, names[i]));
		assert_int_equal(parts.items[i].at, at[i]);
	}
	assert_int_equal(parts.items[3].at + parts.items[3].n, sizeof(text) - 1);
	parts_release(&parts);
}

/* Reports that no line begins stand before another's, and among its lines. */
static void a_report_deletes_no_other_in_its_text(void **state)
{
	static const char memory[] = "Filename: a.py\n\n"
				     "Line #    Mem usage    Increment   Line Contents\n"
				     "     1     10.0 MiB     10.0 MiB   def f():\n\n";
	static const char title[] =
		"import time: self [us] | cumulative | imported package\n";
	static const char listing[] =
		"         3 function calls in 3.000 seconds\n\n"
		"   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"
		"        3    3.000    1.000    3.000    1.000 a.py:1(f)\n"
		"import time:         5 |          5 | late\n\n";
	char *text = xasprintf("%s%s%s", memory, title, listing);
	const struct {
		const char *reader;
		size_t at, n;
	} wanted[] = {
		{ "line-report", 0, strlen(memory) },
		{ "importtime", strlen(memory), strlen(title) + strlen(listing) },
		{ "pstats-text", strlen(memory), strlen(title) + strlen(listing) },
	};
	struct parts parts;

	(void)state;
	parts_find((struct bytes){ (const uint8_t *)text, strlen(text) }, NULL, &parts);
	assert_int_equal(parts.n, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(parts.items[i].reader->name, wanted[i].reader);
		assert_int_equal(parts.items[i].at, wanted[i].at);
		assert_int_equal(parts.items[i].n, wanted[i].n);
	}
	parts_release(&parts);
	/* without another's it is one report, wherever it stands */
	parts_find((struct bytes){ (const uint8_t *)memory, strlen(memory) }, NULL,
		   &parts);
	assert_int_equal(parts.n, 0);
	parts_release(&parts);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_three_layouts_of_lightning_are_one),
		cmocka_unit_test(what_yappi_cuts_off_is_not_known),
		cmocka_unit_test(the_columns_of_torch_are_as_wide_as_their_dashes),
		cmocka_unit_test(imports_stand_above_what_imports_them),
		cmocka_unit_test(a_row_that_is_cut_is_none),
		cmocka_unit_test(what_is_whole_in_a_cut_report_is_read),
		cmocka_unit_test(a_text_of_several_reports_has_parts),
		cmocka_unit_test(a_report_deletes_no_other_in_its_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
