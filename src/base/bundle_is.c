/* What archives begin with: see bundle.h. */
#include "base/bundle.h"

#define TAR_CHECKSUM_AT     148
#define TAR_CHECKSUM_LENGTH 8
#define TAR_MAGIC_AT        257

bool bundle_is_zip(struct bytes head)
{
	return head.n >= 4 && head.p[0] == 'P' && head.p[1] == 'K' &&
	       ((head.p[2] == 3 && head.p[3] == 4) || (head.p[2] == 5 && head.p[3] == 6));
}

/* The number in spaces, octal digits and a NUL or a space; -1: it is none. */
static int64_t octal(const uint8_t *p, size_t n)
{
	int64_t value = 0;
	size_t i = 0;

	while (i < n && p[i] == ' ')
		i++;
	size_t first = i;
	for (; i < n && p[i] >= '0' && p[i] <= '7'; i++)
		value = value * 8 + (p[i] - '0');
	return i > first && (i == n || p[i] == '\0' || p[i] == ' ') ? value : -1;
}

/* As the format says, its own bytes count as blanks; old tars summed signed chars. */
static bool has_tar_checksum(const uint8_t *head)
{
	int64_t sum = 0, high = 0;

	for (size_t i = 0; i < BUNDLE_HEAD; i++) {
		bool is_own =
			i >= TAR_CHECKSUM_AT && i - TAR_CHECKSUM_AT < TAR_CHECKSUM_LENGTH;
		sum += is_own ? ' ' : head[i];
		high += !is_own && head[i] >= 0x80;
	}
	int64_t said = octal(head + TAR_CHECKSUM_AT, TAR_CHECKSUM_LENGTH);
	return said >= 0 && (said == sum || said == sum - 256 * high);
}

/* The magic of POSIX or of GNU, which both have a NUL, so that no text has them. */
static bool has_tar_magic(const uint8_t *head)
{
	return memcmp(head + TAR_MAGIC_AT, "ustar\0", 6) == 0 ||
	       memcmp(head + TAR_MAGIC_AT, "ustar  \0", 8) == 0;
}

static bool is_tar(struct bytes head)
{
	return head.n >= BUNDLE_HEAD &&
	       (has_tar_magic(head.p) || has_tar_checksum(head.p));
}

bool bundle_is(struct bytes head)
{
	return bundle_is_zip(head) || is_tar(head);
}
