/* Tables of a profile.proto: see pprof_tables.h. */
#include "ingest/pprof_tables.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"

enum { MAPPING_ID = 1, MAPPING_FILE = 5 };
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_FILE = 4, FUNCTION_LINE = 5 };

/*
 * A row.  The message of a function or mapping is read once, and what is used of it is kept
 * here; a location has frames, the outermost first.
 */
struct pprof_item {
	uint64_t id;
	struct str message;
	uint64_t name, file, line; /* places of texts, and where a function begins */
	size_t first, n;           /* of frames; n = SIZE_MAX: the sink has none yet */
};

static void items_add(struct pprof_items *items, uint64_t id, struct str message)
{
	*ARRAY_PUSH(items->at, items->n, items->cap) =
		(struct pprof_item){ .id = id, .message = message, .n = SIZE_MAX };
}

static void add_function(struct pprof_items *items, struct str message)
{
	items_add(items, pprof_number(message, FUNCTION_ID), message);
	struct pprof_item *item = &items->at[items->n - 1];
	item->name = pprof_number(message, FUNCTION_NAME);
	item->file = pprof_number(message, FUNCTION_FILE);
	item->line = pprof_number(message, FUNCTION_LINE);
}

static void add_mapping(struct pprof_items *items, struct str message)
{
	items_add(items, pprof_number(message, MAPPING_ID), message);
	items->at[items->n - 1].file = pprof_number(message, MAPPING_FILE);
}

static int by_id(const void *a, const void *b)
{
	const struct pprof_item *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->message.p > y->message.p) - (x->message.p < y->message.p);
}

static int items_sort(struct pprof_items *items, const char *what, struct str file,
		      struct err *err)
{
	if (items->n)
		qsort(items->at, items->n, sizeof(*items->at), by_id);
	for (size_t i = 1; i < items->n; i++)
		if (items->at[i].id == items->at[i - 1].id)
			return err_at(err, (uint64_t)(items->at[i].message.p - file.p),
				      "a second %s with the id %llu", what,
				      (unsigned long long)items->at[i].id);
	return 0;
}

/* NULL: the file has none of that id. */
static struct pprof_item *items_find(struct pprof_items *items, uint64_t id)
{
	size_t at;

	SEARCH(at, (size_t)0, items->n, items->at[at].id < id);
	return at < items->n && items->at[at].id == id ? &items->at[at] : NULL;
}

uint64_t pprof_number(struct str message, uint32_t field)
{
	struct proto m = proto_of(message);
	struct proto_field f;
	uint64_t value = 0;

	while (proto_next(&m, &f) > 0)
		if (f.number == field && f.wire == PROTO_VARINT)
			value = f.value;
	return value;
}

struct str pprof_text(struct pprof_tables *t, uint64_t place)
{
	t->nlost += place >= t->ntexts;
	return place < t->ntexts ? t->texts[place] : STR_LIT("");
}

int pprof_text_number(struct pprof_tables *t, uint64_t place, uint64_t offset,
		      uint32_t *number, struct err *err)
{
	if (t->numbers[place] == TEXT_NONE &&
	    stacks_text(t->stacks, t->texts[place], offset, &t->numbers[place], err) < 0)
		return -1;
	*number = t->numbers[place];
	return 0;
}

void pprof_tables_init(struct pprof_tables *t, struct stacks *stacks, uint64_t file_bytes)
{
	*t = (struct pprof_tables){ .stacks = stacks, .file_bytes = file_bytes };
	idmap_init(&t->pushed, 0);
}

void pprof_tables_take(struct pprof_tables *t, const struct proto_field *f)
{
	if (!pprof_is_message(f))
		return;
	if (f->number == PPROF_STRING_TABLE)
		*ARRAY_PUSH(t->texts, t->ntexts, t->texts_cap) = f->bytes;
	else if (f->number == PPROF_LOCATION)
		items_add(&t->locations, pprof_number(f->bytes, LOCATION_ID), f->bytes);
	else if (f->number == PPROF_FUNCTION)
		add_function(&t->functions, f->bytes);
	else if (f->number == PPROF_MAPPING)
		add_mapping(&t->mappings, f->bytes);
}

int pprof_tables_sort(struct pprof_tables *t, struct str file, struct err *err)
{
	if (items_sort(&t->locations, "location", file, err) < 0 ||
	    items_sort(&t->functions, "function", file, err) < 0 ||
	    items_sort(&t->mappings, "mapping", file, err) < 0)
		return -1;
	t->numbers = xcalloc(t->ntexts + 1, sizeof(*t->numbers));
	for (size_t i = 0; i < t->ntexts; i++)
		t->numbers[i] = TEXT_NONE;
	return 0;
}

void pprof_tables_release(struct pprof_tables *t)
{
	free(t->locations.at);
	free(t->functions.at);
	free(t->mappings.at);
	free(t->texts);
	free(t->numbers);
	free(t->frames);
	idmap_release(&t->pushed);
}

