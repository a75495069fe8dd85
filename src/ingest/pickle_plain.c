/*
 * Opcodes of plain data, the table of all opcodes, and what is said of those that are
 * refused: see pickle_ops.h.
 */
#include <string.h>

#include "ingest/pickle_ops.h"

#define PROTOCOL_MIN     2
#define PROTOCOL_MAX     5
#define NAME_SHOWN       ((size_t)100) /* bytes of a name in a message */
#define OPCODE(function) static PICKLE_OPCODE(function)

OPCODE(run_proto)
{
	if (a->number >= PROTOCOL_MIN && a->number <= PROTOCOL_MAX)
		return 0;
	return err_at(err, p->at, "unsupported pickle protocol %d", (int)a->number);
}

OPCODE(run_frame)
{
	if (a->number <= p->text.n - a->next)
		return 0;
	return err_at(err, p->at,
		      "the pickle ends early: a frame of %llu bytes, %zu are left",
		      (unsigned long long)a->number, p->text.n - a->next);
}

OPCODE(run_stop)
{
	(void)a;
	if (pickle_need(p, 1, err) < 0)
		return -1;
	if (p->nstack > 1 || p->nmarks)
		return err_at(err, p->at, "bad pickle: more than one object");
	p->top = p->stack[0];
	return 1;
}

OPCODE(run_mark)
{
	(void)a;
	return pickle_mark(p, err);
}

OPCODE(run_none)
{
	(void)a;
	return pickle_push_new(p, (struct pickle_value){ .type = PICKLE_NULL }, err);
}

static int push_number(struct pickle *p, enum pickle_type type, int64_t number,
		       struct err *err)
{
	return pickle_push_new(
		p, (struct pickle_value){ .type = type, .as.number = number }, err);
}

OPCODE(run_true)
{
	(void)a;
	return push_number(p, PICKLE_BOOL, 1, err);
}

OPCODE(run_false)
{
	(void)a;
	return push_number(p, PICKLE_BOOL, 0, err);
}

/* BININT1 and BININT2 have no sign. */
OPCODE(run_unsigned)
{
	return push_number(p, PICKLE_INT, (int64_t)a->number, err);
}

OPCODE(run_int)
{
	return push_number(p, PICKLE_INT, (int32_t)(uint32_t)a->number, err);
}

/* Little-endian, two's complement, of any length; no byte is 0. */
OPCODE(run_long)
{
	size_t n = a->body.n;
	uint64_t number = n && a->body.p[n - 1] & 0x80 ? UINT64_MAX : 0;
	int64_t end = number ? INT64_MIN : INT64_MAX;

	for (size_t i = sizeof(number); i < n; i++)
		if (a->body.p[i] != (uint8_t)(number >> 56))
			return push_number(p, PICKLE_BIG, end, err);
	if (n > sizeof(number) &&
	    (a->body.p[sizeof(number) - 1] & 0x80) != (uint8_t)(number >> 56 & 0x80))
		return push_number(p, PICKLE_BIG, end, err);
	for (size_t i = n < sizeof(number) ? n : sizeof(number); i-- > 0;)
		number = number << 8 | a->body.p[i];
	return push_number(p, PICKLE_INT, (int64_t)number, err);
}

/* Big-endian, unlike all others. */
OPCODE(run_float)
{
	struct pickle_value value = { .type = PICKLE_FLOAT };
	uint64_t bits = 0;

	for (size_t i = 0; i < a->body.n; i++)
		bits = bits << 8 | a->body.p[i];
	memcpy(&value.as.real, &bits, sizeof(bits));
	return pickle_push_new(p, value, err);
}

static int push_text(struct pickle *p, enum pickle_type type, struct bytes body,
		     struct err *err)
{
	return pickle_push_new(
		p,
		(struct pickle_value){ .type = type,
				       .as.text = { (const char *)body.p, body.n } },
		err);
}

OPCODE(run_text)
{
	return push_text(p, PICKLE_TEXT, a->body, err);
}

OPCODE(run_bytes)
{
	return push_text(p, PICKLE_BYTES, a->body, err);
}

OPCODE(run_empty_tuple)
{
	(void)a;
	return pickle_push_new(p, (struct pickle_value){ .type = PICKLE_TUPLE }, err);
}

OPCODE(run_empty_list)
{
	(void)a;
	return pickle_push_new(p, (struct pickle_value){ .type = PICKLE_LIST }, err);
}

OPCODE(run_empty_dict)
{
	(void)a;
	return pickle_push_new(p, (struct pickle_value){ .type = PICKLE_DICT }, err);
}

/* TUPLE1, TUPLE2 and TUPLE3 are numbered one after the other. */
OPCODE(run_small_tuple)
{
	size_t n = p->text.p[p->at] - (size_t)0x84;

	(void)a;
	return pickle_need(p, n, err) < 0 ? -1 : pickle_tuple(p, p->nstack - n, err);
}

