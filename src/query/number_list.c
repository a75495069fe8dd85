/* Numbers for a message: see number_list.h. */
#include "query/number_list.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"

#define RUN_TO_FOLD 3 /* 5, 6, 7 is 5..7 */

void number_list_add(struct number_list *list, int64_t number)
{
	*ARRAY_PUSH(list->items, list->n, list->cap) = number;
}

static void sort_numbers(struct number_list *list)
{
	size_t n = 0;

	if (list->n)
		qsort(list->items, list->n, sizeof(*list->items), sort_compare_int64);
	for (size_t i = 0; i < list->n; i++)
		if (i == 0 || list->items[i] != list->items[n - 1])
			list->items[n++] = list->items[i];
	list->n = n;
}

/* The last of those that follow each other from `at` on. */
static size_t end_of_run(const struct number_list *list, size_t at)
{
	while (at + 1 < list->n && list->items[at] != INT64_MAX &&
	       list->items[at + 1] == list->items[at] + 1)
		at++;
	return at;
}

void number_list_write(struct number_list *list, struct buf *out)
{
	size_t from = out->n;

	sort_numbers(list);
	for (size_t i = 0; i < list->n; i++) {
		size_t end = end_of_run(list, i);
		if (out->n - from > LIST_SHOWN) {
			buf_add_text(out, ", ...");
			return;
		}
		buf_addf(out, "%s%" PRId64, i ? ", " : "", list->items[i]);
		if (end - i + 1 < RUN_TO_FOLD)
			continue;
		buf_addf(out, "..%" PRId64, list->items[end]);
		i = end;
	}
}
