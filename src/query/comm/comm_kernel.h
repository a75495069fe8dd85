/*
 * Which kernels communicate, and what they do, by their names: one table, in
 * comm_kernel.c, of what NCCL and its kin, PyTorch, vLLM, SGLang, TensorRT-LLM and
 * others call theirs.
 */
#ifndef PTOOL_QUERY_COMM_KERNEL_H
#define PTOOL_QUERY_COMM_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "query/comm/collective_name.h"

#define FUNCTION_NAME_MAX 512

/*
 * The function of a kernel's name, mangled or not, with its namespaces: without the type
 * that it returns, its arguments and those of templates, cut to what `out` holds.
 * "void (anonymous namespace)::f<int>(char*)" is "f".  What is no such name stays.
 * The text is in `out`.
 */
struct str function_name(struct str name, char out[FUNCTION_NAME_MAX]);

/*
 * Is the part in the name, in any capitals?  '_' in the part is '_', '-' or nothing in
 * the name, and "^" before it is the beginning of the name after all namespaces.
 */
bool function_name_has(struct str name, const char *part);

/*
 * Does a kernel of this name communicate?  *collective is what it does where that is
 * known of its kind; COLLECTIVE_OTHER: the rest of the name may say so.
 */
bool comm_kernel_find(struct str name, enum collective *collective);
/* The same of what function_name() gave. */
bool comm_function_find(struct str function, enum collective *collective);

#endif
