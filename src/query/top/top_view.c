/* The operator table as a view: its columns, keys of --sort, and words of --by. */
#include "base/sum.h"
#include "query/axis_fields.h"
#include "query/query.h"
#include "query/top/top_rows.h"

/* Rows of the view are numbers of rows. */
static const struct opstat *stat_of(const struct top_rows *rows, const void *row)
{
	return &rows->stats.rows[*(const uint32_t *)row];
}

bool top_is_device_row(const struct top_rows *rows, uint32_t row)
{
	enum op_kind kind = (enum op_kind)rows->stats.rows[row].key.kind;

	return kind == OP_DEVICE || kind == OP_DEVICE_ANNOTATION;
}

/* Of a piece of device work the host has no time or memory; torch sorts it as 0. */
static bool is_not_hosts(const struct top_rows *rows, const void *row)
{
	return !rows->floats && top_is_device_row(rows, *(const uint32_t *)row);
}

static struct cell average(int64_t total, int64_t calls)
{
	/* an operator that was captured before has no call here */
	return sum_is_stuck(total) || calls == 0
		       ? cell_null()
		       : cell_real((double)total / (double)calls);
}

/*
 * The device total of a row.  A call within one of its name adds to that one alone: where
 * shapes, say, or a filter put the two into different rows, its own time is left.
 */
static int64_t device_total(const struct opstat *stat)
{
	const struct opstat_sums *s = &stat->sums;

	return s->total_device_ns > s->self_device_ns ? s->total_device_ns
						      : s->self_device_ns;
}

static struct cell get_text(const void *from, const void *row, int offset)
{
	const struct top_rows *rows = from;
	uint32_t text;

	memcpy(&text, (const char *)stat_of(rows, row) + offset, sizeof(text));
	return text_pool_cell(&rows->texts, text);
}

static struct cell get_sum(const void *from, const void *row, int offset)
{
	return view_int64(from, stat_of(from, row), offset);
}

enum host_time { SELF, TOTAL, AVERAGE };

/* Torch sorts by its doubles, whose last bits can differ where the times are equal. */
static struct cell float_cell(const struct top_rows *rows, const void *row, int time)
{
	const struct top_float *f = &rows->floats[*(const uint32_t *)row];

	if (time == AVERAGE)
		return cell_real(f->total_us / (double)stat_of(rows, row)->sums.calls);
	return cell_real(time == SELF ? f->self_us : f->total_us);
}

static struct cell get_host(const void *from, const void *row, int time)
{
	const struct top_rows *rows = from;
	const struct opstat_sums *s = &stat_of(rows, row)->sums;

	if (is_not_hosts(rows, row))
		return cell_null();
	if (rows->floats)
		return float_cell(rows, row, time);
	if (time == AVERAGE)
		return average(s->total_ns, s->calls);
	return cell_int(time == SELF ? s->self_ns : s->total_ns);
}

static struct cell get_host_share(const void *from, const void *row, int time)
{
	const struct top_rows *rows = from;
	const struct opstat *stat = stat_of(rows, row);

	/* as torch: outside the tree a share of it means nothing */
	if (is_not_hosts(rows, row) || (time == TOTAL && stat->is_async))
		return cell_null();
	return share_cell(time == SELF ? stat->sums.self_ns : stat->sums.total_ns,
			  rows->self_cpu_ns);
}

static struct cell get_device(const void *from, const void *row, int time)
{
	const struct top_rows *rows = from;
	const struct opstat *stat = stat_of(rows, row);

	if (!rows->has_device)
		return cell_null();
	if (time == AVERAGE)
		return average(device_total(stat), stat->sums.calls);
	return cell_int(time == SELF ? stat->sums.self_device_ns : device_total(stat));
}

/* A label's span holds idle time too, so it is no share of anything. */
static struct cell get_device_share(const void *from, const void *row, int arg)
{
	const struct top_rows *rows = from;
	const struct opstat *stat = stat_of(rows, row);

	(void)arg;
	if (!rows->has_device || stat->key.kind == OP_DEVICE_ANNOTATION)
		return cell_null();
	return share_cell(stat->sums.self_device_ns, stat->key.kind == OP_DEVICE
							     ? rows->self_device_ns
							     : rows->launched_of_ns);
}

