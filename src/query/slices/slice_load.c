/* Loading slices: see slice_load.h. */
#include "query/slices/slice_load.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sum.h"
#include "query/query.h"
#include "query/slices/slice_ops.h"
#include "query/slices/slice_pack.h"
#include "trace/slice_bits.h"

ASSET(asset_query_views_ops_detail_sql);
ASSET(asset_query_views_ops_memory_sql);
ASSET(asset_query_views_ops_profile_sql);
ASSET(asset_query_views_ops_slice_sql);
ASSET(asset_query_views_ops_track_sql);

struct loading {
	struct store *store;
	struct text_pool *texts;
	const struct scope_profile *profile;
	struct slice_load *out;
	bool categories;
};

/* Adds the row that the statement stands on. */
typedef int add_fn(struct loading *l, struct sqlite3_stmt *stmt, struct err *err);

static int64_t int_at(struct sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_int64(stmt, column);
}

static int text_at(struct loading *l, struct sqlite3_stmt *stmt, int column,
		   uint32_t *text, struct err *err)
{
	return text_pool_number(l->texts, int_at(stmt, column), text, err);
}

/* The text of a cell that is no id; numbers as they are written. */
static uint32_t own_text_at(struct loading *l, struct sqlite3_stmt *stmt, int column)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);

	return text ? intern_add(&l->texts->intern, str_of(text)) : TEXT_NONE;
}

static int each_row(struct loading *l, struct query q, add_fn *add, struct err *err)
{
	while (query_next(&q, err))
		q.rc = add(l, q.stmt, err);
	return query_end(&q);
}

static int each_of_profile(struct loading *l, const unsigned char *sql, add_fn *add,
			   struct err *err)
{
	return each_row(l, query_of_profile(l->store, sql, l->profile, err), add, err);
}

/* From the file's clock to that of the profile's first event. */
static int64_t moment_at(const struct loading *l, struct sqlite3_stmt *stmt, int column)
{
	int64_t ns = query_number(stmt, column);

	return ns == NUMBER_NONE ? ns : sum_sub(ns, l->profile->start_ns);
}

static int add_profile(struct loading *l, struct sqlite3_stmt *stmt, struct err *err)
{
	(void)err;
	l->out->rules = (struct op_rules){
		.all_slices = int_at(stmt, 0) != 0,
		.split_annotations = int_at(stmt, 1) != 0,
		.float_memory_window = int_at(stmt, 2) != 0,
		.python_in_tree = int_at(stmt, 3) != 0,
		.keep_unfinished = int_at(stmt, 4) != 0,
		.annotation_fudge_ns = int_at(stmt, 5),
	};
	l->out->span_start_ns = sum_sub(0, l->profile->start_ns);
	l->out->window_end_ns = moment_at(l, stmt, 6);
	l->out->span_end_ns = moment_at(l, stmt, 7);
	l->out->first_detail_id = int_at(stmt, 8);
	return 0;
}

static int add_step(struct loading *l, struct sqlite3_stmt *stmt, struct err *err)
{
	struct slice_load *out = l->out;

	if (out->nsteps &&
	    sum_sub(int_at(stmt, 0), out->step_ids[0]) != (int64_t)out->nsteps)
		return query_damaged("slices", err);
	out->steps =
		xgrow(out->steps, &out->steps_cap, out->nsteps + 1, sizeof(*out->steps));
	out->step_ids = xgrow(out->step_ids, &out->step_ids_cap, out->nsteps + 1,
			      sizeof(*out->step_ids));
	out->step_ids[out->nsteps] = int_at(stmt, 0);
	out->steps[out->nsteps++] = int_at(stmt, 1);
	return 0;
}

static int load_steps(struct loading *l, struct err *err)
{
	char ids[32];

	snprintf(ids, sizeof(ids), "[%lld]", (long long)l->profile->id);
	return each_row(
		l, query_of_scope(l->store, asset_query_views_slice_steps_sql, ids, err),
		add_step, err);
}

static enum track_kind kind_of_name(const char *name)
{
	for (int kind = TRACK_THREAD; kind < TRACK_ASYNC; kind++)
		if (strcmp(name, track_kind_name((enum track_kind)kind)) == 0)
			return (enum track_kind)kind;
	return TRACK_ASYNC;
}

