/* Saying a batch again, with the numbers of the sink that hears it: see batch.h. */
#include <stdlib.h>

#include "base/alloc.h"
#include "ingest/batch.h"
#include "ingest/batch_record.h"

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

/* The next of the structs behind a slice, when it has one. */
static const char *take(const char *at, const void *has, void *into, size_t size)
{
	if (!has)
		return at;
	memcpy(into, at, size);
	return at + size;
}

static int say_slice(const struct replay *r, const void *body, struct err *err)
{
	struct slice_fact f = *(const struct slice_fact *)body;
	const char *at = (const char *)body + sizeof(f);
	struct op_fact op;
	struct device_fact device;
	struct collective_fact collective;
	struct memory_fact memory;

	f.name = text(r, f.name);
	f.category = text(r, f.category);
	f.track = r->tracks[f.track];
	at = take(at, f.op, &op, sizeof(op));
	at = take(at, f.device, &device, sizeof(device));
	at = take(at, f.collective, &collective, sizeof(collective));
	at = take(at, f.memory, &memory, sizeof(memory));
	f.args.p = at;
	if (f.op) {
		number_op(r, &op);
		f.op = &op;
	}
	if (f.device) {
		device.kind = text(r, device.kind);
		f.device = &device;
	}
	if (f.collective) {
		number_collective(r, &collective);
		f.collective = &collective;
	}
	if (f.memory)
		f.memory = &memory;
	return r->to->slice(r->to, &f, err);
}

static int say_counter(const struct replay *r, const void *body, struct err *err)
{
	struct counter_fact f = *(const struct counter_fact *)body;

	f.pid = ident(r, f.pid);
	f.name = text(r, f.name);
	f.series = text(r, f.series);
	return r->to->counter(r->to, &f, err);
}

static int say_flow(const struct replay *r, const void *body, struct err *err)
{
	struct flow_fact f = *(const struct flow_fact *)body;

	f.pid = ident(r, f.pid);
	f.tid = ident(r, f.tid);
	f.id = ident(r, f.id);
	f.category = text(r, f.category);
	f.name = text(r, f.name);
	return r->to->flow(r->to, &f, err);
}

static void say_naming(const struct replay *r, const void *body)
{
	struct naming_fact f = *(const struct naming_fact *)body;

	f.pid = ident(r, f.pid);
	f.tid = ident(r, f.tid);
	f.text.p = (const char *)body + sizeof(f);
	r->to->naming(r->to, &f);
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

static int say(struct replay *r, enum batch_kind kind, const void *body, struct err *err)
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

int batch_replay(const struct batch *b, struct sink *to, struct err *err)
{
	struct replay r = { .batch = b,
			    .to = to,
			    .texts = xrealloc_array(NULL, b->texts.n, sizeof(uint32_t)),
			    .tracks =
				    xrealloc_array(NULL, b->tracks.n, sizeof(uint32_t)) };
	const struct batch_head *head;
	int rc = 0;

	for (size_t at = 0; rc == 0 && at < b->nsaid; at += head->size) {
		head = (const void *)(b->said + at);
		rc = say(&r, (enum batch_kind)head->kind, head + 1, err);
	}
	free(r.texts);
	free(r.tracks);
	return rc;
}
