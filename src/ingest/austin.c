/*
 * Austin's metrics, as its 3.x wrote them: whole microseconds, whole bytes, and in full mode
 * both, with what says whether the thread was idle, between commas.
 */
#include "ingest/austin.h"

#include "base/decimal.h"

#define NMETRICS  3
#define NS_PER_US 1000

const char *austin_mode(struct str value)
{
	static const char *const modes[] = { "wall", "cpu", "gil" };

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (str_is(value, modes[i]))
			return modes[i];
	return str_is(value, "full") ? "wall" : NULL;
}

/* How many there are; 0: one is no whole number. */
static size_t split(struct str text, int64_t values[NMETRICS])
{
	for (size_t n = 0; n < NMETRICS; n++) {
		const char *comma = text.n ? memchr(text.p, ',', text.n) : NULL;
		struct str part = { text.p, comma ? (size_t)(comma - text.p) : text.n };
		if (part.n == 0 || decimal_text_int(part, &values[n]) != DECIMAL_OK)
			return 0;
		if (!comma)
			return n + 1;
		text = str_behind(text, part.n + 1);
	}
	return NMETRICS;
}

enum stacks_number austin_metrics(struct str text, bool is_memory, struct austin *out)
{
	int64_t values[NMETRICS] = { 0 };
	size_t n = split(text, values);

	if (n == 0)
		return STACKS_NOT_A_NUMBER;
	*out = (struct austin){ .has_time = n > 1 || !is_memory };
	out->has_bytes = n == NMETRICS || !out->has_time;
	out->bytes = values[out->has_time ? NMETRICS - 1 : 0];
	if (!out->has_time)
		return STACKS_NUMBER;
	out->is_idle = n < NMETRICS || values[1] != 0;
	if (values[0] < 0)
		return STACKS_NEGATIVE;
	return __builtin_mul_overflow(values[0], NS_PER_US, &out->time_ns)
		       ? STACKS_TOO_LARGE
		       : STACKS_NUMBER;
}