static int add_track(struct loading *l, struct sqlite3_stmt *stmt, struct err *err)
{
	struct slice_load *out = l->out;
	const char *kind = (const char *)sqlite3_column_text(stmt, 0);
	int64_t first = sum_sub(int_at(stmt, 4), l->profile->first_slice_id);
	int64_t n = int_at(stmt, 5);

	/* in their order, each slice in one of them */
	int64_t end = out->ntracks ? (int64_t)out->tracks[out->ntracks - 1].first +
					     out->tracks[out->ntracks - 1].n
				   : 0;
	if (!kind || first < end || n < 0 || first > l->profile->slices ||
	    n > l->profile->slices - first)
		return query_damaged("slices", err);
	bool on_device = strncmp(kind, "stream", strlen("stream")) == 0;
	*ARRAY_PUSH(out->tracks, out->ntracks, out->tracks_cap) = (struct call_track){
		.kind = kind_of_name(kind),
		.first = (uint32_t)first,
		.n = (uint32_t)n,
		.name = own_text_at(l, stmt, 1),
		.thread = own_text_at(l, stmt, 2),
		.stream = on_device ? query_number(stmt, 3) : NUMBER_NONE,
		.device = query_number(stmt, 6),
	};
	return 0;
}

static int add_detail(struct loading *l, struct sqlite3_stmt *stmt, struct err *err)
{
	struct slice_load *out = l->out;
	struct loaded_detail d = { .flops = query_number(stmt, 3),
				   .is_backward = int_at(stmt, 4) != 0 };

	if (text_at(l, stmt, 0, &d.shapes, err) < 0 ||
	    text_at(l, stmt, 1, &d.stack, err) < 0 ||
	    text_at(l, stmt, 2, &d.module, err) < 0)
		return -1;
	*ARRAY_PUSH(out->details, out->ndetails, out->details_cap) = d;
	return 0;
}

/* From an id to a place in an array of n; SLICE_NONE where there is none. */
static uint32_t place_of(int64_t id, int64_t first_id, size_t n)
{
	int64_t place = sum_sub(id, first_id);

	return place >= 0 && (uint64_t)place < n ? (uint32_t)place : SLICE_NONE;
}

static uint32_t step_of(const struct slice_load *l, int64_t id)
{
	return l->nsteps ? place_of(id, l->step_ids[0], l->nsteps) : SLICE_NONE;
}

static int add_slice(struct loading *l, struct sqlite3_stmt *stmt, struct err *err)
{
	struct slice_load *out = l->out;
	int64_t first = l->profile->first_slice_id, flags = int_at(stmt, 6);
	int64_t ts_ns = int_at(stmt, 1), dur_ns = int_at(stmt, 2), what = int_at(stmt, 5);
	size_t all = (size_t)l->profile->slices;

	if (int_at(stmt, 0) != first + (int64_t)out->n || out->n == SLICE_NONE ||
	    what < 0 || what >= NCLASSES ||
	    !query_is_slice_time(ts_ns, dur_ns, flags & SLICE_APART))
		return query_damaged("slices", err);
	struct loaded_slice s = {
		.ts_ns = ts_ns,
		.dur_ns = dur_ns,
		.class = (uint8_t)what,
		.is_instant = (flags & SLICE_INSTANT) != 0,
		.is_unfinished = (flags & SLICE_UNFINISHED) != 0,
		.step = step_of(out, int_at(stmt, 7)),
		.launch = place_of(int_at(stmt, 8), first, all),
		.op = place_of(int_at(stmt, 9), first, all),
		.detail = place_of(int_at(stmt, 10), out->first_detail_id, out->ndetails),
		.sequence = query_number(stmt, 11),
	};
	if (text_at(l, stmt, 3, &s.name, err) < 0 ||
	    text_at(l, stmt, 4, &s.category, err) < 0)
		return -1;
	if (s.name == TEXT_NONE)
		return query_damaged("slices", err);
	if (what == CLASS_SPAN && !(flags & SLICE_APART))
		out->span_start_ns = s.ts_ns;
	*ARRAY_PUSH(out->slices, out->n, out->cap) = s;
	return 0;
}

