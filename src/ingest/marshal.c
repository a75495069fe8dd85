/* Walking and looking at marshalled objects: see marshal.h. */
#include "ingest/marshal.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"
#include "base/spill.h"
#include "ingest/marshal_walk.h"

static int marshal_walk_code(struct marshal_walk *w, struct marshal_code_places *places,
			     struct err *err);

/* Layouts of code objects that are tried in vain walk over the same bytes again. */
#define WALKED_PER_BYTE 64
/* To look at so many bytes of a number costs as much as an object. */
#define BYTES_PER_OBJECT 16

bool marshal_is_spent(const struct marshal *m)
{
	return m->walked / WALKED_PER_BYTE > m->text.n;
}

int marshal_spent(size_t at, struct err *err)
{
	return err_at(err, at, "too many references, or code objects within each other");
}

static int64_t int32_at(const struct marshal *m, size_t at)
{
	return (int32_t)(uint32_t)marshal_number(m, at, 4);
}

static int truncated(const struct marshal_walk *w, struct err *err)
{
	return err_at(err, w->m->text.n,
		      "truncated: the object at byte %zu is not complete", w->at);
}

/* Is that much left behind w->at? */
static int want(const struct marshal_walk *w, size_t bytes, struct err *err)
{
	return w->m->text.n - w->at >= bytes ? 0 : truncated(w, err);
}

/* An int32; w->at moves behind it. */
static int marshal_walk_int32(struct marshal_walk *w, int64_t *value, struct err *err)
{
	if (want(w, 4, err) < 0)
		return -1;
	*value = int32_at(w->m, w->at);
	w->at += 4;
	return 0;
}

static int walk_bytes(struct marshal_walk *w, size_t bytes, struct err *err)
{
	if (want(w, bytes, err) < 0)
		return -1;
	w->at += bytes;
	return 0;
}

/* The count of a container or string: of one byte or of four. */
static int walk_count(struct marshal_walk *w, bool is_short, size_t *n, struct err *err)
{
	int64_t count;

	if (is_short) {
		if (want(w, 1, err) < 0)
			return -1;
		*n = w->m->text.p[w->at++];
		return 0;
	}
	if (marshal_walk_int32(w, &count, err) < 0)
		return -1;
	if (count < 0)
		return err_at(err, w->at - 4, "a count of %lld", (long long)count);
	*n = (size_t)count;
	/* Each item takes a byte or more: what is claimed must be there. */
	if (*n > w->m->text.n - w->at)
		return err_at(err, w->at - 4,
			      "%zu items or bytes are announced, %zu bytes are left", *n,
			      w->m->text.n - w->at);
	return 0;
}

/* Digits of 15 bits, the highest not 0.  Who walks over them again need not look. */
static int check_digits(struct marshal_walk *w, uint64_t n, struct err *err)
{
	for (uint64_t i = 0; i < n; i++)
		if (marshal_number(w->m, w->at + 2 * i, 2) >> MARSHAL_SHIFT)
			return err_at(err, w->at + 2 * i,
				      "a digit of a number is out of range");
	w->m->walked += 2 * n / BYTES_PER_OBJECT;
	return 0;
}

static int walk_digits(struct marshal_walk *w, struct err *err)
{
	int64_t count = 0;
	size_t start = w->at;

	if (marshal_walk_int32(w, &count, err) < 0)
		return -1;
	uint64_t n = (uint64_t)(count < 0 ? -count : count);
	if (n > (w->m->text.n - w->at) / 2)
		return err_at(err, start, "a number of %llu digits runs past the end",
			      (unsigned long long)n);
	if (w->is_first && check_digits(w, n, err) < 0)
		return -1;
	w->at += 2 * n;
	if (n && marshal_number(w->m, w->at - 2, 2) == 0)
		return err_at(err, start, "a number begins with a zero");
	return 0;
}

static int walk_short(struct marshal_walk *w, bool is_real, struct err *err)
{
	size_t n, start = w->at;
	double real;

	if (walk_count(w, true, &n, err) < 0 || walk_bytes(w, n, err) < 0)
		return -1;
	if (!is_real || !w->is_first)
		return 0;
	w->m->walked += n / BYTES_PER_OBJECT;
	if (!marshal_parse_real((struct str){ (const char *)w->m->text.p + w->at - n, n },
				&real))
		return err_at(err, start, "the text of a float is not a number");
	return 0;
}

