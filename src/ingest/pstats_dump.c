/* The dict of a profile dump, its functions and values, and who wrote it: see marshal.h. */
#include <math.h>

#include "base/spill.h"
#include "ingest/pstats_dump.h"

#define TEXT_MAX   ((size_t)1 << 30) /* of one name: Latin-1 may double */
#define TICK_BYTES ((size_t)1 << 20)
#define ROUNDING_S 1e-6 /* of sums of times */

static bool is_null(const struct dump *d, size_t at)
{
	return d->marshal.text.p[at] == '0' || d->marshal.text.p[at] == (0x80 | '0');
}

/* The next key and value of a dict: 1, 0 at its end, -1. */
static int next_entry(struct dump *d, size_t *at, size_t *key, size_t *value)
{
	if (is_null(d, *at))
		return 0;
	*key = *at;
	*value = marshal_behind(&d->marshal, *key);
	if (!*value)
		return -1;
	if (is_null(d, *value))
		return 0; /* CPython drops a last key without a value */
	*at = marshal_behind(&d->marshal, *value);
	return *at ? 1 : -1;
}

static int read_callers(struct dump *d, const struct marshal_value *callers,
			uint32_t callee, struct err *err)
{
	struct call_fact call = { .callee = callee };
	size_t at = callers->items, key, value;
	int more;

	while ((more = next_entry(d, &at, &key, &value)) > 0) {
		if (dump_spend(d, 1, err) < 0 ||
		    dump_caller(d, value, &call.sums, err) < 0 ||
		    dump_function(d, key, &call.caller, err) < 0 ||
		    d->sink->call(d->sink, &call, err) < 0)
			return -1;
	}
	return more < 0 ? marshal_spent(d->entry, err) : 0;
}

static void look_at_counts(struct dump *d, struct call_sums *sums)
{
	d->is_swapped |= call_sums_put_right(sums);
	d->is_uncounted |= sums->calls.n == -1 && sums->primitive.n == -1;
}

/* On a stack of one thread a function has at least its own time in all. */
static void look_at_times(struct dump *d, const struct call_sums *sums)
{
	bool is_known = isfinite(sums->self_s) && isfinite(sums->total_s);

	if (!d->mixed_at && is_known && sums->self_s > sums->total_s + ROUNDING_S)
		d->mixed_at = d->entry;
}

static int read_stat(struct dump *d, size_t key, size_t value, struct err *err)
{
	struct function_stat_fact stat = { .offset = key };
	struct marshal_value tuple = marshal_at(&d->marshal, value);
	size_t at[5];

	if (dump_function(d, key, &stat.function, err) < 0)
		return -1;
	if (!dump_items(d, &tuple, 5, at)) {
		if (marshal_is_spent(&d->marshal))
			return marshal_spent(d->entry, err);
		struct str name = dump_entry(d);
		return err_at(
			err, tuple.at,
			"the value of %.*s is %s of another shape; (primitive calls, "
			"calls, self, total, callers) is expected",
			(int)name.n, name.p, marshal_type_name(tuple.type));
	}
	struct marshal_value callers = marshal_at(&d->marshal, at[4]);
	if (callers.type != MARSHAL_DICT) {
		struct str name = dump_entry(d);
		return err_at(err, callers.at, "the callers of %.*s are %s, not a dict",
			      (int)name.n, name.p, marshal_type_name(callers.type));
	}
	const size_t counts_first[] = { at[1], at[0], at[2], at[3] };
	if (dump_sums(d, counts_first, &stat.sums, err) < 0)
		return -1;
	look_at_counts(d, &stat.sums);
	look_at_times(d, &stat.sums);
	if (d->sink->function_stat(d->sink, &stat, err) < 0)
		return -1;
	return read_callers(d, &callers, stat.function, err);
}

