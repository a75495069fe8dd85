/* Words of command lines: see shell_word.h. */
#include "base/shell_word.h"

#include <stdbool.h>
#include <string.h>

void shell_word_add(struct buf *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./:,+@%-=";

	if (out->n)
		buf_add_char(out, ' ');
	if (*word && strspn(word, plain) == strlen(word)) {
		buf_add_text(out, word);
		return;
	}
	buf_add_char(out, '\'');
	for (; *word; word++)
		if (*word == '\'')
			buf_add_text(out, "'\\''");
		else
			buf_add_char(out, *word);
	buf_add_char(out, '\'');
}

static bool is_bare(const char *word)
{
	for (const char *p = word; *p; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f ||
		    strchr("'\"\\$`&;|<>()*?[]{}!#~", *p))
			return false;
	return *word != '\0';
}

const char *shell_word_or(const char *word, const char *name)
{
	return is_bare(word) ? word : name;
}
