/* The tables of devices: see devices.h. */
#include "query/devices/devices.h"

#include "base/units.h"
#include "ingest/sink.h"
#include "query/devices/device_rows.h"
#include "query/pick.h"

#define PART_MAX 7

/* Less than that of kernel time is not worth a note. */
#define UNKNOWN_PCT 0.005

/* The keys and some of the columns, as a table of its own. */
struct part {
	const char *caption;
	enum device_column columns[PART_MAX];
	size_t n;
};

/* What people see, table below table: 80 columns with rank and profile. */
static const struct part parts[] = {
	{ "from the first to the last work: span = busy + idle",
	  { DEVICE_SPAN, DEVICE_BUSY, DEVICE_IDLE, DEVICE_BUSY_SHARE, DEVICE_EDGE },
	  5 },
	{ "busy = compute + exposed communication + exposed copies",
	  { DEVICE_COMPUTE, DEVICE_EXPOSED_COMM, DEVICE_EXPOSED_COPY,
	    DEVICE_COMMUNICATION },
	  4 },
	{ "Util: busy share of the steps; the others are of kernels alone",
	  { DEVICE_UTILIZATION, DEVICE_SM_EFFICIENCY, DEVICE_OCCUPANCY,
	    DEVICE_TENSOR_CORE },
	  4 },
};
#define NPARTS (sizeof(parts) / sizeof(parts[0]))

static const struct part summary = { "devices",
				     { DEVICE_NAME, DEVICE_UTILIZATION,
				       DEVICE_SM_EFFICIENCY, DEVICE_OCCUPANCY,
				       DEVICE_TENSOR_CORE },
				     5 };

static struct memtable *copy_rows(const struct memtable *all)
{
	struct memtable *m = memtable_new(device_columns, NDEVICE_COLUMNS);

	for (size_t i = 0; i < all->nrows; i++)
		memtable_add_row(m, memtable_row(all, i));
	return m;
}

static void show_part(const struct part *part, enum shown *shown)
{
	for (size_t i = 0; i < NDEVICE_COLUMNS; i++)
		shown[i] = SHOWN_NEVER;
	shown[DEVICE_PROFILE] = SHOWN_IF_PROFILES;
	shown[DEVICE_RANK] = SHOWN_IF_RANKS;
	shown[DEVICE_NUMBER] = SHOWN_ALWAYS;
	for (size_t i = 0; i < part->n; i++)
		shown[part->columns[i]] = SHOWN_ALWAYS;
}

static bool is_same_text(struct cell a, struct cell b)
{
	return a.type == CELL_TEXT && b.type == CELL_TEXT &&
	       str_equal(a.as.text, b.as.text);
}

/* "memory 31.74 GiB, compute capability 7.0, 80 SMs": what is known of these. */
static const char *known_properties(struct memtable *m, const struct cell *row)
{
	char memory[UNITS_TEXT_MAX], sms[UNITS_TEXT_MAX];
	struct str size = units_text(UNIT_BYTES, row[DEVICE_MEMORY_BYTES], memory);
	struct str many = units_text(UNIT_COUNT, row[DEVICE_SMS], sms);
	struct cell cc = row[DEVICE_CAPABILITY];
	const char *said = "";

	if (row[DEVICE_MEMORY_BYTES].type != CELL_NULL)
		said = arena_printf(&m->arena, ", memory " STR_FMT, STR_ARG(size));
	if (cc.type == CELL_TEXT)
		said = arena_printf(&m->arena, "%s, compute capability " STR_FMT, said,
				    STR_ARG(cc.as.text));
	if (row[DEVICE_SMS].type != CELL_NULL)
		said = arena_printf(&m->arena, "%s, " STR_FMT " SMs", said,
				    STR_ARG(many));
	return *said ? said + 2 : said;
}

static bool is_same_model(const struct cell *a, const struct cell *b)
{
	return is_same_text(a[DEVICE_NAME], b[DEVICE_NAME]);
}

/*
 * "Tesla V100-DGXS-32GB: memory 31.74 GiB, compute capability 7.0, 80 SMs", each once; a
 * name alone where the table does not have it.
 */
