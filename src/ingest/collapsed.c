/*
 * Collapsed (folded) stacks, a stack and its weight a line, the outermost frame first:
 *
 *	main;load (data.py:12);read 7
 *
 * as perf and inferno, py-spy -f raw, Austin, Python's profiling.sampling and torch's
 * export_stacks() write them.  Frames hold blanks; the weight is behind the last one.
 * What a weight counts the format does not say: Austin's are microseconds or bytes,
 * torch's microseconds, all others are taken as counts.
 */
#include "base/sum.h"
#include "ingest/austin.h"
#include "ingest/folded.h"
#include "ingest/json.h"
#include "ingest/stacks.h"
#include "ingest/tell.h"

#define WINDOW_SIZE ((size_t)1 << 20)
#define BOM         "\xef\xbb\xbf"
#define NS_PER_US   1000

/* What may be measured; a file has one or, of Austin, up to four. */
enum measure { WEIGHT, CPU, GROWTH, SHRINKAGE, NMEASURES };

struct collapsed {
	struct stacks stacks;
	struct folded folded;
	uint32_t series[NMEASURES];
	bool is_austin, is_torch, is_memory;
	const char *mode;
	uint64_t line, nread,
		ntwo; /* lines, those that were read, those with two counts */
	uint64_t bad_line, bad_at;
	const char *bad_why; /* of the first bad line; NULL: none */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static uint32_t series_of(struct collapsed *c, enum measure measure)
{
	static const char *const names[NMEASURES] = { NULL, NULL, "memory-alloc",
						      "memory-dealloc" };
	struct sink *sink = c->stacks.sink;
	bool is_time = c->is_torch || (c->is_austin && !c->is_memory);

	if (c->series[measure] != SAMPLE_NONE)
		return c->series[measure];
	struct series_fact fact = { .name = TEXT_NONE,
				    .measure = TEXT_NONE,
				    .mode = c->mode,
				    .unit = is_time ? SAMPLE_NS : SAMPLE_COUNT,
				    .is_default =
					    measure == (c->is_memory ? GROWTH : WEIGHT),
				    .is_ordered = c->is_austin,
				    .is_rounded = c->is_torch,
				    .start_at = NUMBER_NONE,
				    .end_at = NUMBER_NONE };
	if (measure == CPU)
		fact.mode = "cpu";
	if (names[measure]) {
		fact.measure = sink->text(sink, str_of(names[measure]));
		fact.mode = "allocation";
		fact.unit = SAMPLE_BYTES;
	}
	return c->series[measure] = sink->series(sink, SAMPLE_NONE, &fact);
}

static int add_weight(struct collapsed *c, enum measure measure,
		      const struct meaning *meaning, struct sample_fact *sample,
		      struct err *err)
{
	struct sink *sink = c->stacks.sink;

	sample->series = series_of(c, measure);
	sample->thread = meaning->thread;
	sample->stack = meaning->stack;
	return sink->sample(sink, sample, err);
}

static const char *const why[] = {
	[STACKS_NEGATIVE] = "a negative count (of a differential file?)",
	[STACKS_TOO_LARGE] = "the count is too large",
	[STACKS_NOT_A_NUMBER] = "no sample count at its end",
};

static int bad_line(struct collapsed *c, const char *what, struct str line,
		    uint64_t offset, struct err *err)
{
	if (!c->bad_why) {
		c->bad_why = what;
		c->bad_line = c->line;
		c->bad_at = offset;
	}
	return stacks_tell(&c->stacks, FINDING_LINE_SYNTAX, offset, line, err);
}

/* A change of memory is growth or shrinkage. */
static int add_memory(struct collapsed *c, const struct meaning *meaning,
		      struct sample_fact *sample, int64_t bytes, struct err *err)
{
	sample->weight = bytes < 0 ? sum_sub(0, bytes) : bytes;
	return bytes == 0 ? 0
			  : add_weight(c, bytes < 0 ? SHRINKAGE : GROWTH, meaning, sample,
				       err);
}

static int read_austin(struct collapsed *c, struct str number, struct str line,
		       const struct meaning *meaning, struct sample_fact *sample,
		       struct err *err)
{
	struct austin of;
	enum stacks_number is = austin_metrics(number, c->is_memory, &of);

