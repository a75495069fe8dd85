/*
 * findings: each code of trace/finding.h on a line of standard output, behind what it
 * tells, for tests/cli/man.bats: "error", "warning", "info", or "lacks" where the
 * recording cannot tell something.
 */
#include <stdio.h>

#include "trace/finding.h"

int main(void)
{
	for (int i = 0; i < NFINDINGS; i++) {
		const struct finding_kind *kind = &finding_kinds[i];
		const char *what = finding_is_health((enum finding)i)
					   ? "lacks"
					   : severity_name(kind->severity);
		printf("%s %s\n", what, kind->code);
	}
	return 0;
}
