/* The table of views: a new one is its .sql file and its rows here. */
#include "query/sql_views.h"

#include "query/findings.h"
#include "query/query.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct column info_columns[] = {
	{ "profile", "ID", UNIT_ID },
	{ "run", "Run", UNIT_TEXT },
	{ "name", "Worker", UNIT_TEXT },
	{ "path", "File", UNIT_TEXT },
	{ "format", "Format", UNIT_TEXT },
	{ "dialect", "Dialect", UNIT_TEXT },
	{ "host", "Host", UNIT_TEXT },
	{ "rank", "Rank", UNIT_ID },
	{ "world_size", "World size", UNIT_COUNT },
	{ "rank_source", "Rank source", UNIT_TEXT },
	{ "worker", "Worker", UNIT_TEXT },
	{ "span", "Span no.", UNIT_COUNT },
	{ "start", "Start (UTC)", UNIT_TEXT },
	{ "start_minute", "Start (UTC)", UNIT_TEXT },
	{ "span_ns", "Span", UNIT_NS },
	{ "slices", "Slices", UNIT_COUNT },
	{ "steps", "Steps", UNIT_COUNT },
	{ "devices", "Devices", UNIT_COUNT },
	{ "has_memory", "Memory", UNIT_BOOL },
	{ "has_shapes", "Shapes", UNIT_BOOL },
	{ "has_stacks", "Stacks", UNIT_BOOL },
	{ "has_flops", "FLOPs", UNIT_BOOL },
	{ "findings", "Findings", UNIT_COUNT },
	{ "input_bytes", "Input", UNIT_BYTES },
	{ "device_type", "Device type", UNIT_TEXT },
};

const struct sql_view sql_view_info = {
	.name = "info",
	.sql = asset_query_views_info_sql,
	.columns = info_columns,
	.ncolumns = COUNT(info_columns),
};

const struct sql_view *const sql_views[] = { &sql_view_finding, &sql_view_info, NULL };
