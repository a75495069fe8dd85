/* ptool gate --power: what a gate would see, as a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/gate.h"
#include "query/stats/middle.h"

/* A line of --power. */
struct power_row {
	const struct gate_line *line;
	double noise_pct, least_80, least_90;
	int64_t base_runs, new_runs;
};

static struct cell get_budget(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_text_or_null(((const struct power_row *)row)->line->budget->name);
}

static struct cell get_row(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_text_or_null(((const struct power_row *)row)->line->row);
}

static struct cell get_power_real(const void *from, const void *row, int offset)
{
	double value;

	(void)from;
	memcpy(&value, (const char *)row + offset, sizeof(value));
	return isfinite(value) ? cell_real(value) : cell_null();
}

#define POWER(member) \
	.get = get_power_real, .arg = (int)offsetof(struct power_row, member)
#define SIZE(member) .get = view_int64, .arg = (int)offsetof(struct power_row, member)

/* clang-format off */
static const struct field power_fields[] = {
	{ "budget", "Budget", "name of the section", NULL, UNIT_TEXT, .get = get_budget, .flags = FIELD_KEY },
	{ "row", "Row", "row of the view; null for the budget's one number", NULL, UNIT_TEXT, .get = get_row, .flags = FIELD_KEY },
	{ "noise_pct", "Noise %", "standard deviation of the baseline's runs, in percent", NULL, UNIT_PERCENT, POWER(noise_pct) },
	{ "base_runs", "Base n", "runs of the baseline", NULL, UNIT_COUNT, SIZE(base_runs) },
	{ "new_runs", "New n", "runs that are to come", NULL, UNIT_COUNT, SIZE(new_runs) },
	{ "seen_80_pct", "Seen at 80 %", "smallest change that fails in 80 of 100 gates; null: none up to 200 % worse, or to 0", NULL, UNIT_PERCENT, POWER(least_80) },
	{ "seen_90_pct", "Seen at 90 %", "likewise in 90 of 100", NULL, UNIT_PERCENT, POWER(least_90) },
	{ .name = NULL },
};
/* clang-format on */

const struct view gate_power_view = {
	.name = "gate --power",
	.fields = power_fields,
	.people = VIEW_PART("budget row noise_pct base_runs new_runs seen_80_pct! "
			    "seen_90_pct!"),
};

static double noise_of(const struct gate_trial *t)
{
	double mean = middle_mean(t->base.values, t->base.n), sum = 0;
	double n = (double)t->base.n;

	for (size_t i = 0; i < t->base.n; i++)
		sum += (t->base.values[i] - mean) * (t->base.values[i] - mean);
	return n > 1 && mean != 0 ? 100 * sqrt(sum / (n - 1)) / fabs(mean) : (double)NAN;
}

struct memtable *gate_power_table(const struct gate *g, size_t nnew, bool for_people)
{
	struct gate_trial *trials = xcalloc(g->n, sizeof(*trials));
	struct power_row *items = xcalloc(g->n, sizeof(*items));
	struct view_rows rows = { NULL, items, 0, sizeof(*items) };
	const struct view_request request = { .for_people = for_people };
	struct gate_power power;

	for (size_t i = 0; i < g->n; i++)
		if (!g->lines[i].is_whole && g->lines[i].trial.base.n) {
			items[rows.n].line = &g->lines[i];
			trials[rows.n++] = g->lines[i].trial;
		}
	gate_power_make(trials, rows.n, nnew, g->plan->alpha, &power);
	for (size_t i = 0; i < rows.n; i++) {
		size_t nbase = trials[i].base.n;
		items[i].noise_pct = noise_of(&trials[i]);
		items[i].base_runs = (int64_t)nbase;
		items[i].new_runs = (int64_t)(nnew ? nnew : nbase);
		items[i].least_80 = power.least_80[i];
		items[i].least_90 = power.least_90[i];
	}
	struct memtable *m = view_table(&gate_power_view, &rows, NULL, &request);
	m->table.caption = arena_printf(
		&m->arena,
		"of 100 gates of one program %.3g fail and %.3g are inconclusive",
		power.aa_pct, power.aa_inconclusive_pct);
	if (!for_people)
		memtable_add_note(m, "%s", m->table.caption);
	m->table.is_form = true;
	gate_power_release(&power);
	free(trials);
	free(items);
	return m;
}
