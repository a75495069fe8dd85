/*
 * The sink: facts become the compact records of model.h, here those of traces.  Nothing
 * is decided here; that is for the passes once all records are in.
 */
#include "store/load.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "store/apart.h"
#include "store/args.h"
#include "store/axes_find.h"
#include "store/flow.h"
#include "store/fudge.h"
#include "store/link.h"
#include "store/loader.h"
#include "store/nest.h"
#include "store/order.h"
#include "store/pipeline.h"
#include "store/split.h"
#include "store/write.h"

#define REPEATS_MAX 10000 /* that are usual */

/* Replaces a text or a sort index; does it say what was said before? */
static bool set_text(struct model *m, uint32_t *number, struct str text)
{
	bool is_repeated = *number != TEXT_NONE;

	*number = intern_add(m->texts, text);
	return is_repeated;
}

static bool set_index(int64_t *index, int64_t value)
{
	bool is_repeated = *index != NUMBER_NONE;

	*index = value;
	return is_repeated;
}

/* Looking one up may move the array: the index comes first. */
static bool name_process(struct model *m, const struct naming_fact *naming)
{
	uint32_t at = model_process(m, naming->pid);
	struct process *process = &m->processes[at];

	if (naming->kind == NAMING_PROCESS)
		return set_text(m, &process->name, naming->text);
	if (naming->kind == NAMING_PROCESS_LABELS)
		return set_text(m, &process->labels, naming->text);
	if (naming->kind == NAMING_PROCESS_ORIGIN) {
		process->origin_rank = naming->index;
		process->origin_pid = naming->origin_pid;
		return false;
	}
	return set_index(&process->sort_index, naming->index);
}

static bool name_thread(struct model *m, const struct naming_fact *naming)
{
	uint32_t at = model_place(m, naming->pid, naming->tid);
	struct place *place = &m->places[at];

	if (naming->kind == NAMING_THREAD)
		return set_text(m, &place->name, naming->text);
	return set_index(&place->sort_index, naming->index);
}

/* Some exporters name a process once more for each of its events. */
static void naming_add(struct model *m, const struct naming_fact *naming)
{
	bool is_repeated = naming_is_thread(naming->kind) ? name_thread(m, naming)
							  : name_process(m, naming);

	if (is_repeated && ++m->nrepeated > REPEATS_MAX)
		model_finding(m, FINDING_REPEATED_METADATA, naming->offset, STR_LIT(""),
			      naming->text);
}

/* Numbers that one slice adds at most: its key and those of its class. */
#define SLICE_NUMBERS 4

static uint32_t on_text(struct sink *s, struct str text)
{
	return intern_add(loader_model(s)->texts, text);
}

static uint32_t on_track(struct sink *s, const struct track_fact *track)
{
	return model_track(loader_model(s), track);
}

