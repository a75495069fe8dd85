/* Numbers for a message, such as the steps or ranks that there are. */
#ifndef PTOOL_QUERY_NUMBER_LIST_H
#define PTOOL_QUERY_NUMBER_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define LIST_SHOWN ((size_t)160) /* characters of a list in a message */

/* A zeroed one is empty. */
struct number_list {
	int64_t *items; /* owned; free() */
	size_t n, cap;
};

void number_list_add(struct number_list *list, int64_t number);
/* "1, 5..10": sorted, each once, and cut where a message has no room for more. */
void number_list_write(struct number_list *list, struct buf *out);

#endif
