/* The place of a rank in the axes of a job: see axes.h. */
#include "trace/axes.h"

#include <ctype.h>

#include "base/decimal.h"
#include "trace/fact.h"

/* A rank of an axis has fewer digits than a date or a process id. */
#define DIGITS_MAX 5
/* What labels say stands near their beginning. */
#define LABEL_MAX 256

const char *const axis_names[NAXES] = { "tp", "dp", "pp", "ep", "cp" };

/* NAXES: vLLM's decode context parallel ranks, which are tensor parallel ones again. */
static const struct {
	const char *word;
	enum axis axis;
} words[] = {
	{ "tp", AXIS_TP }, { "dp", AXIS_DP },  { "pp", AXIS_PP }, { "ep", AXIS_EP },
	{ "cp", AXIS_CP }, { "pcp", AXIS_CP }, { "dcp", NAXES },
};
#define NWORDS (sizeof(words) / sizeof(*words))

/* "TP-1", "dp0", "tp_rank_3", "DP rank [3]"; or "rank 3" itself. */
struct token {
	enum axis axis; /* NAXES: of none */
	int64_t number;
	bool is_rank;  /* the word "rank" itself: of all */
	bool has_rank; /* an axis, and then the word "rank" */
	bool is_dcp;
	bool is_dashed; /* "TP-1", in capitals */
	size_t end;
};

bool axes_known(const struct axes *axes)
{
	for (int a = 0; a < NAXES; a++)
		if (axes->at[a] != NUMBER_NONE)
			return true;
	return false;
}

bool axes_differ(const struct axes *a, const struct axes *b)
{
	for (int i = 0; i < NAXES; i++)
		if (a->at[i] != NUMBER_NONE && b->at[i] != NUMBER_NONE &&
		    a->at[i] != b->at[i])
			return true;
	return false;
}

void axes_fill(struct axes *axes, const struct axes *other)
{
	for (int a = 0; a < NAXES; a++)
		if (axes->at[a] == NUMBER_NONE)
			axes->at[a] = other->at[a];
}

