/* Modules as a table: a path a row, below the row of what called it. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/sort.h"
#include "query/fit_columns.h"
#include "query/kernels/modules.h"
#include "query/tree_text.h"

#define TITLES_MAX 256

enum {
	ID,
	PARENT,
	DEPTH,
	PATH,
	NAME,
	CALLS,
	OPS,
	TOTAL,
	SELF,
	OP_TIME,
	TOTAL_DEVICE,
	SELF_DEVICE,
	LAUNCHED,
	NCOLUMNS
};

static const struct column machine[NCOLUMNS] = {
	[ID] = { "id", "ID", UNIT_ID },
	[PARENT] = { "parent_id", "Parent", UNIT_ID },
	[DEPTH] = { "depth", "Depth", UNIT_COUNT },
	[PATH] = { "path", "Path", UNIT_TEXT },
	[NAME] = { "name", "Name", UNIT_TEXT },
	[CALLS] = { "calls", "Calls", UNIT_COUNT },
	[OPS] = { "ops", "Operators", UNIT_COUNT },
	[TOTAL] = { "total_host_ns", "Host total", UNIT_NS },
	[SELF] = { "self_host_ns", "Self host", UNIT_NS },
	[OP_TIME] = { "op_host_ns", "Operators", UNIT_NS },
	[TOTAL_DEVICE] = { "total_device_ns", "Device total", UNIT_NS },
	[SELF_DEVICE] = { "self_device_ns", "Self device", UNIT_NS },
	[LAUNCHED] = { "device_work", "Device work", UNIT_COUNT },
};

/* Name first; its cells are indented. */
static const struct fit_column people[] = {
	{ { "name", "Module", UNIT_TEXT }, NAME, 0, 24 },
	{ { "calls", "Calls", UNIT_COUNT }, CALLS, 0, 0 },
	{ { "ops", "Ops", UNIT_COUNT }, OPS, 2, 0 },
	{ { "total_host_ns", "Host", UNIT_NS }, TOTAL, 0, 0 },
	{ { "self_host_ns", "Self", UNIT_NS }, SELF, 1, 0 },
	{ { "op_host_ns", "In ops", UNIT_NS }, OP_TIME, 3, 0 },
	{ { "total_device_ns", "Device", UNIT_NS }, TOTAL_DEVICE, 0, 0 },
	{ { "self_device_ns", "Self dev.", UNIT_NS }, SELF_DEVICE, 4, 0 },
};

#define NPEOPLE (sizeof(people) / sizeof(*people))

struct module_rows {
	struct table table;
	struct modules modules; /* owned */
	struct modules_query query;
	struct arena arena; /* headings and notes */
	struct fit_column columns[NCOLUMNS];
	uint32_t at;   /* the node of the newest row */
	int64_t depth; /* of it, from 1 */
	int64_t all;   /* rows so far, shown or not */
	struct tree_path path;
	struct buf indented;
	const char *notes[3];
};

static int compare_names(const struct modules *m, uint32_t a, uint32_t b)
{
	return str_compare(intern_str(&m->texts, m->nodes[a].name),
			   intern_str(&m->texts, m->nodes[b].name));
}

/* In the order of their first calls; no two siblings have one name. */
static bool is_called_before(const void *context, uint32_t a, uint32_t b)
{
	const struct modules *m = context;
	const struct module_node *x = &m->nodes[a], *y = &m->nodes[b];

	return x->first_ns != y->first_ns ? x->first_ns < y->first_ns
					  : compare_names(m, a, b) < 0;
}

/* The longest on the device first, then on the host. */
static bool is_longer(const void *context, uint32_t a, uint32_t b)
{
	const struct modules *m = context;
	const struct module_node *x = &m->nodes[a], *y = &m->nodes[b];

	if (x->total_device_ns != y->total_device_ns)
		return x->total_device_ns > y->total_device_ns;
	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns;
	return compare_names(m, a, b) < 0;
}

/* Links all siblings in the order of their rows. */
static void sort_siblings(struct modules *m, bool by_start)
{
	uint32_t *at = xrealloc_array(NULL, m->n * 2, sizeof(*at));

	for (size_t i = 1; i < m->n; i++)
		at[i - 1] = (uint32_t)i;
	sort_indexes(at, m->n - 1, at + m->n, by_start ? is_called_before : is_longer, m);
	for (size_t i = 0; i < m->n; i++)
		m->nodes[i].first = m->nodes[i].next = MODULE_NONE;
	for (size_t i = m->n - 1; i-- > 0;) {
		struct module_node *node = &m->nodes[at[i]];
		node->next = m->nodes[node->parent].first;
		m->nodes[node->parent].first = at[i];
	}
	free(at);
}

/* The node of the next row; false after the last. */
static bool advance(struct module_rows *r)
{
	const struct module_node *nodes = r->modules.nodes;
	bool goes_down = !r->query.depth || r->depth < r->query.depth;

	if (nodes[r->at].first != MODULE_NONE && goes_down) {
		r->at = nodes[r->at].first;
		r->depth++;
		return true;
	}
	while (r->at != MODULE_ROOT && nodes[r->at].next == MODULE_NONE) {
		r->at = nodes[r->at].parent;
		r->depth--;
	}
	if (r->at == MODULE_ROOT)
		return false;
	r->at = nodes[r->at].next;
	return true;
}

