/* What ptool flame draws into: a new format is a row of flame_formats. */
#ifndef PTOOL_CLI_FLAME_FORMAT_H
#define PTOOL_CLI_FLAME_FORMAT_H

#include "base/err.h"
#include "base/flame.h"
#include "cli/output.h"
#include "report/flame_words.h"

struct flame_format {
	const char *name;   /* what --to takes */
	const char *suffix; /* of files in it, with the dot */
	bool has_both;      /* host and device time, to be switched */
	/* 0, or -1 with err set; what fails on the stream is the caller's to see. */
	int (*write)(const struct flame *flame, const struct flame_draw *draw,
		     struct output *out, struct err *err);
};

/* The last has no name; the first is the default. */
extern const struct flame_format flame_formats[];

/* By --to (NULL: not given), else by the suffix of the file; NULL with an ERR_USAGE. */
const struct flame_format *flame_format_choose(const char *to,
					       const struct output_opts *o,
					       struct err *err);

#endif
