/* The columns of the tables of steps: what each is called, and where its cells come from. */
#ifndef PTOOL_QUERY_STEPS_COLUMNS_H
#define PTOOL_QUERY_STEPS_COLUMNS_H

#include <stddef.h>

#include "query/steps/steps.h"

struct steps_heading {
	const char *name, *title;
	/* NULL: the step, which is text that steps_table.c makes. */
	struct cell (*cell)(const struct step_row *row, int value);
	int value; /* for the function */
	enum unit unit;
	int leaves; /* people's: on a narrow terminal the largest goes first; 0 stays */
};

struct steps_headings {
	const struct steps_heading *at;
	size_t n;
};

#define STEPS_HEADINGS_MOST 32 /* of any list below */

extern const struct steps_headings steps_machine, steps_machine_phases;
/* Shares of the step, and below it the device's view; the same for phases. */
extern const struct steps_headings steps_people, steps_people_devices,
	steps_people_phases, steps_people_device_phases;

#endif
