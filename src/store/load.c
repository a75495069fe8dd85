/*
 * The sink: facts become the compact records of model.h.  Nothing is decided
 * here; that is for the passes once all records are in.
 */
#include "store/load.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "store/apart.h"
#include "store/args.h"
#include "store/flow.h"
#include "store/fudge.h"
#include "store/idmap.h"
#include "store/link.h"
#include "store/model.h"
#include "store/naming.h"
#include "store/nest.h"
#include "store/order.h"
#include "store/write.h"

struct loader {
	struct sink sink; /* first: the callbacks cast back */
	struct model model;
	struct idmap category_of_text; /* text -> index into categories */
	struct idmap metadata_of_key;  /* text -> index into metadata */
	uint32_t category_text;        /* of the newest category, to skip the search */
	uint16_t category;
	load_progress *progress;
	void *to;
};

#define APPEND(m, array)                                                      \
	((m)->array = xgrow((m)->array, &(m)->array##_cap, (m)->n##array + 1, \
			    sizeof(*(m)->array)),                             \
	 &(m)->array[(m)->n##array++])

static struct model *model_of(struct sink *s)
{
	return &((struct loader *)s)->model;
}

static uint32_t on_text(struct sink *s, struct str text)
{
	return intern_add(model_of(s)->texts, text);
}

static uint32_t on_track(struct sink *s, const struct track_fact *track)
{
	return model_track(model_of(s), track);
}

/* Categories are few: an index fits 16 bits, the last one stands for the rest. */
static uint16_t category_index(struct loader *l, uint32_t text)
{
	struct model *m = &l->model;

	if (m->ncategories && text == l->category_text)
		return l->category;
	size_t probe = idmap_first(&l->category_of_text, text);
	uint32_t at = idmap_next(&l->category_of_text, &probe);
	if (at == UINT32_MAX) {
		at = m->ncategories < UINT16_MAX ? (uint32_t)m->ncategories
						 : UINT16_MAX - 1;
		idmap_add(&l->category_of_text, text, at);
		if (m->ncategories < UINT16_MAX)
			*APPEND(m, categories) = text;
	}
	l->category_text = text;
	l->category = (uint16_t)at;
	return l->category;
}

/* What the class of the slice carries beside the common fields: its index. */
static uint32_t add_detail(struct model *m, const struct slice_fact *f, int64_t *key)
{
	switch (f->class) {
	case CLASS_OP:
	case CLASS_ANNOTATION:
		*key = f->external_id;
		if (!f->op)
			return ROW_NONE;
		*APPEND(m, op_links) =
			(struct op_link){ f->op->sequence, model_op_detail(m, f->op) };
		return (uint32_t)m->nop_links - 1;
	case CLASS_RUNTIME:
	case CLASS_DRIVER:
		*key = f->correlation;
		if (f->external_id == NUMBER_NONE)
			return ROW_NONE;
		*APPEND(m, launch_ids) = f->external_id;
		return (uint32_t)m->nlaunch_ids - 1;
	case CLASS_MEMORY:
		*key = NUMBER_NONE;
		if (!f->memory)
			return ROW_NONE;
		*APPEND(m, memory) =
			(struct memory_rec){ *f->memory, (uint32_t)m->nslices };
		return (uint32_t)m->nmemory - 1;
	case CLASS_KERNEL:
	case CLASS_MEMCPY:
	case CLASS_MEMSET:
	case CLASS_ACCELERATOR:
	case CLASS_SYNC:
	case CLASS_DEVICE_ANNOTATION:
		*key = f->correlation;
		if (!f->device)
			return ROW_NONE;
		*APPEND(m, devices) = (struct device_rec){ *f->device, f->external_id };
		return (uint32_t)m->ndevices - 1;
	case CLASS_OTHER:
	case CLASS_PYTHON:
	case CLASS_OVERHEAD:
	case CLASS_SPAN:
	case NCLASSES:
		break;
	}
	*key = f->external_id;
	return ROW_NONE;
}

static void note_step(struct model *m, const struct slice_fact *f)
{
	uint32_t slice = (uint32_t)m->nslices - 1;

	if (f->is_step)
		*APPEND(m, step_marks) = (struct step_mark){ f->step_number, slice };
	if (f->has_group)
		*APPEND(m, group_marks) = (struct group_mark){ f->group, slice };
}

static int on_slice(struct sink *s, const struct slice_fact *f, struct err *err)
{
	struct loader *l = (struct loader *)s;
	struct model *m = &l->model;
	int64_t key;

	if (m->nslices == MODEL_ROWS_MAX)
		return err_at(err, f->offset, "more than %u slices in one profile",
			      MODEL_ROWS_MAX);
	uint32_t detail = add_detail(m, f, &key);
	*APPEND(m, slices) = (struct slice_rec){
		.ts_ns = f->ts_ns,
		.dur_ns = f->dur_ns,
		.offset = f->offset,
		.key = key,
		.track = f->track,
		.name = f->name,
		.detail = detail,
		.category = category_index(l, f->category),
		.class = (uint8_t)f->class,
		.phase = f->phase & 15,
		.unfinished = f->unfinished,
	};
	if (f->phase != PHASE_COMPLETE && f->phase != PHASE_INSTANT)
		m->tracks[f->track].has_pairs = true;
	if (f->collective)
		*APPEND(m, collectives) =
			(struct collective_rec){ *f->collective,
						 (uint32_t)m->nslices - 1 };
	if (f->is_step || f->has_group)
		note_step(m, f);
	if (f->args.n)
		*APPEND(m, args) = (struct args_rec){ (uint32_t)m->nslices - 1,
						      arena_copy(&m->arena, f->args) };
	if (dur_is_possible(f->dur_ns))
		model_note_time(m, f->ts_ns, f->ts_ns + f->dur_ns);
	else
		m->has_odd_dur = true;
	return 0;
}

static int on_counter(struct sink *s, const struct counter_fact *f, struct err *err)
{
	struct model *m = model_of(s);

	(void)err;
	*APPEND(m, counters) = (struct counter_rec){ .ts_ns = f->ts_ns,
						     .value = f->value,
						     .offset = f->offset,
						     .process = model_process(m, f->pid),
						     .name = f->name,
						     .series = f->series };
	model_note_time(m, f->ts_ns, f->ts_ns);
	return 0;
}

static int on_flow(struct sink *s, const struct flow_fact *f, struct err *err)
{
	struct model *m = model_of(s);

	(void)err;
	*APPEND(m, flows) = (struct flow_rec){ .ts_ns = f->ts_ns,
					       .offset = f->offset,
					       .id = f->id,
					       .place = model_place(m, f->pid, f->tid),
					       .category = f->category,
					       .name = f->name,
					       .end = f->end,
					       .enclosing = f->enclosing };
	return 0;
}

static void on_naming(struct sink *s, const struct naming_fact *naming)
{
	naming_add(model_of(s), naming);
}

/* However often a text changes, it takes a few times its largest size. */
static void replace_json(struct model *m, struct metadata_rec *metadata, struct str json)
{
	if (json.n > metadata->cap) {
		metadata->cap = 2 * json.n;
		metadata->room = arena_alloc(&m->arena, metadata->cap);
	}
	if (json.n)
		memcpy(metadata->room, json.p, json.n);
	metadata->json = (struct str){ metadata->room, json.n };
}

/* Keys may repeat: the last one counts. */
static void on_metadata(struct sink *s, struct str key, struct str json)
{
	struct loader *l = (struct loader *)s;
	struct model *m = &l->model;
	uint32_t text = intern_add(m->texts, key);
	size_t probe = idmap_first(&l->metadata_of_key, text);
	uint32_t at = idmap_next(&l->metadata_of_key, &probe);

	if (at == UINT32_MAX) {
		idmap_add(&l->metadata_of_key, text, (uint32_t)m->nmetadata);
		*APPEND(m, metadata) =
			(struct metadata_rec){ text, arena_copy(&m->arena, json), NULL,
					       0 };
	} else if (!str_equal(m->metadata[at].json, json)) {
		replace_json(m, &m->metadata[at], json);
	}
}

static void on_device_info(struct sink *s, const struct device_info_fact *device)
{
	struct model *m = model_of(s);
	struct device_info_fact copy = *device;

	copy.name = arena_copy(&m->arena, device->name);
	copy.json = arena_copy(&m->arena, device->json);
	*APPEND(m, device_infos) = copy;
}

static void on_profile(struct sink *s, const struct profile_fact *profile)
{
	model_of(s)->profile = *profile;
}

static void on_finding(struct sink *s, enum finding finding, uint64_t offset,
		       struct str detail, struct str excerpt)
{
	model_finding(model_of(s), finding, offset, detail, excerpt);
}

static int on_tick(struct sink *s, uint64_t consumed, uint64_t size, struct err *err)
{
	struct loader *l = (struct loader *)s;

	return l->progress ? l->progress(l->to, consumed, size, err) : 0;
}

struct loader *loader_new(struct intern *texts, load_progress *progress, void *to)
{
	struct loader *l = xcalloc(1, sizeof(*l));

	model_init(&l->model, texts);
	idmap_init(&l->category_of_text, 16);
	idmap_init(&l->metadata_of_key, 16);
	l->progress = progress;
	l->to = to;
	l->sink = (struct sink){
		.text = on_text,
		.track = on_track,
		.slice = on_slice,
		.counter = on_counter,
		.flow = on_flow,
		.naming = on_naming,
		.metadata = on_metadata,
		.device_info = on_device_info,
		.profile = on_profile,
		.finding = on_finding,
		.tick = on_tick,
	};
	return l;
}

void loader_free(struct loader *l)
{
	if (!l)
		return;
	model_release(&l->model);
	idmap_release(&l->category_of_text);
	idmap_release(&l->metadata_of_key);
	free(l);
}

struct sink *loader_sink(struct loader *l)
{
	return &l->sink;
}

bool loader_is_empty(const struct loader *l)
{
	return l->model.nslices == 0 && l->model.ncounters == 0;
}

int loader_settle(struct loader *l, const struct load_source *source, bool strict,
		  struct err *err)
{
	struct model *m = &l->model;

	if (m->profile.rank == NUMBER_NONE && source->name.rank != NUMBER_NONE) {
		m->profile.rank = source->name.rank;
		m->is_rank_of_name = true;
	}
	m->file_step = source->name.step;
	apart_find(m);
	order_rows(m);
	args_of_ends(m);
	nest_rows(m);
	apart_tell(m);
	flow_rows(m);
	link_rows(m);
	fudge_of_annotations(m);
	return strict ? model_check_strict(m, err) : 0;
}

int loader_write(struct loader *l, struct sqlite3 *db, const struct load_source *source,
		 struct load_result *result, struct err *err)
{
	return write_model(&l->model, db, source, result, err);
}
