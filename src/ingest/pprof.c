/*
 * pprof's profile.proto: Go, gperftools, py-spy's cousins, Rust, jemalloc and ptool's own
 * export write it, mostly compressed.  Each sample type is a series; a location is one
 * frame or, of inlined calls, several.
 * Source: github.com/google/pprof, proto/profile.proto.
 *
 * The table of texts stands behind what refers to it, so the file is walked twice where
 * it lies: first for tables, then for samples.
 */
#include "base/buf.h"
#include "ingest/json.h"
#include "ingest/pprof_tables.h"
#include "ingest/tell.h"

#define TYPES_MAX   64
#define PROBE_TYPES 8 /* fields of a head that are looked at */

/* Fields of the messages in a Profile. */
enum { VALUE_TYPE = 1, VALUE_UNIT = 2 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_TEXT = 2, LABEL_NUMBER = 3 };

struct type {
	int64_t type, unit; /* places in the table of texts */
	int64_t scale;      /* of a value, to what the sink wants */
	uint32_t series;
};

struct pprof {
	struct stacks stacks;
	struct str file;
	struct pprof_tables tables;
	struct type types[TYPES_MAX];
	size_t ntypes;                    /* TYPES_MAX + 1: there are more */
	int64_t default_type, count_type; /* text; place in `types` or -1 */
	uint64_t *ids;                    /* owned: of the newest sample */
	size_t nids, ids_cap;
	int64_t *values; /* owned: likewise */
	size_t nvalues, values_cap;
	bool *is_comment;    /* owned: by text, whether it was met as one */
	struct buf comments; /* so far, a line each */
	size_t ncomments;
	uint64_t nsamples;
	uint64_t offset; /* of the newest sample */
	uint64_t end;    /* where the file could not be read on; of a whole one its end */
};

/*
 * What units are called, and what a value of them is to the sink: as pprof's own tool reads
 * them, whatever the case, in the singular and the plural.  Of hours and terabytes, which it
 * knows, too, the values are counts.
 */
static const struct {
	const char *name; /* without the s of a plural */
	enum sample_unit unit;
	int64_t scale;
} units[] = {
	{ "nanosecond", SAMPLE_NS, 1 },
	{ "ns", SAMPLE_NS, 1 },
	{ "microsecond", SAMPLE_NS, 1000 },
	{ "us", SAMPLE_NS, 1000 },
	{ "\xce\xbcs", SAMPLE_NS, 1000 },
	{ "\xc2\xb5s", SAMPLE_NS, 1000 },
	{ "millisecond", SAMPLE_NS, 1000000 },
	{ "ms", SAMPLE_NS, 1000000 },
	{ "second", SAMPLE_NS, 1000000000 },
	{ "sec", SAMPLE_NS, 1000000000 },
	{ "s", SAMPLE_NS, 1000000000 },
	{ "byte", SAMPLE_BYTES, 1 },
	{ "b", SAMPLE_BYTES, 1 },
	{ "kilobyte", SAMPLE_BYTES, 1024 },
	{ "kbyte", SAMPLE_BYTES, 1024 },
	{ "kb", SAMPLE_BYTES, 1024 },
	{ "megabyte", SAMPLE_BYTES, 1048576 },
	{ "mbyte", SAMPLE_BYTES, 1048576 },
	{ "mb", SAMPLE_BYTES, 1048576 },
	{ "gigabyte", SAMPLE_BYTES, 1073741824 },
	{ "gbyte", SAMPLE_BYTES, 1073741824 },
	{ "gb", SAMPLE_BYTES, 1073741824 },
};

/* What types are called that are of a mode. */
static const struct {
	const char *type, *mode;
} modes[] = {
	{ "cpu", "cpu" },
	{ "wall", "wall" },
	{ "gil", "gil" },
	{ "alloc_objects", "allocation" },
	{ "alloc_space", "allocation" },
	{ "inuse_objects", "allocation" },
	{ "inuse_space", "allocation" },
	{ "objects", "allocation" },
	{ "space", "allocation" },
};

static void take_type(struct pprof *p, struct str message)
{
	if (p->ntypes < TYPES_MAX)
		p->types[p->ntypes] =
			(struct type){ .type = (int64_t)pprof_number(message, VALUE_TYPE),
				       .unit = (int64_t)pprof_number(message, VALUE_UNIT),
				       .scale = 1 };
	p->ntypes += p->ntypes <= TYPES_MAX;
}

