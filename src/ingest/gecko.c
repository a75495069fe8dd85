/*
 * Profiles of Firefox's profiler (profiler.firefox.com): what Firefox saves, before and after
 * it was processed, and what samply, perf's gecko script and Python's profiling.sampling
 * write.  A file is an object of threads, each with samples and the tables that say what
 * their stacks are; newer ones share these tables among threads.  Other processes are files
 * within the file.  Source: docs-developer/processed-profile-format.md and
 * gecko-profile-format.md of firefox-devtools/profiler.
 */
#include "ingest/gecko.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sum.h"
#include "ingest/json_stream.h"
#include "ingest/tell.h"

#define BOM        "\xef\xbb\xbf"
#define NS_DIGITS  6  /* of milliseconds */
#define LEVELS_MAX 16 /* of processes in processes; each is gone through again */

/* A thread's text, and the clock of its process. */
struct entry {
	struct str text;
	struct str shared; /* tables of its own process, or n 0 */
	int64_t start_ns;  /* of its profile, or NUMBER_NONE */
	unsigned level;    /* of a process */
};

struct file {
	struct gecko gecko;
	struct entry *threads, *processes; /* owned */
	size_t nthreads, threads_cap, nprocesses, processes_cap;
	struct gecko_tables shared[2]; /* of the outermost profile, of a process */
	const char *of_process;        /* the text of the second, or NULL */
	struct str meta;               /* of the outermost profile */
	unsigned level;                /* of the profile that is gone through, from 0 */
	bool is_cut, has_threads, has_counters;
};

/* The members of a profile, which of the outermost may be cut off. */
struct profile {
	struct str meta, shared;
	size_t first_thread;
	bool has_threads, has_processes, has_inner;
};

/* 1, 0 at its end or where the text is cut, or -1. */
static int next_value(struct file *f, struct json *j, enum json_status is, bool done,
		      struct err *err)
{
	if (is == JSON_OK)
		return !done;
	if (!j->ended)
		return gecko_bad(&f->gecko, j->p, j->what, err);
	f->is_cut = true;
	return 0;
}

static int take_value(struct file *f, struct json *j, struct json_value *value,
		      struct err *err)
{
	return next_value(f, j, json_value(j, value), false, err);
}

/* The elements of a list that are whole; 1, 0 where it is cut, or -1. */
static int take_list(struct file *f, struct json *j, struct entry **to, size_t *n,
		     size_t *cap, struct err *err)
{
	struct json_value value;
	bool done = false;
	int rc = next_value(f, j, json_blanks(j), false, err);

	if (rc <= 0)
		return rc;
	if (*j->p != '[')
		return take_value(f, j, &value, err);
	j->p++;
	for (bool first = true;; first = false) {
		enum json_status is = json_element(j, first, &done);
		rc = next_value(f, j, is, done, err);
		if (rc <= 0)
			return rc < 0 ? -1 : !f->is_cut;
		rc = take_value(f, j, &value, err);
		if (rc <= 0)
			return rc;
		if (value.type == JSON_OBJECT)
			*ARRAY_PUSH(*to, *n, *cap) =
				(struct entry){ .text = value.text,
						.start_ns = NUMBER_NONE,
						.level = f->level };
	}
}

static bool has_entries(const struct json_value *value)
{
	return value->type == JSON_ARRAY && memchr(value->text.p, '{', value->text.n);
}

static int take_member(struct file *f, struct json *j, struct str key,
		       struct profile *profile, struct err *err)
{
	struct json_value value;

	if (str_is(key, "threads")) {
		if (profile->has_threads)
			return gecko_bad(&f->gecko, j->p, "a second list of threads",
					 err);
		f->has_threads = profile->has_threads = true;
		return take_list(f, j, &f->threads, &f->nthreads, &f->threads_cap, err);
	}
	if (str_is(key, "processes")) {
		if (profile->has_processes)
			return gecko_bad(&f->gecko, j->p, "a second list of processes",
					 err);
		profile->has_processes = true;
		return take_list(f, j, &f->processes, &f->nprocesses, &f->processes_cap,
				 err);
	}
	int rc = take_value(f, j, &value, err);
	if (rc <= 0)
		return rc;
	if (str_is(key, "meta") && value.type == JSON_OBJECT)
		profile->meta = value.text;
	if (str_is(key, "shared") && value.type == JSON_OBJECT)
		profile->shared = value.text;
	if (str_is(key, "profile") && profile->has_inner)
		return gecko_bad(&f->gecko, value.text.p, "a second profile", err);
	if (str_is(key, "profile") &&
	    value.type == JSON_OBJECT) { /* of DevTools before 59 */
		profile->has_inner = true;
		*ARRAY_PUSH(f->processes, f->nprocesses, f->processes_cap) =
			(struct entry){ .text = value.text,
					.start_ns = NUMBER_NONE,
					.level = f->level };
	}
	if (str_is(key, "counters"))
		f->has_counters |= has_entries(&value);
	return 1;
}

