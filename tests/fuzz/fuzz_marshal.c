/*
 * Python's marshal, and dumps made of it, on any bytes: whatever was walked once can be
 * looked at and is walked again to the same ends; no value lies outside; memory is a few
 * bytes for each byte; an error names a byte of the input.
 * timeout: 600 s
 */
#include <stdint.h>
#include <stdlib.h>

#include "../unit/recording_sink.h"

#include "ingest/marshal.h"

#define TEXT_MAX ((size_t)1 << 24)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void look_at(struct marshal *m, size_t at)
{
	struct marshal_value v = marshal_at(m, at);
	struct buf text;

	must(v.at < m->text.n && v.items <= m->text.n + 1);
	if (v.type == MARSHAL_STRING)
		must(v.items + v.bytes.n <= m->text.n);
	if (v.type == MARSHAL_TUPLE || v.type == MARSHAL_LIST)
		must(v.n <= m->text.n);
	buf_init(&text, TEXT_MAX);
	if (v.type == MARSHAL_STRING) {
		marshal_add_text(&v, &text);
		must(text.n <= 3 * v.bytes.n);
		buf_clear(&text);
		marshal_add_file_name(&v, &text);
		must(text.n <= v.bytes.n);
	}
	if (v.type == MARSHAL_INT && v.is_big)
		marshal_add_digits(m, &v, &text);
	if (v.type == MARSHAL_CODE)
		must(marshal_code(m, &v).name.type == MARSHAL_STRING);
	buf_release(&text);
}

/* The items of the outermost object, one behind the other. */
static void look_at_items(struct marshal *m)
{
	struct marshal_value top = marshal_at(m, 0);
	size_t at = top.items;

	look_at(m, 0);
	if (top.type == MARSHAL_TUPLE || top.type == MARSHAL_LIST) {
		for (size_t i = 0; i < top.n && at; i++) {
			look_at(m, at);
			at = marshal_behind(m, at);
			must(at <= m->end);
		}
		must(!at || at == m->end);
	}
	while (top.type == MARSHAL_DICT && at && (m->text.p[at] & 0x7f) != '0') {
		look_at(m, at);
		at = marshal_behind(m, at);
		must(at < m->end);
	}
}

static void walk_twice(struct bytes text)
{
	struct marshal m, again;
	struct err err = ERR_INIT, err_again = ERR_INIT;
	int rc = marshal_open(&m, text, &err);

	must(marshal_open(&again, text, &err_again) == rc);
	must(rc == 0 || (err.offset >= 0 && err.offset <= (int64_t)text.n));
	must(m.end == again.end && m.nrefs == again.nrefs &&
	     m.ninterned == again.ninterned && m.ncodes == again.ncodes);
	must(m.nrefs + m.ninterned + m.ncodes <= 3 * text.n);
	if (rc == 0) {
		must(m.end <= text.n);
		look_at_items(&m);
	}
	marshal_release(&m);
	marshal_release(&again);
}

/* 0 or -1; the facts in *r, which the caller releases. */
static int read_dump(struct recording *r, struct str text, bool strict)
{
	struct read_options options = { .strict = strict };
	struct err err = ERR_INIT;

	recording_init(r);
	int rc = recording_read_as(r, reader_find("pstats"), text, &options, &err);
	must((rc == 0) == (err.kind == ERR_NONE));
	must(!r->is_ill);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct recording tolerant, again;

	walk_twice((struct bytes){ data, size });
	reader_detect((struct bytes){ data, size });
	int rc = read_dump(&tolerant, text, false);
	must(read_dump(&again, text, false) == rc);
	must(str_equal(buf_str(&tolerant.lines), buf_str(&again.lines)));
	recording_release(&again);
	must(read_dump(&again, text, true) < 0 || rc == 0);
	recording_release(&again);
	recording_release(&tolerant);
	return 0;
}
