/* Peaks of devices: see device_peaks.h. */
#include "query/roofline/device_peaks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct device_row {
	/*
	 * All words of the name besides the makers' and families'; of those behind '?' it
	 * may have some.  Words that no row has are of another variant, which has others.
	 */
	const char *words;
	/* Multiprocessors or compute units; 0: not looked at; below 0: must be recorded. */
	int32_t sms;
	struct device_peaks peaks;
};

/*
 * Dense, not sparse, at the boost clock, with sums in float32 where sheets tell them
 * apart; of FP64 and of AMD's FP32 those of matrix units, where there are any.  Where a
 * sheet has only the sparse number ("*"), half of it; where it has a whole machine, the
 * part of one device.  Where sheets disagree there is none.  --peak is over all of them.
 */
/* clang-format off */
#define ROW(words, sms, name, fp64, fp32, tf32, fp16, bf16, fp8, fp4, int8, gbs) \
	{ words, sms, { name, { fp64, fp32, tf32, fp16, bf16, fp8, fp4, int8 }, gbs } }
static const struct device_row rows[] = {
	/*  words              SMs  name                fp64   fp32   tf32   fp16    bf16    fp8     fp4    int8    GB/s */
	/* NVIDIA's data sheets of V100 (2018, 2020) and DGX Station (a quarter of its 500 TFLOP/s). */
	ROW("V100S PCIE 32GB", 80, "V100S PCIe",        8.2,   16.4,  0,     130,    0,      0,      0,     0,      1134),
	ROW("V100 SXM2 ?16GB ?32GB", 80, "V100 SXM2",   7.8,   15.7,  0,     125,    0,      0,      0,     0,      900),
	ROW("V100 DGXS ?16GB ?32GB", 80, "V100 DGXS",   7.8,   15.7,  0,     125,    0,      0,      0,     0,      900),
	ROW("V100 PCIE ?16GB ?32GB", 80, "V100 PCIe",   7,     14,    0,     112,    0,      0,      0,     0,      900),
	/* Its data sheets of T4 (FP64: a 32nd of FP32), A100 (2021-06), A10, A10G, A30 and A40. */
	ROW("T4",              40,  "T4",               0.25,  8.1,   0,     65,     0,      0,      0,     130,    320),
	ROW("A100 80GB PCIE",  108, "A100 PCIe 80GB",   19.5,  19.5,  156,   312,    312,    0,      0,     624,    1935),
	ROW("A100 SXM4 80GB",  108, "A100 SXM 80GB",    19.5,  19.5,  156,   312,    312,    0,      0,     624,    2039),
	ROW("A100 SXM4 40GB",  108, "A100 SXM 40GB",    19.5,  19.5,  156,   312,    312,    0,      0,     624,    1555),
	ROW("A100 PG509 200",  108, "A100 SXM 40GB",    19.5,  19.5,  156,   312,    312,    0,      0,     624,    1555),
	ROW("A100 PCIE 40GB",  108, "A100 PCIe 40GB",   19.5,  19.5,  156,   312,    312,    0,      0,     624,    1555),
	ROW("A800 80GB PCIE",  108, "A800 PCIe 80GB",   19.5,  19.5,  156,   312,    312,    0,      0,     624,    1935),
	ROW("A800 SXM4 80GB",  108, "A800 SXM 80GB",    19.5,  19.5,  156,   312,    312,    0,      0,     624,    2039),
	ROW("A10",             72,  "A10",              0,     31.2,  62.5,  125,    125,    0,      0,     250,    600),
	ROW("A10G",            80,  "A10G",             0,     35,    35,    70,     70,     0,      0,     140,    600),
	ROW("A30",             56,  "A30",              10.3,  10.3,  82,    165,    165,    0,      0,     330,    933),
	ROW("A40",             84,  "A40",              0,     37.4,  74.8,  149.7,  149.7,  0,      0,     299.3,  696),
	/* Its data sheets of RTX A6000, RTX 6000 Ada, L4, L40 and L40S. */
	ROW("RTX A6000",       84,  "RTX A6000",        0,     38.7,  77.4,  154.8,  154.8,  0,      0,     309.7,  768),
	ROW("RTX 6000 ADA ?GENERATION", 142, "RTX 6000 Ada", 0, 91.1, 182.1, 364.2,  364.2,  728.5,  0,     728.5,  960),
	ROW("L4",              0,   "L4",               0,     30.3,  60,    121,    121,    242.5,  0,     242.5,  300),
	ROW("L40S",            142, "L40S",             0,     91.6,  183,   362,    362,    733,    0,     733,    864),
	ROW("L40",             142, "L40",              0,     90.5,  90.5,  181,    181,    362,    0,     362,    864),
	/* Its white paper of H100 and data sheets of H100 (2024), H200 and GH200; Lenovo's guides of H800. */
	ROW("H100 PCIE",       114, "H100 PCIe",        51,    51,    378,   756,    756,    1513,   0,     1513,   2000),
	ROW("H100 NVL",        132, "H100 NVL",         60,    60,    417.5, 835,    835,    1670,   0,     1670,   3900),
	ROW("H100 80GB HBM3",  132, "H100 SXM",         67,    67,    494.7, 989.4,  989.4,  1978.9, 0,     1978.9, 3350),
	ROW("H800 PCIE",       114, "H800 PCIe",        0.8,   51,    378,   756,    756,    1513,   0,     1513,   2000),
	ROW("H800",            132, "H800 SXM",         1,     67,    494.7, 989.4,  989.4,  1978.9, 0,     1978.9, 3350),
	ROW("H200 NVL",        132, "H200 NVL",         60,    60,    417.5, 835,    835,    1670,   0,     1670,   4800),
	ROW("H200",            132, "H200 SXM",         67,    67,    494.7, 989.4,  989.4,  1978.9, 0,     1978.9, 4800),
	ROW("GH200 480GB",     132, "GH200 96GB",       67,    67,    494.7, 989.4,  989.4,  1978.9, 0,     1978.9, 4000),
	ROW("GH200 144G HBM3E", 132, "GH200 144GB",     67,    67,    494.7, 989.4,  989.4,  1978.9, 0,     1978.9, 4900),
	/* Three resellers' pages of H20 (zangshuxian, willitrunai, ke60), which agree. */
	ROW("H20",             78,  "H20",              1,     44,    74,    148,    148,    296,    0,     296,    4000),
	/* Its data sheets of Blackwell (2024), HGX B200 and B300 (an eighth), GB200 and GB300 NVL72 (a 72nd). */
	ROW("B100",            0,   "B100",             30,    60,    875,   1750,   1750,   3500,   7000,  3500,   8000),
	ROW("B200",            148, "B200",             37,    75,    1125,  2250,   2250,   4500,   9000,  4500,   8000),
	ROW("GB200",           0,   "GB200",            40,    80,    1250,  2500,   2500,   5000,   10000, 5000,   8000),
	/* INT8 of B300 is 125 or 187.5 by the date of the sheet, FP4 13125 or 13500. */
	ROW("B300 ?SXM6 ?AC",  0,   "B300",             1.25,  75,    1125,  2250,   2250,   4500,   13500, 0,      8000),
	ROW("GB300",           0,   "GB300",            1.39,  83,    1250,  2500,   2500,   5000,   15277, 165,    8000),
	/* Its white papers of Turing, GA102, AD102 and RTX Blackwell; of the 4090 D by its clock and SMs. */
	ROW("RTX 2080 TI",     68,  "RTX 2080 Ti",      0.4,   13.4,  0,     53.8,   0,      0,      0,     215.2,  616),
	ROW("RTX 3080 TI",     80,  "RTX 3080 Ti",      0.5,   34.1,  34.1,  68.2,   68.2,   0,      0,     272.8,  912),
	ROW("RTX 3090 TI",     84,  "RTX 3090 Ti",      0.6,   40,    40,    80,     80,     0,      0,     320,    1008),
	ROW("RTX 3090",        82,  "RTX 3090",         0.6,   35.6,  35.6,  71,     71,     0,      0,     284,    936),
	ROW("RTX 4090 D",      114, "RTX 4090 D",       1.1,   73.5,  73.5,  147.1,  147.1,  294.2,  0,     588.4,  1008),
	ROW("RTX 4090",        128, "RTX 4090",         1.3,   82.6,  82.6,  165.2,  165.2,  330.3,  0,     660.6,  1008),
	ROW("RTX 5090",        170, "RTX 5090",         1.6,   104.8, 104.8, 209.5,  209.5,  419,    1676,  838,    1792),
	/* AMD's data sheets of MI100, MI200 (2022; a die of an MI250 is a device), MI300A, MI300X and MI325X. */
	ROW("MI100",           120, "MI100",            11.5,  46.1,  0,     184.6,  92.3,   0,      0,     184.6,  1229),
	ROW("MI210",           104, "MI210",            45.3,  45.3,  0,     181,    181,    0,      0,     181,    1638),
	ROW("MI250X",          110, "MI250X, one die",  47.9,  47.9,  0,     191.5,  191.5,  0,      0,     191.5,  1638),
	ROW("MI250X MI250",   -110, "MI250X, one die",  47.9,  47.9,  0,     191.5,  191.5,  0,      0,     191.5,  1638),
	ROW("MI250X MI250",   -104, "MI250, one die",   45.3,  45.3,  0,     181,    181,    0,      0,     181,    1638),
	ROW("MI250",           104, "MI250, one die",   45.3,  45.3,  0,     181,    181,    0,      0,     181,    1638),
	ROW("MI300A",          228, "MI300A",           122.6, 122.6, 490.3, 980.6,  980.6,  1961.2, 0,     1961.2, 5300),
	ROW("MI300X ?OAM ?VF", 304, "MI300X",           163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 0,     2614.9, 5325),
	ROW("MI325X ?OAM ?VF", 304, "MI325X",           163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 0,     2614.9, 6000),
	/* 256 units of 8192 FP8 operations a clock (ISSCC 2026) at 2.2 and 2.4 GHz (Hot Chips 2025); no TF32. */
	ROW("MI350X ?OAM ?VF", 256, "MI350X",           72.1,  144.2, 0,     2306.9, 2306.9, 4613.7, 9227.5, 4613.7, 8000),
	ROW("MI355X ?OAM ?VF", 256, "MI355X",           78.6,  157.3, 0,     2516.6, 2516.6, 5033.2, 10066.3, 5033.2, 8000),
};
/* clang-format on */