static int take_start(struct gecko *g, struct str key, const struct json_value *value,
		      void *to, struct err *err)
{
	int64_t *start_ns = to;

	(void)g;
	(void)err;
	if (!str_is(key, "startTime") || value->type != JSON_NUMBER ||
	    decimal_scaled(value->text, NS_DIGITS, start_ns) != DECIMAL_OK)
		return 0;
	return 0;
}

static int take_shared(struct gecko *g, struct str key, const struct json_value *value,
		       void *to, struct err *err)
{
	(void)to;
	return gecko_take_table(g, g->shared, key, value, err);
}

/* The threads of an object that is a profile: their texts. */
static int take_profile(struct file *f, struct str text, struct err *err)
{
	struct profile profile = { .first_thread = f->nthreads };
	struct json j = json_of(text);
	struct json_value key;
	int64_t start_ns = NUMBER_NONE;
	bool done = false;
	int rc;

	j.strict = f->gecko.stacks.options->strict;
	rc = next_value(f, &j, json_blanks(&j), false, err);
	if (rc > 0 && *j.p != '{')
		return gecko_bad(&f->gecko, j.p, "a profile of Firefox is an object",
				 err);
	j.p += rc > 0;
	for (bool first = true; rc > 0; first = false) {
		enum json_status is = json_member(&j, first, &key, &done);
		rc = next_value(f, &j, is, done, err);
		if (rc > 0)
			rc = take_member(f, &j, key.text, &profile, err);
	}
	if (rc < 0 || (profile.meta.n && gecko_members(&f->gecko, profile.meta,
						       take_start, &start_ns, err) < 0))
		return -1;
	if (!f->meta.n)
		f->meta = profile.meta;
	for (size_t i = profile.first_thread; i < f->nthreads; i++) {
		f->threads[i].start_ns = start_ns;
		f->threads[i].shared = f->level ? profile.shared : STR_LIT("");
	}
	if (f->level == 0 && profile.shared.n)
		return gecko_members(&f->gecko, profile.shared, take_shared, NULL, err);
	return 0;
}

static int take_cpu_unit(struct gecko *g, struct str key, const struct json_value *value,
			 void *to, struct err *err)
{
	(void)to;
	(void)err;
	if (!str_is(key, "threadCPUDelta") || value->type != JSON_STRING)
		return 0;
	g->is_cpu_cycles = str_is(value->text, "variable CPU cycles");
	if (str_is(value->text, "ns") || g->is_cpu_cycles)
		g->cpu_digits = 0;
	else if (str_is(value->text, "\xc2\xb5s") || str_is(value->text, "us") ||
		 str_is(value->text, "\\u00b5s"))
		g->cpu_digits = 3;
	return 0;
}

static int take_meta(struct gecko *g, struct str key, const struct json_value *value,
		     void *to, struct err *err)
{
	static const char *const kept[] = { "product", "importedFrom", "oscpu",
					    "interval" };

	if (str_is(key, "sampleUnits") && value->type == JSON_OBJECT)
		return gecko_members(g, value->text, take_cpu_unit, to, err);
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (str_is(key, kept[i]) &&
		    (value->type == JSON_STRING || value->type == JSON_NUMBER))
			tell_scalar(g->stacks.sink, key, value);
	return 0;
}

static int take_profiles(struct file *f, struct err *err)
{
	if (take_profile(f, f->gecko.text, err) < 0)
		return -1;
	/* more of them come while they are gone through */
	for (size_t i = 0; i < f->nprocesses; i++) {
		f->level = f->processes[i].level + 1;
		if (f->level == LEVELS_MAX)
			return gecko_bad(&f->gecko, f->processes[i].text.p,
					 "processes are nested too deep", err);
		if (take_profile(f, f->processes[i].text, err) < 0)
			return -1;
	}
	if (!f->has_threads)
		return err_at(err, f->is_cut ? f->gecko.text.n : 0, "%s",
			      f->is_cut ? "the file is cut off before its threads"
					: "the profile of Firefox has no threads");
	return 0;
}

/* Threads of a process follow each other: the tables of one process are kept at a time. */
static int use_shared(struct file *f, struct str shared, struct err *err)
{
	f->gecko.shared = &f->shared[shared.n != 0];
	if (shared.n == 0 || shared.p == f->of_process)
		return 0;
	f->of_process = shared.p;
	gecko_release_tables(f->gecko.shared);
	*f->gecko.shared = (struct gecko_tables){ .nstrings = 0 };
	return gecko_members(&f->gecko, shared, take_shared, NULL, err);
}

