/*
 * What mprof of memory_profiler records (mprofile_*.dat): lines, in any order,
 *
 *	CMDLINE <text>
 *	MEM <MiB> <seconds since 1970>
 *	CHLD <process> <MiB> <seconds>
 *	FUNC <name> <MiB> <seconds> <MiB> <seconds> [<level>]
 *
 * MEM is the process, or with -C the sum of it and its children; CHLD a child, by its
 * place (memory_profiler 0.60 and before) or its id.  FUNC is a call of a function: what
 * the process had when it began and when it ended; names may hold blanks.  Kinds of lines
 * that are not known are passed over, as mprof does.
 *
 * mprof appends: a file may hold several runs, each begun by a CMDLINE.  FUNCs are written
 * when the program ends, before or after the samples of their run: above its CMDLINE, below
 * it, or below the next one.  Their times say whose they are.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/decimal.h"
#include "base/product.h"
#include "base/sort.h"
#include "ingest/line_rows.h"
#include "ingest/printed.h"

#define MIB        1048576.0
#define NUMBER_MAX 64 /* bytes of one */
#define DAY_NS     (INT64_C(86400) * 1000000000)
#define FAR_NS     (7 * DAY_NS)
#define MAIN       TEXT_NONE
#define COUNTER    STR_LIT("memory")
#define COMMAND    STR_LIT("CMDLINE ")
#define SERIES     STR_LIT("bytes")
#define ROWS_MAX   (UINT32_MAX - 1)

/* A call is of the run that it stands in, or of one beside it; that one's samples decide. */
#define BESIDE       ((size_t)1)
#define READS_BESIDE (2 * BESIDE)
#define SPANS        (2 * READS_BESIDE + 1) /* of the wanted run and those that it reads */

struct mprof_sample {
	int64_t ts_ns, bytes;
	size_t at;
	uint32_t child; /* number of its name, or MAIN */
	uint32_t run;
};

struct mprof_call {
	int64_t start_ns, end_ns, start_bytes, end_bytes;
	int64_t level; /* or NUMBER_NONE */
	size_t at;
	uint32_t name; /* text of the sink */
	uint32_t run;  /* in which it stands */
};

struct mprof {
	struct printed in;
	struct intern children;       /* names of processes */
	struct mprof_sample *samples; /* owned, as all below */
	size_t nsamples, samples_cap;
	struct mprof_call *calls;
	size_t ncalls, calls_cap;
	size_t nruns, wanted; /* the run that is told */
	struct buf command;   /* of that */
	/* Of the wanted run: lines that were read, those that cannot be, and the first's byte. */
	size_t nown, nbad, bad_at;
	bool is_beyond; /* the newest line has a time that cannot be */
};

/* "1795167893.5549": exactly, as a double would not be. */
static bool read_time(struct mprof *m, struct str word, int64_t *ns)
{
	char text[NUMBER_MAX + 2];

	if (word.n == 0 || word.n > NUMBER_MAX || memchr(word.p, 'e', word.n) ||
	    memchr(word.p, 'E', word.n))
		return false;
	memcpy(text, word.p, word.n);
	text[word.n] = 'e';
	text[word.n + 1] = '6';
	enum decimal_status status =
		decimal_text_us_to_ns((struct str){ text, word.n + 2 }, ns);
	m->is_beyond |= status == DECIMAL_TOO_BIG ||
			(status == DECIMAL_OK && !time_is_possible(*ns));
	return status == DECIMAL_OK && !m->is_beyond;
}

static bool read_size(struct str word, int64_t *bytes)
{
	double mib;

	return word.n && decimal_real(word, &mib) &&
	       product_round(product_of(mib, MIB), bytes);
}

/* The last word, which the text loses with the blanks before it. */
static struct str last_word(struct str *text)
{
	size_t end = text->n, from;

	while (end && text->p[end - 1] == ' ')
		end--;
	for (from = end; from && text->p[from - 1] != ' ';)
		from--;
	struct str word = { text->p + from, end - from };
	while (from && text->p[from - 1] == ' ')
		from--;
	text->n = from;
	return word;
}

static size_t count_runs(const struct mprof *m)
{
	return m->nruns ? m->nruns : 1;
}

/* The run in which a line stands; those above the first CMDLINE stand in the first. */
static uint32_t run_here(const struct mprof *m)
{
	return (uint32_t)(count_runs(m) - 1);
}