static int take_field(struct pprof *p, const struct proto_field *f, struct err *err)
{
	if (f->number == PPROF_DEFAULT_SAMPLE_TYPE && f->wire == PROTO_VARINT)
		p->default_type = (int64_t)f->value;
	else if (f->number == PPROF_SAMPLE_TYPE && pprof_is_message(f))
		take_type(p, f->bytes);
	else
		return pprof_tables_take(&p->tables, f, err);
	return 0;
}

/* All tables, up to the end or to what cannot be read. */
static int read_tables(struct pprof *p, struct err *err)
{
	struct proto m = proto_of(p->file);
	struct proto_field f;

	for (size_t i = 0; proto_next(&m, &f) > 0; i++) {
		spill_tick(p->tables.spill, i);
		if (take_field(p, &f, err) < 0)
			return -1;
	}
	p->end = (uint64_t)(m.p - (const uint8_t *)p->file.p);
	return pprof_tables_sort(&p->tables, err);
}

static const char *mode_of(struct str type)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (str_is(type, modes[i].type))
			return modes[i].mode;
	return NULL;
}

/* Is a unit of the file the one of that name? */
static bool is_unit(struct str text, const char *name)
{
	size_t n = strlen(name);

	if (text.n == n + 1 && n > 1 && (text.p[n] | 0x20) == 's')
		text.n = n;
	if (text.n != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		char c = text.p[i];
		if ((c >= 'A' && c <= 'Z' ? c | 0x20 : c) != name[i])
			return false;
	}
	return true;
}

/* As pprof has it: the texts are compared, and the last one is shown if none is equal. */
static size_t default_type(const struct pprof *p)
{
	const struct pprof_tables *t = &p->tables;
	uint64_t wanted = (uint64_t)p->default_type;

	for (size_t i = 0; i < p->ntypes && wanted > 0 && wanted < t->ntexts; i++) {
		uint64_t type = (uint64_t)p->types[i].type;
		if (type < t->ntexts && str_equal(t->texts[type], t->texts[wanted]))
			return i;
	}
	return p->ntypes - 1;
}

static int make_series(struct pprof *p, size_t at, struct err *err)
{
	struct type *type = &p->types[at];
	struct str name = pprof_text(&p->tables, (uint64_t)type->type);
	struct str unit = pprof_text(&p->tables, (uint64_t)type->unit);
	struct series_fact fact = { .mode = mode_of(name),
				    .unit = SAMPLE_COUNT,
				    .is_default = at == default_type(p),
				    .start_at = NUMBER_NONE,
				    .end_at = NUMBER_NONE };

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (is_unit(unit, units[i].name)) {
			fact.unit = units[i].unit;
			type->scale = units[i].scale;
		}
	if (str_is(name, "samples") && fact.unit == SAMPLE_COUNT && p->count_type < 0)
		p->count_type = (int64_t)at;
	if (stacks_name(&p->stacks, name, 0, &fact.name, err) < 0)
		return -1;
	fact.measure = fact.name;
	type->series = p->stacks.sink->series(p->stacks.sink, SAMPLE_NONE, &fact);
	return 0;
}

/* Numbers of a repeated field, packed or one by one. */
static bool take_numbers(const struct proto_field *f, struct pprof *p, bool are_ids)
{
	struct spill *spill = p->tables.spill;
	struct proto m = proto_of(f->bytes);
	uint64_t value = f->value;

	if (f->wire != PROTO_VARINT && !pprof_is_message(f))
		return false;
	do {
		if (pprof_is_message(f) && (m.p == m.end || !proto_varint(&m, &value)))
			return m.p == m.end;
		if (are_ids)
			*SPILLED_PUSH(spill, p->ids, p->nids, p->ids_cap) = value;
		else
			*SPILLED_PUSH(spill, p->values, p->nvalues, p->values_cap) =
				(int64_t)value;
	} while (pprof_is_message(f));
	return true;
}

/* Labels that say who was sampled; others are not kept. */
static int take_label(struct pprof *p, struct str label, struct sample_thread_fact *who,
		      bool *is_told, struct err *err)
{
	struct str key = pprof_text(&p->tables, pprof_number(label, LABEL_KEY));
	uint64_t place = pprof_number(label, LABEL_TEXT);
	struct str text = pprof_text(&p->tables, place);
	int64_t number = (int64_t)pprof_number(label, LABEL_NUMBER);

	bool is_name = str_is(key, "thread") || str_is(key, "thread_name") ||
		       str_is(key, "thread name");
	bool is_tid = str_is(key, "thread_id") || str_is(key, "thread id") ||
		      str_is(key, "tid");
	if (is_name && text.n) {
		*is_told = true;
		if (text.n > SPELT_PART) /* each thread has it in the store */
			return stacks_name(&p->stacks, text, p->offset, &who->thread,
					   err);
		return pprof_text_number(&p->tables, place, p->offset, &who->thread, err);
	}
	if (is_tid || (is_name && !text.n))
		who->tid = number;
	else if (str_is(key, "pid") || str_is(key, "process_id"))
		who->pid = number;
	else
		return 0;
	*is_told = true;
	return 0;
}

