/* Calls of operators and whose work they are: see op_owners.h. */
#include "query/roofline/op_owners.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "base/sum.h"
#include "query/query.h"
#include "query/slices/slice_pack.h"

#define COLUMNS (PACKED_NAME | PACKED_CLASS | PACKED_STEP | PACKED_DETAIL)

ASSET(asset_query_views_host_tracks_sql);

/* What is open at a moment: an operator, or an annotation of lengths. */
struct open_range {
	int64_t end_ns;
	uint32_t op;   /* place, or OWNER_NONE */
	uint32_t note; /* that holds within it: place + 1, or 0 */
};

struct walking {
	struct op_owners *out;
	struct text_pool *texts;
	struct slice_walk walk;
	struct open_range *open; /* owned */
	size_t nopen, cap;
};

static void set_kind(struct op_owners *o, uint32_t name, struct str text)
{
	struct name_kind *known = ARRAY_AT(o->names, o->names_cap, name);

	if (!known->is_known)
		*known = (struct name_kind){ true, op_kind_find(text) };
}

const struct op_kind *op_owners_kind(const struct op_owners *o, uint32_t name)
{
	return name < o->names_cap ? o->names[name].kind : NULL;
}

/* A number behind the name, which is taken off: "sq32sk55" is 32 of "sq", and "sk55". */
static bool read_number(struct str *text, const char *name, int64_t *number)
{
	size_t n = strlen(name);

	if (!str_starts_with(*text, str_of(name)))
		return false;
	*text = str_behind(*text, n);
	for (n = 0, *number = 0; n < text->n && text->p[n] >= '0' && text->p[n] <= '9';
	     n++)
		if (__builtin_mul_overflow(*number, 10, number) ||
		    __builtin_add_overflow(*number, text->p[n] - '0', number))
			return false;
	*text = str_behind(*text, n);
	return n > 0;
}

/*
 * "context_9(sq8192sk8192sqsq...sqsk...)": sums over requests of their queries, keys,
 * squared queries, and products.  The last query of each sees all keys, the one before
 * one less: of sq * sk pairs sq * (sq - 1) / 2 are not seen.
 */
static bool add_lengths(struct str text, const char *what, struct length_note *note)
{
	int64_t count, queries, keys, squares, pairs;
	size_t n = strlen(what);

	while (text.n > n && !str_starts_with(text, str_of(what)))
		text = str_behind(text, 1);
	if (!read_number(&text, what, &count) || !read_number(&text, "(sq", &queries) ||
	    !read_number(&text, "sk", &keys) || !read_number(&text, "sqsq", &squares) ||
	    !read_number(&text, "sqsk", &pairs))
		return false;
	pairs = sum_sub(pairs, sum_sub(squares, queries) / 2);
	if (pairs < 0)
		return false;
	note->pairs = op_plus(note->pairs, pairs);
	note->keys = op_plus(note->keys, keys);
	return true;
}

static bool read_note(struct str text, struct length_note *note)
{
	return str_starts_with(text, STR_LIT("execute_")) &&
	       add_lengths(text, "context_", note) &&
	       add_lengths(text, "generation_", note);
}

static void open_note(struct walking *w, const struct packed_slice *s, struct str name)
{
	struct op_owners *o = w->out;
	struct length_note note = { .pairs = 0 };
	uint32_t around = w->nopen ? w->open[w->nopen - 1].op : OWNER_NONE;

	if (!read_note(name, &note))
		return;
	*ARRAY_PUSH(o->notes, o->nnotes, o->notes_cap) = note;
	*ARRAY_PUSH(w->open, w->nopen, w->cap) =
		(struct open_range){ s->end_ns, around, (uint32_t)o->nnotes };
}

/* All around it have something that counts: those above one that knows know, too. */
static void tell_around(struct op_owners *o, uint32_t at)
{
	for (; at != OWNER_NONE && !o->items[at].has_inner; at = o->items[at].parent)
		o->items[at].has_inner = true;
}

static void set_owner(struct op_owners *o, uint32_t at)
{
	struct owned_op *op = &o->items[at];
	uint32_t around =
		op->parent == OWNER_NONE ? OWNER_NONE : o->items[op->parent].owner;

	op->owner = around;
	if (around != OWNER_NONE ||
	    op_kind_role(op_owners_kind(o, op->name)) != OP_COUNTS)
		return;
	op->owner = at;
	tell_around(o, op->parent);
}

