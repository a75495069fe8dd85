/* Modules as a table: a path a row, below the row of what called it. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/memtable.h"
#include "base/sort.h"
#include "query/fit_columns.h"
#include "query/kernels/modules.h"
#include "query/top/top.h"

#define INDENT     "  "
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

struct drawing {
	struct modules *m;
	const struct modules_query *query;
	struct buf text;
	uint32_t *above; /* owned; from the top to the newest node */
	size_t depth, above_cap;
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

/* The node of the next row; MODULE_ROOT behind the last. */
static uint32_t next_node(struct drawing *d, uint32_t at)
{
	const struct module_node *nodes = d->m->nodes;
	bool goes_down = !d->query->depth || (int64_t)d->depth < d->query->depth;

	if (nodes[at].first != MODULE_NONE && goes_down) {
		d->above =
			xgrow(d->above, &d->above_cap, d->depth + 1, sizeof(*d->above));
		d->above[d->depth++] = nodes[at].first;
		return nodes[at].first;
	}
	while (d->depth && nodes[at].next == MODULE_NONE) {
		d->depth--;
		at = nodes[at].parent;
	}
	if (!d->depth)
		return MODULE_ROOT;
	d->above[d->depth - 1] = nodes[at].next;
	return nodes[at].next;
}

/* The names from the top, with ';' between them; for people one name, indented. */
static struct str text_of(struct drawing *d, int column)
{
	const struct modules *m = d->m;

	buf_clear(&d->text);
	for (size_t i = 0; i < d->depth; i++) {
		struct str name = intern_str(&m->texts, m->nodes[d->above[i]].name);
		if (i + 1 < d->depth && d->query->for_people)
			buf_add_text(&d->text, INDENT);
		else if (i + 1 == d->depth || column == PATH)
			buf_add_str(&d->text, name);
		if (i + 1 < d->depth && column == PATH)
			buf_add_char(&d->text, ';');
	}
	return buf_str(&d->text);
}

static struct cell device_cell(const struct drawing *d, int64_t value)
{
	return d->m->has_device ? cell_int(value) : cell_null();
}

static struct cell cell_of(struct drawing *d, uint32_t at, int column)
{
	const struct module_node *node = &d->m->nodes[at];

	switch (column) {
	case ID:
		return cell_int(at);
	case PARENT:
		return node->parent == MODULE_ROOT ? cell_null() : cell_int(node->parent);
	case DEPTH:
		return cell_int((int64_t)d->depth - 1);
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
		return device_cell(d, node->total_device_ns);
	case SELF_DEVICE:
		return device_cell(d, node->self_device_ns);
	case LAUNCHED:
		return device_cell(d, node->launched);
	default:
		return cell_null();
	}
}

static void add_row(struct drawing *d, struct memtable *m, uint32_t at,
		    const struct fit_column *columns)
{
	struct cell cells[NCOLUMNS];
	struct str text[NCOLUMNS];

	for (size_t i = 0; i < m->table.ncolumns; i++) {
		int column = columns[i].id;
		if (column == PATH || column == NAME) {
			text[i] = arena_copy(&m->arena, text_of(d, column));
			cells[i] = cell_text(text[i]);
		} else {
			cells[i] = cell_of(d, at, column);
		}
	}
	memtable_add_row(m, cells);
}

/* Without device work people need no columns for it. */
static size_t choose(const struct drawing *d, struct fit_column *columns,
		     struct buf *left)
{
	size_t n = 0;

	if (!d->query->for_people) {
		for (int i = 0; i < NCOLUMNS; i++)
			columns[n++] = (struct fit_column){ machine[i], i, 0, 0 };
		return n;
	}
	for (size_t i = 0; i < NPEOPLE; i++)
		if (d->m->has_device ||
		    (people[i].id != TOTAL_DEVICE && people[i].id != SELF_DEVICE))
			columns[n++] = people[i];
	return fit_columns(columns, n, d->query->width, left);
}

static struct table *draw(struct drawing *d, const struct scope *scope)
{
	struct fit_column columns[NCOLUMNS];
	struct buf left;

	buf_init(&left, TITLES_MAX);
	size_t n = choose(d, columns, &left);
	struct memtable *m = memtable_new(NULL, n);
	struct column *headings = arena_alloc(&m->arena, n * sizeof(*headings));
	for (size_t i = 0; i < n; i++)
		headings[i] = columns[i].column;
	m->table.columns = headings;
	int64_t all = 0;
	for (uint32_t at = MODULE_ROOT; (at = next_node(d, at)) != MODULE_ROOT; all++)
		if (!d->query->limit || all < d->query->limit)
			add_row(d, m, at, columns);
	m->table.total_rows = all;
	const char *note = top_scope_note(scope, &m->arena);
	if (note)
		memtable_add_note(m, "%zu profiles added up", scope->n);
	if (left.n)
		memtable_add_note(m, "hidden: " STR_FMT "; -o FILE.csv has all columns",
				  STR_ARG(buf_str(&left)));
	buf_release(&left);
	return &m->table;
}

int modules_open(struct store *store, const struct scope *scope,
		 const struct modules_query *query, struct table **out, struct err *err)
{
	struct modules m;
	int rc = modules_load(store, scope, query->filter, &m, err);

	if (rc == 0) {
		struct drawing d = { .m = &m, .query = query };
		buf_init(&d.text, SIZE_MAX);
		sort_siblings(&m, query->by_start);
		*out = draw(&d, scope);
		buf_release(&d.text);
		free(d.above);
	}
	modules_release(&m);
	return rc;
}
