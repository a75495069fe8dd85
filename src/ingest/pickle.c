/* Pickles of plain data: see pickle.h. */
#include "ingest/pickle.h"

#include <string.h>

#include "base/spill.h"
#include "ingest/pickle_ops.h"

/* Torch's snapshots take some 5 bytes of memory for each of the file, hostile ones 48. */
#define BYTES_PER_BYTE ((size_t)16)
#define BYTES_LEAST    ((size_t)64 << 20)
#define BYTES_MOST     ((size_t)4 << 30)

static size_t memory_ceiling(size_t text_bytes)
{
	size_t most = BYTES_MOST - BYTES_LEAST;

	return BYTES_LEAST +
	       (text_bytes < most / BYTES_PER_BYTE ? text_bytes * BYTES_PER_BYTE : most);
}

/* Is there room for one more value and item, and a memo of so many? */
static int check_memory(const struct pickle *p, size_t nmemo, struct err *err)
{
	size_t bytes = (p->nvalues + 1) * sizeof(*p->values) +
		       (p->nitems + 1) * sizeof(*p->items) + nmemo * sizeof(*p->memo);

	if (bytes <= p->bytes_max)
		return 0;
	return err_at(err, p->at, "the objects of the pickle take more than %zu MiB",
		      p->bytes_max >> 20);
}

static int pickle_push(struct pickle *p, uint32_t value, struct err *err)
{
	if (p->nstack >= PICKLE_STACK_MAX)
		return err_at(err, p->at, "bad pickle: nested too deep");
	p->stack = spill_grow(p->spill, p->stack, &p->stack_cap, p->nstack + 1,
			      sizeof(*p->stack));
	p->stack[p->nstack++] = value;
	return 0;
}

int pickle_push_new(struct pickle *p, struct pickle_value value, struct err *err)
{
	if (check_memory(p, p->nmemo, err) < 0)
		return -1;
	value.at = p->at;
	value.first = value.last = PICKLE_NONE;
	p->values = spill_grow(p->spill, p->values, &p->values_cap, p->nvalues + 1,
			       sizeof(*p->values));
	p->values[p->nvalues] = value;
	return pickle_push(p, (uint32_t)p->nvalues++, err);
}

/* The height that the newest container may take values down to. */
static size_t floor_of(const struct pickle *p)
{
	return p->nmarks ? p->marks[p->nmarks - 1] : 0;
}

int pickle_need(const struct pickle *p, size_t n, struct err *err)
{
	if (p->nstack - floor_of(p) < n)
		return err_at(err, p->at, "bad pickle: stack underflow");
	return 0;
}

int pickle_mark(struct pickle *p, struct err *err)
{
	if (p->nmarks >= PICKLE_DEPTH_MAX)
		return err_at(err, p->at, "bad pickle: nested too deep");
	p->marks = spill_grow(p->spill, p->marks, &p->marks_cap, p->nmarks + 1,
			      sizeof(*p->marks));
	p->marks[p->nmarks++] = (uint32_t)p->nstack;
	return 0;
}

int pickle_take_mark(struct pickle *p, size_t *from, struct err *err)
{
	*from = p->nstack;
	if (p->nmarks == 0)
		return err_at(err, p->at, "bad pickle: no mark");
	*from = p->marks[--p->nmarks];
	return 0;
}

int pickle_add_item(struct pickle *p, uint32_t container, uint32_t value, struct err *err)
{
	struct pickle_value *to = &p->values[container];

	if (check_memory(p, p->nmemo, err) < 0)
		return -1;
	p->items = spill_grow(p->spill, p->items, &p->items_cap, p->nitems + 1,
			      sizeof(*p->items));
	uint32_t item = (uint32_t)p->nitems++;
	p->items[item] = (struct pickle_item){ value, PICKLE_NONE };
	if (to->first == PICKLE_NONE)
		to->first = item;
	else
		p->items[to->last].next = item;
	to->last = item;
	to->n++;
	return 0;
}

/* Values from that height on go into the list or dict below them. */
int pickle_fill(struct pickle *p, size_t from, enum pickle_type type, struct err *err)
{
	if (from == 0 || from - 1 < floor_of(p))
		return err_at(err, p->at, "bad pickle: stack underflow");
	uint32_t container = p->stack[from - 1];
	if (p->values[container].type != type)
		return err_at(err, p->at, "bad pickle: items for %s, not %s",
			      pickle_type_name(p->values[container].type),
			      pickle_type_name(type));
	if (type == PICKLE_DICT && (p->nstack - from) % 2)
		return err_at(err, p->at, "bad pickle: a key without a value");
	for (size_t i = from; i < p->nstack; i++)
		if (pickle_add_item(p, container, p->stack[i], err) < 0)
			return -1;
	p->nstack = from;
	return 0;
}

/* They become a tuple. */
int pickle_tuple(struct pickle *p, size_t from, struct err *err)
{
	size_t n = p->nstack - from;

	if (pickle_push_new(p, (struct pickle_value){ .type = PICKLE_TUPLE }, err) < 0)
		return -1;
	uint32_t tuple = p->stack[p->nstack - 1];
	for (size_t i = from; i < from + n; i++)
		if (pickle_add_item(p, tuple, p->stack[i], err) < 0)
			return -1;
	p->stack[from] = tuple;
	p->nstack = from + 1;
	return 0;
}

