/* The torch format of ptool top: see torch_format.h. */
#include "cli/torch_format.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "report/torch_table.h"

#define NAME_WIDTH 55

static const char *const time_units[] = { "s", "ms", "us", NULL };

#define INTO(type, member) OPT_INTO(type, struct torch_opts, member)

/* clang-format off */
const struct opt torch_options[] = {
	{ .name = "header", .arg = "TEXT", .help = "a line above the table",
	  INTO(STRING, header) },
	{ .name = "max-name-column-width", .arg = "N", .help = "cut names to N characters, 0 for never (torch's default: 55)",
	  INTO(STRING, name_width) },
	{ .name = "time-unit", .arg = "UNIT", .help = "one unit for all times",
	  .choices = time_units, INTO(CHOICE, time_unit) },
	OPT_END
};
/* clang-format on */

int torch_options_check(const struct torch_opts *o, struct err *err)
{
	if (!o->header && !o->name_width && !o->time_unit)
		return 0;
	return err_set(err, ERR_USAGE,
		       "--header, --max-name-column-width and --time-unit are for "
		       "--format torch");
}

static int parse_width(const char *text, int64_t *width, struct err *err)
{
	*width = NAME_WIDTH;
	if (!text || (decimal_text_int(str_of(text), width) == DECIMAL_OK && *width >= 0))
		return 0;
	return err_set(err, ERR_USAGE,
		       "--max-name-column-width wants a number, not '%.100s'", text);
}

static struct str text_of(const struct torch_request *r, uint32_t number)
{
	return text_pool_str(&r->rows->texts, number);
}

static struct torch_row make_row(const struct torch_request *r, uint32_t at)
{
	const struct opstat *stat = &r->rows->stats.rows[at];
	const struct opstat_sums *s = &stat->sums;
	/* of a printed table there are nanoseconds alone */
	const struct top_float printed = { (double)s->self_ns / 1000.0,
					   (double)s->total_ns / 1000.0 };
	const struct top_float *f = r->rows->floats ? &r->rows->floats[at] : &printed;
	bool by_shape = r->query->show.asked & TOP_SHAPE;
	struct str shapes = text_of(r, stat->key.shapes);

	return (struct torch_row){
		.name = text_of(r, stat->key.name),
		.overload = text_of(r, stat->key.overload),
		.shapes = by_shape && !shapes.n ? STR_LIT("[]") : shapes,
		.stack = text_of(r, stat->key.stack),
		.calls = s->calls,
		.self_cpu_us = f->self_us,
		.total_cpu_us = f->total_us,
		.self_device_us = (double)s->self_device_ns / 1000.0,
		.total_device_us = (double)s->total_device_ns / 1000.0,
		.cpu_bytes = s->cpu_bytes,
		.self_cpu_bytes = s->self_cpu_bytes,
		.device_bytes = s->device_bytes,
		.self_device_bytes = s->self_device_bytes,
		.flops = s->flops == NUMBER_NONE ? 0 : s->flops,
		.is_async = stat->is_async,
		.has_parent = !stat->is_top_level,
		.is_device_work = stat->key.kind == OP_DEVICE,
	};
}

static bool any(const struct scope *scope, bool (*is)(const struct scope_profile *))
{
	for (size_t i = 0; i < scope->n; i++)
		if (is(&scope->profiles[i]))
			return true;
	return false;
}

/*
 * Dialects go by age: A to D were written by torch 1.8 to 2.6.  Lists (L) have
 * neither memory nor stacks.
 */
static bool is_up_to_2_6(const struct scope_profile *p)
{
	return p->dialect && p->dialect[0] <= 'D';
}

static bool is_up_to_1_13(const struct scope_profile *p)
{
	return p->dialect && p->dialect[0] <= 'B';
}

static bool has_flops(const struct scope_profile *p)
{
	return p->has_flops;
}

int torch_format_write(const char *command, const struct torch_request *r,
		       const struct output_opts *output, struct err *err)
{
	size_t n = r->rows->nmatched;
	/* of a printed table that was cut, which names the totals of all its rows */
	bool has_totals = r->rows->has_printed_totals && n == r->rows->stats.n;
	double self_cpu_us = (double)r->rows->self_cpu_ns / 1000.0;
	double self_device_us = (double)r->rows->self_device_ns / 1000.0;
	struct torch_table table = {
		.nrows = n,
		.self_cpu_us = has_totals ? &self_cpu_us : NULL,
		.self_device_us = has_totals ? &self_device_us : NULL,
		.device = r->rows->has_device ? r->rows->device : NULL,
		.header = r->opts->header,
		.time_unit = r->opts->time_unit,
		.row_limit = r->query->show.limit > 0 ? r->query->show.limit : -1,
		.top_level = r->top_level,
		.memory = r->rows->has_memory,
		.flops = r->query->show.asked & TOP_FLOPS || any(r->scope, has_flops),
		.old_memory_units = any(r->scope, is_up_to_2_6),
		.short_stacks = any(r->scope, is_up_to_1_13),
	};
	struct output out;

	if (parse_width(r->opts->name_width, &table.max_name_width, err) < 0 ||
	    output_open(&out, command, output, err) < 0)
		return -1;
	struct torch_row *rows = xrealloc_array(NULL, n, sizeof(*rows));
	for (size_t i = 0; i < n; i++)
		rows[i] = make_row(r, r->rows->order[i]);
	table.rows = rows;
	errno = 0;
	if (torch_table_print(&table, out.stream, err) < 0)
		out.write_errno = errno; /* nothing else can fail */
	free(rows);
	return output_close(&out, true, err);
}
