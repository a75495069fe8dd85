/*
 * The reader where its input ends or its window does: at every byte of the small
 * fixtures the facts are those of the whole file, or of its beginning.  And where
 * a bit of it is another one.
 */
#include "reading.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"

#define FILES_MAX    64
#define SMALL_MAX    ((size_t)8 << 10)   /* bytes: all places of such a file are tried */
#define WINDOWED_MAX ((size_t)350 << 10) /* bytes: windows of one byte take long */

/* timeout: 600 s */

struct file {
	char *name;      /* owned */
	struct buf text; /* owned, decompressed */
};

struct files {
	struct file file[FILES_MAX];
	size_t n;
};

static void add_file(struct files *files, const char *folder, const char *name)
{
	struct err err = ERR_INIT;
	struct file *file = &files->file[files->n++];

	assert_true(files->n <= FILES_MAX);
	file->name = xasprintf("%s/%s", folder, name);
	buf_init(&file->text, (size_t)64 << 20);
	struct input *in = input_open(file->name, &err);
	assert_non_null(in);
	struct bytes all = input_peek(in, (size_t)32 << 20, &err);
	buf_add(&file->text, all.p, all.n);
	input_close(in);
}

/* The traces of a folder of fixtures: files, or one in each of its folders. */
static void add_folder(struct files *files, const char *folder)
{
	const char *fixtures = getenv("FIXTURES");
	char *path = xasprintf("%s/%s", fixtures ? fixtures : "tests/fixtures", folder);
	struct dirent **entries = NULL;
	int n = scandir(path, &entries, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;
		char *inner = xasprintf("%s/trace.json.gz", name);
		char *inner_path = xasprintf("%s/%s", path, inner);
		if (access(inner_path, R_OK) == 0)
			add_file(files, path, inner);
		else if (strstr(name, ".json") && !strstr(name, ".truth."))
			add_file(files, path, name);
		free(inner_path);
		free(inner);
		free(entries[i]);
	}
	free(entries);
	free(path);
}

static int load_files(void **state)
{
	struct files *files = xcalloc(1, sizeof(*files));

	add_folder(files, "gpu");
	add_folder(files, "torch");
	*state = files;
	return files->n > 20 ? 0 : -1;
}

static int free_files(void **state)
{
	struct files *files = *state;

	for (size_t i = 0; i < files->n; i++) {
		free(files->file[i].name);
		buf_release(&files->file[i].text);
	}
	free(files);
	return 0;
}

/* The lines of a reading that begin with a word, or those that do not; the caller frees them. */
static char *filtered(const char *lines, const char *word, bool with)
{
	struct buf out;

	buf_init(&out, (size_t)1 << 30);
	buf_add_text(&out, "");
	while (*lines) {
		const char *next = strchr(lines, '\n') + 1;
		if ((strncmp(lines, word, strlen(word)) == 0) == with)
			buf_add(&out, lines, (size_t)(next - lines));
		lines = next;
	}
	return out.p;
}

static size_t count(const char *lines, const char *what)
{
	size_t n = 0;

	for (const char *p = lines; (p = strstr(p, what)); p++)
		n++;
	return n;
}

/* What the reader says of a text; NULL when it is refused. */
static char *read_lines(struct str text, size_t window)
{
	struct recording r;
	struct err err = ERR_INIT;
	char *lines = NULL;

	recording_init(&r);
	if (recording_read(&r, text, &(struct read_options){ .strict = false }, window,
			   &err) == 0)
		lines = xstrdup(recording_text(&r));
	else
		assert_true(err.text[0] != '\0' && !strchr(err.text, '\n'));
	assert_false(r.is_ill);
	recording_release(&r);
	return lines;
}

/*
 * A step that visits every byte of small files (every seventh under SAN, where a reading
 * costs ten times as much) and, so that the test ends, 300
 * places of larger ones; with LONG=1 every byte up to 32 KiB, else 1,000.  It has no factor in
 * common with the lines' lengths.
 */
