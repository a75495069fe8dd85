/* Keeping what a reader says: see batch.h. */
#include "ingest/batch.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "ingest/batch_record.h"

static struct batch *batch_of(struct sink *s)
{
	return (struct batch *)s;
}

/* Room for a body of that size; the record is not there before it is filled. */
static char *add(struct batch *b, enum batch_kind kind, size_t size)
{
	size_t whole = sizeof(struct batch_head) + size;

	whole = (whole + BATCH_ALIGN - 1) / BATCH_ALIGN * BATCH_ALIGN;
	b->said = xgrow(b->said, &b->said_cap, b->nsaid + whole, 1);
	char *at = b->said + b->nsaid;
	b->nsaid += whole;
	*(struct batch_head *)(void *)at =
		(struct batch_head){ (uint32_t)kind, (uint32_t)whole };
	return at + sizeof(struct batch_head);
}

static char *put(char *at, const void *bytes, size_t n)
{
	if (n)
		memcpy(at, bytes, n);
	return at + n;
}

static uint32_t on_text(struct sink *s, struct str text)
{
	struct batch *b = batch_of(s);
	size_t known = b->texts.n;
	uint32_t number = intern_add(&b->texts, text);

	if (number == known)
		add(b, BATCH_TEXT, 0);
	return number;
}

static uint32_t on_track(struct sink *s, const struct track_fact *track)
{
	struct batch *b = batch_of(s);
	size_t known = b->tracks.n;
	struct track_fact key;

	memset(&key, 0, sizeof(key)); /* the padding too: its bytes are the key */
	key.kind = track->kind;
	key.pid.number = track->pid.number;
	key.pid.text = track->pid.text;
	key.tid.number = track->tid.number;
	key.tid.text = track->tid.text;
	key.scope = track->scope;
	uint32_t number =
		intern_add(&b->tracks, (struct str){ (const char *)&key, sizeof(key) });
	if (number == known)
		put(add(b, BATCH_TRACK, sizeof(key)), &key, sizeof(key));
	return number;
}

static int on_slice(struct sink *s, const struct slice_fact *f, struct err *err)
{
	size_t size = sizeof(*f) + (f->op ? sizeof(*f->op) : 0) +
		      (f->device ? sizeof(*f->device) : 0) +
		      (f->collective ? sizeof(*f->collective) : 0) +
		      (f->memory ? sizeof(*f->memory) : 0) + f->args.n;
	char *at = put(add(batch_of(s), BATCH_SLICE, size), f, sizeof(*f));

	(void)err;
	if (f->op)
		at = put(at, f->op, sizeof(*f->op));
	if (f->device)
		at = put(at, f->device, sizeof(*f->device));
	if (f->collective)
		at = put(at, f->collective, sizeof(*f->collective));
	if (f->memory)
		at = put(at, f->memory, sizeof(*f->memory));
	put(at, f->args.p, f->args.n);
	return 0;
}

static int on_counter(struct sink *s, const struct counter_fact *f, struct err *err)
{
	(void)err;
	put(add(batch_of(s), BATCH_COUNTER, sizeof(*f)), f, sizeof(*f));
	return 0;
}

static int on_flow(struct sink *s, const struct flow_fact *f, struct err *err)
{
	(void)err;
	put(add(batch_of(s), BATCH_FLOW, sizeof(*f)), f, sizeof(*f));
	return 0;
}

static void on_naming(struct sink *s, const struct naming_fact *f)
{
	char *at = add(batch_of(s), BATCH_NAMING, sizeof(*f) + f->text.n);

	put(put(at, f, sizeof(*f)), f->text.p, f->text.n);
}

static void on_metadata(struct sink *s, struct str key, struct str json)
{
	struct batch_texts texts = { { key.n, json.n } };
	char *at = add(batch_of(s), BATCH_METADATA, sizeof(texts) + key.n + json.n);

	put(put(put(at, &texts, sizeof(texts)), key.p, key.n), json.p, json.n);
}

static void on_finding(struct sink *s, enum finding finding, uint64_t offset,
		       struct str detail, struct str excerpt)
{
	struct batch_finding f = { { { detail.n, excerpt.n } }, offset, finding };
	char *at = add(batch_of(s), BATCH_FINDING, sizeof(f) + detail.n + excerpt.n);

	put(put(put(at, &f, sizeof(f)), detail.p, detail.n), excerpt.p, excerpt.n);
}

static int on_tick(struct sink *s, uint64_t consumed, uint64_t size, struct err *err)
{
	(void)s;
	(void)consumed;
	(void)size;
	(void)err;
	return 0;
}

void batch_init(struct batch *b)
{
	*b = (struct batch){ .sink = { .text = on_text,
				       .track = on_track,
				       .slice = on_slice,
				       .counter = on_counter,
				       .flow = on_flow,
				       .naming = on_naming,
				       .metadata = on_metadata,
				       .finding = on_finding,
				       .tick = on_tick } };
	intern_init(&b->texts);
	intern_init(&b->tracks);
}

void batch_release(struct batch *b)
{
	free(b->said);
	intern_release(&b->texts);
	intern_release(&b->tracks);
	*b = (struct batch){ 0 };
}

void batch_clear(struct batch *b)
{
	b->nsaid = 0;
	intern_release(&b->texts);
	intern_release(&b->tracks);
	intern_init(&b->texts);
	intern_init(&b->tracks);
}

struct sink *batch_sink(struct batch *b)
{
	return &b->sink;
}
