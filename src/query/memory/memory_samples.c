/* Sampled memory: see memory_samples.h. */
#include "query/memory/memory_samples.h"

#include <math.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/intern.h"
#include "base/sum.h"
#include "query/memory/memory_source.h"
#include "query/memory/sample_peaks.h"
#include "query/query.h"

ASSET(asset_query_views_memory_ranges_sql);
ASSET(asset_query_views_memory_samples_sql);

#define MAIN_PROCESS  "main"
#define ALL_TOGETHER  "all"
#define CHANGES_LEAST (2.0 * 1048576) /* bytes: less tells nothing */

struct sample {
	int64_t profile, at_ns, bytes;
	struct str process; /* of `texts` */
};

struct process {
	int64_t profile, peak_bytes, at_ns, first_bytes, end_bytes, samples;
	struct str name, curve; /* the curve is the arena's */
	int64_t highs[MEMORY_CURVE_CELLS];
	size_t first;                       /* of its samples */
	size_t first_part, last_part;       /* that have samples */
	int64_t levels[MEMORY_CURVE_CELLS]; /* at their ends */
};

struct function {
	int64_t profile, calls, total_ns, peak_bytes, increment_bytes;
	int64_t until_ns; /* the end of its outermost call so far */
	struct str name;
};

struct sampled {
	const struct scope *scope;
	const struct memory_request *request;
	struct sample *samples;
	size_t nsamples, samples_cap;
	struct process *processes;
	size_t nprocesses, processes_cap;
	struct function *functions;
	size_t nfunctions, functions_cap;
	struct intern texts, keys, process_keys;
	struct sample_peaks peaks; /* of main processes */
	struct arena arena;
	bool main_has_children; /* of a profile, by its samples */
};

static struct str text_of(struct sampled *s, struct sqlite3_stmt *stmt, int column)
{
	struct cell cell = query_cell(stmt, column);
	struct str text = cell.type == CELL_TEXT ? cell.as.text : STR_LIT("");

	return intern_str(&s->texts, intern_add(&s->texts, text));
}

static int64_t dur_of(const struct sampled *s, int64_t profile)
{
	const struct scope_profile *p = scope_find(s->scope, profile);

	return p ? p->dur_ns : 0;
}

static struct process *process_of(struct sampled *s, int64_t profile, struct str name)
{
	const int64_t key[] = { profile, (int64_t)intern_add(&s->texts, name) };
	size_t known = s->process_keys.n;
	uint32_t at = intern_add(&s->process_keys,
				 (struct str){ (const char *)key, sizeof(key) });

	if (at < known)
		return &s->processes[at];
	struct process *p = ARRAY_PUSH(s->processes, s->nprocesses, s->processes_cap);
	*p = (struct process){ .profile = profile,
			       .name = name,
			       .peak_bytes = NUMBER_NONE };
	return p;
}

static void add_level(struct sampled *s, struct process *p, int64_t at_ns, int64_t bytes)
{
	size_t part = memory_curve_cell(at_ns, dur_of(s, p->profile));
	int64_t *high = &p->highs[part];

	if (p->samples++ == 0) {
		p->first_bytes = bytes;
		p->first_part = part;
	}
	if (part > p->last_part)
		p->last_part = part;
	p->levels[part] = bytes;
	p->end_bytes = bytes;
	if (bytes > p->peak_bytes) {
		p->peak_bytes = bytes;
		p->at_ns = at_ns;
	}
	*high = bytes > *high ? bytes : *high;
}

static bool is_main(const struct sample *sample)
{
	return str_is(sample->process, MAIN_PROCESS);
}

/* What was sampled at once: the main process, then its children. */
struct round {
	int64_t at_ns, main_bytes, child_bytes;
};

/* The round that begins at sample *i, which moves past it; false after the last. */
static bool next_round(const struct sampled *s, int64_t profile, size_t *i,
		       struct round *out)
{
	size_t first = *i;

	for (; *i < s->nsamples && s->samples[*i].profile == profile; (*i)++) {
		const struct sample *sample = &s->samples[*i];
		if (*i > first && is_main(sample))
			return true;
		if (*i == first)
			*out = (struct round){ .at_ns = sample->at_ns };
		int64_t *sum = is_main(sample) ? &out->main_bytes : &out->child_bytes;
		*sum = sum_add(*sum, sample->bytes);
	}
	return *i > first;
}

