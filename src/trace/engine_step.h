/*
 * Steps of inference engines and training loops, by the annotations that they write
 * around each: what a step was for, and how much was in it.  engine_step.c has the table
 * of spellings.
 */
#ifndef PTOOL_TRACE_ENGINE_STEP_H
#define PTOOL_TRACE_ENGINE_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum engine_phase {
	ENGINE_UNTOLD,  /* the annotation does not say */
	ENGINE_PREFILL, /* prompts alone */
	ENGINE_DECODE,  /* one token, or a few, for each request */
	ENGINE_MIXED,   /* both */
	ENGINE_OTHER,   /* neither: no request, or a mode of its own */
	NENGINE_PHASES
};

/* Sums over the requests of one kind, for each its tokens q and those it attends to, k. */
struct engine_requests {
	int64_t n;
	int64_t q, k;   /* tokens that go through the model; tokens in its context */
	int64_t qq, qk; /* their squares, their products */
};

/* What is not told is NUMBER_NONE. */
struct engine_step {
	const char *engine; /* "vLLM"; static */
	bool checks_drafts; /* of tokens: how many each request gets is not told */
	bool is_label; /* a name that any program may give: no step where an engine wrote some */
	enum engine_phase phase;
	int64_t number;         /* of the step */
	int64_t requests;       /* in the batch */
	int64_t tokens;         /* that go through the model */
	int64_t context_tokens; /* that attention looks at, those included */
	struct engine_requests prompts,
		decodes; /* the same apart, where it is told apart */
};

/* Nothing is told. */
struct engine_step engine_step_unknown(void);
/* False, and *out is undefined: the name is none of a step. */
bool engine_step_parse(struct str name, struct engine_step *out);
/* The same of a Python frame: "sglang/srt/model_executor/model_runner.py(9): forward_decode". */
bool engine_frame_parse(struct str name, struct engine_step *out);
/* Sets what is not told from another annotation of the same step. */
void engine_step_merge(struct engine_step *step, const struct engine_step *other);

/* Does the engine of this name, or of these frames, answer requests with tokens? */
bool engine_serves(struct str engine);
/* "prefill", "decode", "mixed", "other"; NULL for what is not told. */
const char *engine_phase_name(enum engine_phase phase);
/* The other way round; ENGINE_UNTOLD: it is none. */
enum engine_phase engine_phase_of(struct str name);

#endif
