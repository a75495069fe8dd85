/* Sampled stacks in memory: see samples.h. */
#include "store/samples.h"

#include "base/hash.h"
#include "base/intern.h"
#include "base/sort.h"
#include "base/spill.h"
#include "base/sum.h"
#include "base/varint.h"

/* Of a sample that is kept: a tag and at most four numbers. */
#define PACKED_MAX ((size_t)5 * VARINT_MAX)

/* Bits of the tag, below the lane's difference. */
enum { TAG_TIME = 1, TAG_DECIMALS = 2, TAG_BITS = 2 };

void samples_init(struct samples *s, struct spill *spill)
{
	*s = (struct samples){ .spill = spill, .newest.ts_ns = NUMBER_NONE };
	uniques_init(&s->threads, sizeof(struct sample_thread_fact), spill);
	uniques_init(&s->lanes, sizeof(struct lane_rec), spill);
	slots_init(&s->node_slots, spill);
	slots_init(&s->sum_slots, spill);
}

void samples_release(struct samples *s)
{
	void *const owned[] = { s->series,   s->frames, s->nodes, s->sums,
				s->place_of, s->packed, s->rows,  s->sum_order };

	for (size_t i = 0; i < sizeof(owned) / sizeof(*owned); i++)
		spill_free(s->spill, owned[i]);
	uniques_release(&s->threads);
	uniques_release(&s->lanes);
	slots_release(&s->node_slots);
	slots_release(&s->sum_slots);
}

uint32_t samples_series(struct samples *s, uint32_t known,
			const struct series_fact *series)
{
	if (known == SAMPLE_NONE) {
		known = (uint32_t)s->nseries++;
		s->series = spill_grow(s->spill, s->series, &s->series_cap, s->nseries,
				       sizeof(*s->series));
		s->series[known] = (struct series_rec){ .samples = 0 };
	}
	s->series[known].fact = *series;
	return known;
}

uint32_t samples_thread(struct samples *s, const struct sample_thread_fact *thread)
{
	return uniques_add(&s->threads, thread);
}

uint32_t samples_frame(struct samples *s, uint32_t known, const struct frame_fact *frame)
{
	if (known == SAMPLE_NONE) {
		known = (uint32_t)s->nframes++;
		s->frames = spill_grow(s->spill, s->frames, &s->frames_cap, s->nframes,
				       sizeof(*s->frames));
		s->frames[known] = (struct frame_rec){ NUMBER_NONE, SAMPLE_NONE, known };
	}
	if (frame) {
		s->frames[known].line = frame->line;
		s->frames[known].function = frame->function;
	}
	return known;
}

static uint64_t pair_hash(uint32_t a, uint32_t b)
{
	return hash_u64((uint64_t)a << 32 | b);
}

uint32_t samples_stack(struct samples *s, uint32_t caller, uint32_t frame)
{
	uint64_t hash = pair_hash(caller, frame);
	size_t at;
	uint32_t node = slots_first(&s->node_slots, hash, &at);

	while (node != SLOT_FREE &&
	       (s->nodes[node].caller != caller || s->nodes[node].frame != frame))
		node = slots_next(&s->node_slots, hash, &at);
	if (node != SLOT_FREE)
		return node;
	node = (uint32_t)s->nnodes++;
	s->nodes = spill_grow(s->spill, s->nodes, &s->nodes_cap, s->nnodes,
			      sizeof(*s->nodes));
	s->nodes[node] = (struct node_rec){ caller, frame };
	s->place_of = spill_grow(s->spill, s->place_of, &s->place_of_cap, s->nnodes,
				 sizeof(*s->place_of));
	s->place_of[node] = SAMPLE_NONE;
	slots_add(&s->node_slots, hash, node);
	return node;
}

/* The sum of a lane and a stack, a new one where there is none. */
static struct sample_sum_rec *find_sum(struct samples *s, uint32_t lane, uint32_t node)
{
	uint32_t sum = node == SAMPLE_NONE ? SAMPLE_NONE : s->place_of[node];

