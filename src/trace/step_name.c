/* Names with a meaning: see step_name.h. */
#include "trace/step_name.h"

#include <stddef.h>

#include "base/decimal.h"
#include "trace/engine_step.h"

bool step_name_number(struct str name, int64_t *number)
{
	const struct str prefix = STR_LIT("ProfilerStep#");

	if (!str_starts_with(name, prefix))
		return false;
	struct str digits = { name.p + prefix.n, name.n - prefix.n };
	return decimal_text_int(digits, number) == DECIMAL_OK;
}

bool step_name_is_mark(struct str name)
{
	struct engine_step told;

	return str_starts_with(name, STR_LIT("ProfilerStep#")) ||
	       str_is(name, "ProfilerStep*") || /* all of them, in summaries */
	       (engine_step_parse(name, &told) && !told.is_label);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "context_32(sq32sk0)" as "context_*": what is in brackets are sums of what is before them. */
static void add_starred(struct buf *out, struct str name)
{
	bool is_inside = false;

	for (size_t i = 0, n; i < name.n; i += n) {
		n = 0;
		while (i + n < name.n && is_digit(name.p[i + n]))
			n++;
		char c = name.p[i];
		if (n > 1 || (n == 1 && c != '0'))
			c = '*';
		is_inside = is_inside || c == '(';
		if (!is_inside)
			buf_add_char(out, c);
		is_inside = is_inside && c != ')';
		n += n == 0;
	}
}

bool step_name_of_all(struct str name, struct buf *out)
{
	struct engine_step told;

	if (str_starts_with(name, STR_LIT("ProfilerStep#"))) {
		buf_add_text(out, "ProfilerStep*");
		return true;
	}
	if (!engine_step_parse(name, &told) || told.is_label)
		return false;
	add_starred(out, name);
	return true;
}

static const struct {
	const char *prefix;
	enum comm_backend backend;
} backends[] = {
	{ "gloo:", COMM_BACKEND_HOST },   { "mpi:", COMM_BACKEND_HOST },
	{ "ucc:", COMM_BACKEND_HOST },    { "nccl:", COMM_BACKEND_DEVICE },
	{ "rccl:", COMM_BACKEND_DEVICE }, { "xccl:", COMM_BACKEND_DEVICE },
	{ "hccl:", COMM_BACKEND_DEVICE },
};

enum comm_backend comm_range_backend(struct str name, struct str *collective)
{
	if (name.n < 5 || (name.p[3] != ':' && name.p[4] != ':'))
		return COMM_BACKEND_NONE;
	for (size_t i = 0; i < sizeof(backends) / sizeof(*backends); i++) {
		if (name.p[0] != backends[i].prefix[0])
			continue;
		struct str prefix = str_of(backends[i].prefix);
		if (!str_starts_with(name, prefix))
			continue;
		*collective = str_behind(name, prefix.n);
		return backends[i].backend;
	}
	return COMM_BACKEND_NONE;
}
