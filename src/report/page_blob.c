/* Data within a page: see page_blob.h. */
#include "report/page_blob.h"

#include "base/deflate64.h"
#include "report/page_text.h"

#define PACKED_FROM ((size_t)16 * 1024) /* bytes of JSON that are worth packing */

void page_blob(FILE *out, const char *id, struct bytes bytes)
{
	fprintf(out, "<script type=\"application/octet-stream\" id=\"%s\">", id);
	deflate64_put(out, bytes);
	fputs("</script>\n", out);
}

/*
 * <script type="application/json" id=ID>: any JSON text, made safe here.  base.js:
 * pageJson(ID).
 */
static void page_json(FILE *out, const char *id, struct str json)
{
	fprintf(out, "<script type=\"application/json\" id=\"%s\">", id);
	page_text_json(out, json);
	fputs("</script>\n", out);
}

void page_data(FILE *out, const char *id, struct str json)
{
	if (json.n < PACKED_FROM)
		page_json(out, id, json);
	else
		page_blob(out, id, (struct bytes){ (const uint8_t *)json.p, json.n });
}
