/* Reaching a database: see remote_options.h. */
#include "cli/remote_options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"

#define PASSWORD_MAX 4096
#define TIMEOUT_MAX  86400

#define INTO(type, member) OPT_INTO(type, struct remote_opts, member)

/* clang-format off */
const struct opt remote_options[] = {
	{ .name = "password-file", .arg = "FILE", .help = "read the password from this file (default: $PTOOL_PASSWORD, $CLICKHOUSE_PASSWORD or ~/.netrc)",
	  INTO(STRING, password_file) },
	{ .name = "cacert", .arg = "FILE", .help = "trust the certificates that this authority signed (default: $PTOOL_CACERT, or the system's)",
	  INTO(STRING, cacert) },
	OPT_END
};
/* clang-format on */

static const char *env(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* The first line of the file, in the arena. */
static int read_password(const char *path, struct arena *arena, const char **out,
			 struct err *err)
{
	char bytes[PASSWORD_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes) - 1);
	int number = errno;

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return err_set(err, ERR_INPUT, "--password-file '%s': %s", path,
			       strerror(number));
	bytes[n] = '\0';
	size_t length = strcspn(bytes, "\r\n");
	const char *wrong = length == sizeof(bytes) - 1            ? "is too long"
			    : length < (size_t)n && !bytes[length] ? "has a NUL byte"
								   : NULL;
	bytes[length] = '\0';
	if (!wrong)
		*out = arena_strdup(arena, bytes);
	explicit_bzero(bytes, sizeof(bytes));
	return wrong ? err_set(err, ERR_INPUT, "--password-file '%s': its first line %s",
			       path, wrong)
		     : 0;
}

static int find_password(const struct remote_opts *o, struct arena *arena,
			 const char **out, struct err *err)
{
	if (o && o->password_file)
		return read_password(o->password_file, arena, out, err);
	*out = env("PTOOL_PASSWORD");
	if (!*out)
		*out = env("CLICKHOUSE_PASSWORD");
	return 0;
}

/* PTOOL_TIMEOUT: seconds; 0 where it is not set. */
static int find_timeout(long *out, struct err *err)
{
	const char *text = env("PTOOL_TIMEOUT");
	int64_t seconds = 0;

	if (text && (decimal_text_int(str_of(text), &seconds) != DECIMAL_OK ||
		     seconds < 1 || seconds > TIMEOUT_MAX))
		return err_set(err, ERR_USAGE,
			       "PTOOL_TIMEOUT must be a number of seconds from 1 to %d",
			       TIMEOUT_MAX);
	*out = (long)seconds;
	return 0;
}

int remote_place_open(const char *url, const struct remote_opts *o,
		      struct remote_place *out, struct err *err)
{
	struct http_config config = { .url = &out->url };

	*out = (struct remote_place){ .http = NULL };
	config.cacert = o && o->cacert ? o->cacert : env("PTOOL_CACERT");
	if (url_parse(url, &out->arena, &out->url, err) < 0 ||
	    find_timeout(&config.timeout_s, err) < 0 ||
	    find_password(o, &out->arena, &config.password, err) < 0 ||
	    http_open(&config, &out->http, err) < 0) {
		remote_place_close(out);
		return -1;
	}
	return 0;
}

void remote_place_close(struct remote_place *place)
{
	http_close(place->http);
	arena_release(&place->arena);
	*place = (struct remote_place){ .http = NULL };
}
