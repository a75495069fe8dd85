/* Data in script elements of a page: read back as browsers do. */
#include "rendering.h"

#include <stdlib.h>
#include <zlib.h>

#include "report/page_blob.h"

#define HEAD "<script type=\"application/octet-stream\" id=\"track-0\">"
#define TAIL "</script>\n"

static int digit(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = strchr(digits, c);

	assert_non_null(at);
	return (int)(at - digits);
}

/* Of `text`, to be freed; *n bytes. */
static unsigned char *unbase64(const char *text, size_t length, size_t *n)
{
	unsigned char *bytes = malloc(length + 3);

	assert_int_equal(0, length % 4);
	*n = 0;
	for (size_t i = 0; i < length; i += 4) {
		int pads = (text[i + 2] == '=') + (text[i + 3] == '=');
		int code = digit(text[i]) << 18 | digit(text[i + 1]) << 12;
		if (pads < 2)
			code |= digit(text[i + 2]) << 6;
		if (pads < 1)
			code |= digit(text[i + 3]);
		for (int k = 0; k < 3 - pads; k++)
			bytes[(*n)++] = (unsigned char)(code >> (16 - 8 * k));
	}
	return bytes;
}

static void assert_comes_back(const unsigned char *bytes, size_t n)
{
	char *text = NULL;
	size_t length = 0, nmade;
	FILE *out = open_memstream(&text, &length);
	unsigned char *back = malloc(n + 1);
	z_stream z = { 0 };

	page_blob(out, "track-0", (struct bytes){ bytes, n });
	fclose(out);
	assert_memory_equal(HEAD, text, strlen(HEAD));
	assert_string_equal(TAIL, text + length - strlen(TAIL));
	unsigned char *made = unbase64(text + strlen(HEAD),
				       length - strlen(HEAD) - strlen(TAIL), &nmade);
	assert_int_equal(Z_OK, inflateInit2(&z, -MAX_WBITS));
	z.next_in = made;
	z.avail_in = (unsigned)nmade;
	z.next_out = back;
	z.avail_out = (unsigned)n + 1;
	assert_int_equal(Z_STREAM_END, inflate(&z, Z_FINISH));
	assert_int_equal(n, z.total_out);
	assert_int_equal(0, z.avail_in);
	assert_memory_equal(bytes, back, n);
	inflateEnd(&z);
	free(made);
	free(back);
	free(text);
}

static void bytes_of_any_length_come_back(void **state)
{
	static unsigned char bytes[200000];
	uint64_t seed = 88172645463325252u;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		bytes[i] = (unsigned char)(i < 100000 ? seed : seed & 3);
	}
	for (size_t n = 0; n < 10; n++)
		assert_comes_back(bytes, n);
	assert_comes_back(bytes, 65537);
	assert_comes_back(bytes, sizeof(bytes));
}

static void no_text_ends_the_script_element(void **state)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	(void)state;
	page_data(out, "names", STR_LIT("\"</script>&\\\"<!--\xe2\x80\xa8\""));
	fclose(out);
	assert_string_equal(
		"<script type=\"application/json\" id=\"names\">"
		"\"\\u003c/script\\u003e\\u0026\\\"\\u003c!--\xe2\x80\xa8\"</script>\n",
		text);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_of_any_length_come_back),
		cmocka_unit_test(no_text_ends_the_script_element),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
