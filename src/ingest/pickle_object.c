/*
 * Opcodes that make objects, as data: see pickle_ops.h.  A class is a name of the
 * caller's list, an object of it is a value that holds its state; nothing is imported and
 * nothing is called.  And those of protocols 0 and 1, whose arguments are lines of text.
 */
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/utf8.h"
#include "ingest/pickle_ops.h"

#define UTF8_LAST 0x10ffff

static const struct pickle_value *from_top(const struct pickle *p, size_t below)
{
	return &p->values[p->stack[p->nstack - 1 - below]];
}

static int push_class(struct pickle *p, struct str module, struct str name,
		      const char *op, struct err *err)
{
	const struct pickle_class *c = p->classes;

	while (c->name && !(str_is(module, c->module) && str_is(name, c->name)))
		c++;
	if (!c->name)
		return pickle_refuse(p, op, err);
	return pickle_push_new(p,
			       (struct pickle_value){ .type = PICKLE_CLASS,
						      .as.number = (int64_t)c->role },
			       err);
}

/* "module\nname" */
PICKLE_OPCODE(pickle_run_global)
{
	const char *text = (const char *)a->body.p;
	const char *end = memchr(text, '\n', a->body.n);
	struct str module = { text, (size_t)(end - text) };
	struct str name = { end + 1, a->body.n - module.n - 1 };

	return push_class(p, module, name, "GLOBAL", err);
}

PICKLE_OPCODE(pickle_run_stack_global)
{
	(void)a;
	if (pickle_need(p, 2, err) < 0)
		return -1;
	const struct pickle_value *module = from_top(p, 1), *name = from_top(p, 0);
	if (module->type != PICKLE_TEXT || name->type != PICKLE_TEXT)
		return pickle_refuse(p, "STACK_GLOBAL", err);
	struct str texts[] = { module->as.text, name->as.text };
	/* a refusal looks at the stack as it was */
	int rc = push_class(p, texts[0], texts[1], "STACK_GLOBAL", err);
	if (rc < 0)
		return -1;
	p->stack[p->nstack - 3] = p->stack[p->nstack - 1];
	p->nstack -= 2;
	return 0;
}

static bool is_role(const struct pickle_value *v, enum pickle_role role)
{
	return v->type == PICKLE_CLASS && v->as.number == (int64_t)role;
}

/* An object without state, for the n values on top. */
static int replace_by_object(struct pickle *p, size_t n, struct err *err)
{
	p->nstack -= n;
	return pickle_push_new(p, (struct pickle_value){ .type = PICKLE_OBJECT }, err);
}

PICKLE_OPCODE(pickle_run_newobj)
{
	(void)a;
	if (pickle_need(p, 2, err) < 0)
		return -1;
	const struct pickle_value *args = from_top(p, 0);
	if (!is_role(from_top(p, 1), PICKLE_DATA) || args->type != PICKLE_TUPLE ||
	    args->n)
		return pickle_refuse(p, "NEWOBJ", err);
	return replace_by_object(p, 2, err);
}

/* Is it (class, object, None)? */
static bool is_to_make(const struct pickle *p, const struct pickle_value *args)
{
	if (args->type != PICKLE_TUPLE || args->n != 3)
		return false;
	const struct pickle_item *item = &p->items[args->first];
	const struct pickle_value *class = &p->values[item->value];
	item = &p->items[item->next];
	const struct pickle_value *base = &p->values[item->value];
	item = &p->items[item->next];
	return is_role(class, PICKLE_DATA) && is_role(base, PICKLE_BASE) &&
	       p->values[item->value].type == PICKLE_NULL;
}

PICKLE_OPCODE(pickle_run_reduce)
{
	(void)a;
	if (pickle_need(p, 2, err) < 0)
		return -1;
	if (!is_role(from_top(p, 1), PICKLE_MAKER) || !is_to_make(p, from_top(p, 0)))
		return pickle_refuse(p, "REDUCE", err);
	return replace_by_object(p, 2, err);
}

/* The state is a dict, and an object gets one once. */
PICKLE_OPCODE(pickle_run_build)
{
	(void)a;
	if (pickle_need(p, 2, err) < 0)
		return -1;
	const struct pickle_value *object = from_top(p, 1);
	if (object->type != PICKLE_OBJECT || object->n ||
	    from_top(p, 0)->type != PICKLE_DICT)
		return pickle_refuse(p, "BUILD", err);
	uint32_t state = p->stack[--p->nstack];
	return pickle_add_item(p, p->stack[p->nstack - 1], state, err);
}

static struct str line_of(const struct pickle_argument *a)
{
	return (struct str){ (const char *)a->body.p, a->body.n };
}

static int bad(const struct pickle *p, const char *what, struct str text, struct err *err)
{
	return err_at(err, p->at, "bad pickle: %s '" STR_FMT "'", what,
		      (int)(text.n < 40 ? text.n : 40), text.p);
}

/* INT and LONG; the booleans are the INTs 00 and 01, and LONG may end in L. */
PICKLE_OPCODE(pickle_run_decimal)
{
	struct pickle_value value = { .type = PICKLE_INT };
	struct str text = line_of(a);

	if (str_is(text, "00") || str_is(text, "01")) {
		value.type = PICKLE_BOOL;
		value.as.number = text.p[1] == '1';
		return pickle_push_new(p, value, err);
	}
	if (text.n && text.p[text.n - 1] == 'L')
		text.n--;
	if (text.n == 0 || text.n > DECIMAL_TEXT_MAX)
		return bad(p, "no number:", text, err);
	enum decimal_status status = decimal_text_int(text, &value.as.number);
	if (status == DECIMAL_BAD)
		return bad(p, "no number:", text, err);
	if (status == DECIMAL_TOO_BIG)
		value.type = PICKLE_BIG;
	return pickle_push_new(p, value, err);
}

