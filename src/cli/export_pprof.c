/*
 * ptool export --to pprof: stacks with calls, host time and, where some was recorded,
 * device time, for `go tool pprof` and what else reads profile.proto.
 * Source: github.com/google/pprof, proto/profile.proto.
 */
#include "base/buf.h"
#include "base/gzip_put.h"
#include "base/intern.h"
#include "base/sum.h"
#include "cli/export_stacks.h"
#include "query/calls/frame_name.h"
#include "report/proto_put.h"

/* Of message Profile, and of those in it. */
enum profile_field {
	SAMPLE_TYPE = 1,
	SAMPLE = 2,
	LOCATION = 4,
	FUNCTION = 5,
	STRING_TABLE = 6,
	TIME_NANOS = 9,
	DURATION_NANOS = 10,
	COMMENT = 13,
	DEFAULT_SAMPLE_TYPE = 14
};
enum value_type_field { VALUE_TYPE = 1, VALUE_UNIT = 2 };
enum sample_field { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2 };
enum location_field { LOCATION_ID = 1, LOCATION_LINE = 4 };
enum line_field { LINE_FUNCTION_ID = 1, LINE_LINE = 2 };
enum function_field {
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILENAME = 4,
	FUNCTION_START_LINE = 5
};

struct pprof {
	struct gzip_put *gz;
	struct intern strings;           /* the first is "" */
	struct buf field, inner, packed; /* a message, those in it; reused */
};

static void flush(struct pprof *p)
{
	gzip_put_add(p->gz, p->field.p, p->field.n);
	buf_clear(&p->field);
}

static int64_t string(struct pprof *p, struct str text)
{
	return intern_add(&p->strings, text);
}

static void put_type(struct pprof *p, const char *type, const char *unit)
{
	buf_clear(&p->inner);
	proto_put_int(&p->inner, VALUE_TYPE, string(p, str_of(type)));
	proto_put_int(&p->inner, VALUE_UNIT, string(p, str_of(unit)));
	proto_put_message(&p->field, SAMPLE_TYPE, &p->inner);
	flush(p);
}

/* Locations are numbered as texts of the tree are, from 1; innermost first. */
static void put_sample(struct pprof *p, const struct export_stacks *s)
{
	buf_clear(&p->inner);
	buf_clear(&p->packed);
	for (size_t i = s->paths.nframes; i-- > 0;)
		proto_put_varint(&p->packed, s->paths.frames[i] + (uint64_t)1);
	proto_put_message(&p->inner, SAMPLE_LOCATION_ID, &p->packed);
	buf_clear(&p->packed);
	proto_put_varint(&p->packed, (uint64_t)s->calls);
	proto_put_varint(&p->packed,
			 (uint64_t)export_amount_whole(s->host_ns, s->tree.decimals,
						       &s->losses->rounded));
	if (s->tree.has_device)
		proto_put_varint(&p->packed, (uint64_t)s->device_ns);
	proto_put_message(&p->inner, SAMPLE_VALUE, &p->packed);
	proto_put_message(&p->field, SAMPLE, &p->inner);
	flush(p);
}

static void put_function(struct pprof *p, int64_t id, struct str text)
{
	struct frame_name name = frame_name_split(text);

	buf_clear(&p->packed);
	proto_put_int(&p->packed, LINE_FUNCTION_ID, id);
	if (name.line > 0)
		proto_put_int(&p->packed, LINE_LINE, name.line);
	buf_clear(&p->inner);
	proto_put_int(&p->inner, LOCATION_ID, id);
	proto_put_message(&p->inner, LOCATION_LINE, &p->packed);
	proto_put_message(&p->field, LOCATION, &p->inner);

	buf_clear(&p->inner);
	proto_put_int(&p->inner, FUNCTION_ID, id);
	proto_put_int(&p->inner, FUNCTION_NAME, string(p, name.function));
	proto_put_int(&p->inner, FUNCTION_SYSTEM_NAME, string(p, text));
	proto_put_int(&p->inner, FUNCTION_FILENAME, string(p, name.file));
	if (name.line > 0)
		proto_put_int(&p->inner, FUNCTION_START_LINE, name.line);
	proto_put_message(&p->field, FUNCTION, &p->inner);
	flush(p);
}

/* When it was recorded, where one profile tells. */
static void put_times(struct pprof *p, const struct scope *scope)
{
	const struct scope_profile *one = &scope->profiles[0];

	if (scope->n != 1)
		return;
	if (one->has_base)
		proto_put_int(&p->field, TIME_NANOS,
			      sum_add(one->base_ns, one->start_ns));
	if (one->dur_ns > 0)
		proto_put_int(&p->field, DURATION_NANOS, one->dur_ns);
}

static void put_all(struct pprof *p, struct export_stacks *s,
		    const struct export_request *request, FILE *out)
{
	bool of_device = request->weight == EXPORT_DEVICE;
	const char *host = s->tree.is_sampled ? "weight" : "host";

	string(p, (struct str){ "", 0 });
	put_type(p, s->tree.is_sampled ? "samples" : "calls", "count");
	put_type(p, host, export_stacks_unit(s, "count"));
	if (s->tree.has_device)
		put_type(p, "device", "nanoseconds");
	while (!ferror(out) && export_stacks_next(s))
		put_sample(p, s);
	for (uint32_t i = 0; i < s->tree.texts.n; i++)
		put_function(p, i + (int64_t)1, intern_str(&s->tree.texts, i));
	put_times(p, request->scope);
	proto_put_int(&p->field, COMMENT,
		      string(p, STR_LIT("written by ptool " PTOOL_VERSION)));
	if (s->tree.is_estimated)
		proto_put_int(
			&p->field, COMMENT,
			string(p, STR_LIT("paths are estimated: a call graph records "
					  "callers and callees")));
	proto_put_int(&p->field, DEFAULT_SAMPLE_TYPE,
		      string(p, of_device ? STR_LIT("device") : str_of(host)));
	for (uint32_t i = 0; i < p->strings.n; i++)
		proto_put_text(&p->field, STRING_TABLE, intern_str(&p->strings, i));
	flush(p);
}

static int write_pprof(const struct export_request *request, FILE *out,
		       struct export_losses *losses, struct err *err)
{
	struct export_stacks s;
	struct pprof p = { .gz = NULL };

	intern_init(&p.strings);
	buf_init(&p.field, SIZE_MAX);
	buf_init(&p.inner, SIZE_MAX);
	buf_init(&p.packed, SIZE_MAX);
	int rc = export_stacks_open(request, &s, losses, err);
	if (rc == 0 && !(p.gz = gzip_put_open(out, err)))
		rc = -1;
	if (rc == 0)
		put_all(&p, &s, request, out);
	gzip_put_close(p.gz);
	export_stacks_close(&s);
	intern_release(&p.strings);
	buf_release(&p.field);
	buf_release(&p.inner);
	buf_release(&p.packed);
	return rc;
}

static const char *const suffixes[] = { ".pb.gz", ".pprof", NULL };

const struct exporter export_pprof = {
	.name = "pprof",
	.suffixes = suffixes,
	.is_binary = true,
	.takes_filters = true,
	.takes_weight = true,
	.write = write_pprof,
};