static struct cell get_memory(const void *from, const void *row, int offset)
{
	const struct top_rows *rows = from;

	return rows->has_memory && !is_not_hosts(rows, row) ? get_sum(from, row, offset)
							    : cell_null();
}

static struct cell get_device_memory(const void *from, const void *row, int offset)
{
	const struct top_rows *rows = from;

	return rows->has_memory && rows->has_device_memory ? get_sum(from, row, offset)
							   : cell_null();
}

static struct cell get_flops(const void *from, const void *row, int arg)
{
	(void)arg;
	return number_cell(stat_of(from, row)->sums.flops);
}

static struct cell get_label(const void *from, const void *row, int arg)
{
	(void)arg;
	return cell_int(stat_of(from, row)->key.is_annotation);
}

static struct cell get_async(const void *from, const void *row, int arg)
{
	(void)arg;
	return cell_int(stat_of(from, row)->is_async);
}

static struct cell get_kind(const void *from, const void *row, int arg)
{
	const struct opstat *stat = stat_of(from, row);

	(void)arg;
	if (stat->key.kind == OP_DEVICE)
		return cell_text(STR_LIT("device"));
	if (stat->key.kind == OP_DEVICE_ANNOTATION)
		return cell_text(STR_LIT("span"));
	return cell_text(stat->key.is_annotation ? STR_LIT("label") : STR_LIT("host"));
}

static struct cell get_split(const void *from, const void *row, int split)
{
	const struct top_rows *rows = from;
	struct str key = intern_str(&rows->splits, stat_of(rows, row)->key.step);
	int64_t value;

	memcpy(&value, key.p + ((size_t)split * sizeof(value)), sizeof(value));
	return value == SPLIT_NONE ? cell_null() : cell_int(value);
}

/* The number is that of a text. */
static struct cell get_split_text(const void *from, const void *row, int split)
{
	const struct top_rows *rows = from;
	struct cell cell = get_split(from, row, split);

	return cell.type == CELL_NULL
		       ? cell
		       : text_pool_cell(&rows->texts, (uint32_t)cell.as.integer);
}

static struct cell get_profile(const void *from, const void *row, int split)
{
	const struct top_rows *rows = from;
	struct cell cell = get_split(from, row, split);
	const struct scope_profile *profile =
		cell.type == CELL_NULL ? NULL : scope_find(rows->scope, cell.as.integer);

	return profile ? cell_text(str_of(profile->path)) : cell_null();
}

static struct tensor_core_times tensor_total(const struct top_tensor *t)
{
	struct tensor_core_times times = t->total;

	if (times.yes_ns < t->self.yes_ns)
		times.yes_ns = t->self.yes_ns;
	if (times.unknown_ns < t->self.unknown_ns)
		times.unknown_ns = t->self.unknown_ns;
	return times;
}

static struct cell if_known(double pct)
{
	return pct >= 0 ? cell_real(pct) : cell_null();
}

/* NULL where there is no device time that could be on Tensor Cores. */
static const struct top_tensor *tensor_of(const struct top_rows *rows, const void *row)
{
	uint16_t kind = stat_of(rows, row)->key.kind;

	return rows->tensor && rows->has_device && kind != OP_MEMORY &&
			       kind != OP_DEVICE_ANNOTATION
		       ? &rows->tensor[*(const uint32_t *)row]
		       : NULL;
}

static struct cell get_eligible(const void *from, const void *row, int arg)
{
	const struct top_tensor *t = tensor_of(from, row);

	(void)arg;
	return t && stat_of(from, row)->key.kind != OP_DEVICE ? cell_int(t->eligible)
							      : cell_null();
}

static struct cell get_tensor(const void *from, const void *row, int time)
{
	const struct top_tensor *t = tensor_of(from, row);

	if (!t)
		return cell_null();
	return cell_int(time == SELF ? t->self.yes_ns : tensor_total(t).yes_ns);
}

static struct cell tensor_share(const void *from, const void *row, int time,
				double (*pct)(struct tensor_core_times, int64_t))
{
	const struct top_tensor *t = tensor_of(from, row);
	const struct opstat *stat = stat_of(from, row);

	if (!t)
		return cell_null();
	return if_known(time == SELF ? pct(t->self, stat->sums.self_device_ns)
				     : pct(tensor_total(t), device_total(stat)));
}

