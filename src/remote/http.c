/* ClickHouse over HTTP: see http.h. */
#include "remote/http.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "remote/curl_lib.h"
#include "remote/http_error.h"

#ifdef PTOOL_CURL_SONAME

#define CONNECT_S       10L
#define TIMEOUT_S       300L
#define SLOWEST_BYTES_S 1000L
#define OK              200
/* A mebibyte usually; more where a single text is larger. */
#define PIECE_MAX ((size_t)1 << 30)
#define ERROR_MAX ((size_t)16 << 10)
/* Of lines before and behind an answer: a few hundred bytes usually. */
#define HEADERS_MAX ((size_t)256 << 10)
#define SQL_MAX     ((size_t)1 << 20)

struct http {
	const struct curl_lib *lib; /* borrowed */
	CURL *easy;                 /* owned; keeps its connection */
	struct http_config config;  /* borrows the next two */
	char *password, *cacert;    /* owned; or NULL */
	long code;                  /* of the server's last error; 0: it is no server's */
	bool is_closed; /* a connection that was kept ended while it was used */
};

/* One question while it is asked; all borrowed but `piece` and `error`. */
struct asking {
	struct http *http;
	const struct http_request *request;
	struct buf piece; /* of what is sent */
	size_t sent;      /* of it */
	struct buf error; /* what came with another status than 200, or unasked */
	size_t nheaders;  /* bytes of headers so far */
	bool has_head;    /* the blank line behind the headers has come */
	bool is_failed;   /* err is set */
	struct err *err;
};

static size_t send_some(char *to, size_t size, size_t n, void *user)
{
	struct asking *a = user;
	const struct http_request *r = a->request;

	if (a->sent == a->piece.n) {
		buf_clear(&a->piece);
		a->sent = 0;
		if (r->give(r->from, &a->piece, a->err) < 0) {
			a->is_failed = true;
			return CURL_READFUNC_ABORT;
		}
	}
	size_t left = a->piece.n - a->sent, room = size * n;
	size_t now = left < room ? left : room;
	if (now)
		memcpy(to, a->piece.p + a->sent, now);
	a->sent += now;
	return now;
}

static size_t receive(char *from, size_t size, size_t n, void *user)
{
	struct asking *a = user;
	const struct http_request *r = a->request;
	struct str bytes = { from, size * n };
	long status = 0;

	a->http->lib->curl_easy_getinfo(a->http->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status != OK || !r->take) {
		size_t room = ERROR_MAX - a->error.n;
		buf_add(&a->error, bytes.p, bytes.n < room ? bytes.n : room);
		/* enough to say what is wrong; the rest may have no end */
		return bytes.n <= room ? bytes.n : 0;
	}
	if (r->take(r->to, bytes, a->err) < 0) {
		a->is_failed = true;
		return 0;
	}
	return bytes.n;
}

/* libcurl limits those before an answer, but not those behind it, and keeps all. */
static size_t receive_header(char *from, size_t size, size_t n, void *user)
{
	const struct str line = { from, size * n };
	struct asking *a = user;

	if (str_starts_with(line, STR_LIT("HTTP/")))
		a->has_head = false;
	a->has_head |= str_is(line, "\r\n") || str_is(line, "\n");
	a->nheaders += size * n;
	if (a->nheaders <= HEADERS_MAX)
		return size * n;
	a->is_failed = true;
	err_set(a->err, ERR_IO, "the server's answer has more than %zu KiB of headers",
		HEADERS_MAX >> 10);
	return 0;
}

static int progress(void *user, curl_off_t down_all, curl_off_t down, curl_off_t up_all,
		    curl_off_t up)
{
	struct asking *a = user;
	const struct http_config *config = &a->http->config;

	(void)down_all;
	(void)down;
	(void)up_all;
	(void)up;
	if (a->is_failed || !config->check || config->check(a->err) == 0)
		return 0;
	a->is_failed = true;
	return 1;
}

/* The address, and with it the question where the body is something else. */
static void add_address(const struct http *http, const struct http_request *request,
			struct buf *to)
{
	const struct remote_url *url = http->config.url;

	buf_addf(to, "%s://%s:%u/?database=", url->is_tls ? "https" : "http", url->host,
		 url->port);
	url_encode(to, url->database);
	buf_add_text(to, request->give ? "&insert_distributed_sync=1"
				       : "&wait_end_of_query=1");
	if (request->live)
		buf_add_text(to, "&live_format=RowBinary&live_structure="
				 "push_id%20UInt64,no%20UInt64,"
				 "has_shapes%20Int64");
	if (request->live || request->give) {
		buf_add_text(to, "&query=");
		url_encode(to, request->sql);
	}
}

