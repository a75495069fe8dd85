/* Parts from the rows of summaries, where slices were left out: diff_account.h. */
#include <stdlib.h>

#include "base/sum.h"
#include "query/diff/diff_account.h"
#include "query/summary/summary.h"
#include "store/columns.h"

/* What is left of a step is the last part: idle, or other. */
static const int device_columns[] = { COL_STEP_PART_COMPUTE_NS,
				      COL_STEP_PART_EXPOSED_COMM_NS,
				      COL_STEP_PART_EXPOSED_COPY_NS };
static const int host_columns[] = { COL_STEP_PART_COMMUNICATION_NS,
				    COL_STEP_PART_RUNTIME_NS, COL_STEP_PART_DATALOADER_NS,
				    COL_STEP_PART_CPU_EXEC_NS };

/* Of the whole recording. */
static const int whole_columns[] = { COL_DEVICE_PART_COMPUTE_NS,
				     COL_DEVICE_PART_EXPOSED_COMM_NS,
				     COL_DEVICE_PART_EXPOSED_COPY_NS };

#define NDEVICE (sizeof(device_columns) / sizeof(*device_columns))
#define NHOST   (sizeof(host_columns) / sizeof(*host_columns))

static int compare_ranges(const void *a, const void *b)
{
	const struct diff_range *x = a, *y = b;

	if (x->profile_id != y->profile_id)
		return x->profile_id < y->profile_id ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Is the row of a step that is compared? */
static bool is_wanted(const struct diff_steps *steps, int64_t profile_id,
		      const struct cell *row)
{
	const struct diff_range key = { .profile_id = profile_id,
					.number = part_int(row[COL_STEP_PART_STEP], -1),
					.start_ns = part_int(row[COL_STEP_PART_TS], -1) };
	const struct diff_range *found =
		steps->nranges ? bsearch(&key, steps->ranges, steps->nranges, sizeof(key),
					 compare_ranges)
			       : NULL;

	return found && found->dur_ns == part_int(row[COL_STEP_PART_DUR], -1);
}

/* Steps of a profile stand once for each of its devices. */
static size_t count_steps(const struct diff_steps *steps, int64_t profile_id)
{
	size_t first = diff_account_range(steps, profile_id), i = first;

	while (i < steps->nranges && steps->ranges[i].profile_id == profile_id)
		i++;
	return i - first;
}

/* Parts of `all_ns`, and as the last what is left of it. */
static void add_row(const struct cell *row, const int *columns, size_t n, int64_t all_ns,
		    int64_t *sums)
{
	int64_t left = all_ns;

	for (size_t i = 0; i < n; i++) {
		int64_t ns = part_int(row[columns[i]], 0);
		sums[i] = sum_add(sums[i], ns);
		left = sum_sub(left, ns);
	}
	sums[n] = sum_add(sums[n], left);
}

/* The mean of the devices; without one the profile was idle. */
static void add_devices(const struct diff_account_of *of, const struct part_rows *rows,
			int64_t *sums)
{
	int64_t all[DIFF_PARTS_MAX] = { 0 }, dur_ns = of->profile->dur_ns;

	if (rows->n == 0)
		all[NDEVICE] = dur_ns;
	for (size_t i = 0; i < rows->n; i++)
		add_row(part_rows_at(rows, i), whole_columns, NDEVICE, dur_ns, all);
	if (rows->n > 1)
		diff_account_divide(all, NDEVICE + 1, (int64_t)rows->n);
	for (size_t i = 0; i <= NDEVICE; i++)
		sums[i] = sum_add(sums[i], all[i]);
}

static int add_steps(const struct diff_account_of *of, const struct part_rows *rows,
		     bool of_device, int64_t *sums, struct err *err)
{
	int64_t all[DIFF_PARTS_MAX] = { 0 };
	const int *columns = of_device ? device_columns : host_columns;
	size_t n = 0, nparts = of_device ? NDEVICE : NHOST;
	size_t nsteps = count_steps(of->steps, of->profile->id);

	for (size_t i = 0; i < rows->n; i++) {
		const struct cell *row = part_rows_at(rows, i);
		if (is_wanted(of->steps, of->profile->id, row)) {
			add_row(row, columns, nparts, part_int(row[COL_STEP_PART_DUR], 0),
				all);
			n++;
		}
	}
	if (nsteps == 0 || n == 0 || n % nsteps)
		return err_set(err, ERR_EMPTY,
			       "the parts of these steps were left out with the slices");
	diff_account_divide(all, nparts + 1, (int64_t)(n / nsteps));
	for (size_t i = 0; i <= nparts; i++)
		sums[i] = sum_add(sums[i], all[i]);
	return 0;
}

int diff_account_stored(const struct diff_account_of *of, bool of_device, int64_t *sums,
			struct err *err)
{
	struct part_rows rows;

	int rc = summary_read(of->reader, of->profile,
			      of->steps ? &summary_steps : &summary_devices, &rows, err);
	if (rc == 0 && of->steps)
		rc = add_steps(of, &rows, of_device, sums, err);
	else if (rc == 0)
		add_devices(of, &rows, sums);
	part_rows_release(&rows);
	return rc;
}