OPCODE(run_tuple)
{
	size_t from;

	(void)a;
	return pickle_take_mark(p, &from, err) < 0 ? -1 : pickle_tuple(p, from, err);
}

OPCODE(run_append)
{
	(void)a;
	return pickle_need(p, 2, err) < 0
		       ? -1
		       : pickle_fill(p, p->nstack - 1, PICKLE_LIST, err);
}

OPCODE(run_appends)
{
	size_t from;

	(void)a;
	return pickle_take_mark(p, &from, err) < 0
		       ? -1
		       : pickle_fill(p, from, PICKLE_LIST, err);
}

OPCODE(run_setitem)
{
	(void)a;
	return pickle_need(p, 3, err) < 0
		       ? -1
		       : pickle_fill(p, p->nstack - 2, PICKLE_DICT, err);
}

OPCODE(run_setitems)
{
	size_t from;

	(void)a;
	return pickle_take_mark(p, &from, err) < 0
		       ? -1
		       : pickle_fill(p, from, PICKLE_DICT, err);
}

OPCODE(run_put)
{
	return pickle_put(p, a->number, err);
}

OPCODE(run_get)
{
	return pickle_get(p, a->number, err);
}

OPCODE(run_memoize)
{
	(void)a;
	return pickle_put(p, p->nmemo, err);
}

/* clang-format off */
const struct pickle_op pickle_ops[256] = {
	[PICKLE_PROTO] = { "PROTO", run_proto, 1, false, false, 0, false },
	[0x95] = { "FRAME", run_frame, 8, false, false, 0, false },
	['.'] = { "STOP", run_stop, 0, false, false, 0, false },
	['('] = { "MARK", run_mark, 0, false, false, 0, false },
	['N'] = { "NONE", run_none, 0, false, false, 0, false },
	[0x88] = { "NEWTRUE", run_true, 0, false, false, 0, false },
	[0x89] = { "NEWFALSE", run_false, 0, false, false, 0, false },
	['J'] = { "BININT", run_int, 4, false, false, 0, false },
	['K'] = { "BININT1", run_unsigned, 1, false, false, 0, false },
	['M'] = { "BININT2", run_unsigned, 2, false, false, 0, false },
	[0x8a] = { "LONG1", run_long, 1, true, false, 0, false },
	[0x8b] = { "LONG4", run_long, 4, true, true, 0, false },
	['G'] = { "BINFLOAT", run_float, 8, false, false, 0, false },
	[0x8c] = { "SHORT_BINUNICODE", run_text, 1, true, false, 0, false },
	['X'] = { "BINUNICODE", run_text, 4, true, false, 0, false },
	[0x8d] = { "BINUNICODE8", run_text, 8, true, false, 0, false },
	['C'] = { "SHORT_BINBYTES", run_bytes, 1, true, false, 0, false },
	['B'] = { "BINBYTES", run_bytes, 4, true, false, 0, false },
	[0x8e] = { "BINBYTES8", run_bytes, 8, true, false, 0, false },
	[')'] = { "EMPTY_TUPLE", run_empty_tuple, 0, false, false, 0, false },
	[0x85] = { "TUPLE1", run_small_tuple, 0, false, false, 0, false },
	[0x86] = { "TUPLE2", run_small_tuple, 0, false, false, 0, false },
	[0x87] = { "TUPLE3", run_small_tuple, 0, false, false, 0, false },
	['t'] = { "TUPLE", run_tuple, 0, false, false, 0, false },
	[']'] = { "EMPTY_LIST", run_empty_list, 0, false, false, 0, false },
	['a'] = { "APPEND", run_append, 0, false, false, 0, false },
	['e'] = { "APPENDS", run_appends, 0, false, false, 0, false },
	['}'] = { "EMPTY_DICT", run_empty_dict, 0, false, false, 0, false },
	['s'] = { "SETITEM", run_setitem, 0, false, false, 0, false },
	['u'] = { "SETITEMS", run_setitems, 0, false, false, 0, false },
	['q'] = { "BINPUT", run_put, 1, false, false, 0, false },
	['r'] = { "LONG_BINPUT", run_put, 4, false, false, 0, false },
	[0x94] = { "MEMOIZE", run_memoize, 0, false, false, 0, false },
	['h'] = { "BINGET", run_get, 1, false, false, 0, false },
	['j'] = { "LONG_BINGET", run_get, 4, false, false, 0, false },
	/* With classes: what makes objects of them, ... */
	['c'] = { "GLOBAL", pickle_run_global, 0, false, false, 2, true },
	[0x93] = { "STACK_GLOBAL", pickle_run_stack_global, 0, false, false, 0, true },
	['R'] = { "REDUCE", pickle_run_reduce, 0, false, false, 0, true },
	[0x81] = { "NEWOBJ", pickle_run_newobj, 0, false, false, 0, true },
	['b'] = { "BUILD", pickle_run_build, 0, false, false, 0, true },
	/* ... and protocols 0 and 1, which Python 2 wrote into 2 as well. */
	['I'] = { "INT", pickle_run_decimal, 0, false, false, 1, true },
	['L'] = { "LONG", pickle_run_decimal, 0, false, false, 1, true },
	['F'] = { "FLOAT", pickle_run_real, 0, false, false, 1, true },
	['S'] = { "STRING", pickle_run_quoted, 0, false, false, 1, true },
	['V'] = { "UNICODE", pickle_run_escaped, 0, false, false, 1, true },
	['g'] = { "GET", pickle_run_get_line, 0, false, false, 1, true },
	['p'] = { "PUT", pickle_run_put_line, 0, false, false, 1, true },
	['l'] = { "LIST", pickle_run_list, 0, false, false, 0, true },
	['d'] = { "DICT", pickle_run_dict, 0, false, false, 0, true },
	['T'] = { "BINSTRING", run_text, 4, true, true, 0, true },
	['U'] = { "SHORT_BINSTRING", run_text, 1, true, false, 0, true },
	/* What imports, calls or builds; */
	['i'] = { .name = "INST" },		['o'] = { .name = "OBJ" },
	[0x92] = { .name = "NEWOBJ_EX" },
	[0x82] = { .name = "EXT1" },		[0x83] = { .name = "EXT2" },
	[0x84] = { .name = "EXT4" },		['P'] = { .name = "PERSID" },
	['Q'] = { .name = "BINPERSID" },	[0x97] = { .name = "NEXT_BUFFER" },
	[0x98] = { .name = "READONLY_BUFFER" },
	/* what no plain data needs. */
	['0'] = { .name = "POP" },		['1'] = { .name = "POP_MARK" },
	['2'] = { .name = "DUP" },		[0x8f] = { .name = "EMPTY_SET" },
	[0x90] = { .name = "ADDITEMS" },	[0x91] = { .name = "FROZENSET" },
	[0x96] = { .name = "BYTEARRAY8" },
};
/* clang-format on */

