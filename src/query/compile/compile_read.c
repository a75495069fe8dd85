/* Calls of compiled regions and compilations: see compile_read.h. */
#include "query/compile/compile_read.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "base/sum.h"
#include "query/query.h"
#include "query/slices/slice_nest.h"

/* What a text of the store is, once it was looked at. */
struct known_name {
	uint8_t word;  /* enum compile_word + 1; 0: not looked at */
	uint32_t text; /* of the id in it */
};

struct open_call {
	uint32_t call;
	size_t depth;
};

struct reading_calls {
	struct compile *c;
	struct compile_read *out;
	struct slices *slices;
	struct slice_nest nest;
	struct open_call *open; /* owned */
	size_t nopen, open_cap;
	struct known_name *names; /* owned; by string.id */
	size_t names_cap;
	/* Of the track: */
	bool is_compiling; /* in the last range, until compiling_end_ns */
	bool is_pending;   /* the last range waits for the call right behind it */
	int64_t compiling_end_ns;
	int64_t lookup_ns;   /* that no call took yet */
	int64_t unit_end_ns; /* of the last unit */
};

uint32_t compile_region_at(struct compile *c, uint32_t id, enum compile_pass pass)
{
	const uint32_t key[2] = { id, pass };
	size_t known = c->keys.n;
	uint32_t at = intern_add(&c->keys, str_bytes(key, sizeof(key)));
	int64_t version;

	if (c->keys.n == known)
		return at;
	struct str frame = compile_frame_of(intern_str(&c->texts, id), &version);
	*ARRAY_PUSH(c->regions, c->n, c->cap) =
		(struct compile_region){ .id = id,
					 .frame = intern_add(&c->texts, frame),
					 .source = COMPILE_NONE,
					 .pass = pass,
					 .version = version };
	return at;
}

static int find_name(struct reading_calls *r, int64_t name_id, struct known_name *out,
		     struct err *err)
{
	size_t at = (size_t)name_id;
	struct str name, text;

	if (at < r->names_cap && r->names[at].word) {
		*out = r->names[at];
		out->word--;
		return 0;
	}
	if (slices_text(r->slices, name_id, &name, err) < 0)
		return -1;
	enum compile_word word = compile_word_of(name, &text);
	*out = (struct known_name){ (uint8_t)word, COMPILE_NONE };
	if (word != COMPILE_WORD_NONE)
		out->text = intern_add(&r->c->texts, text);
	/* The id is one of the store's, as it has a text. */
	*ARRAY_AT(r->names, r->names_cap, at) =
		(struct known_name){ (uint8_t)(word + 1), out->text };
	return 0;
}

static struct compile_call *innermost(struct reading_calls *r)
{
	return r->nopen ? &r->out->calls[r->open[r->nopen - 1].call] : NULL;
}

static void add_moment(struct reading_calls *r, int64_t ts_ns, uint32_t call)
{
	*ARRAY_PUSH(r->out->moments, r->out->nmoments, r->out->moments_cap) =
		(struct compile_moment){ ts_ns, call };
}

static int64_t step_of(struct reading_calls *r, const struct slice_row *row)
{
	int64_t number;

	return slices_step(r->slices, row, &number) ? number : NUMBER_NONE;
}

static int open_call(struct reading_calls *r, struct known_name name, struct err *err)
{
	const struct slice_row *row = &r->nest.row;
	uint32_t at = (uint32_t)r->out->ncalls;
	uint32_t around = r->nopen ? r->open[r->nopen - 1].call : COMPILE_NONE;
	int64_t end_ns = r->nest.open[r->nest.nopen - 1].end_ns;
	int wanted = slices_is_wanted(r->slices, row, err);

	if (wanted < 0 || r->out->ncalls >= COMPILE_NONE - 1)
		return wanted < 0 ? -1 : query_damaged("slices", err);
	bool is_backward = name.word == COMPILE_WORD_BACKWARD;
	struct compile_call call = {
		.start_ns = row->ts_ns,
		.end_ns = end_ns,
		.slice_id = row->id,
		.step = step_of(r, row),
		.self_ns = sum_sub(end_ns, row->ts_ns),
		.lookup_ns = r->lookup_ns,
		.around = around,
		.region = compile_region_at(r->c, name.text,
					    is_backward ? COMPILE_BACKWARD
							: COMPILE_FORWARD),
		.word = name.word,
		.is_wanted = wanted > 0,
		.has_mark = name.word == COMPILE_WORD_FUNCTION ||
			    name.word == COMPILE_WORD_GRAPH,
	};
	r->out->has_marks |= call.has_mark;
	if (r->is_pending)
		r->out->ranges[r->out->nranges - 1].after = at;
	r->is_pending = false;
	r->lookup_ns = 0;
	if (around != COMPILE_NONE)
		r->out->calls[around].self_ns =
			sum_sub(r->out->calls[around].self_ns, call.self_ns);
	*ARRAY_PUSH(r->out->calls, r->out->ncalls, r->out->calls_cap) = call;
	*ARRAY_PUSH(r->open, r->nopen, r->open_cap) =
		(struct open_call){ at, r->nest.depth };
	add_moment(r, row->ts_ns, at);
	return 0;
}