static size_t stride_of(size_t size)
{
	bool is_long = is_set("LONG");
	size_t places = is_long ? 1000 : size > WINDOWED_MAX ? 50 : 300;

	if (is_set("SAN") && !is_long)
		return size <= SMALL_MAX ? 7 : (size / places * 2) | 1;
	return size <= (is_long ? (size_t)32 << 10 : SMALL_MAX) ? 1 : (size / places) | 1;
}

static void assert_cut_gives_the_beginning(const struct file *file, const char *slices,
					   size_t findings, size_t size)
{
	char *lines = read_lines((struct str){ file->text.p, size }, 0);
	bool is_array = file->text.p[strspn(file->text.p, " \n")] == '[';

	if (!lines)
		return; /* no event was whole: the error was checked */
	char *got = filtered(lines, "slice ", true);
	if (strncmp(got, slices, strlen(got)) != 0)
		fail_msg("%s cut at byte %zu gives other slices", file->name, size);
	size_t cuts = count(lines, "finding truncated ");
	size_t others = count(lines, "finding ") - cuts;
	if (cuts > 1 || (cuts == 0 && !is_array) || others > findings)
		fail_msg("%s cut at byte %zu: %zu times truncated, %zu other findings",
			 file->name, size, cuts, others);
	free(got);
	free(lines);
}

static void a_file_cut_at_any_byte_gives_its_beginning(void **state)
{
	const struct files *files = *state;

	for (size_t i = 0; i < files->n; i++) {
		const struct file *file = &files->file[i];
		struct str whole = buf_str(&file->text);
		char *lines = read_lines(whole, 0);
		char *slices = filtered(lines, "slice ", true);
		size_t findings = count(lines, "finding ");

		assert_int_equal(count(lines, "finding truncated "), 0);
		while (whole.n && strchr(" \n", whole.p[whole.n - 1]))
			whole.n--;
		size_t stride = stride_of(whole.n);
		for (size_t size = 0; size < whole.n; size += stride)
			assert_cut_gives_the_beginning(file, slices, findings, size);
		free(slices);
		free(lines);
	}
}

/* Any answer will do that keeps the promises of sink.h, which read_lines() looks at. */
static void a_bit_turned_over_anywhere_breaks_no_promise(void **state)
{
	const struct files *files = *state;

	for (size_t i = 0; i < files->n; i++) {
		const struct buf *text = &files->file[i].text;
		size_t places = text->n > WINDOWED_MAX ? 10
				: text->n > SMALL_MAX  ? 100
						       : 1000;
		if (is_set("LONG"))
			places = 1000;
		for (size_t k = 0; k < places; k++) {
			char bit = (char)(1 << k % 8);
			char *at = text->p + text->n / places * k + k % 7;
			*at = (char)(*at ^ bit);
			free(read_lines(buf_str(text), 0));
			*at = (char)(*at ^ bit);
		}
	}
}

/* In the array form only half an event is missed: a missing ] is allowed. */
static void an_array_is_truncated_exactly_within_an_event(void **state)
{
	const char *json =
		" [ {\"ph\":\"i\",\"name\":\"a\",\"ts\":1} , {\"ph\":\"i\",\"name\":\"b\","
		"\"ts\":2,\"args\":{\"x\":[{}]}} ] ";
	size_t depth = 0, n = strlen(json), whole = 0;

	(void)state;
	for (size_t size = 0; size < n; size++) {
		char *lines = read_lines((struct str){ json, size }, 0);
		if (size > 0 && json[size - 1] == '{')
			depth++;
		if (size > 0 && json[size - 1] == '}')
			whole += --depth == 0;
		assert_int_equal(lines != NULL, whole > 0);
		if (lines) {
			assert_int_equal(count(lines, "finding truncated "), depth > 0);
			assert_int_equal(count(lines, "slice "), whole);
		}
		free(lines);
	}
}

static void assert_same_through_window(const struct file *file, const char *expected,
				       size_t window)
{
	char *lines = read_lines(buf_str(&file->text), window);

	if (!lines || strcmp(lines, expected) != 0)
		fail_msg("%s reads differently through a window of %zu bytes", file->name,
			 window);
	free(lines);
}