static double change(int64_t from, int64_t to)
{
	return fabs((double)to - (double)from);
}

/*
 * mprof run -C -M writes sums as MEM and says so nowhere.  Then the main process is never
 * below its children, and without them it is steadier by most of what these change by.
 */
static bool main_has_children(const struct sampled *s, int64_t profile, size_t first)
{
	double mains = 0, rests = 0, children = 0;
	struct round last, round;
	size_t rounds = 0, below = 0;

	for (size_t i = first; next_round(s, profile, &i, &round); last = round) {
		below += round.main_bytes < round.child_bytes;
		if (rounds++ == 0)
			continue;
		mains += change(last.main_bytes, round.main_bytes);
		children += change(last.child_bytes, round.child_bytes);
		rests += change(sum_sub(last.main_bytes, last.child_bytes),
				sum_sub(round.main_bytes, round.child_bytes));
	}
	return below * 20 <= rounds && children >= CHANGES_LEAST &&
	       (mains - rests) * 2 >= children;
}

/* All processes, round after round. */
static void add_rounds(struct sampled *s, int64_t profile, size_t first)
{
	struct round round;

	if (main_has_children(s, profile, first)) {
		s->main_has_children = true;
		return;
	}
	for (size_t i = first; next_round(s, profile, &i, &round);)
		add_level(s, process_of(s, profile, STR_LIT(ALL_TOGETHER)), round.at_ns,
			  sum_add(round.main_bytes, round.child_bytes));
}

static int take_sample(struct sampled *s, struct sqlite3_stmt *stmt, struct err *err)
{
	struct sample sample = { .profile = sqlite3_column_int64(stmt, 0),
				 .process = text_of(s, stmt, 1),
				 .at_ns = sqlite3_column_int64(stmt, 2),
				 .bytes = sum_of_double(sqlite3_column_double(stmt, 3)) };

	(void)err;
	if (!filter_has_time(s->request->filter, sample.at_ns))
		return 0;
	*ARRAY_PUSH(s->samples, s->nsamples, s->samples_cap) = sample;
	if (is_main(&sample))
		sample_peaks_add(&s->peaks,
				 &(struct sample_peak){ sample.profile, sample.at_ns,
							sample.bytes });
	return 0;
}

static struct function *function_of(struct sampled *s, int64_t profile, struct str name)
{
	const int64_t key[] = { profile, (int64_t)intern_add(&s->texts, name) };
	size_t known = s->keys.n;
	uint32_t at =
		intern_add(&s->keys, (struct str){ (const char *)key, sizeof(key) });

	if (at >= known)
		*ARRAY_PUSH(s->functions, s->nfunctions, s->functions_cap) =
			(struct function){ .profile = profile,
					   .name = name,
					   .peak_bytes = NUMBER_NONE,
					   .until_ns = INT64_MIN };
	return &s->functions[at];
}

static int take_call(struct sampled *s, struct sqlite3_stmt *stmt, struct err *err)
{
	struct str name = text_of(s, stmt, 1);
	int64_t start_ns = sqlite3_column_int64(stmt, 2);
	int64_t end_ns = sum_add(start_ns, sqlite3_column_int64(stmt, 3));
	int has = filter_has_name(s->request->filter, name, err);

	if (has < 0)
		return -1;
	if (!has || !filter_has_time(s->request->filter, start_ns))
		return 0;
	struct function *f = function_of(s, sqlite3_column_int64(stmt, 0), name);
	f->calls++;
	/* a call within a call of the same function is part of that */
	if (start_ns < f->until_ns)
		return 0;
	f->until_ns = end_ns;
	f->total_ns = sum_add(f->total_ns, end_ns - start_ns);
	f->increment_bytes =
		sum_add(f->increment_bytes, sum_sub(sqlite3_column_int64(stmt, 5),
						    sqlite3_column_int64(stmt, 4)));
	/* of the main process while the call ran, as mprof peak --func */
	int64_t peak = sample_peaks_between(&s->peaks, f->profile, start_ns, end_ns);
	f->peak_bytes = peak > f->peak_bytes ? peak : f->peak_bytes;
	return 0;
}

