/*
 * A tree of functions as pyinstrument writes it: each with the seconds that it and all
 * below it took, from which what it took itself follows.  Functions called [self] are
 * that part of the one above them.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/sum.h"
#include "ingest/pyinstrument.h"

#define NS_DIGITS 9
#define ROUNDING_NS \
	1000 /* of a time and its children's: six digits of seconds are written */

/* A function whose end is not read yet. */
struct node {
	struct function_fact function; /* name TEXT_NONE: not read yet */
	uint32_t frame, stack;         /* the sink's; frame SAMPLE_NONE: no child yet */
	int64_t ns, children_ns;       /* ns: NUMBER_NONE: not read yet */
	int64_t rounding_ns;
	uint64_t at;
	bool is_self; /* its time is its caller's own */
	bool in_children, has_children, is_first;
};

struct tree {
	struct pyinstrument *p;
	struct node *open; /* owned; the innermost last */
	size_t nopen, open_cap;
};

static struct node *innermost(const struct tree *t)
{
	return &t->open[t->nopen - 1];
}

static uint32_t stack_above(const struct tree *t)
{
	return t->nopen > 1 ? t->open[t->nopen - 2].stack : SAMPLE_NONE;
}

/* Its stack, which children need before it is certain that its name was read. */
static void give_stack(struct tree *t, struct node *n)
{
	struct sink *sink = t->p->stacks.sink;

	if (n->frame != SAMPLE_NONE)
		return;
	n->frame = sink->frame(sink, SAMPLE_NONE, NULL);
	n->stack = sink->stack(sink, stack_above(t), n->frame);
}

static int open_node(struct tree *t, struct err *err)
{
	struct node n = { .function = { .file = t->p->stacks.no_file, .name = TEXT_NONE },
			  .frame = SAMPLE_NONE,
			  .stack = SAMPLE_NONE,
			  .ns = NUMBER_NONE,
			  .rounding_ns = ROUNDING_NS,
			  .at = json_stream_at(&t->p->in),
			  .is_first = true };

	const char *what = t->nopen ? "a function is an object"
				    : "the profile has no sample: its tree is no object";
	int rc = json_stream_enter(&t->p->in, '{', what, err);
	if (rc <= 0)
		return rc;
	if (t->nopen)
		give_stack(t, innermost(t));
	*ARRAY_PUSH(t->open, t->nopen, t->open_cap) = n;
	return 1;
}

static int set_name(struct tree *t, struct node *n, struct str name, struct err *err)
{
	n->is_self = str_is(name, "[self]");
	return stacks_text(&t->p->stacks, name, n->at, &n->function.name, err);
}

/* "identifier" of the HTML's tree is all of "function", "file_path" and "line_no". */
static int set_text(struct tree *t, const char *key, struct str text, struct err *err)
{
	struct stacks *stacks = &t->p->stacks;
	struct node *n = innermost(t);

	if (strcmp(key, "function") == 0)
		return set_name(t, n, text, err);
	if (strcmp(key, "file_path") == 0)
		return text.n ? stacks_text(stacks, text, n->at, &n->function.file, err)
			      : 0;
	if (strcmp(key, "identifier") != 0)
		return 0;
	struct stacks_frame frame = pyinstrument_parse(text);
	n->function.line = frame.first_line;
	if (set_name(t, n, frame.name, err) < 0)
		return -1;
	return frame.file.n
		       ? stacks_text(stacks, frame.file, n->at, &n->function.file, err)
		       : 0;
}

static int set_number(struct tree *t, const char *key, struct str text, struct err *err)
{
	struct node *n = innermost(t);

	if (strcmp(key, "line_no") == 0 &&
	    decimal_int(text, &n->function.line) != DECIMAL_OK)
		n->function.line = NUMBER_NONE;
	if (strcmp(key, "time") != 0)
		return 0;
	if (decimal_scaled(text, NS_DIGITS, &n->ns) == DECIMAL_OK && n->ns >= 0)
		return 0;
	return err_at(err, n->at, "the time " STR_FMT " of a function is not possible",
		      (int)(text.n < 40 ? text.n : 40), text.p);
}

static int read_field(struct tree *t, const char *key, struct err *err)
{
	struct pyinstrument *p = t->p;
	struct json_value value;

	int rc = json_stream_value(&p->in, &value, err);
	if (rc <= 0)
		return rc;
	if (value.type == JSON_STRING)
		return set_text(t, key, json_unescape(value.text, &p->text), err);
	return value.type == JSON_NUMBER ? set_number(t, key, value.text, err) : 0;
}