static void note(struct spill *spill, size_t **places, size_t *n, size_t *cap, size_t at)
{
	*places = spill_grow(spill, *places, cap, *n + 1, sizeof(**places));
	(*places)[(*n)++] = at;
}

static int walk_reference(struct marshal_walk *w, bool is_interned, struct err *err)
{
	size_t known = is_interned ? w->m->ninterned : w->m->nrefs;
	int64_t number = 0;

	if (marshal_walk_int32(w, &number, err) < 0)
		return -1;
	if (number < 0 || (uint64_t)number >= known)
		return err_at(err, w->at - 4, "a reference to object %lld of %zu",
			      (long long)number, known);
	return 0;
}

static int push(struct marshal_walk *w, struct marshal_open open, struct err *err)
{
	struct marshal *m = w->m;

	if (m->nopen + w->codes >= MARSHAL_DEPTH_MAX)
		return err_at(err, w->at, "nested too deep (more than %d levels)",
			      MARSHAL_DEPTH_MAX);
	*ARRAY_PUSH(m->open, m->nopen, m->open_cap) = open;
	return 0;
}

/* What stands behind the type byte; containers are pushed, their items come next. */
static int walk_body(struct marshal_walk *w, char code, struct err *err)
{
	const struct marshal_kind kind = marshal_kinds[(unsigned char)code];
	size_t n = 0;

	switch (kind.shape) {
	case MARSHAL_SHAPE_NONE:
		return 0;
	case MARSHAL_SHAPE_FIXED:
		return walk_bytes(w, kind.bytes, err);
	case MARSHAL_SHAPE_SHORT:
		return walk_short(w, kind.type == MARSHAL_FLOAT, err);
	case MARSHAL_SHAPE_PAIR:
		return walk_short(w, true, err) < 0 ? -1 : walk_short(w, true, err);
	case MARSHAL_SHAPE_LONG:
		return walk_count(w, false, &n, err) < 0 ? -1 : walk_bytes(w, n, err);
	case MARSHAL_SHAPE_DIGITS:
		return walk_digits(w, err);
	case MARSHAL_SHAPE_SMALL:
	case MARSHAL_SHAPE_MANY:
		if (walk_count(w, kind.shape == MARSHAL_SHAPE_SMALL, &n, err) < 0)
			return -1;
		return push(w, (struct marshal_open){ OPEN_ITEMS, n }, err);
	case MARSHAL_SHAPE_THREE:
		return push(w, (struct marshal_open){ OPEN_ITEMS, 3 }, err);
	case MARSHAL_SHAPE_DICT:
		return push(w, (struct marshal_open){ OPEN_KEY, 0 }, err);
	case MARSHAL_SHAPE_CODE:
		return marshal_walk_code(w, NULL, err);
	case MARSHAL_SHAPE_BAD:
		break;
	}
	return err_at(err, w->at - 1, "unknown type code 0x%02x", (unsigned char)code);
}

/* Those that most dumps are full of. */
static size_t scalar_bytes(const struct marshal *m, size_t at)
{
	switch (m->text.p[at] & ~MARSHAL_FLAG_REF) {
	case 'i':
	case 'r':
	case 'R':
		return 5;
	case 'g':
	case 'I':
		return 9;
	case 'N':
		return 1;
	case 'z':
	case 'Z':
		return 2 + (size_t)m->text.p[at + 1];
	default:
		return 0;
	}
}

/* Bytes of what was walked before, if it is a scalar or a short tuple of them; else 0. */
static size_t plain_bytes(const struct marshal *m, size_t at)
{
	size_t bytes = scalar_bytes(m, at), end = at + 2;

	if (bytes || (m->text.p[at] & ~MARSHAL_FLAG_REF) != ')')
		return bytes;
	for (unsigned left = m->text.p[at + 1]; left; left--) {
		if (!(bytes = scalar_bytes(m, end)))
			return 0;
		end += bytes;
	}
	return end - at;
}

/*
 * A NULL ends a dict and is nothing elsewhere; else the object counts as an item.
 * `base` containers are not this walk's.
 */
static int count_item(const struct marshal_walk *w, bool is_null, size_t base,
		      struct err *err)
{
	struct marshal *m = w->m;
	struct marshal_open *open = m->nopen > base ? &m->open[m->nopen - 1] : NULL;

