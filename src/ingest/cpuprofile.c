/*
 * V8's .cpuprofile, which Chrome's DevTools, node --cpu-prof and React Native write: nodes
 * of a tree of calls, the node of each sample, and the microseconds from one to the next.
 * A sample lasts until the next one, the last until the end.  Samples and their times may
 * be missing: then nodes count them.
 * Source: chromedevtools.github.io/devtools-protocol, Profiler.Profile.
 */
#include "ingest/cpuprofile.h"
#include "base/buf.h"
#include "base/sum.h"
#include "ingest/json.h"
#include "ingest/json_stream.h"

#define BOM       "\xef\xbb\xbf"
#define US_DIGITS 6 /* of seconds */

int cpuprofile_bad(const struct cpuprofile *c, const struct json *j, const char *what,
		   struct err *err)
{
	return err_at(err, (uint64_t)(j->p - c->text.p), "%s",
		      j->ended ? "the file is cut off" : what);
}

int64_t cpuprofile_integer(const struct json_value *value)
{
	int64_t number;

	return value->type == JSON_NUMBER && json_int(value, &number) == DECIMAL_OK
		       ? number
		       : NUMBER_NONE;
}

/* Calls `each` for every member of the object that is next; it passes the value. */
static int each_member(struct cpuprofile *c, struct json *j,
		       int (*each)(struct cpuprofile *c, struct json *j, struct str key,
				   void *to, struct err *err),
		       void *to, struct err *err)
{
	struct json_value key;
	bool done;

	if (json_blanks(j) != JSON_OK || *j->p != '{')
		return cpuprofile_bad(c, j, "an object is missing", err);
	j->p++;
	for (bool first = true;; first = false) {
		if (json_member(j, first, &key, &done) != JSON_OK)
			return cpuprofile_bad(c, j,
					      "a member of an object is "
					      "malformed",
					      err);
		if (done)
			return 0;
		if (each(c, j, key.text, to, err) < 0)
			return -1;
	}
}

/* The same for the elements of the array that is next. */
static int each_element(struct cpuprofile *c, struct json *j,
			int (*each)(struct cpuprofile *c, struct json *j, void *to,
				    struct err *err),
			void *to, struct err *err)
{
	bool done;

	if (json_blanks(j) != JSON_OK || *j->p != '[')
		return cpuprofile_bad(c, j, "a list is missing", err);
	j->p++;
	for (size_t i = 0;; i++) {
		spill_tick(c->spill, i);
		if (json_element(j, i == 0, &done) != JSON_OK)
			return cpuprofile_bad(c, j,
					      "an element of a list is "
					      "malformed",
					      err);
		if (done)
			return 0;
		if (each(c, j, to, err) < 0)
			return -1;
	}
}

int cpuprofile_value(struct cpuprofile *c, struct json *j, struct json_value *value,
		     struct err *err)
{
	return json_value(j, value) == JSON_OK
		       ? 0
		       : cpuprofile_bad(c, j, "a value is malformed", err);
}

static int add_number(struct cpuprofile *c, struct json *j, void *to, struct err *err)
{
	struct cpuprofile_numbers *numbers = to;
	struct json_value value;

	if (cpuprofile_value(c, j, &value, err) < 0)
		return -1;
	int64_t number = cpuprofile_integer(&value);
	if (number == NUMBER_NONE)
		return cpuprofile_bad(c, j, "a sample or a time is not a whole number",
				      err);
	*SPILLED_PUSH(c->spill, numbers->at, numbers->n, numbers->cap) = number;
	return 0;
}

static struct str string_of(const struct json_value *value, struct buf *into)
{
	buf_clear(into);
	return value->type == JSON_STRING ? json_unescape(value->text, into)
					  : (struct str){ "", 0 };
}

static int frame_member(struct cpuprofile *c, struct json *j, struct str key, void *to,
			struct err *err)
{
	struct stacks_frame *frame = to;
	struct json_value value;

