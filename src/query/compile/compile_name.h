/* Names that torch.compile and Inductor give to ranges: what they are. */
#ifndef PTOOL_QUERY_COMPILE_NAME_H
#define PTOOL_QUERY_COMPILE_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum compile_word {
	COMPILE_WORD_NONE,
	COMPILE_WORD_REGION,       /* Torch-Compiled Region: 4/1 */
	COMPILE_WORD_FUNCTION,     /* CompiledFunction */
	COMPILE_WORD_BACKWARD,     /* CompiledFunctionBackward */
	COMPILE_WORD_GRAPH,        /* ## Call CompiledFxGraph fwb... ## */
	COMPILE_WORD_PREGRAPH,     /* Pregraph bytecode */
	COMPILE_WORD_COMPILING,    /* _compile.compile_inner (dynamo_timed) */
	COMPILE_WORD_COMPILING_ID, /* entire_frame_compile_data: ..., compile_id=4/1 */
	COMPILE_WORD_LOOKUP,       /* TorchDynamo Cache Lookup */
	COMPILE_WORD_LAUNCH,       /* cudaGraphLaunch */
	COMPILE_WORD_KERNEL,       /* ## inductor_kernel:extern_kernels.mm:3 ## */
	COMPILE_WORD_MADE,         /* graph_1_cpp_fused_mul_0, triton_poi_fused_mul_0 */
	NCOMPILE_WORDS
};

/*
 * `text`: the id of a region or a compilation, the key of a graph, the name of a kernel (of
 * COMPILE_WORD_KERNEL with its handle behind a colon); borrowed from the name.
 */
enum compile_word compile_word_of(struct str name, struct str *text);

/*
 * Of "4/1", "!0/4/1" or "4/1_2" the frame, "4" or "!0/4"; *version is what follows it, or
 * NUMBER_NONE where the text is no such id: it is its own frame then.
 */
struct str compile_frame_of(struct str id, int64_t *version);

/* "4/1_2" is 4/1, whose analysis torch began anew: becomes "4/1"; was it so? */
bool compile_cut_restart(struct str *id);

#endif
