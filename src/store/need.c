/* What a question reads: see need.h. */
#include "store/need.h"

#include <stddef.h>
#include <string.h>

bool fetch_need_has(const struct fetch_need *need, const char *table)
{
	size_t n = strlen(table);

	for (const char *p = need->tables; p && *p; p += strspn(p, ",")) {
		size_t word = strcspn(p, ",");
		bool is_prefix = word && p[word - 1] == '*';
		if (is_prefix ? strncmp(p, table, word - 1) == 0
			      : word == n && memcmp(p, table, n) == 0)
			return true;
		p += word;
	}
	return !need->tables;
}

unsigned fetch_need_grains(const struct fetch_need *need)
{
	if (!fetch_need_has(need, "op_stat"))
		return 0;
	return need->grains ? need->grains : FETCH_OPS_ALL;
}
