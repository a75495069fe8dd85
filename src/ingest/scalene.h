/*
 * Lines of a profile of Scalene, gathered file by file: functions are found when all of
 * them are known.  Inside the reader only.
 */
#ifndef PTOOL_INGEST_SCALENE_H
#define PTOOL_INGEST_SCALENE_H

#include "ingest/line_rows.h"

/* A line, or an entry of the list of functions, which has a name in place of a text. */
struct scalene_line {
	int64_t line;
	int64_t start;   /* of its function; 0: it is in none; NUMBER_NONE: not told */
	double percent;  /* of the time that the program ran */
	double peak_mib; /* 0: none */
	uint32_t file;   /* as `text` and `name` a text of the sink */
	uint32_t text;   /* TEXT_NONE: not told */
	uint32_t name;   /* that the line defines, or TEXT_NONE */
	uint32_t owner;  /* the line that defines its function, or LINE_OF_MODULE */
	size_t indent;   /* SIZE_MAX: it is empty */
	bool is_function;
	uint64_t at; /* byte in the input */
};

struct scalene {
	struct line_rows rows;
	struct scalene_line *lines; /* owned */
	size_t nlines, lines_cap;
	uint32_t file; /* that is read */
	bool has_data; /* a line has a share or memory */
};

void scalene_init(struct scalene *s, struct sink *sink,
		  const struct read_options *options);
void scalene_release(struct scalene *s);
/* All below: 0, or -1 with err set. */
int scalene_begin_file(struct scalene *s, struct str name, uint64_t at, struct err *err);
/* What a line or a function consists of. */
int scalene_text(struct scalene *s, struct str text, struct scalene_line *line,
		 struct err *err);
void scalene_add(struct scalene *s, const struct scalene_line *line);
/* Behind the last: functions with their lines, of a program that ran so many seconds. */
int scalene_tell(struct scalene *s, double elapsed_s, struct err *err);

#endif