static struct cell get_tensor_share(const void *from, const void *row, int time)
{
	return tensor_share(from, row, time, tensor_core_pct);
}

static struct cell get_tensor_unknown(const void *from, const void *row, int time)
{
	return tensor_share(from, row, time, tensor_core_unknown_pct);
}

static struct cell get_nothing(const void *from, const void *row, int arg)
{
	(void)from, (void)row, (void)arg;
	return cell_null();
}

#define STAT(how, member) .get = (how), .arg = (int)offsetof(struct opstat, member)
#define GET(how, what)    .get = (how), .arg = (what)
#define SPLIT(how, split) GET(how, split), .needs = TOP_SPLIT(split)
#define AXIS(axis)        SPLIT(get_split, TOP_BY_AXES + (axis))
#define TENSOR(how, time) GET(how, time), .needs = TOP_TENSOR_CORES
#define PEOPLE            .flags = FIELD_PEOPLE
#define SORT              .flags = FIELD_SORT
#define Z_TO_A            .flags = FIELD_DESCENDS

/*
 * Torch sorts by any attribute of its rows, descending: "key" and the memory and time
 * names are its own, the rest is pstats' and pprof's.
 */
/* clang-format off */
static const struct field fields[] = {
	{ "name", "Name", "name, A to Z", "stdname nfl filename file module line", UNIT_TEXT, STAT(get_text, key.name) },
	{ "key", NULL, "name, Z to A, as torch sorts names", NULL, UNIT_TEXT, STAT(get_text, key.name), .flags = FIELD_SORT | FIELD_DESCENDS },
	{ "calls", "Calls", "number of calls", "count ncalls nc", UNIT_COUNT, STAT(get_sum, sums.calls) },
	{ "primitive_calls", NULL, "calls that are not inside a call of the same name", "pcalls cc", UNIT_COUNT, STAT(get_sum, sums.primitive_calls), SORT },
	{ "self_cpu_pct", "Self CPU", NULL, NULL, UNIT_PERCENT, GET(get_host_share, SELF), PEOPLE, .leaves = 7 },
	{ "self_cpu_ns", "Self CPU", "host time without its children", "self_cpu_time_total self_cpu_time self cpu tottime time flat", UNIT_NS, GET(get_host, SELF), .leaves = 2 },
	{ "total_cpu_pct", "CPU total", NULL, NULL, UNIT_PERCENT, GET(get_host_share, TOTAL), PEOPLE, .leaves = 8 },
	{ "total_cpu_ns", "CPU total", "host time", "cpu_time_total total cumulative cumtime cum", UNIT_NS, GET(get_host, TOTAL), .leaves = 3 },
	{ "avg_cpu_ns", "CPU avg", "host time of a call", "cpu_time avg", UNIT_NS, GET(get_host, AVERAGE), .leaves = 5 },
	{ "plain_self_pct", "Self", NULL, NULL, UNIT_PERCENT, GET(get_host_share, SELF), PEOPLE, .leaves = 7 },
	{ "plain_self", "Self", NULL, NULL, UNIT_NS, GET(get_host, SELF), PEOPLE, .leaves = 2 },
	{ "plain_total_pct", "Total", NULL, NULL, UNIT_PERCENT, GET(get_host_share, TOTAL), PEOPLE, .leaves = 8 },
	{ "plain_total", "Total", NULL, NULL, UNIT_NS, GET(get_host, TOTAL), PEOPLE, .leaves = 3 },
	{ "plain_avg", "Avg", NULL, NULL, UNIT_NS, GET(get_host, AVERAGE), PEOPLE, .leaves = 5 },
	{ "self_device_ns", "Self device", "device time launched by itself", "self_device_time_total self_device_time device gpu", UNIT_NS, GET(get_device, SELF) },
	{ "self_device_pct", "Self device", NULL, NULL, UNIT_PERCENT, .get = get_device_share, PEOPLE, .leaves = 6 },
	{ "total_device_ns", "Device total", "device time, including its children", "device_time_total", UNIT_NS, GET(get_device, TOTAL), .leaves = 4 },
	{ "avg_device_ns", NULL, "device time of a call", "device_time", UNIT_NS, GET(get_device, AVERAGE), SORT },
	{ "cpu_mem_bytes", "CPU mem", "host memory allocated less freed", "cpu_memory_usage", UNIT_BYTES, STAT(get_memory, sums.cpu_bytes), .leaves = 10 },
	{ "self_cpu_mem_bytes", "Self CPU mem", "the same, without its children", "self_cpu_memory_usage", UNIT_BYTES, STAT(get_memory, sums.self_cpu_bytes), .leaves = 9 },
	{ "device_mem_bytes", "Device mem", "device memory allocated less freed", "device_memory_usage", UNIT_BYTES, STAT(get_device_memory, sums.device_bytes), .leaves = 10 },
	{ "self_device_mem_bytes", "Self device mem", "the same, without its children", "self_device_memory_usage", UNIT_BYTES, STAT(get_device_memory, sums.self_device_bytes), .leaves = 9 },
	{ "memory", NULL, "self_device_mem_bytes, or self_cpu_mem_bytes where no device memory was recorded", "mem", UNIT_BYTES, .get = get_nothing, SORT },
	{ "is_user_annotation", NULL, "1: a label of record_function", NULL, UNIT_BOOL, .get = get_label },
	{ "is_async", NULL, "1: outside the operator tree", NULL, UNIT_BOOL, .get = get_async, SORT },
	{ "kind", NULL, "host, label, device or span", NULL, UNIT_TEXT, .get = get_kind, .flags = FIELD_NO_SORT },
	{ "people_kind", "Kind", NULL, NULL, UNIT_TEXT, .get = get_kind, .needs = TOP_KINDS, PEOPLE, .leaves = 1 },
	{ "input_shapes", "Input shapes", "text of the shapes, Z to A, with --by shape", "shape shapes", UNIT_TEXT, STAT(get_text, key.shapes), .needs = TOP_SHAPE, Z_TO_A, .least = 30 },
	{ "stack", "Stack", "text of the stack, Z to A, with --by stack", NULL, UNIT_TEXT, STAT(get_text, key.stack), .needs = TOP_STACK, Z_TO_A },
	{ "overload", "Overload", "text of the overload, Z to A, with --by overload", "overload_name", UNIT_TEXT, STAT(get_text, key.overload), .needs = TOP_OVERLOAD, Z_TO_A, .least = 10 },
	{ "flops", "Work", "floating-point operations, with --flops", NULL, UNIT_FLOPS, .get = get_flops, .needs = TOP_FLOPS, .flags = FIELD_NO_SORT },
	{ "flops", NULL, "floating-point operations", NULL, UNIT_FLOPS, .get = get_flops, SORT },
	{ "tensor_core_eligible", "TC", "whether the operator could use Tensor Cores, with --tensor-cores", "tc_eligible", UNIT_BOOL, .get = get_eligible, .needs = TOP_TENSOR_CORES },
	{ "self_tensor_core_ns", NULL, "self device time on Tensor Cores, with --tensor-cores", NULL, UNIT_NS, TENSOR(get_tensor, SELF) },
	{ "total_tensor_core_ns", NULL, "device total on Tensor Cores, with --tensor-cores", NULL, UNIT_NS, TENSOR(get_tensor, TOTAL) },
	{ "self_tensor_core_pct", "Self TC", "share of self device time on Tensor Cores, with --tensor-cores", "tc_self_ratio", UNIT_PERCENT, TENSOR(get_tensor_share, SELF) },
	{ "total_tensor_core_pct", "TC total", "share of the device total on Tensor Cores, with --tensor-cores", "tc_total_ratio", UNIT_PERCENT, TENSOR(get_tensor_share, TOTAL) },
	{ "self_tensor_core_unknown_pct", NULL, "share of self device time in kernels whose names do not say, with --tensor-cores", NULL, UNIT_PERCENT, TENSOR(get_tensor_unknown, SELF) },
	{ "total_tensor_core_unknown_pct", "Unknown", "share of the device total in kernels whose names do not say, with --tensor-cores", NULL, UNIT_PERCENT, TENSOR(get_tensor_unknown, TOTAL) },
	{ "rank", "Rank", "rank, with --by rank", NULL, UNIT_ID, SPLIT(get_split, TOP_BY_RANK) },
	AXIS_FIELDS(AXIS),
	{ "profile", "Profile", "path of the profile, with --by profile", NULL, UNIT_TEXT, SPLIT(get_profile, TOP_BY_PROFILE), .least = 12 },
	{ "step", "Step", "number of the step, with --by step", NULL, UNIT_ID, SPLIT(get_split, TOP_BY_STEP) },
	{ "thread", "Thread", "thread, with --by thread", NULL, UNIT_TEXT, SPLIT(get_split_text, TOP_BY_THREAD), .least = 12 },
	{ "stream", "Stream", "stream, with --by stream", NULL, UNIT_ID, SPLIT(get_split, TOP_BY_STREAM) },
	{ "category", "Category", "category, with --by category", "cat", UNIT_TEXT, SPLIT(get_split_text, TOP_BY_CATEGORY), .least = 12 },
	{ "module", "Module", "module, with --by module", NULL, UNIT_TEXT, SPLIT(get_split_text, TOP_BY_MODULE), .flags = FIELD_NO_SORT, .least = 12 },
	{ "none", NULL, "unsorted: the order of first calls", "node_id", UNIT_TEXT, .get = get_nothing, SORT },
	{ .name = NULL },
};

