/*
 * Colours of flame graphs: see flame_color.h.  All of them bear black text.  Changes go from
 * blue, less, to orange-red, more, which eyes of every kind tell apart; words say it too.
 */
#include "report/flame_color.h"

#include <math.h>

#include "base/hash.h"

#define LOOKED_AT 1024 /* bytes of a name, which may be that of every box */

#define KIND(kind) [FLAME_KIND_COLORS + (kind)]

/* clang-format off */
const struct flame_color flame_colors[NFLAME_COLORS] = {
	{ 0xc9b8ec, { 183, 189 } }, { 0xb3c6f0, { 147, 153 } },
	{ 0xe3b8df, { 182, 225 } }, { 0xb5d6c6, { 151, 194 } },
	{ 0xe6ceb0, { 223, 230 } }, { 0xd2d3a2, { 187, 229 } },
	KIND(FLAME_OTHER) = { 0xced5db, { 252, 255 } },
	KIND(FLAME_OP) = { 0x9db4d2, { 110, 152 } },
	KIND(FLAME_NOTE) = { 0xd3b48c, { 180, 222 } },
	KIND(FLAME_PYTHON) = { 0xc9b8ec, { 183, 189 } },
	KIND(FLAME_MODULE) = { 0xa9c77d, { 150, 157 } },
	KIND(FLAME_RUNTIME) = { 0xe5c558, { 221, 228 } },
	KIND(FLAME_KERNEL) = { 0x6fa3f7, { 75, 117 } },
	KIND(FLAME_COMMUNICATION) = { 0xf08a66, { 209, 216 } },
	KIND(FLAME_COPY) = { 0x63b79a, { 79, 115 } },
	KIND(FLAME_REST) = { 0xe4e6ea, { 248, 250 } },
	[FLAME_CHANGE_COLORS] =
	{ 0x3f8fdb, { 68, 68 } }, { 0x78b4ea, { 74, 74 } },
	{ 0xabd0f3, { 117, 117 } }, { 0xd6e6f7, { 189, 189 } },
	{ 0xe4e6ea, { 252, 252 } },
	{ 0xfbe0cd, { 230, 230 } }, { 0xf7bd93, { 223, 223 } },
	{ 0xf0955a, { 215, 215 } }, { 0xe56a1f, { 208, 208 } },
};
/* clang-format on */

/* Of "torch/nn/modules/module.py(1743): f" and "f (folder/file.py)": by the folder. */
static int folder_of(struct str name)
{
	size_t end = 0, from = 0;

	if (name.n > LOOKED_AT)
		name.n = LOOKED_AT;
	for (size_t i = 0; i + 2 < name.n; i++)
		if (memcmp(name.p + i, ".py", 3) == 0)
			end = i;
	for (size_t i = 0; i < end; i++)
		if (name.p[i] == '(')
			from = i + 1;
	size_t folder = end;
	for (size_t i = from; i < end; i++)
		if (name.p[i] == '/' || name.p[i] == '\\')
			folder = i;
	const struct str key = { name.p + from, folder - from };
	return (int)(hash_fixed(key.p, key.n) % FLAME_FOLDERS);
}

/* Half of a change more or less is the strongest colour, a hundredth none. */
static int color_of_change(double change)
{
	double size = fabs(change);
	int strength = size < 0.01   ? 0
		       : size < 0.05 ? 1
		       : size < 0.2  ? 2
		       : size < 0.5  ? 3
				     : 4;

	return FLAME_SAME + (change < 0 ? -strength : strength);
}

int flame_color_of(const struct flame *flame, const struct flame_node *node)
{
	if (flame->has_base)
		return color_of_change(flame_change(flame, node));
	if (node->kind == FLAME_PYTHON)
		return folder_of(intern_str(&flame->texts, node->name));
	return FLAME_KIND_COLORS + node->kind;
}
