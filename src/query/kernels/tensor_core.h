/*
 * Tensor Cores (NVIDIA) and Matrix Cores (AMD): whether a kernel's name says that
 * it uses them, and whether an operator is one that could.  Traces record neither;
 * names are all there is, so that a kernel whose name tells nothing (one that
 * Triton made, say) counts as one that does not.
 */
#ifndef PTOOL_QUERY_TENSOR_CORE_H
#define PTOOL_QUERY_TENSOR_CORE_H

#include <stdbool.h>

#include "base/str.h"

/*
 * The substrings of PyProf's tc.py, which torch_tb_profiler uses, and those of the
 * libraries since: cuBLAS, cuDNN, CUTLASS, FlashAttention and DeepGEMM up to
 * Blackwell; Tensile and Composable Kernel on AMD.  Where such a name also says that
 * plain multiply-adds do the work ("ffma", "simt"), it does not: there
 * torch_tb_profiler says yes.
 */
bool tensor_core_kernel(struct str name);

/*
 * By its name alone: torch_tb_profiler's list (autocast's list of lower precision
 * and the backward operators of those), what autocast has listed since, and their
 * backward operators by the names of torch 1.10 and later.
 */
bool tensor_core_op(struct str name);

#endif