/* In the innermost call, or it is that. */
static void add_forward(struct reading_calls *r)
{
	*ARRAY_PUSH(r->out->forwards, r->out->nforwards, r->out->forwards_cap) =
		(struct compile_forward){ r->nest.row.id, r->nest.row.ts_ns,
					  r->open[r->nopen - 1].call };
}

/* One within another is part of it. */
static int add_unit(struct reading_calls *r, struct known_name name, struct err *err)
{
	const struct slice_row *row = &r->nest.row;
	int wanted = slices_is_wanted(r->slices, row, err);

	if (wanted < 0 || row->ts_ns < r->unit_end_ns)
		return wanted < 0 ? -1 : 0;
	r->unit_end_ns = r->nest.open[r->nest.nopen - 1].end_ns;
	*ARRAY_PUSH(r->out->units, r->out->nunits, r->out->units_cap) =
		(struct compile_unit){
			row->ts_ns,
			r->unit_end_ns,
			r->nopen ? r->open[r->nopen - 1].call : COMPILE_NONE,
			name.text,
			wanted > 0,
		};
	return 0;
}

/*
 * torch opens these ranges in a Python function that returns before they end: where Python
 * was recorded they outlast what is around them, but no call.
 */
static int open_range(struct reading_calls *r, struct err *err)
{
	const struct slice_row *row = &r->nest.row;
	struct compile_call *around = innermost(r);
	int64_t end_ns = sum_add(row->ts_ns, row->dur_ns);
	if (around && end_ns > around->end_ns)
		end_ns = around->end_ns;
	int wanted = slices_is_wanted(r->slices, row, err);

	if (wanted < 0)
		return -1;
	*ARRAY_PUSH(r->out->ranges, r->out->nranges, r->out->ranges_cap) =
		(struct compile_range){
			.start_ns = row->ts_ns,
			.end_ns = end_ns,
			.step = step_of(r, row),
			.id = COMPILE_NONE,
			.call = r->nopen ? r->open[r->nopen - 1].call : COMPILE_NONE,
			.after = COMPILE_NONE,
			.is_wanted = wanted > 0,
			.is_backward = around && around->word == COMPILE_WORD_BACKWARD,
		};
	if (around)
		around->self_ns = sum_sub(around->self_ns, sum_sub(end_ns, row->ts_ns));
	r->is_compiling = true;
	r->is_pending = false;
	r->compiling_end_ns = end_ns;
	return 0;
}

/* What runs in a call and is no call: what it tells of it. */
static int add_inside(struct reading_calls *r, enum compile_word word, struct err *err)
{
	const struct slice_row *row = &r->nest.row;
	struct compile_call *call = innermost(r);

	if (!call)
		return 0;
	if (word == COMPILE_WORD_FUNCTION || word == COMPILE_WORD_GRAPH ||
	    word == COMPILE_WORD_PREGRAPH) {
		call->has_mark = r->out->has_marks = true;
		return 0;
	}
	call->graph_launches +=
		word == COMPILE_WORD_LAUNCH && row->class == CLASS_RUNTIME;
	call->has_ops |= row->class == CLASS_OP;
	struct compile_region *region = &r->c->regions[call->region];
	if (row->class != CLASS_PYTHON || region->source != COMPILE_NONE ||
	    r->nest.depth != r->open[r->nopen - 1].depth + 1)
		return 0;
	struct str name;
	if (slices_text(r->slices, row->name_id, &name, err) < 0)
		return -1;
	region->source = intern_add(&r->c->texts, name);
	return 0;
}

static int open_slice(struct reading_calls *r, struct err *err)
{
	const struct slice_row *row = &r->nest.row;
	struct known_name name;

	if (find_name(r, row->name_id, &name, err) < 0)
		return -1;
	if (r->is_compiling && row->ts_ns >= r->compiling_end_ns) {
		r->is_compiling = false;
		r->is_pending = true;
	}
	if (r->is_compiling) {
		struct compile_range *range = &r->out->ranges[r->out->nranges - 1];
		if (name.word == COMPILE_WORD_COMPILING_ID && range->id == COMPILE_NONE) {
			struct str id = intern_str(&r->c->texts, name.text);
			range->is_restart = compile_cut_restart(&id);
			range->id = intern_add(&r->c->texts, id);
		}
		return 0;
	}
	/* torch runs what it compiled at once: other work is not of it */
	if (name.word != COMPILE_WORD_REGION && name.word != COMPILE_WORD_LOOKUP &&
	    (row->class == CLASS_OP || row->class == CLASS_RUNTIME))
		r->is_pending = false;
	switch ((enum compile_word)name.word) {
	case COMPILE_WORD_REGION:
		return open_call(r, name, err);
	case COMPILE_WORD_FUNCTION:
	case COMPILE_WORD_BACKWARD:
	case COMPILE_WORD_GRAPH:
		if ((r->nopen ? add_inside(r, name.word, err) : open_call(r, name, err)) <
		    0)
			return -1;
		if (name.word == COMPILE_WORD_FUNCTION)
			add_forward(r);
		return 0;
	case COMPILE_WORD_COMPILING:
		return open_range(r, err);
	case COMPILE_WORD_LOOKUP:
		r->lookup_ns = sum_add(r->lookup_ns, row->dur_ns);
		r->out->has_lookups = true;
		return 0;
	case COMPILE_WORD_COMPILING_ID:
		return 0;
	case COMPILE_WORD_KERNEL:
	case COMPILE_WORD_MADE:
		if (add_unit(r, name, err) < 0)
			return -1;
		return add_inside(r, name.word, err);
	case COMPILE_WORD_NONE:
	case COMPILE_WORD_PREGRAPH:
	case COMPILE_WORD_LAUNCH:
	case NCOMPILE_WORDS:
	default:
		return add_inside(r, name.word, err);
	}
}