static const struct view_word by[] = {
	{ "name", 0 }, /* always */
	{ "shape", TOP_SHAPE },
	{ "line", TOP_LINE },
	{ "file", TOP_FILE },
	{ "stack", TOP_STACK },
	{ "overload", TOP_OVERLOAD },
	{ "annotation", TOP_ANNOTATION },
	{ "module", TOP_SPLIT(TOP_BY_MODULE) },
	{ "category", TOP_SPLIT(TOP_BY_CATEGORY) },
	{ "thread", TOP_SPLIT(TOP_BY_THREAD) },
	{ "stream", TOP_SPLIT(TOP_BY_STREAM) },
	{ "step", TOP_SPLIT(TOP_BY_STEP) },
	{ "rank", TOP_SPLIT(TOP_BY_RANK) },
	{ "tp", TOP_SPLIT(TOP_BY_AXES + AXIS_TP) },
	{ "dp", TOP_SPLIT(TOP_BY_AXES + AXIS_DP) },
	{ "pp", TOP_SPLIT(TOP_BY_AXES + AXIS_PP) },
	{ "ep", TOP_SPLIT(TOP_BY_AXES + AXIS_EP) },
	{ "cp", TOP_SPLIT(TOP_BY_AXES + AXIS_CP) },
	{ "profile", TOP_SPLIT(TOP_BY_PROFILE) },
	{ NULL, 0 },
};
/* clang-format on */

