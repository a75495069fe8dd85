/* Charts above the tables of a page's tabs.  All: 0, or -1 with err set. */
#ifndef PTOOL_CLI_REPORT_CHARTS_H
#define PTOOL_CLI_REPORT_CHARTS_H

#include "cli/report_tabs.h"
#include "query/overview/overview.h"

/* Of the chart of idle time, which two tabs show. */
#define REPORT_IDLE_ID "chart-idle"

/* The first tab. */
int report_overview(struct report_making *on, struct err *err);
/* Python's time by package, a bar; nothing where one took all of it. */
int report_packages(struct report_making *m, struct err *err);
/* Steps as stacked columns, in a panel; nothing where there are none.  mean_ns: or 0. */
void report_steps_chart(struct report_making *m, const struct overview_more *of,
			int64_t mean_ns);
int report_steps(struct report_making *m, struct err *err);
/* Idle time by cause. */
int report_idle(struct report_making *m, struct err *err);
/* Allocated and reserved memory over time, of each device. */
int report_memory(struct report_making *m, struct err *err);

#endif