	if (is != STACKS_NUMBER)
		return bad_line(c, why[is], line, sample->offset, err);
	c->nread++;
	sample->samples = 1;
	if (of.has_time) {
		sample->weight = of.time_ns;
		if (add_weight(c, WEIGHT, meaning, sample, err) < 0)
			return -1;
	}
	if (of.has_time && !of.is_idle && add_weight(c, CPU, meaning, sample, err) < 0)
		return -1;
	return of.has_bytes ? add_memory(c, meaning, sample, of.bytes, err) : 0;
}

/* "a;b 5 7": two counts, as difffolded.pl writes them? */
static bool has_two_counts(struct str stack)
{
	size_t n = stack.n;

	while (n > 0 && (is_digit(stack.p[n - 1]) || stack.p[n - 1] == '.'))
		n--;
	return n < stack.n && n > 0 && is_blank(stack.p[n - 1]);
}

/* The frames of the first stack show what a file is; its last one may be a built-in. */
static void decide(struct collapsed *c, struct str stack)
{
	c->is_torch = false; /* a line that is none decides nothing */
	while (stack.n && !c->is_torch) {
		const char *end = memchr(stack.p, ';', stack.n);
		size_t n = end ? (size_t)(end - stack.p) : stack.n;
		c->is_torch = stacks_is_torch((struct str){ stack.p, n });
		stack = str_behind(stack, n + (end != NULL));
	}
}

/* A line without what is blank at its end, and its parts: both empty where it has none. */
struct line {
	struct str text, stack, number;
	uint64_t offset, hash; /* of the stack */
};

static int read_stack_line(struct collapsed *c, const struct line *line, struct err *err)
{
	struct sample_fact sample = { .offset = line->offset, .ts_ns = NUMBER_NONE };
	struct meaning meaning;
	enum stacks_number is = STACKS_NUMBER;

	if (!c->is_austin)
		is = stacks_number(line->number, &sample.weight, &sample.decimals);
	if (is != STACKS_NUMBER && is != STACKS_ROUNDED)
		return bad_line(c, why[is], line->text, line->offset, err);
	if (c->nread == 0 && !c->is_austin)
		decide(c, line->stack);
	if (folded_find(&c->folded, line->stack, line->hash, line->offset, &meaning,
			err) < 0)
		return -1;
	if (c->is_austin)
		return read_austin(c, line->number, line->text, &meaning, &sample, err);
	sample.samples = sample.decimals || c->is_torch ? NUMBER_NONE : sample.weight;
	if (is == STACKS_ROUNDED && stacks_tell(&c->stacks, FINDING_WEIGHT_ROUNDED,
						line->offset, line->text, err) < 0)
		return -1;
	if (c->is_torch && sample.decimals)
		return bad_line(c, "a time of export_stacks() is a whole number",
				line->text, line->offset, err);
	if (c->is_torch &&
	    __builtin_mul_overflow(sample.weight, NS_PER_US, &sample.weight))
		return bad_line(c, why[STACKS_TOO_LARGE], line->text, line->offset, err);
	c->nread++;
	c->ntwo += has_two_counts(line->stack);
	return add_weight(c, WEIGHT, &meaning, &sample, err);
}

static int late_header(const struct collapsed *c, const char *key, const char *of,
		       uint64_t offset, struct err *err)
{
	return err_at(err, offset,
		      "line %llu: \"# %s:\" follows stacks of another %s: give each "
		      "recording as a file of its own",
		      (unsigned long long)c->line, key, of);
}

/* The unit of all weights, which cannot change once one was read. */
static int read_mode(struct collapsed *c, struct str value, uint64_t offset,
		     struct err *err)
{
	const char *mode = austin_mode(value);
	bool is_memory = str_is(value, "memory");

	if (c->nread && !c->is_austin)
		return 0;
	if (c->nread && (mode != c->mode || is_memory != c->is_memory))
		return late_header(c, "mode", "mode", offset, err);
	c->mode = mode;
	c->is_memory = is_memory;
	return 0;
}

/* "# key: value" of Austin is kept; all else behind a '#' is a comment. */
static int read_comment(struct collapsed *c, const struct line *line, struct err *err)
{
	struct str text = str_behind(line->text, 1);

	while (text.n && is_blank(text.p[0]))
		text = str_behind(text, 1);
	const char *colon = text.n ? memchr(text.p, ':', text.n) : NULL;
	if (!colon || colon == text.p || colon + 2 > text.p + text.n || colon[1] != ' ')
		return 0;
	struct str key = { text.p, (size_t)(colon - text.p) };
	struct str value = str_behind(text, key.n + 2);
	if (memchr(key.p, ' ', key.n) || json_bad_utf8(text))
		return 0;
	if (str_is(key, "austin") && c->nread && !c->is_austin)
		return late_header(c, "austin", "program", line->offset, err);
	c->is_austin |= str_is(key, "austin");
	if (str_is(key, "mode") && read_mode(c, value, line->offset, err) < 0)
		return -1;
	tell_text(c->stacks.sink, key, value);
	return 0;
}

static struct line split(struct str text, uint64_t offset)
{
	struct line line = { .offset = offset };