	if (sum != SAMPLE_NONE && s->sums[sum].lane == lane)
		return &s->sums[sum];
	uint64_t hash = pair_hash(lane, node);
	size_t at;
	sum = slots_first(&s->sum_slots, hash, &at);
	while (sum != SLOT_FREE &&
	       (s->sums[sum].lane != lane || s->sums[sum].node != node))
		sum = slots_next(&s->sum_slots, hash, &at);
	if (sum == SLOT_FREE) {
		sum = (uint32_t)s->nsums++;
		s->sums = spill_grow(s->spill, s->sums, &s->sums_cap, s->nsums,
				     sizeof(*s->sums));
		s->sums[sum] = (struct sample_sum_rec){ .lane = lane, .node = node };
		slots_add(&s->sum_slots, hash, sum);
	}
	if (node != SAMPLE_NONE)
		s->place_of[node] = sum;
	return &s->sums[sum];
}

static int64_t power_of_ten(unsigned n)
{
	int64_t power = 1;

	while (n--)
		power *= 10;
	return power;
}

/*
 * More digits behind the point: every sum of the unit is multiplied, so that it stays
 * exact.  False, and nothing changed, where a series would have no room.
 */
static bool make_room(struct samples *s, unsigned decimals)
{
	int64_t factor = power_of_ten(decimals - s->decimals), ignored;

	if (s->too_many && decimals >= s->too_many)
		return false;
	s->too_many = decimals; /* unless all fit */
	for (size_t i = 0; i < s->nseries; i++)
		if (s->series[i].fact.unit == SAMPLE_COUNT &&
		    __builtin_mul_overflow(s->series[i].weight, factor, &ignored))
			return false;
	for (size_t i = 0; i < s->nsums; i++) {
		const struct lane_rec *lane = uniques_at(&s->lanes, s->sums[i].lane);
		if (s->series[lane->series].fact.unit == SAMPLE_COUNT &&
		    __builtin_mul_overflow(s->sums[i].weight, factor, &ignored))
			return false;
	}
	for (size_t i = 0; i < s->nseries; i++)
		if (s->series[i].fact.unit == SAMPLE_COUNT)
			s->series[i].weight *= factor;
	for (size_t i = 0; i < s->nsums; i++) {
		const struct lane_rec *lane = uniques_at(&s->lanes, s->sums[i].lane);
		if (s->series[lane->series].fact.unit == SAMPLE_COUNT)
			s->sums[i].weight *= factor;
	}
	s->decimals = decimals;
	s->too_many = 0;
	return true;
}

/* Half to even. */
static int64_t without_digits(int64_t weight, int64_t factor)
{
	int64_t whole = weight / factor, rest = weight % factor;
	int64_t twice = (rest < 0 ? -rest : rest) * 2;

	if (twice > factor || (twice == factor && whole % 2 != 0))
		whole += weight < 0 ? -1 : 1;
	return whole;
}

/* The weight in the decimals of all; sets *added when that is not what was said. */
static int64_t weight_of(struct samples *s, const struct sample_fact *sample,
			 enum samples_added *added)
{
	int64_t weight = sample->weight;

	*added = SAMPLES_ADDED;
	if (s->series[sample->series].fact.unit != SAMPLE_COUNT)
		return weight;
	if (sample->decimals > s->decimals && !make_room(s, sample->decimals)) {
		*added = SAMPLES_ROUNDED;
		return without_digits(weight,
				      power_of_ten(sample->decimals - s->decimals));
	}
	if (__builtin_mul_overflow(weight, power_of_ten(s->decimals - sample->decimals),
				   &weight))
		*added = SAMPLES_BEYOND;
	return weight;
}

/*
 * A sample behind the others: what differs from the one before it, the lowest bits
 * first: whether a time and whether other decimals follow, and the lane; the stack; the
 * weight; then those two.
 */
static void pack(struct samples *s, const struct kept_sample *kept)
{
	struct kept_sample *old = &s->newest;
	bool has_time = kept->ts_ns != NUMBER_NONE;
	bool has_decimals = kept->decimals != old->decimals;

	s->packed = spill_grow(s->spill, s->packed, &s->packed_cap,
			       s->npacked + PACKED_MAX, 1);
	uint8_t *p = s->packed + s->npacked;
	p = varint_put(p, zigzag_of((int64_t)kept->lane - old->lane) << TAG_BITS |
				  (has_time ? TAG_TIME : 0) |
				  (has_decimals ? TAG_DECIMALS : 0));
	p = varint_put(p, zigzag_of((int64_t)kept->node - old->node));
	p = varint_put(
		p, zigzag_of((int64_t)((uint64_t)kept->weight - (uint64_t)old->weight)));
	if (has_time)
		p = varint_put(p, zigzag_of((int64_t)((uint64_t)kept->ts_ns -
						      (uint64_t)old->ts_ns)));
	if (has_decimals)
		p = varint_put(p, kept->decimals);
	s->npacked = (size_t)(p - s->packed);
	s->nkept++;
	*old = *kept;
}