/* ("__sampled__",): True, among the functions of profiling.sampling's dumps. */
static bool is_marker(struct dump *d, size_t key, size_t value)
{
	struct marshal_value tuple = marshal_at(&d->marshal, key);

	if (tuple.type != MARSHAL_TUPLE || tuple.n != 1)
		return false;
	struct marshal_value name = marshal_at(&d->marshal, tuple.items);
	struct marshal_value said = marshal_at(&d->marshal, value);
	if (name.type != MARSHAL_STRING || !str_is(name.bytes, "__sampled__") ||
	    said.type != MARSHAL_BOOL)
		return false;
	d->is_sampled |= said.number != 0;
	return true;
}

static int read_dict(struct dump *d, const struct marshal_value *dict, struct err *err)
{
	size_t at = dict->items, key, value;
	uint64_t n = 0;
	int more;

	while ((more = next_entry(d, &at, &key, &value)) > 0) {
		d->entry = key;
		if (key - d->ticked >= TICK_BYTES) {
			d->ticked = key;
			if (d->sink->tick(d->sink, key, d->marshal.text.n, err) < 0)
				return -1;
		}
		if (is_marker(d, key, value))
			continue;
		if (read_stat(d, key, value, err) < 0)
			return -1;
		n++;
	}
	if (more < 0)
		return marshal_spent(d->entry, err);
	if (n == 0)
		return err_at(err, 0,
			      "the profile holds no functions: "
			      "was the profiler ever enabled?");
	return 0;
}

/* Who wrote it, as far as its counts tell. */
static const char *producer(const struct dump *d)
{
	if (d->is_sampled)
		return "sampling";
	if (d->is_uncounted)
		return "pyinstrument";
	if (d->is_swapped)
		return "yappi";
	return d->is_pure || (d->calls && !d->has_pairs) ? "profile" : "cprofile";
}

static int tell_profile(struct dump *d, struct err *err)
{
	struct profile_fact profile = { .format = "pstats",
					.dialect = producer(d),
					PROFILE_FACT_NONE,
					.rules.all_slices = true };
	size_t left = d->marshal.text.n - d->marshal.end;

	d->entry = 0; /* what follows is about none of them */
	if (left && dump_finding(d, FINDING_TRAILING_BYTES, d->marshal.end, err) < 0)
		return -1;
	if (d->is_sampled && dump_finding(d, FINDING_COUNTS_ARE_SAMPLES, 0, err) < 0)
		return -1;
	if (!d->is_sampled && d->is_uncounted &&
	    dump_finding(d, FINDING_COUNTS_MISSING, 0, err) < 0)
		return -1;
	if (!d->is_sampled && d->is_swapped && !d->is_uncounted &&
	    dump_finding(d, FINDING_COUNTS_SWAPPED, 0, err) < 0)
		return -1;
	d->entry = d->mixed_at;
	if (d->mixed_at && strcmp(profile.dialect, "cprofile") == 0 &&
	    dump_finding(d, FINDING_THREADS_MIXED, d->mixed_at, err) < 0)
		return -1;
	d->sink->profile(d->sink, &profile);
	return 0;
}

static uint32_t *nothing_known(struct spill *spill, size_t n)
{
	uint32_t *known = spill_alloc(spill, n + 1, sizeof(*known));

	memset(known, 0xff, (n + 1) * sizeof(*known)); /* TEXT_NONE */
	return known;
}

static int read_top(struct dump *d, struct err *err)
{
	struct marshal_value top = marshal_at(&d->marshal, 0);

	if (top.type != MARSHAL_DICT)
		return err_at(err, 0,
			      "not a profile: the file holds %s, and a dict is expected",
			      marshal_type_name(top.type));
	d->ref_text = nothing_known(d->marshal.spill, d->marshal.nrefs);
	d->ref_function = nothing_known(d->marshal.spill, d->marshal.nrefs);
	d->interned_text = nothing_known(d->marshal.spill, d->marshal.ninterned);
	return read_dict(d, &top, err) < 0 ? -1 : tell_profile(d, err);
}

