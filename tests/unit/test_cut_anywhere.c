/*
 * Every fixture, whatever its format and compression, cut where it may be: its reader
 * tells facts that keep the promises of sink.h, or one line that says what is wrong.
 * Some places of each file; with LONG=1 every byte of those up to 32 KiB, and 2,000
 * places of larger ones, which LONG=all cuts at every byte, too: an hour.
 */
#include "reading.h"

#include <ftw.h>
#include <stdio.h>

#include "base/alloc.h"
#include "ingest/reader.h"

#define PLACES      6
#define PLACES_LONG 2000
#define WHOLE_MAX   ((size_t)32 << 10)
#define FILE_MAX    ((size_t)1 << 20) /* larger ones only with LONG=1 */

static struct {
	size_t files, cuts, refused;
} seen;

static struct bytes read_file(const char *path, size_t size)
{
	uint8_t *bytes = xmalloc(size + 1);
	FILE *in = fopen(path, "rb");

	assert_non_null(in);
	assert_int_equal(size, fread(bytes, 1, size, in));
	fclose(in);
	return (struct bytes){ bytes, size };
}

/* In memory of their exact size, so that sanitizers see each overrun. */
static void read_beginning(const char *path, struct bytes file, size_t size)
{
	const struct read_options options = { .strict = false };
	struct err err = ERR_INIT;
	struct recording r;
	uint8_t *copy = xmalloc(size ? size : 1);

	memcpy(copy, file.p, size);
	recording_init(&r);
	struct input *in = input_from_memory((struct bytes){ copy, size });
	const struct reader *reader = reader_detect(input_peek(in, PROBE_BYTES, &err));
	int rc = err.kind ? -1 : reader ? reader->read(in, &options, &r.sink, &err) : 0;
	if (r.is_ill || (rc < 0) != (err.kind != ERR_NONE) ||
	    (rc < 0 && (!err.text[0] || strchr(err.text, '\n'))))
		fail_msg("%s cut at byte %zu: %d, '%s'", path, size, rc, err.text);
	seen.cuts++;
	seen.refused += rc < 0 || !reader;
	input_close(in);
	recording_release(&r);
	free(copy);
}

static int cut_file(const char *path, const struct stat *st, int type, struct FTW *place)
{
	size_t size = (size_t)st->st_size, step = 1;
	const char *how_long = getenv("LONG");
	bool is_long = is_set("LONG"),
	     is_whole = how_long && strcmp(how_long, "all") == 0;

	(void)place;
	if (type != FTW_F || (size > FILE_MAX && !is_long))
		return 0;
	if (!is_long || (size > WHOLE_MAX && !is_whole))
		step = size / (is_long ? PLACES_LONG : PLACES) | 1;
	struct bytes file = read_file(path, size);
	for (size_t at = 0; at < size; at += step)
		read_beginning(path, file, at);
	seen.files++;
	void *owned;
	memcpy(&owned, &file.p, sizeof(owned));
	free(owned);
	return 0;
}

static void a_fixture_cut_anywhere_is_read_or_refused(void **state)
{
	const char *fixtures = getenv("FIXTURES");

	(void)state;
	assert_int_equal(
		0, nftw(fixtures ? fixtures : "tests/fixtures", cut_file, 16, FTW_PHYS));
	print_message("# %zu files, %zu cuts, %zu refused\n", seen.files, seen.cuts,
		      seen.refused);
	assert_true(seen.files > 200 && seen.refused > 0 && seen.refused < seen.cuts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fixture_cut_anywhere_is_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