	while (text.n && (text.p[text.n - 1] == '\r' || is_blank(text.p[text.n - 1])))
		text.n--;
	line.text = text;
	size_t at = text.n;
	while (at > 0 && !is_blank(text.p[at - 1]))
		at--;
	line.stack = (struct str){ text.p, at ? at - 1 : 0 };
	line.number = at ? str_behind(text, at) : (struct str){ text.p, 0 };
	return line;
}

static int read_line(struct collapsed *c, const struct line *line, struct err *err)
{
	c->line++;
	if (line->text.n == 0)
		return 0;
	if (line->text.p[0] == '#')
		return read_comment(c, line, err);
	if (line->number.n == 0)
		return bad_line(c, why[STACKS_NOT_A_NUMBER], line->text, line->offset,
				err);
	return read_stack_line(c, line, err);
}

/* So many lines at once, as their stacks are looked for at once. */
static int read_some(struct collapsed *c, struct line *lines, size_t n, struct err *err)
{
	struct str stacks[INTERN_AHEAD];
	uint64_t hashes[INTERN_AHEAD];

	for (size_t i = 0; i < n; i++)
		stacks[i] = lines[i].stack;
	intern_look_ahead(&c->folded.lines, stacks, n, hashes);
	for (size_t i = 0; i < n; i++) {
		lines[i].hash = hashes[i];
		if (read_line(c, &lines[i], err) < 0)
			return -1;
	}
	return 0;
}

/* The lines of a window; its last one has an end, or is the input's last. */
static int read_lines(struct collapsed *c, struct str text, uint64_t offset,
		      struct err *err)
{
	struct line lines[INTERN_AHEAD];

	while (text.n) {
		size_t nlines = 0;
		while (text.n && nlines < INTERN_AHEAD) {
			const char *newline = memchr(text.p, '\n', text.n);
			size_t n = newline ? (size_t)(newline - text.p) : text.n;
			lines[nlines++] = split((struct str){ text.p, n }, offset);
			n += newline != NULL;
			text = str_behind(text, n);
			offset += n;
		}
		if (read_some(c, lines, nlines, err) < 0)
			return -1;
	}
	return 0;
}

/* Bytes up to the last newline; 0: there is none. */
static size_t whole_lines(struct bytes window)
{
	const uint8_t *end = memrchr(window.p, '\n', window.n);

	return end ? (size_t)(end - window.p) + 1 : 0;
}

/* Goes behind the mark that Windows puts in front of a text. */
static int pass_mark(struct collapsed *c, struct str *text, uint64_t *offset,
		     struct err *err)
{
	if (*offset != 0 || !str_starts_with(*text, STR_LIT(BOM)))
		return 0;
	*text = str_behind(*text, sizeof(BOM) - 1);
	*offset += sizeof(BOM) - 1;
	return stacks_tell(&c->stacks, FINDING_BYTE_ORDER_MARK, 0, STR_LIT(""), err);
}

/* The lines of the window's first n bytes; `is_open`: the last of them has no end. */
static int read_window(struct collapsed *c, struct input *in, struct str text,
		       bool is_open, struct err *err)
{
	struct sink *sink = c->stacks.sink;
	uint64_t offset = input_offset(in);
	size_t n = text.n;

	if (is_open && stacks_tell(&c->stacks, FINDING_LAST_LINE_OPEN, offset + n,
				   STR_LIT(""), err) < 0)
		return -1;
	if (pass_mark(c, &text, &offset, err) < 0 ||
	    read_lines(c, text, offset, err) < 0 ||
	    sink->tick(sink, input_consumed(in), input_size(in), err) < 0)
		return -1;
	input_skip(in, n);
	return 0;
}

static int read_input(struct collapsed *c, struct input *in, struct err *err)
{
	size_t want = WINDOW_SIZE;

	for (;;) {
		struct bytes window = input_peek(in, want, err);
		if (err->kind != ERR_NONE)
			return -1;
		if (window.n == 0)
			return 0;
		bool is_last = window.n < want;
		size_t n = whole_lines(window);
		if (n == 0 && !is_last) {
			want *= 2;
			continue;
		}
		bool is_open = is_last && n < window.n;
		struct str text = { (const char *)window.p, is_open ? window.n : n };
		if (read_window(c, in, text, is_open, err) < 0)
			return -1;
		want = WINDOW_SIZE;
	}
}

static const char *dialect_of(const struct collapsed *c)
{
	if (c->is_austin)
		return "austin";
	return c->is_torch ? "torch-stacks" : "collapsed";
}

static int finish(struct collapsed *c, struct input *in, struct err *err)
{
	const char *damage = input_damage(in);

	if (input_is_utf16(in) &&
	    stacks_tell(&c->stacks, FINDING_UTF16, 0, STR_LIT(""), err) < 0)
		return -1;
	if (damage && stacks_tell(&c->stacks, FINDING_COMPRESSION, input_offset(in),
				  str_of(damage), err) < 0)
		return -1;
	if (c->nread && c->ntwo == c->nread)
		return err_at(err, 0,
			      "each line has two counts: this is a differential "
			      "file (difffolded.pl), which holds only differences; give "
			      "the two files that it was made from");
	if (c->nread == 0 && c->bad_why)
		return err_at(err, c->bad_at, "line %llu: %s",
			      (unsigned long long)c->bad_line, c->bad_why);
	if (c->nread == 0)
		return err_at(err, 0, "no line has a stack and a weight");
	stacks_end(&c->stacks, dialect_of(c));
	return 0;
}

static int collapsed_read(struct input *in, const struct read_options *options,
			  struct sink *sink, struct err *err)
{
	struct collapsed c = { .line = 0 };