	if (is_null && (!open || open->kind == OPEN_ITEMS))
		return err_at(err, w->at, "a NULL in place of an object");
	if (is_null)
		m->nopen--; /* CPython lets the last key go without a value */
	else if (open && open->kind == OPEN_ITEMS)
		open->left--;
	else if (open)
		open->kind = open->kind == OPEN_KEY ? OPEN_VALUE : OPEN_KEY;
	return 0;
}

static void close_full(struct marshal *m, size_t base)
{
	while (m->nopen > base && m->open[m->nopen - 1].kind == OPEN_ITEMS &&
	       m->open[m->nopen - 1].left == 0)
		m->nopen--;
}

static int walk_one(struct marshal_walk *w, size_t base, struct err *err)
{
	struct marshal *m = w->m;
	size_t start = w->at, known;

	m->walked++;
	if (marshal_is_spent(m))
		return marshal_spent(start, err);
	if (want(w, 1, err) < 0)
		return -1;
	unsigned char byte = m->text.p[w->at];
	char code = (char)(byte & ~MARSHAL_FLAG_REF);
	if (count_item(w, code == '0', base, err) < 0)
		return -1;
	if (!w->is_first && (known = plain_bytes(m, start))) {
		w->at += known;
		return 0;
	}
	w->at++;
	if (code == '0')
		return 0;
	if (code == 'r' || code == 'R')
		return walk_reference(w, code == 'R', err);
	if (w->is_first && (byte & MARSHAL_FLAG_REF))
		note(w->m->spill, &m->refs, &m->nrefs, &m->refs_cap, start);
	if (w->is_first && code == 't')
		note(w->m->spill, &m->interned, &m->ninterned, &m->interned_cap, start);
	return walk_body(w, code, err);
}

int marshal_walk(struct marshal_walk *w, struct err *err)
{
	struct marshal *m = w->m;
	size_t base = m->nopen;
	int rc;

	do {
		rc = walk_one(w, base, err);
		close_full(m, base);
	} while (rc == 0 && m->nopen > base);
	m->nopen = base;
	return rc;
}

int marshal_open(struct marshal *m, struct bytes text, struct err *err)
{
	return marshal_open_in(m, text, NULL, err);
}

int marshal_open_in(struct marshal *m, struct bytes text, struct spill *spill,
		    struct err *err)
{
	*m = (struct marshal){ .text = text, .spill = spill };
	struct marshal_walk walk = { .m = m, .is_first = true };
	int rc = marshal_walk(&walk, err);
	m->end = walk.at;
	m->walked = 0;
	return rc;
}

size_t marshal_behind(struct marshal *m, size_t at)
{
	size_t bytes = plain_bytes(m, at);
	struct marshal_walk walk = { .m = m, .at = at };
	struct err ignored = ERR_INIT;

	if (bytes)
		return at + bytes;
	return marshal_walk(&walk, &ignored) == 0 ? walk.at : 0;
}

struct marshal_code marshal_code(struct marshal *m, const struct marshal_value *code)
{
	struct marshal_walk walk = { .m = m, .at = code->at + 1 };
	struct marshal_code_places places = { 0 };
	struct err ignored = ERR_INIT;

	if (marshal_walk_code(&walk, &places, &ignored) < 0)
		return (struct marshal_code){ { 0 }, { 0 }, 0 };
	return (struct marshal_code){ marshal_at(m, places.name),
				      marshal_at(m, places.file), places.line };
}

void marshal_release(struct marshal *m)
{
	spill_free(m->spill, m->refs);
	spill_free(m->spill, m->interned);
	free(m->codes);
	free(m->open);
	*m = (struct marshal){ 0 };
}

#define OBJECTS_MAX  8
#define INT_MAX_SANE (INT64_C(1) << 28)

/* What the objects of a code object have to be: b bytes, u text, t a tuple. */
struct marshal_layout {
	const char *since;   /* "3.11" */
	int ints;            /* at its front; the last ones are the flags */
	const char *objects; /* behind them */
	int file, name;      /* index among the objects */
	int tail;            /* strings of bytes behind the first line's number */
	bool is_python2;     /* short strings of bytes are interned, which is text */
};

static const struct marshal_layout layouts[] = {
	{ "3.11", 5, "btttbuuu", 5, 6, 2, false },
	{ "3.8", 6,
	  "bttttt"
	  "uu",
	  6, 7, 1, false },
	{ "3.0", 5,
	  "bttttt"
	  "uu",
	  6, 7, 1, false },
	{ "2.3", 4,
	  "bttttt"
	  "uu",
	  6, 7, 1, true },
};

