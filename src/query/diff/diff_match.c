/* Renamed rows: see diff_match.h. */
#include "query/diff/diff_match.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/calls/frame_name.h"

struct relaxed {
	uint32_t class; /* its relaxed name */
	int64_t place;
};

struct matching {
	const struct intern *names;
	const struct diff_single *singles;
	struct relaxed *relaxed; /* owned; by single */
};

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct matching *m = context;
	const struct diff_single *x = &m->singles[a], *y = &m->singles[b];
	const struct relaxed *p = &m->relaxed[a], *q = &m->relaxed[b];

	if (p->class != q->class)
		return p->class < q->class;
	if (x->is_new != y->is_new)
		return y->is_new;
	if (p->place != q->place)
		return p->place < q->place;
	if (x->amount != y->amount)
		return x->amount > y->amount;
	return str_compare(intern_str(m->names, x->row), intern_str(m->names, y->row)) <
	       0;
}

static void relax_names(struct matching *m, const uint32_t *at, size_t n,
			const struct diff_relaxing *way)
{
	struct intern classes;
	struct buf text;

	intern_init(&classes);
	buf_init(&text, SIZE_MAX);
	for (size_t i = 0; i < n; i++) {
		struct relaxed *relaxed = &m->relaxed[at[i]];
		buf_clear(&text);
		relaxed->place =
			way->relax(intern_str(m->names, m->singles[at[i]].row), &text);
		relaxed->class = intern_add(&classes, buf_str(&text));
	}
	buf_release(&text);
	intern_release(&classes);
}

#define MOVES_MAX 4096 /* pairs of a class that are looked at; of more some: */
#define SAMPLES   16
#define OFFSETS   65536

/* Two functions that may be one, so many lines further down. */
struct move {
	uint32_t base, after; /* singles */
	int64_t lines, first; /* first: the smaller place of the two */
	size_t alike;         /* that move so far */
};

static int compare_lines(const void *a, const void *b)
{
	const struct move *x = a, *y = b;
	int order = sort_order(x->lines, y->lines);

	return order ? order : sort_order(x->first, y->first);
}

/* Those of the commonest distance first, then of the smallest; the same from both sides. */
static int compare_moves(const void *a, const void *b)
{
	const struct move *x = a, *y = b;
	int order = sort_order((int64_t)y->alike, (int64_t)x->alike);

	if (!order)
		order = sort_order(llabs(x->lines), llabs(y->lines));
	return order ? order : sort_order(x->first, y->first);
}

static size_t list_moves(const struct matching *m, const uint32_t *at, size_t middle,
			 size_t to, struct move *moves)
{
	size_t n = 0;

	for (size_t i = 0; i < middle; i++)
		for (size_t k = middle; k < to; k++) {
			int64_t from = m->relaxed[at[i]].place,
				now = m->relaxed[at[k]].place;
			moves[n++] = (struct move){ .base = at[i],
						    .after = at[k],
						    .lines = sum_sub(now, from),
						    .first = from < now ? from : now };
		}
	qsort(moves, n, sizeof(*moves), compare_lines);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && moves[end].lines == moves[i].lines;)
			end++;
		for (size_t k = i; k < end; k++)
			moves[k].alike = end - i;
	}
	return n;
}

static int64_t lines_between(const struct matching *m, uint32_t base, uint32_t after)
{
	return sum_sub(m->relaxed[after].place, m->relaxed[base].place);
}

static void pair_up(uint32_t *partner, uint32_t a, uint32_t b)
{
	partner[a] = b;
	partner[b] = a;
}

/* The commonest of n, the nearest to 0 of these. */
static int64_t commonest(int64_t *lines, size_t n)
{
	int64_t common = 0;
	size_t most = 0;

	qsort(lines, n, sizeof(*lines), sort_compare_int64);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && lines[end] == lines[i];)
			end++;
		bool is_nearer = llabs(lines[i]) < llabs(common);
		if (end - i > most || (end - i == most && is_nearer))
			common = lines[i];
		most = end - i > most ? end - i : most;
	}
	return common;
}

