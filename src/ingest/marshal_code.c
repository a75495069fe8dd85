/* Code objects: see marshal_walk.h.  The layouts are those of Python/marshal.c. */
#include "base/alloc.h"
#include "ingest/marshal_walk.h"

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

/* The i-th to be tried: that of the newest code object is the likeliest. */
static const struct marshal_layout *candidate(const struct marshal *m, size_t i)
{
	if (!m->layout)
		return i < NLAYOUTS ? &layouts[i] : NULL;
	if (i == 0)
		return m->layout;
	return i <= NLAYOUTS ? &layouts[i - 1] : NULL;
}

/* The first walk: what an attempt in vain has noted is forgotten. */
static int find_layout(struct marshal_walk *w, struct err *err)
{
	struct marshal *m = w->m;
	const struct marshal_walk before = *w;
	size_t nrefs = m->nrefs, ninterned = m->ninterned, ncodes = m->ncodes;
	const struct marshal_layout *layout;

	for (size_t i = 0; (layout = candidate(m, i)); i++) {
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
	return err_at(err, before.at, "a code object of no known version of Python");
}

/* As it was read first: another layout might fit by now, and end elsewhere. */
static const struct marshal_layout *known_layout(const struct marshal *m, size_t at)
{
	size_t low = 0, high = m->ncodes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (m->codes[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < m->ncodes && m->codes[low].at == at ? m->codes[low].layout : NULL;
}

int marshal_walk_code(struct marshal_walk *w, struct marshal_code_places *places,
		      struct err *err)
{
	const struct marshal_layout *layout = NULL;
	int rc;

	if (w->codes == MARSHAL_CODES_MAX)
		return err_at(err, w->at, "code objects nested too deep");
	if (!w->is_first && !(layout = known_layout(w->m, w->at)))
		return err_at(err, w->at, "no code object was read there");
	w->codes++;
	rc = w->is_first ? find_layout(w, err) : walk_layout(w, layout, places, err);
	w->codes--;
	return rc;
}
