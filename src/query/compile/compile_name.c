/* Names of torch.compile: see compile_name.h. */
#include "query/compile/compile_name.h"

#include <string.h>

#include "trace/fact.h"

static const struct {
	struct str text;
	enum compile_word word;
	bool is_prefix;
} words[] = {
	{ { "Torch-Compiled Region: ", 23 }, COMPILE_WORD_REGION, true },
	{ { "Torch-Compiled Region", 21 }, COMPILE_WORD_REGION, false },
	{ { "CompiledFunction", 16 }, COMPILE_WORD_FUNCTION, false },
	{ { "CompiledFunctionBackward", 24 }, COMPILE_WORD_BACKWARD, false },
	{ { "## Call CompiledFxGraph ", 24 }, COMPILE_WORD_GRAPH, true },
	{ { "## inductor_kernel:", 19 }, COMPILE_WORD_KERNEL, true },
	{ { "Pregraph bytecode", 17 }, COMPILE_WORD_PREGRAPH, false },
	{ { "TorchDynamo Cache Lookup", 24 }, COMPILE_WORD_LOOKUP, false },
	{ { "entire_frame_compile", 20 }, COMPILE_WORD_COMPILING, false },
	{ { "entire_backward_compile", 23 }, COMPILE_WORD_COMPILING, false },
	{ { "cudaGraphLaunch", 15 }, COMPILE_WORD_LAUNCH, true },
	{ { "hipGraphLaunch", 14 }, COMPILE_WORD_LAUNCH, true },
};

static bool ends_with(struct str s, struct str end)
{
	return s.n >= end.n && str_equal(str_behind(s, s.n - end.n), end);
}

/* What follows "compile_id=" up to a comma or the end. */
static bool find_id(struct str name, struct str *id)
{
	static const struct str mark = { "compile_id=", 11 };

	for (size_t i = 0; i + mark.n <= name.n; i++) {
		struct str rest = str_behind(name, i);
		if (!str_starts_with(rest, mark))
			continue;
		*id = str_behind(rest, mark.n);
		const char *comma = memchr(id->p, ',', id->n);
		if (comma)
			id->n = (size_t)(comma - id->p);
		return id->n > 0 && !str_is(*id, "None");
	}
	return false;
}

/*
 * Inductor's own: "triton_...", "cpp_fused...", and the latter behind "graph_1_".  A
 * template's kernel for the CPU has no name but "graph_1_kernel" (before PyTorch 2.7).
 */
static bool is_made(struct str name, struct str *kernel)
{
	static const struct str graph = { "graph_", 6 };
	size_t at = graph.n;

	*kernel = name;
	if (str_starts_with(name, STR_LIT("triton_")))
		return true;
	if (str_starts_with(name, graph)) {
		while (at < name.n && name.p[at] >= '0' && name.p[at] <= '9')
			at++;
		if (at < name.n && name.p[at] == '_')
			*kernel = str_behind(name, at + 1);
		if (at > graph.n && str_is(*kernel, "kernel")) {
			*kernel = name;
			return true;
		}
	}
	return str_starts_with(*kernel, STR_LIT("cpp_fused")) ||
	       (kernel->n < name.n && str_starts_with(*kernel, STR_LIT("triton_")));
}

enum compile_word compile_word_of(struct str name, struct str *text)
{
	*text = name;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!words[i].is_prefix && str_equal(name, words[i].text))
			return words[i].word;
		if (!words[i].is_prefix || !str_starts_with(name, words[i].text))
			continue;
		if (words[i].word != COMPILE_WORD_LAUNCH)
			*text = str_behind(name, words[i].text.n);
		if (ends_with(*text, STR_LIT(" ##")))
			text->n -= 3;
		return words[i].word;
	}
	if (is_made(name, text))
		return COMPILE_WORD_MADE;
	*text = name;
	if (ends_with(name, STR_LIT(" (dynamo_timed)")))
		return COMPILE_WORD_COMPILING;
	if (str_contains(name, STR_LIT("_data: ")) && find_id(name, text))
		return COMPILE_WORD_COMPILING_ID;
	return COMPILE_WORD_NONE;
}

/* The number of digits at the end of `s`, and what they say; false where it is none. */
static bool read_version(struct str s, int64_t *version)
{
	*version = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '_' && i > 0)
			return true; /* restarts of the analysis */
		if (s.p[i] < '0' || s.p[i] > '9' || i >= 9)
			return false;
		*version = *version * 10 + (s.p[i] - '0');
	}
	return s.n > 0;
}

bool compile_cut_restart(struct str *id)
{
	size_t at = id->n;

	while (at > 0 && id->p[at - 1] >= '0' && id->p[at - 1] <= '9')
		at--;
	if (at == id->n || at < 2 || id->p[at - 1] != '_' || !memchr(id->p, '/', at))
		return false;
	id->n = at - 1;
	return true;
}

struct str compile_frame_of(struct str id, int64_t *version)
{
	size_t at = id.n;

	while (at > 0 && id.p[at - 1] != '/')
		at--;
	if (at > 1 && read_version(str_behind(id, at), version))
		return (struct str){ id.p, at - 1 };
	*version = NUMBER_NONE;
	return id;
}