/* The commonest distance of some pairs; up to `more` of one side stand before the others. */
static int64_t common_distance(const struct matching *m, const uint32_t *at,
			       size_t middle, size_t to)
{
	size_t base = middle, after = to - middle, n = 0;
	size_t few = base < after ? base : after, more = base + after - 2 * few;
	size_t offsets = more < OFFSETS ? more + 1 : OFFSETS;
	int64_t *lines = xcalloc(SAMPLES * offsets, sizeof(*lines));

	for (size_t i = 0; i < SAMPLES; i++)
		for (size_t k = 0; k < offsets; k++) {
			size_t one = i * few / SAMPLES, other = one + k;
			size_t of_base = base < after ? one : other;
			size_t of_after = base < after ? other : one;
			lines[n++] = lines_between(m, at[of_base], at[middle + of_after]);
		}
	int64_t common = commonest(lines, n);
	free(lines);
	return common;
}

/* Those at that distance; where they are many, of the others the first with the first. */
static void pair_many(const struct matching *m, const uint32_t *at, size_t middle,
		      size_t to, uint32_t *partner)
{
	int64_t common = common_distance(m, at, middle, to);
	size_t few = middle < to - middle ? middle : to - middle, paired = 0;

	for (size_t i = 0, k = middle; i < middle && k < to;) {
		int64_t lines = lines_between(m, at[i], at[k]);
		if (lines == common) {
			pair_up(partner, at[i], at[k]);
			paired++;
		}
		i += lines >= common;
		k += lines <= common;
	}
	for (size_t i = 0, k = middle; paired > few / 2 && i < middle && k < to;)
		if (partner[at[i]] != DIFF_NO_PARTNER)
			i++;
		else if (partner[at[k]] != DIFF_NO_PARTNER)
			k++;
		else
			pair_up(partner, at[i++], at[k++]);
}

/*
 * Of more functions on one side than on the other some are new: what stands before all of
 * them moves them by as many lines.
 */
static void pair_moved(const struct matching *m, const uint32_t *at, size_t middle,
		       size_t to, uint32_t *partner)
{
	size_t pairs = middle * (to - middle);

	if (pairs == 0)
		return;
	if (middle > MOVES_MAX || to - middle > MOVES_MAX || pairs > MOVES_MAX) {
		pair_many(m, at, middle, to, partner);
		return;
	}
	struct move *moves = xcalloc(pairs, sizeof(*moves));
	size_t n = list_moves(m, at, middle, to, moves);
	qsort(moves, n, sizeof(*moves), compare_moves);
	for (size_t i = 0; i < n; i++) {
		if (partner[moves[i].base] != DIFF_NO_PARTNER ||
		    partner[moves[i].after] != DIFF_NO_PARTNER)
			continue;
		pair_up(partner, moves[i].base, moves[i].after);
	}
	free(moves);
}

static bool has_places(const struct matching *m, const uint32_t *at, size_t from,
		       size_t to)
{
	for (size_t i = from; i < to; i++)
		if (m->relaxed[at[i]].place != 0)
			return true;
	return false;
}

/* at[from..to) is one class, base's singles first. */
static void pair_class(const struct matching *m, const uint32_t *at, size_t from,
		       size_t to, bool is_unique, uint32_t *partner)
{
	size_t middle = from;

	while (middle < to && !m->singles[at[middle]].is_new)
		middle++;
	if (is_unique && (middle - from != 1 || to - middle != 1))
		return;
	if (middle - from != to - middle && has_places(m, at, from, to)) {
		pair_moved(m, at + from, middle - from, to - from, partner);
		return;
	}
	for (size_t i = 0; from + i < middle && middle + i < to; i++) {
		pair_up(partner, at[from + i], at[middle + i]);
	}
}

/* Those without a partner yet, by their classes. */
static void match_one_way(struct matching *m, const struct diff_relaxing *way, size_t all,
			  uint32_t *at, uint32_t *partner)
{
	size_t n = 0;

	for (size_t i = 0; i < all; i++)
		if (partner[i] == DIFF_NO_PARTNER)
			at[n++] = (uint32_t)i;
	relax_names(m, at, n, way);
	sort_indexes(at, n, at + all, is_before, m);
	for (size_t from = 0, to; from < n; from = to) {
		to = from + 1;
		while (to < n && m->relaxed[at[to]].class == m->relaxed[at[from]].class)
			to++;
		pair_class(m, at, from, to, way->is_unique, partner);
	}
}

void diff_match_renamed(const struct intern *names, const struct diff_relaxing *ways,
			const struct diff_single *singles, size_t n, uint32_t *partner)
{
	struct matching m = { names, singles,
			      xrealloc_array(NULL, n, sizeof(struct relaxed)) };
	uint32_t *at = xrealloc_array(NULL, n * 2, sizeof(*at));

	for (size_t i = 0; i < n; i++)
		partner[i] = DIFF_NO_PARTNER;
	for (; ways->relax; ways++)
		match_one_way(&m, ways, n, at, partner);
	free(m.relaxed);
	free(at);
}

