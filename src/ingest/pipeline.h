/*
 * The timelines of ByteDance's StragglerAnalysis: a list of complete events whose name is
 * their category, with the args "step", "model_chunk", "mb_id" and "seq_id" and no others;
 * the names of processes ("DP rank [0]") and threads ("PP rank 1, TP rank 0, compute")
 * come after them, so that each event is recognised by itself.
 */
#ifndef PTOOL_INGEST_PIPELINE_H
#define PTOOL_INGEST_PIPELINE_H

#include "ingest/sink.h"

struct chrome;
struct kineto_facts;

/*
 * True when the current event, a complete slice of CLASS_OTHER, is such an operation: it
 * becomes work of its worker's device, with the number of its step, and its args are kept.
 */
bool pipeline_slice(struct chrome *c, struct slice_fact *slice,
		    struct kineto_facts *facts);

#endif
