/* Means weighted by time: see kernel_mean.h. */
#include "query/kernels/kernel_mean.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/search.h"
#include "base/sum.h"

static void insert(struct kernel_mean *m, size_t at, struct kernel_weight weight)
{
	size_t n = m->n - 1, cap = m->cap;

	m->more = xgrow(m->more, &cap, n + 1, sizeof(*m->more));
	m->cap = (uint32_t)cap;
	memmove(&m->more[at + 1], &m->more[at], (n - at) * sizeof(*m->more));
	m->more[at] = weight;
	m->n++;
}

static void add_more(struct kernel_mean *m, double value, int64_t ns)
{
	size_t at, n = m->n - 1;

	if (value < m->least.value) {
		insert(m, 0, m->least);
		m->least = (struct kernel_weight){ value, ns };
		return;
	}
	SEARCH(at, 0, n, m->more[at].value < value);
	if (at < n && m->more[at].value == value)
		m->more[at].ns = sum_add(m->more[at].ns, ns);
	else
		insert(m, at, (struct kernel_weight){ value, ns });
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

	for (size_t i = 0; i + 1 < m->n; i++) {
		weighted += m->more[i].value * (double)m->more[i].ns;
		ns = sum_add(ns, m->more[i].ns);
	}
	return ns > 0 && ns >= of_ns - ns ? cell_real(weighted / (double)ns)
					  : cell_null();
}

void kernel_mean_release(struct kernel_mean *m)
{
	free(m->more);
	*m = (struct kernel_mean){ .n = 0 };
}
