/* Who was sampled, in the first frames of a folded stack: see folded.h. */
#include "base/decimal.h"
#include "ingest/folded.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Goes behind n bytes and the ';' that follows them, if the text goes on. */
static void pass(struct str *text, size_t n)
{
	*text = str_behind(*text, n + (n < text->n));
}

/* "process 42:"python x.py; y";", which a '"' in front of ';' or the end closes. */
static bool take_process(struct str *text, struct folded_thread *out)
{
	size_t n = sizeof("process ") - 1, digits = n;

	while (digits < text->n && is_digit(text->p[digits]))
		digits++;
	if (digits == n || digits + 2 > text->n || text->p[digits] != ':' ||
	    text->p[digits + 1] != '"')
		return false;
	struct str command = str_behind(*text, digits + 2);
	for (size_t end = 0; end < command.n; end++) {
		if (command.p[end] != '"' ||
		    (end + 1 < command.n && command.p[end + 1] != ';'))
			continue;
		decimal_text_int((struct str){ text->p + n, digits - n }, &out->fact.pid);
		out->process = (struct str){ command.p, end };
		pass(&command, end + 1);
		*text = command;
		return true;
	}
	return false;
}

/* "thread (1234): name;"; "thread (worker.py:12)" is a function. */
static bool take_thread(struct str *text, struct folded_thread *out)
{
	size_t n = sizeof("thread (") - 1;
	const char *semicolon = memchr(text->p, ';', text->n);
	size_t end = semicolon ? (size_t)(semicolon - text->p) : text->n;
	const char *close = memchr(text->p, ')', end);
	struct str id = { text->p + n, close ? (size_t)(close - text->p) - n : 0 };
	char padded[DECIMAL_PADDING * 4] = { 0 };

	if (!close || id.n >= sizeof(padded) / 2)
		return false;
	struct str name = { close + 1, (size_t)(text->p + end - close) - 1 };
	memcpy(padded, id.p, id.n);
	if ((name.n && name.p[0] != ':') ||
	    !decimal_id((struct str){ padded, id.n }, &out->fact.tid))
		return false;
	out->thread = name;
	while (out->thread.n && (out->thread.p[0] == ':' || out->thread.p[0] == ' '))
		out->thread = str_behind(out->thread, 1);
	pass(text, end);
	return true;
}

bool folded_py_spy(struct str *rest, struct folded_thread *out)
{
	struct str text = *rest;

	/* a process that another started is below that */
	while (str_starts_with(text, STR_LIT("process ")) && take_process(&text, out))
		;
	if (str_starts_with(text, STR_LIT("thread (")))
		take_thread(&text, out);
	bool is_taken = text.p != rest->p;
	*rest = text;
	return is_taken;
}

/* The number up to ';', ':' or the end; moves the text on behind these. */
static bool take_number(struct str *text, int64_t *number)
{
	size_t n = 0;

	while (n < text->n && text->p[n] != ';' && text->p[n] != ':')
		n++;
	if (n == 0 || decimal_text_int((struct str){ text->p, n }, number) != DECIMAL_OK)
		return false;
	pass(text, n);
	return true;
}

/* "P42;T7;", "P42;T0:7;" of Austin, whose stack may be empty. */
static bool take_austin(struct str *rest, struct folded_thread *out)
{
	struct str text = str_behind(*rest, 1);
	struct sample_thread_fact *fact = &out->fact;
	int64_t interpreter;

	if (text.n == 0 || !is_digit(text.p[0]) || !take_number(&text, &fact->pid) ||
	    text.n < 2 || text.p[0] != 'T')
		return false;
	text = str_behind(text, 1);
	const char *semicolon = memchr(text.p, ';', text.n);
	size_t end = semicolon ? (size_t)(semicolon - text.p) : text.n;
	struct str id = { text.p, end };
	if (memchr(id.p, ':', id.n) && !take_number(&id, &interpreter))
		return false;
	if (!take_number(&id, &fact->tid) || id.n)
		fact->tid = NUMBER_NONE;
	pass(&text, end);
	*rest = text;
	return true;
}

/* "tid:7;" of profiling.sampling. */
static bool take_tid(struct str *rest, struct folded_thread *out)
{
	struct str text = *rest;

	if (!str_starts_with(text, STR_LIT("tid:")))
		return false;
	text = str_behind(text, 4);
	if (!take_number(&text, &out->fact.tid))
		return false;
	*rest = text;
	return true;
}

bool folded_thread(struct str *rest, struct folded_thread *out)
{
	if (rest->n == 0)
		return false;
	if (rest->p[0] == 'P')
		return take_austin(rest, out);
	if (rest->p[0] != 'p' && rest->p[0] != 't')
		return false;
	return folded_py_spy(rest, out) || take_tid(rest, out);
}

int folded_sampled(struct stacks *stacks, const struct folded_thread *who,
		   uint64_t offset, uint32_t *out, struct err *err)
{
	struct sample_thread_fact fact = who->fact;

	if (who->process.n &&
	    stacks_name(stacks, who->process, offset, &fact.process, err) < 0)
		return -1;
	if (who->thread.n &&
	    stacks_name(stacks, who->thread, offset, &fact.thread, err) < 0)
		return -1;
	*out = stacks->sink->sample_thread(stacks->sink, &fact);
	return 0;
}
