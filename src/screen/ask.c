/* How the browser asks for a table, and waits for it. */

#include "base/arena.h"
#include "screen/browser.h"
#include "screen/place_lines.h"
#include "screen/question.h"

#define PATIENCE_MS 200 /* before it is told that something is worked at */

#define BROKEN_OFF "cancelled; R asks again"

static void draw_waiting(struct browser *b)
{
	int columns = tty_columns(b->tty);

	if (browser_place(b))
		browser_draw(b);
	tty_text(b->tty, (struct tty_spot){ tty_lines(b->tty) - 1, 0, columns, 0 },
		 STR_LIT("working...  Esc cancels"), LOOK_PLAIN);
	tty_show(b->tty);
}

/* Other keys are for what comes after it. */
static bool breaks_off(struct browser *b, int key)
{
	switch (key) {
	case TTY_ENDED:
		b->is_over = true;
		return true;
	case TTY_ESCAPE:
	case TTY_INTERRUPT:
		b->npending = 0;
		return true;
	case 'Q':
		b->npending = 0;
		b->is_over = true;
		return true;
	default:
		if (b->npending < BROWSER_PENDING)
			b->pending[b->npending++] = key;
		return false;
	}
}

/* NULL with err set where there is no answer. */
static struct table *wait_for(struct browser *b, struct question *q, struct err *err)
{
	int patience = PATIENCE_MS;

	for (;;) {
		int key = tty_key(b->tty, q->fd, patience);
		if (key == TTY_READY && !question_read(q))
			return question_end(q, err);
		if (key == TTY_READY)
			continue;
		if (key != TTY_TIMEOUT && breaks_off(b, key)) {
			question_break(q);
			err_set(err, ERR_INTERRUPT, BROKEN_OFF);
			return NULL;
		}
		if (key == TTY_TIMEOUT && patience > 0)
			draw_waiting(b);
		if (key == TTY_TIMEOUT)
			patience = -1;
	}
}

bool browser_ask(struct browser *b, struct place *p)
{
	int columns = tty_columns(b->tty), argc;
	struct arena arena = { 0 };
	struct err err = ERR_INIT;
	struct table *answer = NULL;
	struct question q;
	char **argv;

	if (p->is_asked)
		return true;
	argc = place_argv(p, b->screen, columns, &arena, &argv);
	if (question_start(&q, b->screen->source, argc, argv, &err) == 0)
		answer = wait_for(b, &q, &err);
	arena_release(&arena);
	if (!answer && p->answer) {
		browser_tell_error(b, err.text);
		return false;
	}
	if (answer) {
		/* the old sheet borrows from the old answer until the new one is laid out */
		struct table *old = p->answer;
		p->answer = answer;
		place_lay_out(p, b->screen, columns, NULL);
		table_free(old);
		if (!old && p->cursor >= browser_height(b))
			place_begin(p); /* a picture above the rows is seen first */
	} else {
		place_lay_out(p, b->screen, columns, err.text);
	}
	p->is_asked = true;
	return true;
}
