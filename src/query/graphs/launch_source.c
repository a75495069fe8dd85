/* Launches one by one: see launch_source.h. */
#include "query/graphs/launch_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "query/devices/device_work.h"
#include "query/graphs/replays.h"
#include "query/slices/slice_nest.h"

/* A call that launched work, and the work's place among the items. */
struct wanted {
	int64_t launch_id;
	uint32_t item;
};

/* A slice that is open, and the path down to it where that is known. */
struct around {
	int64_t name_id;
	uint32_t path, ops;
	int class;
	bool is_known, is_too_deep; /* CALL_PATH_MOST */
};

struct reading {
	struct launch_source *out;
	struct slices *slices;
	struct slice_nest nest;
	struct wanted *wanted; /* owned; by launch_id */
	size_t nwanted;
	struct around *open; /* owned; by depth */
	size_t open_cap;
	uint8_t *calls; /* owned; by name_id: 1 + enum call_kind */
	size_t calls_cap;
	bool with_labels;  /* operators and labels make a path */
	bool is_capturing; /* on the track that is read */
	size_t first;      /* of the captured */
};

enum call_kind { CALL_OTHER, CALL_BEGINS, CALL_ENDS, CALL_KERNEL, CALL_COPY, CALL_SET };

enum captured_kind captured_kind_of(int class)
{
	if (class == CLASS_MEMCPY)
		return CAPTURED_COPY;
	return class == CLASS_MEMSET ? CAPTURED_SET : CAPTURED_KERNEL;
}

static bool has(struct str name, const char *part)
{
	return str_contains(name, str_of(part));
}

static enum call_kind judge_call(struct str name)
{
	if (has(name, "StreamBeginCapture"))
		return CALL_BEGINS;
	if (has(name, "StreamEndCapture"))
		return CALL_ENDS;
	if (has(name, "Launch") && has(name, "Kernel"))
		return CALL_KERNEL;
	if (has(name, "Memcpy"))
		return CALL_COPY;
	return has(name, "Memset") ? CALL_SET : CALL_OTHER;
}

static int call_kind(struct reading *r, int64_t name_id, enum call_kind *kind,
		     struct err *err)
{
	struct str name;

	if (slices_text(r->slices, name_id, &name, err) < 0)
		return -1;
	/* The id is one of the store's, as it has a text. */
	uint8_t *known = ARRAY_AT(r->calls, r->calls_cap, (size_t)name_id);
	if (!*known)
		*known = (uint8_t)(1 + judge_call(name));
	*kind = (enum call_kind)(*known - 1);
	return 0;
}

static bool is_module(struct str name)
{
	return str_starts_with(name, STR_LIT("nn.Module: ")) ||
	       str_starts_with(name, STR_LIT("[pl][module]"));
}

/*
 * Of calls around a launch only those belong to its path that are the same whenever the
 * program runs: not the loop around the model, nor what is named by an address.
 */
static bool is_of_path(const struct around *a, struct str name, uint32_t caller)
{
	if (a->class == CLASS_OP)
		return true;
	if (a->class != CLASS_PYTHON && a->class != CLASS_ANNOTATION)
		return false;
	if (is_module(name))
		return true;
	return a->class == CLASS_PYTHON && caller != CALL_PATH_NONE &&
	       !has(name, " at 0x");
}

/* Adds a call to a path, where it belongs to it. */
static void extend(struct reading *r, uint32_t *path, bool belongs, struct around *a,
		   struct str name)
{
	if (!belongs || a->is_too_deep)
		return;
	*path = call_paths_child(
		r->out->paths,
		(struct call_path){ .caller = *path,
				    .name = intern_add(r->out->texts, name),
				    .class = (uint32_t)a->class });
	a->is_too_deep = *path == CALL_PATH_NONE;
}

/* The paths of what is open below `depth`. */
static int paths_of(struct reading *r, size_t depth, struct launched *out,
		    struct err *err)
{
	size_t from = depth;