/* A frame of a location: its function, in a file or in none, and the line that ran. */
static int add_frame(struct pprof_tables *t, struct function_fact *function,
		     uint64_t file, int64_t line, uint64_t offset, struct err *err)
{
	struct sink *sink = t->stacks->sink;
	struct frame_fact fact = { .line = line };

	if (pprof_text(t, file).n) {
		if (pprof_text_number(t, file, offset, &function->file, err) < 0)
			return -1;
	} else {
		function->file = t->stacks->no_file;
		function->line = 0;
	}
	fact.function = sink->function(sink, function);
	*ARRAY_PUSH(t->frames, t->nframes, t->frames_cap) =
		sink->frame(sink, SAMPLE_NONE, &fact);
	return 0;
}

static int64_t line_number(uint64_t value)
{
	return value && value <= INT64_MAX ? (int64_t)value : NUMBER_NONE;
}

static int add_line(struct pprof_tables *t, struct str line, uint64_t offset,
		    struct err *err)
{
	uint64_t id = pprof_number(line, LINE_FUNCTION);
	const struct pprof_item *item = items_find(&t->functions, id);
	struct function_fact function = { .line = item ? line_number(item->line)
						       : NUMBER_NONE };

	t->nlost += !item && id; /* 0: none is named */
	int rc = item && pprof_text(t, item->name).n
			 ? pprof_text_number(t, item->name, offset, &function.name, err)
			 : stacks_text(t->stacks, STR_LIT("?"), offset, &function.name,
				       err);
	if (rc < 0)
		return -1;
	return add_frame(t, &function, item ? item->file : 0,
			 line_number(pprof_number(line, LINE_LINE)), offset, err);
}

/* A location without lines is an address of the program or of a library. */
static int add_address(struct pprof_tables *t, struct str location, uint64_t offset,
		       struct err *err)
{
	const struct pprof_item *mapping =
		items_find(&t->mappings, pprof_number(location, LOCATION_MAPPING));
	char name[32];
	struct function_fact function = { .line = NUMBER_NONE };

	snprintf(name, sizeof(name), "0x%llx",
		 (unsigned long long)pprof_number(location, LOCATION_ADDRESS));
	if (stacks_text(t->stacks, str_of(name), offset, &function.name, err) < 0)
		return -1;
	return add_frame(t, &function, mapping ? mapping->file : 0, NUMBER_NONE, offset,
			 err);
}

/* Its first line is the innermost call: what it was inlined into follows. */
static int resolve(struct pprof_tables *t, struct pprof_item *location, uint64_t offset,
		   struct err *err)
{
	struct proto m = proto_of(location->message);
	struct proto_field f;

	location->first = t->nframes;
	while (proto_next(&m, &f) > 0)
		if (f.number == LOCATION_LINE && pprof_is_message(&f) &&
		    add_line(t, f.bytes, offset, err) < 0)
			return -1;
	if (t->nframes == location->first &&
	    add_address(t, location->message, offset, err) < 0)
		return -1;
	location->n = t->nframes - location->first;
	for (size_t i = 0; i < location->n / 2; i++) {
		uint32_t *a = &t->frames[location->first + i];
		uint32_t *b = &t->frames[location->first + location->n - 1 - i];
		uint32_t moved = *a;
		*a = *b;
		*b = moved;
	}
	return 0;
}

/*
 * A location of several frames may be on the same stack in each sample, and in a sample on
 * stack after stack: the first is found again, and the others are counted.
 */
static int push_several(struct pprof_tables *t, const struct pprof_item *item,
			uint64_t offset, uint32_t *stack, struct err *err)
{
	struct sink *sink = t->stacks->sink;
	uint64_t place = (uint64_t)(item - t->locations.at);
	int64_t key = (int64_t)((uint64_t)*stack << 32 | place);
	size_t at = idmap_first(&t->pushed, key);
	uint32_t known = idmap_next(&t->pushed, &at);

	if (known != UINT32_MAX) {
		*stack = known;
		return 0;
	}
	if (stacks_refer(t->stacks, item->n, t->file_bytes, offset, err) < 0)
		return -1;
	for (size_t k = 0; k < item->n; k++)
		*stack = sink->stack(sink, *stack, t->frames[item->first + k]);
	idmap_add(&t->pushed, key, *stack);
	return 0;
}

int pprof_push(struct pprof_tables *t, uint64_t location, uint64_t offset,
	       uint32_t *stack, struct err *err)
{
	struct sink *sink = t->stacks->sink;
	struct pprof_item *item = items_find(&t->locations, location);

	if (!item) {
		t->nlost++;
		return 0;
	}
	if (item->n == SIZE_MAX && resolve(t, item, offset, err) < 0)
		return -1;
	if (item->n > 1)
		return push_several(t, item, offset, stack, err);
	*stack = sink->stack(sink, *stack, t->frames[item->first]);
	return 0;
}
