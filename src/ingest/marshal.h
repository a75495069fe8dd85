/*
 * Python's marshal format, versions 0 to 5 (Python 2.3 to 3.15, PyPy), as far as
 * profile dumps have it: Python/marshal.c of CPython.  Nothing in a file tells its
 * version; one decoder reads all.
 *
 * The whole text is walked once, which checks it and notes where the objects stand
 * that references mean; then any object can be looked at where it stands.  Nothing is
 * built and no reference is expanded: memory is a few bytes for each object that may
 * be referred to, whatever counts and references claim.
 */
#ifndef PTOOL_INGEST_MARSHAL_H
#define PTOOL_INGEST_MARSHAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#define MARSHAL_DEPTH_MAX 2000 /* CPython's own limit */

enum marshal_type {
	MARSHAL_NULL, /* the end of a dict */
	MARSHAL_NONE,
	MARSHAL_BOOL,
	MARSHAL_INT,
	MARSHAL_FLOAT,
	MARSHAL_COMPLEX,
	MARSHAL_STRING, /* text or bytes */
	MARSHAL_TUPLE,
	MARSHAL_LIST,
	MARSHAL_SET,
	MARSHAL_DICT,
	MARSHAL_CODE,
	MARSHAL_OTHER /* Ellipsis, StopIteration, a slice */
};

/* Order of the fields of a code object: it changed with Python's versions. */
struct marshal_layout;

/* A code object and how it was read, which is how it is read again. */
struct marshal_code_at {
	size_t at; /* behind its type byte */
	const struct marshal_layout *layout;
};

/* A container that a walk is inside of. */
struct marshal_open {
	enum { OPEN_ITEMS, OPEN_KEY, OPEN_VALUE } kind;
	size_t left; /* items to come */
};

struct spill;

struct marshal {
	struct bytes text;   /* borrowed */
	struct spill *spill; /* borrowed, or NULL */
	size_t *refs;        /* where the object stands that a reference means */
	size_t nrefs, refs_cap;
	size_t *interned; /* the same of Python 2's interned strings */
	size_t ninterned, interned_cap;
	struct marshal_code_at *codes; /* by place */
	size_t ncodes, codes_cap;
	const struct marshal_layout *layout; /* of the newest code object, or NULL */
	struct marshal_open *open;           /* of the walks that go on */
	size_t nopen, open_cap;
	uint64_t walked; /* objects, those of layouts tried in vain too, and digits */
	size_t end;      /* behind the object */
};

/* An object where it stands; what it holds depends on its type. */
struct marshal_value {
	enum marshal_type type;
	size_t at;        /* its type byte; a reference is followed */
	char code;        /* its type code */
	int64_t number;   /* int, bool; saturated where the digits do not fit */
	bool is_big;      /* an int that does not fit: marshal_digits() tells it */
	double real;      /* float; of an int the nearest */
	struct str bytes; /* string, as it stands in the text */
	size_t n;         /* items of a tuple, list or set */
	size_t items;     /* where the first item, or the first key, stands */
};

/* Of a code object: what its parts say. */
struct marshal_code {
	struct marshal_value name, file;
	int64_t line;
};

/* Walks over the object that the text begins with.  0, or -1 with err set. */
int marshal_open(struct marshal *m, struct bytes text, struct err *err);
/* The same; what it notes of objects lies in a spill, borrowed. */
int marshal_open_in(struct marshal *m, struct bytes text, struct spill *spill,
		    struct err *err);
void marshal_release(struct marshal *m);

/* The object at a place that an object begins at. */
struct marshal_value marshal_at(const struct marshal *m, size_t at);
/* Where the next object stands; `at` is not that of a NULL.  0: marshal_is_spent(). */
size_t marshal_behind(struct marshal *m, size_t at);
/* Was so much walked over again and again that nothing more is? */
bool marshal_is_spent(const struct marshal *m);
/* What is said of it then: -1, with err set. */
int marshal_spent(size_t at, struct err *err);
/* The parts of a MARSHAL_CODE. */
struct marshal_code marshal_code(struct marshal *m, const struct marshal_value *code);
/*
 * Adds a string as UTF-8.  Bytes that are no UTF-8 are Latin-1, as Python 2 wrote
 * them, but in a string that Python calls text each is U+FFFD, and so are halves of
 * pairs: false.
 */
bool marshal_add_text(const struct marshal_value *string, struct buf *out);
/*
 * The bytes that a file's name has where it is no UTF-8: Python puts U+DC80 to
 * U+DCFF in their place (PEP 383).  Adds the name with them; false, and nothing
 * added, when it has none.
 */
bool marshal_add_file_name(const struct marshal_value *string, struct buf *out);
/* Adds the decimal digits of an int that is_big; false: it has too many. */
bool marshal_add_digits(const struct marshal *m, const struct marshal_value *big,
			struct buf *out);
/* "a tuple", "None", "a number": for messages. */
const char *marshal_type_name(enum marshal_type type);

#endif
