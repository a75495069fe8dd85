/*
 * What the name of a trace tells.  TensorBoard's handler writes
 * <worker>.<stamp>.pt.trace.json; scripts write rank0.json, train_step_3.json.
 */
#ifndef PTOOL_INGEST_FILE_NAME_H
#define PTOOL_INGEST_FILE_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "trace/axes.h"

struct file_name {
	bool is_handler;   /* ends as the names of TensorBoard's handler do */
	struct str worker; /* of such a name, else empty; borrowed from the path */
	int64_t stamp;     /* of such a name, or NUMBER_NONE */
	int64_t rank;      /* behind the word "rank", or NUMBER_NONE */
	int64_t step;      /* behind the word "step", or NUMBER_NONE */
	struct axes axes;  /* "-TP-1-DP-0", "dp0_pp0_tp1", "tp_rank_3" */
	bool is_axes_sure; /* they cannot be sizes, as in "llama_tp8_pp2.json" */
};

/*
 * Pure.  Only the last part of the path counts, but for a rank and its axes, which the
 * folder around it may tell too (rank0/trace.json).
 */
struct file_name file_name_parse(struct str path);

/* The part behind the last '/', and the one before it without that '/' ("" where there is none). */
struct str file_name_base(struct str path);
struct str file_name_folder(struct str path);

#endif
