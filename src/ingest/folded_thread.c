/* Who was sampled, in the first frames of a folded stack: see folded.h. */
#include "base/decimal.h"
#include "ingest/folded.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "process 42:"python x.py; y";": the text goes on behind it.  False: it is not whole. */
static bool take_process(struct str *text, struct sample_thread_fact *thread,
			 struct str *process)
{
	size_t n = sizeof("process ") - 1, digits = n;

	while (digits < text->n && is_digit(text->p[digits]))
		digits++;
	if (digits == n || digits + 2 > text->n || text->p[digits] != ':' ||
	    text->p[digits + 1] != '"')
		return false;
	decimal_text_int((struct str){ text->p + n, digits - n }, &thread->pid);
	struct str command = str_behind(*text, digits + 2);
	for (n = 0; n + 1 < command.n; n++)
		if (command.p[n] == '"' && command.p[n + 1] == ';')
			break;
	if (n + 1 >= command.n)
		return false;
	*process = (struct str){ command.p, n };
	*text = str_behind(command, n + 2);
	return true;
}

/* "thread (1234): name;", likewise; what is none is a frame. */
static void take_thread_name(struct str *text, struct sample_thread_fact *thread,
			     struct str *name)
{
	size_t n = sizeof("thread (") - 1;
	const char *close = memchr(text->p, ')', text->n);
	const char *end = memchr(text->p, ';', text->n);
	struct str id = { text->p + n, close ? (size_t)(close - text->p) - n : 0 };
	char padded[DECIMAL_PADDING * 4] = { 0 };

	if (!close || !end || close >= end || id.n >= sizeof(padded) / 2)
		return;
	memcpy(padded, id.p, id.n);
	if (!decimal_id((struct str){ padded, id.n }, &thread->tid))
		thread->tid = NUMBER_NONE;
	*name = (struct str){ close + 1, (size_t)(end - close) - 1 };
	while (name->n && (name->p[0] == ':' || name->p[0] == ' '))
		*name = str_behind(*name, 1);
	*text = str_behind(*text, (size_t)(end - text->p) + 1);
}

/* Both of them, as py-spy puts them in front of frames. */
static bool take_py_spy(struct str *rest, struct sample_thread_fact *thread,
			struct str *process, struct str *name)
{
	struct str text = *rest;

	if (str_starts_with(text, STR_LIT("process ")) &&
	    !take_process(&text, thread, process))
		return false;
	if (str_starts_with(text, STR_LIT("thread (")))
		take_thread_name(&text, thread, name);
	bool is_taken = text.p != rest->p;
	*rest = text;
	return is_taken;
}

/* The number behind a letter, up to the ';' or ':' that ends it; moves the text on. */
static bool take_number(struct str *text, int64_t *number)
{
	size_t n = 0;

	while (n < text->n && text->p[n] != ';' && text->p[n] != ':')
		n++;
	if (n == 0 || n == text->n ||
	    decimal_text_int((struct str){ text->p, n }, number) != DECIMAL_OK)
		return false;
	*text = str_behind(*text, n + 1);
	return true;
}

/* "P42;T7;", "P42;T0:7;" of Austin and "tid:7;" of profiling.sampling. */
static bool take_austin(struct str *rest, struct sample_thread_fact *thread)
{
	struct str text = *rest;
	int64_t interpreter;

	if (str_starts_with(text, STR_LIT("tid:"))) {
		text = str_behind(text, 4);
		if (!take_number(&text, &thread->tid))
			return false;
		*rest = text;
		return true;
	}
	if (text.n < 2 || text.p[0] != 'P' || !is_digit(text.p[1]))
		return false;
	text = str_behind(text, 1);
	if (!take_number(&text, &thread->pid) || text.n < 2 || text.p[0] != 'T')
		return false;
	text = str_behind(text, 1);
	const char *end = memchr(text.p, ';', text.n);
	const char *colon = memchr(text.p, ':', text.n);
	if (!end)
		return false;
	if (colon && colon < end && !take_number(&text, &interpreter))
		return false;
	if (!take_number(&text, &thread->tid))
		thread->tid = NUMBER_NONE,
		text = str_behind(text, (size_t)(end - text.p) + 1);
	*rest = text;
	return true;
}

bool folded_thread(struct str *rest, struct folded_thread *out)
{
	*out = (struct folded_thread){ .fact = { NUMBER_NONE, NUMBER_NONE, TEXT_NONE,
						 TEXT_NONE } };
	if (rest->n == 0 || !memchr("pPt", rest->p[0], 3))
		return false;
	return take_py_spy(rest, &out->fact, &out->process, &out->thread) ||
	       take_austin(rest, &out->fact);
}
