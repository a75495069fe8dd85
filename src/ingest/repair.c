/*
 * What the window's parser stops at is mended (mend.h) and read once more: an
 * event, or an entry beside the events.  Never in strict mode.
 */
#include "ingest/chrome.h"

#define SHOWN 80 /* bytes of an excerpt in which a flaw is seen */

struct mended {
	struct mend *mend;
	struct event *event;
	struct json_value *value;
	struct entry *entry;
};

static enum json_status parse_event(struct json *j, void *to)
{
	struct mended *mended = to;

	enum json_status status = mend_event(mended->mend, j);
	if (status != JSON_OK)
		return status;
	struct json text = json_of(buf_str(&mended->mend->text));
	return event_parse(&text, mended->event);
}

static enum json_status parse_value(struct json *j, void *to)
{
	struct mended *mended = to;

	enum json_status status = mend_value(mended->mend, j);
	if (status != JSON_OK)
		return status;
	struct json text = json_of(buf_str(&mended->mend->text));
	return json_value(&text, mended->value);
}

static enum json_status parse_entry(struct json *j, void *to)
{
	struct entry *entry = ((struct mended *)to)->entry;

	return mend_member(((struct mended *)to)->mend, j, entry->first, &entry->key,
			   &entry->done);
}

/* What reading so many bytes, or failing to, took beyond them. */
static uint64_t wasted(const struct mend *m, int status, size_t n)
{
	uint64_t passed =
		(uint64_t)n * (status == JSON_OK ? MEND_VAIN_FOR_EACH : MEND_ATTEMPTS);

	if (status == JSON_OK)
		return m->in_vain > passed ? m->in_vain - passed : 0;
	return m->in_vain > passed ? m->in_vain : passed;
}

static int repair(struct chrome *c, window_parse_fn *parse, struct mended *mended,
		  size_t most, const char **start, struct err *err)
{
	struct json *j = &c->window.j;
	const char *stopped = j->p;

	/* However the input is made, the time to read it grows with its size only. */
	if (c->wasted > CHROME_WASTE_MAX + 8 * window_at(&c->window, *start))
		return JSON_BAD;
	bool ended = j->ended;
	const char *what = j->what;
	size_t behind = (size_t)(stopped - *start);
	mended->mend = &c->mend;
	j->p = *start;
	j->flaws = 0;
	int status = window_parse(&c->window, parse, mended, most, start, err);
	if (status < 0)
		return status;
	c->wasted += wasted(&c->mend, status, (size_t)(j->p - *start));
	if (status == JSON_OK)
		return status;
	/* As the first parser left it. */
	j->p = *start + behind;
	j->ended |= ended;
	j->what = what;
	return JSON_BAD;
}

int repair_event(struct chrome *c, const char **start, struct err *err)
{
	struct mended mended = { .event = &c->event };

	return repair(c, parse_event, &mended, event_max(c), start, err);
}

int repair_value(struct chrome *c, struct json_value *value, const char **start,
		 struct err *err)
{
	struct mended mended = { .value = value };

	return repair(c, parse_value, &mended, CHROME_METADATA_MAX, start, err);
}

int repair_entry(struct chrome *c, struct entry *entry, const char **start,
		 struct err *err)
{
	struct mended mended = { .entry = entry };

	return repair(c, parse_entry, &mended, CHROME_METADATA_MAX, start, err);
}

int repair_findings(struct chrome *c, const char *start, struct err *err)
{
	const struct mend *m = &c->mend;
	struct str text = { start, (size_t)(c->window.j.p - start) };

	for (size_t i = 0; i < m->nflaws; i++) {
		/* The whole, or its part where the whole is too long to show the flaw. */
		size_t at = m->flaws[i].at < SHOWN ? 0 : m->flaws[i].at;
		struct str shown = { text.p + at, text.n - at };
		if (chrome_finding_at(c, m->flaws[i].finding,
				      window_at(&c->window, shown.p), STR_LIT(""), shown,
				      err) < 0)
			return -1;
	}
	return 0;
}
