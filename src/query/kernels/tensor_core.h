/*
 * Tensor Cores (NVIDIA) and Matrix Cores (AMD): whether a kernel's name says that
 * it uses them, and whether an operator is one that could.  Traces record neither;
 * names are all there is, and of some kernels they say nothing: those are neither yes
 * nor no, and every share is one of the time that is known.
 */
#ifndef PTOOL_QUERY_TENSOR_CORE_H
#define PTOOL_QUERY_TENSOR_CORE_H

#include <stdbool.h>

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "query/scope.h"
#include "store/store.h"

enum tensor_core { TENSOR_CORE_UNKNOWN, TENSOR_CORE_NO, TENSOR_CORE_YES };

/* The first compute capability that has them, times 10: Volta's. */
#define TENSOR_CORE_FIRST 70

/*
 * By the name, mangled or not: the substrings of PyProf's tc.py, which torch_tb_profiler
 * uses, those of the libraries since, and names of kernels that multiply nothing
 * (tensor_core_names.c).  Where a name also says that plain multiply-adds do the work
 * ("ffma", "simt"), the answer is no; torch_tb_profiler says yes there.
 *
 * `capability` is the device's times 10, or 0 where it is not known: what needs a later
 * one is a no.
 */
enum tensor_core tensor_core_kernel(struct str name, int capability);

/* "7.5" is 75; NULL and what is no capability are 0. */
int tensor_core_capability(const char *text);

/*
 * The capability that all devices of the profiles have, times 10; 0: they differ, or
 * none is recorded.
 */
int tensor_core_of_scope(struct store *store, const struct scope *scope, int *capability,
			 struct err *err);

/* Kernels of which the names say one thing. */
struct tensor_core_choice {
	enum tensor_core says;
	int capability; /* of the devices, times 10; 0: not known */
};

/* Time on Tensor Cores, and time of which the names do not say it. */
struct tensor_core_times {
	int64_t yes_ns, unknown_ns;
};

/* Percent of the known part of all_ns; negative when nothing is known. */
double tensor_core_pct(struct tensor_core_times times, int64_t all_ns);
/* Percent of all_ns; negative when that is nothing. */
double tensor_core_unknown_pct(struct tensor_core_times times, int64_t all_ns);

/*
 * By its name alone: torch_tb_profiler's list (autocast's list of lower precision
 * and the backward operators of those), what autocast has listed since, and their
 * backward operators by the names of torch 1.10 and later.
 */
bool tensor_core_op(struct str name);

#endif