const struct kept_sample *samples_next(const struct samples *s, struct samples_cursor *c)
{
	const uint8_t *p = s->packed + c->at, *end = s->packed + s->npacked;
	struct kept_sample *kept = &c->newest;
	uint64_t tag, value;

	if (c->at == 0)
		*kept = (struct kept_sample){ .ts_ns = NUMBER_NONE };
	varint_get(&p, end, &tag);
	kept->lane = (uint32_t)(kept->lane + zigzag_value(tag >> TAG_BITS));
	varint_get(&p, end, &value);
	kept->node = (uint32_t)(kept->node + zigzag_value(value));
	varint_get(&p, end, &value);
	kept->weight = (int64_t)((uint64_t)kept->weight + (uint64_t)zigzag_value(value));
	if (tag & TAG_TIME)
		varint_get(&p, end, &value);
	kept->ts_ns =
		tag & TAG_TIME
			? (int64_t)((uint64_t)kept->ts_ns + (uint64_t)zigzag_value(value))
			: NUMBER_NONE;
	if (tag & TAG_DECIMALS) {
		varint_get(&p, end, &value);
		kept->decimals = (unsigned)value;
	}
	c->at = (size_t)(p - s->packed);
	return kept;
}

int64_t samples_weight(const struct samples *s, const struct kept_sample *sample)
{
	const struct lane_rec *lane = uniques_at(&s->lanes, sample->lane);

	if (s->series[lane->series].fact.unit != SAMPLE_COUNT)
		return sample->weight;
	if (sample->decimals > s->decimals)
		return without_digits(sample->weight,
				      power_of_ten(sample->decimals - s->decimals));
	int64_t weight;
	return __builtin_mul_overflow(sample->weight,
				      power_of_ten(s->decimals - sample->decimals),
				      &weight)
		       ? sum_add(INT64_MAX, sample->weight) /* among negative ones */
		       : weight;
}

/* Sums of what is not known are not known. */
static bool add_samples(int64_t *to, int64_t samples)
{
	if (*to == NUMBER_NONE || samples == NUMBER_NONE) {
		*to = NUMBER_NONE;
		return true;
	}
	return !__builtin_add_overflow(*to, samples, to) && *to != NUMBER_NONE;
}

enum samples_added samples_add(struct samples *s, const struct sample_fact *sample)
{
	struct series_rec *series = &s->series[sample->series];
	struct lane_rec key = { sample->series, sample->thread };
	enum samples_added added;
	int64_t weight = weight_of(s, sample, &added), all_weight = 0;
	int64_t samples = sample->samples, all_samples = series->samples;

	if (added == SAMPLES_BEYOND ||
	    __builtin_add_overflow(series->weight, weight, &all_weight) ||
	    !add_samples(&all_samples, samples))
		return SAMPLES_BEYOND;
	uint32_t lane = uniques_add(&s->lanes, &key);
	struct sample_sum_rec *sum = find_sum(s, lane, sample->stack), more = *sum;
	/* with negative weights a part can be more than the whole */
	if (__builtin_add_overflow(sum->weight, weight, &more.weight) ||
	    !add_samples(&more.samples, samples))
		return SAMPLES_BEYOND;
	*sum = more;
	series->weight = all_weight;
	series->samples = all_samples;
	if (series->fact.is_ordered) {
		if (series->kept++ == 0)
			series->first_kept = s->nkept;
		series->last_kept = s->nkept;
		pack(s, &(struct kept_sample){ .weight = sample->weight,
					       .ts_ns = sample->ts_ns,
					       .lane = lane,
					       .node = sample->stack,
					       .decimals = sample->decimals });
	}
	return added;
}

