/* Buffers that DistributedDataParallel broadcasts: see ddp_buffers.h. */
#include "query/advise/ddp_buffers.h"

#include "query/steps/host_scan.h"

enum state { BEFORE, WITHIN, AFTER };

struct scanning {
	struct text_pool *texts;
	struct intervals *out;
	int64_t n;
	int64_t track_id, end_ns; /* of the forward; no slice is in it: 0 */
	struct interval section;
	enum state state;
	bool has_broadcast;
};

static void end_section(struct scanning *s)
{
	if (s->state == WITHIN && s->has_broadcast) {
		intervals_add(s->out, s->section.start_ns, s->section.end_ns);
		s->n++;
	}
	s->state = AFTER;
}

static void begin_forward(struct scanning *s, const struct host_slice *slice)
{
	end_section(s);
	s->track_id = slice->track_id;
	s->end_ns = slice->end_ns;
	s->state = BEFORE;
	s->has_broadcast = false;
}

/* Of an operator in the forward that is in no other of the section. */
static void add_operator(struct scanning *s, const struct host_slice *slice,
			 struct str name)
{
	bool is_flat = str_contains(name, STR_LIT("flatten_dense_tensors"));
	bool is_broadcast = str_contains(name, STR_LIT("broadcast_")) ||
			    str_contains(name, STR_LIT(":broadcast")) ||
			    str_is(name, "record_param_comms");

	if (s->state == BEFORE && is_flat) {
		s->state = WITHIN;
		s->section.start_ns = slice->start_ns;
	}
	if (s->state != WITHIN)
		return;
	s->has_broadcast |= is_broadcast;
	if (is_flat || is_broadcast || str_is(name, "aten::copy_"))
		s->section.end_ns = slice->end_ns;
	else
		end_section(s);
}

static int add_slice(void *context, const struct host_slice *slice, struct err *err)
{
	struct scanning *s = context;
	struct str name = text_pool_str(s->texts, slice->name);

	(void)err;
	if (str_starts_with(name, STR_LIT("DistributedDataParallel.forward"))) {
		begin_forward(s, slice);
		return 0;
	}
	if (s->state == AFTER)
		return 0;
	if (slice->track_id != s->track_id || slice->start_ns >= s->end_ns) {
		end_section(s);
		return 0;
	}
	if (slice->class != CLASS_OP ||
	    (s->state == WITHIN && slice->end_ns <= s->section.end_ns))
		return 0;
	add_operator(s, slice, name);
	return 0;
}

int ddp_buffers_find(struct store *store, struct text_pool *texts,
		     const struct scope_profile *profile, struct intervals *out,
		     int64_t *n, struct err *err)
{
	struct scanning s = { .texts = texts, .out = out, .state = AFTER };

	*out = (struct intervals){ .n = 0 };
	int rc = host_scan(store, texts, profile, add_slice, &s, err);
	end_section(&s);
	intervals_unite(out);
	*n = s.n;
	return rc;
}