#define NROWS (sizeof(rows) / sizeof(*rows))

static const char *const names[NPEAKS] = {
	[PEAK_FP64] = "fp64", [PEAK_FP32] = "fp32", [PEAK_TF32] = "tf32",
	[PEAK_FP16] = "fp16", [PEAK_BF16] = "bf16", [PEAK_FP8] = "fp8",
	[PEAK_FP4] = "fp4",   [PEAK_INT8] = "int8"
};

const char *peak_name(enum peak peak)
{
	return names[peak];
}

static bool is_word_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* The next run of letters and digits, which is taken off; empty after the last. */
static struct str next_word(struct str *rest)
{
	size_t from = 0, to;

	while (from < rest->n && !is_word_char(rest->p[from]))
		from++;
	for (to = from; to < rest->n && is_word_char(rest->p[to]);)
		to++;
	struct str word = { rest->p + from, to - from };
	*rest = (struct str){ rest->p + to, rest->n - to };
	return word;
}

static bool is_word(struct str word, struct str wanted)
{
	return word.n == wanted.n && strncasecmp(word.p, wanted.p, word.n) == 0;
}

/* Makers and families, which say nothing of what a device can do. */
static bool is_family(struct str word)
{
	static const char *const families[] = { "NVIDIA", "Tesla", "GeForce", "AMD",
						"Instinct" };

	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (is_word(word, str_of(families[i])))
			return true;
	return false;
}

