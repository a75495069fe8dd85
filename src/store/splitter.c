/* A sink for the ranks of a merged file: see split.h. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/decimal.h"
#include "base/idmap.h"
#include "base/spelt.h"
#include "base/utf8.h"
#include "ingest/kineto.h"
#include "store/split_keys.h"

#define EXCERPT_BYTES 80
#define NAMING_BYTES  64 /* about what a name costs in one rank, besides its text */

/* A process or thread: whose, and how the rank's own file spells the process. */
struct resolved {
	uint32_t rank;
	struct ident pid;
};

struct rank_track {
	uint32_t rank, track;
};

struct splitter {
	struct sink sink; /* first: the callbacks cast back */
	struct split *split;
	struct loader *const *loaders;
	struct intern *texts;
	struct intern idents;      /* of processes, and of threads */
	struct resolved *resolved; /* owned; by ident */
	size_t resolved_cap;
	struct idmap track_numbers; /* rank and number there -> number here */
	struct rank_track *tracks;  /* owned */
	size_t ntracks, tracks_cap;
	struct rank_times {
		int64_t window_end_ns, span_end_ns;
	} * times;            /* owned; by rank */
	uint32_t window_end;  /* text */
	struct idmap devices; /* those that were told */
	uint64_t file_bytes;
	struct spelt spelt; /* what each rank has of what the file has once */
	bool is_told;       /* that ranks do not have something */
};

static struct splitter *splitter_of(struct sink *s)
{
	return (struct splitter *)s;
}

static struct sink *sink_of(const struct splitter *d, uint32_t rank)
{
	return loader_sink(d->loaders[rank]);
}

/* "[TP00] 4242" is process 4242; what is no number stays a text. */
static struct ident own_pid(struct splitter *d, struct ident pid)
{
	const struct split_member *process = split_process(d->split, d->texts, pid);

	if (process && process->raw_pid != NUMBER_NONE)
		return (struct ident){ process->raw_pid, TEXT_NONE };
	if (!process || !process->tag)
		return pid;
	struct ident own = { 0, TEXT_NONE };
	struct str rest = str_behind(intern_str(d->texts, pid.text), process->tag);
	if (decimal_text_int(rest, &own.number) == DECIMAL_OK)
		return own;
	char *copy = xstrndup(rest.p, rest.n); /* adding a text may move the others */
	own = (struct ident){ 0, intern_add(d->texts, str_bytes(copy, rest.n)) };
	free(copy);
	return own;
}

/* tid NULL: of the process. */
static struct resolved resolve(struct splitter *d, struct ident pid,
			       const struct ident *tid)
{
	struct ident key[2];

	memset(key, 0, sizeof(key)); /* padding too: the key is compared as bytes */
	key[0].number = pid.number;
	key[0].text = pid.text;
	key[1].number = tid ? tid->number : 0;
	key[1].text = tid ? tid->text : 0;
	size_t known = d->idents.n;
	uint32_t at =
		intern_add(&d->idents, str_bytes(key, tid ? sizeof(key) : sizeof(*key)));
	if (at < known)
		return d->resolved[at];
	d->resolved = xgrow(d->resolved, &d->resolved_cap, at + (size_t)1,
			    sizeof(*d->resolved));
	d->resolved[at] =
		(struct resolved){ split_find_rank(d->split, d->texts, pid, tid),
				   own_pid(d, pid) };
	return d->resolved[at];
}

static uint32_t on_text(struct sink *s, struct str text)
{
	return intern_add(splitter_of(s)->texts, text);
}

static uint32_t on_track(struct sink *s, const struct track_fact *track)
{
	struct splitter *d = splitter_of(s);
	struct resolved own =
		resolve(d, track->pid, track->kind == TRACK_ASYNC ? NULL : &track->tid);
	struct track_fact fact = *track;

	fact.pid = own.pid;
	uint32_t number = sink_of(d, own.rank)->track(sink_of(d, own.rank), &fact);
	int64_t key = (int64_t)((uint64_t)own.rank << 32 | number);
	size_t probe = idmap_first(&d->track_numbers, key);
	uint32_t at = idmap_next(&d->track_numbers, &probe);
	if (at != UINT32_MAX)
		return at;
	idmap_add(&d->track_numbers, key, (uint32_t)d->ntracks);
	*ARRAY_PUSH(d->tracks, d->ntracks, d->tracks_cap) =
		(struct rank_track){ own.rank, number };
	return (uint32_t)d->ntracks - 1;
}

