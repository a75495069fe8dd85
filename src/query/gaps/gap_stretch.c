/* A stretch of a gap: see gap_stretch.h. */
#include "query/gaps/gap_stretch.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/sum.h"
#include "base/utf8.h"
#include "query/query.h"
#include "query/short_name.h"
#include "trace/fact.h"

int gap_stretch_blame(const struct gap_profile *p, struct gap_reader *reader,
		      const struct gap_stretch *s, struct gap_row *out, struct err *err)
{
	struct gap_sums sums = { .n = 0 }, totals = { .n = 0 };
	struct gap_amount amount;
	struct gap_row *rows;
	int rc = 0;

	gap_reader_seek(reader, &p->blame.gaps.items[s->gap], s->start_ns, s->end_ns);
	while (rc >= 0 && gap_reader_next(reader, &amount)) {
		rc = gap_profile_wants_blamed(p, amount.blamed, err);
		if (rc <= 0)
			continue;
		struct gap_sum of = { .blamed = amount.blamed, .cause = amount.cause };
		gap_sums_add(&sums, &of, s->gap, amount.ns, false);
		of = (struct gap_sum){ .blamed = TEXT_NONE };
		gap_sums_add(&totals, &of, s->gap, amount.ns, false);
	}
	size_t n = gap_rows_make(&sums, &totals, p->texts, GAP_LARGEST, &rows);
	if (n)
		*out = rows[0];
	free(rows);
	gap_sums_release(&sums);
	gap_sums_release(&totals);
	return rc < 0 ? -1 : n > 0;
}

bool gap_stretch_longest(const struct gap_profile *p, struct gap_reader *reader,
			 const struct gap_stretch *s, const struct gap_sum *of,
			 struct gap_amount *out)
{
	struct gap_amount amount;

	out->longest_ns = 0;
	gap_reader_seek(reader, &p->blame.gaps.items[s->gap], s->start_ns, s->end_ns);
	while (gap_reader_next(reader, &amount)) {
		if (amount.cause != of->cause || amount.blamed != of->blamed ||
		    amount.longest_ns < out->longest_ns)
			continue;
		if (amount.longest_ns > out->longest_ns ||
		    amount.of->start_ns < out->of->start_ns)
			*out = amount;
	}
	return out->longest_ns > 0;
}

size_t gap_stretch_step(const struct gap_profile *p, const struct gap_stretch *s)
{
	int64_t from_ns = s->start_ns, most_ns = 0;
	size_t step = GAP_NO_STEP;
	struct gap_part part;

	while (gap_range_next(&p->range, &from_ns, s->end_ns, &part)) {
		if (part.end_ns - part.start_ns <= most_ns)
			continue;
		most_ns = part.end_ns - part.start_ns;
		step = part.step;
	}
	return step;
}

#define CHAIN_SHOWN 240 /* bytes of a chain that there is room for */
#define NAME_CELLS  60  /* of a name */

static void add_name(struct buf *note, const char *lead, struct str name)
{
	if (!name.n)
		return;
	buf_add_text(note, lead);
	short_name_add(note, name, NAME_CELLS);
}

/* The end of a long chain is what counts: the innermost. */
static void add_chain(struct buf *note, struct str chain)
{
	static const char link[] = " > ";
	size_t from = chain.n > CHAIN_SHOWN ? chain.n - CHAIN_SHOWN : 0;

	buf_add_text(note, from ? "; ..." : "; ");
	if (from) {
		const char *next = memmem(chain.p + from, chain.n - from, link, 3);
		if (!next) { /* the last name alone is longer */
			while (from > 0 && memcmp(chain.p + from - 1, link, 3) != 0)
				from--;
			from = from ? from + 2 : 0;
			add_name(note, link,
				 (struct str){ chain.p + from, chain.n - from });
			return;
		}
		from = (size_t)(next - chain.p);
	}
	short_name_add(note, (struct str){ chain.p + from, chain.n - from }, SIZE_MAX);
}

/* Is it a name that is in the note already? */
static bool is_named(const struct gap_around *a)
{
	return str_equal(a->chain, a->before) || str_equal(a->chain, a->after) ||
	       str_equal(a->chain, a->own_frame);
}

void gap_around_note(struct memtable *out, const struct gap_around *around)
{
	struct buf note;

	buf_init(&note, SIZE_MAX);
	buf_add_str(&note, around->time);
	if (!around->before.n) {
		add_name(&note, ": before the first work, ", around->after);
	} else if (!around->after.n) {
		add_name(&note, ": after the last work, ", around->before);
	} else {
		add_name(&note, ": after ", around->before);
		add_name(&note, ", before ", around->after);
	}
	add_name(&note, ", launched by ", around->launch);
	add_name(&note, "; in ", around->own_frame);
	if (around->chain.n && !is_named(around))
		add_chain(&note, around->chain);
	add_name(&note, "; the queue was emptied by ", around->root);
	memtable_add_note(out, STR_FMT, STR_ARG(buf_str(&note)));
	buf_release(&note);
}

#define TIME_TEXT_MAX 32
#define FINE          10 /* the least part of a stretch that is shown */