/* In the C locale, which ptool never leaves. */
static bool is_letter(char c)
{
	return isalpha((unsigned char)c) != 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_among(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

/* The letters from a place on. */
static struct str letters_at(struct str text, size_t at)
{
	size_t end = at;

	while (end < text.n && is_letter(text.p[end]))
		end++;
	return (struct str){ text.p + at, end - at };
}

/* Are they equal in any case?  `word` is in small letters. */
static bool is_word(struct str letters, const char *word)
{
	size_t n = strlen(word);

	if (letters.n != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (tolower((unsigned char)letters.p[i]) != word[i])
			return false;
	return true;
}

/* Behind at most one sign and one space or bracket. */
static size_t skip_signs(struct str text, size_t at)
{
	if (at < text.n && is_among(text.p[at], "_-=:. "))
		at++;
	while (at < text.n && is_among(text.p[at], " ["))
		at++;
	return at;
}

/* A number of its own: no part of a word, and no range ("0-3"). */
static bool read_number(struct str text, size_t at, struct token *out)
{
	size_t end = at;

	while (end < text.n && is_digit(text.p[end]))
		end++;
	if (end == at || end - at > DIGITS_MAX ||
	    (end < text.n && is_letter(text.p[end])))
		return false;
	if (end + 1 < text.n && text.p[end] == '-' && is_digit(text.p[end + 1]))
		return false;
	struct str digits = { text.p + at, end - at };
	out->end = end;
	return decimal_text_int(digits, &out->number) == DECIMAL_OK;
}

/* The letters before, and before what is neither letter nor digit. */
static struct str word_before(struct str text, size_t at)
{
	size_t end = at;

	while (end > 0 && !is_letter(text.p[end - 1]) && !is_digit(text.p[end - 1]))
		end--;
	size_t begin = end;
	while (begin > 0 && is_letter(text.p[begin - 1]))
		begin--;
	return (struct str){ text.p + begin, end - begin };
}

bool axes_number_is_local(struct str text, size_t at)
{
	struct str before = word_before(text, at);

	return is_word(str_behind(before, before.n > 5 ? before.n - 5 : 0), "local");
}

bool axes_rank_is_of_all(struct str text, size_t at)
{
	struct str before = word_before(text, at);

	/* the rank of a group is torchelastic's, of nodes */
	return !axes_number_is_local(text, at) && !is_word(before, "node") &&
	       !is_word(before, "group");
}

static bool read_rank(struct str text, size_t at, struct token *out)
{
	struct str letters = letters_at(text, at);

	*out = (struct token){ .axis = NAXES, .is_rank = true };
	return is_word(letters, "rank") && axes_rank_is_of_all(text, at) &&
	       read_number(text, skip_signs(text, at + letters.n), out);
}

static bool read_axis(struct str text, size_t at, struct token *out)
{
	struct str letters = letters_at(text, at);
	size_t word = 0, behind = at + letters.n;

	while (word < NWORDS && !is_word(letters, words[word].word))
		word++;
	if (word == NWORDS)
		return false;
	size_t next = skip_signs(text, behind);
	struct str rank = letters_at(text, next);
	*out = (struct token){ .axis = words[word].axis,
			       .has_rank = is_word(rank, "rank"),
			       .is_dcp = words[word].axis == NAXES,
			       .is_dashed = isupper((unsigned char)letters.p[0]) &&
					    behind < text.n && text.p[behind] == '-' };
	return read_number(text, out->has_rank ? skip_signs(text, next + rank.n) : next,
			   out);
}

/* The next one from *at on, which then is behind it. */
static bool next_token(struct str text, size_t *at, struct token *out)
{
	for (size_t i = *at; i < text.n; i++) {
		if (!is_letter(text.p[i]) || (i > 0 && is_letter(text.p[i - 1])))
			continue;
		if (read_axis(text, i, out) || read_rank(text, i, out)) {
			*at = out->end;
			return true;
		}
	}
	return false;
}

static void add_token(struct axes *axes, const struct token *token)
{
	if (token->axis != NAXES && axes->at[token->axis] == NUMBER_NONE)
		axes->at[token->axis] = token->number;
}

static bool ends_with(struct str text, struct str end)
{
	return text.n >= end.n && str_equal(str_behind(text, text.n - end.n), end);
}

/* SGLang's names, and not those of TensorBoard's handler. */
static bool is_export(struct str name)
{
	static const struct str plain = { ".trace.json", 11 };
	static const struct str handler = { ".pt.trace.json", 14 };

	if (ends_with(name, STR_LIT(".gz")))
		name.n -= 3;
	return ends_with(name, plain) && !ends_with(name, handler);
}

struct axes_told axes_of_file_name(struct str name)
{
	struct axes_told out = { .axes = AXES_NONE, .rank = NUMBER_NONE };
	struct axes ranks = AXES_NONE;
	struct token token;
	size_t at = 0, n = 0;

	while (next_token(name, &at, &token)) {
		if (token.is_rank)
			continue;
		n++;
		add_token(&out.axes, &token);
		if (token.has_rank)
			add_token(&ranks, &token);
		out.is_sure |= token.is_dcp || (token.is_dashed && is_export(name) &&
						out.axes.at[AXIS_TP] != NUMBER_NONE);
	}
	if (axes_known(&ranks)) { /* others are sizes: "tp8_tp_rank_3" */
		out.axes = ranks;
		out.is_sure = true;
	}
	/* "ep-3" alone is an epoch, "cp_1" a checkpoint */
	if (!out.is_sure && n < 2 && out.axes.at[AXIS_TP] == NUMBER_NONE)
		out.axes = (struct axes)AXES_NONE;
	return out;
}

struct axes_told axes_of_label(struct str label)
{
	struct axes_told out = { .axes = AXES_NONE,
				 .rank = NUMBER_NONE,
				 .is_sure = true };
	struct token token;
	size_t at = 0;

	if (label.n > LABEL_MAX)
		label.n = LABEL_MAX;
	while (next_token(label, &at, &token)) {
		if (token.is_rank && out.rank == NUMBER_NONE)
			out.rank = token.number;
		out.is_spelled |= token.has_rank;
		add_token(&out.axes, &token);
	}
	const char *end =
		label.n && label.p[0] == '[' ? memchr(label.p, ']', label.n) : NULL;
	if (!end || !(out.rank != NUMBER_NONE || axes_known(&out.axes)))
		return out;
	out.tag = (struct str){ label.p, (size_t)(end - label.p) + 1 };
	while (out.tag.n < label.n && label.p[out.tag.n] == ' ')
		out.tag.n++;
	return out;
}

/* What descriptions call the groups along an axis, behind "mesh_" and before ":0". */
enum { DP_REPLICA = NAXES, DP_SHARD, FSDP, NO_AXIS };

static const struct {
	const char *name;
	int axis;
} groups_of_axes[] = {
	{ "tp", AXIS_TP },
	{ "dp", AXIS_DP },
	{ "pp", AXIS_PP },
	{ "ep", AXIS_EP },
	{ "cp", AXIS_CP },
	{ "infer_tp", AXIS_TP }, /* verl */
	{ "infer_pp", AXIS_PP },
	{ "dp_replicate", DP_REPLICA }, /* torchtitan */
	{ "dp_shard", DP_SHARD },
	{ "ddp", DP_REPLICA }, /* verl */
	{ "fsdp", FSDP },      /* and torchtitan, since 2025 */
	{ "batch", AXIS_DP },
	{ "tensor_model_parallel_group", AXIS_TP }, /* Megatron */
	{ "data_parallel_group", AXIS_DP },
	{ "pipeline_model_parallel_group", AXIS_PP },
	{ "expert_model_parallel_group", AXIS_EP },
	{ "context_parallel_group", AXIS_CP },
};
#define NGROUPS (sizeof(groups_of_axes) / sizeof(*groups_of_axes))

static int axis_of_group(struct str description)
{
	static const struct str mesh = { "mesh_", 5 };
	struct str name = description;
	const char *colon = name.n ? memchr(name.p, ':', name.n) : NULL;

	if (colon)
		name.n = (size_t)(colon - name.p);
	if (str_starts_with(name, mesh))
		name = str_behind(name, mesh.n);
	for (size_t i = 0; i < NGROUPS; i++)
		if (is_word(name, groups_of_axes[i].name))
			return groups_of_axes[i].axis;
	return NO_AXIS;
}

/*
 * The place of a rank in a list, which may be cut off: "[0, 2, ..., 14]".  *n is its
 * length, of one that is not.
 */
static int64_t place_in(struct str ranks, int64_t rank, int64_t *n)
{
	int64_t place = NUMBER_NONE, number;

	*n = 0;
	for (size_t at = 0; at < ranks.n;) {
		size_t end = at;
		while (end < ranks.n && is_digit(ranks.p[end]))
			end++;
		if (ranks.p[at] == '.')
			break;
		if (end == at) {
			at++;
			continue;
		}
		struct str digits = { ranks.p + at, end - at };
		if (decimal_text_int(digits, &number) == DECIMAL_OK && number == rank &&
		    place == NUMBER_NONE)
			place = *n;
		++*n;
		at = end;
	}
	return place;
}

void axes_add_group(struct axes_groups *groups, struct str description, struct str ranks,
		    int64_t rank)
{
	int axis = axis_of_group(description);
	int64_t n;

	if (axis == NO_AXIS || rank == NUMBER_NONE)
		return;
	int64_t place = place_in(ranks, rank, &n);
	if (n == 0)
		place = rank;
	if (place < 0 || place > AXES_PLACE_MAX) /* NUMBER_NONE too */
		return;
	struct axes_group *group = &groups->at[axis];
	bool is_known = groups->known & 1U << axis;
	if (is_known && (n == 1 || group->n == 1)) {
		if (n == 1)
			return;
		is_known = false;
	}
	if (is_known && group->place != place)
		groups->torn |= 1U << axis;
	if (!is_known)
		*group = (struct axes_group){ place, n };
	groups->known |= 1U << axis;
}

/* The place, or NUMBER_NONE; its group is `torn` where it is not sure. */
static int64_t place_of(const struct axes_groups *groups, int axis)
{
	return groups->known & 1U << axis ? groups->at[axis].place : NUMBER_NONE;
}

/*
 * The place among shards, and how many there are: torchtitan folds context parallel ranks
 * into fsdp, as the innermost.
 */
static struct axes_group shard_of(const struct axes_groups *groups)
{
	static const struct axes_group unknown = { NUMBER_NONE, 0 };
	const struct axes_group *cp = &groups->at[AXIS_CP], *fsdp = &groups->at[FSDP];

	if (groups->known & 1U << DP_SHARD)
		return groups->at[DP_SHARD];
	if (!(groups->known & 1U << FSDP))
		return unknown;
	if (!(groups->known & 1U << AXIS_CP) || cp->n <= 1)
		return *fsdp;
	if (fsdp->n % cp->n != 0 || fsdp->place % cp->n != cp->place)
		return unknown;
	return (struct axes_group){ fsdp->place / cp->n, fsdp->n / cp->n };
}

struct axes axes_of_groups(const struct axes_groups *groups, unsigned *torn)
{
	struct axes out = AXES_NONE;
	int64_t replica = place_of(groups, DP_REPLICA);
	struct axes_group shard = shard_of(groups);

	*torn = groups->torn & ((1U << NAXES) - 1);
	for (int a = 0; a < NAXES; a++)
		out.at[a] = place_of(groups, a);
	if (out.at[AXIS_DP] != NUMBER_NONE)
		return out;
	if (groups->torn & (1U << DP_REPLICA | 1U << DP_SHARD | 1U << FSDP))
		*torn |= 1U << AXIS_DP;
	if (shard.place == NUMBER_NONE && (groups->known & 1U << FSDP))
		return out;
	if (replica == NUMBER_NONE)
		out.at[AXIS_DP] = shard.place;
	else if (shard.place == NUMBER_NONE)
		out.at[AXIS_DP] = replica;
	else
		out.at[AXIS_DP] = replica * shard.n + shard.place;
	return out;
}