static int tell_threads(struct file *f, struct err *err)
{
	struct gecko *g = &f->gecko;
	int64_t start_ns = f->nthreads ? f->threads[0].start_ns : NUMBER_NONE;

	if (f->meta.n && gecko_members(g, f->meta, take_meta, NULL, err) < 0)
		return -1;
	for (size_t i = 0; i < f->nthreads; i++) {
		const struct entry *thread = &f->threads[i];
		bool has_clock =
			start_ns != NUMBER_NONE && thread->start_ns != NUMBER_NONE;
		int64_t offset_ns = has_clock ? sum_sub(thread->start_ns, start_ns) : 0;
		uint64_t at = (uint64_t)(thread->text.p - g->text.p);
		if (use_shared(f, thread->shared, err) < 0 ||
		    gecko_read_thread(g, thread->text, offset_ns, err) < 0 ||
		    g->stacks.sink->tick(g->stacks.sink, at, g->text.n, err) < 0)
			return -1;
	}
	return 0;
}

/* What is there and was not read. */
static int tell_not_kept(struct file *f, struct err *err)
{
	const struct {
		bool is_there;
		const char *what;
	} parts[] = { { f->gecko.has_markers, "markers" },
		      { f->gecko.has_allocations, "allocations" },
		      { f->has_counters, "counters" } };
	char text[64] = "";
	size_t n = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i].is_there)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s",
					      n ? ", " : "", parts[i].what);
	return n ? stacks_tell(&f->gecko.stacks, FINDING_NOT_KEPT, 0, str_of(text), err)
		 : 0;
}

static int finish(struct file *f, struct input *in, struct err *err)
{
	struct stacks *stacks = &f->gecko.stacks;
	const char *damage = input_damage(in);

	if (f->gecko.nsamples == 0)
		return err_at(err, f->is_cut ? f->gecko.text.n : 0, "%s",
			      f->is_cut ? "the file is cut off before a whole thread"
					: "no thread has samples");
	if (damage && stacks_tell(stacks, FINDING_COMPRESSION, f->gecko.text.n,
				  str_of(damage), err) < 0)
		return -1;
	if (f->is_cut &&
	    stacks_tell(stacks, FINDING_TRUNCATED, f->gecko.text.n, STR_LIT(""), err) < 0)
		return -1;
	if (input_is_utf16(in) &&
	    stacks_tell(stacks, FINDING_UTF16, 0, STR_LIT(""), err) < 0)
		return -1;
	if (tell_not_kept(f, err) < 0)
		return -1;
	stacks_end(stacks, "gecko");
	return 0;
}

static int gecko_read(struct input *in, const struct read_options *options,
		      struct sink *sink, struct err *err)
{
	struct file f = { .gecko = { .cpu_digits = -1 } };
	struct bytes bytes;

	if (input_whole(in, "a profile", &bytes, err) < 0)
		return -1;
	f.gecko.text = (struct str){ (const char *)bytes.p, bytes.n };
	if (str_starts_with(f.gecko.text, STR_LIT(BOM)))
		f.gecko.text = str_behind(f.gecko.text, sizeof(BOM) - 1);
	f.gecko.shared = &f.shared[0];
	stacks_init(&f.gecko.stacks, sink, options);
	buf_init(&f.gecko.name, SIZE_MAX);
	int rc = take_profiles(&f, err);
	if (rc == 0)
		rc = tell_threads(&f, err);
	if (rc == 0)
		rc = finish(&f, in, err);
	gecko_release_tables(&f.shared[0]);
	gecko_release_tables(&f.shared[1]);
	stacks_release(&f.gecko.stacks);
	buf_release(&f.gecko.name);
	free(f.threads);
	free(f.processes);
	return rc;
}

/* An object with a meta that says a version of these formats, or with their tables. */
static enum probe gecko_probe(struct bytes head)
{
	static const char *const marks[] = { "\"preprocessedProfileVersion\"",
					     "\"markerSchema\"", "\"gcpoison\"",
					     "\"stackTable\"" };
	struct str text = json_stream_object_head(head);

	if (text.n == 0)
		return PROBE_NO;
	if (str_contains(text, STR_LIT("\"Recorded Performance Data\"")))
		return PROBE_SURE;
	if (!str_contains(text, STR_LIT("\"meta\"")))
		return PROBE_NO;
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (str_contains(text, str_of(marks[i])))
			return PROBE_SURE;
	return PROBE_NO;
}

const struct reader gecko_reader = {
	.name = "gecko",
	.help = "Firefox's profiler: Firefox, samply, perf script gecko",
	.probe = gecko_probe,
	.read = gecko_read,
};
