/* Copies and sets of a profile: see transfers.h. */
#include "query/comm/transfers.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/array.h"
#include "query/query.h"

ASSET(asset_query_views_transfer_copies_sql);

/* Bytes and directions of all copies and sets of a profile, by slice. */
struct copied_bytes {
	struct copied {
		int64_t slice_id, bytes; /* bytes may be NUMBER_NONE */
		uint8_t kind;            /* enum transfer_kind; TRANSFER_COPY: unknown */
	} * items;                       /* owned; by slice_id */
	size_t n, cap;
};

static int compare_copied(const void *a, const void *b)
{
	const struct copied *x = a, *y = b;

	return (x->slice_id > y->slice_id) - (x->slice_id < y->slice_id);
}

static int copied_bytes_load(struct store *store, const struct scope_profile *profile,
			     struct copied_bytes *out, struct err *err)
{
	*out = (struct copied_bytes){ .n = 0 };
	struct query q = query_of_profile(store, asset_query_views_transfer_copies_sql,
					  profile, err);

	while (query_next(&q, err)) {
		struct cell direction = query_cell(q.stmt, 2);
		struct copied row = { sqlite3_column_int64(q.stmt, 0),
				      query_number(q.stmt, 1), TRANSFER_COPY };
		if (direction.type == CELL_TEXT)
			row.kind = (uint8_t)transfer_kind_of(direction.as.text);
		if (row.bytes < 0) /* no size */
			row.bytes = NUMBER_NONE;
		*ARRAY_PUSH(out->items, out->n, out->cap) = row;
	}
	return query_end(&q);
}

static struct copied copied_of(const struct copied_bytes *b, int64_t slice_id)
{
	const struct copied none = { slice_id, NUMBER_NONE, TRANSFER_COPY };
	const struct copied *found =
		b->n ? bsearch(&none, b->items, b->n, sizeof(none), compare_copied)
		     : NULL;

	return found ? *found : none;
}

/*
 * CUDA's "API synchronization behavior": a copy call that is not asynchronous returns
 * when the host's memory may be used again; one between places on devices, and a set,
 * never wait; and memory that is not pinned is staged by the caller.
 */
enum transfer_wait transfer_wait_of(struct transfer_name what, struct str call,
				    struct str next_call)
{
	bool of_host = what.kind != TRANSFER_DTOD && what.kind != TRANSFER_PTOP &&
		       what.kind != TRANSFER_SET;

	if (of_host && str_contains(call, STR_LIT("emcpy")) &&
	    !str_contains(call, STR_LIT("Async")))
		return WAIT_CALL;
	if (of_host && what.memory == HOST_MEMORY_PAGEABLE)
		return WAIT_PAGEABLE;
	return str_contains(next_call, STR_LIT("Synchronize")) ? WAIT_SYNCHRONIZE
							       : WAIT_NO;
}

const char *transfer_wait_name(enum transfer_wait wait)
{
	static const char *const names[NTRANSFER_WAITS] = {
		[WAIT_NO] = "no",
		[WAIT_CALL] = "call",
		[WAIT_PAGEABLE] = "pageable",
		[WAIT_SYNCHRONIZE] = "sync",
	};

	return names[wait];
}

/* The call that asked for it, and whether that waited. */
static int find_call(struct slice_finder *f, int64_t launch_id, struct transfer *t,
		     struct err *err)
{
	struct found_slice call;
	uint32_t next;
	int rc = slice_finder_call(f, launch_id, &call, &next, err);

	if (rc <= 0)
		return rc;
	t->call = call.name;
	const struct transfer_name what = { t->kind, t->memory };
	t->wait = (uint8_t)transfer_wait_of(what, text_pool_str(f->texts, call.name),
					    text_pool_str(f->texts, next));
	return 0;
}

static int add_transfer(struct transfers_sources *from, const struct work_item *item,
			struct transfer t, struct transfers *out, struct err *err)
{
	if (find_call(&from->finder, item->launch_id, &t, err) < 0)
		return -1;
	t.op = item->op_name;
	*ARRAY_PUSH(out->items, out->n, out->cap) = t;
	return 0;
}

/* All but the calls of the host. */
static struct transfer transfer_of(const struct transfers_sources *from,
				   const struct work_item *item,
				   const struct work_stream *stream,
				   const struct copied_bytes *bytes)
{
	struct copied copied = copied_of(bytes, item->slice_id);
	struct transfer_name what = transfer_name_of(
		item->kind == WORK_MEMSET, text_pool_str(from->texts, item->name));

	return (struct transfer){
		.start_ns = item->start_ns,
		.end_ns = item->end_ns,
		.slice_id = item->slice_id,
		.bytes = copied.bytes,
		.stream = stream->stream,
		.step = work_filter_step(&from->choice, item->step_id),
		.name = item->name,
		.call = TEXT_NONE,
		.device = (uint32_t)stream->device,
		.kind = what.kind == TRANSFER_COPY ? copied.kind : (uint8_t)what.kind,
		.memory = (uint8_t)what.memory,
	};
}

static int add_item(struct transfers_sources *from, const struct device_work *work,
		    const struct work_item *item, const struct copied_bytes *bytes,
		    struct transfers *out, struct err *err)
{
	const struct work_stream *stream = &work->streams[item->stream];
	const struct transfer t = transfer_of(from, item, stream, bytes);
	const struct work_piece piece = {
		.name = item->name,
		.device = work->devices[stream->device].device,
		.stream = stream->stream,
		.step = t.step,
		.start_ns = item->start_ns,
		.dur_ns = item->end_ns - item->start_ns,
	};
	int wanted = work_filter_wants(&from->choice, &piece, err);