	stacks_init(&c.stacks, sink, options);
	folded_init(&c.folded, &c.stacks);
	for (int i = 0; i < NMEASURES; i++)
		c.series[i] = SAMPLE_NONE;
	int rc = read_input(&c, in, err);
	if (rc == 0)
		rc = finish(&c, in, err);
	folded_release(&c.folded);
	stacks_release(&c.stacks);
	return rc;
}

/* What lines look like; a last one without an end may be cut, and says nothing. */
struct look {
	size_t lines, fitting, stacks; /* with text, with a number, with a ';' */
	bool is_austin;
};

static void look_at(struct look *look, struct str line)
{
	while (line.n && (line.p[line.n - 1] == '\r' || is_blank(line.p[line.n - 1])))
		line.n--;
	if (line.n && line.p[0] == '#')
		look->is_austin |= str_starts_with(line, STR_LIT("# austin: "));
	if (line.n == 0 || line.p[0] == '#')
		return;
	size_t n = line.n;
	while (n > 0 && (is_digit(line.p[n - 1]) || is_one_of(line.p[n - 1], ".,-")))
		n--;
	look->lines++;
	look->fitting += n < line.n && is_digit(line.p[line.n - 1]) && n > 0 &&
			 is_blank(line.p[n - 1]);
	look->stacks += memchr(line.p, ';', line.n) != NULL;
}

/*
 * After all other readers: half of the lines, of which some have a ';'.  Where all have
 * one, but no weight, that can be said; not of markup, which begins with '<' as the
 * frame "<module>" does.
 */
/* "{built-in method builtins.exec};...": pstats' names, as exports of call graphs begin. */
static bool is_built_in(struct str text)
{
	return str_starts_with(text, STR_LIT("{built-in ")) ||
	       str_starts_with(text, STR_LIT("{method '"));
}

static enum probe collapsed_probe(struct bytes head)
{
	struct str text = { (const char *)head.p, head.n };
	struct look look = { 0 };
	bool is_whole = head.n < PROBE_BYTES;

	if (str_starts_with(text, STR_LIT(BOM)))
		text = str_behind(text, sizeof(BOM) - 1);
	bool is_named = is_built_in(text);
	if (text.n && is_one_of(text.p[0], "{[") && !is_named)
		return PROBE_NO;
	bool may_be_markup =
		text.n && text.p[0] == '<' && !str_starts_with(text, STR_LIT("<module>"));
	while (text.n) {
		const char *newline = memchr(text.p, '\n', text.n);
		size_t n = newline ? (size_t)(newline - text.p) : text.n;
		if (newline || is_whole)
			look_at(&look, (struct str){ text.p, n });
		else if (look.lines == 0 && memchr(text.p, ';', n) && !may_be_markup)
			return PROBE_MAYBE; /* a stack that is longer than this */
		text = str_behind(text, n + (newline != NULL));
	}
	if (look.is_austin)
		return PROBE_SURE;
	if (look.lines == 0)
		return PROBE_NO;
	bool is_stacks = look.stacks && look.fitting * 2 >= look.lines;
	bool lacks_weights = look.stacks == look.lines && !may_be_markup;
	if (!is_stacks && !lacks_weights)
		return PROBE_NO;
	return is_named ? PROBE_LIKELY : PROBE_MAYBE;
}

const struct reader collapsed_reader = {
	.name = "collapsed",
	.help = "folded stacks: perf, inferno, py-spy raw, Austin, export_stacks()",
	.probe = collapsed_probe,
	.read = collapsed_read,
};