/* The line from `at` on, as far as it is shown; where the next one begins, or 0. */
static struct str line_at(const struct pickle *p, size_t at, size_t *next)
{
	const char *text = (const char *)p->text.p + at;
	size_t left = p->text.n - at;
	const char *end = memchr(text, '\n', left);

	*next = end ? at + (size_t)(end - text) + 1 : 0;
	size_t n = end ? (size_t)(end - text) : left;
	return (struct str){ text, n < NAME_SHOWN ? n : NAME_SHOWN };
}

static const char *readable(const struct pickle *p)
{
	return p->classes ? "only line_profiler's LineStats is read"
			  : "only plain data is read";
}

/* Of GLOBAL and INST: "module\nname\n". */
static int refuse_lines(const struct pickle *p, const char *op, struct err *err)
{
	size_t next = 0;
	struct str module = line_at(p, p->at + 1, &next);

	if (!next)
		return err_at(err, p->at, "refused: opcode %s", op);
	struct str name = line_at(p, next, &next);
	return err_at(err, p->at,
		      "refused: the pickle names " STR_FMT "." STR_FMT " (opcode %s); %s",
		      STR_ARG(module), STR_ARG(name), op, readable(p));
}

/* Of STACK_GLOBAL: the two texts on top. */
static int refuse_top(const struct pickle *p, const char *op, struct err *err)
{
	struct str texts[2];

	for (size_t i = 0; i < 2; i++) {
		const struct pickle_value *v =
			p->nstack >= 2 ? &p->values[p->stack[p->nstack - 2 + i]] : NULL;
		if (!v || v->type != PICKLE_TEXT)
			return err_at(err, p->at, "refused: opcode %s", op);
		texts[i] = v->as.text;
		if (texts[i].n > NAME_SHOWN)
			texts[i].n = NAME_SHOWN;
	}
	return err_at(err, p->at,
		      "refused: the pickle names " STR_FMT "." STR_FMT " (opcode %s); %s",
		      STR_ARG(texts[0]), STR_ARG(texts[1]), op, readable(p));
}

int pickle_refuse(const struct pickle *p, const char *name, struct err *err)
{
	uint8_t code = p->text.p[p->at];

	if (code == 'c' || code == 'i')
		return refuse_lines(p, name, err);
	if (code == 0x93)
		return refuse_top(p, name, err);
	return err_at(err, p->at, "refused: opcode %s; %s", name, readable(p));
}
