/* Questions and their rows: see ask.h. */
#include "remote/ask.h"

#include <assert.h>
#include <string.h>

static const char *value_of(struct str name, const struct ask_word *words)
{
	for (; words && words->name; words++)
		if (str_is(name, words->name))
			return words->value;
	assert(false); /* a word that nobody gives */
	return "";
}

static bool fill_line(struct str line, const struct ask_word *words, struct buf *to)
{
	while (line.n) {
		const char *open = memchr(line.p, '{', line.n);
		size_t n = open ? (size_t)(open - line.p) : line.n;
		if (!buf_add(to, line.p, n))
			return false;
		line = str_behind(line, n);
		const char *close = open ? memchr(line.p, '}', line.n) : NULL;
		if (!close)
			break;
		n = (size_t)(close - line.p) + 1;
		if (!buf_add_text(to, value_of((struct str){ line.p + 1, n - 2 }, words)))
			return false;
		line = str_behind(line, n);
	}
	return buf_add_char(to, '\n');
}

int ask_fill(const unsigned char *file, const struct ask_word *words, struct buf *to,
	     struct err *err)
{
	const char *at = (const char *)file;

	while (*at) {
		struct str line = { at, strcspn(at, "\n") };
		at += line.n + (at[line.n] == '\n');
		if (str_starts_with(line, STR_LIT("--")))
			continue;
		if (!fill_line(line, words, to))
			return err_set(err, ERR_USAGE,
				       "this is too much for one question to a database: "
				       "choose one run with --run");
	}
	return 0;
}

static int feed(void *to, struct str bytes, struct err *err)
{
	return rowbinary_feed(to, bytes, err);
}

int ask_rows(struct http *http, const char *sql, const struct buf *live,
	     struct rowbinary_reader *reader, struct err *err)
{
	struct http_request request = {
		.sql = sql, .live = live, .take = feed, .to = reader
	};
	struct err ignored = ERR_INIT;

	rowbinary_begin(reader);
	int rc = http_ask(http, &request, err);
	if (rowbinary_end(reader, rc < 0 ? &ignored : err) < 0)
		rc = -1;
	return rc;
}

static int take_number(void *to, const struct rowbinary_cell *cells, struct err *err)
{
	uint64_t *number = to;

	(void)err;
	*number = (uint64_t)cells[0].number;
	return 0;
}

int ask_number(struct http *http, const char *sql, uint64_t *out, struct err *err)
{
	static const struct rowbinary_type type = { ROWBINARY_INT, false };
	struct rowbinary_reader reader = {
		.types = &type, .ntypes = 1, .most = 1, .row = take_number, .to = out
	};

	*out = 0;
	return ask_rows(http, sql, NULL, &reader, err);
}

int ask_nothing(struct http *http, const char *sql, struct err *err)
{
	struct http_request request = { .sql = sql };

	return http_ask(http, &request, err);
}
