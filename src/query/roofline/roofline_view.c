/* The roofline as a view: its columns, and what its notes tell of peaks. */
#include <inttypes.h>
#include <math.h>

#include "base/buf.h"
#include "base/sum.h"
#include "query/query.h"
#include "query/roofline/roofline.h"
#include "trace/op_call.h"

struct showing {
	const struct roofline *roof;
	struct buf *text;    /* of a cell that is being made */
	struct arena *arena; /* of those that are */
};

static const struct roof_row *row_at(const void *row)
{
	return row;
}

static struct cell get_text(const void *from, const void *row, int offset)
{
	const struct showing *s = from;
	uint32_t text;

	memcpy(&text, (const char *)row + offset, sizeof(text));
	return text_pool_cell(&s->roof->texts, text);
}

/* "8192x2432 2432x2432": of the inputs that have dimensions. */
static struct cell get_shapes(const void *from, const void *row, int arg)
{
	const struct showing *s = from;
	struct op_call call;
	const char *before = "";

	(void)arg;
	if (row_at(row)->shapes == TEXT_NONE ||
	    !op_call_read(&call, text_pool_str(&s->roof->texts, row_at(row)->shapes),
			  (struct str){ NULL, 0 }, (struct str){ NULL, 0 }))
		return get_text(from, row, offsetof(struct roof_row, shapes));
	buf_clear(s->text);
	for (size_t i = 0; i < call.n; i++) {
		for (size_t d = 0; d < call.args[i].n; d++) {
			buf_addf(s->text, "%s%" PRId64, before, call.args[i].dims[d]);
			before = "x";
		}
		before = s->text->n ? " " : "";
	}
	return cell_text(arena_copy(s->arena, buf_str(s->text)));
}

/* "bf16, i32" for "bfloat16, int32". */
static struct cell get_people_types(const void *from, const void *row, int arg)
{
	static const struct {
		const char *from, *to;
	} spellings[] = {
		{ "bfloat", "bf" },
		{ "float", "fp" },
		{ "uint", "u" },
		{ "int", "i" },
	};
	const size_t nspellings = sizeof(spellings) / sizeof(*spellings);
	const struct showing *s = from;
	struct str rest = text_pool_str(&s->roof->texts, row_at(row)->dtypes);

	(void)arg;
	buf_clear(s->text);
	while (rest.n) {
		size_t n = 0, i = 0;
		while (i < nspellings &&
		       !str_starts_with(rest, str_of(spellings[i].from)))
			i++;
		if (i < nspellings) {
			buf_add_text(s->text, spellings[i].to);
			rest = str_behind(rest, strlen(spellings[i].from));
		}
		while (n < rest.n && rest.p[n] != ',')
			n++;
		n += n < rest.n;
		buf_add(s->text, rest.p, n);
		rest = str_behind(rest, n);
		if (rest.n && rest.p[0] == ' ') {
			buf_add_char(s->text, ' ');
			rest = str_behind(rest, 1);
		}
	}
	return s->text->n ? cell_text(arena_copy(s->arena, buf_str(s->text)))
			  : cell_null();
}

static struct cell get_device(const void *from, const void *row, int offset)
{
	return row_at(row)->is_host ? cell_null() : view_int64(from, row, offset);
}

static struct cell get_host(const void *from, const void *row, int offset)
{
	return row_at(row)->is_host ? view_int64(from, row, offset) : cell_null();
}

/* amount / divisor, where both are known. */
static struct cell quotient(int64_t amount, double divisor)
{
	return amount != NUMBER_NONE && divisor > 0 ? cell_real((double)amount / divisor)
						    : cell_null();
}

static struct cell get_tflops(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return quotient(row_at(row)->flops, (double)row_at(row)->time_ns * 1e3);
}

static struct cell get_speed(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return quotient(row_at(row)->bytes, (double)row_at(row)->time_ns);
}

