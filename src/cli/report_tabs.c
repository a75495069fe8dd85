/* Tabs of a page: see report_tabs.h. */
#include "cli/report_tabs.h"

#include "cli/table_command.h"
#include "query/short_name.h"
#include "report/page_table.h"

#define TRACES      REPORT_KIND(SCOPE_TRACES)
#define CALL_GRAPHS REPORT_KIND(SCOPE_CALL_GRAPHS)
#define SAMPLES     REPORT_KIND(SCOPE_SAMPLES)
#define LINES       REPORT_KIND(SCOPE_LINES)
#define ALL         (TRACES | CALL_GRAPHS | SAMPLES | LINES)

/* clang-format off */
#define TABLES(...) (const struct report_table[]){ __VA_ARGS__, { .line = NULL } }

static const struct report_tab tabs[] = {
	{ "operators", "Operators", TRACES, NULL, TABLES(
		{ "top -n 0 --wide", "table-operators", "Operators",
		  "self is without what was called", .bar = "self_cpu_ns cpu;self_device_ns kernel" }) },
	{ "functions", "Functions", CALL_GRAPHS | SAMPLES | LINES, NULL, TABLES(
		{ "top -n 0 --wide", "table-functions", "Functions",
		  "self is without what was called", .bar = "self_ns python" }) },
	{ "recording", "Recording", ALL, NULL, TABLES(
		{ "info --wide", "table-info", "What was recorded", .bar = NULL },
		{ "doctor --wide", "table-doctor", "What was wrong with it", .bar = NULL }) },
	{ .id = NULL },
};
/* clang-format on */

struct table_place {
	struct report_making *making;
	const struct report_table *table;
};

static int use(void *to, struct table *t, struct err *err)
{
	const struct table_place *place = to;
	const struct page_table how = {
		.id = place->table->id,
		.title = place->table->title,
		.about = place->table->about,
		.bar = place->table->bar,
		.of = place->table->of,
		.shorten = short_name_add,
	};

	return page_table(place->making->page, &how, t, err);
}

/* Without rows, a line that says why. */
static int add_table(struct report_making *m, const struct report_table *table,
		     struct err *err)
{
	struct table_place place = { m, table };
	struct err why = ERR_INIT;
	int rc = table_command_use(table->line, m->reading,
				   &(struct table_use){ use, &place }, &why);

	if (rc < 0) {
		*err = why;
		return -1;
	}
	if (rc == 0 && !table->is_silent && why.text[0])
		page_part(m->page->body, "absent",
			  PAGE_SLOTS(PAGE_TEXT("text", str_of(why.text))));
	return 0;
}

int report_tabs_add(struct report_making *m, struct err *err)
{
	for (const struct report_tab *tab = tabs; tab->id; tab++) {
		if (!(tab->kinds & REPORT_KIND(m->kind)))
			continue;
		page_tab(m->page, tab->id, tab->title);
		if (tab->add && tab->add(m, err) < 0)
			return -1;
		for (const struct report_table *t = tab->tables; t && t->line; t++)
			if (add_table(m, t, err) < 0)
				return -1;
	}
	return 0;
}