static size_t count_word(struct str text, struct str wanted)
{
	struct str word;
	size_t n = 0;

	while ((word = next_word(&text)).n)
		n += is_word(word, wanted);
	return n;
}

/* Each word of the row is in the name, unless it may be missing, and no other is. */
static bool fits(struct str name, const char *words)
{
	struct str rest = str_of(words), word;

	while ((word = next_word(&rest)).n)
		if ((word.p == words || word.p[-1] != '?') && !count_word(name, word))
			return false;
	rest = name;
	while ((word = next_word(&rest)).n)
		if (!is_family(word) && !count_word(str_of(words), word))
			return false;
	return true;
}

bool device_peaks_find(struct str name, int64_t sms, struct device_peaks *out)
{
	*out = (struct device_peaks){ .device = NULL };
	for (size_t i = 0; i < NROWS; i++) {
		const struct device_row *row = &rows[i];
		if (!fits(name, row->words))
			continue;
		/* A part of a device, or one that was made smaller, has its name. */
		if (row->sms && sms != abs(row->sms) && (sms > 0 || row->sms < 0))
			continue;
		*out = row->peaks;
		return true;
	}
	return false;
}

/* Where the number of this name goes, or NULL. */
static double *number_of(struct device_peaks *out, struct str name)
{
	for (size_t i = 0; i < NPEAKS; i++)
		if (str_is(name, names[i]))
			return &out->tera[i];
	return str_is(name, "bw") ? &out->giga_bytes : NULL;
}

