/* The names of steps: see step_name.h. */
#include "trace/step_name.h"

#include "base/decimal.h"

bool step_name_number(struct str name, int64_t *number)
{
	const struct str prefix = STR_LIT("ProfilerStep#");

	if (!str_starts_with(name, prefix))
		return false;
	struct str digits = { name.p + prefix.n, name.n - prefix.n };
	return decimal_text_int(digits, number) == DECIMAL_OK;
}