#define BEFORE_TIMES                                                                        \
	"name! people_kind rank tp dp pp ep cp profile step thread stream category module " \
	"overload input_shapes "
#define BEHIND_TIMES                                                         \
	"self_device_ns self_device_pct total_device_ns "                    \
	"tensor_core_eligible self_tensor_core_pct! total_tensor_core_pct! " \
	"total_tensor_core_unknown_pct cpu_mem_bytes self_cpu_mem_bytes "    \
	"device_mem_bytes self_device_mem_bytes flops! calls! stack"

const struct view top_view = {
	.name = "top",
	.fields = fields,
	.people = VIEW_PART(
		BEFORE_TIMES
		"self_cpu_pct self_cpu_ns total_cpu_pct total_cpu_ns avg_cpu_ns " BEHIND_TIMES),
	.by = by,
};

const struct view_part top_plain_people[] = {
	{ .fields = BEFORE_TIMES
	  "plain_self_pct plain_self plain_total_pct plain_total plain_avg " BEHIND_TIMES },
	{ .fields = NULL },
};

struct cell top_cell(const struct top_rows *rows, const uint32_t *row, const char *field)
{
	const struct field *f = view_field_called(&top_view, str_of(field));

	return f->get(rows, row, f->arg);
}

bool top_is_nowhere(const struct top_rows *rows, const struct field *field)
{
	for (uint32_t row = 0; row < rows->stats.n; row++)
		if (field->get(rows, &row, field->arg).type != CELL_NULL)
			return false;
	return true;
}

bool top_is_by_device(const struct top_rows *rows)
{
	return rows->sorted_by->get == get_device;
}