static void windows_of_any_size_give_the_same_facts(void **state)
{
	static const size_t sizes[] = { 1,   2,   3,    5,    8,     13,   17,
					31,  64,  100,  127,  200,   333,  512,
					700, 999, 1500, 4096, 10007, 65536 };
	const struct files *files = *state;

	for (size_t i = 0; i < files->n; i++) {
		if (files->file[i].text.n > WINDOWED_MAX)
			continue;
		char *expected = read_lines(buf_str(&files->file[i].text), 0);
		for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
			assert_same_through_window(&files->file[i], expected, sizes[k]);
		free(expected);
	}
}

/* Every kind of damage. */
static const char *const damaged[] = {
	"\xef\xbb\xbf { \"a\" : [ 1 , { \"b\" : \"\\u00e9\\ud83d\\ude80\" } ] , \"traceEvents\" : [ "
	"{ \"ph\" : \"X\" , \"name\" : \"q\"uote\" , \"ts\" : 1.5e3 , \"dur\" : 2 } , null , "
	"{ \"ph\" : \"X\" , \"name\" : oops } , { \"ph\" : \"i\" , \"ts\" : -1 , \"name\" : NaN } "
	"{ \"ph\" : \"i\" , \"ts\" : 01 , \"name\" : \"C:\\path\" } , , ] , \"samples\" : [] , , "
	"\"c\" : tru , \"d\" : \"\t\" \"e\" : true , } trailing",
	"[{\"ph\":\"X\",\"args\":{\"l\":[{\"name\":1},{\"ts\":2}],\"x\":},\"ts\":1},"
	"{\"ph\":\"i\",\"name\":\"a\",\"ts\":1},-,{\"ph\":\"i\",\"name\":\"b\",\"ts\":2}]",
	"[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1},{\"ph\":\"X\",\"args\":{\"l\":[{\"name\":1},"
	"{\"name\":2},{\"na",
	"{\"traceEvents\":[{\"ph\":\"X\",\"args\":{\"l\":[1,{\"ph\":\"i\",\"name\":\"a\","
	"\"ts\":1},{\"ph\":\"i\",\"name\":\"b\",\"ts\":2}],\"k\":1}",
};

#define NDAMAGED (sizeof(damaged) / sizeof(*damaged))

/* Every byte of the texts is a window's end for some size. */
static void windows_of_any_size_give_the_same_findings(void **state)
{
	(void)state;
	for (size_t i = 0; i < NDAMAGED; i++) {
		char *expected = read_lines(str_of(damaged[i]), 0);
		assert_non_null(expected);
		for (size_t window = 1; window < strlen(damaged[i]) + 20; window++) {
			char *lines = read_lines(str_of(damaged[i]), window);
			assert_string_equal(lines, expected);
			free(lines);
		}
		free(expected);
	}
}

/* 1 when it was stopped, 0 when it read all. */
static int read_until_stopped(const char *text, int ticks)
{
	struct recording r;
	struct err err = ERR_INIT;

	recording_init(&r);
	r.stop_after = ticks;
	int rc = recording_read(&r, str_of(text),
				&(struct read_options){ .strict = false }, 8, &err);
	if (rc < 0)
		assert_string_equal(err.text, "interrupted");
	recording_release(&r);
	return rc < 0;
}

static void an_interrupt_at_any_refill_stops_the_reader(void **state)
{
	(void)state;
	for (size_t i = 0; i < NDAMAGED; i++) {
		int ticks = 0;

		while (read_until_stopped(damaged[i], ticks))
			ticks++;
		assert_true(ticks > 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_cut_at_any_byte_gives_its_beginning),
		cmocka_unit_test(a_bit_turned_over_anywhere_breaks_no_promise),
		cmocka_unit_test(an_array_is_truncated_exactly_within_an_event),
		cmocka_unit_test(windows_of_any_size_give_the_same_facts),
		cmocka_unit_test(windows_of_any_size_give_the_same_findings),
		cmocka_unit_test(an_interrupt_at_any_refill_stops_the_reader),
	};

	return cmocka_run_group_tests(tests, load_files, free_files);
}
