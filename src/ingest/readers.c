/* The table of input formats. */
#include "ingest/reader.h"

#include "base/machine.h"

/* One thread tells the sink what the others read: more of them would wait for it. */
#define THREADS_MAX 16

extern const struct reader chrome_reader, chrometrace_reader, collapsed_reader,
	cpuprofile_reader, flamegraph_reader, flops_report_reader, gecko_reader,
	importtime_reader, lightning_reader, line_report_reader, lprof_reader,
	mprof_reader, pprof_reader, pstats_dump_reader, pstats_text_reader,
	pyinstrument_reader, scalene_reader, snapshot_reader, speedscope_reader,
	timeline_reader, torch_report_reader, yappi_text_reader;

/* clang-format off */
/* Of equally sure ones the earlier reads: titles of Lightning stand above listings, too. */
const struct reader *const readers[] = {
	&lprof_reader,
	&mprof_reader,
	&pstats_dump_reader,
	&snapshot_reader,
	&timeline_reader,
	&speedscope_reader,
	&pyinstrument_reader,
	&scalene_reader,
	&chrometrace_reader,
	&gecko_reader,
	&chrome_reader,
	&pstats_text_reader,
	&line_report_reader,
	&lightning_reader,
	&yappi_text_reader,
	&torch_report_reader,
	&flops_report_reader,
	&pprof_reader,
	&cpuprofile_reader,
	&flamegraph_reader,
	&importtime_reader,
	&collapsed_reader,
	NULL,
};
/* clang-format on */

unsigned read_threads(int64_t jobs)
{
	uint64_t all = jobs ? (uint64_t)jobs : machine_cores();

	return all < 2 ? 0 : (unsigned)(all < THREADS_MAX ? all : THREADS_MAX) - 1;
}

const struct reader *reader_detect(struct bytes head)
{
	const struct reader *best = NULL;
	enum probe most = PROBE_NO;

	for (size_t i = 0; readers[i]; i++) {
		enum probe sure = readers[i]->probe(head);
		if (sure > most) {
			most = sure;
			best = readers[i];
		}
	}
	return best;
}

const struct reader *reader_find(const char *name)
{
	for (size_t i = 0; readers[i]; i++)
		if (strcmp(readers[i]->name, name) == 0)
			return readers[i];
	return NULL;
}
