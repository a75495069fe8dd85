/*
 * What V8 wrote before 2016, and npm's v8-profiler still does: nodes within nodes, samples
 * with timestamps in microseconds, start and end in seconds.  A node's place in the text
 * becomes its id, since its own may stand behind its children, or be missing.
 */
#include "base/sum.h"
#include "ingest/cpuprofile.h"

/* A node that is not closed yet; its texts are those of the file. */
struct level {
	struct cpuprofile_node node;
	struct json_value name, url;
	int64_t id, line;
	uint64_t offset;
	bool is_first, in_children, has_children;
};

struct tree {
	struct level *levels; /* owned */
	size_t n, cap;
	int64_t nodes; /* so far */
};

static int open_node(struct cpuprofile *c, struct tree *t, struct json *j,
		     struct err *err)
{
	struct level level = {
		.node = { .id = t->nodes++, .stack = SAMPLE_NONE, .parent = NUMBER_NONE },
		.id = NUMBER_NONE,
		.line = NUMBER_NONE,
		.is_first = true
	};

	if (json_blanks(j) != JSON_OK || *j->p != '{')
		return cpuprofile_bad(c, j, "a node is missing", err);
	level.offset = (uint64_t)(j->p++ - c->text.p);
	if (t->n)
		level.node.parent = t->levels[t->n - 1].node.id;
	*SPILLED_PUSH(c->spill, t->levels, t->n, t->cap) = level;
	return 0;
}

static struct str text_of(const struct json_value *value, struct buf *into)
{
	buf_clear(into);
	return value->text.n && value->type == JSON_STRING
		       ? json_unescape(value->text, into)
		       : STR_LIT("");
}

static int close_node(struct cpuprofile *c, struct tree *t, struct err *err)
{
	struct level *level = &t->levels[--t->n];
	struct stacks_frame frame = { .name = text_of(&level->name, &c->name),
				      .file = text_of(&level->url, &c->url),
				      .first_line = level->line,
				      .line = NUMBER_NONE };

	if (level->id != NUMBER_NONE)
		*SPILLED_PUSH(c->spill, c->ids, c->nids, c->ids_cap) =
			(struct cpuprofile_parent){ level->id, level->node.id };
	return cpuprofile_add_node(c, &level->node, &frame, level->offset, err);
}

static void take_member(struct level *level, struct str key,
			const struct json_value *value)
{
	int64_t number = cpuprofile_integer(value);

	if (str_is(key, "functionName"))
		level->name = *value;
	else if (str_is(key, "url"))
		level->url = *value;
	else if (str_is(key, "lineNumber") && number > 0)
		level->line = number; /* these count from 1 */
	else if (str_is(key, "hitCount"))
		level->node.hits = number;
	else if (str_is(key, "id"))
		level->id = number;
}

/* The next member of the innermost node, or what stands behind the last. */
static int next_member(struct cpuprofile *c, struct tree *t, struct json *j,
		       struct err *err)
{
	struct level *level = &t->levels[t->n - 1];
	struct json_value key, value;
	bool done;

	if (json_member(j, level->is_first, &key, &done) != JSON_OK)
		return cpuprofile_bad(c, j, "a member of an object is malformed", err);
	level->is_first = false;
	if (done)
		return close_node(c, t, err);
	if (str_is(key.text, "children")) {
		if (json_blanks(j) != JSON_OK || *j->p != '[')
			return cpuprofile_bad(c, j, "a list is missing", err);
		if (level->has_children)
			return cpuprofile_bad(
				c, j, "a node has a second list of children", err);
		j->p++;
		level->in_children = level->has_children = level->is_first = true;
		return 0;
	}
	if (cpuprofile_value(c, j, &value, err) < 0)
		return -1;
	take_member(level, key.text, &value);
	return 0;
}

static int next_child(struct cpuprofile *c, struct tree *t, struct json *j,
		      struct err *err)
{
	struct level *level = &t->levels[t->n - 1];
	bool done;

	if (json_element(j, level->is_first, &done) != JSON_OK)
		return cpuprofile_bad(c, j, "an element of a list is malformed", err);
	level->is_first = false;
	level->in_children = !done;
	return done ? 0 : open_node(c, t, j, err);
}

int cpuprofile_read_tree(struct cpuprofile *c, struct json *j, struct err *err)
{
	struct tree t = { .nodes = (int64_t)c->nnodes };

	c->has_nodes = c->is_tree = true;
	int rc = open_node(c, &t, j, err);
	for (size_t i = 0; t.n && rc == 0; i++) {
		spill_tick(c->spill, i);
		rc = t.levels[t.n - 1].in_children ? next_child(c, &t, j, err)
						   : next_member(c, &t, j, err);
	}
	spill_free(c->spill, t.levels);
	return rc;
}

static int64_t child_of(const void *ids, uint32_t at)
{
	return ((const struct cpuprofile_parent *)ids)[at].child;
}

/* Ids in samples become those of c->nodes. */
static int name_samples(struct cpuprofile *c, struct err *err)
{
	struct spilled_ids ids = { c->ids, c->nids, .id = child_of };
	int rc = 0;

	spilled_ids_make(&ids, c->spill);
	for (size_t i = 0; i < c->samples.n && rc == 0; i++) {
		size_t at = spilled_find(&ids, c->samples.at[i]);
		spill_tick(c->spill, i);
		if (at == SIZE_MAX)
			rc = err_at(err, 0,
				    "sample %zu names node %lld, which is not there",
				    i + 1, (long long)c->samples.at[i]);
		else
			c->samples.at[i] = c->ids[at].parent;
	}
	spill_free(c->spill, ids.order);
	return rc;
}

int cpuprofile_end_tree(struct cpuprofile *c, struct err *err)
{
	int64_t before = 0;

	if (c->times_us.n == 0) { /* then hits count */
		c->samples.n = 0;
		return 0;
	}
	if (c->times_us.n != c->samples.n)
		return err_at(err, 0, "%zu samples and %zu timestamps", c->samples.n,
			      c->times_us.n);
	c->deltas.n = 0;
	for (size_t i = 0; i < c->times_us.n; i++) {
		spill_tick(c->spill, i);
		*SPILLED_PUSH(c->spill, c->deltas.at, c->deltas.n, c->deltas.cap) =
			sum_sub(c->times_us.at[i], before);
		before = c->times_us.at[i];
	}
	c->start_us = 0;
	c->end_us = c->end_of_seconds_us;
	return name_samples(c, err);
}
