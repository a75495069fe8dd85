/* Words of command lines: see shell_word.h. */
#include "base/shell_word.h"

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
