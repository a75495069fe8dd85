/* URLs of databases: see url.h. */
#include "remote/url.h"

#include <string.h>

#include "base/buf.h"
#include "base/decimal.h"

#define TEXT_MAX_BYTES 4096
#define PORT_MAX       65535

static const char plain[] = "clickhouse://", tls[] = "clickhouses://";

bool url_is(const char *text)
{
	struct str url = str_of(text);

	return str_starts_with(url, str_of(plain)) || str_starts_with(url, str_of(tls));
}

static int wrong(const char *why, struct err *err)
{
	return err_set(err, ERR_USAGE,
		       "%s; wanted is clickhouse[s]://[user@]host[:port]/database"
		       "[?run=NAME]",
		       why);
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* NULL: a '%' without two digits after it, or %00. */
static const char *decoded(struct str text, struct arena *arena)
{
	char *out = arena_alloc(arena, text.n + 1), *to = out;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		if (c == '%') {
			int high = i + 1 < text.n ? hex(text.p[i + 1]) : -1;
			int low = i + 2 < text.n ? hex(text.p[i + 2]) : -1;
			if (high < 0 || low < 0 || (high == 0 && low == 0))
				return NULL;
			c = (char)(high << 4 | low);
			i += 2;
		}
		*to++ = c;
	}
	*to = '\0';
	return out;
}

/* The text up to the character, which goes too; all of it when there is none. */
static struct str cut_at(struct str *text, char c)
{
	const char *at = text->n ? memchr(text->p, c, text->n) : NULL;
	struct str head = { text->p, at ? (size_t)(at - text->p) : text->n };

	*text = at ? str_behind(*text, head.n + 1) : (struct str){ text->p + text->n, 0 };
	return head;
}

static bool is_host(struct str host)
{
	for (size_t i = 0; i < host.n; i++) {
		unsigned char c = (unsigned char)host.p[i];
		if (c <= ' ' || c >= 0x7f || strchr("/?#@%\\<>\"", c))
			return false;
	}
	return host.n > 0;
}

/* host[:port] or [address][:port] */
static int read_host(struct str text, struct arena *arena, struct remote_url *out,
		     struct err *err)
{
	struct str host;
	int64_t port = out->is_tls ? URL_PORT_TLS : URL_PORT;

	if (text.n && *text.p == '[') {
		host = cut_at(&text, ']');
		host.n++;
		if (text.n && *text.p != ':')
			return wrong("only a port may follow ']'", err);
		if (text.n)
			text = str_behind(text, 1);
	} else {
		host = cut_at(&text, ':');
	}
	if (!is_host(host))
		return wrong("the URL has no valid host", err);
	if (text.n &&
	    (decimal_text_int(text, &port) != DECIMAL_OK || port < 1 || port > PORT_MAX))
		return wrong("the URL's port must be a number from 1 to 65535", err);
	out->host = arena_copy(arena, host).p;
	out->port = (unsigned)port;
	out->is_tls |= port == URL_PORT_TLS;
	return 0;
}

static int read_user(struct str text, struct arena *arena, struct remote_url *out,
		     struct err *err)
{
	if (text.n && memchr(text.p, ':', text.n))
		return err_set(err, ERR_USAGE,
			       "a password in the URL can be seen by others: set "
			       "PTOOL_PASSWORD instead");
	out->user = decoded(text, arena);
	return out->user && *out->user ? 0
				       : wrong("the URL's user is empty or has a bad "
					       "escape",
					       err);
}

static int read_run(struct str text, struct arena *arena, struct remote_url *out,
		    struct err *err)
{
	while (text.n) {
		struct str option = cut_at(&text, '&');
		if (!str_starts_with(option, STR_LIT("run=")))
			return wrong("the URL has an unknown option", err);
		out->run = decoded(str_behind(option, 4), arena);
		if (!out->run || !*out->run)
			return wrong("the URL's run is empty or has a bad escape", err);
	}
	return 0;
}

static const char *name_of(const struct remote_url *url, struct arena *arena)
{
	struct buf name;

	buf_init(&name, (size_t)8 * TEXT_MAX_BYTES);
	buf_add_text(&name, url->is_tls ? tls : plain);
	if (url->user) {
		url_encode(&name, url->user);
		buf_add_char(&name, '@');
	}
	buf_addf(&name, "%s:%u/", url->host, url->port);
	url_encode(&name, url->database);
	const char *text = arena_copy(arena, buf_str(&name)).p;
	buf_release(&name);
	return text;
}

int url_parse(const char *text, struct arena *arena, struct remote_url *out,
	      struct err *err)
{
	struct str rest = str_of(text);

	*out = (struct remote_url){ .database = "default" };
	if (!url_is(text))
		return wrong("this is not the URL of a database", err);
	if (rest.n > TEXT_MAX_BYTES)
		return wrong("the URL is too long", err);
	out->is_tls = str_starts_with(rest, str_of(tls));
	rest = str_behind(rest, strlen(out->is_tls ? tls : plain));
	struct str path = cut_at(&rest, '?');
	struct str place = cut_at(&path, '/');
	const char *at = place.n ? memrchr(place.p, '@', place.n) : NULL;
	if (at) {
		struct str user = { place.p, (size_t)(at - place.p) };
		if (read_user(user, arena, out, err) < 0)
			return -1;
		place = str_behind(place, user.n + 1);
	}
	if (read_host(place, arena, out, err) < 0)
		return -1;
	if (path.n && path.p[path.n - 1] == '/')
		path.n--;
	if (path.n)
		out->database = decoded(path, arena);
	if (!out->database || strchr(out->database, '/'))
		return wrong("the URL's database is not a valid name", err);
	if (read_run(rest, arena, out, err) < 0)
		return -1;
	out->name = name_of(out, arena);
	return 0;
}

void url_encode(struct buf *to, const char *text)
{
	static const char safe[] = "-_.~";

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		bool is_letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
		if (is_letter || (c >= '0' && c <= '9') || strchr(safe, c))
			buf_add_char(to, (char)c);
		else
			buf_addf(to, "%%%02X", c);
	}
}
