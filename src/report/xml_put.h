/*
 * XML, written an element at a time: whatever is in a text or a value comes out as text.
 * Names of elements and attributes are the program's own.
 *
 *	xml_begin(&x, "text");
 *	xml_number(&x, "y", 12.5);
 *	xml_text(&x, name);
 *	xml_end(&x, "text");
 */
#ifndef PTOOL_REPORT_XML_PUT_H
#define PTOOL_REPORT_XML_PUT_H

#include <stdbool.h>

#include "report/writer.h"

struct xml {
	struct writer *w; /* borrowed; flushed by whoever owns it */
	bool is_tag_open; /* attributes may still be added */
};

void xml_begin(struct xml *x, const char *element);
void xml_end(struct xml *x, const char *element);
/* Of the element that began last, before its text and children. */
void xml_value(struct xml *x, const char *attribute, struct str value);
/* With at most three digits behind the point. */
void xml_number(struct xml *x, const char *attribute, double value);
/* Bytes that no XML may hold are shown as escapes: U+FFFE as \ufffe, invalid ones as \xff. */
void xml_text(struct xml *x, struct str text);

#endif
