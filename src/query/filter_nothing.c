/* Why nothing is left by the filters: see filter_nothing.h. */
#include "query/filter_nothing.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/regex.h"
#include "base/units.h"
#include "query/number_list.h"
#include "query/query.h"
#include "query/slices/slices.h"
#include "query/steps/step_numbers.h"
#include "trace/fact.h"

ASSET(asset_query_views_filter_devices_sql);
ASSET(asset_query_views_filter_names_sql);

/* Texts that were met, by id. */
struct marks {
	uint8_t *items; /* owned */
	size_t cap;
};

/* What there is, found in one pass over the slices. */
struct seen {
	struct slices *slices;
	const struct filter *filter;
	struct number_list steps, devices, streams;
	struct buf threads, categories;
	struct marks names, listed;
	int64_t longest_ns;
	bool has_step, has_device, has_stream, has_thread, has_category; /* one matches */
	bool is_focused, is_kept;
};

static void add_word(struct buf *list, struct str word)
{
	if (list->n > LIST_SHOWN) {
		if (!str_starts_with(str_behind(buf_str(list), list->n - 3),
				     STR_LIT("...")))
			buf_add_text(list, ", ...");
		return;
	}
	buf_addf(list, "%s" STR_FMT, list->n ? ", " : "", STR_ARG(word));
}

static struct str or_empty(const char *text)
{
	return str_of(text ? text : "");
}

static void see_thread(struct seen *s, const struct slices_track *t)
{
	struct str tid = or_empty(t->thread), name = or_empty(t->thread_name);
	struct buf word;

	if (!tid.n && !name.n)
		return;
	s->has_thread |= filter_has_thread(s->filter, tid, name);
	buf_init(&word, LIST_SHOWN * 2);
	if (tid.n && name.n)
		buf_addf(&word, STR_FMT " (%.40s)", STR_ARG(tid), name.p);
	else
		buf_add_str(&word, tid.n ? tid : name);
	add_word(&s->threads, buf_str(&word));
	buf_release(&word);
}

static void see_device(struct seen *s, int64_t device)
{
	number_list_add(&s->devices, device);
	s->has_device |= filter_has_number(&s->filter->devices, device);
}

static void see_track(struct seen *s, const struct slices_track *t)
{
	if (!t->is_device) {
		see_thread(s, t);
		return;
	}
	if (t->device != NUMBER_NONE)
		see_device(s, t->device);
	if (t->stream != NUMBER_NONE) {
		number_list_add(&s->streams, t->stream);
		s->has_stream |= filter_has_number(&s->filter->streams, t->stream);
	}
}

/* True the first time that it is asked of a text. */
static bool is_new(struct marks *marks, int64_t id)
{
	uint8_t *mark = ARRAY_AT(marks->items, marks->cap, (size_t)id);
	bool new = !*mark;

	*mark = 1;
	return new;
}

static int see_text(struct seen *s, struct str name, struct err *err)
{
	struct filter focus = { .focus = s->filter->focus },
		      ignore = { .ignore = s->filter->ignore };

	int focused = filter_has_name(&focus, name, err);
	int kept = focused < 0 ? -1 : filter_has_name(&ignore, name, err);
	s->is_focused |= focused > 0;
	s->is_kept |= kept > 0;
	return kept < 0 ? -1 : 0;
}

static int see_name(struct seen *s, const struct slice_row *row, struct err *err)
{
	struct str name;

	if (slices_text(s->slices, row->name_id, &name, err) < 0)
		return -1;
	return is_new(&s->names, row->name_id) ? see_text(s, name, err) : 0;
}

static int see_category(struct seen *s, const struct slice_row *row, struct err *err)
{
	struct str category;

	if (slices_text(s->slices, row->category_id, &category, err) < 0)
		return -1;
	s->has_category |= filter_has_category(s->filter, category, row->class);
	if (category.n && is_new(&s->listed, row->category_id))
		add_word(&s->categories, category);
	return 0;
}

static int see_slices(struct seen *s, const struct slices_track *track, struct err *err)
{
	struct slice_row row;
	int rc;

	slices_from(s->slices, track, track->first_id);
	while ((rc = slices_next(s->slices, &row, err)) > 0) {
		if (row.dur_ns > s->longest_ns)
			s->longest_ns = row.dur_ns;
		if (see_name(s, &row, err) < 0 || see_category(s, &row, err) < 0)
			return -1;
	}
	return rc;
}

static int see_steps(struct seen *s, struct store *store, const struct scope *scope,
		     struct err *err)
{
	struct step_numbers steps;
	int rc = step_numbers_load(store, scope, &steps, err);