static int take_all(struct sampled *s, struct store *store, const unsigned char *sql,
		    int (*take)(struct sampled *s, struct sqlite3_stmt *stmt,
				struct err *err),
		    struct err *err)
{
	struct query q = query_of_scope(store, sql, s->scope->ids, err);

	while (query_next(&q, err))
		q.rc = take(s, q.stmt, err);
	return query_end(&q);
}

/* Where no sample was taken the level is that before. */
static void fill_curve(struct process *p)
{
	for (size_t i = p->first_part + 1; i < p->last_part; i++)
		if (p->highs[i] == 0 && p->levels[i] == 0)
			p->highs[i] = p->levels[i] = p->levels[i - 1];
}

static void make_processes(struct sampled *s)
{
	size_t before;

	for (size_t i = 0; i < s->nsamples; i++) {
		const struct sample *sample = &s->samples[i];
		struct process *p = process_of(s, sample->profile, sample->process);
		if (p->samples == 0)
			p->first = i;
		add_level(s, p, sample->at_ns, sample->bytes);
	}
	before = s->nprocesses;
	for (size_t i = 0; i + 1 < before; i++)
		if (s->processes[i].profile == s->processes[i + 1].profile &&
		    (i == 0 || s->processes[i - 1].profile != s->processes[i].profile))
			add_rounds(s, s->processes[i].profile, s->processes[i].first);
	for (size_t i = 0; i < s->nprocesses; i++) {
		fill_curve(&s->processes[i]);
		s->processes[i].curve =
			memory_curve_text(memory_curve(s->processes[i].highs), &s->arena);
	}
}

static struct cell get_text(const void *from, const void *row, int offset)
{
	struct str text;

	(void)from;
	memcpy(&text, (const char *)row + offset, sizeof(text));
	return cell_text(text);
}

#define NUMBER(type, member) .get = view_number, .arg = offsetof(struct type, member)
#define TEXT(type, member)   .get = get_text, .arg = offsetof(struct type, member)

/* clang-format off */
static const struct field process_fields[] = {
	{ "profile", "Profile", "number of the profile", NULL, UNIT_ID, NUMBER(process, profile), .flags = FIELD_PROFILE },
	{ "process", "Process", "main, a child, or all together", NULL, UNIT_TEXT, TEXT(process, name) },
	{ "peak_bytes", "Peak", "largest sample", NULL, UNIT_BYTES, NUMBER(process, peak_bytes) },
	{ "at_ns", "At", "time of that sample", NULL, UNIT_TIME, NUMBER(process, at_ns) },
	{ "first_bytes", "Start", "first sample", NULL, UNIT_BYTES, NUMBER(process, first_bytes) },
	{ "end_bytes", "End", "last sample", NULL, UNIT_BYTES, NUMBER(process, end_bytes) },
	{ "samples", "Samples", "number of samples", NULL, UNIT_COUNT, NUMBER(process, samples) },
	{ "curve", "Curve", NULL, NULL, UNIT_TEXT, TEXT(process, curve), .flags = FIELD_PEOPLE },
	{ .name = NULL },
};

static const struct field function_fields[] = {
	{ "profile", "Profile", "number of the profile", NULL, UNIT_ID, NUMBER(function, profile), .flags = FIELD_PROFILE | FIELD_KEY },
	{ "function", "Function", "function, or the name of a timestamp block", NULL, UNIT_TEXT, TEXT(function, name), .flags = FIELD_KEY },
	{ "calls", "Calls", "number of calls", NULL, UNIT_COUNT, NUMBER(function, calls) },
	{ "total_ns", "Total", "time of its calls", NULL, UNIT_NS, NUMBER(function, total_ns) },
	{ "peak_bytes", "Peak", "largest sample of the main process during its calls", NULL, UNIT_BYTES, NUMBER(function, peak_bytes) },
	{ "increment_bytes", "Increment", "memory at the ends of its calls less that at their starts", NULL, UNIT_BYTES, NUMBER(function, increment_bytes) },
	{ .name = NULL },
};

