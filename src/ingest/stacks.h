/*
 * What the readers of sampled stacks share: frames that come as texts, their names
 * valid UTF-8 and of bearable length; weights that come as decimal digits; findings,
 * which --strict makes errors.
 */
#ifndef PTOOL_INGEST_STACKS_H
#define PTOOL_INGEST_STACKS_H

#include "base/buf.h"
#include "base/decimal.h"
#include "base/intern.h"
#include "base/spelt.h"
#include "ingest/reader.h"

struct stacks {
	struct sink *sink;                  /* borrowed */
	const struct read_options *options; /* borrowed */
	uint32_t no_file;                   /* the text "~" */
	struct buf valid;                   /* of the newest text */
	struct spelt spelt;                 /* by stacks_name() */
	uint64_t nreferred;                 /* frames that were told by reference */
};

void stacks_init(struct stacks *s, struct sink *sink, const struct read_options *options);
void stacks_release(struct stacks *s);

/* A finding at a byte of the input; when strict, a warning is an error: -1. */
int stacks_tell(struct stacks *s, enum finding what, uint64_t offset, struct str excerpt,
		struct err *err);
/*
 * The sink's number of a text: invalid bytes become U+FFFD, what is too long is cut, and
 * both are told.  0, or -1 with err set.
 */
int stacks_text(struct stacks *s, struct str text, uint64_t offset, uint32_t *out,
		struct err *err);

/* The same of who was sampled: many may share a long name, which each has in the store. */
int stacks_name(struct stacks *s, struct str text, uint64_t offset, uint32_t *out,
		struct err *err);

/* A frame as a file says it; empty texts and NUMBER_NONE where it does not. */
struct stacks_frame {
	struct str name, file;
	int64_t first_line; /* of the function's definition */
	int64_t line;       /* that ran */
};
/* The line that ran: below 1 it is none. */
static inline int64_t stacks_line(int64_t line)
{
	return line > 0 ? line : NUMBER_NONE;
}
/* The facts of its function.  0, or -1 with err set. */
int stacks_function(struct stacks *s, const struct stacks_frame *frame, uint64_t offset,
		    struct function_fact *out, struct err *err);
/* Its facts, for the sink's frame().  0, or -1 with err set. */
int stacks_frame(struct stacks *s, const struct stacks_frame *frame, uint64_t offset,
		 struct frame_fact *out, struct err *err);
/*
 * Texts that name a function and where it is: "wait (threading.py:320)" of py-spy,
 * "threading.py:wait:320" of Austin and Python's profiling.sampling,
 * "threading.py:320:wait" of flameprof, "threading.py(320):_wait" of torch's
 * export_stacks().  Others are a name.  of_any_file: a text of the second form may have
 * a file that does not look like one.
 */
struct stacks_frame stacks_parse(struct str text, bool of_any_file);
/* Is it one of torch's? */
bool stacks_is_torch(struct str text);
/*
 * The '(' of the place at the end, "g (/data (old)/x.py:9)": behind a blank, and closed by
 * the last character, if brackets match.  0: there is none.
 */
size_t stacks_bracket(struct str text);

enum stacks_number {
	STACKS_NUMBER,
	STACKS_NEGATIVE,
	STACKS_TOO_LARGE, /* beyond int64 */
	STACKS_ROUNDED, /* more than DECIMALS_MAX digits behind the point: half to even */
	STACKS_NOT_A_NUMBER
};
/* Digits, maybe with a point and more of them: the number is *value / 10^*decimals. */
enum stacks_number stacks_number(struct str text, int64_t *value, unsigned *decimals);

/*
 * So many frames for each byte of a file, and limits.stack_frames, may be told by
 * reference to several at once: what programs record has less than one for a byte.
 */
#define STACKS_FACTOR 8
/* Another n of a file of so many bytes: 0, or -1 with err set when it is too many. */
int stacks_refer(struct stacks *s, uint64_t n, uint64_t file_bytes, uint64_t offset,
		 struct err *err);

/* The profile's fact: format "samples"; `dialect` is static. */
void stacks_end(struct stacks *s, const char *dialect);

#endif
