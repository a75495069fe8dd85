/* What operators were given: see call_kinds.h. */
#include "query/roofline/call_kinds.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "query/query.h"
#include "trace/optree.h"

ASSET(asset_query_views_roofline_details_sql);

#define SHOWN_TYPES 8 /* of a call, at most */

struct kind_key {
	const struct op_kind *kind;
	struct call_told told;
	uint32_t name, inputs;
};

int call_kinds_open(struct store *store, struct text_pool *texts,
		    const struct scope_profile *profile, struct call_kinds *out,
		    struct err *err)
{
	*out = (struct call_kinds){ .texts = texts };
	intern_init(&out->keys);
	buf_init(&out->scratch, SIZE_MAX);
	struct query q = query_of_profile(store, asset_query_views_roofline_details_sql,
					  profile, err);
	while (query_next(&q, err)) {
		struct call_inputs *in =
			ARRAY_PUSH(out->inputs, out->ninputs, out->inputs_cap);
		uint32_t *const into[] = { &in->shapes, &in->types, &in->values };
		in->id = sqlite3_column_int64(q.stmt, 0);
		for (int i = 0; i < 3 && q.rc == 0; i++)
			q.rc = text_pool_number(
				texts, sqlite3_column_int64(q.stmt, 1 + i), into[i], err);
	}
	return query_end(&q);
}

void call_kinds_close(struct call_kinds *c)
{
	intern_release(&c->keys);
	buf_release(&c->scratch);
	free(c->inputs);
	free(c->kinds);
	*c = (struct call_kinds){ .texts = NULL };
}

/* "bfloat16, float32"; TEXT_NONE when no tensor has a type that is known. */
static uint32_t dtypes_text(struct call_kinds *c, const struct op_call *call)
{
	const struct dtype *seen[SHOWN_TYPES];
	size_t n = 0;

	buf_clear(&c->scratch);
	for (size_t i = 0; i < call->n && n < SHOWN_TYPES; i++) {
		const struct op_arg *arg = op_call_tensor(call, i);
		size_t at = 0;
		if (!arg || !arg->dtype || !arg->n)
			continue;
		while (at < n && strcmp(seen[at]->name, arg->dtype->name) != 0)
			at++;
		if (at < n)
			continue;
		seen[n++] = arg->dtype;
		buf_add_text(&c->scratch, at ? ", " : "");
		buf_add_text(&c->scratch, arg->dtype->name);
	}
	return n ? intern_add(&c->texts->intern, buf_str(&c->scratch)) : TEXT_NONE;
}

static void set_told(const struct call_kinds *c, const struct call_told *told,
		     struct op_call *call)
{
	struct op_call node;
	const struct str none = { NULL, 0 };

	call->list_dtype = told->list_dtype;
	call->gradients = (int)told->gradients;
	if (told->result != TEXT_NONE &&
	    op_call_read(&node, text_pool_str(c->texts, told->result), none, none) &&
	    op_call_tensor(&node, 0))
		call->result = node.args[0];
}

/* "aten::add_.Tensor", and not "aten::__and__". */
static bool is_in_place(struct str name)
{
	name = op_name_plain(name);
	return name.n > 1 && name.p[name.n - 1] == '_' && name.p[name.n - 2] != '_';
}

static struct call_kind make_kind(struct call_kinds *c, const struct kind_key *key)
{
	const struct call_inputs *in =
		key->inputs == UINT32_MAX ? NULL : &c->inputs[key->inputs];
	struct intern *texts = &c->texts->intern;
	struct call_kind made = { .shapes = in ? in->shapes : TEXT_NONE,
				  .dtypes = TEXT_NONE };
	struct op_call call;

	op_work_of(NULL, NULL, &made.work);
	made.name = op_name_of(intern_str(texts, key->name), true, texts).name;
	if (in && in->shapes != TEXT_NONE &&
	    op_call_read(&call, text_pool_str(c->texts, in->shapes),
			 text_pool_str(c->texts, in->types),
			 text_pool_str(c->texts, in->values))) {
		set_told(c, &key->told, &call);
		call.is_in_place = is_in_place(intern_str(texts, key->name));
		op_work_of(key->kind, &call, &made.work);
		made.dtypes = dtypes_text(c, &call);
	}
	return made;
}

const struct call_inputs *call_kinds_inputs(const struct call_kinds *c, int64_t detail_id)
{
	size_t at;

	SEARCH(at, 0, c->ninputs, c->inputs[at].id < detail_id);
	return at < c->ninputs && c->inputs[at].id == detail_id ? &c->inputs[at] : NULL;
}

/* The part before the next ';', which is taken off. */
static struct str next_type(struct str *rest)
{
	const char *at = rest->n ? memchr(rest->p, ';', rest->n) : NULL;
	struct str part = { rest->p, at ? (size_t)(at - rest->p) : rest->n };

	*rest = str_behind(*rest, part.n + (at != NULL));
	return part;
}

const struct dtype *call_kinds_dtype(const struct call_kinds *c, int64_t detail_id)
{
	const struct call_inputs *in = call_kinds_inputs(c, detail_id);
	struct str types =
		in ? text_pool_str(c->texts, in->types) : (struct str){ NULL, 0 };
	const struct dtype *first = dtype_find(next_type(&types));
	const struct dtype *second = dtype_find(next_type(&types));

	return second && second != first ? NULL : first;
}

const struct call_kind *call_kinds_of(struct call_kinds *c, uint32_t name,
				      int64_t detail_id, const struct op_kind *kind,
				      const struct call_told *told)
{
	const struct call_inputs *in = call_kinds_inputs(c, detail_id);
	struct kind_key key;

	memset(&key, 0, sizeof(key)); /* it is compared as bytes */
	key.kind = kind;
	key.told = *told;
	key.name = name;
	key.inputs = in ? (uint32_t)(in - c->inputs) : UINT32_MAX;
	size_t known = c->keys.n;
	uint32_t number = intern_add(&c->keys, str_bytes(&key, sizeof(key)));
	if (c->keys.n > known)
		*ARRAY_PUSH(c->kinds, c->nkinds, c->kinds_cap) = make_kind(c, &key);
	return &c->kinds[number];
}
