/* Lanes of a stream: see export_marks.h. */
#include "trace/export_marks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"

#define WORD " lane "

void export_lane(int64_t stream, size_t lane, char text[EXPORT_LANE_MAX])
{
	snprintf(text, EXPORT_LANE_MAX, "%" PRId64 WORD "%zu", stream, lane);
}

bool export_lane_stream(struct str tid, int64_t *stream)
{
	const size_t n = sizeof(WORD) - 1;
	int64_t lane;

	for (size_t at = 1; at + n < tid.n; at++)
		if (memcmp(tid.p + at, WORD, n) == 0)
			return decimal_text_int((struct str){ tid.p, at }, stream) ==
				       DECIMAL_OK &&
			       decimal_text_int(str_behind(tid, at + n), &lane) ==
				       DECIMAL_OK;
	return false;
}