	for (size_t i = 0; i < steps.n; i++) {
		number_list_add(&s->steps, steps.items[i].number);
		s->has_step |= filter_has_step(s->filter, steps.items[i].profile_id,
					       steps.items[i].number, true);
	}
	step_numbers_release(&steps);
	return rc;
}

static bool needs_pass(const struct filter *f)
{
	return f->focus || f->ignore || f->categories.n || f->has_min_dur;
}

static int see_devices(struct seen *s, struct store *store, const struct scope *scope,
		       struct err *err)
{
	struct query q = query_of_scope(store, asset_query_views_filter_devices_sql,
					scope->ids, err);

	while (query_next(&q, err))
		see_device(s, sqlite3_column_int64(q.stmt, 0));
	return query_end(&q);
}

/* What was asked without slices has steps, devices and names alone as filters. */
static int see_summaries(struct seen *s, struct store *store, const struct scope *scope,
			 struct err *err)
{
	if (see_steps(s, store, scope, err) < 0 ||
	    (s->filter->devices.n && see_devices(s, store, scope, err) < 0))
		return -1;
	struct query q = query_of_scope(store, asset_query_views_filter_names_sql,
					scope->ids, err);
	while (query_next(&q, err)) {
		struct cell name = query_cell(q.stmt, 0);
		if (name.type == CELL_TEXT)
			q.rc = see_text(s, name.as.text, err);
	}
	return query_end(&q);
}

static int see_all(struct seen *s, struct store *store, const struct scope *scope,
		   struct err *err)
{
	if (!scope_has_slices(scope))
		return see_summaries(s, store, scope, err);
	if (see_steps(s, store, scope, err) < 0 ||
	    slices_open(store, scope, NULL, &s->slices, err) < 0)
		return -1;
	for (size_t i = 0; i < s->slices->ntracks; i++) {
		see_track(s, &s->slices->tracks[i]);
		if (needs_pass(s->filter) &&
		    see_slices(s, &s->slices->tracks[i], err) < 0)
			return -1;
	}
	return 0;
}

/* "99", "3..5", "3..", "..5". */
static void write_steps(const struct filter *f, struct buf *out)
{
	if (f->first_step != INT64_MIN)
		buf_addf(out, "%" PRId64, f->first_step);
	if (f->first_step == f->last_step)
		return;
	buf_add_text(out, "..");
	if (f->last_step != INT64_MAX)
		buf_addf(out, "%" PRId64, f->last_step);
}

static void write_names(const struct filter_names *names, struct buf *out)
{
	for (size_t i = 0; i < names->n; i++)
		add_word(out, names->items[i]);
}

/* "--step 99: there are steps 5..10", or that there is none. */
static void tell(struct err *err, const char *option, const char *what,
		 const struct buf texts[2])
{
	struct str given = buf_str(&texts[0]), there = buf_str(&texts[1]);

	bool is_one = !str_contains(there, STR_LIT(", ")) &&
		      !str_contains(there, STR_LIT(".."));

	if (there.n == 0)
		err_set(err, ERR_EMPTY, "%s " STR_FMT ": the recording has no %s", option,
			STR_ARG(given), what);
	else if (is_one)
		err_set(err, ERR_EMPTY, "%s " STR_FMT ": the only one is " STR_FMT,
			option, STR_ARG(given), STR_ARG(there));
	else
		err_set(err, ERR_EMPTY, "%s " STR_FMT ": there are %s " STR_FMT, option,
			STR_ARG(given), what, STR_ARG(there));
}

static void tell_numbers(struct err *err, const char *option, const char *what,
			 const struct filter_numbers *given, struct number_list *there)
{
	struct number_list wanted = { .n = 0 };
	struct buf texts[2];

	buf_init(&texts[0], ERR_TEXT_MAX);
	buf_init(&texts[1], ERR_TEXT_MAX);
	for (size_t i = 0; i < given->n; i++)
		number_list_add(&wanted, given->items[i]);
	number_list_write(&wanted, &texts[0]);
	number_list_write(there, &texts[1]);
	tell(err, option, what, texts);
	buf_release(&texts[0]);
	buf_release(&texts[1]);
	free(wanted.items);
}

static void tell_names(struct err *err, const char *option, const char *what,
		       const struct filter_names *given, const struct buf *there)
{
	struct buf texts[2] = { [1] = *there };

	buf_init(&texts[0], ERR_TEXT_MAX);
	write_names(given, &texts[0]);
	tell(err, option, what, texts);
	buf_release(&texts[0]);
}

