/* The table behind a flame graph: see page_flame_table.h. */
#include "report/page_flame_table.h"

#include "base/memtable.h"
#include "report/page_table.h"

#define SHARE_LEAST  1.0 /* percent of the host's time or of the device's */
#define ROWS_MOST    2000
#define LEVELS_DRAWN 24 /* that are indented */

enum { NAME, SHARE, TOTAL, SELF, CALLS, BASE, DEVICE, NCOLUMNS };

static double share_of(const struct flame *f, const struct flame_node *node,
		       enum flame_amount amount)
{
	double whole = (double)f->nodes[FLAME_ROOT].side[FLAME_NOW].total[amount];

	return whole > 0 ? 100.0 * (double)node->side[FLAME_NOW].total[amount] / whole
			 : 0;
}

static bool is_shown(const struct flame *f, const struct flame_node *node)
{
	return share_of(f, node, FLAME_HOST) >= SHARE_LEAST ||
	       share_of(f, node, FLAME_DEVICE) >= SHARE_LEAST;
}

/* Its level as blanks, which no reader takes for a part of the name. */
static struct cell name_cell(const struct flame *f, const struct flame_node *node,
			     struct buf *name)
{
	uint32_t levels = node->depth - 1;

	buf_clear(name);
	for (uint32_t i = 0; i < levels && i < LEVELS_DRAWN; i++)
		buf_add_text(name, "\xc2\xb7 ");
	if (levels > LEVELS_DRAWN)
		buf_addf(name, "[%u] ", (unsigned)levels);
	buf_add_str(name, intern_str(&f->texts, node->name));
	return cell_text(buf_str(name));
}

static void add_rows(struct memtable *m, const struct flame *f)
{
	struct cell cells[NCOLUMNS];
	struct buf name;

	buf_init(&name, SIZE_MAX);
	for (size_t i = 1; i < f->n && m->nrows < ROWS_MOST; i++) {
		const struct flame_node *node = &f->nodes[i];
		const struct flame_sums *now = &node->side[FLAME_NOW];
		if (!is_shown(f, node)) {
			i += node->span - 1;
			continue;
		}
		cells[SHARE] = cell_real(share_of(f, node, f->by));
		cells[TOTAL] = flame_cell(f, now->total[FLAME_HOST]);
		cells[SELF] = flame_cell(f, now->self[FLAME_HOST]);
		cells[CALLS] = f->has_calls ? cell_int(now->calls) : cell_null();
		cells[BASE] =
			f->has_base
				? flame_cell(f, node->side[FLAME_BASE].total[FLAME_HOST])
				: cell_null();
		cells[DEVICE] =
			f->has_device ? cell_int(now->total[FLAME_DEVICE]) : cell_null();
		cells[NAME] = name_cell(f, node, &name);
		memtable_add_row(m, cells);
	}
	buf_release(&name);
}

int page_flame_table(struct page *p, const char *id, const struct flame *flame,
		     const struct flame_draw *draw, struct err *err)
{
	const enum unit unit = flame->unit;
	const struct column columns[NCOLUMNS] = {
		[NAME] = { "name", "Call", UNIT_TEXT },
		[SHARE] = { "total_pct", "Total", UNIT_PERCENT },
		[TOTAL] = { "total", "Total", unit },
		[SELF] = { "self", "Self", unit },
		[CALLS] = { "calls", flame->is_sampled ? "Samples" : "Calls",
			    UNIT_COUNT },
		[BASE] = { "before", "Before", unit },
		[DEVICE] = { "device_ns", "Device", UNIT_NS },
	};
	char only[128];

	snprintf(only, sizeof(only), "name total_pct total self%s%s%s",
		 flame->has_calls ? " calls" : "", flame->has_base ? " before" : "",
		 flame->has_device ? " device_ns" : "");
	const struct page_table how = { .id = id,
					.title = "Call tree as a table",
					.about = "calls of 1% and more",
					.bar = "total python",
					.only = only,
					.has_slices = true,
					.shorten = draw->shorten };
	struct memtable *m = memtable_new(columns, NCOLUMNS);

	add_rows(m, flame);
	int rc = page_table(p, &how, &m->table, err);
	table_free(&m->table);
	return rc < 0 ? -1 : 0;
}
