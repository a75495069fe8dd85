/* The columns of the five axes of a job: where ranks stand in their groups. */
#ifndef PTOOL_QUERY_AXIS_FIELDS_H
#define PTOOL_QUERY_AXIS_FIELDS_H

#include "query/view.h"
#include "trace/axes.h"

/* For an array of struct field; OF(axis) is what a view has behind the unit: .get ... */
/* clang-format off */
#define AXIS_FIELDS(OF) \
	{ "tp", "TP", "place in the tensor parallel group, with --by tp", NULL, UNIT_ID, OF(AXIS_TP) }, \
	{ "dp", "DP", "place in the data parallel group, with --by dp", NULL, UNIT_ID, OF(AXIS_DP) }, \
	{ "pp", "PP", "pipeline stage, with --by pp", NULL, UNIT_ID, OF(AXIS_PP) }, \
	{ "ep", "EP", "place in the expert parallel group, with --by ep", NULL, UNIT_ID, OF(AXIS_EP) }, \
	{ "cp", "CP", "place in the context parallel group, with --by cp", NULL, UNIT_ID, OF(AXIS_CP) }
/* clang-format on */

#endif