/* What kineto_note_event() notes of a file, of each rank. */
static void note_times(struct splitter *d, uint32_t rank, const struct slice_fact *f)
{
	if (f->class == CLASS_SPAN && dur_is_possible(f->dur_ns))
		d->times[rank].span_end_ns = f->ts_ns + f->dur_ns;
	else if (f->phase == PHASE_INSTANT && f->name == d->window_end)
		d->times[rank].window_end_ns = f->ts_ns;
}

static int on_slice(struct sink *s, const struct slice_fact *f, struct err *err)
{
	struct splitter *d = splitter_of(s);
	const struct rank_track *track = &d->tracks[f->track];
	struct slice_fact fact = *f;

	fact.track = track->track;
	note_times(d, track->rank, f);
	return sink_of(d, track->rank)->slice(sink_of(d, track->rank), &fact, err);
}

static int on_counter(struct sink *s, const struct counter_fact *f, struct err *err)
{
	struct splitter *d = splitter_of(s);
	struct resolved own = resolve(d, f->pid, NULL);
	struct counter_fact fact = *f;

	fact.pid = own.pid;
	return sink_of(d, own.rank)->counter(sink_of(d, own.rank), &fact, err);
}

static int on_flow(struct sink *s, const struct flow_fact *f, struct err *err)
{
	struct splitter *d = splitter_of(s);
	struct resolved own = resolve(d, f->pid, &f->tid);
	struct flow_fact fact = *f;

	fact.pid = own.pid;
	return sink_of(d, own.rank)->flow(sink_of(d, own.rank), &fact, err);
}

/* Names, too, may have the rank in front. */
static struct str own_name(struct str name)
{
	return str_behind(name, axes_of_label(name).tag.n);
}

/* The names of a worker's threads say one place: the first counts. */
static void check_worker(struct splitter *d, uint32_t rank, const struct naming_fact *f)
{
	struct axes_told told = axes_of_label(f->text);
	struct sink *own = sink_of(d, rank);

	if (f->kind == NAMING_THREAD && d->split->is_of_workers &&
	    axes_differ(&told.axes, &d->split->ranks[rank].axes))
		own->finding(own, FINDING_AXES_DIFFER, f->offset, STR_LIT(""), f->text);
}

static void tell_shared(struct splitter *d, uint32_t rank, uint64_t offset,
			struct str text)
{
	struct sink *own = sink_of(d, rank);

	own->finding(own, FINDING_SHARED_SIZE, offset, STR_LIT(""),
		     utf8_cut(text, EXCERPT_BYTES));
}

static void name_shared(struct splitter *d, uint32_t rank, const struct naming_fact *f)
{
	struct naming_fact own = *f;

	(void)spelt_take(&d->spelt, NAMING_BYTES, d->file_bytes);
	own.text = utf8_cut(f->text, spelt_part(&d->spelt, f->text.n, d->file_bytes));
	if (own.text.n < f->text.n)
		tell_shared(d, rank, f->offset, f->text);
	sink_of(d, rank)->naming(sink_of(d, rank), &own);
}

/* All ranks of a process have its name; an event that names it once more is short. */
static void name_all(struct splitter *d, const struct axes *axes,
		     const struct naming_fact *f)
{
	uint32_t rank = split_find_rank(d->split, d->texts, f->pid, NULL);
	uint32_t end = (uint32_t)d->split->nranks;

	if (!spelt_take(&d->spelt, end, d->file_bytes)) {
		tell_shared(d, rank, f->offset, f->text);
		end = rank + 1;
	}
	for (; rank < end; rank++)
		if (!axes_differ(axes, &d->split->ranks[rank].axes))
			name_shared(d, rank, f);
}

/* So many ranks, from the first on, have what takes n bytes in each: all or one. */
static uint32_t ranks_with(struct splitter *d, size_t n, struct str what)
{
	uint32_t nranks = (uint32_t)d->split->nranks;

	if (spelt_take(&d->spelt, (size_t)nranks * n, d->file_bytes))
		return nranks;
	for (uint32_t rank = 1; rank < nranks && !d->is_told; rank++)
		tell_shared(d, rank, 0, what);
	d->is_told = true;
	return 1;
}

