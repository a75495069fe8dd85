/*
 * Kernels as a summary (query/summary/summary.h): the rows of kernel_part from a profile's
 * device work, and what they say in place of it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/buf.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/kernels/kernels_gather.h"
#include "query/query.h"
#include "store/columns.h"

/* What tells rows apart; compared as bytes, so there is no padding. */
struct part_key {
	double blocks_per_sm, occupancy_pct; /* negative: not recorded */
	uint32_t stream;                     /* place in the work's */
	uint32_t name, class, unused;
};

struct part {
	struct part_key key;
	int64_t calls, total_ns;
	size_t end; /* of its durations */
};

struct parting {
	struct intern keys;
	struct part *items; /* owned; by key */
	size_t n, cap;
	struct duration *durations; /* owned; of each piece of work */
	size_t ndurations;
};

static void add_item(struct parting *p, const struct work_item *item,
		     const struct kernel_detail *detail)
{
	const struct part_key key = { detail ? detail->blocks_per_sm : -1,
				      detail ? detail->occupancy_pct : -1,
				      item->stream,
				      item->name,
				      item->class,
				      0 };
	int64_t dur_ns = sum_sub(item->end_ns, item->start_ns);
	uint32_t at = intern_add(&p->keys, str_bytes(&key, sizeof(key)));

	if (at == p->n)
		*ARRAY_PUSH(p->items, p->n, p->cap) = (struct part){ .key = key };
	p->items[at].calls++;
	p->items[at].total_ns = sum_add(p->items[at].total_ns, dur_ns);
	p->durations[p->ndurations++] = (struct duration){ dur_ns, at };
}

/* Durations of each row after the other, ascending; the first of all stays. */
static int64_t *sorted_durations(struct parting *p)
{
	int64_t *out = xrealloc_array(NULL, p->ndurations + 1, sizeof(*out));
	size_t end = 0;

	SORT_BY(p->durations, p->ndurations, ns);
	for (size_t i = 0; i < p->n; i++) {
		p->items[i].end = end;
		end += (size_t)p->items[i].calls;
	}
	for (size_t i = 0; i < p->ndurations; i++)
		out[p->items[p->durations[i].group].end++] = p->durations[i].ns;
	return out;
}

/* Each duration once: the distance from the one before, and its calls. */
static void pack(const int64_t *ns, size_t n, struct buf *to)
{
	int64_t before = 0;

	buf_clear(to);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && ns[end] == ns[i]; end++)
			;
		buf_add_varint(to, (uint64_t)(ns[i] - before));
		buf_add_varint(to, end - i);
		before = ns[i];
	}
}

static struct cell rate_cell(double rate)
{
	return rate >= 0 ? cell_real(rate) : cell_null();
}

static void add_rows(struct parting *p, const struct device_work *work,
		     const struct text_pool *texts, struct part_rows *out)
{
	int64_t *sorted = sorted_durations(p);
	struct buf packed;

	buf_init(&packed, SIZE_MAX);
	for (size_t i = 0; i < p->n; i++) {
		const struct part *part = &p->items[i];
		const struct work_stream *stream = &work->streams[part->key.stream];
		const int64_t *ns = sorted + (part->end - (size_t)part->calls);
		struct cell *c = part_rows_add(out);
		if (!c)
			break;
		pack(ns, (size_t)part->calls, &packed);
		c[COL_KERNEL_PART_DEVICE] =
			number_cell(work->devices[stream->device].device);
		c[COL_KERNEL_PART_STREAM] = number_cell(stream->stream);
		c[COL_KERNEL_PART_CLASS] = cell_int(part->key.class);
		c[COL_KERNEL_PART_NAME_ID] = text_pool_cell(texts, part->key.name);
		c[COL_KERNEL_PART_BLOCKS_PER_SM] = rate_cell(part->key.blocks_per_sm);
		c[COL_KERNEL_PART_OCCUPANCY_PCT] = rate_cell(part->key.occupancy_pct);
		c[COL_KERNEL_PART_CALLS] = cell_int(part->calls);
		c[COL_KERNEL_PART_TOTAL_NS] = cell_int(part->total_ns);
		c[COL_KERNEL_PART_MIN_NS] = cell_int(ns[0]);
		c[COL_KERNEL_PART_MAX_NS] = cell_int(ns[part->calls - 1]);
		c[COL_KERNEL_PART_DURATIONS] = part_rows_bytes(out, buf_str(&packed));
	}
	buf_release(&packed);
	free(sorted);
}

static int make(struct summary_source *from, struct part_rows *out, struct err *err)
{
	const struct device_work *work = summary_work(from, err);
	struct kernel_details *details = work ? summary_kernel_details(from, err) : NULL;
	struct parting p = { .n = 0 };

	if (!details)
		return -1;
	intern_init(&p.keys);
	p.durations = xrealloc_array(NULL, work->n + 1, sizeof(*p.durations));
	for (size_t i = 0; i < work->n; i++)
		add_item(&p, &work->items[i],
			 kernel_details_of(details, work->items[i].slice_id));
	add_rows(&p, work, from->texts, out);
	intern_release(&p.keys);
	free(p.items);
	free(p.durations);
	return 0;
}

const struct summary summary_kernels = { PART_TABLE(KERNEL_PART, kernel_part), make };