static int add_packed(struct loading *l, const struct packed_slice *p, struct err *err)
{
	struct slice_load *out = l->out;
	int64_t first = l->profile->first_slice_id;
	size_t all = (size_t)l->profile->slices;
	struct loaded_slice s = {
		.ts_ns = p->start_ns,
		.dur_ns = p->end_ns - p->start_ns,
		.class = p->class,
		.is_instant = (p->marks & SLICE_INSTANT) != 0,
		.is_unfinished = (p->marks & SLICE_UNFINISHED) != 0,
		.category = TEXT_NONE,
		.step = step_of(out, p->step_id),
		.launch = place_of(p->launch_id, first, all),
		.op = place_of(p->op_id, first, all),
		.detail = place_of(p->op_detail_id, out->first_detail_id, out->ndetails),
		.sequence = NUMBER_NONE,
	};

	if (text_pool_number(l->texts, p->name_id, &s.name, err) < 0)
		return -1;
	if (s.name == TEXT_NONE)
		return query_damaged("slices", err);
	if (p->class == CLASS_SPAN)
		out->span_start_ns = s.ts_ns;
	*ARRAY_PUSH(out->slices, out->n, out->cap) = s;
	return 0;
}

/*
 * Is nothing asked for that the packed columns lack?  They have neither the categories nor
 * the sequence numbers, by which stacks are found, nor what is set apart.
 */
static bool packs_suffice(const struct loading *l)
{
	const struct slice_load *out = l->out;
	int64_t next = 0;

	for (size_t i = 0; i < out->ndetails; i++)
		if (out->details[i].stack != TEXT_NONE)
			return false;
	for (size_t i = 0; i < out->ntracks; i++) {
		if (out->tracks[i].first != next)
			return false;
		next += out->tracks[i].n;
	}
	return !l->categories && next == l->profile->slices;
}

static int load_packed(struct loading *l, struct err *err)
{
	struct slice_pack pack;
	int rc = slice_pack_open(l->store,
				 PACKED_NAME | PACKED_CLASS | PACKED_MARKS | PACKED_STEP |
					 PACKED_LAUNCH | PACKED_OP | PACKED_DETAIL,
				 &pack, err);

	for (size_t i = 0; i < l->out->ntracks && rc == 0; i++) {
		const struct call_track *t = &l->out->tracks[i];
		rc = slice_pack_seek(&pack, l->profile->first_slice_id + t->first, t->n,
				     err);
		while (rc == 0 && (rc = slice_pack_next(&pack, err)) > 0)
			rc = add_packed(l, &pack.slice, err);
	}
	slice_pack_close(&pack);
	return rc;
}

static int load_slices(struct loading *l, struct err *err)
{
	const struct slice_load *out = l->out;
	int rc = packs_suffice(l) ? load_packed(l, err)
				  : each_of_profile(l, asset_query_views_ops_slice_sql,
						    add_slice, err);

	for (size_t i = 0; i < out->ntracks && rc == 0; i++)
		if ((size_t)out->tracks[i].first + out->tracks[i].n > out->n)
			rc = query_damaged("slices", err);
	return rc;
}

static int add_memory(struct loading *l, struct sqlite3_stmt *stmt, struct err *err)
{
	struct slice_load *out = l->out;
	uint32_t row = place_of(int_at(stmt, 0), l->profile->first_slice_id, out->n);

	if (row == SLICE_NONE)
		return query_damaged("slices", err);
	*ARRAY_PUSH(out->memory, out->nmemory, out->memory_cap) =
		(struct op_memory_event){ .ts_ns = out->slices[row].ts_ns,
					  .bytes = query_number(stmt, 1),
					  .order = row,
					  .row = row,
					  .is_cpu = op_memory_is_cpu(int_at(stmt, 2)),
					  .out_of_memory = int_at(stmt, 3) != 0 };
	return 0;
}

