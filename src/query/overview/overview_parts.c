/*
 * What the first screen wants of recordings whose slices are not there, from summaries: the
 * same numbers as rules have read (overview_facts.c), but for findings.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sum.h"
#include "query/devices/device_properties.h"
#include "query/devices/device_rows.h"
#include "query/gaps/gap_table.h"
#include "query/kernels/kernels.h"
#include "query/memory/memory_peak.h"
#include "query/overview/overview_make.h"
#include "query/summary/summary.h"

static const struct filter no_filter = { .focus = NULL };

/* The mean of the first profile that has one. */
static int add_steps(struct overview_facts *to, struct summary_reader *reader,
		     const struct scope_profile *profile, struct err *err)
{
	static const struct steps_request request = { .filter = &no_filter };
	const struct step_source from = { reader->store, reader->texts, profile };
	struct steps steps = { .nprofiles = 0 };
	size_t at = 0;
	int rc = steps_add_stored(reader, &from, &request, 0, &steps, err);

	if (rc > 0)
		steps_sum_up(&steps);
	const struct step_row *mean = rc > 0 ? steps_next_mean(&steps, &at) : NULL;
	if (!to->has_mean && mean && !mean->is_single) {
		to->mean = *mean;
		to->has_mean = true;
	}
	if (rc > 0)
		rc = overview_add_phases(to, reader->store, &steps, err);
	steps_release(&steps);
	return rc < 0 ? -1 : 0;
}

/* Where a column stands; the table has it. */
static size_t place_of(const struct table *table, const char *name)
{
	size_t i = 0;

	while (strcmp(table->columns[i].name, name) != 0)
		i++;
	return i;
}

static int64_t number(struct cell cell)
{
	return cell.type == CELL_INT ? cell.as.integer : 0;
}

static enum gap_cause cause_of(struct cell cell)
{
	for (size_t i = 0; i < NGAP_CAUSES && cell.type == CELL_TEXT; i++)
		if (gap_causes[i].code && str_is(cell.as.text, gap_causes[i].code))
			return (enum gap_cause)i;
	return GAP_NONE;
}

/* The table of `ptool gaps`. */
static int add_idle(struct overview_facts *to, struct table *table, struct err *err)
{
	size_t cause = place_of(table, "cause"), idle = place_of(table, "idle_ns");
	struct cell *cells = xcalloc(table->ncolumns, sizeof(*cells));
	int more;

	while ((more = table->next(table, cells, err)) > 0) {
		enum gap_cause of = cause_of(cells[cause]);
		to->idle_ns = sum_add(to->idle_ns, number(cells[idle]));
		to->cause_ns[of] = sum_add(to->cause_ns[of], number(cells[idle]));
	}
	free(cells);
	return more;
}

/* What the recording lacks is no failure. */
static int lacks(int rc, struct err *err)
{
	if (rc < 0 && err->kind == ERR_EMPTY) {
		*err = (struct err)ERR_INIT;
		return 0;
	}
	return rc;
}

static int load_idle(struct overview_making *m, struct err *err)
{
	const struct gap_table_request request = { .by = GAPS_BY_CAUSE,
						   .span_ns = &m->facts.span_ns };
	struct table *table = NULL;
	int rc = gap_table_open(m->store, m->scope, &request, &table, err);

	if (rc < 0)
		return lacks(rc, err);
	rc = add_idle(&m->facts, table, err);
	table_free(table);
	return rc;
}

/* Those of the first profile that tells any. */
static int add_device_names(struct overview_facts *to, struct store *store,
			    const struct scope_profile *profile, struct err *err)
{
	struct device_properties_list list;
	int rc = device_properties_load(store, profile, &list, err);

	for (size_t i = 0; rc == 0 && i < list.n; i++)
		overview_add_device_name(to, list.items[i].name);
	device_properties_release(&list);
	return rc;
}

static int load_devices(struct overview_making *m, struct err *err)
{
	struct memtable *rows = memtable_new(NULL, NDEVICE_COLUMNS);
	int rc = device_rows(m->store, m->scope, &no_filter, rows, err);
	int64_t last = NUMBER_NONE;

	for (size_t i = 0; rc == 0 && i < rows->nrows; i++) {
		const struct cell *cells = memtable_row(rows, i);
		int64_t id = cells[DEVICE_PROFILE].as.integer;
		const struct scope_profile *profile = scope_find(m->scope, id);
		if (!profile)
			continue;
		overview_add_device(&m->facts, profile, cells[DEVICE_NUMBER]);
		if (id != last)
			rc = add_device_names(&m->facts, m->store, profile, err);
		last = id;
	}
	table_free(&rows->table);
	return lacks(rc, err);
}

static int load_kernels(struct overview_making *m, struct err *err)
{
	static const struct kernels_query query = { .filter = &no_filter,
						    .sums_only = true };
	struct overview_facts *to = &m->facts;
	struct kernels kernels;
	int rc = kernels_load(m->store, m->scope, &query, &kernels, err);

	for (size_t i = 0; rc == 0 && i < kernels.n; i++) {
		const struct kernel_group *group = &kernels.groups[i];
		struct str name = group->name == TEXT_NONE
					  ? STR_LIT("")
					  : text_pool_str(&kernels.texts, group->name);
		int64_t *sum = ARRAY_AT(to->kernel_ns, to->kernels_cap,
					intern_add(&to->kernels, name));
		*sum = sum_add(*sum, group->total_ns);
		to->all_kernels_ns = sum_add(to->all_kernels_ns, group->total_ns);
	}
	kernels_release(&kernels);
	return lacks(rc, err);
}

static int add_peak(void *to, const struct memory_device *device,
		    const struct memory_peak *peak, struct err *err)
{
	(void)err;
	overview_add_peak(to, device, peak);
	return 0;
}

static int add_peaks(struct overview_facts *to, struct summary_reader *reader,
		     const struct scope_profile *profile, struct err *err)
{
	if (!profile->has_memory || !summary_has(reader, profile, &summary_memory))
		return 0;
	return memory_peak_each(reader, profile, &no_filter, add_peak, to, err);
}

static int load_steps_and_memory(struct overview_making *m, struct err *err)
{
	struct summary_reader reader = { .n = 0 };
	struct text_pool texts;
	int rc = text_pool_open(m->store, &texts, err);

	if (rc == 0)
		rc = summary_reader_open(m->store, &texts, &reader, err);
	for (size_t i = 0; i < m->scope->n && rc == 0; i++) {
		const struct scope_profile *profile = &m->scope->profiles[i];
		rc = add_steps(&m->facts, &reader, profile, err);
		if (rc == 0)
			rc = add_peaks(&m->facts, &reader, profile, err);
	}
	summary_reader_close(&reader);
	text_pool_close(&texts);
	return rc;
}

int overview_parts_load(struct overview_making *m, struct err *err)
{
	if (load_steps_and_memory(m, err) < 0 || load_idle(m, err) < 0)
		return -1;
	return load_devices(m, err) < 0 ? -1 : load_kernels(m, err);
}
