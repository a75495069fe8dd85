/* Trees of calls for drawing: see flame.h. */
#include "base/flame.h"

#include <stdlib.h>

const char *const flame_kind_names[NFLAME_KINDS] = {
	[FLAME_OTHER] = "other",         [FLAME_OP] = "operator",
	[FLAME_NOTE] = "annotation",     [FLAME_PYTHON] = "Python",
	[FLAME_MODULE] = "module",       [FLAME_RUNTIME] = "runtime call",
	[FLAME_KERNEL] = "kernel",       [FLAME_COMMUNICATION] = "communication",
	[FLAME_COPY] = "copy or memset", [FLAME_REST] = "not followed",
};

void flame_init(struct flame *flame)
{
	*flame = (struct flame){ .unit = UNIT_NS, .has_calls = true };
	intern_init(&flame->texts);
}

void flame_release(struct flame *flame)
{
	intern_release(&flame->texts);
	free(flame->nodes);
	*flame = (struct flame){ 0 };
}

double flame_change(const struct flame *flame, const struct flame_node *node)
{
	double now = (double)flame_total(flame, node);
	double base = (double)flame_base(flame, node);
	double larger = now > base ? now : base;

	return flame->has_base && larger > 0 ? (now - base) / larger : 0;
}

struct cell flame_cell(const struct flame *flame, int64_t amount)
{
	return cell_scaled(amount, flame->decimals);
}
