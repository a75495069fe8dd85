/* What is told of a collective: see comm_told.h. */
#include "query/comm/comm_told.h"

#include "query/comm/comm_kernel.h"
#include "trace/comm_range.h"
#include "trace/dtype.h"

/* record_param_comms and the range stand right around a launch, below Python frames. */
#define LEVELS_MAX 12

void comm_told_init(struct comm_told *told)
{
	*told = (struct comm_told){ .in_elements = NUMBER_NONE,
				    .out_elements = NUMBER_NONE,
				    .group_size = NUMBER_NONE,
				    .sequence = NUMBER_NONE,
				    .name = TEXT_NONE,
				    .dtype = TEXT_NONE,
				    .group = TEXT_NONE,
				    .ranks = TEXT_NONE };
}

static void fill_number(int64_t *to, int64_t number)
{
	if (*to == NUMBER_NONE)
		*to = number;
}

static void fill_text(uint32_t *to, uint32_t text)
{
	if (*to == TEXT_NONE)
		*to = text;
}

static void add_fact(struct comm_told *told, const struct collective_fact_row *row)
{
	/* Sizes and their type belong together. */
	if (told->in_elements == NUMBER_NONE && told->out_elements == NUMBER_NONE &&
	    (told->dtype == TEXT_NONE || row->dtype == told->dtype)) {
		told->in_elements = row->in_elements;
		told->out_elements = row->out_elements;
		fill_text(&told->dtype, row->dtype);
	}
	fill_number(&told->group_size, row->group_size);
	fill_number(&told->sequence, row->sequence);
	fill_text(&told->name, row->name);
	fill_text(&told->group, row->group);
	fill_text(&told->ranks, row->ranks);
}

static void add_range_name(const struct comm_from *from, uint32_t name,
			   struct comm_told *told)
{
	struct str collective;

	if (told->name == TEXT_NONE &&
	    comm_range_backend(text_pool_str(from->texts, name), &collective))
		told->name = intern_add(&from->texts->intern, collective);
}

/* Any but record_param_comms, which may say nothing, and ranges: those lie within c10d's. */
static bool is_other_operator(const struct comm_from *from,
			      const struct found_slice *slice)
{
	struct str name = text_pool_str(from->texts, slice->name), collective;

	return slice->class == CLASS_OP && !str_is(name, "record_param_comms") &&
	       !comm_range_backend(name, &collective);
}

/* Operators of torch 1.13 to 2.1 that take what all ranks have, and what one has. */
static int add_operator(const struct comm_from *from, const struct found_slice *slice,
			struct comm_told *told, struct err *err)
{
	struct str name = text_pool_str(from->texts, slice->name);
	uint32_t shapes;

	if (told->group_size != NUMBER_NONE || slice->class != CLASS_OP ||
	    (!str_is(name, "c10d::_allgather_base_") &&
	     !str_is(name, "c10d::_reduce_scatter_base_")))
		return 0;
	if (slice_finder_shapes(from->finder, slice->id, &shapes, err) < 0)
		return -1;
	told->group_size = collective_ranks_of_shapes(text_pool_str(from->texts, shapes));
	return 0;
}

int comm_told_of(const struct comm_from *from, int64_t slice_id, int64_t around_id,
		 struct comm_told *told, struct err *err)
{
	const struct collective_fact_row *row =
		collective_facts_of(from->facts, slice_id);
	struct found_slice around;

	comm_told_init(told);
	if (row)
		add_fact(told, row);
	for (int level = 0; level < LEVELS_MAX && told->group == TEXT_NONE; level++) {
		int rc = slice_finder_find(from->finder, around_id, &around, err);
		if (rc <= 0)
			return rc;
		row = collective_facts_of(from->facts, around.id);
		if (row)
			add_fact(told, row);
		add_range_name(from, around.name, told);
		if (add_operator(from, &around, told, err) < 0)
			return -1;
		if (!row && is_other_operator(from, &around))
			break; /* what stands around it belongs to others, too */
		around_id = around.parent_id;
	}
	return 0;
}

void comm_told_fill_group(struct comm_told *told, const struct comm_group *group)
{
	if (told->group != TEXT_NONE || told->ranks != TEXT_NONE ||
	    told->group_size != NUMBER_NONE)
		return;
	told->group = group->name;
	told->ranks = group->ranks;
	told->group_size = group->size;
}

static uint32_t add_text(const struct comm_from *from, struct str text)
{
	return text.n ? intern_add(&from->texts->intern, text) : TEXT_NONE;
}

/* The element's type as torch names it, and its size; -1 where that is not known. */
static uint32_t dtype_text(const struct comm_from *from, struct str spelled,
			   int64_t *bytes)
{
	const struct dtype *dtype = dtype_find(spelled);

	*bytes = dtype ? dtype->bytes : -1;
	return add_text(from, dtype ? str_of(dtype->name) : spelled);
}

void comm_told_apply(const struct comm_from *from, const struct comm_told *told,
		     struct comm_call *call)
{
	char function[FUNCTION_NAME_MAX];
	struct str name = text_pool_str(from->texts, call->name), ranged;
	struct str spelled = text_pool_str(from->texts, told->name);
	struct collective_kernel kernel = collective_kernel_of(name);
	struct message message = { told->in_elements, told->out_elements, -1,
				   told->group_size };
	enum collective kind = collective_of(spelled);

	if (!spelled.n && comm_range_backend(name, &ranged))
		spelled = ranged;
	else if (!spelled.n)
		spelled = function_name(name, function);
	if (!spelled.n)
		spelled = name;
	/* The range of several in one tells nothing; what they are made of the kernel does. */
	if (kind == COLLECTIVE_OTHER ||
	    (kind == COLLECTIVE_COALESCED && collective_of(name) != COLLECTIVE_OTHER))
		kind = collective_of(name);
	const char *text = collective_text(kind);
	struct str dtype = told->dtype == TEXT_NONE
				   ? kernel.dtype
				   : text_pool_str(from->texts, told->dtype);
	call->kind = (uint8_t)kind;
	call->collective = add_text(from, text ? str_of(text) : spelled);
	call->dtype = dtype_text(from, dtype, &message.element_bytes);
	call->bytes = collective_bytes(kind, &message);
	call->group_size = told->group_size > 0 ? told->group_size : NUMBER_NONE;
	call->sequence = told->sequence;
	call->group = told->group;
	call->ranks = told->ranks;
	call->algorithm = add_text(from, kernel.algorithm);
	call->protocol = add_text(from, kernel.protocol);
}
