/* What the parts of the Chrome reader say to the sink in the same way: see chrome.h. */
#include <inttypes.h>

#include "ingest/chrome.h"

#include <assert.h>

#include "base/decimal.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "ingest/tell.h"
#include "trace/export_marks.h"

struct str chrome_cut(struct chrome *c, struct str text)
{
	if (text.n <= read_limits(c->options)->text_bytes)
		return text;
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
	return c->sink->text(c->sink, chrome_cut(c, text));
}

uint32_t chrome_made_text(struct chrome *c, struct str text)
{
	struct buf plain;

	buf_init(&plain, SIZE_MAX);
	text = chrome_cut(c, json_unescape(text, &plain));
	uint32_t number = c->sink->text(c->sink, text);
	buf_release(&plain);
	return number;
}

uint32_t chrome_category(struct chrome *c)
{
	struct layout_event *layout = c->event.layout;

	if (!event_has(&c->event, FIELD_CAT))
		return TEXT_NONE;
	if (layout && layout->found.has_category)
		return layout->found.category;
	uint32_t category = chrome_text(c, &c->event.field[FIELD_CAT]);
	/* A text that is cut has a flaw, which is to be told each time. */
	if (layout && layout->fixed_n[LAYOUT_CATEGORY] && c->window.j.flaws == 0) {
		layout->found.has_category = true;
		layout->found.category = category;
	}
	return category;
}

/* Events of one layout often have the name of the one before. */
uint32_t chrome_name(struct chrome *c)
{
	const struct json_value *value = &c->event.field[FIELD_NAME];
	struct layout_found *found = c->event.layout ? &c->event.layout->found : NULL;

	if (!event_has(&c->event, FIELD_NAME))
		return c->sink->text(c->sink, STR_LIT(""));
	if (found && found->name_n && found->name_n == value->text.n &&
	    same_text(found->name_text, found->name_n, value->text.p))
		return found->name;
	uint32_t name = chrome_text(c, value);
	if (found && !value->escaped && value->text.n <= LAYOUT_TEXT &&
	    c->window.j.flaws == 0) {
		found->name = name;
		found->name_n = (uint8_t)value->text.n;
		memcpy(found->name_text, value->text.p, value->text.n);
	}
	return name;
}

struct str chrome_json(struct chrome *c, const struct json_value *value)
{
	return json_valid(value, c->window.j.flaws, &c->scratch);
}

void chrome_metadata(struct chrome *c, struct str key, const struct json_value *value)
{
	tell_metadata(c->sink, key, value, c->window.j.flaws);
}

/*
 * TraceLens's TraceFuse moves the pids of ranks apart that are numbers, and leaves others
 * as they are: args tell whose the process is, which becomes a part of its id.
 */
static bool is_of_rank(const struct chrome *c, enum event_field field, int64_t *rank)
{
	const struct json_value *told =
		field == FIELD_PID && event_arg(&c->event, "pid_raw")
			? event_arg(&c->event, "rank")
			: NULL;

	return told && decimal_int(told->text, rank) == DECIMAL_OK;
}

static uint32_t ident_of_rank(struct chrome *c, struct str text, int64_t rank)
{
	struct buf id;

	buf_init(&id, SIZE_MAX);
	buf_addf(&id, "[rank %" PRId64 "] ", rank);
	buf_add_str(&id, text);
	uint32_t number = chrome_made_text(c, buf_str(&id));
	buf_release(&id);
	return number;
}

struct ident chrome_other_ident(struct chrome *c, enum event_field field)
{
	const struct json_value *value = &c->event.field[field];
	struct ident id = { 0, TEXT_NONE };

	if (!event_has(&c->event, field))
		return id;
	enum decimal_status status = json_int(value, &id.number);
	if (status != DECIMAL_OK) {
		if (status == DECIMAL_TOO_BIG)
			c->kineto.flaws |= KINETO_INTEGER_RANGE;
		int64_t rank;
		id.number = 0;
		id.text = is_of_rank(c, field, &rank)
				  ? ident_of_rank(c, value->text, rank)
				  : chrome_text(c, value);
	}
	return id;
}

/* Where the track of that kind may be kept; its ids are numbers. */
static struct cached_track *track_slot(struct chrome *c, const struct track_fact *fact)
{
	uint64_t key = (uint64_t)fact->pid.number * 31 + (uint64_t)fact->tid.number * 4 +
		       fact->kind;

	return &c->tracks[hash_u64(key) & (TRACK_CACHE - 1)];
}

static bool is_track(const struct cached_track *slot, const struct track_fact *fact)
{
	return slot->used && slot->pid == fact->pid.number &&
	       slot->tid == fact->tid.number && slot->kind == fact->kind;
}

uint32_t chrome_track(struct chrome *c, enum track_kind kind)
{
	struct track_fact fact = { kind, chrome_ident(c, FIELD_PID),
				   chrome_ident(c, FIELD_TID), TEXT_NONE, 0 };

	if (kind != TRACK_THREAD && fact.tid.text != TEXT_NONE &&
	    export_lane_stream(c->event.field[FIELD_TID].text, &fact.tid.number))
		fact.tid.text = TEXT_NONE;
	if (fact.pid.text != TEXT_NONE || fact.tid.text != TEXT_NONE)
		return c->sink->track(c->sink, &fact);
	if (is_track(&c->last_track, &fact))
		return c->last_track.track;
	struct cached_track *slot = track_slot(c, &fact);
	if (!is_track(slot, &fact))
		*slot = (struct cached_track){ fact.pid.number, fact.tid.number, kind,
					       true, c->sink->track(c->sink, &fact) };
	c->last_track = *slot;
	return slot->track;
}

int chrome_doubt(struct chrome *c)
{
	assert(c->is_ahead);
	return -1;
}

bool chrome_is_plain(const struct chrome *c)
{
	return !c->xprof.seen && !c->xprof.n && !c->kineto.told.marks.list;
}

int chrome_finding_at(struct chrome *c, enum finding finding, uint64_t offset,
		      struct str detail, struct str excerpt, struct err *err)
{
	const struct finding_kind *kind = &finding_kinds[finding];

	if (c->options->strict && kind->severity >= SEVERITY_WARNING)
		return err_at(err, offset, "%s", kind->what);
	excerpt = utf8_cut(excerpt, CHROME_EXCERPT_MAX);
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
