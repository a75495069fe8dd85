/*
 * Mangled C++ names: see demangle.h.  A mangled name refers to its own parts,
 * so that each of them can double what the name stands for.  libiberty limits
 * neither its output nor its work; here each of its three exponential steps is
 * limited: parsing (templates within the type of a conversion), the search for
 * a pack (in what a pack expansion repeats), and printing.
 */
#include "base/demangle.h"

#include <setjmp.h>
#include <stdlib.h>

#include <libiberty/demangle.h>

#define OPTIONS (DMGL_PARAMS | DMGL_TYPES)
/* libiberty itself gives up on longer names: it allows 2048 parts, two a byte. */
#define MANGLED_MAX (DEMANGLE_RECURSION_LIMIT / 2)
/* Real names grow tenfold at most. */
#define PLAIN_MIN   ((size_t)4096)
#define PLAIN_RATIO 32
/* Parts looked at where each is looked at as often as it is referred to. */
#define PARTS_MAX 65536
#define DEPTH_MAX 1024
/* Each of them doubles the time in which libiberty parses a conversion. */
#define CONVERSION_TEMPLATES_MAX 10

struct printing {
	struct buf *plain;
	jmp_buf full;
};

/* Ranges of the parts that have two subtrees, or one and NULL. */
static const struct {
	enum demangle_component_type first, last;
} branches[] = {
	{ DEMANGLE_COMPONENT_QUAL_NAME, DEMANGLE_COMPONENT_TEMPLATE },
	{ DEMANGLE_COMPONENT_VTABLE, DEMANGLE_COMPONENT_HIDDEN_ALIAS },
	{ DEMANGLE_COMPONENT_RESTRICT, DEMANGLE_COMPONENT_IMAGINARY },
	{ DEMANGLE_COMPONENT_VENDOR_TYPE, DEMANGLE_COMPONENT_PTRMEM_TYPE },
	{ DEMANGLE_COMPONENT_VECTOR_TYPE, DEMANGLE_COMPONENT_INITIALIZER_LIST },
	{ DEMANGLE_COMPONENT_CAST, DEMANGLE_COMPONENT_LITERAL_NEG },
	{ DEMANGLE_COMPONENT_DECLTYPE, DEMANGLE_COMPONENT_DECLTYPE },
	{ DEMANGLE_COMPONENT_PACK_EXPANSION, DEMANGLE_COMPONENT_THROW_SPEC },
};

static bool is_branch(enum demangle_component_type type)
{
	for (size_t i = 0; i < sizeof(branches) / sizeof(*branches); i++)
		if (type >= branches[i].first && type <= branches[i].last)
			return true;
	return false;
}

/* Counts the parts down; false when there are more than `left`. */
static bool is_small(const struct demangle_component *part, int depth, size_t *left)
{
	for (; part; part = part->u.s_binary.right) {
		if (depth > DEPTH_MAX || *left == 0)
			return false;
		--*left;
		if (!is_branch(part->type))
			return true;
		if (!is_small(part->u.s_binary.left, depth + 1, left))
			return false;
	}
	return true;
}

/* False: the parts that a pack expansion could search are too many. */
static bool packs_are_small(const char *mangled)
{
	size_t left = PARTS_MAX;
	void *memory = NULL;

	if (!strstr(mangled, "Dp") && !strstr(mangled, "sp"))
		return true;
	struct demangle_component *tree =
		cplus_demangle_v3_components(mangled, OPTIONS, &memory);
	bool small = tree && is_small(tree, 0, &left);
	free(memory);
	return small;
}

/* "T_I", "T12_I": a parameter with arguments, each read twice within a conversion. */
static bool conversions_are_small(const char *mangled)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t n = 0;

	const char *p = strstr(mangled, "cv");
	for (p = p ? strchr(p, 'T') : NULL; p; p = strchr(p + 1, 'T')) {
		const char *end = p + 1 + strspn(p + 1, digits);
		n += end[0] == '_' && end[1] == 'I';
	}
	return n <= CONVERSION_TEMPLATES_MAX;
}

static void print_part(const char *text, size_t n, void *to)
{
	struct printing *printing = to;

	/* libiberty prints from its stack alone and has no other way to stop it */
	if (!buf_add(printing->plain, text, n))
		longjmp(printing->full, 1);
}

static bool print(const char *mangled, struct buf *plain)
{
	struct printing printing = { .plain = plain };

	if (setjmp(printing.full) != 0)
		return false;
	return cplus_demangle_v3_callback(mangled, OPTIONS, print_part, &printing) != 0;
}

bool demangle(struct str mangled, struct buf *plain)
{
	char text[MANGLED_MAX + 1];

	buf_init(plain, PLAIN_MIN + PLAIN_RATIO * mangled.n);
	if (mangled.n <= 1 || mangled.n > MANGLED_MAX ||
	    memchr(mangled.p, '\0', mangled.n))
		return false;
	memcpy(text, mangled.p, mangled.n);
	text[mangled.n] = '\0';
	if (conversions_are_small(text) && packs_are_small(text) && print(text, plain))
		return true;
	buf_clear(plain);
	return false;
}
