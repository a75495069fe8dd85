/* The names of rows in TensorFlow's and JAX's traces: see xprof.h. */
#include "ingest/xprof.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "base/intern.h"

#define NAMED_MAX   ((size_t)1 << 15) /* more rows of devices are no recording */
#define NAMED_LEAST 64                /* a power of two */

enum named_kind {
	NAMED_NONE, /* a free slot */
	NAMED_OTHER,
	NAMED_HOST,
	NAMED_GPU,         /* its rows of streams are its work */
	NAMED_ACCELERATOR, /* its row of operations is */
	NAMED_STREAM,
	NAMED_OPERATIONS
};

struct xprof_named {
	int64_t pid, tid;
	int64_t number; /* of a device or a stream, or NUMBER_NONE */
	bool is_process;
	uint8_t kind; /* enum named_kind */
};

void xprof_release(struct xprof *x)
{
	free(x->all);
	*x = (struct xprof){ 0 };
}

static uint64_t key_hash(const struct xprof_named *key)
{
	uint64_t tid = (uint64_t)key->tid * 2 + key->is_process;

	return hash_u64((uint64_t)key->pid * UINT64_C(0x9e3779b97f4a7c15) ^ tid);
}

/* Where the entry is, or the free slot where it would be. */
static struct xprof_named *find_slot(const struct xprof *x, const struct xprof_named *key)
{
	size_t at = key_hash(key) & (x->nslots - 1);

	for (;; at = (at + 1) & (x->nslots - 1)) {
		struct xprof_named *slot = &x->all[at];
		if (slot->kind == NAMED_NONE ||
		    (slot->pid == key->pid && slot->tid == key->tid &&
		     slot->is_process == key->is_process))
			return slot;
	}
}

static void grow(struct xprof *x)
{
	struct xprof old = *x;

	x->nslots = old.nslots ? 2 * old.nslots : NAMED_LEAST;
	x->all = xcalloc(x->nslots, sizeof(*x->all));
	for (size_t i = 0; i < old.nslots; i++)
		if (old.all[i].kind != NAMED_NONE)
			*find_slot(x, &old.all[i]) = old.all[i];
	free(old.all);
}

/* The last name counts: one that says nothing takes an earlier one's place. */
static void add_name(struct xprof *x, const struct xprof_named *named)
{
	bool known = x->n && find_slot(x, named)->kind != NAMED_NONE;

	if (!known && (named->kind == NAMED_OTHER || x->n == NAMED_MAX))
		return;
	if (2 * (x->n + 1) > x->nslots)
		grow(x);
	*find_slot(x, named) = *named;
	x->n += !known;
}

/* NULL: it has no name that says something. */
static const struct xprof_named *find_name(const struct xprof *x, int64_t pid,
					   int64_t tid, bool is_process)
{
	const struct xprof_named key = { .pid = pid,
					 .tid = tid,
					 .is_process = is_process };
	const struct xprof_named *slot = x->n ? find_slot(x, &key) : NULL;

	return slot && slot->kind != NAMED_NONE ? slot : NULL;
}

int64_t xprof_number(struct str text, size_t *n)
{
	int64_t number;

	*n = 0;
	while (*n < text.n && text.p[*n] >= '0' && text.p[*n] <= '9')
		++*n;
	if (decimal_text_int((struct str){ text.p, *n }, &number) != DECIMAL_OK)
		return NUMBER_NONE;
	return number;
}

struct process_prefix {
	struct str text;
	enum named_kind kind;
};

static const struct process_prefix prefixes[] = {
	{ { "/host:", 6 }, NAMED_HOST },
	{ { "/device:GPU:", 12 }, NAMED_GPU },
	{ { "/device:CPU:", 12 }, NAMED_OTHER },
	{ { "/device:", 8 }, NAMED_ACCELERATOR },
};

/*
 * "/host:CPU", "/device:TPU:0", "/device:GPU:0 (Metal)", after a host's name in
 * files of several hosts.  TensorFlow 1 wrote "/device:GPU:0/stream:all Compute",
 * whose rows show the same work twice: that is left as it stands.
 */
static enum named_kind process_kind(struct str name, int64_t *number)
{
	const char *at = name.n ? memchr(name.p, ' ', name.n) : NULL;
	size_t n;

	if (at && name.p[0] != '/')
		name = str_behind(name, (size_t)(at - name.p) + 1);
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		if (!str_starts_with(name, prefixes[i].text))
			continue;
		struct str rest = str_behind(name, prefixes[i].text.n);
		const char *colon = rest.n ? memchr(rest.p, ':', rest.n) : NULL;
		if (prefixes[i].kind == NAMED_ACCELERATOR && colon)
			rest = str_behind(rest, (size_t)(colon - rest.p) + 1);
		*number = xprof_number(rest, &n);
		rest = str_behind(rest, n);
		return rest.n && rest.p[0] == '/' ? NAMED_OTHER : prefixes[i].kind;
	}
	return NAMED_OTHER;
}

void xprof_process_name(struct xprof *x, struct ident pid, struct str name)
{
	struct xprof_named named = { .pid = pid.number,
				     .number = NUMBER_NONE,
				     .is_process = true };

	if (pid.text != TEXT_NONE)
		return;
	named.kind = (uint8_t)process_kind(name, &named.number);
	x->seen |= named.kind != NAMED_OTHER;
	add_name(x, &named);
}

void xprof_thread_name(struct xprof *x, struct ident pid, struct ident tid,
		       struct str name)
{
	const struct str stream = STR_LIT("Stream #");
	struct xprof_named named = { .pid = pid.number,
				     .tid = tid.number,
				     .number = NUMBER_NONE,
				     .kind = NAMED_OTHER };
	size_t n;

	if (pid.text != TEXT_NONE || tid.text != TEXT_NONE)
		return;
	if (str_starts_with(name, stream)) {
		named.kind = NAMED_STREAM;
		named.number = xprof_number(str_behind(name, stream.n), &n);
	} else if (str_is(name, "XLA Ops") || str_is(name, "Sparse Core Ops")) {
		named.kind = NAMED_OPERATIONS;
	}
	add_name(x, &named);
}

struct xprof_row xprof_row(const struct xprof *x, struct ident pid, struct ident tid)
{
	struct xprof_row row = { XPROF_UNKNOWN, NUMBER_NONE, NUMBER_NONE };

	if (pid.text != TEXT_NONE || tid.text != TEXT_NONE)
		return row;
	const struct xprof_named *process = find_name(x, pid.number, 0, true);
	if (!process || process->kind == NAMED_OTHER)
		return row;
	row.kind = XPROF_DERIVED;
	if (process->kind == NAMED_HOST)
		row.kind = XPROF_HOST;
	else
		row.device = process->number;
	const struct xprof_named *thread = find_name(x, pid.number, tid.number, false);
	if (!thread || row.kind == XPROF_HOST)
		return row;
	if (thread->kind == NAMED_STREAM) {
		row.kind = XPROF_STREAM;
		row.stream = thread->number;
	} else if (thread->kind == NAMED_OPERATIONS &&
		   process->kind == NAMED_ACCELERATOR) {
		row.kind = XPROF_OPERATIONS;
	}
	return row;
}