/* Whole GB/s for people. */
static struct cell get_people_speed(const void *from, const void *row, int arg)
{
	struct cell speed = get_speed(from, row, arg);

	return speed.type == CELL_REAL && speed.as.real < 1e15
		       ? cell_int(llround(speed.as.real))
		       : cell_null();
}

static struct cell get_intensity(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return row_at(row)->bytes == NUMBER_NONE
		       ? cell_null()
		       : quotient(row_at(row)->flops, (double)row_at(row)->bytes);
}

/* Which share of the time it would have been at a peak. */
static struct cell get_share(const void *from, const void *row, int offset)
{
	double ns;

	(void)from;
	memcpy(&ns, (const char *)row + offset, sizeof(ns));
	return ns >= 0 && row_at(row)->time_ns > 0
		       ? cell_real(100 * ns / (double)row_at(row)->time_ns)
		       : cell_null();
}

/* Whole ns; longer than int64 it is not known. */
static int64_t roof_ns(const struct roof_row *row)
{
	return row->roof_ns >= 0 && row->roof_ns < 9e18 ? (int64_t)llround(row->roof_ns)
							: NUMBER_NONE;
}

static struct cell get_roof(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return number_cell(roof_ns(row));
}

static struct cell get_left(const void *from, const void *row, int arg)
{
	int64_t roof = roof_ns(row);

	(void)from, (void)arg;
	return roof == NUMBER_NONE ? cell_null()
				   : cell_int(sum_sub(row_at(row)->time_ns, roof));
}

/* A kernel that does nothing takes about as long. */
#define LEAST_NS 2000
#define SHORT_NS 10000

/* Its calls have next to no work, and take most of their time to start and to end. */
static bool is_small(const struct roof_row *r)
{
	double calls = (double)r->calls, time_ns = (double)r->time_ns;

	return r->roof_ns >= 0 && !r->is_host && r->roof_ns < calls * LEAST_NS &&
	       r->roof_ns * 2 < time_ns && time_ns < calls * SHORT_NS;
}

static struct cell get_bound(const void *from, const void *row, int arg)
{
	const struct roof_row *r = row;

	(void)from, (void)arg;
	if (r->launch_ns > r->time_ns)
		return cell_text(STR_LIT("launch"));
	if (is_small(r))
		return cell_text(STR_LIT("latency"));
	if (r->compute_ns < 0 || r->memory_ns < 0)
		return cell_null();
	return r->compute_ns >= r->memory_ns ? cell_text(STR_LIT("compute"))
					     : cell_text(STR_LIT("memory"));
}

#define ROW(member)    (int)offsetof(struct roof_row, member)
#define GET(how, what) .get = (how), .arg = (what)