	while (from > 0 && !r->open[from - 1].is_known)
		from--;
	out->path = from ? r->open[from - 1].path : CALL_PATH_NONE;
	out->ops = from ? r->open[from - 1].ops : CALL_PATH_NONE;
	for (; from < depth; from++) {
		struct around *a = &r->open[from];
		bool is_op = a->class == CLASS_OP;
		struct str name;
		a->is_too_deep = from && r->open[from - 1].is_too_deep;
		if (slices_text(r->slices, a->name_id, &name, err) < 0)
			return -1;
		extend(r, &out->path,
		       r->with_labels ? is_op || a->class == CLASS_ANNOTATION
				      : is_of_path(a, name, out->path),
		       a, name);
		extend(r, &out->ops, is_op, a, name);
		if (a->is_too_deep)
			out->path = out->ops = CALL_PATH_NONE;
		a->path = out->path;
		a->ops = out->ops;
		a->is_known = true;
	}
	return 0;
}

void launched_agree(struct launched *with, const struct launched *other)
{
	if (with->path != other->path)
		with->path = CALL_PATH_NONE;
	if (with->ops != other->ops)
		with->ops = CALL_PATH_NONE;
}

uint32_t launched_path(const struct launched *l)
{
	return l->path != CALL_PATH_NONE ? l->path : l->ops;
}

/* A call with work of its own. */
static int add_launch(struct reading *r, int64_t id, bool *is_launch, struct err *err)
{
	size_t at = SORT_FIRST(r->wanted, r->nwanted, launch_id, id);
	struct launched paths;

	*is_launch = at < r->nwanted && r->wanted[at].launch_id == id;
	if (!*is_launch)
		return 0;
	if (paths_of(r, r->nest.depth, &paths, err) < 0)
		return -1;
	for (; at < r->nwanted && r->wanted[at].launch_id == id; at++) {
		struct launched *item = &r->out->items[r->wanted[at].item];
		item->path = paths.path;
		item->ops = paths.ops;
	}
	return 0;
}

static void begin_capture(struct reading *r)
{
	r->is_capturing = true;
	r->first = r->out->ncaptured;
}

static void end_capture(struct reading *r)
{
	struct launch_source *out = r->out;

	if (r->is_capturing)
		*ARRAY_PUSH(out->captures, out->ncaptures, out->captures_cap) =
			(struct launch_capture){ r->first, out->ncaptured - r->first };
	r->is_capturing = false;
}

static int add_captured(struct reading *r, enum call_kind kind, struct err *err)
{
	struct launch_source *out = r->out;
	struct launched call = { .name = (uint32_t)(kind - CALL_KERNEL) };

	if (paths_of(r, r->nest.depth, &call, err) < 0)
		return -1;
	*ARRAY_PUSH(out->captured, out->ncaptured, out->captured_cap) = call;
	return 0;
}

static int add_call(struct reading *r, struct err *err)
{
	enum call_kind kind;
	bool is_launch;

	if (add_launch(r, r->nest.row.id, &is_launch, err) < 0)
		return -1;
	if (is_launch)
		return 0;
	if (call_kind(r, r->nest.row.name_id, &kind, err) < 0)
		return -1;
	if (kind == CALL_BEGINS)
		begin_capture(r);
	else if (kind == CALL_ENDS)
		end_capture(r);
	else if (kind >= CALL_KERNEL && r->is_capturing)
		return add_captured(r, kind, err);
	return 0;
}

static int add_track(struct reading *r, const struct slices_track *track, struct err *err)
{
	int event;

	r->is_capturing = false;
	if (slice_nest_track(&r->nest, track, err) < 0)
		return -1;
	while ((event = slice_nest_next(&r->nest, err)) > 0) {
		const struct slice_row *row = &r->nest.row;
		if (event == SLICE_CLOSES)
			continue;
		*ARRAY_AT(r->open, r->open_cap, r->nest.depth) =
			(struct around){ .name_id = row->name_id, .class = row->class };
		if ((row->class == CLASS_RUNTIME || row->class == CLASS_DRIVER) &&
		    add_call(r, err) < 0)
			return -1;
	}
	return event;
}

static void reading_release(struct reading *r)
{
	free(r->wanted);
	free(r->open);
	free(r->calls);
}