/* What a function, or the one above it, took itself. */
static int tell_weight(struct tree *t, uint32_t stack, int64_t ns, uint64_t at,
		       struct err *err)
{
	struct sink *sink = t->p->stacks.sink;
	const struct sample_fact sample = { .series = pyinstrument_series(t->p),
					    .thread = SAMPLE_NONE,
					    .stack = stack,
					    .samples = NUMBER_NONE,
					    .weight = ns,
					    .ts_ns = NUMBER_NONE,
					    .offset = at };

	t->p->nsamples++;
	return ns > 0 ? sink->sample(sink, &sample, err) : 0;
}

static int tell_frame(struct tree *t, const struct node *n, struct err *err)
{
	struct sink *sink = t->p->stacks.sink;

	if (n->function.name == TEXT_NONE)
		return err_at(err, n->at, "a function without a name");
	const struct frame_fact fact = { sink->function(sink, &n->function),
					 NUMBER_NONE };
	sink->frame(sink, n->frame, &fact);
	return 0;
}

static int close_node(struct tree *t, struct err *err)
{
	struct node *n = innermost(t);
	bool is_above = n->is_self && n->frame == SAMPLE_NONE && t->nopen > 1;

	if (n->ns == NUMBER_NONE)
		return err_at(err, n->at, "a function without a time");
	if (!is_above) {
		give_stack(t, n);
		if (tell_frame(t, n, err) < 0)
			return -1;
	}
	/* the sum of rounded times may be more than the rounded sum */
	if (sum_sub(n->children_ns, n->ns) > n->rounding_ns)
		return err_at(err, n->at,
			      "a function took less time than those it called");
	int64_t own = n->ns > n->children_ns ? n->ns - n->children_ns : 0;
	if (tell_weight(t, is_above ? stack_above(t) : n->stack, own, n->at, err) < 0)
		return -1;
	t->nopen--;
	if (t->nopen)
		innermost(t)->rounding_ns += ROUNDING_NS;
	if (t->nopen && __builtin_add_overflow(innermost(t)->children_ns, n->ns,
					       &innermost(t)->children_ns))
		return err_at(err, n->at, "the times overflow 64 bits");
	return 0;
}

static int next_child(struct tree *t, struct err *err)
{
	struct node *n = innermost(t);

	int more = json_stream_element(&t->p->in, n->is_first, err);
	n->is_first = false;
	if (more > 0)
		return open_node(t, err);
	n->in_children = false;
	return more;
}

static int next_member(struct tree *t, struct err *err)
{
	struct node *n = innermost(t);
	char key[JSON_STREAM_KEY_MAX + 1];

	int more = json_stream_member(&t->p->in, n->is_first, key, err);
	n->is_first = false;
	if (more <= 0)
		return more < 0 || t->p->in.is_cut ? more : close_node(t, err);
	if (strcmp(key, "children") != 0)
		return read_field(t, key, err);
	if (n->has_children)
		return err_at(err, n->at, "a function has a second list of children");
	n->has_children = true;
	int rc = json_stream_enter(&t->p->in, '[', "children is not a list", err);
	n->in_children = n->is_first = rc > 0;
	return rc;
}

/* Functions that a cut leaves open have what is below them, nothing of their own. */
static int tell_open(struct tree *t, struct err *err)
{
	while (t->nopen--) {
		const struct node *n = &t->open[t->nopen];
		if (n->frame != SAMPLE_NONE && tell_frame(t, n, err) < 0)
			return -1;
	}
	return 0;
}

static int read_tree(struct tree *t, struct err *err)
{
	int rc = open_node(t, err);

	while (rc >= 0 && t->nopen && !t->p->in.is_cut)
		rc = innermost(t)->in_children ? next_child(t, err) : next_member(t, err);
	if (rc < 0)
		return -1;
	return t->p->nsamples ? tell_open(t, err) : 0;
}

int pyinstrument_tree(struct pyinstrument *p, struct err *err)
{
	struct tree t = { .p = p };

	p->fact.is_evented = true;
	p->fact.is_rounded = true;
	int rc = read_tree(&t, err);
	free(t.open);
	return rc;
}