/* To the innermost label around each launch, what it launched for no operator. */
static void charge_labels(struct slice_load *l, const int64_t *launched_ns)
{
	struct open_labels open = { .n = 0 };

	for (size_t t = 0; t < l->ntracks; t++) {
		open.n = 0;
		for (uint32_t i = 0; i < l->tracks[t].n; i++) {
			uint32_t row = l->tracks[t].first + i;
			const struct loaded_slice *s = &l->slices[row];
			if (s->class == CLASS_ANNOTATION)
				open_labels_add(&open, s->ts_ns, s->ts_ns + s->dur_ns,
						row);
			if (!launched_ns[row])
				continue;
			uint32_t label = open_labels_innermost(&open, s->ts_ns);
			if (label != OPEN_LABELS_NONE)
				l->slices[label].device_ns = sum_add(
					l->slices[label].device_ns, launched_ns[row]);
		}
	}
	open_labels_release(&open);
}

/* Device work is charged to its operator, else to the innermost annotation (link.c). */
static void charge_device_work(struct slice_load *l, const bool *is_wanted)
{
	int64_t *launched_ns = xcalloc(l->n + 1, sizeof(*launched_ns));

	assert(launched_ns); /* xcalloc() ends the program rather */
	for (size_t i = 0; i < l->n; i++) {
		const struct loaded_slice *work = &l->slices[i];
		if (!class_is_device_work((enum slice_class)work->class))
			continue;
		if (is_wanted && (work->class != CLASS_KERNEL ||
				  work->name == TEXT_NONE || !is_wanted[work->name]))
			continue;
		int64_t *charged = NULL;
		if (work->op < l->n)
			charged = &l->slices[work->op].device_ns;
		else if (work->launch < l->n)
			charged = &launched_ns[work->launch];
		if (charged)
			*charged = sum_add(*charged, work->dur_ns);
	}
	charge_labels(l, launched_ns);
	free(launched_ns);
}

int slice_load(struct store *store, struct text_pool *texts,
	       const struct scope_profile *profile, bool categories,
	       struct slice_load *out, struct err *err)
{
	struct loading l = { store, texts, profile, out, categories };

	*out = (struct slice_load){ .window_end_ns = NUMBER_NONE,
				    .span_end_ns = NUMBER_NONE };
	if (profile->slices >= SLICE_NONE)
		return query_damaged("slices", err);
	if (each_of_profile(&l, asset_query_views_ops_profile_sql, add_profile, err) <
		    0 ||
	    load_steps(&l, err) < 0 ||
	    each_of_profile(&l, asset_query_views_ops_detail_sql, add_detail, err) < 0 ||
	    each_of_profile(&l, asset_query_views_ops_track_sql, add_track, err) < 0 ||
	    load_slices(&l, err) < 0 ||
	    each_of_profile(&l, asset_query_views_ops_memory_sql, add_memory, err) < 0)
		return -1;
	charge_device_work(out, NULL);
	return 0;
}

int slice_load_rules(struct store *store, const struct scope_profile *profile,
		     struct slice_load *out, struct err *err)
{
	struct loading l = { .store = store, .profile = profile, .out = out };

	*out = (struct slice_load){ .window_end_ns = NUMBER_NONE,
				    .span_end_ns = NUMBER_NONE };
	return each_of_profile(&l, asset_query_views_ops_profile_sql, add_profile, err);
}

void slice_load_tensor_cores(struct slice_load *l, const struct text_pool *texts,
			     const struct tensor_core_choice *choice)
{
	bool *is_judged = xcalloc(texts->intern.n + 1, sizeof(*is_judged));
	bool *is_wanted = xcalloc(texts->intern.n + 1, sizeof(*is_wanted));

	for (size_t i = 0; i < l->n; i++) {
		uint32_t name = l->slices[i].name;
		l->slices[i].device_ns = 0;
		if (l->slices[i].class != CLASS_KERNEL || name == TEXT_NONE ||
		    is_judged[name])
			continue;
		is_judged[name] = true;
		is_wanted[name] = tensor_core_kernel(intern_str(&texts->intern, name),
						     choice->capability) == choice->says;
	}
	charge_device_work(l, is_wanted);
	free(is_wanted);
	free(is_judged);
}

void slice_load_release(struct slice_load *l)
{
	free(l->slices);
	free(l->tracks);
	free(l->details);
	free(l->steps);
	free(l->step_ids);
	free(l->memory);
	*l = (struct slice_load){ .n = 0 };
}
