/* Names of collectives and what they mean: see collective_name.h. */
#include "query/comm/collective_name.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "query/comm/comm_kernel.h"
#include "trace/fact.h"

/* Parts of names as function_name_has() takes them, in the order in which they are tried. */
static const struct {
	const char *part;
	enum collective collective;
} spellings[] = {
	{ "all_reduce", COLLECTIVE_ALL_REDUCE },
	{ "reduce_scatter", COLLECTIVE_REDUCE_SCATTER },
	{ "all_gather", COLLECTIVE_ALL_GATHER },
	{ "all_to_all", COLLECTIVE_ALL_TO_ALL },
	{ "broadcast", COLLECTIVE_BROADCAST },
	{ "send_recv", COLLECTIVE_SEND_RECV },
	{ "reduce", COLLECTIVE_REDUCE },
	{ "gather", COLLECTIVE_GATHER },
	{ "scatter", COLLECTIVE_SCATTER },
	{ "barrier", COLLECTIVE_BARRIER },
	{ "send", COLLECTIVE_SEND },
	{ "recv", COLLECTIVE_RECV },
	{ "coalesced", COLLECTIVE_COALESCED },
};

static const char *const texts[NCOLLECTIVES] = {
	[COLLECTIVE_ALL_REDUCE] = "all_reduce",
	[COLLECTIVE_ALL_GATHER] = "all_gather",
	[COLLECTIVE_REDUCE_SCATTER] = "reduce_scatter",
	[COLLECTIVE_ALL_TO_ALL] = "all_to_all",
	[COLLECTIVE_BROADCAST] = "broadcast",
	[COLLECTIVE_REDUCE] = "reduce",
	[COLLECTIVE_GATHER] = "gather",
	[COLLECTIVE_SCATTER] = "scatter",
	[COLLECTIVE_SEND] = "send",
	[COLLECTIVE_RECV] = "recv",
	[COLLECTIVE_SEND_RECV] = "send_recv",
	[COLLECTIVE_BARRIER] = "barrier",
	[COLLECTIVE_COALESCED] = "coalesced",
};

/* What follows names its arguments. */
static struct str without_arguments(struct str name)
{
	const char *open = name.n ? memchr(name.p, '(', name.n) : NULL;

	return open ? (struct str){ name.p, (size_t)(open - name.p) } : name;
}

enum collective collective_of(struct str name)
{
	char text[FUNCTION_NAME_MAX];
	struct str function = function_name(name, text);
	enum collective known;

	if (comm_function_find(function, &known) && known != COLLECTIVE_OTHER)
		return known;
	for (size_t i = 0; i < sizeof(spellings) / sizeof(*spellings); i++)
		if (function_name_has(function, spellings[i].part))
			return spellings[i].collective;
	return COLLECTIVE_OTHER;
}

const char *collective_text(enum collective collective)
{
	return texts[collective];
}

enum collective collective_called(struct str text)
{
	enum collective c = COLLECTIVE_OTHER + 1;

	while (c < NCOLLECTIVES && !str_is(text, texts[c]))
		c++;
	return c < NCOLLECTIVES ? c : COLLECTIVE_OTHER;
}

bool collective_synchronizes(enum collective c)
{
	return c == COLLECTIVE_ALL_REDUCE || c == COLLECTIVE_ALL_GATHER ||
	       c == COLLECTIVE_REDUCE_SCATTER || c == COLLECTIVE_ALL_TO_ALL ||
	       c == COLLECTIVE_BARRIER;
}

bool collective_is_point_to_point(enum collective c)
{
	return c == COLLECTIVE_SEND || c == COLLECTIVE_RECV || c == COLLECTIVE_SEND_RECV;
}

static bool is_among(struct str token, const char *const *words)
{
	for (; *words; words++)
		if (str_is(token, *words))
			return true;
	return false;
}

/* The next part of a name between '_'s; *rest is what is behind it. */
static bool next_token(struct str *rest, struct str *token)
{
	if (!rest->n)
		return false;
	const char *end = memchr(rest->p, '_', rest->n);
	size_t n = end ? (size_t)(end - rest->p) : rest->n;
	*token = (struct str){ rest->p, n };
	*rest = str_behind(*rest, end ? n + 1 : n);
	return true;
}

/* "Sum_f32", "Sum___nv_bfloat16", "Sum_uint8_t": a word of the type's name. */
static struct str dtype_token(struct str token)
{
	static const char *const types[] = { "f16",    "f32",      "f64",    "bf16",
					     "u8",     "i8",       "u32",    "i32",
					     "u64",    "i64",      "f8e4m3", "f8e5m2",
					     "half",   "float",    "double", "int8",
					     "uint8",  "int32",    "uint32", "int64",
					     "uint64", "bfloat16", NULL };

	return is_among(token, types) ? token : (struct str){ "", 0 };
}

/* Takes a word off the token's end: what it says, in the spelling of later versions. */
static struct str take_end(struct str *token, const char *const (*words)[2])
{
	for (; **words; words++) {
		struct str word = str_of((*words)[0]);
		if (token->n < word.n ||
		    !str_equal(str_behind(*token, token->n - word.n), word))
			continue;
		token->n -= word.n;
		return str_of((*words)[1]);
	}
	return (struct str){ "", 0 };
}