/* The sample's stack, from the outermost frame on. */
static int find_stack(struct pprof *p, uint32_t *stack, struct err *err)
{
	*stack = SAMPLE_NONE;
	for (size_t i = p->nids; i-- > 0;)
		if (pprof_push(&p->tables, p->ids[i], p->offset, stack, err) < 0)
			return -1;
	return 0;
}

static int add_value(struct pprof *p, size_t at, uint32_t thread, uint32_t stack,
		     struct err *err)
{
	const struct type *type = &p->types[at];
	struct sample_fact sample = { .series = type->series,
				      .thread = thread,
				      .stack = stack,
				      .samples = NUMBER_NONE,
				      .ts_ns = NUMBER_NONE,
				      .offset = p->offset };

	if (p->values[at] == 0)
		return 0;
	if (p->count_type >= 0 && p->values[p->count_type] >= 0)
		sample.samples = p->values[p->count_type];
	if (p->values[at] < 0 ||
	    __builtin_mul_overflow(p->values[at], type->scale, &sample.weight))
		return stacks_tell(&p->stacks, FINDING_WEIGHT_RANGE, p->offset,
				   STR_LIT(""), err);
	return p->stacks.sink->sample(p->stacks.sink, &sample, err);
}

static int read_sample(struct pprof *p, struct str message, struct err *err)
{
	struct sample_thread_fact who = { NUMBER_NONE, NUMBER_NONE, TEXT_NONE,
					  TEXT_NONE };
	struct proto m = proto_of(message);
	struct proto_field f;
	bool is_told = false, is_whole = true;
	uint32_t stack;

	p->nids = p->nvalues = 0;
	while (proto_next(&m, &f) > 0) {
		if (f.number == SAMPLE_LOCATION || f.number == SAMPLE_VALUE)
			is_whole &= take_numbers(&f, p, f.number == SAMPLE_LOCATION);
		else if (f.number == SAMPLE_LABEL && pprof_is_message(&f) &&
			 take_label(p, f.bytes, &who, &is_told, err) < 0)
			return -1;
	}
	if (m.p != m.end || !is_whole || p->nvalues != p->ntypes)
		return err_at(err, p->offset,
			      "a sample has %zu values for %zu sample types", p->nvalues,
			      p->ntypes);
	p->nsamples++;
	if (find_stack(p, &stack, err) < 0)
		return -1;
	uint32_t thread = is_told ? p->stacks.sink->sample_thread(p->stacks.sink, &who)
				  : SAMPLE_NONE;
	for (size_t i = 0; i < p->ntypes; i++)
		if (add_value(p, i, thread, stack, err) < 0)
			return -1;
	return 0;
}

/* The file has each text once, however often it is referred to. */
static void add_comment(struct pprof *p, uint64_t place)
{
	struct str text = pprof_text(&p->tables, place);

	if (place >= p->tables.ntexts || p->is_comment[place])
		return;
	p->is_comment[place] = true;
	if (json_bad_utf8(text))
		return;
	if (p->ncomments++)
		buf_add_char(&p->comments, '\n');
	buf_add_str(&p->comments, text);
}

static void add_comments(struct pprof *p, const struct proto_field *f)
{
	struct proto m = proto_of(f->bytes);
	uint64_t place;

	if (f->wire == PROTO_VARINT)
		add_comment(p, f->value);
	while (pprof_is_message(f) && m.p != m.end && proto_varint(&m, &place))
		add_comment(p, place);
}

/* A line each, as pprof -comments prints them. */
static void tell_comments(struct pprof *p)
{
	if (p->ncomments)
		tell_text(p->stacks.sink, STR_LIT("comment"), buf_str(&p->comments));
}

static void keep_number(struct pprof *p, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	p->stacks.sink->metadata(p->stacks.sink, str_of(key), str_of(text));
}

