/* Modules as a view: a path a row, below the row of what called it. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "query/kernels/modules.h"
#include "query/tree_text.h"

struct module_row {
	const struct module_node *node;
	int64_t id, depth;
	struct str text; /* its path, for people its name indented */
};

struct module_rows {
	struct modules modules;
	struct module_row *items; /* owned */
	size_t n, cap;
	struct arena arena; /* of their texts */
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

static void add_row(struct module_rows *r, uint32_t at, int64_t depth)
{
	*ARRAY_PUSH(r->items, r->n, r->cap) =
		(struct module_row){ &r->modules.nodes[at], at, depth, { 0 } };
}

/* Every module above `depth` (0: all of them) behind what called it. */
static void list_rows(struct module_rows *r, int64_t depth)
{
	const struct module_node *nodes = r->modules.nodes;
	uint32_t at = MODULE_ROOT;
	int64_t level = 0;

	for (;;) {
		if (nodes[at].first != MODULE_NONE && (!depth || level < depth)) {
			at = nodes[at].first;
			level++;
		} else {
			while (at != MODULE_ROOT && nodes[at].next == MODULE_NONE) {
				at = nodes[at].parent;
				level--;
			}
			if (at == MODULE_ROOT)
				return;
			at = nodes[at].next;
		}
		add_row(r, at, level - 1);
	}
}

static void set_texts(struct module_rows *r, const struct modules_query *query)
{
	struct tree_path path;
	struct buf indented;

	tree_path_init(&path);
	buf_init(&indented, SIZE_MAX);
	for (size_t i = 0; i < r->n; i++) {
		struct module_row *row = &r->items[i];
		struct str name = intern_str(&r->modules.texts, row->node->name);
		if (query->show.limit && i >= (uint64_t)query->show.limit)
			break;
		if (query->show.for_people) {
			buf_clear(&indented);
			tree_text_indent(&indented, (size_t)row->depth, query->width);
			buf_add_str(&indented, name);
			row->text = arena_copy(&r->arena, buf_str(&indented));
		} else {
			row->text = arena_copy(
				&r->arena,
				tree_path_next(&path, (size_t)row->depth, name));
		}
	}
	tree_path_release(&path);
	buf_release(&indented);
}

static struct cell get_text(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_text(((const struct module_row *)row)->text);
}

static struct cell get_name(const void *from, const void *row, int arg)
{
	const struct module_rows *r = from;

	(void)arg;
	return cell_text(intern_str(&r->modules.texts,
				    ((const struct module_row *)row)->node->name));
}

static struct cell get_parent(const void *from, const void *row, int arg)
{
	const struct module_node *node = ((const struct module_row *)row)->node;

	(void)from, (void)arg;
	return node->parent == MODULE_ROOT ? cell_null() : cell_int(node->parent);
}

static struct cell get_host(const void *from, const void *row, int offset)
{
	return view_int64(from, ((const struct module_row *)row)->node, offset);
}

static struct cell get_device(const void *from, const void *row, int offset)
{
	const struct module_rows *r = from;

	return r->modules.has_device ? get_host(from, row, offset) : cell_null();
}

#define ROW(member)       .get = view_int64, .arg = offsetof(struct module_row, member)
#define HOST(member)      .get = get_host, .arg = offsetof(struct module_node, member)
#define ON_DEVICE(member) .get = get_device, .arg = offsetof(struct module_node, member)

/* clang-format off */
static const struct field fields[] = {
	{ "id", "ID", "number of the row", NULL, UNIT_ID, ROW(id) },
	{ "parent_id", "Parent", "row of the module that called it", NULL, UNIT_ID, .get = get_parent },
	{ "depth", "Depth", "depth; 0 for modules that no module called", NULL, UNIT_COUNT, ROW(depth) },
	{ "path", "Path", "the names from the top, with ; between them", NULL, UNIT_TEXT, .get = get_text },
	{ "people_name", "Module", NULL, NULL, UNIT_TEXT, .get = get_text, .flags = FIELD_PEOPLE },
	{ "name", "Name", "name", NULL, UNIT_TEXT, .get = get_name },
	{ "calls", "Calls", "number of calls", NULL, UNIT_COUNT, HOST(calls) },
	{ "ops", "Ops", "number of operators directly in it", NULL, UNIT_COUNT, HOST(ops), .leaves = 2 },
	{ "total_host_ns", "Host", "host time of all calls", NULL, UNIT_NS, HOST(total_ns) },
	{ "self_host_ns", "Self", "host time without its operators and the modules below", NULL, UNIT_NS, HOST(self_ns), .leaves = 1 },
	{ "op_host_ns", "In ops", "host time of the operators directly in it", NULL, UNIT_NS, HOST(op_ns), .leaves = 3 },
	{ "total_device_ns", "Device", "device work launched inside", NULL, UNIT_NS, ON_DEVICE(total_device_ns) },
	{ "self_device_ns", "Self dev.", "device work that no module below launched", NULL, UNIT_NS, ON_DEVICE(self_device_ns), .leaves = 4 },
	{ "device_work", "Device work", "device work launched by it and by the rows below: number of kernels, copies and sets", NULL, UNIT_COUNT, ON_DEVICE(launched) },
	{ .name = NULL },
};
/* clang-format on */

const struct view modules_view = {
	.name = "modules",
	.fields = fields,
	.people = VIEW_PART("people_name calls ops total_host_ns! self_host_ns "
			    "op_host_ns total_device_ns self_device_ns"),
};

int modules_open(struct store *store, const struct scope *scope,
		 const struct modules_query *query, struct table **out, struct err *err)
{
	struct module_rows r = { .n = 0 };
	int rc = modules_load(store, scope, query->filter, &r.modules, err);

	if (rc == 0) {
		sort_siblings(&r.modules, query->by_start);
		list_rows(&r, query->depth);
		set_texts(&r, query);
		const struct view_rows rows = { &r, r.items, r.n, sizeof(*r.items) };
		struct memtable *m =
			view_table(&modules_view, &rows, scope, &query->show);
		if (scope->n > 1)
			memtable_add_note(m, "%zu profiles added up", scope->n);
		*out = &m->table;
	}
	modules_release(&r.modules);
	arena_release(&r.arena);
	free(r.items);
	return rc;
}
