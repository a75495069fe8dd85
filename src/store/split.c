/* Which processes and threads of a file are whose: see split.h. */
#include "store/split.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "store/model.h"
#include "store/split_keys.h"
#include "trace/pipeline_op.h"

#define NAME_MAX_BYTES 256
#define PIDS_APART     1000000

/* What a process says of the ranks in it. */
struct told {
	struct axes axes;
	int64_t rank;
	size_t tag;  /* bytes of its pid's text before the pid */
	int64_t raw; /* the pid before tools changed it, or NUMBER_NONE */
	bool is_known;
	bool is_shared; /* its threads are of several ranks */
};

static struct str text_of(const struct model *m, uint32_t text)
{
	return text == TEXT_NONE ? STR_LIT("") : intern_str(m->texts, text);
}

static bool takes(struct told *told, struct axes_told label)
{
	if (!axes_known(&label.axes) && label.rank == NUMBER_NONE)
		return false;
	told->axes = label.axes;
	told->rank = label.rank;
	told->is_known = true;
	return true;
}

/* Who writes "[rank 3] " before names moves pids apart by a million. */
static int64_t raw_pid(struct ident pid, const struct axes_told *name)
{
	if (!name->tag.n || name->rank == NUMBER_NONE || pid.text != TEXT_NONE ||
	    pid.number < name->rank * PIDS_APART)
		return NUMBER_NONE;
	return pid.number - name->rank * PIDS_APART;
}

/* The pid tells it before labels do, and these before names. */
static struct told process_tells(const struct model *m, const struct process *p)
{
	struct told told = { .axes = AXES_NONE,
			     .rank = NUMBER_NONE,
			     .raw = p->origin_pid };
	struct axes_told pid = axes_of_label(text_of(m, p->pid.text));

	if (p->origin_rank != NUMBER_NONE) {
		told.rank = p->origin_rank;
		told.is_known = true;
	} else if (takes(&told, pid)) {
		told.tag = pid.tag.n;
	} else if (!takes(&told, axes_of_label(text_of(m, p->labels)))) {
		struct axes_told name = axes_of_label(text_of(m, p->name));
		takes(&told, name);
		told.raw = raw_pid(p->pid, &name);
	}
	return told;
}

/* "rank3", "tp0-dp1". */
static const char *name_of(struct arena *arena, const struct axes *axes, int64_t rank)
{
	char name[NAME_MAX_BYTES];
	int n = 0;

	name[0] = '\0';
	if (rank != NUMBER_NONE)
		n = snprintf(name, sizeof(name), "rank%" PRId64, rank);
	for (int a = 0; a < NAXES; a++)
		if (axes->at[a] != NUMBER_NONE)
			n += snprintf(name + n, sizeof(name) - (size_t)n, "%s%s%" PRId64,
				      n ? "-" : "", axis_names[a], axes->at[a]);
	return arena_strdup(arena, name);
}

uint32_t split_add_rank(struct split *s, const struct axes *axes, int64_t rank)
{
	int64_t key[NAXES + 1];

	memcpy(key, axes->at, sizeof(axes->at));
	key[NAXES] = rank;
	size_t known = s->rank_keys.n;
	uint32_t at = intern_add(&s->rank_keys, str_bytes(key, sizeof(key)));
	if (at < known || at >= s->most)
		return at < s->most ? at : UINT32_MAX;
	s->ranks = xgrow(s->ranks, &s->ranks_cap, at + (size_t)1, sizeof(*s->ranks));
	s->ranks[at] =
		(struct split_rank){ *axes, rank, name_of(&s->arena, axes, rank), false };
	s->nranks = at + (size_t)1;
	return at;
}

static void add_ident(const struct intern *texts, struct ident ident, struct buf *out)
{
	if (ident.text == TEXT_NONE) {
		buf_addf(out, "%" PRId64, ident.number);
		return;
	}
	buf_add_char(out, '"');
	buf_add_str(out, intern_str(texts, ident.text));
}

/* Behind both is where the tid begins: texts may have any bytes, NUL too. */
static struct str key_of(struct split *s, const struct intern *texts, struct ident pid,
			 const struct ident *tid)
{
	size_t tid_at = SIZE_MAX;

	buf_clear(&s->key);
	add_ident(texts, pid, &s->key);
	if (tid) {
		tid_at = s->key.n;
		add_ident(texts, *tid, &s->key);
	}
	buf_add(&s->key, &tid_at, sizeof(tid_at));
	return buf_str(&s->key);
}

void split_add_member(struct split *s, const struct model *m, struct ident pid,
		      const struct ident *tid, struct split_member member)
{
	size_t known = s->keys.n;
	uint32_t at = intern_add(&s->keys, key_of(s, m->texts, pid, tid));
	if (at < known)
		return;
	s->members =
		xgrow(s->members, &s->members_cap, at + (size_t)1, sizeof(*s->members));
	s->members[at] = member;
	s->nmembers = at + (size_t)1;
}

/* NULL: it says nothing. */
static struct split_member *member_of(struct split *s, const struct intern *texts,
				      struct ident pid, const struct ident *tid)
{
	uint32_t at = intern_add(&s->keys, key_of(s, texts, pid, tid));

	return at < s->nmembers ? &s->members[at] : NULL;
}