/* Which frames say the same.  False: each says something else, and stays. */
static bool find_equal_frames(struct samples *s)
{
	struct uniques known;
	bool leaves_out = false;
	struct {
		int64_t line;
		uint64_t function;
	} key;

	uniques_init(&known, sizeof(key), s->spill);
	uint32_t *first = spill_alloc(s->spill, s->nframes, sizeof(*first));
	for (uint32_t i = 0; i < s->nframes; i++) {
		key.line = s->frames[i].line;
		key.function = s->frames[i].function;
		leaves_out |= key.function == FRAME_LEFT_OUT;
		size_t before = known.n;
		uint32_t at = uniques_add(&known, &key);
		if (at == before)
			first[at] = i;
		s->frames[i].same = first[at];
	}
	bool has_equal = known.n < s->nframes || leaves_out;
	spill_free(s->spill, first);
	uniques_release(&known);
	return has_equal;
}

/* Nodes are stacks of other frames each: none are equal unless frames are. */
static void take_nodes_for_rows(struct samples *s)
{
	s->nrows = s->nnodes;
	for (uint32_t i = 0; i < s->nnodes; i++)
		s->rows[i] = s->place_of[i] = i;
}

static uint32_t row_of(const struct samples *s, uint32_t node)
{
	return node == SAMPLE_NONE ? SAMPLE_NONE : s->place_of[node];
}

/* Rows of the stacks, of which equal ones have one; those of frames left out have none. */
static void find_rows(struct samples *s)
{
	struct slots slots = s->node_slots;

	slots_release(&slots);
	for (uint32_t i = 0; i < s->nnodes; i++) {
		struct node_rec *node = &s->nodes[i];
		uint32_t frame = s->frames[node->frame].same;
		uint32_t place = row_of(s, node->caller);
		uint32_t caller = place == SAMPLE_NONE ? SAMPLE_NONE : s->rows[place];
		if (s->frames[frame].function == FRAME_LEFT_OUT) {
			s->place_of[i] = place;
			continue;
		}
		uint64_t hash = pair_hash(caller, frame);
		size_t at;
		uint32_t same = slots_first(&slots, hash, &at);
		while (same != SLOT_FREE &&
		       (s->nodes[same].caller != caller || s->nodes[same].frame != frame))
			same = slots_next(&slots, hash, &at);
		node->caller = caller;
		node->frame = frame;
		if (same != SLOT_FREE) {
			s->place_of[i] = s->place_of[same];
			continue;
		}
		slots_add(&slots, hash, i);
		s->place_of[i] = (uint32_t)s->nrows;
		s->rows[s->nrows++] = i;
	}
	s->node_slots = slots;
}

static bool sum_is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct samples *s = context;
	const struct lane_rec *x = uniques_at(&s->lanes, s->sums[a].lane);
	const struct lane_rec *y = uniques_at(&s->lanes, s->sums[b].lane);

	if (x->series != y->series)
		return x->series < y->series;
	if (x->thread != y->thread)
		return x->thread < y->thread;
	return row_of(s, s->sums[a].node) < row_of(s, s->sums[b].node);
}

/* Those of equal stacks, which follow each other, are added up. */
static void merge_sums(struct samples *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nsums; i++) {
		struct sample_sum_rec *sum = &s->sums[s->sum_order[i]];
		struct sample_sum_rec *last = n ? &s->sums[s->sum_order[n - 1]] : NULL;
		const struct lane_rec *lane = uniques_at(&s->lanes, sum->lane);
		if (last && last->lane == sum->lane &&
		    row_of(s, last->node) == row_of(s, sum->node)) {
			last->weight = sum_add(last->weight, sum->weight);
			add_samples(&last->samples, sum->samples);
			continue;
		}
		struct series_rec *series = &s->series[lane->series];
		if (series->sums++ == 0)
			series->first_sum = n;
		s->sum_order[n++] = s->sum_order[i];
	}
	s->nsummed = n;
}

void samples_settle(struct samples *s)
{
	if (s->nseries == 0)
		return;
	s->rows = spill_alloc(s->spill, s->nnodes, sizeof(*s->rows));
	if (find_equal_frames(s))
		find_rows(s);
	else
		take_nodes_for_rows(s);
	s->sum_order = spill_alloc(s->spill, s->nsums, sizeof(*s->sum_order));
	uint32_t *spare = spill_alloc(s->spill, s->nsums, sizeof(*spare));
	for (uint32_t i = 0; i < s->nsums; i++)
		s->sum_order[i] = i;
	sort_spilled(s->spill, s->sum_order, s->nsums, spare, sum_is_before, s);
	spill_free(s->spill, spare);
	merge_sums(s);
}
