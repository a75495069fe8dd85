/* The axes of a profile's rank: see axes_find.h. */
#include "store/axes_find.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/idmap.h"
#include "ingest/json.h"

/* Of the example of a finding. */
#define TEXT_MAX 256

/* Who tells axes, and what. */
enum source { BY_GROUPS, BY_LABELS, BY_NAME, NSOURCES };

static const char *const sources[NSOURCES] = {
	[BY_GROUPS] = "process groups",
	[BY_LABELS] = "processes",
	[BY_NAME] = "the file's name",
};

struct finding_axes {
	struct axes axes[NSOURCES];
	unsigned torn; /* bits of axes of which process groups tell different places */
};

/* "ranks" is a list, or a text that holds one. */
static void add_config(struct json_value group, struct axes_groups *groups, int64_t rank)
{
	struct json_items members = json_items_of(group.text);
	struct str description = { .n = 0 }, ranks = { .n = 0 };
	struct json_value key, value;

	while (json_next_member(&members, &key, &value) > 0) {
		if (str_is(key.text, "pg_desc"))
			description = value.text;
		else if (str_is(key.text, "ranks"))
			ranks = value.text;
	}
	axes_add_group(groups, description, ranks, rank);
}

/* The groups that the process took part in: distributedInfo.pg_config, since torch 2.4. */
static void add_configs(struct str info, struct axes_groups *groups, int64_t rank)
{
	struct json_items members = json_items_of(info);
	struct json_value key, value, group;

	while (json_next_member(&members, &key, &value) > 0) {
		if (!str_is(key.text, "pg_config") || value.type != JSON_ARRAY)
			continue;
		struct json_items list = json_items_of(value.text);
		while (json_next_element(&list, &group) > 0)
			if (group.type == JSON_OBJECT)
				add_config(group, groups, rank);
	}
}

static struct str text_of(const struct model *m, uint32_t text)
{
	return text == TEXT_NONE ? STR_LIT("") : intern_str(m->texts, text);
}

/* Those that collectives name: of each description the first that lists this rank. */
static void add_collectives(const struct model *m, struct axes_groups *groups)
{
	struct idmap seen;

	idmap_init(&seen, 0);
	for (size_t i = 0; i < m->ncollectives; i++) {
		const struct collective_fact *fact = &m->collectives[i].fact;
		uint64_t group = (uint64_t)fact->group_description << 32 | fact->ranks;
		if (fact->group_description == TEXT_NONE || fact->ranks == TEXT_NONE ||
		    idmap_first(&seen, (int64_t)group))
			continue;
		idmap_add(&seen, (int64_t)group, 0);
		axes_add_group(groups, text_of(m, fact->group_description),
			       text_of(m, fact->ranks), m->profile.rank);
	}
	idmap_release(&seen);
}

static void add_groups(struct model *m, struct finding_axes *f)
{
	struct axes_groups groups = { .known = 0 };

	for (size_t i = 0; i < m->nmetadata; i++) {
		const struct metadata_rec *entry = &m->metadata[i];
		if (!str_is(intern_str(m->texts, entry->key), "distributedInfo"))
			continue;
		char *copy = arena_alloc(&m->arena, entry->json.n + JSON_PADDING);
		memcpy(copy, entry->json.p, entry->json.n);
		memset(copy + entry->json.n, 0, JSON_PADDING);
		add_configs((struct str){ copy, entry->json.n }, &groups,
			    m->profile.rank);
	}
	add_collectives(m, &groups);
	f->axes[BY_GROUPS] = axes_of_groups(&groups, &f->torn);
}

/* What all processes say that say something; nothing where they do not agree. */
static void add_labels(const struct model *m, struct finding_axes *f)
{
	struct axes all = AXES_NONE;

	for (size_t i = 0; i < m->nprocesses; i++) {
		const struct process *p = &m->processes[i];
		const uint32_t texts[] = { p->pid.text, p->labels, p->name };
		for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++) {
			struct axes_told told = axes_of_label(text_of(m, texts[k]));
			if (axes_differ(&all, &told.axes))
				return;
			axes_fill(&all, &told.axes);
		}
	}
	f->axes[BY_LABELS] = all;
}

/* "process groups 0, labels 1", of places that are not all the same. */
static void tell_torn(struct model *m, const struct finding_axes *f, int axis)
{
	struct buf text;

	buf_init(&text, TEXT_MAX);
	for (int by = 0; by < NSOURCES; by++)
		if (f->axes[by].at[axis] != NUMBER_NONE)
			buf_addf(&text, "%s%s %" PRId64 "%s", text.n ? ", " : "",
				 sources[by], f->axes[by].at[axis],
				 by == BY_GROUPS && (f->torn & 1U << axis) ? " and others"
									   : "");
	model_finding(m, FINDING_AXES_DIFFER, 0, str_of(axis_names[axis]),
		      buf_str(&text));
	buf_release(&text);
}

/* Of what nobody contradicts. */
static void take(struct model *m, const struct finding_axes *f)
{
	for (int axis = 0; axis < NAXES; axis++) {
		bool is_torn = f->torn & 1U << axis;
		int64_t place = NUMBER_NONE;
		for (int by = 0; by < NSOURCES; by++) {
			int64_t said = f->axes[by].at[axis];
			is_torn |= said != NUMBER_NONE && place != NUMBER_NONE &&
				   said != place;
			place = place == NUMBER_NONE ? said : place;
		}
		if (is_torn)
			tell_torn(m, f, axis);
		else
			m->axes.at[axis] = place;
	}
}

void axes_find(struct model *m, const struct file_name *name)
{
	struct finding_axes f = { .axes = { AXES_NONE, AXES_NONE, AXES_NONE } };

	if (m->profile.rank != NUMBER_NONE)
		add_groups(m, &f);
	add_labels(m, &f);
	if (name->is_axes_sure)
		f.axes[BY_NAME] = name->axes;
	take(m, &f);
}