static bool read_sample(struct mprof *m, struct str rest, bool is_child)
{
	struct mprof_sample s = { .child = MAIN, .at = printed_at(&m->in) };
	struct str child = STR_LIT("");

	if (is_child)
		child = line_word(&rest);
	struct str size = line_word(&rest), time = line_word(&rest);
	if ((is_child && child.n == 0) || !read_size(size, &s.bytes) ||
	    !read_time(m, time, &s.ts_ns) || !line_is_blank(rest) ||
	    m->nsamples >= ROWS_MAX)
		return false;
	if (is_child)
		s.child = intern_add(&m->children, child);
	s.run = run_here(m);
	m->nown += s.run == m->wanted;
	*ARRAY_PUSH(m->samples, m->nsamples, m->samples_cap) = s;
	return true;
}

/* The numbers of a call are the last words: with a level, or without. */
static bool read_numbers(struct mprof *m, struct str text, bool has_level,
			 struct mprof_call *c, struct str *name)
{
	double level = 0;

	c->level = NUMBER_NONE;
	if (has_level && (!decimal_real(last_word(&text), &level) || level < 0 ||
			  level != (double)(int32_t)level))
		return false;
	if (has_level)
		c->level = (int64_t)level;
	struct str end = last_word(&text), end_size = last_word(&text);
	struct str start = last_word(&text), start_size = last_word(&text);
	*name = line_trimmed(text);
	return name->n && read_time(m, end, &c->end_ns) &&
	       read_size(end_size, &c->end_bytes) && read_time(m, start, &c->start_ns) &&
	       read_size(start_size, &c->start_bytes);
}

/* A level is far below any time, which tells the two layouts apart. */
static bool read_call(struct mprof *m, struct str rest)
{
	struct mprof_call c = { .at = printed_at(&m->in) };
	struct str name, tail = rest;
	double last;

	if (!decimal_real(last_word(&tail), &last))
		return false;
	bool has_level = last < 1e6;
	if (!read_numbers(m, rest, has_level, &c, &name) || m->ncalls >= ROWS_MAX)
		return false;
	c.name = printed_text(&m->in, name);
	c.run = run_here(m);
	m->nown += c.run == m->wanted;
	*ARRAY_PUSH(m->calls, m->ncalls, m->calls_cap) = c;
	return true;
}

static bool read_line(struct mprof *m, struct str line)
{
	struct str rest = line, kind = line_word(&rest);

	m->is_beyond = false;
	if (str_starts_with(line, COMMAND)) {
		/* samples before the first one are of its run */
		if (m->nruns++ == m->wanted)
			buf_add_str(&m->command, line_trimmed(rest));
		return true;
	}
	if (str_is(kind, "MEM") || str_is(kind, "CHLD"))
		return read_sample(m, rest, str_is(kind, "CHLD"));
	if (str_is(kind, "FUNC"))
		return read_call(m, rest);
	return true;
}

/* A line of another run is told of by that one. */
static int tell_bad(struct mprof *m, struct err *err)
{
	if (run_here(m) != m->wanted)
		return 0;
	if (m->nbad++ == 0)
		m->bad_at = printed_at(&m->in);
	if (!m->in.lines.is_cut && !m->is_beyond)
		return printed_bad_row(&m->in, err);
	return printed_tell(&m->in,
			    m->in.lines.is_cut ? FINDING_TRUNCATED : FINDING_TIME_RANGE,
			    printed_at(&m->in), m->in.lines.line, err);
}

static int read_lines(struct mprof *m, struct err *err)
{
	int rc;

	while ((rc = printed_next(&m->in, err)) > 0)
		if ((m->in.lines.is_cut || !read_line(m, m->in.lines.line)) &&
		    tell_bad(m, err) < 0)
			return -1;
	return rc;
}

/* First and last of a run's samples, without those that are far from the others. */
struct span {
	int64_t first_ns, last_ns;
	bool is_there;
};

static struct span span_of(const struct mprof *m, size_t run)
{
	struct mprof_sample *own = xrealloc_array(NULL, m->nsamples + 1, sizeof(*own));
	struct span span = { .is_there = false };
	size_t n = 0;

	for (size_t i = 0; i < m->nsamples; i++)
		if (m->samples[i].run == run)
			own[n++] = m->samples[i];
	if (n) {
		SORT_BY(own, n, ts_ns);
		int64_t middle = own[n / 2].ts_ns;
		size_t first = 0, last = n - 1;
		while (own[first].ts_ns < middle - FAR_NS)
			first++;
		while (own[last].ts_ns > middle && own[last].ts_ns - FAR_NS > middle)
			last--;
		span = (struct span){ own[first].ts_ns, own[last].ts_ns, true };
	}
	free(own);
	return span;
}

