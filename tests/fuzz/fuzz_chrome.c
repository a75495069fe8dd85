/*
 * The reader of Chrome traces on any bytes: no crash, nothing that sink.h
 * forbids, errors within the input; and the same facts whatever the window, the
 * threads and their blocks.
 * One in 4.  timeout: 600 s
 */
#include <stdint.h>
#include <stdlib.h>

#include "../unit/recording_sink.h"
#include "base/hash.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* 0 or -1, the facts in *r, which the caller releases. */
static int read_bytes(struct recording *r, struct str text,
		      const struct read_options *options, size_t window)
{
	struct err err = ERR_INIT;

	recording_init(r);
	int rc = recording_read(r, text, options, window, &err);
	must((rc == 0) == (err.kind == ERR_NONE));
	must(rc == 0 || err.text[0] != '\0');
	must(!r->is_ill); /* a slice ends before it begins, an offset lies outside */
	return rc;
}

/* How much a damaged stream gives depends on the pieces it is asked for. */
static bool is_compressed(struct str text)
{
	return str_starts_with(text, STR_LIT("\x1f\x8b")) ||
	       str_starts_with(text, STR_LIT("\x28\xb5\x2f\xfd"));
}

/* What is said is the same through windows of that size, or in blocks by two threads. */
static void compare(struct str text, const struct read_options *options, size_t window,
		    size_t block)
{
	struct recording whole, again;
	struct read_options by_blocks = *options;

	by_blocks.threads = block ? 1 + (unsigned)(block % 3) : 0;
	by_blocks.block_size = block;
	int rc = read_bytes(&whole, text, options, 0);
	bool is_same = read_bytes(&again, text, &by_blocks, window) == rc &&
		       str_equal(buf_str(&whole.lines), buf_str(&again.lines));
	must(is_same || is_compressed(text));
	recording_release(&whole);
	recording_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	uint64_t choice = size ? hash_bytes(data, size) : 0;
	struct read_options tolerant = { .strict = false, .keep_args = choice & 1 };
	struct read_options strict = { .strict = true };
	struct recording r;

	compare(text, &tolerant, (choice >> 8) % 200, 0);
	if ((choice >> 32) % 4 == 0)
		compare(text, &tolerant, 0, 2 + (choice >> 16) % 300);
	bool strict_ok = read_bytes(&r, text, &strict, 0) == 0;
	recording_release(&r);
	/* what strict mode accepts, tolerant mode does too */
	bool tolerant_ok = read_bytes(&r, text, &tolerant, 0) == 0;
	must(tolerant_ok || !strict_ok);
	recording_release(&r);
	return 0;
}