/* Rows tell neither steps nor times, neither shapes nor launches. */
static bool is_answered(const struct gathering *g)
{
	const struct filter *f = g->query->filter;

	return !f->has_steps && !f->has_times && !f->has_min_dur &&
	       !kernels_asked(g, KERNELS_BY_OP | KERNELS_LAUNCHES |
					 KERNELS_BY(KERNEL_BY_STEP));
}

static bool is_sound(const struct cell *c)
{
	int64_t calls = part_int(c[COL_KERNEL_PART_CALLS], 0);
	struct cell durations = c[COL_KERNEL_PART_DURATIONS];

	return part_int(c[COL_KERNEL_PART_TOTAL_NS], -1) >= 0 &&
	       durations.type == CELL_TEXT &&
	       kernels_durations_fit(durations.as.text, calls,
				     part_int(c[COL_KERNEL_PART_MIN_NS], -1),
				     part_int(c[COL_KERNEL_PART_MAX_NS], -1));
}

static struct kernel_key key_of(const struct gathering *g, const struct cell *c,
				uint32_t name)
{
	const struct scope_profile *profile = g->profile;
	int64_t split[NKERNEL_SPLITS] = {
		[KERNEL_BY_RANK] = profile->has_rank ? profile->rank : NUMBER_NONE,
		[KERNEL_BY_PROFILE] = profile->id,
		[KERNEL_BY_DEVICE] = part_int(c[COL_KERNEL_PART_DEVICE], NUMBER_NONE),
		[KERNEL_BY_STREAM] = part_int(c[COL_KERNEL_PART_STREAM], NUMBER_NONE),
		[KERNEL_BY_STEP] = NUMBER_NONE,
	};
	struct kernel_key key = { .name = name, .op = TEXT_NONE, .shape = TEXT_NONE };

	memcpy(&split[KERNEL_BY_AXES], profile->axes.at, sizeof(profile->axes.at));
	for (int i = 0; i < NKERNEL_SPLITS; i++)
		key.split[i] = kernels_asked(g, KERNELS_BY(i)) ? split[i] : NUMBER_NONE;
	return key;
}

static double rate_of(struct cell cell)
{
	return cell.type == CELL_REAL ? cell.as.real : -1;
}

static void add_sums(struct gathering *g, struct kernel_group *group,
		     const struct cell *c)
{
	int64_t total_ns = c[COL_KERNEL_PART_TOTAL_NS].as.integer;
	int64_t min_ns = c[COL_KERNEL_PART_MIN_NS].as.integer;
	int64_t max_ns = c[COL_KERNEL_PART_MAX_NS].as.integer;

	group->calls = sum_add(group->calls, c[COL_KERNEL_PART_CALLS].as.integer);
	group->total_ns = sum_add(group->total_ns, total_ns);
	if (min_ns < group->min_ns)
		group->min_ns = min_ns;
	if (max_ns > group->max_ns)
		group->max_ns = max_ns;
	kernel_mean_add(&group->blocks, rate_of(c[COL_KERNEL_PART_BLOCKS_PER_SM]),
			total_ns);
	kernel_mean_add(&group->occupancy, rate_of(c[COL_KERNEL_PART_OCCUPANCY_PCT]),
			total_ns);
	if (g->query->sums_only)
		return;
	*ARRAY_PUSH(g->packed, g->npacked, g->packed_cap) = (struct packed_durations){
		arena_copy(&g->out->arena, c[COL_KERNEL_PART_DURATIONS].as.text),
		(uint32_t)(group - g->out->groups),
	};
}

static int add_part(struct gathering *g, const struct cell *c, struct err *err)
{
	struct cell text = c[COL_KERNEL_PART_NAME_ID];
	int64_t class = part_int(c[COL_KERNEL_PART_CLASS], CLASS_NONE);

	if (!is_sound(c))
		return summary_damaged(&summary_kernels, err);
	if (!kernels_shows(g, (int)class))
		return 0;
	g->has_work = true;
	uint32_t name = text.type == CELL_TEXT
				? intern_add(&g->out->texts.intern, text.as.text)
				: TEXT_NONE;
	const struct work_piece piece = {
		.name = name,
		.device = part_int(c[COL_KERNEL_PART_DEVICE], NUMBER_NONE),
		.stream = part_int(c[COL_KERNEL_PART_STREAM], NUMBER_NONE),
		.step = NUMBER_NONE,
	};
	int wanted = work_filter_wants(&g->wanted, &piece, err);
	if (wanted <= 0)
		return wanted;
	struct kernel_key key = key_of(g, c, name);
	enum work_kind kind = work_kind_of((enum slice_class) class,
					   text_pool_str(&g->out->texts, name));
	add_sums(g, kernels_add(g, &key, kind, c[COL_KERNEL_PART_TOTAL_NS].as.integer),
		 c);
	return 0;
}

int kernels_add_parts(struct gathering *g, struct summary_reader *reader, bool *is_there,
		      struct err *err)
{
	struct part_rows rows;

	*is_there = is_answered(g) && summary_has(reader, g->profile, &summary_kernels);
	if (!*is_there)
		return 0;
	int rc = summary_read(reader, g->profile, &summary_kernels, &rows, err);
	for (size_t i = 0; rc == 0 && i < rows.n; i++)
		rc = add_part(g, part_rows_at(&rows, i), err);
	part_rows_release(&rows);
	return rc;
}
