/* --min: see min_option.h. */
#include "cli/min_option.h"

#include <stdlib.h>

#include "query/filter.h"

int min_option_parse(const char *text, int64_t *min_ns, double *min_pct, struct err *err)
{
	char *end;

	if (filter_parse_time(str_of(text), min_ns))
		return 0;

	*min_pct = strtod(text, &end);
	if (end != text && *end == '%')
		end++;
	if (end != text && !*end && *min_pct >= 0 && *min_pct <= 100)
		return 0;
	return err_set(
		err, ERR_USAGE,
		"--min wants 0 to 100 percent or a time with its unit (1ms), not '%.100s'",
		text);
}