static void tell_steps(struct err *err, struct seen *s)
{
	struct buf texts[2];

	buf_init(&texts[0], ERR_TEXT_MAX);
	if (s->filter->phase) { /* some step has it */
		write_steps(s->filter, &texts[0]);
		err_set(err, ERR_EMPTY,
			"--step " STR_FMT ": none of them is of the phase "
			"'%s'",
			STR_ARG(buf_str(&texts[0])), s->filter->phase->name);
		buf_release(&texts[0]);
		return;
	}
	buf_init(&texts[1], ERR_TEXT_MAX);
	write_steps(s->filter, &texts[0]);
	number_list_write(&s->steps, &texts[1]);
	tell(err, "--step", "steps", texts);
	buf_release(&texts[0]);
	buf_release(&texts[1]);
}

static void tell_time(struct err *err, const char *what, int64_t ns)
{
	char text[UNITS_TEXT_MAX];

	err_set(err, ERR_EMPTY, "%s " STR_FMT, what,
		STR_ARG(units_text(UNIT_NS, cell_int(ns), text)));
}

static int64_t longest_profile(const struct scope *scope)
{
	int64_t longest = 0;

	for (size_t i = 0; i < scope->n; i++)
		if (scope->profiles[i].dur_ns > longest)
			longest = scope->profiles[i].dur_ns;
	return longest;
}

/* The first filter that matches nothing alone. */
static void tell_first(struct seen *s, const struct scope *scope, struct err *err)
{
	const struct filter *f = s->filter;

	if (f->has_steps && !s->has_step)
		tell_steps(err, s);
	else if (f->devices.n && !s->has_device)
		tell_numbers(err, "--device", "devices", &f->devices, &s->devices);
	else if (f->streams.n && !s->has_stream)
		tell_numbers(err, "--stream", "streams", &f->streams, &s->streams);
	else if (f->threads.n && !s->has_thread)
		tell_names(err, "--thread", "threads", &f->threads, &s->threads);
	else if (f->categories.n && !s->has_category)
		tell_names(err, "--cat", "categories", &f->categories, &s->categories);
	else if (f->focus && !s->is_focused)
		err_set(err, ERR_EMPTY, "%s '%.100s' matches no name",
			regex_option(f->focus), regex_pattern(f->focus));
	else if (f->ignore && !s->is_kept)
		err_set(err, ERR_EMPTY, "%s '%.100s' matches every name",
			regex_option(f->ignore), regex_pattern(f->ignore));
	else if (f->has_times && f->from_ns > longest_profile(scope))
		tell_time(err, "--time begins after the recording, which lasts",
			  longest_profile(scope));
	else if (f->has_min_dur && s->longest_ns < f->min_dur_ns)
		tell_time(err, "--min-dur: the longest slice lasts", s->longest_ns);
}

void filter_explain(struct store *store, const struct scope *scope,
		    const struct filter *filter, struct err *err)
{
	struct seen seen = { .filter = filter };
	struct err own = ERR_INIT;
	bool is_graph;

	if (!filter_is_given(filter) || scope_is_call_graph(scope, &is_graph, &own) < 0 ||
	    is_graph)
		return;
	buf_init(&seen.threads, ERR_TEXT_MAX);
	buf_init(&seen.categories, ERR_TEXT_MAX);
	if (see_all(&seen, store, scope, &own) == 0)
		tell_first(&seen, scope, err);
	slices_close(seen.slices);
	free(seen.steps.items);
	free(seen.devices.items);
	free(seen.streams.items);
	free(seen.names.items);
	free(seen.listed.items);
	buf_release(&seen.threads);
	buf_release(&seen.categories);
}

/* Are they all of memory: snapshots, timelines, or samples without functions? */
static bool is_of_memory(const struct scope *scope)
{
	static const char *const formats[] = { "memory_snapshot", "memory_timeline",
					       "mprof" };

	for (size_t i = 0; i < scope->n; i++)
		if (strcmp(scope->profiles[i].format, formats[0]) != 0 &&
		    strcmp(scope->profiles[i].format, formats[1]) != 0 &&
		    strcmp(scope->profiles[i].format, formats[2]) != 0)
			return false;
	return true;
}

int filter_lacks(const struct scope *scope, const char *what, struct err *err)
{
	if (is_of_memory(scope))
		return err_set(err, ERR_EMPTY,
			       "a recording of memory has no %s; 'ptool memory' shows "
			       "what it has",
			       what);
	return err_set(err, ERR_EMPTY, "the recording has no %s", what);
}