static void note_names(struct memtable *m, bool has_names)
{
	for (size_t i = 0; i < m->nrows; i++) {
		const struct cell *row = memtable_row(m, i);
		size_t first = 0;
		while (first < i && !is_same_model(memtable_row(m, first), row))
			first++;
		if (first < i || row[DEVICE_NAME].type != CELL_TEXT)
			continue;
		struct str name = row[DEVICE_NAME].as.text;
		const char *known = known_properties(m, row);
		if (*known || !has_names)
			memtable_add_note(m, STR_FMT "%s%s", STR_ARG(name),
					  *known ? ": " : "", known);
	}
}

/* What the share on Tensor Cores is not of. */
static void note_unknown(struct memtable *m)
{
	for (size_t i = 0; i < m->nrows; i++) {
		const struct cell *row = memtable_row(m, i);
		struct cell pct = row[DEVICE_TENSOR_CORE_UNKNOWN];
		char device[UNITS_TEXT_MAX];
		if (pct.type != CELL_REAL || pct.as.real < UNKNOWN_PCT)
			continue;
		struct str number =
			row[DEVICE_NUMBER].type == CELL_TEXT
				? row[DEVICE_NUMBER].as.text
				: units_text(UNIT_COUNT, row[DEVICE_NUMBER], device);
		memtable_add_note(m,
				  "device " STR_FMT ": %.2f%% of kernel time has names "
				  "that do not say whether it ran on Tensor Cores; "
				  "Tensor is a share of the rest",
				  STR_ARG(number), pct.as.real);
	}
}

static struct table *lay_out(const struct memtable *all, const struct scope *scope)
{
	struct table *first = NULL, **end = &first;

	for (size_t i = 0; i < NPARTS; i++) {
		struct memtable *m = copy_rows(all);
		enum shown shown[NDEVICE_COLUMNS];
		show_part(&parts[i], shown);
		m->table.caption = parts[i].caption;
		if (i + 1 == NPARTS) {
			note_unknown(m);
			note_names(m, false);
		}
		*end = table_pick(&m->table, shown, scope, true);
		(*end)->is_form = true;
		end = &(*end)->more;
	}
	return first;
}

/* All but the share that only people see. */
static struct table *for_machines(struct memtable *all, const struct scope *scope)
{
	enum shown shown[NDEVICE_COLUMNS];

	for (size_t i = 0; i < NDEVICE_COLUMNS; i++)
		shown[i] = i == DEVICE_BUSY_SHARE ? SHOWN_NEVER : SHOWN_ALWAYS;
	return table_pick(&all->table, shown, scope, false);
}

int devices_open(struct store *store, const struct scope *scope,
		 const struct devices_request *request, struct table **out,
		 struct err *err)
{
	struct memtable *all = memtable_new(device_columns, NDEVICE_COLUMNS);

	if (device_rows(store, scope, request->filter, all, err) < 0) {
		table_free(&all->table);
		return -1;
	}
	if (!request->for_people) {
		*out = for_machines(all, scope);
		return 0;
	}
	*out = lay_out(all, scope);
	table_free(&all->table);
	return 0;
}

int devices_summary_open(struct store *store, const struct scope *scope,
			 struct table **out, struct err *err)
{
	struct memtable *all = memtable_new(device_columns, NDEVICE_COLUMNS);
	const struct filter nothing = { .focus = NULL };
	enum shown shown[NDEVICE_COLUMNS];

	*out = NULL;
	if (device_rows(store, scope, &nothing, all, err) < 0) {
		table_free(&all->table);
		if (err->kind != ERR_EMPTY)
			return -1;
		*err = (struct err)ERR_INIT;
		return 0;
	}
	show_part(&summary, shown);
	shown[DEVICE_PROFILE] = scope->n > 1 ? SHOWN_ALWAYS : SHOWN_NEVER;
	shown[DEVICE_RANK] = SHOWN_NEVER; /* the profiles are listed with theirs */
	all->table.caption = summary.caption;
	note_unknown(all);
	note_names(all, true);
	*out = table_pick(&all->table, shown, scope, true);
	(*out)->is_form = true;
	return 0;
}
