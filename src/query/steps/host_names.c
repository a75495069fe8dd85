/* What names say: see host_names.h. */
#include "query/steps/host_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "trace/optree.h"
#include "trace/step_name.h"

/* What names begin with, whatever stands behind it. */
static const struct prefix {
	const char *text;
	unsigned bits;
} prefixes[] = {
	{ "enumerate(DataPipe)#", HOST_DATA_LOADING },
	{ "nccl:", HOST_COMMUNICATION },
	{ "rccl:", HOST_COMMUNICATION },
	{ "hccl:", HOST_COMMUNICATION },
	{ "xccl:", HOST_COMMUNICATION },
	{ "gloo:", HOST_COMMUNICATION },
	{ "ucc:", HOST_COMMUNICATION },
	{ "mpi:", HOST_COMMUNICATION },
	{ "Optimizer.", HOST_OPTIMIZER },
	{ "autograd::engine::evaluate_function", HOST_ENGINE },
};

static const char *const transfers[] = { "aten::to", "aten::_to_copy", "aten::copy_" };

/* Words between what is neither letter nor digit, in any capitals. */
static const struct word {
	const char *text;
	unsigned bits;
} words[] = {
	{ "dataloader", HOST_SAYS_DATA },     { "dataloading", HOST_SAYS_DATA },
	{ "forward", HOST_SAYS_FORWARD },     { "fwd", HOST_SAYS_FORWARD },
	{ "backward", HOST_SAYS_BACKWARD },   { "bwd", HOST_SAYS_BACKWARD },
	{ "optimizer", HOST_SAYS_OPTIMIZER }, { "optim", HOST_SAYS_OPTIMIZER },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_word(struct str word, const char *text)
{
	return strlen(text) == word.n && strncasecmp(word.p, text, word.n) == 0;
}

static bool is_in_word(char c)
{
	return isalnum((unsigned char)c) != 0;
}

/* The next word of *rest, which moves behind it; empty at the end. */
static struct str next_word(struct str *rest)
{
	struct str word = *rest;

	while (word.n && !is_in_word(word.p[0]))
		word = str_behind(word, 1);
	*rest = word;
	while (rest->n && is_in_word(rest->p[0]))
		*rest = str_behind(*rest, 1);
	word.n -= rest->n;
	return word;
}

/* "data loading", "load_data", "fetch next data": the word with one of these. */
static bool is_loading(struct str word)
{
	return is_word(word, "load") || is_word(word, "loading") ||
	       is_word(word, "loader") || is_word(word, "fetch") || is_word(word, "next");
}

/* Each slice is asked, and one long name may be that of all of them. */
#define WORDS_BYTES 1024

/* Operators (aten::..., c10d::...) do not say what they are used for. */
static unsigned bits_of_words(struct str name)
{
	unsigned bits = 0;
	bool data = false, loading = false;

	name.n = name.n < WORDS_BYTES ? name.n : WORDS_BYTES;
	for (size_t i = 0; i + 1 < name.n; i++)
		if (name.p[i] == ':' && name.p[i + 1] == ':')
			return 0;
	for (struct str word = next_word(&name); word.n; word = next_word(&name)) {
		for (size_t i = 0; i < COUNT(words); i++)
			if (is_word(word, words[i].text))
				bits |= words[i].bits;
		data |= is_word(word, "data") || is_word(word, "batch");
		loading |= is_loading(word);
	}
	if (data && loading)
		bits |= HOST_SAYS_DATA;
	/* "forward_backward" is no part, but both: neither is told by it */
	return bits & (bits - 1) ? 0 : bits;
}

unsigned host_name_bits(struct str name)
{
	const struct str loader = STR_LIT("enumerate(DataLoader)#");
	const struct str next = STR_LIT(".__next__");

	if (step_name_is_mark(name))
		return HOST_STEP;
	for (size_t i = 0; i < COUNT(prefixes); i++)
		if (str_starts_with(name, str_of(prefixes[i].text)))
			return prefixes[i].bits;
	if (str_starts_with(name, loader) && name.n >= loader.n + next.n &&
	    memcmp(name.p + name.n - next.n, next.p, next.n) == 0)
		return HOST_DATA_LOADING;
	for (size_t i = 0; i < COUNT(transfers); i++)
		if (str_is(op_name_plain(name), transfers[i]))
			return HOST_TRANSFER;
	return bits_of_words(name);
}
