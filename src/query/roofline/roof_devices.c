/* Devices and their peaks: see roof_devices.h. */
#include "query/roofline/roof_devices.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "query/query.h"

ASSET(asset_query_views_device_properties_sql);

/* Compared as bytes. */
struct device_key {
	int64_t name, sms;
};

void roof_devices_init(struct roof_devices *d, const char *given)
{
	*d = (struct roof_devices){ .given = given };
	intern_init(&d->keys);
}

void roof_devices_release(struct roof_devices *d)
{
	intern_release(&d->keys);
	free(d->items);
	free(d->places);
	*d = (struct roof_devices){ .n = 0 };
}

/* Its place; `texts` is not looked at without a name. */
static int add(struct roof_devices *d, const struct text_pool *texts,
	       const struct device_key *key, size_t *at, struct err *err)
{
	size_t known = d->keys.n;

	*at = intern_add(&d->keys, str_bytes(key, sizeof(*key)));
	if (d->keys.n == known)
		return 0;
	struct roof_device *device = ARRAY_PUSH(d->items, d->n, d->cap);
	*device = (struct roof_device){ .name = (uint32_t)key->name };
	if (key->name != TEXT_NONE)
		device_peaks_find(text_pool_str(texts, device->name), key->sms,
				  &device->peaks);
	return d->given ? device_peaks_set(d->given, &device->peaks, err) : 0;
}

int roof_devices_open(struct roof_devices *d, struct store *store,
		      struct text_pool *texts, const struct scope_profile *profile,
		      struct err *err)
{
	struct query q = query_of_profile(store, asset_query_views_device_properties_sql,
					  profile, err);

	d->nplaces = 0;
	d->is_one = true;
	while (query_next(&q, err)) {
		struct device_place *place =
			ARRAY_PUSH(d->places, d->nplaces, d->places_cap);
		const char *name = (const char *)sqlite3_column_text(q.stmt, 1);
		bool has_name = name && *name;
		struct device_key key = {
			has_name ? intern_add(&texts->intern, str_of(name)) : TEXT_NONE,
			has_name ? sqlite3_column_int64(q.stmt, 3) : 0
		};
		*place = (struct device_place){ .device = query_number(q.stmt, 0) };
		q.rc = add(d, texts, &key, &place->at, err);
		d->is_one &= place->at == d->places[0].at;
	}
	d->is_one &= d->nplaces > 0;
	return query_end(&q);
}

int roof_devices_place(struct roof_devices *d, int64_t number, size_t *at,
		       struct err *err)
{
	size_t i;

	SEARCH(i, 0, d->nplaces, d->places[i].device < number);
	if (i < d->nplaces && d->places[i].device == number)
		*at = d->places[i].at;
	else if (d->is_one)
		*at = d->places[0].at;
	else
		return add(d, NULL, &(struct device_key){ TEXT_NONE, 0 }, at, err);
	return 0;
}
