/* What ptool advise found, with what it saves and the tab that shows it. */
#ifndef PTOOL_CLI_REPORT_FINDINGS_H
#define PTOOL_CLI_REPORT_FINDINGS_H

#include <stdbool.h>

#include "cli/report_rows.h"
#include "report/page.h"

struct report_finding_words {
	const char *of;  /* what time is saved of: "a step" */
	const char *tab; /* of rules that no other tab is of */
	bool has_places; /* findings may be of other ranks or profiles: they say of which */
};

/* Of its rows for machines, in a panel; nothing where it found nothing. */
void report_findings(struct page *page, struct report_rows *advice,
		     const struct report_finding_words *words);

#endif
