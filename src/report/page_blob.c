/* Data within a page: see page_blob.h. */
#include "report/page_blob.h"

#include "base/deflate64.h"

void page_blob(FILE *out, const char *id, struct bytes bytes)
{
	fprintf(out, "<script type=\"application/octet-stream\" id=\"%s\">", id);
	deflate64_put(out, bytes);
	fputs("</script>\n", out);
}