static int read_tracks(struct reading *r, struct store *store,
		       const struct scope_profile *profile, struct err *err)
{
	struct scope scope;

	scope_of_profile(profile, &scope);
	int rc = slices_open(store, &scope, NULL, &r->slices, err);
	if (rc == 0)
		rc = slice_nest_open(store, r->slices, &r->nest, err);
	for (size_t i = 0; rc == 0 && i < r->slices->ntracks; i++) {
		const struct slices_track *track = &r->slices->tracks[i];
		if (!track->is_apart && strcmp(track->kind, "thread") == 0)
			rc = add_track(r, track, err);
	}
	slice_nest_close(&r->nest);
	slices_close(r->slices);
	scope_release(&scope);
	return rc;
}

int launch_paths_load(struct store *store, const struct scope_profile *profile,
		      const struct launch_ids *calls, struct call_paths *paths,
		      struct intern *texts, struct err *err)
{
	struct launch_source source = { .paths = paths, .texts = texts, .n = calls->n };
	struct reading r = { .out = &source, .with_labels = true };

	source.items = xcalloc(calls->n + 1, sizeof(*source.items));
	r.wanted = xrealloc_array(NULL, calls->n + 1, sizeof(*r.wanted));
	for (size_t i = 0; i < calls->n; i++)
		r.wanted[r.nwanted++] = (struct wanted){ calls->ids[i], (uint32_t)i };
	int rc = read_tracks(&r, store, profile, err);
	for (size_t i = 0; i < calls->n; i++)
		calls->out[i] = source.items[i].path;
	launch_source_release(&source);
	reading_release(&r);
	return rc;
}

static bool is_launched_before(const void *context, uint32_t a, uint32_t b)
{
	const struct work_item *x = (const struct work_item *)context + a;
	const struct work_item *y = (const struct work_item *)context + b;
	int64_t x_ns = x->launch_id ? x->launch_start_ns : x->start_ns;
	int64_t y_ns = y->launch_id ? y->launch_start_ns : y->start_ns;

	return x_ns != y_ns ? x_ns < y_ns : x->start_ns < y->start_ns;
}

/* All work but that of replays, in the order of launches. */
static void list_work(struct reading *r, const struct device_work *work,
		      const struct text_pool *texts, const struct replays *replays)
{
	struct launch_source *out = r->out;
	uint32_t *order = sorted_places(work->n, is_launched_before, work->items);
	bool *is_replayed = xcalloc(work->n + 1, sizeof(*is_replayed));

	for (size_t i = 0; i < replays->nat; i++)
		is_replayed[replays->at[i]] = true;
	out->items = xrealloc_array(NULL, work->n + 1, sizeof(*out->items));
	r->wanted = xrealloc_array(NULL, work->n + 1, sizeof(*r->wanted));
	for (size_t i = 0; i < work->n; i++) {
		const struct work_item *item = &work->items[order[i]];
		if (is_replayed[order[i]])
			continue;
		if (item->launch_id)
			r->wanted[r->nwanted++] =
				(struct wanted){ item->launch_id, (uint32_t)out->n };
		out->items[out->n++] = (struct launched){
			.name = intern_add(out->texts, text_pool_str(texts, item->name))
		};
	}
	SORT_BY(r->wanted, r->nwanted, launch_id);
	free(is_replayed);
	free(order);
}

int launch_source_load(struct store *store, const struct scope_profile *profile,
		       struct call_paths *paths, struct intern *texts,
		       struct launch_source *out, struct err *err)
{
	struct reading r = { .out = out };
	struct device_work work = { .n = 0 };
	struct replays replays = { .n = 0 };
	struct text_pool pool;

	*out = (struct launch_source){ .paths = paths, .texts = texts };
	int rc = text_pool_open(store, &pool, err);
	if (rc == 0)
		rc = device_work_load(store, &pool, profile, WORK_WITH_LAUNCHES, &work,
				      err);
	if (rc == 0)
		rc = replays_load(store, &pool, &work, &replays, err);
	if (rc == 0) {
		list_work(&r, &work, &pool, &replays);
		rc = read_tracks(&r, store, profile, err);
	}
	replays_release(&replays);
	device_work_release(&work);
	text_pool_close(&pool);
	reading_release(&r);
	return rc;
}

void launch_source_release(struct launch_source *s)
{
	free(s->items);
	free(s->captures);
	free(s->captured);
	*s = (struct launch_source){ .n = 0 };
}
