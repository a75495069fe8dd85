/* Natural order: see natural.h.  Digits are those of ASCII, and may be any number. */
#include "base/natural.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The digits at the start of a text without leading zeros; *text moves behind them. */
static struct str take_number(struct str *text)
{
	size_t zeros = 0, end;

	while (zeros < text->n && text->p[zeros] == '0')
		zeros++;
	for (end = zeros; end < text->n && is_digit(text->p[end]);)
		end++;
	struct str digits = { text->p + zeros, end - zeros };
	*text = (struct str){ text->p + end, text->n - end };
	return digits;
}

static int compare_numbers(struct str *a, struct str *b)
{
	struct str x = take_number(a), y = take_number(b);

	if (x.n != y.n)
		return x.n < y.n ? -1 : 1;
	return x.n ? memcmp(x.p, y.p, x.n) : 0;
}

/* A folder's files stand before those of its name's continuation: "a/b" before "a.b". */
static int weight(char c)
{
	return c == '/' ? 0 : (unsigned char)c + 1;
}

int natural_compare(struct str a, struct str b)
{
	struct str x = a, y = b;

	while (x.n > 0 && y.n > 0) {
		if (is_digit(*x.p) && is_digit(*y.p)) {
			int order = compare_numbers(&x, &y);
			if (order)
				return order;
			continue;
		}
		if (*x.p != *y.p)
			return weight(*x.p) < weight(*y.p) ? -1 : 1;
		x = (struct str){ x.p + 1, x.n - 1 };
		y = (struct str){ y.p + 1, y.n - 1 };
	}
	if (x.n != y.n)
		return x.n < y.n ? -1 : 1;
	return str_compare(a, b);
}