/* "ncclAllReduceRingLL128Kernel", before NCCL 2.10. */
static void add_old_token(struct str token, struct collective_kernel *k)
{
	static const char *const kernel[][2] = { { "Kernel", "Kernel" }, { NULL } };
	static const char *const protocols[][2] = {
		{ "LL128", "LL128" }, { "LL", "LL" }, { "Simple", "SIMPLE" }, { NULL }
	};
	static const char *const algorithms[][2] = {
		{ "Ring", "RING" }, { "Tree", "TREE" }, { "CollNet", "COLLNET" }, { NULL }
	};

	if (!take_end(&token, kernel).n)
		return;
	struct str protocol = take_end(&token, protocols);
	if (!protocol.n)
		return;
	k->protocol = protocol;
	k->algorithm = take_end(&token, algorithms);
}

struct collective_kernel collective_kernel_of(struct str name)
{
	static const char *const algorithms[] = { "RING", "TREE",  "COLLNET",  "NVLS",
						  "PAT",  "CHAIN", "NVLSTREE", NULL };
	static const char *const protocols[] = { "LL", "LL128", "SIMPLE", NULL };
	static const char *const reductions[] = { "Sum",        "Prod",   "Max",
						  "Min",        "MinMax", "PreMulSum",
						  "SumPostDiv", "sum",    "prod",
						  "max",        "min",    NULL };
	struct collective_kernel k = { { "", 0 }, { "", 0 }, { "", 0 } };
	enum collective c = collective_of(name);
	bool reduces = c == COLLECTIVE_ALL_REDUCE || c == COLLECTIVE_REDUCE ||
		       c == COLLECTIVE_REDUCE_SCATTER;
	struct str rest = without_arguments(name), token;

	if (name.n < 4 || strncasecmp(name.p + 1, "ccl", 3) != 0) /* nccl, rccl */
		return k;
	for (bool behind = false; next_token(&rest, &token);) {
		if (is_among(token, algorithms))
			k.algorithm = token;
		else if (is_among(token, protocols))
			k.protocol = token;
		else if (is_among(token, reductions))
			behind = reduces;
		else if (behind && !k.dtype.n)
			k.dtype = dtype_token(token);
		else
			add_old_token(token, &k);
	}
	return k;
}

static int64_t times(int64_t a, int64_t b)
{
	int64_t product;

	if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product))
		return NUMBER_NONE;
	return product;
}

/* The elements on all ranks: as recorded, else n times those of one. */
static int64_t all_elements(int64_t whole, int64_t part, int64_t n)
{
	return whole != NUMBER_NONE && (whole > 0 || part <= 0) ? whole : times(part, n);
}

int64_t collective_bytes(enum collective collective, const struct message *m)
{
	int64_t in = m->in_elements, out = m->out_elements, n = m->group_size;
	int64_t elements = in != NUMBER_NONE ? in : out;

	if (collective == COLLECTIVE_ALL_GATHER || collective == COLLECTIVE_GATHER)
		elements = all_elements(out, in, n);
	else if (collective == COLLECTIVE_REDUCE_SCATTER ||
		 collective == COLLECTIVE_SCATTER)
		elements = all_elements(in, out, n);
	else if (collective == COLLECTIVE_RECV && out != NUMBER_NONE)
		elements = out;
	else if (collective == COLLECTIVE_BARRIER)
		return NUMBER_NONE;
	return times(elements, m->element_bytes);
}

/* The elements of the tensor "[64, 8]" that *rest begins with; NUMBER_NONE: it is none. */
static int64_t take_shape(struct str *rest)
{
	int64_t product = 1, dim = NUMBER_NONE;

	if (!str_starts_with(*rest, STR_LIT("[")))
		return NUMBER_NONE;
	for (size_t i = 1; i < rest->n; i++) {
		char c = rest->p[i];
		if (c >= '0' && c <= '9') {
			dim = dim == NUMBER_NONE ? 0 : dim;
			if (__builtin_mul_overflow(dim, 10, &dim) ||
			    __builtin_add_overflow(dim, c - '0', &dim))
				return NUMBER_NONE;
		} else if (c == ',' || c == ']') {
			product = times(product, dim);
			dim = NUMBER_NONE;
			if (product == NUMBER_NONE || c == ']') {
				*rest = str_behind(*rest, i + 1);
				return product;
			}
		} else if (c != ' ') {
			return NUMBER_NONE;
		}
	}
	return NUMBER_NONE;
}

int64_t collective_ranks_of_shapes(struct str shapes)
{
	if (!str_starts_with(shapes, STR_LIT("[[")))
		return NUMBER_NONE;
	struct str rest = str_behind(shapes, 1);
	int64_t a = take_shape(&rest);
	if (a <= 0 || !str_starts_with(rest, STR_LIT(", ")))
		return NUMBER_NONE;
	rest = str_behind(rest, 2);
	int64_t b = take_shape(&rest);
	if (b <= 0)
		return NUMBER_NONE;
	int64_t whole = a > b ? a : b, part = a > b ? b : a;
	return whole % part == 0 ? whole / part : NUMBER_NONE;
}

double collective_bus_factor(enum collective collective, int64_t n)
{
	double share = n > 0 ? (double)(n - 1) / (double)n : -1;

	switch (collective) {
	case COLLECTIVE_ALL_REDUCE:
		return 2 * share;
	case COLLECTIVE_ALL_GATHER:
	case COLLECTIVE_REDUCE_SCATTER:
	case COLLECTIVE_ALL_TO_ALL:
	case COLLECTIVE_GATHER:
	case COLLECTIVE_SCATTER:
		return share;
	case COLLECTIVE_BROADCAST:
	case COLLECTIVE_REDUCE:
	case COLLECTIVE_SEND:
	case COLLECTIVE_RECV:
	case COLLECTIVE_SEND_RECV:
		return 1;
	case COLLECTIVE_OTHER:
	case COLLECTIVE_BARRIER:
	case COLLECTIVE_COALESCED:
	case NCOLLECTIVES:
		break;
	}
	return -1;
}
