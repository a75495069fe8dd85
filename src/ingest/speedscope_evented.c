/* An evented profile of a speedscope file: frames that open and close. */
#include "base/array.h"
#include "base/decimal.h"
#include "ingest/speedscope_profile.h"

struct event {
	char type; /* 'O', 'C', or 0 */
	int64_t frame, at;
	bool has_frame, has_at;
	bool is_beyond; /* `at` is a number, which 64 bits cannot hold beside the others */
};

static int read_event_fields(struct speedscope_profile *p, struct str object,
			     struct event *e)
{
	struct json_items items = json_items_of(object);
	struct json_value key, value;
	struct speedscope_number at;
	int more;

	while ((more = json_next_member(&items, &key, &value)) > 0) {
		if (str_is(key.text, "type") && value.type == JSON_STRING)
			e->type = (char)(value.text.n == 1 ? value.text.p[0] : '\0');
		else if (str_is(key.text, "frame"))
			e->has_frame = value.type == JSON_NUMBER &&
				       decimal_int(value.text, &e->frame) == DECIMAL_OK;
		else if (str_is(key.text, "at") && value.type == JSON_NUMBER) {
			enum decimal_status status = speedscope_scale(p, value.text, &at);
			e->has_at =
				status == DECIMAL_OK && speedscope_same_digits(p, &at);
			e->is_beyond = status != DECIMAL_BAD && !e->has_at;
			e->at = at.value;
		}
	}
	return more;
}

/* What the stack on top has had since the event before this. */
static int tell_until(struct speedscope_profile *p, int64_t at, uint64_t offset,
		      struct err *err)
{
	struct speedscope_number weight = { 0, p->decimals };

	if (__builtin_sub_overflow(at, p->at, &weight.value))
		return err_at(err, offset, "the times overflow 64 bits");
	for (; weight.decimals && weight.value % 10 == 0; weight.decimals--)
		weight.value /= 10;
	if (p->nopen && weight.value > 0 &&
	    speedscope_tell(p, p->open[p->nopen - 1].stack, &weight, offset, err) < 0)
		return -1;
	p->at = at;
	return 0;
}

static int open_frame(struct speedscope_profile *p, const struct event *e,
		      uint64_t offset, struct err *err)
{
	struct sink *sink = p->s->stacks.sink;
	uint32_t caller = p->nopen ? p->open[p->nopen - 1].stack : SAMPLE_NONE, frame;

	if (speedscope_frame(p->s, e->frame, p->nevents, offset, &frame, err) < 0)
		return -1;
	*ARRAY_PUSH(p->open, p->nopen, p->open_cap) =
		(struct speedscope_open){ e->frame, sink->stack(sink, caller, frame) };
	return 0;
}

static int close_frame(struct speedscope_profile *p, const struct event *e,
		       uint64_t offset, struct err *err)
{
	bool is_open = false;

	if (p->nopen && p->open[p->nopen - 1].index == e->frame) {
		p->nopen--;
		return 0;
	}
	for (size_t i = 0; i < p->nopen; i++)
		is_open |= p->open[i].index == e->frame;
	return err_at(err, offset,
		      "profile %u, event %llu closes frame %lld, which is %s",
		      p->s->profile, (unsigned long long)p->nevents, (long long)e->frame,
		      is_open ? "not the innermost" : "not open");
}

static int bad_event(const struct speedscope_profile *p, bool is_beyond, uint64_t offset,
		     struct err *err)
{
	return err_at(err, offset, "profile %u, event %llu %s", p->s->profile,
		      (unsigned long long)p->nevents,
		      is_beyond ? "has a time that 64 bits cannot hold beside the others"
				: "is malformed: it needs type O or C, frame and at");
}

int speedscope_event(struct speedscope_profile *p, struct err *err)
{
	uint64_t offset = json_stream_at(&p->s->in);
	struct event e = { .type = '\0' };
	struct json_value value;

	int rc = json_stream_value(&p->s->in, &value, err);
	if (rc <= 0)
		return rc;
	p->nevents++;
	bool is_read =
		value.type == JSON_OBJECT && read_event_fields(p, value.text, &e) >= 0;
	if (!is_read || !e.has_frame || !e.has_at || (e.type != 'O' && e.type != 'C'))
		return bad_event(p, is_read && e.is_beyond, offset, err);
	if (p->nevents == 1)
		p->at = e.at;
	if (e.at < p->at)
		return err_at(err, offset, "profile %u, event %llu is before event %llu",
			      p->s->profile, (unsigned long long)p->nevents,
			      (unsigned long long)p->nevents - 1);
	if (tell_until(p, e.at, offset, err) < 0)
		return -1;
	rc = e.type == 'O' ? open_frame(p, &e, offset, err)
			   : close_frame(p, &e, offset, err);
	return rc < 0 ? -1 : 1;
}

/* Frames that are open last until the end. */
int speedscope_end_evented(struct speedscope_profile *p, struct err *err)
{
	uint64_t offset = json_stream_at(&p->s->in);
	int64_t end = 0;
	struct speedscope_number at = { 0, 0 };
	bool has_end = p->end.n && !p->s->in.is_cut &&
		       speedscope_scale(p, buf_str(&p->end), &at) == DECIMAL_OK &&
		       speedscope_same_digits(p, &at);

	end = at.value;
	if (has_end && end < p->at &&
	    stacks_tell(&p->s->stacks, FINDING_EVENT_AFTER_END, offset, buf_str(&p->name),
			err) < 0)
		return -1;
	if (p->nopen == 0)
		return 0;
	if (!p->s->in.is_cut && stacks_tell(&p->s->stacks, FINDING_FRAME_NOT_CLOSED,
					    offset, buf_str(&p->name), err) < 0)
		return -1;
	return has_end && end > p->at ? tell_until(p, end, offset, err) : 0;
}