/* Rows without a roof come last, those with the most time first. */
/* clang-format off */
static const struct field fields[] = {
	{ "name", "Operator", "operator, or device work without a known operator, A to Z", "op operator", UNIT_TEXT, GET(get_text, ROW(name)), .least = 30 },
	{ "input_shapes", "Input shapes", "shapes of the inputs, A to Z", "shapes", UNIT_TEXT, GET(get_text, ROW(shapes)), .least = 16 },
	{ "people_shapes", "Inputs", NULL, NULL, UNIT_TEXT, .get = get_shapes, .flags = FIELD_PEOPLE, .least = 12 },
	{ "dtypes", "Type", "element types of the inputs, A to Z", "dtype", UNIT_TEXT, GET(get_text, ROW(dtypes)) },
	{ "people_dtypes", "Type", NULL, NULL, UNIT_TEXT, .get = get_people_types, .flags = FIELD_PEOPLE, .least = 8, .leaves = 4 },
	{ "calls", "Calls", "number of calls", "count", UNIT_COUNT, GET(view_int64, ROW(calls)), .leaves = 5 },
	{ "device_ns", "Device", "time of the device work", "device time time_ns", UNIT_NS, GET(get_device, ROW(time_ns)), .flags = FIELD_KEY },
	{ "host_ns", "Host", "time on the host, with what it calls, if no device did work", "host", UNIT_NS, GET(get_host, ROW(time_ns)), .flags = FIELD_KEY },
	{ "launch_ns", NULL, "time of the calls that launched it", "launch", UNIT_NS, GET(get_device, ROW(launch_ns)) },
	{ "flops", "FLOPs", "floating-point operations that it needs", NULL, UNIT_FLOPS, GET(view_number, ROW(flops)), .leaves = 8 },
	{ "torch_flops", NULL, "FLOPs as torch.utils.flop_counter counts them", NULL, UNIT_FLOPS, GET(view_number, ROW(torch_flops)) },
	{ "bytes", "Bytes", "bytes that it must move at least", NULL, UNIT_BYTES, GET(view_number, ROW(bytes)), .leaves = 9 },
	{ "tflops", "TFLOP/s", "achieved TFLOP/s", "tflop_per_s", UNIT_RATIO, .get = get_tflops, .leaves = 2 },
	{ "gbs", "GB/s", "achieved GB/s", "gb_per_s", UNIT_RATIO, .get = get_speed },
	{ "people_gbs", "GB/s", NULL, NULL, UNIT_COUNT, .get = get_people_speed, .flags = FIELD_PEOPLE, .leaves = 3 },
	{ "intensity", "FLOP/B", "operations per byte", NULL, UNIT_RATIO, .get = get_intensity, .leaves = 10 },
	{ "peak_pct", "% peak", "achieved share of the peak TFLOP/s of its type", "peak", UNIT_PERCENT, GET(get_share, ROW(compute_ns)), .leaves = 7 },
	{ "bandwidth_pct", "% BW", "achieved share of the memory's speed", "bandwidth", UNIT_PERCENT, GET(get_share, ROW(memory_ns)), .leaves = 6 },
	{ "bound", "Bound", "what limits it: compute, memory, launch or latency", NULL, UNIT_TEXT, .get = get_bound },
	{ "roof_ns", NULL, "shortest possible time, by the peaks", "roof", UNIT_NS, .get = get_roof },
	{ "roof_pct", "% roof", "roof_ns as a share of the time", NULL, UNIT_PERCENT, GET(get_share, ROW(roof_ns)), .leaves = 1 },
	{ "left_ns", "Left", "time above the roof", "left", UNIT_NS, .get = get_left },
	{ .name = NULL },
};
/* clang-format on */

const struct view roofline_view = {
	.name = "roofline",
	.fields = fields,
	.people = VIEW_PART(
		"name people_shapes people_dtypes calls device_ns host_ns "
		"flops bytes tflops people_gbs intensity peak_pct bandwidth_pct bound "
		"roof_pct left_ns"),
	.sort = "left_ns",
};

#define DEVICES_NOTED 4 /* of different names, at most */

/* "989.4 TFLOP/s bf16, 3350 GB/s": of what rows used. */
static void add_peaks(struct buf *text, const struct device_peaks *peaks, unsigned used,
		      bool bandwidth)
{
	const char *before = "";

	for (unsigned i = 0; i < NPEAKS; i++)
		if (used & (1U << i) && peaks->tera[i] > 0) {
			buf_addf(text, "%s%g TFLOP/s %s", before, peaks->tera[i],
				 peak_name((enum peak)i));
			before = ", ";
		}
	if (bandwidth && peaks->giga_bytes > 0)
		buf_addf(text, "%s%g GB/s", before, peaks->giga_bytes);
}