static struct cell device_cell(const struct module_rows *r, int64_t value)
{
	return r->modules.has_device ? cell_int(value) : cell_null();
}

/* For people indented. */
static struct cell name_cell(struct module_rows *r, struct str name)
{
	if (!r->query.for_people)
		return cell_text(name);
	buf_clear(&r->indented);
	tree_text_indent(&r->indented, (size_t)r->depth - 1, r->query.width);
	buf_add_str(&r->indented, name);
	return cell_text(buf_str(&r->indented));
}

static struct cell cell_of(struct module_rows *r, int column)
{
	const struct module_node *node = &r->modules.nodes[r->at];
	struct str name = intern_str(&r->modules.texts, node->name);

	switch (column) {
	case ID:
		return cell_int(r->at);
	case PARENT:
		return node->parent == MODULE_ROOT ? cell_null() : cell_int(node->parent);
	case DEPTH:
		return cell_int(r->depth - 1);
	case PATH:
		return cell_text(tree_path_next(&r->path, (size_t)r->depth - 1, name));
	case NAME:
		return name_cell(r, name);
	case CALLS:
		return cell_int(node->calls);
	case OPS:
		return cell_int(node->ops);
	case TOTAL:
		return cell_int(node->total_ns);
	case SELF:
		return cell_int(node->self_ns);
	case OP_TIME:
		return cell_int(node->op_ns);
	case TOTAL_DEVICE:
		return device_cell(r, node->total_device_ns);
	case SELF_DEVICE:
		return device_cell(r, node->self_device_ns);
	case LAUNCHED:
		return device_cell(r, node->launched);
	default:
		return cell_null();
	}
}

static int next_row(struct table *table, struct cell *cells, struct err *err)
{
	struct module_rows *r = (struct module_rows *)table;

	(void)err;
	while (advance(r)) {
		bool is_shown = !r->query.limit || r->all < r->query.limit;
		r->all++;
		if (!is_shown)
			continue;
		for (size_t i = 0; i < table->ncolumns; i++)
			cells[i] = cell_of(r, r->columns[i].id);
		return 1;
	}
	table->total_rows = r->all;
	return 0;
}

static void free_rows(struct table *table)
{
	struct module_rows *r = (struct module_rows *)table;

	modules_release(&r->modules);
	tree_path_release(&r->path);
	buf_release(&r->indented);
	arena_release(&r->arena);
	free(r);
}

/* Without device work people need no columns for it. */
static size_t choose(struct module_rows *r, struct buf *left)
{
	struct fit_column *columns = r->columns;
	size_t n = 0;

	if (!r->query.for_people) {
		for (int i = 0; i < NCOLUMNS; i++)
			columns[n++] = (struct fit_column){ machine[i], i, 0, 0 };
		return n;
	}
	for (size_t i = 0; i < NPEOPLE; i++)
		if (r->modules.has_device ||
		    (people[i].id != TOTAL_DEVICE && people[i].id != SELF_DEVICE))
			columns[n++] = people[i];
	return fit_columns(columns, n, r->query.width, left);
}

static void add_notes(struct module_rows *r, const struct scope *scope, struct str left)
{
	size_t n = 0;

	if (scope->n > 1)
		r->notes[n++] =
			arena_printf(&r->arena, "%zu profiles added up", scope->n);
	if (left.n)
		r->notes[n++] = arena_printf(
			&r->arena, "hidden: " STR_FMT "; -o FILE.csv has all columns",
			STR_ARG(left));
	if (n)
		r->table.notes = r->notes;
}

/* Takes the modules. */
static struct table *make_rows(struct modules *m, const struct scope *scope,
			       const struct modules_query *query)
{
	struct module_rows *r = xcalloc(1, sizeof(*r));
	struct buf left;

	r->modules = *m;
	*m = (struct modules){ .n = 0 };
	r->query = *query;
	r->at = MODULE_ROOT;
	tree_path_init(&r->path);
	buf_init(&r->indented, SIZE_MAX);
	buf_init(&left, TITLES_MAX);
	size_t n = choose(r, &left);
	struct column *headings = arena_alloc(&r->arena, n * sizeof(*headings));
	for (size_t i = 0; i < n; i++)
		headings[i] = r->columns[i].column;
	r->table = (struct table){ .columns = headings,
				   .ncolumns = n,
				   .next = next_row,
				   .free = free_rows,
				   .total_rows = -1 };
	add_notes(r, scope, buf_str(&left));
	buf_release(&left);
	return &r->table;
}

int modules_open(struct store *store, const struct scope *scope,
		 const struct modules_query *query, struct table **out, struct err *err)
{
	struct modules m;
	int rc = modules_load(store, scope, query->filter, &m, err);

	if (rc == 0) {
		sort_siblings(&m, query->by_start);
		*out = make_rows(&m, scope, query);
	}
	modules_release(&m);
	return rc;
}