/* Categories are few: an index fits 16 bits. */
static uint16_t category_index(struct loader *l, uint32_t text)
{
	struct model *m = &l->model;

	if (m->ncategories && text == l->category_text)
		return l->category;
	size_t probe = idmap_first(&l->category_of_text, text);
	uint32_t at = idmap_next(&l->category_of_text, &probe);
	if (at == UINT32_MAX) {
		at = (uint32_t)m->ncategories;
		idmap_add(&l->category_of_text, text, at);
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
		return f->op ? model_op_link(m, f->op) : ROW_NONE;
	case CLASS_RUNTIME:
	case CLASS_DRIVER:
		*key = f->correlation;
		return model_launch(m, f->external_id, f->device);
	case CLASS_MEMORY:
		*key = NUMBER_NONE;
		return f->memory ? model_memory(m, f->memory, key) : ROW_NONE;
	case CLASS_KERNEL:
	case CLASS_MEMCPY:
	case CLASS_MEMSET:
	case CLASS_ACCELERATOR:
	case CLASS_SYNC:
	case CLASS_DEVICE_ANNOTATION:
		*key = f->correlation;
		return model_device(m, f->device,
				    f->device ? f->external_id : NUMBER_NONE);
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

/* Have the compact records room for one more of n? */
static bool has_room(const struct model *m, size_t n, uint64_t offset)
{
	return n < MODEL_ROWS_MAX && offset <= OFFSET_MAX &&
	       m->ntracks <= m->limits->tracks &&
	       m->numbers.nlarge <= WIDE_MAX - SLICE_NUMBERS;
}

static int no_room(const struct model *m, size_t n, uint64_t offset, struct err *err)
{
	if (n >= MODEL_ROWS_MAX)
		return err_at(err, offset, "more than %u slices or arrows in one profile",
			      MODEL_ROWS_MAX);
	if (offset > OFFSET_MAX)
		return err_at(err, offset, "a profile of more than %llu bytes",
			      (unsigned long long)OFFSET_MAX);
	if (m->ntracks > m->limits->tracks)
		return err_at(err, offset,
			      "more than %" PRIu64 " threads and streams in one profile",
			      m->limits->tracks);
	if (m->device_ids.n > m->limits->devices)
		return err_at(err, offset, "more than %" PRIu64 " devices in one profile",
			      m->limits->devices);
	if (m->ncategories > UINT16_MAX)
		return err_at(err, offset, "more than %d categories in one profile",
			      UINT16_MAX);
	return err_at(err, offset, "more than %zu large numbers in one profile",
		      WIDE_MAX - SLICE_NUMBERS);
}

static int on_slice(struct sink *s, const struct slice_fact *f, struct err *err)
{
	struct loader *l = (struct loader *)s;
	struct model *m = &l->model;
	int64_t key;

	if (!has_room(m, m->nslices, f->offset))
		return no_room(m, m->nslices, f->offset, err);
	model_tick(m, m->nslices);
	uint32_t detail = add_detail(m, f, &key);
	*APPEND(m, slices) = (struct slice_rec){
		.ts_ns = f->ts_ns,
		.dur_ns = f->dur_ns,
		.offset = f->offset & OFFSET_MAX,
		.category = category_index(l, f->category),
		.class = f->class & 15,
		.phase = f->phase & 7,
		.unfinished = f->unfinished,
		.track = f->track,
		.name = f->name,
		.key = wide_add(&m->numbers, key),
		.detail = detail,
	};
	if (f->phase != PHASE_COMPLETE && f->phase != PHASE_INSTANT)
		m->tracks[f->track].has_pairs = true;
	if (f->collective)
		*APPEND(m, collectives) =
			(struct collective_rec){ *f->collective,
						 (uint32_t)m->nslices - 1 };
	if (f->is_step || f->has_group)
		note_step(m, f);
	if (f->range)
		*APPEND(m, ranges) =
			(struct range_rec){ *f->range, (uint32_t)m->nslices - 1 };
	if (f->args.n)
		*APPEND(m, args) = (struct args_rec){ (uint32_t)m->nslices - 1,
						      arena_copy(&m->arena, f->args) };
	if (dur_is_possible(f->dur_ns))
		model_note_time(m, f->ts_ns, f->ts_ns + f->dur_ns);
	else
		m->has_odd_dur = true;
	if (m->device_ids.n > m->limits->devices || m->ncategories > UINT16_MAX)
		return no_room(m, m->nslices, f->offset, err);
	return 0;
}

static int on_counter(struct sink *s, const struct counter_fact *f, struct err *err)
{
	struct model *m = loader_model(s);

	if (f->offset > OFFSET_MAX)
		return no_room(m, 0, f->offset, err);
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
	struct model *m = loader_model(s);

	if (!has_room(m, m->nflows, f->offset))
		return no_room(m, m->nflows, f->offset, err);
	*APPEND(m, flows) = (struct flow_rec){ .ts_ns = f->ts_ns,
					       .id_number = f->id.number,
					       .offset = f->offset & OFFSET_MAX,
					       .end = f->end & 3,
					       .enclosing = f->enclosing,
					       .id_text = f->id.text,
					       .place = model_place(m, f->pid, f->tid),
					       .category = f->category,
					       .name = f->name };
	return 0;
}

static void on_naming(struct sink *s, const struct naming_fact *naming)
{
	naming_add(loader_model(s), naming);
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

/* SQLite takes no row of more than 10^9 bytes, and all of them are in one. */
#define METADATA_MAX ((uint64_t)64 << 20)

/* Metadata of so many bytes, in place of so many that were there; false: it is too much. */
static bool takes(struct model *m, size_t bytes, size_t before)
{
	uint64_t sum = m->metadata_bytes - before + bytes;

	if (sum > METADATA_MAX) {
		model_finding(m, FINDING_METADATA_SIZE, 0, STR_LIT(""), STR_LIT(""));
		return false;
	}
	m->metadata_bytes = sum;
	return true;
}

/* Where that key is, or UINT32_MAX.  One that is left out becomes no text of the store. */
static uint32_t metadata_place(const struct loader *l, struct str key)
{
	const struct model *m = &l->model;

	if (!intern_has(m->texts, key))
		return UINT32_MAX;
	size_t probe = idmap_first(&l->metadata_of_key, intern_add(m->texts, key));
	return idmap_next(&l->metadata_of_key, &probe);
}

/* Keys may repeat: the last one counts. */
static void on_metadata(struct sink *s, struct str key, struct str json)
{
	struct loader *l = (struct loader *)s;
	struct model *m = &l->model;
	uint32_t at = metadata_place(l, key);

	if (at != UINT32_MAX) {
		struct metadata_rec *old = &m->metadata[at];
		if (!str_equal(old->json, json) && takes(m, json.n, old->json.n))
			replace_json(m, old, json);
		return;
	}
	if (!takes(m, key.n + json.n, 0))
		return;
	uint32_t text = intern_add(m->texts, key);
	idmap_add(&l->metadata_of_key, text, (uint32_t)m->nmetadata);
	*APPEND(m, metadata) =
		(struct metadata_rec){ text, arena_copy(&m->arena, json), NULL, 0 };
}

static void on_device_info(struct sink *s, const struct device_info_fact *device)
{
	struct model *m = loader_model(s);
	struct device_info_fact copy = *device;

	for (; device->is_first && m->ndevice_infos; m->ndevice_infos--) {
		const struct device_info_fact *old =
			&m->device_infos[m->ndevice_infos - 1];
		m->metadata_bytes -= old->name.n + old->json.n;
	}
	if (!takes(m, device->name.n + device->json.n, 0))
		return;
	copy.name = arena_copy(&m->arena, device->name);
	copy.json = arena_copy(&m->arena, device->json);
	*APPEND(m, device_infos) = copy;
}

static void on_profile(struct sink *s, const struct profile_fact *profile)
{
	loader_model(s)->profile = *profile;
}

static void on_finding(struct sink *s, enum finding finding, uint64_t offset,
		       struct str detail, struct str excerpt)
{
	model_finding(loader_model(s), finding, offset, detail, excerpt);
}

static int on_tick(struct sink *s, uint64_t consumed, uint64_t size, struct err *err)
{
	struct loader *l = (struct loader *)s;

	if (spill_check(l->model.spill, err) < 0)
		return -1;
	return l->progress ? l->progress(l->to, consumed, size, err) : 0;
}

struct loader *loader_new(struct intern *texts, struct spill *spill,
			  load_progress *progress, void *to)
{
	struct loader *l = xcalloc(1, sizeof(*l));

	model_init(&l->model, texts, spill);
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
	loader_take_sums(&l->sink);
	return l;
}

void loader_set_limits(struct loader *l, const struct limits *limits)
{
	l->model.limits = limits;
}

void loader_set_step_name(struct loader *l, const char *pattern)
{
	l->model.step_name = pattern;
}

void loader_free(struct loader *l)
{
	if (!l)
		return;
	write_found_free(l->found);
	model_release(&l->model);
	idmap_release(&l->category_of_text);
	idmap_release(&l->metadata_of_key);
	free(l);
}

struct sink *loader_sink(struct loader *l)
{
	return &l->sink;
}

int loader_find_split(const struct loader *l, struct split **out, struct err *err)
{
	return split_find(&l->model, out, err);
}

bool loader_is_empty(const struct loader *l)
{
	return l->model.nslices == 0 && l->model.ncounters == 0 &&
	       l->model.functions.nstats == 0 && l->model.nop_sums == 0 &&
	       l->model.samples.nsums == 0;
}

/* Where a series begins or ends: what cannot be is not recorded. */
static void check_series_time(struct model *m, int64_t *ns)
{
	if (*ns == NUMBER_NONE || time_is_possible(*ns))
		return;
	*ns = NUMBER_NONE;
	model_finding(m, FINDING_TIME_RANGE, 0, STR_LIT(""), STR_LIT(""));
}

/* How long sampling took, as far as the file tells: a series in ns, or its own span. */
static void note_series_times(struct model *m)
{
	for (size_t i = 0; i < m->samples.nseries; i++) {
		struct series_rec *series = &m->samples.series[i];
		struct series_fact *fact = &series->fact;
		if (fact->unit != SAMPLE_NS)
			continue;
		check_series_time(m, &fact->start_at);
		check_series_time(m, &fact->end_at);
		if (fact->start_at != NUMBER_NONE && fact->end_at != NUMBER_NONE &&
		    fact->start_at <= fact->end_at)
			model_note_time(m, fact->start_at, fact->end_at);
		else if (series->weight > 0)
			model_note_time(m, 0, series->weight);
	}
}

int loader_settle(struct loader *l, const struct load_source *source, bool strict,
		  struct err *err)
{
	struct model *m = &l->model;

	if (m->profile.rank == NUMBER_NONE && source->name.rank != NUMBER_NONE) {
		m->profile.rank = source->name.rank;
		m->is_rank_of_name = true;
	}
	axes_find(m, &source->name);
	pipeline_groups(m);
	m->file_step = source->name.step;
	m->threads = source->threads;
	functions_settle(&m->functions);
	if (m->functions.nstats)
		model_note_time(m, 0, functions_dur_ns(&m->functions));
	if ((m->functions.nstats || m->nop_sums) && m->profile.span_end_ns != NUMBER_NONE)
		model_note_time(m, 0, m->profile.span_end_ns);
	samples_settle(&m->samples);
	note_series_times(m);
	apart_find(m);
	order_rows(m);
	args_of_ends(m);
	if (spill_check(m->spill, err) < 0)
		return -1;
	nest_rows(m);
	apart_tell(m);
	flow_rows(m);
	if (spill_check(m->spill, err) < 0)
		return -1;
	link_rows(m);
	fudge_of_annotations(m);
	if (spill_check(m->spill, err) < 0)
		return -1;
	return strict ? model_check_strict(m, err) : 0;
}

void loader_sum_up(struct loader *l)
{
	l->found = write_find(&l->model);
}

int loader_write(struct loader *l, struct sqlite3 *db, const struct load_source *source,
		 struct load_result *result, struct err *err)
{
	if (write_model(&l->model, l->found, db, source, result, err) < 0)
		return -1;
	return spill_check(l->model.spill, err);
}