	if (cpuprofile_value(c, j, &value, err) < 0)
		return -1;
	if (str_is(key, "functionName"))
		frame->name = string_of(&value, &c->name);
	else if (str_is(key, "url"))
		frame->file = string_of(&value, &c->url);
	else if (str_is(key, "lineNumber") && cpuprofile_integer(&value) >= 0)
		frame->first_line =
			sum_add(cpuprofile_integer(&value), 1); /* they count from 0 */
	return 0;
}

/* What of a node waits until all of it is read. */
struct node_parts {
	struct cpuprofile_node node;
	struct stacks_frame frame;
	size_t first_child; /* in parents, without their parent yet */
};

static int add_child(struct cpuprofile *c, struct json *j, void *to, struct err *err)
{
	struct json_value value;

	(void)to;
	if (cpuprofile_value(c, j, &value, err) < 0)
		return -1;
	*SPILLED_PUSH(c->spill, c->parents, c->nparents, c->parents_cap) =
		(struct cpuprofile_parent){ .child = cpuprofile_integer(&value) };
	return 0;
}

static int node_member(struct cpuprofile *c, struct json *j, struct str key, void *to,
		       struct err *err)
{
	struct node_parts *parts = to;
	struct json_value value;

	if (str_is(key, "callFrame"))
		return each_member(c, j, frame_member, &parts->frame, err);
	if (str_is(key, "children")) {
		if (c->nparents > parts->first_child)
			return cpuprofile_bad(
				c, j, "a node has a second list of children", err);
		return each_element(c, j, add_child, NULL, err);
	}
	if (cpuprofile_value(c, j, &value, err) < 0)
		return -1;
	if (str_is(key, "id"))
		parts->node.id = cpuprofile_integer(&value);
	else if (str_is(key, "parent"))
		parts->node.parent = cpuprofile_integer(&value);
	else if (str_is(key, "hitCount"))
		parts->node.hits = cpuprofile_integer(&value);
	return 0;
}

int cpuprofile_add_node(struct cpuprofile *c, struct cpuprofile_node *node,
			struct stacks_frame *frame, uint64_t offset, struct err *err)
{
	struct frame_fact fact;

	node->frame = SAMPLE_NONE;
	if (!str_is(frame->name, "(root)")) {
		if (!frame->name.n)
			frame->name = STR_LIT("(anonymous)");
		if (stacks_frame(&c->stacks, frame, offset, &fact, err) < 0)
			return -1;
		node->frame = c->stacks.sink->frame(c->stacks.sink, SAMPLE_NONE, &fact);
	}
	*SPILLED_PUSH(c->spill, c->nodes, c->nnodes, c->nodes_cap) = *node;
	return 0;
}

static int add_node(struct cpuprofile *c, struct json *j, void *to, struct err *err)
{
	uint64_t offset = (uint64_t)(j->p - c->text.p);
	struct node_parts parts = {
		.node = { .id = NUMBER_NONE,
			  .stack = SAMPLE_NONE,
			  .parent = NUMBER_NONE },
		.frame = { .first_line = NUMBER_NONE, .line = NUMBER_NONE },
		.first_child = c->nparents,
	};

	(void)to;
	if (each_member(c, j, node_member, &parts, err) < 0)
		return -1;
	if (parts.node.id == NUMBER_NONE)
		return err_at(err, offset, "a node has no id");
	for (size_t i = parts.first_child; i < c->nparents; i++)
		c->parents[i].parent = parts.node.id;
	return cpuprofile_add_node(c, &parts.node, &parts.frame, offset, err);
}

/* The lists of a file are there once: what is read is not read again. */
static int check_once(struct cpuprofile *c, const struct json *j, struct str key,
		      struct err *err)
{
	static const char *const keys[] = { "nodes", "samples", "timeDeltas",
					    "timestamps", "head" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (!str_is(key, keys[i]))
			continue;
		if (c->lists & 1U << i)
			return cpuprofile_bad(
				c, j, "a list of the profile is there twice", err);
		c->lists |= 1U << i;
	}
	return 0;
}

static int file_member(struct cpuprofile *c, struct json *j, struct str key, void *to,
		       struct err *err)
{
	struct json_value value;

