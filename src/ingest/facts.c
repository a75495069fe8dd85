/* What the parts of the Chrome reader say to the sink in the same way: see chrome.h. */
#include "ingest/chrome.h"

#include <assert.h>

#include "base/decimal.h"
#include "base/utf8.h"

#define EXCERPT_MAX 120

/* Told with the event's other flaws. */
static struct str cut_text(struct chrome *c, struct str text)
{
	c->window.j.flaws |= JSON_FLAW_LONG;
	return utf8_cut(text, read_limits(c->options)->text_bytes);
}

uint32_t chrome_text(struct chrome *c, const struct json_value *value)
{
	struct str text = value->text;

	/* An object may stand for a name, too: its bytes are no better. */
	if ((value->type == JSON_STRING && value->escaped) ||
	    (c->window.j.flaws & JSON_FLAW_UTF8))
		text = json_unescape(text, &c->scratch);
	if (text.n > read_limits(c->options)->text_bytes)
		text = cut_text(c, text);
	return c->sink->text(c->sink, text);
}

/* Text that breaks the rules of JSON is kept as one JSON string. */
struct str chrome_json(struct chrome *c, const struct json_value *value)
{
	struct str text = value->text;

	if (value->type == JSON_STRING)
		text = (struct str){ text.p - 1, text.n + 2 };
	if ((c->window.j.flaws & ~(unsigned)JSON_FLAW_LONG) == 0)
		return text;
	json_quote(text, &c->scratch);
	return buf_str(&c->scratch);
}

/* Is it no text of a JSON string as it stands?  Mending a value forgets its key's flaws. */
static bool is_flawed(struct str key)
{
	for (size_t i = 0; i < key.n; i++)
		if ((unsigned char)key.p[i] < ' ')
			return true;
	return json_bad_utf8(key) || json_bad_escape(key);
}

void chrome_metadata(struct chrome *c, struct str key, const struct json_value *value)
{
	struct buf quoted;

	buf_init(&quoted, 6 * key.n + 2);
	if (c->window.j.flaws || is_flawed(key)) {
		json_quote(key, &quoted);
		key = (struct str){ quoted.p + 1, quoted.n - 2 };
	}
	c->sink->metadata(c->sink, key, chrome_json(c, value));
	buf_release(&quoted);
}

struct ident chrome_ident(struct chrome *c, enum event_field field)
{
	const struct json_value *value = &c->event.field[field];
	struct ident id = { 0, TEXT_NONE };

	if (!event_has(&c->event, field))
		return id;
	enum decimal_status status = json_int(value, &id.number);
	if (status != DECIMAL_OK) {
		if (status == DECIMAL_TOO_BIG)
			c->kineto.flaws |= KINETO_INTEGER_RANGE;
		id.number = 0;
		id.text = chrome_text(c, value);
	}
	return id;
}

uint32_t chrome_track(struct chrome *c, enum track_kind kind)
{
	struct track_fact fact = { kind, chrome_ident(c, FIELD_PID),
				   chrome_ident(c, FIELD_TID), TEXT_NONE };

	if (fact.pid.text != TEXT_NONE || fact.tid.text != TEXT_NONE)
		return c->sink->track(c->sink, &fact);
	uint64_t key =
		(uint64_t)fact.pid.number * 31 + (uint64_t)fact.tid.number * 4 + kind;
	struct cached_track *slot = &c->tracks[hash_u64(key) & (TRACK_CACHE - 1)];
	if (!slot->used || slot->pid != fact.pid.number || slot->tid != fact.tid.number ||
	    slot->kind != kind)
		*slot = (struct cached_track){ fact.pid.number, fact.tid.number, kind,
					       true, c->sink->track(c->sink, &fact) };
	return slot->track;
}

int chrome_doubt(struct chrome *c)
{
	assert(c->is_ahead);
	return -1;
}

bool chrome_is_plain(const struct chrome *c)
{
	return !c->xprof.seen && !c->kineto.told.marks.list;
}

int chrome_finding_at(struct chrome *c, enum finding finding, uint64_t offset,
		      struct str detail, struct str excerpt, struct err *err)
{
	const struct finding_kind *kind = &finding_kinds[finding];

	if (c->options->strict && kind->severity >= SEVERITY_WARNING)
		return err_at(err, offset, "%s", kind->what);
	excerpt = utf8_cut(excerpt, EXCERPT_MAX);
	c->sink->finding(c->sink, finding, offset, detail, excerpt);
	return 0;
}

int chrome_finding(struct chrome *c, enum finding finding, struct str detail,
		   struct err *err)
{
	return chrome_finding_at(c, finding, c->event.offset, detail, c->event.text, err);
}

int chrome_truncated(struct chrome *c, uint64_t offset, struct str excerpt,
		     struct err *err)
{
	if (c->truncated)
		return 0;
	c->truncated = true;
	return chrome_finding_at(c, FINDING_TRUNCATED, offset, STR_LIT(""), excerpt, err);
}

struct flaw_finding {
	enum json_flaw flaw;
	enum finding finding;
};

static const struct flaw_finding flaw_findings[] = {
	{ JSON_FLAW_ESCAPE, FINDING_ESCAPE },
	{ JSON_FLAW_CONTROL, FINDING_CONTROL_CHARACTER },
	{ JSON_FLAW_UTF8, FINDING_UTF8 },
	{ JSON_FLAW_NUMBER, FINDING_NUMBER_SYNTAX },
	{ JSON_FLAW_NOT_FINITE, FINDING_NOT_FINITE },
	{ JSON_FLAW_WORD, FINDING_NUMBER_SYNTAX },
	{ JSON_FLAW_LONG, FINDING_TEXT_SIZE },
};

int chrome_flaws(struct chrome *c, uint64_t offset, struct str excerpt, struct err *err)
{
	unsigned flaws = c->window.j.flaws;

	c->window.j.flaws = 0;
	for (size_t i = 0; flaws && i < sizeof(flaw_findings) / sizeof(*flaw_findings);
	     i++)
		if (flaws & flaw_findings[i].flaw &&
		    chrome_finding_at(c, flaw_findings[i].finding, offset, STR_LIT(""),
				      excerpt, err) < 0)
			return -1;
	return 0;
}
