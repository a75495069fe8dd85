/* Values of a budget: amounts with units, tolerances, acknowledgements. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/gate_budget.h"

/* The column's unit and how many of it one of these is. */
static const struct {
	const char *word;
	enum unit unit;
	double factor;
} units[] = {
	{ "", UNIT_COUNT, 1 },
	{ "ns", UNIT_NS, 1 },
	{ "us", UNIT_NS, 1e3 },
	{ "ms", UNIT_NS, 1e6 },
	{ "s", UNIT_NS, 1e9 },
	{ "min", UNIT_NS, 60e9 },
	{ "h", UNIT_NS, 3600e9 },
	{ "B", UNIT_BYTES, 1 },
	{ "bytes", UNIT_BYTES, 1 },
	{ "kB", UNIT_BYTES, 1e3 },
	{ "MB", UNIT_BYTES, 1e6 },
	{ "GB", UNIT_BYTES, 1e9 },
	{ "TB", UNIT_BYTES, 1e12 },
	{ "KiB", UNIT_BYTES, 1024 },
	{ "MiB", UNIT_BYTES, 1048576 },
	{ "GiB", UNIT_BYTES, 1073741824 },
	{ "TiB", UNIT_BYTES, 1099511627776 },
	{ "%", UNIT_PERCENT, 1 },
};

#define NUNITS (sizeof(units) / sizeof(*units))

/* The number, and what stands behind it; NULL: it is none. */
static const char *read_number(const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end == text || !isfinite(*value))
		return NULL;
	while (*end == ' ' || *end == '\t')
		end++;
	return end;
}

int budget_read_amount(const char *text, struct budget_amount *out, struct err *err)
{
	const char *word = read_number(text, &out->value);

	for (size_t i = 0; word && i < NUNITS; i++) {
		if (strcmp(units[i].word, word) != 0)
			continue;
		out->value *= units[i].factor;
		out->unit = units[i].unit;
		return 0;
	}
	return err_set(err, ERR_USAGE,
		       "'%.100s' is not an amount; write a number with its unit: 180 ms, "
		       "1.5 GiB, 3 %%, 12",
		       text);
}

int budget_read_tolerance(const char *text, double *out, bool *is_in_noise,
			  struct err *err)
{
	const char *word = read_number(text, out);

	*is_in_noise = word && strcmp(word, "sigma") == 0;
	if (word && *out >= 0 && (*is_in_noise || strcmp(word, "%") == 0))
		return 0;
	return err_set(err, ERR_USAGE,
		       "'%.100s' is not a tolerance; write percent or noise: 3 %%, 2 "
		       "sigma",
		       text);
}

static bool is_date(const char *text)
{
	int year, month, day, end = 0;

	return sscanf(text, "%4d-%2d-%2d%n", &year, &month, &day, &end) == 3 &&
	       end == 10 && !text[end] && month >= 1 && month <= 12 && day >= 1 &&
	       day <= 31;
}

/* Is the day over everywhere it may be today?  By UTC. */
static bool is_over(const char *date)
{
	time_t now = time(NULL);
	struct tm utc;
	char today[sizeof("2026-12-31") + 8];

	if (!gmtime_r(&now, &utc) || !strftime(today, sizeof(today), "%Y-%m-%d", &utc))
		return false;
	return strcmp(date, today) < 0;
}

int budget_read_reason(const char *text, struct arena *arena, struct budget *out,
		       struct err *err)
{
	const char *at = NULL;

	for (const char *next = text; (next = strstr(next, " until ")); next++)
		at = next;
	if (!at || at == text || !is_date(at + strlen(" until ")))
		return err_set(err, ERR_USAGE,
			       "an acknowledgement is a reason and its last day: "
			       "REASON until YYYY-MM-DD");
	out->reason = arena_copy(arena, (struct str){ text, (size_t)(at - text) }).p;
	out->until = at + strlen(" until ");
	out->is_expired = is_over(out->until);
	return 0;
}

int budget_limit(const struct budget_amount *amount, const char *column, enum unit unit,
		 double *value, struct err *err)
{
	bool is_time = unit == UNIT_NS || unit == UNIT_TIME;
	const char *example = is_time                ? "180 ms"
			      : unit == UNIT_BYTES   ? "1.5 GiB"
			      : unit == UNIT_PERCENT ? "3 %"
						     : NULL;
	bool fits = is_time              ? amount->unit == UNIT_NS
		    : unit == UNIT_BYTES ? amount->unit == UNIT_BYTES
		    : unit == UNIT_PERCENT
			    ? amount->unit == UNIT_PERCENT || amount->unit == UNIT_COUNT
			    : amount->unit == UNIT_COUNT;

	*value = amount->value;
	if (fits)
		return 0;
	return example ? err_set(err, ERR_USAGE, "%s wants a limit such as '%s'", column,
				 example)
		       : err_set(err, ERR_USAGE, "%s wants a number without a unit",
				 column);
}
