/*
 * Pickles, and snapshots made of them, on any bytes: what is read is read again to the
 * same end; every item and value lies inside; memory is a few objects for each byte; an
 * error names a byte of the input; and dumps of line_profiler.  Corpus only: no trace is
 * a pickle.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/recording_sink.h"

#include "ingest/pickle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static bool is_container(const struct pickle_value *v)
{
	return v->type == PICKLE_TUPLE || v->type == PICKLE_LIST ||
	       v->type == PICKLE_DICT;
}

static void look_at(const struct pickle *p, const struct pickle_value *v)
{
	uint32_t n = 0;

	must(v->at < p->text.n);
	if (v->type == PICKLE_TEXT || v->type == PICKLE_BYTES)
		must(v->as.text.p >= (const char *)p->text.p &&
		     v->as.text.p + v->as.text.n <= (const char *)p->text.p + p->text.n);
	if (!is_container(v)) {
		must(v->first == PICKLE_NONE && v->n == 0);
		return;
	}
	for (uint32_t i = v->first; i != PICKLE_NONE; i = p->items[i].next, n++) {
		must(i < p->nitems && p->items[i].value < p->nvalues);
		must(n < v->n);
	}
	must(n == v->n);
	must(v->type != PICKLE_DICT || n % 2 == 0);
}

static void read_twice(struct bytes text)
{
	struct pickle p, again;
	struct err err = ERR_INIT, err_again = ERR_INIT;
	int rc = pickle_open(&p, text, &err);

	must(pickle_open(&again, text, &err_again) == rc);
	must(rc == 0 || (err.offset >= 0 && err.offset <= (int64_t)text.n));
	must(strcmp(err.text, err_again.text) == 0 && err.offset == err_again.offset);
	must(p.nvalues == again.nvalues && p.nitems == again.nitems);
	must(p.nvalues <= text.n && p.nitems <= text.n + p.nvalues && p.nmemo <= text.n);
	for (size_t i = 0; i < p.nvalues; i++)
		look_at(&p, &p.values[i]);
	must(rc < 0 || p.top < p.nvalues);
	pickle_release(&p);
	pickle_release(&again);
}

/* 0 or -1; the facts in *r, which the caller releases. */
static int read_snapshot(struct recording *r, struct str text)
{
	const struct read_options options = { .strict = false };
	struct err err = ERR_INIT;

	recording_init(r);
	int rc = recording_read_as(r, reader_find("snapshot"), text, &options, &err);
	must((rc == 0) == (err.kind == ERR_NONE));
	must(!r->is_ill);
	return rc;
}

/* Objects of line_profiler: twice the same, too. */
static void read_lprof(struct str text)
{
	const struct read_options options = { .strict = false };
	struct recording once, again;
	struct err err = ERR_INIT, err_again = ERR_INIT;

	recording_init(&once);
	recording_init(&again);
	int rc = recording_read_as(&once, reader_find("lprof"), text, &options, &err);
	must(recording_read_as(&again, reader_find("lprof"), text, &options,
			       &err_again) == rc);
	must((rc == 0) == (err.kind == ERR_NONE) && !once.is_ill);
	must(str_equal(buf_str(&once.lines), buf_str(&again.lines)));
	recording_release(&once);
	recording_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct recording once, again;

	read_twice((struct bytes){ data, size });
	reader_detect((struct bytes){ data, size });
	read_lprof(text);
	int rc = read_snapshot(&once, text);
	must(read_snapshot(&again, text) == rc);
	must(str_equal(buf_str(&once.lines), buf_str(&again.lines)));
	recording_release(&again);
	recording_release(&once);
	return 0;
}