int device_peaks_set(const char *text, struct device_peaks *out, struct err *err)
{
	while (*text) {
		size_t n = strcspn(text, ",");
		const char *equals = memchr(text, '=', n);
		double *into =
			equals ? number_of(out,
					   (struct str){ text, (size_t)(equals - text) })
			       : NULL;
		char *end = NULL;
		double value = into ? strtod(equals + 1, &end) : 0;

		if (!into)
			return err_set(
				err, ERR_USAGE,
				"--peak has '%.*s': write fp64, fp32, tf32, fp16, bf16, "
				"fp8, fp4 or int8=TFLOP/s, and bw=GB/s, with commas between",
				(int)n, text);
		if (end != text + n || !(value > 0) || !isfinite(value))
			return err_set(err, ERR_USAGE,
				       "--peak has '%.*s': the number is above 0", (int)n,
				       text);
		*into = value;
		text += n + (text[n] == ',');
	}
	return 0;
}

enum peak peak_of_dtype(const struct dtype *dtype, bool tensor_cores)
{
	static const struct {
		const char *dtype;
		enum peak peak;
	} peaks[] = {
		{ "float64", PEAK_FP64 },  { "complex128", PEAK_FP64 },
		{ "float32", PEAK_FP32 },  { "complex64", PEAK_FP32 },
		{ "float16", PEAK_FP16 },  { "complex32", PEAK_FP16 },
		{ "bfloat16", PEAK_BF16 }, { "int8", PEAK_INT8 },
		{ "uint8", PEAK_INT8 },
	};

	for (size_t i = 0; dtype && i < sizeof(peaks) / sizeof(*peaks); i++)
		if (strcmp(peaks[i].dtype, dtype->name) == 0)
			return peaks[i].peak == PEAK_FP32 && tensor_cores ? PEAK_TF32
									  : peaks[i].peak;
	if (dtype && strncmp(dtype->name, "float8_", 7) == 0)
		return PEAK_FP8;
	return dtype && strncmp(dtype->name, "float4_", 7) == 0 ? PEAK_FP4 : PEAK_NONE;
}
