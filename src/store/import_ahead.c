/* What an import can read before its turn: see importing.h. */
#include "base/alloc.h"
#include "store/ahead.h"
#include "store/importing.h"

struct listing {
	struct ahead_plan plan;
	size_t cap;
	struct intern seen; /* (device, inode): a file is read once */
};

static void list_file(struct listing *l, const char *shown, const struct stat *st,
		      bool is_found)
{
	const uint64_t key[] = { (uint64_t)st->st_dev, (uint64_t)st->st_ino };
	size_t known = l->seen.n;

	if (!S_ISREG(st->st_mode) ||
	    intern_add(&l->seen, (struct str){ (const char *)key, sizeof(key) }) < known)
		return;
	l->plan.files =
		xgrow(l->plan.files, &l->cap, l->plan.nfiles + 1, sizeof(*l->plan.files));
	l->plan.files[l->plan.nfiles++] = (struct ahead_file){
		.shown = shown, .size = (uint64_t)st->st_size, .is_found = is_found
	};
}

static void list_operand(struct listing *l, const struct import_operand *operand)
{
	if (!operand->is_folder)
		list_file(l, operand->path, &operand->st, false);
	for (size_t at = 0; at < operand->walk.n; at++)
		if (operand->walk.files[at].kind == WALK_FILE)
			list_file(l, operand->walk.files[at].path,
				  &operand->walk.files[at].st, true);
}

/* In the order in which import_path() meets them. */
struct ahead *import_ahead(const struct importing *i)
{
	struct listing l = { .plan = { .reader = i->options->reader,
				       .options = i->options->read,
				       .spill = i->spill,
				       .memory_limit = i->options->memory_limit,
				       .expand = import_expand(i->options, NULL) } };

	if (i->options->one_by_one)
		return NULL;
	intern_init(&l.seen);
	for (const struct import_operand *o = i->operands; o < i->operands + i->noperands;
	     o++)
		if (!import_is_given_before(i, o) && o->err.kind == ERR_NONE)
			list_operand(&l, o);
	intern_release(&l.seen);
	return ahead_new(&l.plan);
}
