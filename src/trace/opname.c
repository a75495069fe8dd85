/*
 * Names as torch's table spells them (profiler_util.py, _rewrite_name and
 * _filter_name; torch._C._demangle is abi::__cxa_demangle).
 */
#include "base/demangle.h"
#include "base/intern.h"
#include "trace/optree.h"
#include "trace/step_name.h"

/* Longer names are no operator's: they are asked for each slice, which may share one. */
#define PLAIN_BYTES 256

static const char *const dropped_names[] = {
	"[memory]",
	"[OutOfMemory]",
	"profiler::_record_function_enter",
	"profiler::_record_function_enter_new",
	"profiler::_record_function_exit",
	"aten::is_leaf",
	"aten::output_nr",
	"aten::_version",
};

static bool is_identifier(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (!first && c >= '0' && c <= '9');
}

static const char *skip_identifier(const char *p, const char *end)
{
	if (p == end || !is_identifier(*p, true))
		return NULL;
	while (p < end && is_identifier(*p, false))
		p++;
	return p;
}

/* "ns::op.Overload": where its dot is, or NULL. */
static const char *find_overload(struct str name)
{
	const char *end = name.p + name.n;
	const char *p = name.n <= PLAIN_BYTES ? skip_identifier(name.p, end) : NULL;

	if (!p || end - p < 2 || p[0] != ':' || p[1] != ':')
		return NULL;
	const char *dot = p + 2;
	while (dot < end && is_identifier(*dot, false))
		dot++;
	if (dot == p + 2 || dot == end || *dot != '.' || dot + 1 == end)
		return NULL;
	for (p = dot + 1; p < end; p++)
		if (!is_identifier(*p, false))
			return NULL;
	return dot;
}

struct str op_name_plain(struct str name)
{
	const char *dot = find_overload(name);

	return dot ? (struct str){ name.p, (size_t)(dot - name.p) } : name;
}

struct op_name op_name_of(struct str text, bool is_op, struct intern *texts)
{
	struct op_name result = { 0, TEXT_NONE, false, false };
	struct str collective;

	for (size_t i = 0; i < sizeof(dropped_names) / sizeof(*dropped_names); i++)
		result.dropped |= str_is(text, dropped_names[i]);
	/* c10d's Work ranges are recorded as asynchronous; the file does not say so. */
	result.is_async = comm_range_backend(text, &collective) != COMM_BACKEND_NONE;
	struct buf plain;
	struct str name = demangle(text, &plain) ? buf_str(&plain) : text;
	const char *dot = is_op ? find_overload(name) : NULL;
	if (dot) {
		size_t left = name.n - (size_t)(dot + 1 - name.p);
		result.overload = intern_add(texts, (struct str){ dot + 1, left });
		name.n = (size_t)(dot - name.p);
	}
	struct buf all;
	buf_init(&all, name.n + sizeof("ProfilerStep*"));
	if (step_name_of_all(name, &all))
		name = buf_str(&all);
	result.name = intern_add(texts, name);
	buf_release(&all);
	buf_release(&plain);
	return result;
}
