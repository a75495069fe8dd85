/*
 * Readers of sampled stacks, and of Scalene's lines, on any bytes: no crash, nothing that sink.h forbids, errors
 * within the input, the same facts each time and through small windows; what strict mode
 * accepts, tolerant mode does too.  The first byte chooses the reader.
 * corpus only
 */
#include <stdint.h>
#include <stdlib.h>

#include "../unit/recording_sink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = { "collapsed",  "speedscope",   "pprof",
				     "cpuprofile", "pyinstrument", "flamegraph",
				     "scalene",    "chrometrace",  "gecko" };

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* 0 or -1; the facts in *r, which the caller releases. */
static int read_window(struct recording *r, const struct reader *reader,
		       struct bytes text, bool strict, size_t window)
{
	struct read_options options = { .strict = strict };
	struct input *in = input_from_memory(text);
	struct err err = ERR_INIT;

	recording_init(r);
	if (window)
		input_set_window(in, window, (size_t)1 << 30);
	int rc = reader->read(in, &options, &r->sink, &err);
	input_close(in);
	must((rc == 0) == (err.kind == ERR_NONE));
	must(rc == 0 || err.text[0] != '\0');
	must(!r->is_ill);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recording tolerant, again;

	if (size == 0)
		return 0;
	const struct reader *reader =
		reader_find(names[data[0] % (sizeof(names) / sizeof(*names))]);
	struct bytes text = { data + 1, size - 1 };
	reader_detect(text);
	int rc = read_window(&tolerant, reader, text, false, 0);
	must(read_window(&again, reader, text, false, 64) == rc);
	must(rc < 0 || str_equal(buf_str(&tolerant.lines), buf_str(&again.lines)));
	recording_release(&again);
	must(read_window(&again, reader, text, true, 0) < 0 || rc == 0);
	recording_release(&again);
	recording_release(&tolerant);
	return 0;
}