static void on_naming(struct sink *s, const struct naming_fact *f)
{
	struct splitter *d = splitter_of(s);
	const struct split_member *process = split_process(d->split, d->texts, f->pid);
	bool is_thread = naming_is_thread(f->kind);
	struct naming_fact fact = *f;

	if (!naming_is_sort(f->kind))
		fact.text = own_name(f->text);
	if (process && process->is_shared && !is_thread) {
		name_all(d, &process->axes, &fact);
		return;
	}
	struct resolved own = resolve(d, f->pid, is_thread ? &f->tid : NULL);
	fact.pid = own.pid;
	check_worker(d, own.rank, f);
	sink_of(d, own.rank)->naming(sink_of(d, own.rank), &fact);
}

static void on_metadata(struct sink *s, struct str key, struct str json)
{
	struct splitter *d = splitter_of(s);

	uint32_t n = ranks_with(d, key.n + json.n + sizeof(struct metadata_rec), key);

	for (uint32_t rank = 0; rank < n; rank++)
		sink_of(d, rank)->metadata(sink_of(d, rank), key, json);
}

/* Who merges files puts their lists together: the first entry of a device counts. */
static void on_device_info(struct sink *s, const struct device_info_fact *device)
{
	struct splitter *d = splitter_of(s);

	if (idmap_first(&d->devices, device->id))
		return;
	idmap_add(&d->devices, device->id, 0);
	uint32_t n = ranks_with(d, device->name.n + device->json.n + sizeof(*device),
				device->name);
	for (uint32_t rank = 0; rank < n; rank++)
		sink_of(d, rank)->device_info(sink_of(d, rank), device);
}

static void on_profile(struct sink *s, const struct profile_fact *profile)
{
	struct splitter *d = splitter_of(s);

	for (uint32_t rank = 0; rank < d->split->nranks; rank++) {
		struct profile_fact own = *profile;
		own.rank = d->split->ranks[rank].rank;
		own.window_end_ns = d->times[rank].window_end_ns;
		own.span_end_ns = d->times[rank].span_end_ns;
		sink_of(d, rank)->profile(sink_of(d, rank), &own);
	}
}

/* Whose it is, is not known: the first rank's. */
static void on_finding(struct sink *s, enum finding finding, uint64_t offset,
		       struct str detail, struct str excerpt)
{
	struct sink *first = sink_of(splitter_of(s), 0);

	first->finding(first, finding, offset, detail, excerpt);
}

static int on_tick(struct sink *s, uint64_t consumed, uint64_t size, struct err *err)
{
	struct sink *first = sink_of(splitter_of(s), 0);

	return first->tick(first, consumed, size, err);
}

struct splitter *splitter_new(struct split *s, struct loader *const *loaders,
			      struct intern *texts, uint64_t file_bytes)
{
	struct splitter *d = xcalloc(1, sizeof(*d));

	d->sink.text = on_text;
	d->sink.track = on_track;
	d->sink.slice = on_slice;
	d->sink.counter = on_counter;
	d->sink.flow = on_flow;
	d->sink.naming = on_naming;
	d->sink.metadata = on_metadata;
	d->sink.device_info = on_device_info;
	d->sink.profile = on_profile;
	d->sink.finding = on_finding;
	d->sink.tick = on_tick;
	d->split = s;
	d->loaders = loaders;
	d->texts = texts;
	d->file_bytes = file_bytes;
	d->window_end = intern_add(texts, STR_LIT(KINETO_WINDOW_END));
	d->times = xcalloc(s->nranks, sizeof(*d->times));
	for (size_t i = 0; i < s->nranks; i++)
		d->times[i] = (struct rank_times){ NUMBER_NONE, NUMBER_NONE };
	intern_init(&d->idents);
	idmap_init(&d->track_numbers, 0);
	idmap_init(&d->devices, 0);
	return d;
}

void splitter_free(struct splitter *d)
{
	if (!d)
		return;
	intern_release(&d->idents);
	idmap_release(&d->track_numbers);
	idmap_release(&d->devices);
	free(d->resolved);
	free(d->tracks);
	free(d->times);
	free(d);
}

struct sink *splitter_sink(struct splitter *d)
{
	return &d->sink;
}
