/*
 * Annotations of engines' steps: see engine_step.h.  The spellings are those of
 *	vLLM		vllm/v1/worker/gpu_worker.py, annotate_profile() (pull requests
 *			22496, 37524)
 *	SGLang		python/sglang/srt/utils/profile_utils.py, build_step_span_name()
 *			(pull request 23419); with sums: AMD-AGI/TraceLens issue 818
 *	ATOM		ROCm/ATOM; AMD-AGI/TraceLens, TraceUtils/annotation_utils.py
 *	TensorRT-LLM	tensorrt_llm/_torch/pyexecutor/py_executor.py, _forward_step()
 *	xDiT		its traces with torch.profiler
 *	Lightning	profilers/pytorch.py and loops/training_epoch_loop.py
 * and the names that loops give their iterations: "iteration12" as NVIDIA's examples for
 * Megatron-LM have it, "iter_3", "train_step", "decode_step_7".
 */
#include "trace/engine_step.h"

#include <stddef.h>

#include "base/decimal.h"
#include "base/sum.h"
#include "trace/fact.h"

/*
 * A pattern is text, whatever its case, and what %x stands for:
 *	%n %r %t	the number of the step, its requests, its tokens
 *	%p %d		requests with prompts, requests that generate
 *	%1 %2 %3 %4	of the former q, k, qq, qk; %5 to %8 of the latter
 *	%*		a number that says nothing of these
 *	%w		a mode of SGLang's
 *	%=		key=value, separated by spaces, until the ']'
 *	%s		nothing, or one that separates a word from its number
 *	%_		any text
 */
enum {
	ONE_EACH = 1, /* who generates has one token in the step, if not told otherwise */
	LABEL = 2     /* any program may give such a name */
};

/* ENGINE_UNTOLD: by the requests of each kind. */
/* clang-format off */
static const struct spelling {
	const char *engine, *pattern;
	enum engine_phase phase;
	unsigned flags;
} spellings[] = {
	{ "vLLM", "execute_%*_context_%p(sq%1sk%2sqsq%3sqsk%4)_generation_%d(sq%5sk%6sqsq%7sqsk%8)", ENGINE_UNTOLD, 0 },
	{ "vLLM", "execute_%*_context_%p(%1)_generation_%d(%5)", ENGINE_UNTOLD, 0 },
	{ "vLLM", "execute_context_%p(sq%1sk%2sqsq%3sqsk%4)_generation_%d(sq%5sk%6sqsq%7sqsk%8)", ENGINE_UNTOLD, 0 },
	{ "vLLM", "execute_context_%p(%1)_generation_%d(%5)", ENGINE_UNTOLD, 0 },
	{ "vLLM", "execute_%*_context_%p_generation_%d", ENGINE_UNTOLD, 0 }, /* step_name_of_all() */
	{ "vLLM", "execute_new_%p_cached_%d", ENGINE_UNTOLD, 0 },
	{ "SGLang", "step[%w%=", ENGINE_UNTOLD, ONE_EACH },
	{ "SGLang", "scheduler.run_batch", ENGINE_UNTOLD, 0 }, /* around the passes of a batch */
	{ "ATOM", "prefill[%=", ENGINE_PREFILL, 0 },
	{ "ATOM", "decode[%=", ENGINE_DECODE, 0 },
	{ "ATOM", "eager_decode[%=", ENGINE_DECODE, 0 },
	{ "TensorRT-LLM", "[Executor] _forward_step %n: %p ctx reqs, %1 ctx tokens, %d gen reqs", ENGINE_UNTOLD, ONE_EACH },
	{ "TensorRT-LLM", "[Executor] _forward_step %n: %p ctx reqs, %d gen reqs", ENGINE_UNTOLD, ONE_EACH },
	{ "TensorRT-LLM", "[Executor] _forward_step: %p ctx reqs, %d gen reqs", ENGINE_UNTOLD, ONE_EACH },
	{ "xDiT", "execute_diffusion_%r_%*x%*", ENGINE_OTHER, 0 },
	{ "Lightning", "[pl][profile]run_training_batch", ENGINE_UNTOLD, 0 },
	{ "Lightning", "[pl][profile][Strategy]%_.validation_step", ENGINE_UNTOLD, 0 },
	{ "Lightning", "[pl][profile][Strategy]%_.test_step", ENGINE_UNTOLD, 0 },
	{ "Lightning", "[pl][profile][Strategy]%_.predict_step", ENGINE_UNTOLD, 0 },
	{ "iteration N", "iteration%s%n", ENGINE_UNTOLD, LABEL },
	{ "iteration N", "iter%s%n", ENGINE_UNTOLD, LABEL },
	{ "step N", "step%s%n", ENGINE_UNTOLD, LABEL },
	{ "step N", "train%sstep%s%n", ENGINE_UNTOLD, LABEL },
	{ "step N", "train%sstep", ENGINE_UNTOLD, LABEL },
	/* of loops around a model's generation */
	{ "decode step N", "decode%sstep%s%n", ENGINE_DECODE, LABEL },
	{ "decode step N", "decode%sstep", ENGINE_DECODE, LABEL },
	{ "decode step N", "prefill%sstep%s%n", ENGINE_PREFILL, LABEL },
	{ "decode step N", "prefill%sstep", ENGINE_PREFILL, LABEL },
	{ "decode step N", "prefill", ENGINE_PREFILL, LABEL },
};
/* clang-format on */

