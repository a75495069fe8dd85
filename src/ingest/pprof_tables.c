/* Tables of a profile.proto: see pprof_tables.h. */
#include "ingest/pprof_tables.h"

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
	uint32_t offset, size; /* of the message, in the file */
	union {
		struct {
			uint32_t name, file; /* places of texts */
		};
		struct {
			uint32_t first, n; /* of frames; NO_FRAMES: not asked for yet */
		};
	};
	uint64_t line; /* where a function begins */
};

#define NO_FRAMES UINT32_MAX

/* Each location that is pushed may be in pages of its own, and its function, and texts. */
#define PUSHED_TICK 256

static int second_id(const struct pprof_items *items, const struct pprof_item *item,
		     struct err *err)
{
	return err_at(err, item->offset, "a second %s with the id %llu", items->what,
		      (unsigned long long)item->id);
}

/* One that has its neighbour's id is seen here, before there are millions of them. */
static int items_add(struct pprof_tables *t, struct pprof_items *items,
		     struct str message, struct pprof_item item, struct err *err)
{
	item.offset = (uint32_t)(message.p - t->file.p);
	item.size = (uint32_t)message.n;
	if (items->n && item.id == items->at[items->n - 1].id)
		return second_id(items, &item, err);
	*SPILLED_PUSH(t->spill, items->at, items->n, items->cap) = item;
	return 0;
}

/* There are fewer texts than that: a place beyond them stays one. */
static uint32_t place_of(struct str message, uint32_t field)
{
	uint64_t place = pprof_number(message, field);

	return place < UINT32_MAX ? (uint32_t)place : UINT32_MAX;
}

static int add_location(struct pprof_tables *t, struct str message, struct err *err)
{
	const struct pprof_item item = { .id = pprof_number(message, LOCATION_ID),
					 .n = NO_FRAMES };

	return items_add(t, &t->locations, message, item, err);
}

static int add_function(struct pprof_tables *t, struct str message, struct err *err)
{
	const struct pprof_item item = { .id = pprof_number(message, FUNCTION_ID),
					 .name = place_of(message, FUNCTION_NAME),
					 .file = place_of(message, FUNCTION_FILE),
					 .line = pprof_number(message, FUNCTION_LINE) };

	return items_add(t, &t->functions, message, item, err);
}

static int add_mapping(struct pprof_tables *t, struct str message, struct err *err)
{
	const struct pprof_item item = { .id = pprof_number(message, MAPPING_ID),
					 .file = place_of(message, MAPPING_FILE) };

	return items_add(t, &t->mappings, message, item, err);
}

/* In the order of ids, which have no sign. */
static int64_t ordered(uint64_t id)
{
	return (int64_t)(id ^ (uint64_t)INT64_MIN);
}

static int64_t id_of(const void *items, uint32_t at)
{
	return ordered(((const struct pprof_item *)items)[at].id);
}

static int items_sort(struct spill *spill, struct pprof_items *items, struct err *err)
{
	items->ids = (struct spilled_ids){ items->at, items->n, .id = id_of };
	spilled_ids_make(&items->ids, spill);
	return items->ids.second == SIZE_MAX
		       ? 0
		       : second_id(items, &items->at[items->ids.second], err);
}

/* NULL: the file has none of that id. */
static struct pprof_item *items_find(struct pprof_items *items, uint64_t id)
{
	size_t at = spilled_find(&items->ids, ordered(id));

	return at == SIZE_MAX ? NULL : &items->at[at];
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

void pprof_tables_init(struct pprof_tables *t, struct stacks *stacks, struct str file)
{
	*t = (struct pprof_tables){ .stacks = stacks,
				    .spill = stacks->options->spill,
				    .file = file,
				    .locations.what = "location",
				    .functions.what = "function",
				    .mappings.what = "mapping" };
	idmap_init_in(&t->pushed, 0, t->spill);
}

int pprof_tables_take(struct pprof_tables *t, const struct proto_field *f,
		      struct err *err)
{
	if (!pprof_is_message(f))
		return 0;
	if (f->number == PPROF_STRING_TABLE)
		*SPILLED_PUSH(t->spill, t->texts, t->ntexts, t->texts_cap) = f->bytes;
	else if (f->number == PPROF_LOCATION)
		return add_location(t, f->bytes, err);
	else if (f->number == PPROF_FUNCTION)
		return add_function(t, f->bytes, err);
	else if (f->number == PPROF_MAPPING)
		return add_mapping(t, f->bytes, err);
	return 0;
}

int pprof_tables_sort(struct pprof_tables *t, struct err *err)
{
	if (items_sort(t->spill, &t->locations, err) < 0 ||
	    items_sort(t->spill, &t->functions, err) < 0 ||
	    items_sort(t->spill, &t->mappings, err) < 0)
		return -1;
	t->numbers = spill_alloc(t->spill, t->ntexts + 1, sizeof(*t->numbers));
	for (size_t i = 0; i < t->ntexts; i++)
		t->numbers[i] = TEXT_NONE;
	return 0;
}

void pprof_tables_release(struct pprof_tables *t)
{
	void *const owned[] = { t->locations.at,
				t->functions.at,
				t->mappings.at,
				t->locations.ids.order,
				t->functions.ids.order,
				t->mappings.ids.order,
				t->texts,
				t->numbers,
				t->frames };

	for (size_t i = 0; i < sizeof(owned) / sizeof(*owned); i++)
		spill_free(t->spill, owned[i]);
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
	*SPILLED_PUSH(t->spill, t->frames, t->nframes, t->frames_cap) =
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
	struct str message = { t->file.p + location->offset, location->size };
	struct proto m = proto_of(message);
	struct proto_field f;
	size_t first = t->nframes;

	while (proto_next(&m, &f) > 0)
		if (f.number == LOCATION_LINE && pprof_is_message(&f) &&
		    add_line(t, f.bytes, offset, err) < 0)
			return -1;
	if (t->nframes == first && add_address(t, message, offset, err) < 0)
		return -1;
	for (size_t a = first, b = t->nframes; a < --b; a++) {
		uint32_t moved = t->frames[a];
		t->frames[a] = t->frames[b];
		t->frames[b] = moved;
	}
	location->first = (uint32_t)first;
	location->n = (uint32_t)(t->nframes - first);
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
	if (stacks_refer(t->stacks, item->n, t->file.n, offset, err) < 0)
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

	if (t->npushed++ % PUSHED_TICK == 0)
		spill_pass(t->spill);
	if (!item) {
		t->nlost++;
		return 0;
	}
	if (item->n == NO_FRAMES && resolve(t, item, offset, err) < 0)
		return -1;
	if (item->n > 1)
		return push_several(t, item, offset, stack, err);
	*stack = sink->stack(sink, *stack, t->frames[item->first]);
	return 0;
}
