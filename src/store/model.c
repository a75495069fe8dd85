/* The profile in memory: see model.h. */
#include "store/model.h"

#include <assert.h>

#include "base/spill.h"
#include "base/utf8.h"
#include "ingest/json.h"
#include "store/wide.h"

void model_init(struct model *m, struct intern *texts, struct spill *spill)
{
	*m = (struct model){ .texts = texts,
			     .spill = spill,
			     .limits = &usual_limits,
			     .arena = { .spill = spill },
			     .numbers = { .spill = spill },
			     .arrow_ids = { .spill = spill },
			     .far_selves = { .spill = spill },
			     .axes = AXES_NONE,
			     .file_step = NUMBER_NONE };
	uniques_init(&m->op_details, sizeof(struct op_fact), spill);
	uniques_init(&m->device_setups, sizeof(struct device_fact), spill);
	uniques_init(&m->device_owns, sizeof(struct device_own), spill);
	uniques_init(&m->memory_kinds, sizeof(struct memory_kind), spill);
	functions_init(&m->functions, spill);
	samples_init(&m->samples, spill);
	intern_init_in(&m->place_keys, spill);
	intern_init_in(&m->process_keys, spill);
	intern_init_in(&m->scope_keys, spill);
	intern_init_in(&m->device_ids, spill);
	idmap_init_in(&m->finding_of, 0, spill);
}

void model_release(struct model *m)
{
	void *const owned[] = { m->categories,  m->processes,    m->places,
				m->tracks,      m->slices,       m->op_links,
				m->launch_ids,  m->launch_sizes, m->devices,
				m->memory,      m->step_marks,   m->group_marks,
				m->collectives, m->counters,     m->flows,
				m->findings,    m->metadata,     m->args,
				m->ranges,      m->device_infos, m->scope_track,
				m->order,       m->parent,       m->selves,
				m->charges,     m->works,        m->steps,
				m->arrows,      m->step_owners };

	spill_free(m->spill, m->op_sums);
	functions_release(&m->functions);
	samples_release(&m->samples);
	for (size_t i = 0; i < sizeof(owned) / sizeof(*owned); i++)
		spill_free(m->spill, owned[i]);
	wides_release(&m->numbers);
	wides_release(&m->arrow_ids);
	wides_release(&m->far_selves);
	uniques_release(&m->op_details);
	uniques_release(&m->device_setups);
	uniques_release(&m->device_owns);
	uniques_release(&m->memory_kinds);
	intern_release(&m->place_keys);
	intern_release(&m->process_keys);
	intern_release(&m->scope_keys);
	intern_release(&m->device_ids);
	idmap_release(&m->finding_of);
	arena_release(&m->arena);
}

/* A piece of the input in the arena, with U+FFFD for bytes that are no UTF-8. */
static struct str copy_valid(struct model *m, struct str text)
{
	struct buf valid;

	if (!json_bad_utf8(text))
		return arena_copy(&m->arena, text);
	buf_init(&valid, 3 * text.n);
	utf8_add_valid(&valid, text);
	struct str copy = arena_copy(&m->arena, buf_str(&valid));
	buf_release(&valid);
	return copy;
}

struct finding_rec *model_finding(struct model *m, enum finding finding, uint64_t offset,
				  struct str detail, struct str excerpt)
{
	if (json_bad_utf8(detail))
		detail = copy_valid(m, detail);
	uint32_t text = intern_add(m->texts, detail);
	int64_t id = (int64_t)((uint64_t)finding << 32 | text);
	size_t probe = idmap_first(&m->finding_of, id);
	uint32_t at = idmap_next(&m->finding_of, &probe);

	if (at != UINT32_MAX) {
		struct finding_rec *f = &m->findings[at];
		f->count++;
		if (offset < f->offset) {
			f->offset = offset;
			f->excerpt = copy_valid(m, excerpt);
		}
		return f;
	}
	idmap_add(&m->finding_of, id, (uint32_t)m->nfindings);
	m->findings = spill_grow(m->spill, m->findings, &m->findings_cap,
				 m->nfindings + 1, sizeof(*m->findings));
	struct finding_rec *f = &m->findings[m->nfindings++];
	if (detail.n == 0)
		m->told[finding] = (uint32_t)m->nfindings;
	*f = (struct finding_rec){ finding,     text, 1, offset, copy_valid(m, excerpt),
				   NUMBER_NONE, -1 };
	return f;
}

struct finding_rec *model_told(const struct model *m, enum finding finding)
{
	return m->told[finding] ? &m->findings[m->told[finding] - 1] : NULL;
}

int model_check_strict(const struct model *m, struct err *err)
{
	const struct finding_rec *first = NULL;

	for (size_t i = 0; i < m->nfindings; i++) {
		const struct finding_rec *f = &m->findings[i];
		if (finding_kinds[f->finding].severity >= SEVERITY_WARNING &&
		    (!first || f->offset < first->offset))
			first = f;
	}
	if (!first)
		return 0;
	return err_at(err, first->offset, "%s", finding_kinds[first->finding].what);
}