static void close_slice(struct reading_calls *r)
{
	if (!r->nopen || r->open[r->nopen - 1].depth != r->nest.depth)
		return;
	const struct compile_call *call = innermost(r);
	add_moment(r, call->end_ns, call->around);
	r->nopen--;
}

static int read_track(struct reading_calls *r, const struct slices_track *track,
		      struct err *err)
{
	struct compile_read *out = r->out;
	struct compile_track t = { .track = track,
				   .first_call = out->ncalls,
				   .first_range = out->nranges,
				   .first_forward = out->nforwards,
				   .first_unit = out->nunits,
				   .first_moment = out->nmoments };
	int rc = slice_nest_track(&r->nest, track, err);

	r->nopen = 0;
	r->is_compiling = r->is_pending = false;
	r->lookup_ns = 0;
	r->unit_end_ns = INT64_MIN;
	while (rc >= 0 && (rc = slice_nest_next(&r->nest, err)) > 0) {
		if (rc == SLICE_CLOSES)
			close_slice(r);
		else
			rc = open_slice(r, err);
	}
	t.ncalls = out->ncalls - t.first_call;
	t.nranges = out->nranges - t.first_range;
	t.nforwards = out->nforwards - t.first_forward;
	t.nunits = out->nunits - t.first_unit;
	t.nmoments = out->nmoments - t.first_moment;
	if (rc == 0 && (t.ncalls || t.nranges || t.nunits))
		*ARRAY_PUSH(out->tracks, out->ntracks, out->tracks_cap) = t;
	return rc;
}

const struct compile_track *compile_track_of(const struct compile_read *r,
					     const struct slices_track *track)
{
	size_t low;

	SEARCH(low, 0, r->ntracks, r->tracks[low].track < track);
	return low < r->ntracks && r->tracks[low].track == track ? &r->tracks[low] : NULL;
}

uint32_t compile_call_at(const struct compile_read *r, const struct slices_track *track,
			 int64_t ts_ns)
{
	const struct compile_track *t = compile_track_of(r, track);
	size_t low;

	if (!t)
		return COMPILE_NONE;
	SEARCH(low, t->first_moment, t->first_moment + t->nmoments,
	       r->moments[low].ts_ns <= ts_ns);
	return low == t->first_moment ? COMPILE_NONE : r->moments[low - 1].call;
}

const struct compile_track *compile_first_track(const struct compile_read *r,
						const struct scope_profile *profile)
{
	size_t first = r->first[profile - r->scope->profiles];

	return first ? &r->tracks[first - 1] : NULL;
}

const struct compile_track *compile_next_track(const struct compile_read *r,
					       const struct compile_track *track)
{
	return track->next ? &r->tracks[track->next - 1] : NULL;
}

static void chain_tracks(struct compile_read *r)
{
	r->first = xcalloc(r->scope->n, sizeof(*r->first));
	for (size_t i = r->ntracks; i-- > 0;) {
		size_t at = (size_t)(r->tracks[i].track->profile - r->scope->profiles);
		r->tracks[i].next = r->first[at];
		r->first[at] = i + 1;
	}
}

int compile_read(struct store *store, const struct scope *scope, struct slices *slices,
		 struct compile *c, struct compile_read *out, struct err *err)
{
	struct reading_calls r = { .c = c, .out = out, .slices = slices };
	int rc = slice_nest_open(store, slices, &r.nest, err);

	*out = (struct compile_read){ .scope = scope };
	for (size_t i = 0; rc == 0 && i < slices->ntracks; i++) {
		const struct slices_track *track = &slices->tracks[i];
		if (track->is_wanted && !track->is_apart && !track->is_device &&
		    str_is(str_of(track->kind), "thread"))
			rc = read_track(&r, track, err);
	}
	if (rc == 0)
		chain_tracks(out);
	slice_nest_close(&r.nest);
	free(r.open);
	free(r.names);
	return rc;
}

void compile_read_release(struct compile_read *r)
{
	free(r->calls);
	free(r->ranges);
	free(r->forwards);
	free(r->units);
	free(r->moments);
	free(r->tracks);
	free(r->first);
	*r = (struct compile_read){ .ncalls = 0 };
}
