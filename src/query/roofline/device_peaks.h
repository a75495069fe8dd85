/*
 * What devices can do at most, from their data sheets: dense products of matrices for
 * each element type, and bytes to and from their memory.
 */
#ifndef PTOOL_QUERY_DEVICE_PEAKS_H
#define PTOOL_QUERY_DEVICE_PEAKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "trace/dtype.h"

enum peak {
	PEAK_FP64,
	PEAK_FP32, /* without Tensor Cores */
	PEAK_TF32, /* float32 on Tensor Cores */
	PEAK_FP16,
	PEAK_BF16,
	PEAK_FP8,
	PEAK_FP4,
	PEAK_INT8,
	NPEAKS,
	PEAK_NONE = NPEAKS
};

/* 0: not known, or it has none. */
struct device_peaks {
	const char *device;  /* as messages call it; NULL: not known */
	double tera[NPEAKS]; /* TFLOP/s, of integers TOP/s */
	double giga_bytes;   /* GB/s */
};

/*
 * By the device's name as recorded, and its multiprocessors or compute units, 0 where they
 * were not; false when it is not in the table, or is another variant or a part of what is.
 */
bool device_peaks_find(struct str name, int64_t sms, struct device_peaks *out);
/* "fp16=989,bw=3350" over what is there; ERR_USAGE names what is wrong. */
int device_peaks_set(const char *text, struct device_peaks *out, struct err *err);

/* PEAK_NONE for types that have no peak; `tensor_cores`: float32 ran on them. */
enum peak peak_of_dtype(const struct dtype *dtype, bool tensor_cores);
/* As in --peak: "fp16". */
const char *peak_name(enum peak peak);

#endif
