/* What an event lacks, has twice, or has in a form that cannot be used. */
#include "ingest/chrome.h"

#define BIT(field) (UINT32_C(1) << (field))

int lacks_event(struct chrome *c, struct err *err)
{
	const struct event *e = &c->event;

	if (e->twice &&
	    chrome_finding(c, FINDING_DUPLICATE_KEY, STR_LIT("event"), err) < 0)
		return -1;
	if (!e->args_is_odd)
		return 0;
	return chrome_finding(c, FINDING_ARGS_NOT_OBJECT, STR_LIT(""), err);
}

/* The fields that a slice of this phase is to have, of name, pid and tid. */
static uint32_t wanted(const struct event *e, const struct slice_fact *slice)
{
	uint32_t all = BIT(FIELD_NAME) | BIT(FIELD_PID) | BIT(FIELD_TID);
	char scope = 't';

	switch (slice->phase) {
	case PHASE_COMPLETE:
	case PHASE_BEGIN:
		break;
	case PHASE_END:
		/* It ends the innermost open slice, which has a name. */
		all &= ~BIT(FIELD_NAME);
		break;
	case PHASE_INSTANT:
		/* Of a process, or of all of them. */
		if (event_text(e, FIELD_S).n)
			scope = event_text(e, FIELD_S).p[0];
		if (scope != 't')
			all &= ~BIT(FIELD_TID);
		if (scope == 'g')
			all &= ~BIT(FIELD_PID);
		break;
	case PHASE_STEP_INTO:
	case PHASE_STEP_PAST:
		return 0;
	}
	return all;
}

/* Asynchronous events live on tracks of their own. */
static bool is_on_thread(const struct event *e)
{
	return strchr("XBEiIR", event_text(e, FIELD_PH).p[0]) != NULL;
}

/*
 * A file that names no thread at all lacks none: its events are one thread's.
 * So this is told from the first event on that has one.
 */
static int lacks_thread(struct chrome *c, struct err *err)
{
	struct threadless *t = &c->threadless;

	if (c->is_ahead)
		return chrome_doubt(c);
	if (t->threads_seen)
		return chrome_finding(c, FINDING_NO_THREAD, STR_LIT(""), err);
	if (t->n++ > 0)
		return 0;
	struct str text = c->event.text;
	t->offset = c->event.offset;
	t->excerpt_n = text.n < sizeof(t->excerpt) ? text.n : sizeof(t->excerpt);
	memcpy(t->excerpt, text.p, t->excerpt_n);
	return 0;
}

/* The first slice that has a thread. */
static int threads_seen(struct chrome *c, struct err *err)
{
	struct threadless *t = &c->threadless;
	struct str excerpt = { t->excerpt, t->excerpt_n };

	t->threads_seen = true;
	for (; t->n; t->n--)
		if (chrome_finding_at(c, FINDING_NO_THREAD, t->offset, STR_LIT(""),
				      excerpt, err) < 0)
			return -1;
	return 0;
}

static int lacks_fields(struct chrome *c, const struct slice_fact *slice, struct err *err)
{
	const struct event *e = &c->event;
	uint32_t lacking = wanted(e, slice) & ~e->present;

	if (!is_on_thread(e))
		lacking &= BIT(FIELD_NAME);
	if (lacking & BIT(FIELD_NAME) &&
	    chrome_finding(c, FINDING_NO_NAME, STR_LIT(""), err) < 0)
		return -1;
	return lacking & ~BIT(FIELD_NAME) ? lacks_thread(c, err) : 0;
}

int lacks_numbers(struct chrome *c, struct err *err)
{
	unsigned flaws = c->kineto.flaws;

	c->kineto.flaws = 0;
	if (flaws & KINETO_DUPLICATE_ARG &&
	    chrome_finding(c, FINDING_DUPLICATE_KEY, STR_LIT("args"), err) < 0)
		return -1;
	if (!(flaws & KINETO_INTEGER_RANGE))
		return 0;
	return chrome_finding(c, FINDING_INTEGER_RANGE, STR_LIT(""), err);
}

int lacks_slice(struct chrome *c, const struct slice_fact *slice, struct err *err)
{
	const uint32_t all = BIT(FIELD_NAME) | BIT(FIELD_PID) | BIT(FIELD_TID);

	if ((c->event.present & all) != all) {
		if (lacks_fields(c, slice, err) < 0)
			return -1;
	} else if (!c->threadless.threads_seen && threads_seen(c, err) < 0) {
		return -1;
	}
	return 0;
}