/* Of libraries' kernels for some generation of devices: "ampere_sgemm_128x64_tn". */
static const char *const architectures[] = { "maxwell", "pascal", "volta",  "turing",
					     "ampere",  "ada",    "hopper", "blackwell",
					     "sm",      NULL };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The end of a word of letters and digits that begins at `from`; '_' ends one. */
static size_t part_end(struct str name, size_t from)
{
	while (from < name.n && isalnum((unsigned char)name.p[from]))
		from++;
	return from;
}

/* "ampere", "sm80": letters of the list, then digits alone. */
static bool is_architecture(struct str part)
{
	size_t letters = part.n;

	while (letters > 0 && is_digit(part.p[letters - 1]))
		letters--;
	for (size_t i = 0; architectures[i]; i++)
		if (str_is((struct str){ part.p, letters }, architectures[i]))
			return strcmp(architectures[i], "sm") != 0 || letters < part.n;
	return false;
}

/* A part of a name, digits as one '#' unless they count: "128x64" is "#x#". */
static void add_part(struct buf *out, struct str part, bool with_sizes)
{
	for (size_t i = 0; i < part.n; i++) {
		if (with_sizes || !is_digit(part.p[i]))
			buf_add_char(out, part.p[i]);
		else if (i == 0 || !is_digit(part.p[i - 1]))
			buf_add_char(out, '#');
	}
}

/* Without what stands in brackets, and the type that a template's instance begins with. */
static void strip_brackets(struct str name, struct buf *out)
{
	size_t depth = 0;

	if (str_starts_with(name, STR_LIT("void ")))
		name = str_behind(name, 5);
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		if (c == '<' || c == '(')
			depth++;
		else if ((c == '>' || c == ')') && depth > 0)
			depth--;
		else if (depth == 0)
			buf_add_char(out, c);
	}
}

/* Any architecture is as good as another, and so are digits unless they count. */
static void add_relaxed(struct buf *out, struct str text, bool with_sizes)
{
	for (size_t i = 0; i < text.n;) {
		size_t end = part_end(text, i);
		struct str part = { text.p + i, end - i };
		if (part.n && is_architecture(part))
			end += end < text.n && text.p[end] == '_';
		else if (part.n)
			add_part(out, part, with_sizes);
		else
			buf_add_char(out, text.p[end++]);
		i = end;
	}
}

static int64_t relax_architecture(struct str name, struct buf *out)
{
	add_relaxed(out, name, true);
	return 0;
}

static int64_t relax_sizes(struct str name, struct buf *out)
{
	add_relaxed(out, name, false);
	return 0;
}

/* "Memcpy HtoD (Pinned -> Device)" is told by what is in its brackets. */
static int64_t relax_to_base(struct str name, struct buf *out)
{
	struct buf bare;

	buf_init(&bare, SIZE_MAX);
	if (str_starts_with(name, STR_LIT("Mem")))
		buf_add_str(&bare, name);
	else
		strip_brackets(name, &bare);
	add_relaxed(out, buf_str(&bare), false);
	buf_release(&bare);
	return 0;
}

/* "<function f at 0x7f12>": addresses are of one run alone. */
static void add_without_addresses(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		buf_add_char(out, text.p[i]);
		if (i < 1 || text.p[i] != 'x' || text.p[i - 1] != '0')
			continue;
		while (i + 1 < text.n && isxdigit((unsigned char)text.p[i + 1]))
			i++;
	}
}

/* Where ":12(" of the standard name "file:line(function)" begins; n: nowhere. */
static size_t find_line(struct str name, size_t *end, int64_t *line)
{
	for (size_t i = 0; i < name.n; i++) {
		*end = i + 1;
		while (name.p[i] == ':' && *end < name.n && is_digit(name.p[*end]))
			++*end;
		if (*end == i + 1 || *end == name.n || name.p[*end] != '(')
			continue;
		const struct str digits = { name.p + i + 1, *end - i - 1 };
		if (decimal_text_int(digits, line) == DECIMAL_OK)
			return i;
	}
	return name.n;
}