const struct split_member *split_process(struct split *s, const struct intern *texts,
					 struct ident pid)
{
	return member_of(s, texts, pid, NULL);
}

/* Names of threads count only in full: "PP rank 1, TP rank 0", in a process with axes. */
static bool thread_tells(const struct model *m, const struct place *place,
			 const struct told *process, struct axes *out)
{
	struct axes_told told = axes_of_label(text_of(m, place->name));

	if (!axes_known(&process->axes) || !told.is_spelled || !axes_known(&told.axes))
		return false;
	*out = process->axes;
	axes_fill(out, &told.axes);
	return true;
}

static void add_threads(struct split *s, const struct model *m, struct told *processes)
{
	struct axes axes;

	for (size_t i = 0; i < m->nplaces; i++) {
		const struct place *place = &m->places[i];
		struct told *told = &processes[place->process];
		if (!thread_tells(m, place, told, &axes))
			continue;
		uint32_t rank = split_add_rank(s, &axes, told->rank);
		if (rank == UINT32_MAX)
			return;
		told->is_shared = true;
		split_add_member(s, m, place->pid, &place->tid,
				 (struct split_member){ .rank = rank });
	}
}

static void add_processes(struct split *s, const struct model *m,
			  const struct told *processes)
{
	for (size_t i = 0; i < m->nprocesses; i++) {
		const struct told *told = &processes[i];
		if (!told->is_known)
			continue;
		struct split_member member = { .rank = UINT32_MAX,
					       .tag = told->tag,
					       .raw_pid = told->raw,
					       .axes = told->axes,
					       .is_shared = told->is_shared };
		if (!told->is_shared)
			member.rank = split_add_rank(s, &told->axes, told->rank);
		if (!told->is_shared && member.rank == UINT32_MAX)
			return;
		split_add_member(s, m, m->processes[i].pid, NULL, member);
	}
}

/* There is one: its threads made it. */
static uint32_t first_rank(const struct split *s, struct split_member *process)
{
	uint32_t first = 0;

	if (process->rank != UINT32_MAX)
		return process->rank;
	while (axes_differ(&process->axes, &s->ranks[first].axes))
		first++;
	process->rank = first;
	return first;
}

/* Which ranks have a track; what says nothing is the first one's. */
static void mark_events(struct split *s, const struct model *m)
{
	for (size_t i = 0; i < m->ntracks; i++) {
		const struct track *t = &m->tracks[i];
		const struct ident pid = m->processes[t->process].pid;
		const struct ident *tid =
			t->place == TEXT_NONE ? NULL : &m->places[t->place].tid;
		uint32_t rank = split_find_rank(s, m->texts, pid, tid);
		s->ranks[rank].has_events = true;
	}
}

uint32_t split_find_rank(struct split *s, const struct intern *texts, struct ident pid,
			 const struct ident *tid)
{
	struct split_member *process = member_of(s, texts, pid, NULL);

	if (!process)
		return 0;
	if (!process->is_shared)
		return process->rank;
	const struct split_member *thread = tid ? member_of(s, texts, pid, tid) : NULL;
	if (thread)
		return thread->rank;
	return first_rank(s, process);
}

static bool is_of_several(const struct split *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nranks; i++)
		n += s->ranks[i].has_events;
	return n > (s->is_of_workers ? 0 : 1);
}

/* By what processes say, and threads of those that say they are shared. */
static void add_all(struct split *s, const struct model *m)
{
	struct told *processes = xcalloc(m->nprocesses + 1, sizeof(*processes));
	bool is_any = false;

	for (size_t i = 0; i < m->nprocesses; i++) {
		processes[i] = process_tells(m, &m->processes[i]);
		is_any |= processes[i].is_known;
	}
	if (is_any) {
		add_threads(s, m, processes);
		add_processes(s, m, processes);
	}
	free(processes);
}

int split_find(const struct model *m, struct split **out, struct err *err)
{
	struct split *s = xcalloc(1, sizeof(*s));
	int rc = 0;

	*out = NULL;
	s->most = m->limits->ranks;
	intern_init(&s->keys);
	intern_init(&s->rank_keys);
	buf_init(&s->key, SIZE_MAX);
	if (m->profile.format && strcmp(m->profile.format, PIPELINE_FORMAT) == 0)
		split_workers(s, m);
	else
		add_all(s, m);
	if (split_is_over(s))
		rc = err_set(err, ERR_INPUT,
			     "more than %" PRIu64 " ranks in one file: ingest the files "
			     "that it was made of, or some of the ranks at a time",
			     s->most);
	else if (s->nranks > (s->is_of_workers ? 0 : 1))
		mark_events(s, m);
	if (rc == 0 && is_of_several(s))
		*out = s;
	else
		split_free(s);
	return rc;
}

void split_free(struct split *s)
{
	if (!s)
		return;
	intern_release(&s->keys);
	intern_release(&s->rank_keys);
	buf_release(&s->key);
	free(s->members);
	free(s->ranks);
	arena_release(&s->arena);
	free(s);
}

size_t split_nranks(const struct split *s)
{
	return s->nranks;
}

const struct split_rank *split_rank_at(const struct split *s, size_t i)
{
	return &s->ranks[i];
}
