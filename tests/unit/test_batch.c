/*
 * What a batch keeps, it says again to the letter and with the same numbers
 * (ingest/batch.h).  Runs under TSAN.
 */
#include "reading.h"

#include <dirent.h>

#include "base/alloc.h"
#include "ingest/batch.h"
#include "ingest/chrome.h"

static void no_profile(struct sink *s, const struct profile_fact *profile)
{
	(void)s;
	(void)profile;
}

static void no_device(struct sink *s, const struct device_info_fact *device)
{
	(void)s;
	(void)device;
}

static int read_into(const char *path, struct sink *sink, struct err *err)
{
	struct read_options options = { .keep_args = true };
	struct input *in = input_open(path, err);

	assert_non_null(in);
	int rc = chrome_read_windowed(in, &options, sink, WINDOW_BYTES, err);
	input_close(in);
	return rc;
}

/* The texts in the order of their numbers. */
static void assert_same_texts(const struct intern *a, const struct intern *b)
{
	assert_int_equal(a->n, b->n);
	for (uint32_t i = 0; i < a->n; i++)
		assert_true(str_equal(intern_str(a, i), intern_str(b, i)));
}

static void assert_said_again(const char *path)
{
	struct recording direct, again;
	struct batch batch;
	struct err err = ERR_INIT;

	recording_init(&direct);
	recording_init(&again);
	batch_init(&batch);
	direct.sink.profile = no_profile;
	direct.sink.device_info = no_device;
	batch.sink.profile = no_profile;
	batch.sink.device_info = no_device;
	for (int round = 0; round < 2; round++) {
		batch_clear(&batch);
		assert_int_equal(read_into(path, batch_sink(&batch), &err), 0);
	}
	assert_int_equal(read_into(path, &direct.sink, &err), 0);
	assert_int_equal(batch_replay(&batch, &again.sink, &err), 0);
	assert_string_equal(recording_text(&direct), recording_text(&again));
	assert_same_texts(&direct.texts, &again.texts);
	assert_same_texts(&direct.tracks, &again.tracks);
	assert_false(again.is_ill);
	batch_release(&batch);
	recording_release(&again);
	recording_release(&direct);
}

static void every_fixture_is_said_again(void **state)
{
	const char *fixtures = getenv("FIXTURES");
	char *folder = xasprintf("%s/gpu", fixtures ? fixtures : "tests/fixtures");
	struct dirent **entries = NULL;
	int n = scandir(folder, &entries, NULL, alphasort), ntraces = 0;

	(void)state;
	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;
		if (strstr(name, ".json") && !strstr(name, ".truth.")) {
			char *path = xasprintf("%s/%s", folder, name);
			assert_said_again(path);
			free(path);
			ntraces++;
		}
		free(entries[i]);
	}
	free(entries);
	free(folder);
	assert_true(ntraces > 10);
}

static void a_sink_that_fails_ends_it(void **state)
{
	struct recording r;
	struct batch batch;
	struct err err = ERR_INIT;
	struct slice_fact slice = { .category = TEXT_NONE };
	struct track_fact track = { .kind = TRACK_THREAD,
				    .pid = { 1, TEXT_NONE },
				    .tid = { 1, TEXT_NONE },
				    .scope = TEXT_NONE };

	(void)state;
	recording_init(&r);
	r.fail_after = 1;
	batch_init(&batch);
	struct sink *sink = batch_sink(&batch);
	slice.track = sink->track(sink, &track);
	slice.name = sink->text(sink, STR_LIT("a"));
	for (int i = 0; i < 3; i++)
		assert_int_equal(sink->slice(sink, &slice, &err), 0);
	assert_int_equal(batch_replay(&batch, &r.sink, &err), -1);
	assert_int_not_equal(err.kind, ERR_NONE);
	assert_int_equal(r.nslices, 1);
	batch_release(&batch);
	recording_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_fixture_is_said_again),
		cmocka_unit_test(a_sink_that_fails_ends_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