/* Samples, and what is known of the whole. */
static int read_samples(struct pprof *p, struct input *in, struct err *err)
{
	struct sink *sink = p->stacks.sink;
	struct proto m = proto_of(p->file);
	struct proto_field f;

	while ((p->offset = (uint64_t)(m.p - (const uint8_t *)p->file.p)),
	       proto_next(&m, &f) > 0) {
		if (f.number == PPROF_SAMPLE && pprof_is_message(&f)) {
			if (read_sample(p, f.bytes, err) < 0 ||
			    (p->nsamples % 4096 == 0 &&
			     sink->tick(sink, input_consumed(in), input_size(in), err) <
				     0))
				return -1;
		} else if (f.number == PPROF_COMMENT) {
			add_comments(p, &f);
		} else if (f.number == PPROF_TIME_NANOS && f.wire == PROTO_VARINT) {
			keep_number(p, "time_nanos", f.value);
		} else if (f.number == PPROF_DURATION_NANOS && f.wire == PROTO_VARINT) {
			keep_number(p, "duration_nanos", f.value);
		}
	}
	tell_comments(p);
	return 0;
}

/* What a file must have to be understood: what it was cut off before is told. */
static int check(struct pprof *p, struct input *in, struct err *err)
{
	const char *damage = input_damage(in);
	bool is_cut = p->end < p->file.n || damage;

	if (p->ntypes == 0)
		return err_at(err, 0, "the profile of pprof has no sample type");
	if (p->ntypes > TYPES_MAX)
		return err_at(err, 0,
			      "the profile of pprof has more than %d sample types",
			      TYPES_MAX);
	if (p->tables.ntexts == 0)
		return err_at(err, p->end,
			      "the file ends before its string table: names are lost");
	if (pprof_text(&p->tables, 0).n)
		return err_at(err, 0, "the first string of the table is not empty");
	if (!is_cut)
		return 0;
	return stacks_tell(&p->stacks, damage ? FINDING_COMPRESSION : FINDING_TRUNCATED,
			   p->end, damage ? str_of(damage) : STR_LIT(""), err);
}

static int read_all(struct pprof *p, struct input *in, struct err *err)
{
	if (read_tables(p, err) < 0 || check(p, in, err) < 0)
		return -1;
	p->is_comment =
		spill_alloc(p->tables.spill, p->tables.ntexts, sizeof(*p->is_comment));
	for (size_t i = 0; i < p->ntypes; i++)
		if (make_series(p, i, err) < 0)
			return -1;
	if (read_samples(p, in, err) < 0)
		return -1;
	if (p->tables.nlost)
		return err_at(err, p->end,
			      "%llu references to locations, functions or strings have "
			      "no target%s",
			      (unsigned long long)p->tables.nlost,
			      p->end < p->file.n ? ": the file is cut off or damaged"
						 : "");
	if (p->nsamples == 0)
		return err_at(err, p->end, "the profile has no sample");
	stacks_end(&p->stacks, "pprof");
	return 0;
}

static int pprof_read(struct input *in, const struct read_options *options,
		      struct sink *sink, struct err *err)
{
	struct pprof p = { .count_type = -1 };
	struct bytes bytes;

	if (input_whole(in, "a profile", &bytes, err) < 0)
		return -1;
	p.file = (struct str){ (const char *)bytes.p, bytes.n };
	stacks_init(&p.stacks, sink, options);
	pprof_tables_init(&p.tables, &p.stacks, p.file);
	buf_init(&p.comments, SIZE_MAX);
	int rc = read_all(&p, in, err);
	pprof_tables_release(&p.tables);
	stacks_release(&p.stacks);
	spill_free(options->spill, p.ids);
	spill_free(options->spill, p.values);
	spill_free(options->spill, p.is_comment);
	buf_release(&p.comments);
	return rc;
}

/* A sample type is two small numbers and nothing else. */
static bool is_type(struct str message)
{
	struct proto m = proto_of(message);
	struct proto_field f;
	int rc, n = 0;

	while ((rc = proto_next(&m, &f)) > 0 && ++n <= 2)
		if (f.wire != PROTO_VARINT || f.number > VALUE_UNIT)
			return false;
	return rc == 0 && n > 0;
}

/*
 * Writers begin with the sample types.  What else is of this wire format (traces of
 * Perfetto, XSpace of XLA) has other messages there.
 */
static enum probe pprof_probe(struct bytes head)
{
	struct proto m = { head.p, head.p + head.n };
	struct proto_field f;
	int ntypes = 0;

	for (int i = 0; i < PROBE_TYPES && proto_next(&m, &f) > 0; i++) {
		if (f.number > PPROF_LAST_FIELD)
			return PROBE_NO;
		if (f.number == PPROF_SAMPLE_TYPE) {
			if (!pprof_is_message(&f) || !is_type(f.bytes))
				return PROBE_NO;
			ntypes++;
		}
	}
	return ntypes ? PROBE_LIKELY : PROBE_NO;
}

const struct reader pprof_reader = {
	.name = "pprof",
	.help = "profile.proto of pprof",
	.probe = pprof_probe,
	.read = pprof_read,
};
