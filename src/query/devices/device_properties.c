/* What a recording says of devices: see device_properties.h. */
#include "query/devices/device_properties.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "query/query.h"
#include "trace/fact.h"

ASSET(asset_query_views_device_properties_sql);

enum { DEVICE, NAME, MEMORY, SMS, MAJOR, MINOR, AGENT, MAY_BE_AGENTS };

static void add_row(struct device_properties_list *list, struct sqlite3_stmt *stmt)
{
	const char *name = (const char *)sqlite3_column_text(stmt, NAME);
	int64_t major = query_number(stmt, MAJOR), minor = query_number(stmt, MINOR);
	struct device_properties item = {
		.device = sqlite3_column_int64(stmt, DEVICE),
		.memory_bytes = query_number(stmt, MEMORY),
		.sms = query_number(stmt, SMS),
		.is_known = query_number(stmt, AGENT) != NUMBER_NONE ||
			    sqlite3_column_int64(stmt, MAY_BE_AGENTS) == 0,
	};

	if (name && *name)
		item.name = arena_strdup(&list->arena, name);
	if (major != NUMBER_NONE && minor != NUMBER_NONE)
		item.capability =
			arena_printf(&list->arena, "%" PRId64 ".%" PRId64, major, minor);
	*ARRAY_PUSH(list->items, list->n, list->cap) = item;
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : !a && !b;
}

static bool are_alike(const struct device_properties_list *list)
{
	const struct device_properties *first = list->items;

	for (size_t i = 1; i < list->n; i++) {
		const struct device_properties *next = &list->items[i];
		if (!is_same_text(first->name, next->name) ||
		    !is_same_text(first->capability, next->capability) ||
		    first->memory_bytes != next->memory_bytes || first->sms != next->sms)
			return false;
	}
	return list->n > 0;
}

int device_properties_load(struct store *store, const struct scope_profile *profile,
			   struct device_properties_list *out, struct err *err)
{
	*out = (struct device_properties_list){ .n = 0 };
	struct query q = query_of_profile(store, asset_query_views_device_properties_sql,
					  profile, err);

	while (query_next(&q, err))
		add_row(out, q.stmt);
	for (size_t i = 0; i < out->n; i++)
		out->is_any_alike |= !out->items[i].is_known;
	out->is_any_alike = out->is_any_alike && are_alike(out);
	return query_end(&q);
}

void device_properties_release(struct device_properties_list *list)
{
	arena_release(&list->arena);
	free(list->items);
	*list = (struct device_properties_list){ .n = 0 };
}

const struct device_properties *device_properties_of_gpu(
	const struct device_properties_list *list, int64_t gpu)
{
	size_t at;

	SEARCH(at, (size_t)0, list->n, list->items[at].device < gpu);
	return at < list->n && list->items[at].device == gpu ? &list->items[at] : NULL;
}

const struct device_properties *device_properties_find(
	const struct device_properties_list *list, int64_t device)
{
	const struct device_properties *exact = device_properties_of_gpu(list, device);

	if (exact && exact->is_known)
		return exact;
	return list->is_any_alike ? list->items : NULL;
}
