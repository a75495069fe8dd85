/* The table of dialects: see torch_dialect.h. */
#include "trace/torch_dialect.h"

#include <stdio.h>

static bool is_list(const struct torch_marks *m, const struct torch_entries *e)
{
	(void)e;
	return m->list;
}

static bool has_old_categories(const struct torch_marks *m, const struct torch_entries *e)
{
	(void)e;
	return m->operator_category;
}

static bool has_event_index(const struct torch_marks *m, const struct torch_entries *e)
{
	return !e->has_base && !m->fractional && m->event_index;
}

/* Of a few weeks in 2024: no longer since 1970, and from when is not told. */
static bool has_relative_times(const struct torch_marks *m, const struct torch_entries *e)
{
	return !e->has_base && m->fractional && m->relative;
}

static bool has_fractions(const struct torch_marks *m, const struct torch_entries *e)
{
	return !e->has_base && m->fractional;
}

static bool has_no_base(const struct torch_marks *m, const struct torch_entries *e)
{
	(void)m;
	return !e->has_base;
}

static bool has_base_behind(const struct torch_marks *m, const struct torch_entries *e)
{
	(void)m;
	return !e->base_before_events;
}

static bool is_from_python(const struct torch_marks *m, const struct torch_entries *e)
{
	return m->metadata_first && (m->long_memory || (m->one_line && !e->trace_id));
}

static bool has_metadata_first(const struct torch_marks *m, const struct torch_entries *e)
{
	(void)e;
	return m->metadata_first;
}

static bool has_host_name(const struct torch_marks *m, const struct torch_entries *e)
{
	(void)m;
	return e->host_name;
}

/* Where there is no memory 2.11 counts as those before it do. */
static bool has_memory_behind_id(const struct torch_marks *m,
				 const struct torch_entries *e)
{
	(void)m;
	return e->memory_behind_id;
}

static bool is_none(const struct torch_marks *m, const struct torch_entries *e)
{
	(void)m;
	(void)e;
	return false;
}

static bool is_what_is_left(const struct torch_marks *m, const struct torch_entries *e)
{
	(void)m;
	(void)e;
	return true;
}

/* How torch of a time counts: torch-profiler.md a.1, a.3, a.7, a.9; the fudge b.2. */
#define RULES_WHOLE_US                      \
	{                                   \
		.annotation_fudge_ns = 1000 \
	}
#define RULES_2_4(fudge)                                                    \
	{                                                                   \
		.float_memory_window = true, .annotation_fudge_ns = (fudge) \
	}
#define RULES_2_5                                                       \
	{                                                               \
		.split_annotations = true, .float_memory_window = true, \
		.annotation_fudge_ns = 2                                \
	}
#define RULES_2_11                                                  \
	{                                                           \
		.split_annotations = true, .annotation_fudge_ns = 2 \
	}
#define RULES_2_12                                                 \
	{                                                          \
		.split_annotations = true, .python_in_tree = true, \
		.keep_unfinished = true, .annotation_fudge_ns = 2  \
	}

/* In the order in which a file is held against them. */
/* clang-format off */
static const struct torch_dialect dialects[] = {
	{ "L",    0,   0, "PyTorch without Kineto", is_list,            { 0 } },
	{ "A",  108, 110, NULL, has_old_categories, RULES_WHOLE_US },
	{ "B",  111, 113, NULL, has_event_index,    RULES_WHOLE_US },
	{ "C'",   0,   0, "PyTorch between 2.3 and 2.4", has_relative_times, RULES_2_4(1500) },
	{ "C'",   0,   0, "PyTorch between 2.3 and 2.4", has_fractions,      RULES_2_4(1) },
	{ "C",  200, 203, NULL, has_no_base,        RULES_WHOLE_US },
	{ "D",  205, 206, NULL, has_base_behind,    RULES_2_5 },
	{ "P",    0,   0, "PyTorch's Python exporter", is_from_python,     RULES_2_12 },
	{ "F",  214, 215, NULL, has_metadata_first, RULES_2_12 },
	{ "E",  212, 213, NULL, has_host_name,      RULES_2_12 },
	{ "E",  211, 211, NULL, has_memory_behind_id, RULES_2_11 },
	{ "E",  207, 210, NULL, is_what_is_left,    RULES_2_5 },
	/* Its files look like those of 2.5. */
	{ "D",  204, 204, NULL, is_none,            RULES_2_4(2) },
};
/* clang-format on */

#define NDIALECTS (sizeof(dialects) / sizeof(*dialects))

const char *torch_dialect_name_at(size_t i)
{
	return i < NDIALECTS ? dialects[i].name : NULL;
}

const struct torch_dialect *torch_dialect_of_content(const struct torch_marks *m,
						     const struct torch_entries *e)
{
	const struct torch_dialect *d = dialects;

	while (!d->is(m, e))
		d++;
	return d;
}

const struct torch_dialect *torch_dialect_of_version(int version)
{
	for (size_t i = 0; version > 0 && i < NDIALECTS; i++)
		if (version >= dialects[i].first_version &&
		    version <= dialects[i].last_version)
			return &dialects[i];
	return NULL;
}

void torch_dialect_add_text(struct str name, struct buf *out)
{
	int first = 0, last = 0;

	for (size_t i = 0; i < NDIALECTS; i++) {
		const struct torch_dialect *d = &dialects[i];
		if (!str_is(name, d->name))
			continue;
		if (d->writer) {
			buf_add_text(out, d->writer);
			return;
		}
		first = !first || d->first_version < first ? d->first_version : first;
		last = d->last_version > last ? d->last_version : last;
	}
	if (first)
		buf_addf(out, "PyTorch %d.%d", first / 100, first % 100);
	if (last > first)
		buf_addf(out, "-%d.%d", last / 100, last % 100);
}

void torch_versions_text(char text[TORCH_VERSIONS_MAX])
{
	size_t n = 0;

	text[0] = '\0';
	/* A release that is not in the table ends a run of those that are. */
	for (int first = 1; first < 10000; first++) {
		int last = first;
		if (!torch_dialect_of_version(first))
			continue;
		while (torch_dialect_of_version(last + 1))
			last++;
		n += (size_t)snprintf(text + n, TORCH_VERSIONS_MAX - n,
				      "%s%d.%d to %d.%d", n ? ", " : "", first / 100,
				      first % 100, last / 100, last % 100);
		first = last;
	}
}

/* Up to two digits at *p. */
static bool read_number(const char **p, const char *end, int *number)
{
	const char *start = *p;

	for (*number = 0; *p < end && **p >= '0' && **p <= '9'; ++*p) {
		if (*p - start == 2)
			return false;
		*number = *number * 10 + (**p - '0');
	}
	return *p > start;
}

bool torch_version_parse(struct str text, int *version)
{
	const char *p = text.p, *end = text.p + text.n;
	int major, minor;

	if (!read_number(&p, end, &major) || p == end || *p++ != '.' ||
	    !read_number(&p, end, &minor) || p != end)
		return false;
	*version = major * 100 + minor;
	return true;
}
