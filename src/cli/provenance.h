/*
 * The files in which Inductor tells what its kernels are made of, as PyTorch and tlparse
 * write them below a folder:
 *
 *	kernel_information*.json
 *	inductor_provenance_tracking_node_mappings*.json
 *	inductor_provenance_tracking_kernel_stack_traces*.json
 *	inductor_triton_kernel_to_post_grad_nodes*.json
 *	inductor_generated_kernel_to_post_grad_nodes*.json
 *
 * and with .gz behind.  In folders of tlparse ("-_4_1_0") the region is told by the name.
 */
#ifndef PTOOL_CLI_PROVENANCE_H
#define PTOOL_CLI_PROVENANCE_H

#include "base/err.h"
#include "base/str.h"
#include "query/compile/compile_source.h"

/*
 * Adds what is below `place`, a folder or one such file.  ERR_INPUT with the file and the
 * byte where it is no such JSON, or where the folder has none of them.
 */
int provenance_read(const char *place, struct compile_sources *to, struct err *err);
/*
 * The same of the text of a file whose path, which outlives `to`, tells what it is;
 * JSON_PADDING bytes behind the text can be read.
 */
int provenance_read_text(const char *path, struct bytes text, struct compile_sources *to,
			 struct err *err);

#endif
