/*
 * A store that is damaged or made by somebody else: what is found out from the packed
 * slices and the tables of details.  Corpus only; one in 8, as each is 30 tables.
 *
 * timeout: 300 s
 */
#include <stdint.h>
#include <stdlib.h>

#include "damaged_store.h"
#include "query/advise/advise.h"
#include "query/advise/rules.h"
#include "query/calls/tree.h"
#include "query/comm/comm.h"
#include "query/comm/transfers.h"
#include "query/devices/devices.h"
#include "query/devices/stream_rows.h"
#include "query/gaps/gap_table.h"
#include "query/kernels/kernels.h"
#include "query/kernels/modules.h"
#include "query/memory/memory.h"
#include "query/steps/steps.h"

#define RULES_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct filter all = { .focus = NULL };

struct reading {
	struct gist *g;
	struct store *store;
	const struct scope *scope;
};

/* Opens a table and takes all of it. */
#define READ(r, open, request)                                            \
	do {                                                              \
		struct err err = ERR_INIT;                                \
		struct table *t = NULL;                                   \
		int rc = open((r)->store, (r)->scope, request, &t, &err); \
		gist_table((r)->g, rc, t, &err);                          \
	} while (0)

static void read_devices(const struct reading *r, bool people)
{
	READ(r, devices_open,
	     (&(struct devices_request){ .filter = &all, .show.for_people = people }));
	READ(r, streams_open,
	     (&(struct streams_request){ .filter = &all,
					 .nparts = people ? 3 : 0,
					 .show.for_people = people }));
	READ(r, kernels_open,
	     (&(struct kernels_query){
		     .filter = &all,
		     .show = { .asked = KERNELS_LAUNCHES | (people ? KERNELS_BY_OP : 0),
			       .for_people = people },
		     .with_copies = !people }));
	READ(r, steps_open,
	     (&(struct steps_request){
		     .filter = &all,
		     .phases = people,
		     .show = { .asked = steps_columns(people), .for_people = people } }));
	READ(r, steps_open,
	     (&(struct steps_request){
		     .filter = &all, .by_phase = true, .show.for_people = people }));
	READ(r, steps_open,
	     (&(struct steps_request){
		     .filter = &all,
		     .bounds = BOUNDS_TENSORBOARD,
		     .show = { .asked = steps_columns(false), .for_people = people } }));
}

static void read_gaps(const struct reading *r, bool people)
{
	for (int by = GAPS_BY_CAUSE; by <= GAPS_BY_STREAM; by++)
		READ(r, gap_table_open,
		     (&(struct gap_table_request){ .filter = &all,
						   .by = (enum gap_by)by,
						   .charges_roots = people,
						   .for_people = people }));
	READ(r, gap_list_open,
	     (&(struct gap_table_request){ .filter = &all, .is_list = true }));
	READ(r, gap_hta_open,
	     (&(struct gap_table_request){
		     .filter = &all, .is_hta = true, .threshold_ns = 30000 }));
}

static void read_memory(const struct reading *r, bool people)
{
	for (int view = 0; view < NMEMORY_VIEWS; view++)
		READ(r, memory_open,
		     (&(struct memory_request){ .view = (enum memory_view)view,
						.by = people ? MEMORY_BY_SIZE
							     : MEMORY_BY_OP,
						.filter = &all,
						.for_people = people }));
}

static void read_comm(const struct reading *r, bool people)
{
	for (int by = COMM_BY_COLLECTIVE; by <= COMM_SINGLE; by++)
		READ(r, comm_open,
		     (&(struct comm_request){
			     .filter = &all,
			     .by = (enum comm_by)by,
			     .across_ranks = people,
			     .show = { .asked = comm_columns((enum comm_by)by, people),
				       .for_people = people } }));
	for (int by = TRANSFERS_BY_KIND; by <= TRANSFERS_SINGLE; by++)
		READ(r, transfers_open,
		     (&(struct transfers_request){
			     .filter = &all,
			     .by = (enum transfers_by)by,
			     .show = { .asked = transfers_columns((enum transfers_by)by),
				       .for_people = people } }));
}

static void read_trees(const struct reading *r, bool people)
{
	READ(r, tree_open,
	     (&(struct tree_request){ .calls = { .filter = &all, .kernels = true },
				      .for_people = people }));
	READ(r, modules_open,
	     (&(struct modules_query){ .filter = &all,
				       .show = { .for_people = people } }));
}

static void read_advice(const struct reading *r, bool people)
{
	struct rule_choice choices[RULES_MAX];
	size_t n = 0;

	for (; n < RULES_MAX && rules[n]; n++)
		choices[n] = rule_choice_of(rules[n]);
	READ(r, advise_open,
	     (&(struct advise_request){ .choices = choices,
					.n = n,
					.evidence = !people,
					.for_people = people }));
}

/* For people or for machines: the numbers are the same, the tables are not. */
static void read_store(struct gist *g, struct store *store, const struct scope *scope,
		       uint64_t chance)
{
	const struct reading r = { g, store, scope };
	bool people = chance >> 2 & 1;

	if (!scope)
		return;
	read_devices(&r, people);
	read_gaps(&r, people);
	read_memory(&r, people);
	read_comm(&r, people);
	read_trees(&r, people);
	read_advice(&r, people);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	damaged_store_read(data, size, read_store);
	return 0;
}