static const struct field sample_fields[] = {
	{ "profile", "Profile", "number of the profile", NULL, UNIT_ID, NUMBER(sample, profile), .flags = FIELD_PROFILE },
	{ "process", "Process", "main or a child", NULL, UNIT_TEXT, TEXT(sample, process) },
	{ "ts_ns", "Time", "when", NULL, UNIT_TIME, NUMBER(sample, at_ns) },
	{ "bytes", "Memory", "memory of the process", NULL, UNIT_BYTES, NUMBER(sample, bytes) },
	{ .name = NULL },
};
/* clang-format on */

const struct view memory_processes_view = {
	.name = "memory of processes",
	.fields = process_fields,
	.people = VIEW_PART(
		"profile! process! peak_bytes at_ns first_bytes end_bytes curve"),
};

const struct view memory_functions_view = {
	.name = "memory of functions",
	.fields = function_fields,
	.people = VIEW_PART(
		"profile! function! calls total_ns peak_bytes increment_bytes!"),
	.sort = "peak_bytes",
};

const struct view memory_samples_view = {
	.name = "memory --curve of processes",
	.fields = sample_fields,
	.people = VIEW_PART("profile! process ts_ns bytes"),
};

static int check(const struct memory_request *r, struct err *err)
{
	if (r->view != MEMORY_VIEW_PEAKS && r->view != MEMORY_VIEW_STATS &&
	    r->view != MEMORY_VIEW_CURVE)
		return err_set(err, ERR_EMPTY,
			       "mprof samples memory and records no allocations: it has "
			       "peaks, --curve and --stats");
	if (r->devices.n || r->filter->has_steps)
		return err_set(err, ERR_USAGE,
			       "samples of mprof have no devices and no steps");
	return 0;
}

static struct memtable *draw(struct sampled *s, enum memory_view view)
{
	const struct view_request show = { .for_people = s->request->for_people,
					   .limit = s->request->limit };
	const struct view_rows processes = { s, s->processes, s->nprocesses,
					     sizeof(*s->processes) };
	const struct view_rows functions = { s, s->functions, s->nfunctions,
					     sizeof(*s->functions) };
	const struct view_rows samples = { s, s->samples, s->nsamples,
					   sizeof(*s->samples) };

	if (view == MEMORY_VIEW_STATS)
		return view_table(&memory_functions_view, &functions, s->scope, &show);
	if (view == MEMORY_VIEW_CURVE)
		return view_table(&memory_samples_view, &samples, s->scope, &show);
	struct memtable *first =
		view_table(&memory_processes_view, &processes, s->scope, &show);
	if (s->main_has_children)
		memtable_add_note(first,
				  "main is the sum with its children, whose "
				  "memory it rises and falls with: as mprof run -C "
				  "records it");
	if (s->request->for_people && s->nfunctions)
		first->table.more =
			&view_table(&memory_functions_view, &functions, s->scope, &show)
				 ->table;
	return first;
}

int memory_open_sampled(struct store *store, const struct scope *scope,
			const struct memory_request *request, struct table **out,
			struct err *err)
{
	struct sampled s = { .scope = scope, .request = request };

	if (check(request, err) < 0)
		return -1;
	intern_init(&s.texts);
	intern_init(&s.keys);
	intern_init(&s.process_keys);
	int rc = take_all(&s, store, asset_query_views_memory_samples_sql, take_sample,
			  err);
	sample_peaks_build(&s.peaks);
	if (rc == 0)
		rc = take_all(&s, store, asset_query_views_memory_ranges_sql, take_call,
			      err);
	make_processes(&s);
	if (rc == 0 && request->view == MEMORY_VIEW_STATS && !s.nfunctions)
		rc = err_set(err, ERR_EMPTY,
			     "no function matches, or none was followed: mprof follows "
			     "those with @profile");
	if (rc == 0 && request->view != MEMORY_VIEW_STATS && !s.nsamples)
		rc = err_set(err, ERR_EMPTY, "no sample matches");
	if (rc == 0)
		*out = &draw(&s, request->view)->table;
	free(s.samples);
	free(s.processes);
	free(s.functions);
	intern_release(&s.texts);
	intern_release(&s.keys);
	intern_release(&s.process_keys);
	sample_peaks_release(&s.peaks);
	arena_release(&s.arena);
	return rc;
}