/* How far a call's start lies outside of the span. */
static int64_t distance(const struct span *span, int64_t ns)
{
	if (!span->is_there)
		return INT64_MAX;
	if (ns < span->first_ns)
		return span->first_ns - ns;
	return ns > span->last_ns ? ns - span->last_ns : 0;
}

/* The wanted run and those that its neighbours' calls could be of. */
struct nearby {
	size_t first, n; /* runs */
	struct span spans[SPANS];
};

static struct nearby nearby_of(const struct mprof *m)
{
	struct nearby near = { .first = m->wanted > READS_BESIDE
						? m->wanted - READS_BESIDE
						: 0 };

	for (; near.n < SPANS && near.first + near.n < count_runs(m); near.n++)
		near.spans[near.n] = span_of(m, near.first + near.n);
	return near;
}

/* How far a call began from the samples of a run; INT64_MAX: there is no such run. */
static int64_t distance_of(const struct nearby *near, size_t run, int64_t ns)
{
	size_t at = run - near->first;

	return at < near->n ? distance(&near->spans[at], ns) : INT64_MAX;
}

/* Of the run that a call stands in and those beside it: the one whose samples are nearest. */
static bool is_wanted(const struct mprof *m, const struct nearby *near,
		      const struct mprof_call *c)
{
	size_t best = c->run;

	if (c->run + BESIDE < m->wanted || c->run > m->wanted + BESIDE)
		return false;
	for (size_t run = c->run > BESIDE ? c->run - BESIDE : 0; run <= c->run + BESIDE;
	     run++)
		if (distance_of(near, run, c->start_ns) <
		    distance_of(near, best, c->start_ns))
			best = run;
	return best == m->wanted;
}

/* Is it a number's own spelling?  Of "7", "07" and "+7" one is. */
static bool is_number(struct str name, int64_t *number)
{
	char digits[DECIMAL_TEXT_MAX + 1];

	if (name.n > DECIMAL_TEXT_MAX || decimal_text_int(name, number) != DECIMAL_OK)
		return false;
	snprintf(digits, sizeof(digits), "%lld", (long long)*number);
	return str_is(name, digits);
}

/* Names a process, once, and gives what it is called: a text where its name is no number. */
static struct ident name_process(struct mprof *m, uint32_t child)
{
	struct naming_fact naming = { .kind = NAMING_PROCESS, .pid = { 0, TEXT_NONE } };
	struct str name =
		child == MAIN ? STR_LIT("main") : intern_str(&m->children, child);
	struct buf text;

	buf_init(&text, SIZE_MAX);
	if (child != MAIN)
		buf_add_text(&text, "child ");
	buf_add_str(&text, name);
	naming.text = buf_str(&text);
	if (child == MAIN || !is_number(name, &naming.pid.number))
		naming.pid = (struct ident){ 0, printed_text(&m->in, naming.text) };
	m->in.sink->naming(m->in.sink, &naming);
	buf_release(&text);
	return naming.pid;
}

static int tell_samples(struct mprof *m, const struct span *span, struct err *err)
{
	struct counter_fact counter = { .name = m->in.sink->text(m->in.sink, COUNTER),
					.series = m->in.sink->text(m->in.sink, SERIES) };
	struct {
		struct ident id;
		bool is_named;
	} *processes = xcalloc(m->children.n + 1, sizeof(*processes)), *process;
	int rc = 0;

	for (size_t i = 0; i < m->nsamples && rc == 0; i++) {
		const struct mprof_sample *s = &m->samples[i];
		if (s->run != m->wanted)
			continue;
		if (distance(span, s->ts_ns)) {
			rc = printed_tell(&m->in, FINDING_SAMPLE_TIME, s->at, STR_LIT(""),
					  err);
			continue;
		}
		process = &processes[s->child == MAIN ? m->children.n : s->child];
		if (!process->is_named)
			process->id = name_process(m, s->child);
		process->is_named = true;
		counter.ts_ns = s->ts_ns;
		counter.value = (double)s->bytes;
		counter.pid = process->id;
		counter.offset = s->at;
		rc = m->in.sink->counter(m->in.sink, &counter, err);
	}
	free(processes);
	return rc;
}

