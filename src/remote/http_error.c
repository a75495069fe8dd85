/* Failures of servers in words: see http_error.h. */
#include "remote/http_error.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define SAID_MAX 280

/* Codes of src/Common/ErrorCodes.cpp that mean the same in 18.16 and today. */
enum {
	CODE_NO_TABLE = 60,
	CODE_NO_DATABASE = 81,
	CODE_READONLY = 164,
	CODE_NO_USER = 192,
	CODE_WRONG_PASSWORD = 193,
	CODE_NEEDS_PASSWORD = 194,
	CODE_NO_COLUMN = 16,
	CODE_UNKNOWN_IDENTIFIER = 47,
	CODE_NO_RIGHTS = 497,
	CODE_LOGIN = 516
};

enum { HTTP_UNAUTHORIZED = 401, HTTP_FORBIDDEN = 403 };

long http_error_code(struct str text)
{
	static const char word[] = "Code: ";
	char digits[12] = "";

	for (size_t i = 0; i + sizeof(word) <= text.n; i++) {
		if (memcmp(text.p + i, word, sizeof(word) - 1) != 0)
			continue;
		struct str rest = str_behind(text, i + sizeof(word) - 1);
		size_t n = 0;
		while (n < rest.n && n + 1 < sizeof(digits) && rest.p[n] >= '0' &&
		       rest.p[n] <= '9') {
			digits[n] = rest.p[n];
			n++;
		}
		return strtol(digits, NULL, 10);
	}
	return 0;
}

bool http_error_passes(long code)
{
	/* too many questions; network and its timeout; too many parts; all replicas failed */
	static const long passing[] = { 202, 209, 210, 252, 279 };

	for (size_t i = 0; i < sizeof(passing) / sizeof(*passing); i++)
		if (code == passing[i])
			return true;
	return false;
}

bool http_is_header(const char *text)
{
	for (; text && *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

/* The first line, without what ClickHouse adds to it and without the password. */
static void said(const struct http_failure *failure, struct buf *out)
{
	static const char *const noise[] = { ", Stack trace", " (version ",
					     "Stack trace:" };
	struct str text = failure->text;
	size_t secret = failure->password ? strlen(failure->password) : 0;

	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '\n' || text.p[i] == '\0')
			text.n = i;
	for (size_t k = 0; k < sizeof(noise) / sizeof(*noise); k++) {
		const char *at =
			text.n ? memmem(text.p, text.n, noise[k], strlen(noise[k]))
			       : NULL;
		if (at)
			text.n = (size_t)(at - text.p);
	}
	buf_init(out, SAID_MAX);
	while (text.n && out->n + 4 < SAID_MAX) {
		bool hides = secret && text.n >= secret &&
			     memcmp(text.p, failure->password, secret) == 0;
		buf_add_text(out, hides ? "***" : "");
		if (!hides)
			buf_add_char(out, *text.p);
		text = str_behind(text, hides ? secret : 1);
	}
	buf_add_text(out, text.n ? "..." : "");
}

static int wrong_login(const struct http_failure *failure, struct err *err)
{
	const char *user = failure->url->user;

	return err_set(err, ERR_IO,
		       "the server refuses user '%.100s': the name or the password is "
		       "wrong (PTOOL_PASSWORD)",
		       user ? user : HTTP_DEFAULT_USER);
}

static int missing(const struct http_failure *failure, long code, struct err *err)
{
	const char *database = failure->url->database;

	if (code == CODE_NO_DATABASE)
		return err_set(err, ERR_INPUT, "the server has no database '%.100s'",
			       database);
	return err_set(err, ERR_INPUT,
		       "the database '%.100s' lacks tables of this ptool; 'ptool schema "
		       "clickhouse' prints what makes them",
		       database);
}

int http_error(const struct http_failure *failure, struct err *err)
{
	long code = http_error_code(failure->text);
	struct buf text;

	switch (code) {
	case CODE_NO_USER:
	case CODE_WRONG_PASSWORD:
	case CODE_NEEDS_PASSWORD:
	case CODE_LOGIN:
		return wrong_login(failure, err);
	case CODE_NO_TABLE:
	case CODE_NO_DATABASE:
	case CODE_NO_COLUMN:
	case CODE_UNKNOWN_IDENTIFIER:
		return missing(failure, code, err);
	default:
		break;
	}
	if (code == 0 &&
	    (failure->status == HTTP_UNAUTHORIZED || failure->status == HTTP_FORBIDDEN))
		return wrong_login(failure, err);
	said(failure, &text);
	if (code == CODE_READONLY || code == CODE_NO_RIGHTS)
		err_set(err, ERR_IO, "user '%.100s' may not do this: %s",
			failure->url->user ? failure->url->user : HTTP_DEFAULT_USER,
			text.p);
	else if (text.n)
		err_set(err, ERR_IO, "the server answers: %s", text.p);
	else
		err_set(err, ERR_IO, "the server answers with status %ld",
			failure->status);
	buf_release(&text);
	return -1;
}

int http_error_network(const struct http_failure *failure, struct err *err)
{
	struct buf text;

	said(failure, &text);
	err_set(err, ERR_IO, "%s", text.p);
	buf_release(&text);
	return -1;
}

int http_error_certificate(const struct http_failure *failure, struct err *err)
{
	struct buf text;

	said(failure, &text);
	err_set(err, ERR_IO, "the server's certificate is refused: %s%s", text.p,
		failure->has_cacert ? ""
				    : "; --cacert FILE or PTOOL_CACERT names another "
				      "authority to trust");
	buf_release(&text);
	return -1;
}