	return wanted > 0 ? add_transfer(from, item, t, out, err) : wanted;
}

int transfers_load(struct transfers_sources *from, const struct scope_profile *profile,
		   const struct device_work *work, struct transfers *out, struct err *err)
{
	struct copied_bytes bytes;

	*out = (struct transfers){ .n = 0 };
	int rc = copied_bytes_load(from->store, profile, &bytes, err);
	for (size_t i = 0; i < work->n && rc == 0; i++) {
		const struct work_item *item = &work->items[i];
		if (work_kind_is_memory((enum work_kind)item->kind))
			rc = add_item(from, work, item, &bytes, out, err);
	}
	free(bytes.items);
	return rc;
}

int transfers_sources_open(struct store *store, const struct scope *scope,
			   const struct filter *filter, struct text_pool *texts,
			   struct transfers_sources *out, struct err *err)
{
	*out = (struct transfers_sources){ .store = store, .texts = texts };
	out->finder = slice_finder_of(store, texts);
	return work_filter_open(store, scope, filter, texts, &out->choice, err);
}

void transfers_sources_close(struct transfers_sources *s)
{
	work_filter_close(&s->choice);
	slice_finder_close(&s->finder);
}

void transfers_release(struct transfers *t)
{
	free(t->items);
	*t = (struct transfers){ .n = 0 };
}

/* CUPTI's arrays lie on the device; M is the host's memory, as XPU says it, S shared. */
static const struct direction {
	const char *part;
	enum transfer_kind kind;
} directions[] = {
	{ "HtoD", TRANSFER_HTOD },
	{ "DtoH", TRANSFER_DTOH },
	{ "DtoD", TRANSFER_DTOD },
	{ "PtoP", TRANSFER_PTOP },
	{ "HtoH", TRANSFER_HTOH },
	{ "HtoA", TRANSFER_HTOD },
	{ "AtoH", TRANSFER_DTOH },
	{ "AtoA", TRANSFER_DTOD },
	{ "AtoD", TRANSFER_DTOD },
	{ "DtoA", TRANSFER_DTOD },
	{ "PEER_TO_PEER", TRANSFER_PTOP },
	{ "HOST_TO_DEVICE", TRANSFER_HTOD },
	{ "DEVICE_TO_HOST", TRANSFER_DTOH },
	{ "DEVICE_TO_DEVICE", TRANSFER_DTOD },
	{ "HOST_TO_HOST", TRANSFER_HTOH },
	{ "PeerToPeer", TRANSFER_PTOP },
	{ "HostToDevice", TRANSFER_HTOD },
	{ "DeviceToHost", TRANSFER_DTOH },
	{ "DeviceToDevice", TRANSFER_DTOD },
	{ "HostToHost", TRANSFER_HTOH },
	{ "H2D", TRANSFER_HTOD },
	{ "D2H", TRANSFER_DTOH },
	{ "D2D", TRANSFER_DTOD },
	{ "P2P", TRANSFER_PTOP },
	{ "H2H", TRANSFER_HTOH },
	{ "M2D", TRANSFER_HTOD },
	{ "D2M", TRANSFER_DTOH },
	{ "M2M", TRANSFER_HTOH },
};

static const struct memory_word {
	const char *word;
	enum host_memory memory;
} memories[] = {
	{ "Pageable", HOST_MEMORY_PAGEABLE },
	{ "Pinned", HOST_MEMORY_PINNED },
	{ "Managed", HOST_MEMORY_MANAGED },
};

/* What stands from the first parenthesis on; empty when there is none. */
static struct str places_of(struct str name)
{
	const char *open = name.n ? memchr(name.p, '(', name.n) : NULL;

	return str_behind(name, open ? (size_t)(open - name.p) : name.n);
}

enum transfer_kind transfer_kind_of(struct str name)
{
	for (size_t i = 0; i < sizeof(directions) / sizeof(*directions); i++)
		if (str_contains(name, str_of(directions[i].part)))
			return directions[i].kind;
	return TRANSFER_COPY;
}

struct transfer_name transfer_name_of(bool is_set, struct str name)
{
	struct transfer_name out = { is_set ? TRANSFER_SET : transfer_kind_of(name),
				     HOST_MEMORY_UNKNOWN };
	struct str places = places_of(name);

	for (size_t i = 0; i < sizeof(memories) / sizeof(*memories); i++)
		if (str_contains(places, str_of(memories[i].word))) {
			out.memory = memories[i].memory;
			break;
		}
	return out;
}

const char *transfer_kind_name(enum transfer_kind kind)
{
	static const char *const names[NTRANSFER_KINDS] = {
		[TRANSFER_HTOD] = "HtoD",  [TRANSFER_DTOH] = "DtoH",
		[TRANSFER_DTOD] = "DtoD",  [TRANSFER_PTOP] = "PtoP",
		[TRANSFER_HTOH] = "HtoH",  [TRANSFER_COPY] = "copy",
		[TRANSFER_SET] = "memset",
	};

	return names[kind];
}

const char *host_memory_name(enum host_memory memory)
{
	static const char *const names[NHOST_MEMORIES] = {
		[HOST_MEMORY_PAGEABLE] = "pageable",
		[HOST_MEMORY_PINNED] = "pinned",
		[HOST_MEMORY_MANAGED] = "managed",
	};

	return names[memory];
}