int pickle_put(struct pickle *p, uint64_t number, struct err *err)
{
	if (number >= p->text.n)
		return err_at(err, p->at, "bad pickle: memo index %llu is too large",
			      (unsigned long long)number);
	if (pickle_need(p, 1, err) < 0)
		return -1;
	size_t at = (size_t)number;
	if (check_memory(p, at + 1, err) < 0)
		return -1;
	p->memo = spill_grow(p->spill, p->memo, &p->memo_cap, at + 1, sizeof(*p->memo));
	while (p->nmemo <= at)
		p->memo[p->nmemo++] = PICKLE_NONE;
	p->memo[at] = p->stack[p->nstack - 1];
	return 0;
}

int pickle_get(struct pickle *p, uint64_t number, struct err *err)
{
	if (number >= p->nmemo || p->memo[number] == PICKLE_NONE)
		return err_at(err, p->at, "bad pickle: memo %llu is not defined",
			      (unsigned long long)number);
	return pickle_push(p, p->memo[number], err);
}

static int ended(const struct pickle *p, struct err *err)
{
	return err_at(err, p->text.n, "the pickle ends early");
}

/* The lines of the argument, without the end of the last. */
static int read_lines(struct pickle *p, const struct pickle_op *op,
		      struct pickle_argument *out, struct err *err)
{
	size_t from = p->at + 1;

	out->number = 0;
	out->next = from;
	for (unsigned i = 0; i < op->lines; i++) {
		const uint8_t *end =
			memchr(p->text.p + out->next, '\n', p->text.n - out->next);
		if (!end)
			return ended(p, err);
		out->next = (size_t)(end - p->text.p) + 1;
	}
	out->body = (struct bytes){ p->text.p + from, out->next - 1 - from };
	return 0;
}

/* The bytes of the argument, and where the next opcode stands. */
static int read_argument(struct pickle *p, const struct pickle_op *op,
			 struct pickle_argument *out, struct err *err)
{
	size_t at = p->at + 1, left = p->text.n - at;
	uint64_t n = op->bytes;

	if (op->lines)
		return read_lines(p, op, out, err);
	if (left < op->bytes)
		return ended(p, err);
	out->number = 0;
	for (size_t i = op->bytes; i-- > 0;)
		out->number = out->number << 8 | p->text.p[at + i];
	out->body = (struct bytes){ p->text.p + at, op->bytes };
	if (op->has_body) {
		n = out->number;
		at += op->bytes;
		left -= op->bytes;
		if (op->is_signed && n > INT32_MAX)
			return err_at(err, p->at, "bad pickle: %s of a negative length",
				      op->name);
		if (n > left)
			return err_at(err, p->at,
				      "bad pickle: %s of %llu bytes, %zu are left",
				      op->name, (unsigned long long)n, left);
		out->body = (struct bytes){ p->text.p + at, (size_t)n };
	}
	out->next = at + (size_t)n;
	return 0;
}

/* 1: that was the last one; 0; or -1. */
static int run_op(struct pickle *p, struct err *err)
{
	struct pickle_argument argument;

	if (p->at >= p->text.n)
		return ended(p, err);
	uint8_t code = p->text.p[p->at];
	const struct pickle_op *op = &pickle_ops[code];
	if (!op->name)
		return err_at(err, p->at, "unknown pickle opcode 0x%02x", code);
	if (!op->run || (op->is_of_objects && !p->classes))
		return pickle_refuse(p, op->name, err);
	if (read_argument(p, op, &argument, err) < 0)
		return -1;
	int rc = op->run(p, &argument, err);
	p->at = argument.next;
	return rc;
}

int pickle_open(struct pickle *p, struct bytes text, struct err *err)
{
	return pickle_open_in(p, text, NULL, err);
}

static int run_all(struct pickle *p, struct err *err)
{
	int rc;

	do
		rc = run_op(p, err);
	while (rc == 0);
	return rc < 0 ? -1 : 0;
}

int pickle_open_classes(struct pickle *p, struct bytes text, struct spill *spill,
			const struct pickle_class *classes, struct err *err)
{
	*p = (struct pickle){ .text = text,
			      .spill = spill,
			      .classes = classes,
			      .bytes_max = memory_ceiling(text.n),
			      .top = PICKLE_NONE };
	return run_all(p, err);
}

int pickle_open_in(struct pickle *p, struct bytes text, struct spill *spill,
		   struct err *err)
{
	*p = (struct pickle){ .text = text,
			      .spill = spill,
			      .bytes_max = memory_ceiling(text.n),
			      .top = PICKLE_NONE };
	if (text.n < 2 || text.p[0] != PICKLE_PROTO)
		return err_at(err, 0, "no pickle of protocol 2 to 5");
	return run_all(p, err);
}

void pickle_release(struct pickle *p)
{
	spill_free(p->spill, p->values);
	spill_free(p->spill, p->items);
	spill_free(p->spill, p->stack);
	spill_free(p->spill, p->memo);
	spill_free(p->spill, p->marks);
	arena_release(&p->texts);
	*p = (struct pickle){ .nvalues = 0 };
}

const char *pickle_type_name(enum pickle_type type)
{
	static const char *const names[] = {
		[PICKLE_NULL] = "None",     [PICKLE_BOOL] = "a boolean",
		[PICKLE_INT] = "a number",  [PICKLE_BIG] = "a number beyond 64 bits",
		[PICKLE_FLOAT] = "a float", [PICKLE_TEXT] = "a text",
		[PICKLE_BYTES] = "bytes",   [PICKLE_TUPLE] = "a tuple",
		[PICKLE_LIST] = "a list",   [PICKLE_DICT] = "a dict",
		[PICKLE_CLASS] = "a class", [PICKLE_OBJECT] = "an object",
	};

	return names[type];
}