void gap_times_see(struct gap_times *t, int64_t start_ns, int64_t end_ns)
{
	int64_t ns = sum_sub(end_ns, start_ns);

	if (end_ns > t->last_ns)
		t->last_ns = end_ns;
	if (t->shortest_ns == 0 || ns < t->shortest_ns)
		t->shortest_ns = ns;
}

/* What a column is written in: the last decimal is step_ns. */
struct precision {
	const char *label;
	int64_t unit_ns, step_ns;
	int decimals;
};

static struct precision precision_of(const struct gap_times *t)
{
	struct precision p = { "ms", 1000000, 1000, 3 };

	if (t->last_ns < p.unit_ns)
		return (struct precision){ "us", 1000, 1, 3 };
	for (; p.step_ns > 1 && p.step_ns > t->shortest_ns / FINE; p.step_ns /= 10)
		p.decimals++;
	return p;
}

static void write_time(const struct precision *p, int64_t ns, char out[TIME_TEXT_MAX])
{
	snprintf(out, TIME_TEXT_MAX, "%" PRId64 ".%0*" PRId64 "%s", ns / p->unit_ns,
		 p->decimals, ns % p->unit_ns / p->step_ns, p->label);
}

const char *gap_times_text(const struct gap_times *t, struct arena *arena,
			   int64_t start_ns, int64_t end_ns)
{
	const struct precision p = precision_of(t);
	char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX];
	int64_t over_ns = end_ns % p.step_ns;

	if (t->shortest_ns == 0 || start_ns < 0 || end_ns > INT64_MAX - p.step_ns)
		return arena_printf(arena, "%" PRId64 "ns..%" PRId64 "ns", start_ns,
				    end_ns);
	write_time(&p, start_ns, from);
	write_time(&p, end_ns + (over_ns ? p.step_ns - over_ns : 0), to);
	return arena_printf(arena, "%s..%s", from, to);
}

#define LINE_MAX_BYTES ((size_t)1 << 20)

int gap_chain_open(struct store *store, struct text_pool *texts, struct gap_chain *out,
		   struct err *err)
{
	*out = (struct gap_chain){ .texts = texts };
	buf_init(&out->line, LINE_MAX_BYTES);
	return slices_around_open(store, &out->around, err);
}

void gap_chain_close(struct gap_chain *c)
{
	slices_around_close(&c->around);
	free(c->is_own);
	buf_release(&c->line);
	*c = (struct gap_chain){ .texts = NULL };
}

/* Parts of paths that are not the user's: of packages, of Python, of nobody. */
bool gap_frame_is_own(struct str name)
{
	static const char *const foreign[] = { "site-packages/", "dist-packages/",
					       "lib/python",     "multiprocessing/",
					       "concurrent/",    "importlib",
					       "torchinductor_", "/triton/" };
	static const char *const heads[] = { "<",
					     "torch/",
					     "nn.Module:",
					     "threading.py(",
					     "contextlib.py(",
					     "runpy.py(",
					     "functools.py(",
					     "enum.py(",
					     "typing.py(",
					     "transformers/",
					     "triton/",
					     "lightning/",
					     "numpy/",
					     "accelerate/",
					     "torchvision/" };

	if (!str_contains(name, STR_LIT(".py(")))
		return false;
	for (size_t i = 0; i < sizeof(foreign) / sizeof(*foreign); i++)
		if (str_contains(name, str_of(foreign[i])))
			return false;
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		if (str_starts_with(name, str_of(heads[i])))
			return false;
	return true;
}

/* Each name is judged once. */
static bool is_own(struct gap_chain *c, const struct slice_around *slice)
{
	if (slice->class != CLASS_PYTHON || slice->name == TEXT_NONE)
		return false;
	uint8_t *own = ARRAY_AT(c->is_own, c->is_own_cap, (size_t)slice->name);
	if (!*own)
		*own = 1 + gap_frame_is_own(text_pool_str(c->texts, slice->name));
	return *own > 1;
}

int gap_chain_text(struct gap_chain *c, int64_t slice_id, struct str *out, uint32_t *own,
		   struct err *err)
{
	uint32_t names[GAP_CHAIN_MAX], place;
	size_t n = 0, far = 0, at = 0;

	*own = TEXT_NONE;
	buf_clear(&c->line);
	if (slice_id > 0) {
		if (slices_around_find(&c->around, c->texts, slice_id, &place, err) < 0)
			return -1;
		at = (size_t)place + 1;
	}
	for (; at && far < GAP_CHAIN_FAR && (far < GAP_CHAIN_MAX || *own == TEXT_NONE);
	     far++) {
		const struct slice_around *slice = &c->around.items[at - 1];
		if (n < GAP_CHAIN_MAX)
			names[n++] = slice->name;
		if (*own == TEXT_NONE && is_own(c, slice))
			*own = slice->name;
		at = slice->outer;
	}
	if (at || far > n)
		buf_add_text(&c->line, "... > ");
	while (n-- > 0) {
		struct str name = text_pool_str(c->texts, names[n]);
		buf_add_str(&c->line,
			    utf8_cut(name, n ? GAP_LINK_BYTES : GAP_LAST_BYTES));
		if (n)
			buf_add_text(&c->line, " > ");
	}
	*out = buf_str(&c->line);
	return 0;
}
