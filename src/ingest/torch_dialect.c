/* The table of dialects: see torch_dialect.h. */
#include "ingest/torch_dialect.h"

#include <stdio.h>

static bool is_list(const struct kineto *k)
{
	return k->legacy;
}

static bool has_old_categories(const struct kineto *k)
{
	return k->operator_category;
}

static bool has_event_index(const struct kineto *k)
{
	return !k->has_base && !k->fractional && k->event_index;
}

static bool has_fractions(const struct kineto *k)
{
	return !k->has_base && k->fractional;
}

static bool has_no_base(const struct kineto *k)
{
	return !k->has_base;
}

static bool has_base_behind(const struct kineto *k)
{
	return !k->base_before_events;
}

static bool is_from_python(const struct kineto *k)
{
	return k->metadata_first && (k->long_memory || (k->one_line && !k->trace_id));
}

static bool has_metadata_first(const struct kineto *k)
{
	return k->metadata_first;
}

static bool has_finished(const struct kineto *k)
{
	return k->finished_key;
}

static bool has_host_name(const struct kineto *k)
{
	return k->host_name;
}

static bool is_what_is_left(const struct kineto *k)
{
	(void)k;
	return true;
}

/*
 * In the order in which a file is held against them.  Rules: all_slices,
 * split_annotations, float_memory_window, python_in_tree, keep_unfinished,
 * annotation_fudge_ns (a.1, a.3, a.7, a.9 and b.6).
 */
static const struct torch_dialect dialects[] = {
	{ "L", 0, 0, is_list, { false, false, false, false, false, 0 } },
	{ "A",
	  108,
	  110,
	  has_old_categories,
	  { false, false, false, false, false, 1000 } },
	{ "B", 111, 113, has_event_index, { false, false, false, false, false, 1000 } },
	{ "C'", 0, 0, has_fractions, { false, true, true, false, false, 1 } },
	{ "C", 200, 203, has_no_base, { false, false, false, false, false, 1000 } },
	{ "D", 204, 206, has_base_behind, { false, true, true, false, false, 2 } },
	{ "P", 0, 0, is_from_python, { false, true, false, true, true, 2 } },
	{ "F", 214, 215, has_metadata_first, { false, true, false, true, true, 2 } },
	{ "E", 212, 213, has_finished, { false, true, false, true, true, 2 } },
	/* 2.11: the memory window is exact from there on */
	{ "E", 211, 211, has_host_name, { false, true, false, false, false, 2 } },
	{ "E", 207, 210, is_what_is_left, { false, true, true, false, false, 2 } },
};

#define NDIALECTS (sizeof(dialects) / sizeof(*dialects))

const struct torch_dialect *torch_dialect_of_content(const struct kineto *k)
{
	const struct torch_dialect *d = dialects;

	while (!d->is(k))
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