	(void)to;
	if (check_once(c, j, key, err) < 0)
		return -1;
	if (str_is(key, "nodes")) {
		c->has_nodes = true;
		return each_element(c, j, add_node, NULL, err);
	}
	if (str_is(key, "samples"))
		return each_element(c, j, add_number, &c->samples, err);
	if (str_is(key, "timeDeltas"))
		return each_element(c, j, add_number, &c->deltas, err);
	if (str_is(key, "timestamps"))
		return each_element(c, j, add_number, &c->times_us, err);
	if (str_is(key, "head"))
		return cpuprofile_read_tree(c, j, err);
	if (cpuprofile_value(c, j, &value, err) < 0)
		return -1;
	if (str_is(key, "startTime"))
		c->start_us = cpuprofile_integer(&value);
	if (!str_is(key, "endTime"))
		return 0;
	c->end_us = cpuprofile_integer(&value);
	if (value.type != JSON_NUMBER ||
	    decimal_scaled(value.text, US_DIGITS, &c->end_of_seconds_us) != DECIMAL_OK)
		c->end_of_seconds_us = NUMBER_NONE;
	return 0;
}

static int read_all(struct cpuprofile *c, struct input *in, struct err *err)
{
	/* offsets are those of the file: the mark stays in the text */
	size_t mark = str_starts_with(c->text, STR_LIT(BOM)) ? sizeof(BOM) - 1 : 0;
	struct json j = json_of(str_behind(c->text, mark));
	const char *damage = input_damage(in);

	if (each_member(c, &j, file_member, NULL, err) < 0)
		return -1;
	if (!c->has_nodes)
		return err_at(err, 0, "the profile of V8 has no nodes");
	if (damage && stacks_tell(&c->stacks, FINDING_COMPRESSION, input_offset(in),
				  str_of(damage), err) < 0)
		return -1;
	if ((c->is_tree && cpuprofile_end_tree(c, err) < 0) ||
	    cpuprofile_add_samples(c, err) < 0)
		return -1;
	stacks_end(&c->stacks, "cpuprofile");
	return 0;
}

static int cpuprofile_read(struct input *in, const struct read_options *options,
			   struct sink *sink, struct err *err)
{
	struct cpuprofile c = { .spill = options->spill,
				.start_us = NUMBER_NONE,
				.end_us = NUMBER_NONE,
				.end_of_seconds_us = NUMBER_NONE };
	struct bytes bytes;

	if (input_whole(in, "a profile", &bytes, err) < 0)
		return -1;
	c.text = (struct str){ (const char *)bytes.p, bytes.n };
	stacks_init(&c.stacks, sink, options);
	buf_init(&c.name, SIZE_MAX);
	buf_init(&c.url, SIZE_MAX);
	int rc = read_all(&c, in, err);
	stacks_release(&c.stacks);
	buf_release(&c.name);
	buf_release(&c.url);
	void *const owned[] = { c.nodes,      c.node_ids.order, c.parents,    c.ids,
				c.samples.at, c.deltas.at,      c.times_us.at };
	for (size_t i = 0; i < sizeof(owned) / sizeof(*owned); i++)
		spill_free(c.spill, owned[i]);
	return rc;
}

/* An object whose nodes have call frames, or a tree of them; keys in any order. */
static enum probe cpuprofile_probe(struct bytes head)
{
	struct str text = json_stream_object_head(head);

	if (text.n == 0)
		return PROBE_NO;
	bool has_nodes = str_contains(text, STR_LIT("\"callFrame\"")) ||
			 (str_contains(text, STR_LIT("\"head\"")) &&
			  str_contains(text, STR_LIT("\"hitCount\"")));
	bool is_one = has_nodes && str_contains(text, STR_LIT("\"functionName\""));
	return is_one ? PROBE_LIKELY : PROBE_NO;
}

const struct reader cpuprofile_reader = {
	.name = "cpuprofile",
	.help = "V8: Chrome's DevTools, node --cpu-prof",
	.probe = cpuprofile_probe,
	.read = cpuprofile_read,
};
