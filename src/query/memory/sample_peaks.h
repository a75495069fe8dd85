/* The largest of samples of memory within a stretch of time, without looking at each. */
#ifndef PTOOL_QUERY_MEMORY_SAMPLE_PEAKS_H
#define PTOOL_QUERY_MEMORY_SAMPLE_PEAKS_H

#include <stddef.h>
#include <stdint.h>

struct sample_peak {
	int64_t profile, at_ns, bytes;
};

struct sample_peaks {
	struct sample_peak *samples; /* owned */
	size_t n, cap;
	int64_t *largest; /* owned: of 2 * n nodes, the samples behind their parents */
};

/* Zeroed is empty.  Samples in any order; then sample_peaks_build() once. */
void sample_peaks_add(struct sample_peaks *p, const struct sample_peak *sample);
void sample_peaks_build(struct sample_peaks *p);
void sample_peaks_release(struct sample_peaks *p);
/* Bytes of the profile's largest sample from one moment to the other, or NUMBER_NONE. */
int64_t sample_peaks_between(const struct sample_peaks *p, int64_t profile,
			     int64_t from_ns, int64_t to_ns);

#endif