uint32_t model_process(struct model *m, struct ident pid)
{
	struct ident key;

	memset(&key, 0, sizeof(key)); /* padding too: the key is compared as bytes */
	key.number = pid.text == TEXT_NONE ? pid.number : 0;
	key.text = pid.text;
	size_t known = m->process_keys.n;
	uint32_t at = intern_add(&m->process_keys, str_bytes(&key, sizeof(key)));
	if (at < known)
		return at;
	m->processes = spill_grow(m->spill, m->processes, &m->processes_cap, at + 1U,
				  sizeof(*m->processes));
	m->processes[at] = (struct process){ .pid = key,
					     .name = TEXT_NONE,
					     .labels = TEXT_NONE,
					     .sort_index = NUMBER_NONE,
					     .origin_rank = NUMBER_NONE,
					     .origin_pid = NUMBER_NONE };
	m->nprocesses = at + 1U;
	return at;
}

static bool is_same_ident(struct ident a, struct ident b)
{
	return a.text == b.text && (a.text != TEXT_NONE || a.number == b.number);
}

/* As model_place(), of one that may be new. */
static uint32_t find_place(struct model *m, struct ident pid, struct ident tid)
{
	struct ident key[2];

	memset(key, 0, sizeof(key));
	key[0].number = pid.text == TEXT_NONE ? pid.number : 0;
	key[0].text = pid.text;
	key[1].number = tid.text == TEXT_NONE ? tid.number : 0;
	key[1].text = tid.text;
	size_t known = m->place_keys.n;
	uint32_t at = intern_add(&m->place_keys, str_bytes(key, sizeof(key)));
	if (at < known)
		return at;
	struct place place = { .pid = key[0],
			       .tid = key[1],
			       .name = TEXT_NONE,
			       .sort_index = NUMBER_NONE,
			       .process = model_process(m, pid) };
	for (size_t kind = 0; kind < TRACK_ASYNC; kind++)
		place.track[kind] = TEXT_NONE;
	m->places = spill_grow(m->spill, m->places, &m->places_cap, at + 1U,
			       sizeof(*m->places));
	m->places[at] = place;
	m->nplaces = at + 1U;
	return at;
}

/* Arrows go to and fro between a few threads and streams. */
uint32_t model_place(struct model *m, struct ident pid, struct ident tid)
{
	uint64_t bits = (uint64_t)pid.number ^ (uint64_t)tid.number;
	uint32_t *near = &m->near_places[bits % NEAR_PLACES];

	if (*near >= m->nplaces || !is_same_ident(m->places[*near].pid, pid) ||
	    !is_same_ident(m->places[*near].tid, tid))
		*near = find_place(m, pid, tid);
	return *near;
}

static uint32_t add_track(struct model *m, struct track track)
{
	m->tracks = spill_grow(m->spill, m->tracks, &m->tracks_cap, m->ntracks + 1,
			       sizeof(*m->tracks));
	m->tracks[m->ntracks] = track;
	return (uint32_t)m->ntracks++;
}

static uint32_t async_track(struct model *m, const struct track_fact *fact)
{
	struct {
		uint32_t process, scope;
		uint64_t parts;
	} key = { model_process(m, fact->pid), fact->scope, fact->parts };
	size_t known = m->scope_keys.n;
	uint32_t at = intern_add(&m->scope_keys, str_bytes(&key, sizeof(key)));

	if (at < known)
		return m->scope_track[at];
	m->scope_track = spill_grow(m->spill, m->scope_track, &m->scope_track_cap,
				    at + 1U, sizeof(*m->scope_track));
	m->scope_track[at] = add_track(m, (struct track){ .kind = TRACK_ASYNC,
							  .place = TEXT_NONE,
							  .scope = fact->scope,
							  .process = key.process });
	return m->scope_track[at];
}

uint32_t model_track(struct model *m, const struct track_fact *fact)
{
	if (fact->kind == TRACK_ASYNC)
		return async_track(m, fact);
	uint32_t at = model_place(m, fact->pid, fact->tid);
	struct place *place = &m->places[at];
	if (place->track[fact->kind] == TEXT_NONE)
		place->track[fact->kind] =
			add_track(m, (struct track){ .kind = fact->kind,
						     .place = at,
						     .scope = TEXT_NONE,
						     .process = place->process });
	return place->track[fact->kind];
}

void wides_release(struct wides *w)
{
	spill_free(w->spill, w->large);
	*w = (struct wides){ 0 };
}

uint32_t wide_add_large(struct wides *w, int64_t number)
{
	/* What is large often stays as it is: a total, an id of the whole file. */
	if (w->nlarge == 0 || w->large[w->nlarge - 1] != number) {
		assert(w->nlarge < WIDE_MAX);
		w->large = spill_grow(w->spill, w->large, &w->large_cap, w->nlarge + 1,
				      sizeof(*w->large));
		w->large[w->nlarge++] = number;
	}
	return WIDE_LARGE + (uint32_t)(w->nlarge - 1);
}