#define NLAYOUTS (sizeof(layouts) / sizeof(*layouts))

static bool fits(const struct marshal_value *value, char wanted,
		 const struct marshal_layout *layout)
{
	if (wanted == 't')
		return value->type == MARSHAL_TUPLE;
	if (value->type != MARSHAL_STRING)
		return false;
	return wanted == 'u' || value->code == 's' || layout->is_python2;
}

/* One object of it; -1: it is not of the kind that stands there in this layout. */
static int walk_part(struct marshal_walk *w, char wanted,
		     const struct marshal_layout *layout, struct err *err)
{
	size_t at = w->at;

	if (marshal_walk(w, err) < 0)
		return -1;
	struct marshal_value value = marshal_at(w->m, at);
	return fits(&value, wanted, layout) ? 0 : -1;
}

static int walk_layout(struct marshal_walk *w, const struct marshal_layout *layout,
		       struct marshal_code_places *places, struct err *err)
{
	size_t parts[OBJECTS_MAX];
	int64_t number;

	for (int i = 0; i < layout->ints; i++) {
		if (marshal_walk_int32(w, &number, err) < 0)
			return -1;
		if (i < layout->ints - 1 && (number < 0 || number > INT_MAX_SANE))
			return -1;
	}
	for (int i = 0; layout->objects[i]; i++) {
		parts[i] = w->at;
		if (walk_part(w, layout->objects[i], layout, err) < 0)
			return -1;
	}
	if (marshal_walk_int32(w, &number, err) < 0)
		return -1;
	for (int i = 0; i < layout->tail; i++)
		if (walk_part(w, 'b', layout, err) < 0)
			return -1;
	if (places)
		*places = (struct marshal_code_places){ parts[layout->name],
							parts[layout->file], number };
	return 0;
}

/* The i-th to be tried: that of the newest code object, or NULL, is the likeliest. */
static const struct marshal_layout *candidate(const struct marshal_layout *newest,
					      size_t i)
{
	if (newest && i == 0)
		return newest;
	if (newest && &layouts[i - 1] < newest)
		i--;
	return i < NLAYOUTS ? &layouts[i] : NULL;
}

/* The first walk: what an attempt in vain has noted is forgotten. */
static int find_layout(struct marshal_walk *w, struct err *err)
{
	struct marshal *m = w->m;
	const struct marshal_walk before = *w;
	size_t nrefs = m->nrefs, ninterned = m->ninterned, ncodes = m->ncodes;
	const struct marshal_layout *newest = m->layout, *layout;

	for (size_t i = 0; (layout = candidate(newest, i)); i++) {
		struct err why = ERR_INIT;
		m->codes = xgrow(m->codes, &m->codes_cap, ncodes + 1, sizeof(*m->codes));
		m->codes[ncodes] = (struct marshal_code_at){ w->at, layout };
		m->ncodes = ncodes + 1;
		if (walk_layout(w, layout, NULL, &why) == 0) {
			m->layout = layout;
			return 0;
		}
		*w = before;
		m->nrefs = nrefs;
		m->ninterned = ninterned;
		m->ncodes = ncodes;
	}
	if (marshal_is_spent(m))
		return marshal_spent(before.at, err);
	return err_at(err, before.at, "a code object of an unknown version of Python");
}

/* As it was read first: another layout might fit by now, and end elsewhere. */
static const struct marshal_layout *known_layout(const struct marshal *m, size_t at)
{
	size_t low;

	SEARCH(low, 0, m->ncodes, m->codes[low].at < at);
	return low < m->ncodes && m->codes[low].at == at ? m->codes[low].layout : NULL;
}

static int marshal_walk_code(struct marshal_walk *w, struct marshal_code_places *places,
			     struct err *err)
{
	const struct marshal_layout *layout = NULL;
	int rc;

	if (w->codes == MARSHAL_CODES_MAX)
		return err_at(err, w->at, "code objects nested too deep");
	if (!w->is_first && !(layout = known_layout(w->m, w->at)))
		return err_at(err, w->at, "there is no code object at that place");
	w->codes++;
	rc = w->is_first ? find_layout(w, err) : walk_layout(w, layout, places, err);
	w->codes--;
	return rc;
}