static int tell_call(struct mprof *m, const struct mprof_call *c, uint32_t track,
		     struct err *err)
{
	const struct memory_range_fact range = { .start_bytes = c->start_bytes,
						 .end_bytes = c->end_bytes,
						 .level = c->level };
	const struct slice_fact slice = { .ts_ns = c->start_ns,
					  .dur_ns = c->end_ns - c->start_ns,
					  .track = track,
					  .name = c->name,
					  .category = TEXT_NONE,
					  .class = CLASS_OTHER,
					  .phase = PHASE_COMPLETE,
					  .correlation = NUMBER_NONE,
					  .external_id = NUMBER_NONE,
					  .offset = c->at,
					  .range = &range };

	if (!dur_is_possible(slice.dur_ns) &&
	    printed_tell(&m->in,
			 slice.dur_ns < 0 ? FINDING_NEGATIVE_DURATION
					  : FINDING_IMPOSSIBLE_DURATION,
			 c->at, STR_LIT(""), err) < 0)
		return -1;
	return m->in.sink->slice(m->in.sink, &slice, err);
}

static int tell_calls(struct mprof *m, const struct nearby *near, struct err *err)
{
	struct track_fact fact = { .kind = TRACK_THREAD, .scope = TEXT_NONE };
	uint32_t track = TEXT_NONE;
	int rc = 0;

	for (size_t i = 0; i < m->ncalls && rc == 0; i++) {
		if (!is_wanted(m, near, &m->calls[i]))
			continue;
		if (track == TEXT_NONE) {
			fact.pid = fact.tid = name_process(m, MAIN);
			track = m->in.sink->track(m->in.sink, &fact);
		}
		rc = tell_call(m, &m->calls[i], track, err);
	}
	return rc;
}

static int tell_run(struct mprof *m, struct err *err)
{
	struct profile_fact profile = { .format = "mprof",
					.dialect = "",
					.has_base = true,
					PROFILE_FACT_NONE,
					.rules.all_slices = true };

	const struct nearby near = nearby_of(m);

	printed_metadata(&m->in, "cmdline", buf_str(&m->command));
	int rc = tell_samples(m, &near.spans[m->wanted - near.first], err);
	if (rc == 0)
		rc = tell_calls(m, &near, err);
	if (rc == 0)
		m->in.sink->profile(m->in.sink, &profile);
	return rc;
}

static int check(const struct mprof *m, struct err *err)
{
	if (m->nown)
		return 0;
	if (m->nbad)
		return err_at(err, m->bad_at,
			      "the run has no sample that can be read (bad lines: %zu)",
			      m->nbad);
	return err_at(err, 0, "the run has no samples: it was too short");
}

static void mprof_release(struct mprof *m)
{
	printed_close(&m->in);
	intern_release(&m->children);
	free(m->samples);
	free(m->calls);
	buf_release(&m->command);
}

static int mprof_read(struct input *in, const struct read_options *options,
		      struct sink *sink, struct err *err)
{
	struct mprof m = { .wanted = options->report.number ? options->report.number - 1
							    : 0 };

	intern_init(&m.children);
	buf_init(&m.command, SIZE_MAX);
	int rc = printed_open(&m.in, in, options, sink, err);
	if (rc == 0)
		rc = read_lines(&m, err);
	if (rc == 0)
		rc = check(&m, err);
	if (rc == 0)
		rc = tell_run(&m, err);
	mprof_release(&m);
	return rc;
}

/* The first line decides: other texts have such words, too. */
static enum probe mprof_probe(struct bytes head)
{
	static const char *const kinds[] = { "CMDLINE ", "MEM ", "FUNC ", "CHLD " };
	struct str text = { (const char *)head.p, head.n };

	if (str_starts_with(text, STR_LIT("\xef\xbb\xbf")))
		text = str_behind(text, 3);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (str_starts_with(text, str_of(kinds[i])))
			return PROBE_LIKELY;
	return PROBE_NO;
}

static bool mprof_begins(struct str line, struct str *name)
{
	*name = STR_LIT("");
	return str_starts_with(line, COMMAND);
}

const struct reader mprof_reader = {
	.name = "mprof",
	.help = "samples of memory by mprof (mprofile_*.dat)",
	.probe = mprof_probe,
	.read = mprof_read,
	.begins = mprof_begins,
	.reads_beside = READS_BESIDE,
};