#define SET(option, value) lib->curl_easy_setopt(easy, option, value)

static void set_login(struct http *http, struct curl_slist **headers)
{
	const struct curl_lib *lib = http->lib;
	const char *user = http->config.url->user, *password = http->config.password;
	CURL *easy = http->easy;

	if (!password) {
		/* netrc's; without an entry there the user alone */
		SET(CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
		if (user)
			SET(CURLOPT_USERNAME, user);
		return;
	}
	char *line = xasprintf("X-ClickHouse-User: %s", user ? user : HTTP_DEFAULT_USER);
	*headers = lib->curl_slist_append(*headers, line);
	free(line);
	line = xasprintf("X-ClickHouse-Key: %s", password);
	*headers = lib->curl_slist_append(*headers, line);
	free(line);
}

static void set_safety(struct http *http)
{
	const struct curl_lib *lib = http->lib;
	CURL *easy = http->easy;

	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_SSL_VERIFYPEER, 1L);
	SET(CURLOPT_SSL_VERIFYHOST, 2L);
#if LIBCURL_VERSION_NUM >= 0x075500
	SET(CURLOPT_PROTOCOLS_STR, http->config.url->is_tls ? "https" : "http");
#else
	SET(CURLOPT_PROTOCOLS,
	    http->config.url->is_tls ? (long)CURLPROTO_HTTPS : (long)CURLPROTO_HTTP);
#endif
	if (http->config.cacert)
		SET(CURLOPT_CAINFO, http->config.cacert);
	SET(CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	SET(CURLOPT_LOW_SPEED_LIMIT, SLOWEST_BYTES_S);
	SET(CURLOPT_LOW_SPEED_TIME,
	    http->config.timeout_s > 0 ? http->config.timeout_s : TIMEOUT_S);
}

static curl_mime *live_part(struct http *http, const struct buf *live)
{
	const struct curl_lib *lib = http->lib;
	curl_mime *mime = lib->curl_mime_init(http->easy);
	curl_mimepart *part = lib->curl_mime_addpart(mime);

	lib->curl_mime_name(part, "live");
	lib->curl_mime_filename(part, "live");
	lib->curl_mime_data(part, live->n ? live->p : "", live->n);
	return mime;
}

static void set_callbacks(struct asking *a)
{
	const struct curl_lib *lib = a->http->lib;
	CURL *easy = a->http->easy;

	SET(CURLOPT_WRITEFUNCTION, receive);
	SET(CURLOPT_WRITEDATA, a);
	SET(CURLOPT_HEADERFUNCTION, receive_header);
	SET(CURLOPT_HEADERDATA, a);
	SET(CURLOPT_XFERINFOFUNCTION, progress);
	SET(CURLOPT_XFERINFODATA, a);
	SET(CURLOPT_NOPROGRESS, 0L);
	if (a->request->give) {
		SET(CURLOPT_POST, 1L);
		SET(CURLOPT_READFUNCTION, send_some);
		SET(CURLOPT_READDATA, a);
	} else if (!a->request->live) {
		SET(CURLOPT_POSTFIELDS, a->request->sql);
	}
}

/*
 * A server closes a connection that was idle for some seconds, also while the next
 * question is on its way.  libcurl asks again by itself where nothing of the body was
 * sent; else this is one of these errors, on a connection that was not new.
 */
static bool is_kept_connection_lost(const struct http *http, CURLcode rc)
{
	long nconnects = 1;

	if (rc == CURLE_SEND_FAIL_REWIND)
		return true;
	if (rc != CURLE_SEND_ERROR && rc != CURLE_RECV_ERROR && rc != CURLE_GOT_NOTHING)
		return false;
	http->lib->curl_easy_getinfo(http->easy, CURLINFO_NUM_CONNECTS, &nconnects);
	return nconnects == 0;
}

static const char *what_failed(const struct asking *a, CURLcode rc, const char *detail)
{
	if (a->http->is_closed || rc == CURLE_OK)
		return "the server closed the connection";
	if (rc == CURLE_WRITE_ERROR)
		return "the server sends an answer where it was asked for none";
	if (rc == CURLE_OUT_OF_MEMORY) /* of a line above 100 KB, too */
		return "a header of the server's answer is too long, or memory ran out";
	return *detail ? detail : a->http->lib->curl_easy_strerror(rc);
}

/* What was wrong, as err. */
static int judge(struct asking *a, CURLcode rc, const char *detail)
{
	struct http *http = a->http;
	const struct curl_lib *lib = http->lib;
	struct http_failure failure = { .url = http->config.url,
					.password = http->config.password,
					.has_cacert = http->config.cacert != NULL };

	http->code = 0;
	http->is_closed = false;
	if (a->is_failed)
		return -1;
	lib->curl_easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &failure.status);
	http->is_closed = failure.status == 0 && is_kept_connection_lost(http, rc);
	/* libcurl takes a head that is cut for an answer */
	bool is_cut = rc == CURLE_OK && !a->has_head;
	if (rc == CURLE_OK && failure.status == OK && !is_cut)
		return 0;
	if (!is_cut && (rc == CURLE_OK || (failure.status != OK && a->error.n))) {
		failure.text = buf_str(&a->error);
		http->code = http_error_code(failure.text);
		return http_error(&failure, a->err);
	}
	bool is_certificate = rc == CURLE_PEER_FAILED_VERIFICATION;
	failure.text = str_of(what_failed(a, rc, detail));
	return is_certificate ? http_error_certificate(&failure, a->err)
			      : http_error_network(&failure, a->err);
}

