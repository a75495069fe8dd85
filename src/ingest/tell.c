/* Findings of readers: see tell.h. */
#include "ingest/tell.h"

#include "base/utf8.h"

#define EXCERPT_BYTES 80

int tell_finding(struct sink *sink, const struct read_options *options, enum finding what,
		 uint64_t offset, struct str excerpt, struct err *err)
{
	if (options->strict && finding_kinds[what].severity != SEVERITY_INFO)
		return err_at(err, offset, "%s", finding_kinds[what].what);
	sink->finding(sink, what, offset, STR_LIT(""), utf8_cut(excerpt, EXCERPT_BYTES));
	return 0;
}
