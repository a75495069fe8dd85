/*
 * Texts of pstats on any bytes: no crash, nothing that sink.h forbids, errors within the
 * input, the same facts each time; what strict mode accepts, tolerant mode does too.
 * timeout: 600 s
 */
#include <stdint.h>
#include <stdlib.h>

#include "../unit/recording_sink.h"
#include "ingest/foreign_head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* 0 or -1; the facts in *r, which the caller releases. */
static int read_text(struct recording *r, struct str text, bool strict)
{
	struct read_options options = { .strict = strict };
	struct err err = ERR_INIT;

	recording_init(r);
	int rc = recording_read_as(r, reader_find("pstats-text"), text, &options, &err);
	must((rc == 0) == (err.kind == ERR_NONE));
	must(rc == 0 || err.text[0] != '\0');
	must(!r->is_ill);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct recording tolerant, again;

	reader_detect((struct bytes){ data, size });
	foreign_file((struct bytes){ data, size }, STR_LIT("name"));
	int rc = read_text(&tolerant, text, false);
	must(read_text(&again, text, false) == rc);
	must(str_equal(buf_str(&tolerant.lines), buf_str(&again.lines)));
	recording_release(&again);
	must(read_text(&again, text, true) < 0 || rc == 0);
	recording_release(&again);
	recording_release(&tolerant);
	return 0;
}