PICKLE_OPCODE(pickle_run_real)
{
	struct pickle_value value = { .type = PICKLE_FLOAT };
	struct str text = line_of(a);

	if (str_is(text, "nan"))
		value.as.real = (double)NAN;
	else if (str_is(text, "inf") || str_is(text, "-inf"))
		value.as.real = text.p[0] == '-' ? -(double)INFINITY : (double)INFINITY;
	else if (!decimal_real(text, &value.as.real))
		return bad(p, "no number:", text, err);
	return pickle_push_new(p, value, err);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The number of `n` digits behind "\u"; UTF8_INVALID when they are none. */
static uint32_t hex_number(struct str text, size_t n)
{
	uint32_t number = 0;

	if (text.n < n + 2)
		return UTF8_INVALID;
	for (size_t i = 2; i < n + 2; i++) {
		int digit = hex_digit(text.p[i]);
		if (digit < 0)
			return UTF8_INVALID;
		number = number << 4 | (uint32_t)digit;
	}
	return number;
}

/* Bytes of the escape that the text begins with, and the character; 0: it is none. */
static size_t escape_of(struct str text, bool is_quoted, uint32_t *code)
{
	static const char letters[] = "nrt\\'\"", meant[] = "\n\r\t\\'\"";

	if (text.n < 2 || text.p[0] != '\\')
		return 0;
	const char *letter = is_quoted && text.p[1] ? strchr(letters, text.p[1]) : NULL;
	if (letter) {
		*code = (uint32_t)(unsigned char)meant[letter - letters];
		return 2;
	}
	size_t n = is_quoted ? (text.p[1] == 'x' ? 2 : 0)
			     : (text.p[1] == 'u' ? 4 : (text.p[1] == 'U' ? 8 : 0));
	*code = n ? hex_number(text, n) : UTF8_INVALID;
	return *code > UTF8_LAST ? 0 : n + 2;
}

/* Bytes of text that is quoted are bytes; others are characters of Latin-1. */
static int push_unescaped(struct pickle *p, struct str text, bool is_quoted,
			  struct err *err)
{
	struct pickle_value value = { .type = PICKLE_TEXT };
	struct buf out;
	uint32_t code;

	buf_init(&out, SIZE_MAX);
	while (text.n) {
		size_t n = escape_of(text, is_quoted, &code);
		if (n == 0) {
			code = (unsigned char)*text.p;
			n = 1;
		}
		if (is_quoted)
			buf_add_char(&out, (char)code);
		else
			utf8_add(&out, code);
		text = str_behind(text, n);
	}
	value.as.text = arena_copy(&p->texts, buf_str(&out));
	buf_release(&out);
	return pickle_push_new(p, value, err);
}

/* What repr() of Python 2 writes: 'it\'s'. */
PICKLE_OPCODE(pickle_run_quoted)
{
	struct str text = line_of(a);

	if (text.n < 2 || (*text.p != '\'' && *text.p != '"') ||
	    text.p[text.n - 1] != *text.p)
		return bad(p, "no quoted text:", text, err);
	return push_unescaped(p, (struct str){ text.p + 1, text.n - 2 }, true, err);
}

PICKLE_OPCODE(pickle_run_escaped)
{
	return push_unescaped(p, line_of(a), false, err);
}

static int memo_of(const struct pickle *p, const struct pickle_argument *a,
		   int64_t *number, struct err *err)
{
	struct str text = line_of(a);

	if (text.n && text.n <= DECIMAL_TEXT_MAX &&
	    decimal_text_int(text, number) == DECIMAL_OK && *number >= 0)
		return 0;
	return bad(p, "no memo index:", text, err);
}

PICKLE_OPCODE(pickle_run_get_line)
{
	int64_t number = 0;

	return memo_of(p, a, &number, err) < 0 ? -1
					       : pickle_get(p, (uint64_t)number, err);
}

PICKLE_OPCODE(pickle_run_put_line)
{
	int64_t number = 0;

	return memo_of(p, a, &number, err) < 0 ? -1
					       : pickle_put(p, (uint64_t)number, err);
}

/* What is above the mark becomes the items of a new one. */
static int gather(struct pickle *p, enum pickle_type type, struct err *err)
{
	size_t from;

	if (pickle_take_mark(p, &from, err) < 0 ||
	    pickle_push_new(p, (struct pickle_value){ .type = type }, err) < 0)
		return -1;
	uint32_t made = p->stack[--p->nstack];
	if (type == PICKLE_DICT && (p->nstack - from) % 2)
		return err_at(err, p->at, "bad pickle: a key without a value");
	for (size_t i = from; i < p->nstack; i++)
		if (pickle_add_item(p, made, p->stack[i], err) < 0)
			return -1;
	p->nstack = from;
	p->stack[p->nstack++] = made;
	return 0;
}

PICKLE_OPCODE(pickle_run_list)
{
	(void)a;
	return gather(p, PICKLE_LIST, err);
}

PICKLE_OPCODE(pickle_run_dict)
{
	(void)a;
	return gather(p, PICKLE_DICT, err);
}
