/* Means weighted by time: see kernel_mean.h. */
#include "query/kernels/kernel_mean.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/sum.h"

#define ROOM_LEAST 16

static void sort_values(const struct kernel_mean *m)
{
	if (m->n > 1)
		qsort(m->more, m->n - 1, sizeof(*m->more), sort_compare_double);
}

/* Equal values become one, in order; then half of the room is free. */
static void make_room(struct kernel_mean *m)
{
	size_t n = 0, cap = m->cap;

	sort_values(m);
	for (size_t i = 0; i + 1 < m->n; i++)
		if (n && m->more[n - 1].value == m->more[i].value)
			m->more[n - 1].ns = sum_add(m->more[n - 1].ns, m->more[i].ns);
		else
			m->more[n++] = m->more[i];
	m->more = xgrow(m->more, &cap, 2 * n + ROOM_LEAST, sizeof(*m->more));
	m->cap = (uint32_t)cap;
	m->n = (uint32_t)n + 1;
}

static void add_more(struct kernel_mean *m, double value, int64_t ns)
{
	struct kernel_weight weight = { value, ns };

	if (m->n - 1 == m->cap)
		make_room(m);
	if (value < m->least.value) {
		weight = m->least;
		m->least = (struct kernel_weight){ value, ns };
	}
	m->more[m->n++ - 1] = weight;
}

void kernel_mean_add(struct kernel_mean *m, double value, int64_t ns)
{
	if (!(value >= 0))
		return;
	if (m->n && m->least.value == value)
		m->least.ns = sum_add(m->least.ns, ns);
	else if (m->n)
		add_more(m, value, ns);
	else
		*m = (struct kernel_mean){ .least = { value, ns }, .n = 1 };
}

struct cell kernel_mean_cell(const struct kernel_mean *m)
{
	return kernel_mean_cell_of(m, 0);
}

struct cell kernel_mean_cell_of(const struct kernel_mean *m, int64_t of_ns)
{
	double weighted = m->least.value * (double)m->least.ns;
	int64_t ns = m->least.ns;

	sort_values(m);
	for (size_t i = 0; i + 1 < m->n;) {
		double value = m->more[i].value;
		int64_t of_value = 0;
		for (; i + 1 < m->n && m->more[i].value == value; i++)
			of_value = sum_add(of_value, m->more[i].ns);
		weighted += value * (double)of_value;
		ns = sum_add(ns, of_value);
	}
	return ns > 0 && ns >= of_ns - ns ? cell_real(weighted / (double)ns)
					  : cell_null();
}

void kernel_mean_release(struct kernel_mean *m)
{
	free(m->more);
	*m = (struct kernel_mean){ .n = 0 };
}