static int open_op(struct walking *w, const struct packed_slice *s, uint32_t name,
		   struct err *err)
{
	struct op_owners *o = w->out;
	const struct open_range *around = w->nopen ? &w->open[w->nopen - 1] : NULL;
	struct owned_op op = { .id = s->id,
			       .start_ns = s->start_ns,
			       .end_ns = s->end_ns,
			       .step_id = s->step_id,
			       .detail_id = s->op_detail_id,
			       .name = name,
			       .parent = around ? around->op : OWNER_NONE,
			       .note = around ? around->note : 0 };

	if (o->n >= OWNER_NONE - 1 || (o->n && o->items[o->n - 1].id >= s->id))
		return query_damaged("slices", err);
	if (op.parent != OWNER_NONE && op.end_ns > o->items[op.parent].end_ns)
		op.end_ns = o->items[op.parent].end_ns;
	op.self_ns = sum_sub(op.end_ns, op.start_ns);
	if (op.parent != OWNER_NONE)
		o->items[op.parent].self_ns =
			sum_sub(o->items[op.parent].self_ns, op.self_ns);
	*ARRAY_PUSH(o->items, o->n, o->cap) = op;
	set_owner(o, (uint32_t)o->n - 1);
	*ARRAY_PUSH(w->open, w->nopen, w->cap) =
		(struct open_range){ op.end_ns, (uint32_t)o->n - 1, op.note };
	return 0;
}

static int add_slice(struct walking *w, struct err *err)
{
	const struct packed_slice *s = &w->walk.slices.slice;
	uint32_t name;

	if (s->class != CLASS_OP && s->class != CLASS_ANNOTATION)
		return 0;
	while (w->nopen && w->open[w->nopen - 1].end_ns <= s->start_ns)
		w->nopen--;
	if (text_pool_number(w->texts, s->name_id, &name, err) < 0)
		return -1;
	if (name == TEXT_NONE)
		return query_damaged("slices", err);
	if (s->class == CLASS_ANNOTATION) {
		open_note(w, s, text_pool_str(w->texts, name));
		return 0;
	}
	set_kind(w->out, name, text_pool_str(w->texts, name));
	return open_op(w, s, name, err);
}

/* What is left: composites in which nothing counts own what they call, the rest itself. */
static void finish(struct op_owners *o)
{
	for (size_t i = 0; i < o->n; i++) {
		struct owned_op *op = &o->items[i];
		if (op->owner != OWNER_NONE)
			continue;
		const struct owned_op *around =
			op->parent == OWNER_NONE ? NULL : &o->items[op->parent];
		const struct owned_op *owner = around && around->owner != OWNER_NONE
						       ? &o->items[around->owner]
						       : NULL;
		bool is_part =
			owner && !owner->has_inner &&
			op_kind_role(op_owners_kind(o, owner->name)) == OP_COMPOSITE;
		op->owner = is_part ? around->owner : (uint32_t)i;
	}
}

int op_owners_load(struct store *store, struct text_pool *texts,
		   const struct scope_profile *profile, struct op_owners *out,
		   struct err *err)
{
	struct walking w = { .out = out, .texts = texts };

	*out = (struct op_owners){ .n = 0 };
	int rc = slice_walk_open(store, asset_query_views_host_tracks_sql, profile->id,
				 COLUMNS, &w.walk, err);
	while (rc == 0 && (rc = slice_walk_track(&w.walk, err)) > 0) {
		w.nopen = 0;
		while ((rc = slice_pack_next(&w.walk.slices, err)) > 0)
			if (add_slice(&w, err) < 0) {
				rc = -1;
				break;
			}
	}
	slice_walk_close(&w.walk);
	free(w.open);
	if (rc == 0)
		finish(out);
	return rc;
}

void op_owners_release(struct op_owners *o)
{
	free(o->items);
	free(o->notes);
	free(o->names);
	*o = (struct op_owners){ .n = 0 };
}

uint32_t op_owners_find(const struct op_owners *o, int64_t id)
{
	size_t at;

	SEARCH(at, 0, o->n, o->items[at].id < id);
	return at < o->n && o->items[at].id == id ? (uint32_t)at : OWNER_NONE;
}