/*
 * However a profiler names the function; built-in ones have no place.  What is in another's
 * parentheses is the function's: "a.py(5): g:3(x)", "a.py:4(w(3): y)".
 */
static int64_t relax_function(struct str name, struct buf *out)
{
	struct frame_name frame;
	int64_t line = 0;
	size_t end, at = find_line(name, &end, &line);
	bool is_torch = frame_name_torch(name, &frame) && frame.file.n < at &&
			frame.file.n > 0 && frame.file.p[frame.file.n - 1] != ' ';

	if (!is_torch && at < name.n) {
		bool is_closed = name.p[name.n - 1] == ')';
		frame = (struct frame_name){ .file = { name.p, at },
					     .function = { name.p + end + 1,
							   name.n - end - 1 - is_closed },
					     .line = line };
	} else if (!is_torch) {
		frame = frame_name_split(name);
		if (!frame.line)
			frame = (struct frame_name){ .function = name };
	}
	add_without_addresses(out, frame.file);
	buf_add_char(out, ':');
	add_without_addresses(out, frame.function);
	return frame.line;
}

/* A call of CUDA's or HIP's runtime or driver without its prefix; else as it is. */
static struct str bare_call(struct str name)
{
	static const char *const prefixes[] = { "cuda", "cu", "hip", NULL };

	for (size_t i = 0; prefixes[i]; i++) {
		struct str prefix = str_of(prefixes[i]);
		if (str_starts_with(name, prefix) && name.n > prefix.n &&
		    isupper((unsigned char)name.p[prefix.n]))
			return str_behind(name, prefix.n);
	}
	return name;
}

static bool is_call(struct str name)
{
	return bare_call(name).n < name.n;
}

/* What HIP calls otherwise than by CUDA's name with another prefix. */
static const struct {
	const char *name, *same;
} calls[] = {
	{ "cuLaunchKernel", "hipModuleLaunchKernel" },
	{ "cuLaunchKernelEx", "hipModuleLaunchKernel" },
	{ "hipExtModuleLaunchKernel", "hipModuleLaunchKernel" },
	{ "hipExtLaunchKernel", "hipLaunchKernel" },
	{ "cudaLaunchKernelExC", "hipModuleLaunchKernel" },
	{ "hipMemcpyWithStream", "hipMemcpyAsync" },
	{ "hipGetDevicePropertiesR0600", "hipGetDeviceProperties" },
	{ "cudaGetDeviceProperties_v2", "hipGetDeviceProperties" },
	{ "hipStreamGetCaptureInfo_v2", "hipStreamGetCaptureInfo" },
	{ "cudaStreamGetCaptureInfo_v2", "hipStreamGetCaptureInfo" },
	{ "cudaStreamGetCaptureInfo_v3", "hipStreamGetCaptureInfo" },
	{ "hipHostMalloc", "cudaHostAlloc" },
	{ "cudaMallocHost", "cudaHostAlloc" },
	{ "hipHostFree", "cudaFreeHost" },
	{ "hipPointerGetAttribute", "cudaPointerGetAttributes" },
};

/* The same call of CUDA and of HIP: "cudaMemcpyAsync" and "hipMemcpyAsync". */
static int64_t relax_call(struct str name, struct buf *out)
{
	if (is_call(name))
		buf_add_text(out, "call ");
	buf_add_str(out, bare_call(name));
	return 0;
}

/* Calls that do the same, whatever they are called. */
static int64_t relax_other_call(struct str name, struct buf *out)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (str_is(name, calls[i].name))
			return relax_call(str_of(calls[i].same), out);
	return relax_call(name, out);
}

/*
 * "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__": with another number of
 * workers another class gives the same batches.
 */
static int64_t relax_loader(struct str name, struct buf *out)
{
	static const struct str loader = { "enumerate(DataLoader)#", 22 };

	buf_add_str(out, str_starts_with(name, loader) ? loader : name);
	return 0;
}

const struct diff_relaxing diff_loader_relaxings[] = { { relax_loader, false },
						       { NULL, false } };

const struct diff_relaxing diff_call_relaxings[] = {
	{ relax_call, false },
	{ relax_other_call, false },
	{ relax_loader, false },
	{ NULL, false },
};

const struct diff_relaxing diff_kernel_relaxings[] = {
	{ relax_architecture, false },
	{ relax_sizes, false },
	{ relax_to_base, true },
	{ NULL, false },
};

const struct diff_relaxing diff_function_relaxings[] = { { relax_function, false },
							 { NULL, false } };