static void note_device(struct memtable *m, const struct roofline *r,
			const struct roof_device *device, unsigned used, bool bandwidth)
{
	struct str name = text_pool_str(&r->texts, device->name);
	const struct device_peaks *peaks = &device->peaks;
	struct buf text;

	buf_init(&text, 4096);
	add_peaks(&text, peaks, used, bandwidth);
	if (text.n == 0)
		memtable_add_note(m,
				  "no peak is known for %s%.*s: give --peak "
				  "bf16=TFLOP/s,bw=GB/s",
				  name.n       ? ""
				  : r->is_host ? "the host"
					       : "the device",
				  (int)name.n, name.n ? name.p : "");
	else
		memtable_add_note(m, "peak of %s: %.*s",
				  peaks->device ? peaks->device
				  : r->is_host  ? "the host"
						: "the device",
				  (int)text.n, text.p);
	buf_release(&text);
}

void roofline_note_peaks(struct memtable *m, const struct roofline *r, unsigned used,
			 bool bandwidth)
{
	for (size_t i = 0; i < r->devices.n && i < DEVICES_NOTED; i++)
		note_device(m, r, &r->devices.items[i], used, bandwidth);
}

/* Why rows can be faster than what is thought to be the fastest. */
static void note_over(struct memtable *m, const struct roofline *r)
{
	size_t n = 0;
	bool convolves = false, computes = false, moves = false;

	for (size_t i = 0; i < r->n; i++) {
		const struct roof_row *row = &r->rows[i];
		double time_ns = (double)row->time_ns;
		bool is_conv = str_contains(text_pool_str(&r->texts, row->name),
					    STR_LIT("conv"));
		n += row->roof_ns > time_ns;
		convolves |= is_conv && row->compute_ns > time_ns;
		computes |= !is_conv && row->compute_ns > time_ns && !row->is_host &&
			    row->peaks & 1U << PEAK_FP32;
		moves |= row->memory_ns > time_ns;
	}
	if (n == 0)
		return;
	bool has_reason = moves || convolves || computes;
	memtable_add_note(m, "%zu row%s above the roof%s%s%s%s%s%s%s", n,
			  n == 1 ? " is" : "s are",
			  has_reason || r->devices.given ? ":" : "",
			  moves ? " data in a cache is faster than memory" : "",
			  moves && convolves ? "," : "",
			  convolves ? " Winograd convolutions need fewer "
				      "multiplications"
				    : "",
			  (moves || convolves) && computes ? "," : "",
			  computes ? " float32 may have run on Tensor Cores" : "",
			  !r->devices.given ? ""
			  : has_reason      ? "; or --peak is too low"
					    : " --peak is too low");
}

static void add_notes(struct memtable *m, const struct roofline *r,
		      const struct scope *scope)
{
	const struct roof_times *t = &r->times;
	const char *whose = r->is_host ? "operators' time" : "device time";
	unsigned used = 0;

	for (size_t i = 0; i < r->n; i++)
		used |= r->rows[i].peaks;
	memtable_add_note(m, "FLOPs are known for %.1f%% of %s, bytes for %.1f%%",
			  percent_of(t->flops_ns, t->all_ns), whose,
			  percent_of(t->bytes_ns, t->all_ns));
	if (t->comm_ns > 0)
		memtable_add_note(m, "%.1f%% of %s is communication, which has no roof",
				  percent_of(t->comm_ns, t->all_ns), whose);
	note_over(m, r);
	roofline_note_peaks(m, r, used, true);
	if (scope->n > 1)
		memtable_add_note(m, "%zu profiles added up", scope->n);
}

int roofline_open(struct store *store, const struct scope *scope,
		  const struct roofline_query *query, struct table **out, struct err *err)
{
	struct roofline r;
	int rc = roofline_load(store, scope, query, &r, err);

	if (rc == 0) {
		struct buf text;
		struct arena arena = { 0 };
		buf_init(&text, SIZE_MAX);
		const struct showing showing = { &r, &text, &arena };
		const struct view_rows rows = { &showing, r.rows, r.n, sizeof(*r.rows) };
		struct memtable *m =
			view_table(&roofline_view, &rows, scope, &query->show);
		add_notes(m, &r, scope);
		buf_release(&text);
		arena_release(&arena);
		*out = &m->table;
	}
	roofline_release(&r);
	return rc;
}
