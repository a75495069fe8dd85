/*
 * The place of a rank in the axes of a job: tensor, data, pipeline, expert and context
 * parallel.  File names, labels of processes and descriptions of process groups tell it,
 * in the spellings of SGLang, vLLM, Megatron, torch's device meshes and verl.
 */
#ifndef PTOOL_TRACE_AXES_H
#define PTOOL_TRACE_AXES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum axis { AXIS_TP, AXIS_DP, AXIS_PP, AXIS_EP, AXIS_CP, NAXES };

/* "tp", ...: as columns, options and people call them. */
extern const char *const axis_names[NAXES];

/* What is more is no place. */
#define AXES_PLACE_MAX INT32_MAX

struct axes {
	int64_t at[NAXES]; /* from 0, or NUMBER_NONE */
};

/* NUMBER_NONE is trace/fact.h's. */
#define AXES_NONE                                                                       \
	{                                                                               \
		{                                                                       \
			NUMBER_NONE, NUMBER_NONE, NUMBER_NONE, NUMBER_NONE, NUMBER_NONE \
		}                                                                       \
	}

bool axes_known(const struct axes *axes);
/* Is one that both know different?  */
bool axes_differ(const struct axes *a, const struct axes *b);
/* Takes from `other` what is not known. */
void axes_fill(struct axes *axes, const struct axes *other);

/* What a text says of a rank. */
struct axes_told {
	struct axes axes;
	int64_t rank;    /* of all: "rank 3", "[rank 3]"; or NUMBER_NONE */
	bool is_spelled; /* an axis with the word "rank": "TP rank 0" */
	bool is_sure;    /* of axes: they cannot be sizes, as in "llama_tp8_pp2" */
	struct str tag;  /* of a label: "[TP00-DP01] " before the rest; else empty */
};

/* Of the name of a file or folder, without folders.  It tells no rank. */
struct axes_told axes_of_file_name(struct str name);
/*
 * Of the name, the label or the pid of a process: "[TP00-DP01] 4242", "[rank 3] python",
 * "DP rank [3]", "Worker_DP0_TP1", "rank 3".
 */
struct axes_told axes_of_label(struct str label);

/* Is "local" before this place: "local_step", "isLocal-rank"? */
bool axes_number_is_local(struct str text, size_t at);
/* Does "rank" at this place mean that of all ranks?  "local_rank", "node rank" do not. */
bool axes_rank_is_of_all(struct str text, size_t at);

/*
 * What a process group tells: the place of `rank` in its list of ranks, "[0, 2, 4]", if
 * its description names an axis ("mesh_tp", "TENSOR_MODEL_PARALLEL_GROUP", "tp:0").
 * A list that is empty is of all ranks.  Groups of one rank alone count where no other is.
 */
struct axes_group {
	int64_t place, n; /* of how many ranks; 0: it is not known */
};
/*
 * Zeroed: nothing is known.  Of data parallel axes in two parts both: replicas and shards,
 * or shards by context parallel ranks.
 */
struct axes_groups {
	struct axes_group at[NAXES + 3];
	unsigned known,
		torn; /* bits of those that are known, and of those whose groups tell different places */
};
void axes_add_group(struct axes_groups *groups, struct str description, struct str ranks,
		    int64_t rank);
/* All that they told; sets the bits of axes of which groups tell different places. */
struct axes axes_of_groups(const struct axes_groups *groups, unsigned *torn);

#endif