/* A dump that went through a copy in text mode has a CR before each LF. */
static void hint_at_text_mode(struct bytes text, struct err *err)
{
	size_t n = strlen(err->text);
	const uint8_t *lf = memchr(text.p, '\n', text.n);
	size_t pairs = 0, all = 0;

	for (; lf && all < 64; all++) {
		pairs += lf > text.p && lf[-1] == '\r';
		lf = memchr(lf + 1, '\n', text.n - (size_t)(lf + 1 - text.p));
	}
	if (all > 2 && pairs == all)
		snprintf(err->text + n, sizeof(err->text) - n,
			 "; was the file copied in text mode?");
}

static int dump_read(struct input *in, const struct read_options *options,
		     struct sink *sink, struct err *err)
{
	struct dump d = { .sink = sink, .options = options };
	struct bytes text;

	if (input_whole(in, "a dump", &text, err) < 0)
		return -1;
	buf_init(&d.text, TEXT_MAX);
	buf_init(&d.bytes, TEXT_MAX);
	buf_init(&d.shown, TEXT_MAX);
	buf_init(&d.digits, ERR_TEXT_MAX);
	idmap_init(&d.long_texts, 0);
	int rc = marshal_open_in(&d.marshal, text, options->spill, err);
	if (rc < 0)
		hint_at_text_mode(text, err);
	else
		rc = read_top(&d, err);
	marshal_release(&d.marshal);
	spill_free(options->spill, d.ref_text);
	spill_free(options->spill, d.ref_function);
	spill_free(options->spill, d.interned_text);
	buf_release(&d.text);
	buf_release(&d.bytes);
	buf_release(&d.shown);
	buf_release(&d.digits);
	idmap_release(&d.long_texts);
	return rc;
}

static bool has_count(struct bytes head, uint8_t n)
{
	return head.n >= 6 && head.p[2] == n && !head.p[3] && !head.p[4] && !head.p[5];
}

/* Behind the brace of the dict: a key of three items, or of one. */
static bool is_key(struct bytes head)
{
	uint8_t code = head.p[1] & 0x7f;

	if (code == ')')
		return head.n > 2 && (head.p[2] == 3 || head.p[2] == 1);
	return code == '(' && (has_count(head, 3) || has_count(head, 1));
}

/* No text goes on like that behind a bracket, JSON with all its defects neither. */
static bool is_dict(struct bytes head)
{
	uint8_t next = head.n > 1 ? head.p[1] : ' ';

	if (strchr("():", next) || (next & 0x80 && strchr("()zZsuat", next & 0x7f)))
		return true;
	if (head.n > 4 && head.p[3] == 0 && head.p[4] == 0)
		return next > ' ' && next != '"' && next != '\'';
	return head.n > 2 && strchr("zZsut[{", next) && head.p[2] < '\t';
}

/* The head of another marshalled object: a count, a number, nothing at all. */
static bool is_other(struct bytes head)
{
	uint8_t code = head.p[0] & 0x7f;

	if (head.n == 1)
		return strchr("0NTFS.", head.p[0]) != NULL;
	if (code == ')' && head.p[0] & 0x80)
		return head.p[1] < '\t';
	if (head.n < 5 || !strchr("[(<>ci", code))
		return false;
	/* NULs stand between the entries of damaged JSON too */
	if (head.p[0] == '[' && (head.p[1] == 0 || strchr("\t\n\r ", head.p[1])))
		return false;
	/* a small count, or one that begins with what UTF-8 has not */
	return (head.p[3] == 0 && head.p[4] == 0) || head.p[1] >= 0xf8;
}

static enum probe dump_probe(struct bytes head)
{
	if (head.n < 1)
		return PROBE_NO;
	bool is_brace = (head.p[0] & 0x7f) == '{';
	if (is_brace && head.n == 2 && head.p[1] == '0')
		return PROBE_SURE;
	if (is_brace && head.n > 1 && is_key(head))
		return PROBE_SURE;
	/* no text begins with a byte above 0x7f */
	if (is_brace && (head.p[0] & 0x80 || is_dict(head)))
		return PROBE_LIKELY;
	return is_other(head) ? PROBE_LIKELY : PROBE_NO;
}

const struct reader pstats_dump_reader = {
	.name = "pstats",
	.help = "what cProfile and profile dump: pstats, .prof",
	.probe = dump_probe,
	.read = dump_read,
};
