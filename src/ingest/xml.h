/*
 * What a picture of SVG needs of XML: tags, attributes and the text between them, one after
 * the other.  It checks nothing and keeps nothing.  An entity of a document's own is never
 * looked up, so that nothing grows: only the five of XML and numbers of characters are
 * undone.  Comments, declarations, processing instructions and CDATA are passed over.
 */
#ifndef PTOOL_INGEST_XML_H
#define PTOOL_INGEST_XML_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

struct xml_reader {
	const char *p, *end; /* borrowed text; p goes on */
};

enum xml_kind {
	XML_END,
	XML_CUT, /* the text ends inside a tag, which begins at `start` */
	XML_OPEN,
	XML_CLOSE,
	XML_TEXT
};

/* Borrowed from the text. */
struct xml_token {
	const char *start;
	struct str name;       /* of an element */
	struct str attributes; /* behind the name */
	struct str text;       /* entities not undone */
	bool is_empty;         /* "<a/>": no XML_CLOSE follows */
};

/* The next token.  After the last one: XML_END, or XML_CUT if the text ends inside a tag. */
enum xml_kind xml_next(struct xml_reader *x, struct xml_token *token);
/* The attribute's value, entities not undone.  False: it has none of that name. */
bool xml_attribute(const struct xml_token *token, const char *name, struct str *value);
/* Entities undone; borrowed from `into`, or from the text where there are none. */
struct str xml_unescape(struct str text, struct buf *into);

#endif
