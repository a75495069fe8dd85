/* Numbers as block characters: see blocks.h. */
#include "base/blocks.h"

#define NBLOCKS 8

static const char *const blocks[NBLOCKS] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };

/* The place of a share in `steps` steps, rounded to the nearest. */
static size_t step_of(double share, size_t steps)
{
	if (!(share > 0))
		return 0;
	return share >= 1 ? steps : (size_t)(share * (double)steps + 0.5);
}

void blocks_add_level(struct buf *out, double share)
{
	buf_add(out, blocks[step_of(share, NBLOCKS - 1)], BLOCKS_BYTES);
}

void blocks_add_cover(struct buf *out, double share)
{
	size_t eighths = step_of(share, NBLOCKS);

	if (share > 0)
		buf_add(out, blocks[eighths ? eighths - 1 : 0], BLOCKS_BYTES);
	else
		buf_add_char(out, ' ');
}

void blocks_add_curve(struct buf *out, const double *values, size_t n, double low,
		      double high)
{
	for (size_t i = 0; i < n; i++)
		blocks_add_level(out, high > low ? (values[i] - low) / (high - low) : 0);
}

size_t blocks_squeeze(double *values, size_t n, size_t most)
{
	if (n <= most || most == 0)
		return n;
	for (size_t i = 0, from = 0; i < most; i++) {
		size_t to = n / most * (i + 1) + n % most * (i + 1) / most;
		double largest = values[from];
		for (; from < to; from++)
			largest = values[from] > largest ? values[from] : largest;
		values[i] = largest;
	}
	return most;
}
