/* Numbers as block characters: see bars.h. */
#include "base/bars.h"

#define NBARS (BARS_HIGHEST + 1)

static const char *const bars[NBARS] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };

/* The place of a share in `steps` steps, rounded to the nearest. */
static size_t step_of(double share, size_t steps)
{
	if (!(share > 0))
		return 0;
	return share >= 1 ? steps : (size_t)(share * (double)steps + 0.5);
}

int bars_level(double share)
{
	return (int)step_of(share, BARS_HIGHEST);
}

void bars_add_level(struct buf *out, double share)
{
	buf_add(out, bars[bars_level(share)], BARS_BYTES);
}

int bars_cover(double share)
{
	size_t eighths = step_of(share, NBARS);

	return share > 0 ? (int)(eighths ? eighths : 1) : 0;
}

void bars_add_eighths(struct buf *out, int eighths)
{
	if (eighths > 0 && eighths <= NBARS)
		buf_add(out, bars[eighths - 1], BARS_BYTES);
	else
		buf_add_char(out, ' ');
}

void bars_add_cover(struct buf *out, double share)
{
	bars_add_eighths(out, bars_cover(share));
}

void bars_add_curve(struct buf *out, const double *values, size_t n, double low,
		    double high)
{
	for (size_t i = 0; i < n; i++)
		bars_add_level(out, high > low ? (values[i] - low) / (high - low) : 0);
}

size_t bars_squeeze(double *values, size_t n, size_t most)
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
