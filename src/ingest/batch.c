/* Keeping what a reader says: see batch.h. */
#include "ingest/batch.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "ingest/sink.h"

enum batch_kind {
	BATCH_TEXT,  /* the next text of the batch is used for the first time */
	BATCH_TRACK, /* likewise the next track: struct track_fact */
	BATCH_SLICE, /* struct slice_fact, the structs that it points to, and its args */
	BATCH_COUNTER,
	BATCH_FLOW,
	BATCH_NAMING,   /* struct naming_fact, and its text behind it */
	BATCH_METADATA, /* struct batch_texts */
	BATCH_FINDING,  /* struct batch_finding */
	BATCH_KINDS
};

/* In front of each record's body. */
struct batch_head {
	uint32_t kind;
	uint32_t size; /* of head and body, a multiple of BATCH_ALIGN */
};

#define BATCH_ALIGN sizeof(int64_t)

/* Behind it both texts. */
struct batch_texts {
	size_t n[2];
};

struct batch_finding {
	struct batch_texts texts; /* detail and excerpt; they stand behind this struct */
	uint64_t offset;
	enum finding finding;
};

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
	key.parts = track->parts;
	uint32_t number = intern_add(&b->tracks, str_bytes(&key, sizeof(key)));
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
	intern_clear(&b->texts);
	intern_clear(&b->tracks);
}

struct sink *batch_sink(struct batch *b)
{
	return &b->sink;
}

struct replay {
	const struct batch *batch;
	struct sink *to;
	uint32_t *texts, *tracks; /* of the batch -> of the sink, as far as said */
	size_t ntexts, ntracks;
};

static uint32_t text(const struct replay *r, uint32_t number)
{
	return number == TEXT_NONE ? TEXT_NONE : r->texts[number];
}

static struct ident ident(const struct replay *r, struct ident id)
{
	id.text = text(r, id.text);
	return id;
}

static void say_text(struct replay *r)
{
	struct str next = intern_str(&r->batch->texts, (uint32_t)r->ntexts);

	r->texts[r->ntexts++] = r->to->text(r->to, next);
}

static void say_track(struct replay *r, const void *body)
{
	struct track_fact f = *(const struct track_fact *)body;

	f.pid = ident(r, f.pid);
	f.tid = ident(r, f.tid);
	f.scope = text(r, f.scope);
	r->tracks[r->ntracks++] = r->to->track(r->to, &f);
}

static void number_op(const struct replay *r, struct op_fact *op)
{
	op->shapes = text(r, op->shapes);
	op->stack = text(r, op->stack);
	op->module = text(r, op->module);
	op->types = text(r, op->types);
	op->values = text(r, op->values);
}

static void number_collective(const struct replay *r, struct collective_fact *c)
{
	uint32_t *const texts[] = { &c->name,      &c->dtype,
				    &c->group,     &c->group_description,
				    &c->ranks,     &c->in_split,
				    &c->out_split, &c->comm_id };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		*texts[i] = text(r, *texts[i]);
}

/* The next of the structs behind a slice, when it has one: *at goes behind it. */
static void *take(char **at, const void *has, size_t size)
{
	char *here = *at;

	if (!has)
		return NULL;
	*at += size;
	return here;
}

static int say_slice(const struct replay *r, void *body, struct err *err)
{
	struct slice_fact *f = body;
	char *at = (char *)body + sizeof(*f);
	struct op_fact *op = take(&at, f->op, sizeof(*op));
	struct device_fact *device = take(&at, f->device, sizeof(*device));
	struct collective_fact *collective =
		take(&at, f->collective, sizeof(*collective));

	f->op = op;
	f->device = device;
	f->collective = collective;
	f->memory = take(&at, f->memory, sizeof(*f->memory));
	f->name = text(r, f->name);
	f->category = text(r, f->category);
	f->track = r->tracks[f->track];
	f->args.p = at;
	if (op)
		number_op(r, op);
	if (device) {
		device->kind = text(r, device->kind);
		device->lines = text(r, device->lines);
	}
	if (collective)
		number_collective(r, collective);
	return r->to->slice(r->to, f, err);
}

static int say_counter(const struct replay *r, void *body, struct err *err)
{
	struct counter_fact *f = body;

	f->pid = ident(r, f->pid);
	f->name = text(r, f->name);
	f->series = text(r, f->series);
	return r->to->counter(r->to, f, err);
}

static int say_flow(const struct replay *r, void *body, struct err *err)
{
	struct flow_fact *f = body;

	f->pid = ident(r, f->pid);
	f->tid = ident(r, f->tid);
	f->id = ident(r, f->id);
	f->category = text(r, f->category);
	f->name = text(r, f->name);
	return r->to->flow(r->to, f, err);
}

static void say_naming(const struct replay *r, void *body)
{
	struct naming_fact *f = body;

	f->pid = ident(r, f->pid);
	f->tid = ident(r, f->tid);
	f->text.p = (const char *)body + sizeof(*f);
	r->to->naming(r->to, f);
}

static void say_metadata(const struct replay *r, const void *body)
{
	const struct batch_texts *t = body;
	const char *at = (const char *)(t + 1);

	r->to->metadata(r->to, (struct str){ at, t->n[0] },
			(struct str){ at + t->n[0], t->n[1] });
}

static void say_finding(const struct replay *r, const void *body)
{
	const struct batch_finding *f = body;
	const char *at = (const char *)(f + 1);

	r->to->finding(r->to, f->finding, f->offset, (struct str){ at, f->texts.n[0] },
		       (struct str){ at + f->texts.n[0], f->texts.n[1] });
}

static int say(struct replay *r, enum batch_kind kind, void *body, struct err *err)
{
	switch (kind) {
	case BATCH_TEXT:
		say_text(r);
		return 0;
	case BATCH_TRACK:
		say_track(r, body);
		return 0;
	case BATCH_SLICE:
		return say_slice(r, body, err);
	case BATCH_COUNTER:
		return say_counter(r, body, err);
	case BATCH_FLOW:
		return say_flow(r, body, err);
	case BATCH_METADATA:
		say_metadata(r, body);
		return 0;
	case BATCH_FINDING:
		say_finding(r, body);
		return 0;
	case BATCH_NAMING:
		say_naming(r, body);
		return 0;
	case BATCH_KINDS:
		break;
	}
	return 0;
}

int batch_replay(struct batch *b, struct sink *to, struct err *err)
{
	struct replay r = { .batch = b,
			    .to = to,
			    .texts = xrealloc_array(NULL, b->texts.n, sizeof(uint32_t)),
			    .tracks =
				    xrealloc_array(NULL, b->tracks.n, sizeof(uint32_t)) };
	struct batch_head *head;
	int rc = 0;

	for (size_t at = 0; rc == 0 && at < b->nsaid; at += head->size) {
		head = (void *)(b->said + at);
		rc = say(&r, (enum batch_kind)head->kind, head + 1, err);
	}
	free(r.texts);
	free(r.tracks);
	return rc;
}