/* ForwardMode of SGLang; another one is told as other. */
static const struct {
	const char *word;
	enum engine_phase phase;
	bool checks_drafts;
} modes[] = {
	{ "DECODE", ENGINE_DECODE, false },
	{ "EXTEND", ENGINE_PREFILL, false },
	{ "PREFILL", ENGINE_PREFILL, false },
	{ "MIXED", ENGINE_MIXED, false },
	{ "TARGET_VERIFY", ENGINE_DECODE, true },
	{ "VERIFY", ENGINE_DECODE, true },
	{ "SPLIT_PREFILL", ENGINE_PREFILL, false },
	{ "DLLM_EXTEND", ENGINE_PREFILL, false },
};

/* Those without a prefix are of the requests that the phase says. */
static const struct {
	const char *key;
	char value; /* as in a pattern; 'Q', 'K', 'S', 'P': q, k, qq, qk by the phase */
} keys[] = {
	{ "bs", 'r' },     { "toks", 't' }, { "tok", 't' },  { "c", 'p' },
	{ "g", 'd' },      { "c_sq", '1' }, { "c_sk", '2' }, { "c_sqsq", '3' },
	{ "c_sqsk", '4' }, { "g_sq", '5' }, { "g_sk", '6' }, { "g_sqsq", '7' },
	{ "g_sqsk", '8' }, { "sq", 'Q' },   { "sk", 'K' },   { "sqsq", 'S' },
	{ "sqsk", 'P' },
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static int64_t *value_of(struct engine_step *s, char letter)
{
	struct engine_requests *own =
		s->phase == ENGINE_DECODE ? &s->decodes : &s->prompts;
	const struct {
		char letter;
		int64_t *value;
	} values[] = {
		{ 'n', &s->number },     { 'r', &s->requests },   { 't', &s->tokens },
		{ 'p', &s->prompts.n },  { 'd', &s->decodes.n },  { '1', &s->prompts.q },
		{ '2', &s->prompts.k },  { '3', &s->prompts.qq }, { '4', &s->prompts.qk },
		{ '5', &s->decodes.q },  { '6', &s->decodes.k },  { '7', &s->decodes.qq },
		{ '8', &s->decodes.qk }, { 'Q', &own->q },        { 'K', &own->k },
		{ 'S', &own->qq },       { 'P', &own->qk },
	};

	for (size_t i = 0; i < COUNT(values); i++)
		if (values[i].letter == letter)
			return values[i].value;
	return NULL;
}

/* A number; or the * of several steps' name (step_name.h), which are of some. */
static bool take_number(struct str *rest, int64_t *out)
{
	size_t n = 0;

	*out = 1;
	if (rest->n && rest->p[0] == '*') {
		*rest = str_behind(*rest, 1);
		return true;
	}
	while (n < rest->n && rest->p[n] >= '0' && rest->p[n] <= '9')
		n++;
	if (n == 0 || decimal_text_int((struct str){ rest->p, n }, out) != DECIMAL_OK)
		return false;
	*rest = str_behind(*rest, n);
	return true;
}

static bool take_char(struct str *rest, char c)
{
	if (rest->n == 0 || str_lower(rest->p[0]) != str_lower(c))
		return false;
	*rest = str_behind(*rest, 1);
	return true;
}

static bool is_word(struct str s, const char *word)
{
	while (*word && take_char(&s, *word))
		word++;
	return !*word && s.n == 0;
}

static void take_mode(struct str *rest, struct engine_step *s)
{
	size_t n = 0;

	while (n < rest->n && rest->p[n] != ' ' && rest->p[n] != ']')
		n++;
	s->phase = ENGINE_OTHER;
	for (size_t i = 0; i < COUNT(modes); i++)
		if (is_word((struct str){ rest->p, n }, modes[i].word)) {
			s->phase = modes[i].phase;
			s->checks_drafts = modes[i].checks_drafts;
		}
	*rest = str_behind(*rest, n);
}

/* "bs=117/128": of a batch that was padded the first is what it holds. */
static bool take_value(struct str item, struct engine_step *s)
{
	const char *equals = memchr(item.p, '=', item.n);
	size_t n = equals ? (size_t)(equals - item.p) : 0;

	if (n == 0)
		return true;
	for (size_t i = 0; i < COUNT(keys); i++) {
		struct str rest = str_behind(item, n + 1);
		if (!is_word((struct str){ item.p, n }, keys[i].key))
			continue;
		return take_number(&rest, value_of(s, keys[i].value)) &&
		       (rest.n == 0 || rest.p[0] == '/');
	}
	return true;
}

/* The last ']' of the name ends them; a list within them has brackets of its own. */
static bool take_keys(struct str *rest, struct engine_step *s)
{
	if (rest->n == 0 || rest->p[rest->n - 1] != ']')
		return false;
	for (size_t i = 0, from = 0; i < rest->n; i++) {
		if (rest->p[i] != ' ' && i + 1 < rest->n)
			continue;
		if (!take_value((struct str){ rest->p + from, i - from }, s))
			return false;
		from = i + 1;
	}
	*rest = str_behind(*rest, rest->n);
	return s->requests != NUMBER_NONE;
}

/* Up to what the pattern goes on with, which ends the name. */
static bool take_any(struct str *rest, const char *pattern)
{
	size_t n = strlen(pattern);

	if (rest->n < n)
		return false;
	*rest = str_behind(*rest, rest->n - n);
	return true;
}

static bool take_part(struct str *rest, const char *letter, struct engine_step *s)
{
	int64_t ignored;

	switch (*letter) {
	case '*':
		return take_number(rest, &ignored);
	case 'w':
		take_mode(rest, s);
		return true;
	case '=':
		return take_keys(rest, s);
	case '_':
		return take_any(rest, letter + 1);
	case 's':
		if (rest->n && rest->p[0] && strchr(" _#-:", rest->p[0]))
			*rest = str_behind(*rest, 1);
		return true;
	default:
		return take_number(rest, value_of(s, *letter));
	}
}

static bool is_spelled(struct str name, const struct spelling *how, struct engine_step *s)
{
	for (const char *p = how->pattern; *p; p++) {
		if (*p != '%' && !take_char(&name, *p))
			return false;
		if (*p == '%' && !take_part(&name, ++p, s))
			return false;
	}
	return name.n == 0;
}

static bool is_known(int64_t value)
{
	return value != NUMBER_NONE;
}

/* Of both kinds of requests; a kind of which there is none adds nothing. */
static int64_t both(const struct engine_step *s, int64_t prompts, int64_t decodes)
{
	if (!is_known(prompts) && s->prompts.n == 0)
		prompts = 0;
	if (!is_known(decodes) && s->decodes.n == 0)
		decodes = 0;
	return is_known(prompts) && is_known(decodes) ? sum_add(prompts, decodes)
						      : NUMBER_NONE;
}

static enum engine_phase phase_of(int64_t prompts, int64_t decodes)
{
	if (prompts > 0 && decodes > 0)
		return ENGINE_MIXED;
	if (prompts > 0)
		return ENGINE_PREFILL;
	return decodes > 0 ? ENGINE_DECODE : ENGINE_OTHER;
}

static void set_default(int64_t *value, int64_t instead)
{
	if (!is_known(*value))
		*value = instead;
}

/* What is told of all and of one kind tells the other. */
static void complete(struct engine_step *s, bool is_one_each)
{
	bool is_apart = is_known(s->prompts.n) && is_known(s->decodes.n);

	if (s->phase == ENGINE_UNTOLD && is_apart)
		s->phase = phase_of(s->prompts.n, s->decodes.n);
	if (s->phase == ENGINE_PREFILL) {
		set_default(&s->prompts.n, s->requests);
		set_default(&s->decodes.n, 0);
		set_default(&s->prompts.q, s->tokens);
	} else if (s->phase == ENGINE_DECODE) {
		set_default(&s->decodes.n, s->requests);
		set_default(&s->prompts.n, 0);
		set_default(&s->decodes.q, s->tokens);
	}
	if (is_one_each)
		set_default(&s->decodes.q, s->decodes.n);
	set_default(&s->requests, both(s, s->prompts.n, s->decodes.n));
	set_default(&s->tokens, both(s, s->prompts.q, s->decodes.q));
	set_default(&s->context_tokens, both(s, s->prompts.k, s->decodes.k));
}

struct engine_step engine_step_unknown(void)
{
	static const struct engine_requests none = { NUMBER_NONE, NUMBER_NONE,
						     NUMBER_NONE, NUMBER_NONE,
						     NUMBER_NONE };

	return (struct engine_step){ .number = NUMBER_NONE,
				     .requests = NUMBER_NONE,
				     .tokens = NUMBER_NONE,
				     .context_tokens = NUMBER_NONE,
				     .prompts = none,
				     .decodes = none };
}

bool engine_step_parse(struct str name, struct engine_step *out)
{
	for (size_t i = 0; i < COUNT(spellings); i++) {
		const struct spelling *how = &spellings[i];
		if (!name.n || str_lower(name.p[0]) != str_lower(how->pattern[0]))
			continue;
		*out = engine_step_unknown();
		out->engine = how->engine;
		out->is_label = (how->flags & LABEL) != 0;
		out->phase = how->phase;
		if (!is_spelled(name, how, out))
			continue;
		complete(out, (how->flags & ONE_EACH) && !out->checks_drafts);
		return true;
	}
	return false;
}

/*
 * Functions that run one step, for recordings of before these engines wrote annotations.
 * SGLang replays graphs for steps that generate alone.
 */
/* clang-format off */
static const struct {
	const char *engine, *file, *function;
	enum engine_phase phase;
} frames[] = {
	{ "SGLang frames", "model_executor/model_runner.py", "forward_extend", ENGINE_PREFILL },
	{ "SGLang frames", "model_executor/model_runner.py", "forward_split_prefill", ENGINE_PREFILL },
	{ "SGLang frames", "model_executor/model_runner.py", "forward_decode", ENGINE_DECODE },
	{ "SGLang frames", "model_executor/model_runner.py", "forward_idle", ENGINE_OTHER },
	{ "SGLang frames", "model_executor/cuda_graph_runner.py", "replay", ENGINE_DECODE },
	{ "vLLM frames", "vllm/v1/worker/gpu_model_runner.py", "execute_model", ENGINE_UNTOLD },
	{ "vLLM frames", "vllm/v1/worker/gpu/model_runner.py", "execute_model", ENGINE_UNTOLD },
	{ "vLLM frames", "vllm/worker/model_runner.py", "execute_model", ENGINE_UNTOLD },
};
/* clang-format on */

/* Does a text end with these, as whole parts of a path? */
static bool ends_with_path(struct str text, struct str end)
{
	size_t n = text.n - end.n;

	return text.n >= end.n && str_equal(str_behind(text, n), end) &&
	       (n == 0 || text.p[n - 1] == '/');
}

bool engine_frame_parse(struct str name, struct engine_step *out)
{
	const char *open = name.n ? memchr(name.p, '(', name.n) : NULL;

	if (!open)
		return false;
	struct str file = { name.p, (size_t)(open - name.p) };
	struct str rest = str_behind(name, file.n + 1);
	int64_t line;
	if (!take_number(&rest, &line) || !str_starts_with(rest, STR_LIT("): ")))
		return false;
	rest = str_behind(rest, 3);
	for (size_t i = 0; i < COUNT(frames); i++) {
		if (!str_is(rest, frames[i].function) ||
		    !ends_with_path(file, str_of(frames[i].file)))
			continue;
		*out = engine_step_unknown();
		out->engine = frames[i].engine;
		out->phase = frames[i].phase;
		return true;
	}
	return false;
}

void engine_step_merge(struct engine_step *step, const struct engine_step *other)
{
	bool is_told = step->phase != ENGINE_UNTOLD && step->phase != ENGINE_OTHER;

	if (!is_told && other->phase != ENGINE_UNTOLD && other->phase != ENGINE_OTHER) {
		/* what a draft's pass says of the batch is of less account */
		struct engine_step before = *step;
		step->phase = other->phase;
		step->requests = other->requests;
		step->tokens = other->tokens;
		step->context_tokens = other->context_tokens;
		set_default(&step->requests, before.requests);
		set_default(&step->context_tokens, before.context_tokens);
		return;
	}
	if (step->phase == ENGINE_UNTOLD)
		step->phase = other->phase;
	if (is_told && other->phase != step->phase)
		return;
	set_default(&step->requests, other->requests);
	set_default(&step->tokens, other->tokens);
	set_default(&step->context_tokens, other->context_tokens);
}

bool engine_serves(struct str engine)
{
	static const char *const serving[] = { "vLLM", "SGLang", "ATOM", "TensorRT-LLM" };

	for (size_t i = 0; i < COUNT(serving); i++)
		if (str_starts_with(engine, str_of(serving[i])))
			return true;
	return false;
}

static const char *const phase_names[NENGINE_PHASES] = {
	[ENGINE_PREFILL] = "prefill",
	[ENGINE_DECODE] = "decode",
	[ENGINE_MIXED] = "mixed",
	[ENGINE_OTHER] = "other",
};

const char *engine_phase_name(enum engine_phase phase)
{
	return phase_names[phase];
}

enum engine_phase engine_phase_of(struct str name)
{
	for (int i = ENGINE_UNTOLD + 1; i < NENGINE_PHASES; i++)
		if (str_is(name, phase_names[i]))
			return (enum engine_phase)i;
	return ENGINE_UNTOLD;
}