int http_ask(struct http *http, const struct http_request *request, struct err *err)
{
	struct asking a = { .http = http, .request = request, .err = err };
	const struct curl_lib *lib = http->lib;
	CURL *easy = http->easy;
	struct curl_slist *headers = NULL;
	curl_mime *mime = NULL;
	struct buf address;
	char detail[CURL_ERROR_SIZE] = "";

	buf_init(&address, 4 * SQL_MAX);
	buf_init(&a.piece, PIECE_MAX);
	buf_init(&a.error, ERROR_MAX);
	add_address(http, request, &address);
	lib->curl_easy_reset(easy);
	set_safety(http);
	/* not to be asked whether the body is welcome, which costs a second */
	headers = lib->curl_slist_append(headers, "Expect:");
	set_login(http, &headers);
	SET(CURLOPT_HTTPHEADER, headers);
	SET(CURLOPT_URL, address.p);
	SET(CURLOPT_ERRORBUFFER, detail);
	set_callbacks(&a);
	if (request->live) {
		mime = live_part(http, request->live);
		SET(CURLOPT_MIMEPOST, mime);
	}
	CURLcode rc = lib->curl_easy_perform(easy);
	int result = judge(&a, rc, detail);
	lib->curl_mime_free(mime);
	lib->curl_slist_free_all(headers);
	buf_release(&address);
	buf_release(&a.piece);
	buf_release(&a.error);
	return result;
}

int http_open(const struct http_config *config, struct http **out, struct err *err)
{
	const struct curl_lib *lib = curl_lib(err);

	*out = NULL;
	if (!lib)
		return -1;
	if (!http_is_header(config->password) || !http_is_header(config->url->user))
		return err_set(err, ERR_USAGE,
			       "the user or the password has a control character");
	CURL *easy = lib->curl_easy_init();
	if (!easy)
		xdie_of_memory();
	*out = xcalloc(1, sizeof(**out));
	**out = (struct http){ .lib = lib, .easy = easy, .config = *config };
	if (config->password)
		(*out)->config.password = (*out)->password = xstrdup(config->password);
	if (config->cacert)
		(*out)->config.cacert = (*out)->cacert = xstrdup(config->cacert);
	return 0;
}

/* What C lets the optimizer leave out. */
static void wipe(char *secret)
{
	if (secret)
		explicit_bzero(secret, strlen(secret));
	free(secret);
}

void http_close(struct http *http)
{
	if (!http)
		return;
	http->lib->curl_easy_cleanup(http->easy);
	wipe(http->password);
	free(http->cacert);
	free(http);
}

bool http_may_retry(const struct http *http)
{
	return http->is_closed || http_error_passes(http->code);
}

#else

int http_open(const struct http_config *config, struct http **out, struct err *err)
{
	(void)config;
	*out = NULL;
	return err_set(err, ERR_IO,
		       "this ptool was built without libcurl and cannot read databases "
		       "(on Debian: install libcurl4-openssl-dev and build again)");
}

void http_close(struct http *http)
{
	free(http);
}

int http_ask(struct http *http, const struct http_request *request, struct err *err)
{
	(void)http;
	(void)request;
	return err_set(err, ERR_IO, "this ptool was built without libcurl");
}

bool http_may_retry(const struct http *http)
{
	(void)http;
	return false;
}
#endif
