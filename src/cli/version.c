/* ptool --version: see version.h. */
#include "cli/version.h"

#include <archive.h>
#include <zstd.h>

#include "base/regex.h"
#include "report/renderer.h"
#include "store/store.h"

/* Which of the two reads gzip is base/inflate.c's choice. */
#if !defined(PTOOL_USE_ZLIB) && __has_include(<isa-l.h>)
#include <isa-l.h>
static void print_inflate(FILE *out)
{
	fprintf(out, "isa-l %d.%d.%d\n", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION,
		ISAL_PATCH_VERSION);
}
#else
#include <zlib.h>
static void print_inflate(FILE *out)
{
	fprintf(out, "zlib %s\n", zlibVersion());
}
#endif

void version_print(FILE *out)
{
	char regex[64];

	regex_version(regex);
	fprintf(out, "ptool %s\n", PTOOL_VERSION);
	fprintf(out, "store schema %d\n", store_schema_version());
	fprintf(out, "sqlite %s\n", store_sqlite_version());
	fprintf(out, "libcsv %s\n", renderer_csv_version());
	fprintf(out, "pcre2 %s\n", regex);
	print_inflate(out);
	fprintf(out, "zstd %s\n", ZSTD_versionString());
	/* Of the build: loading it takes longer than all the rest (base/archive_lib.h). */
	fprintf(out, "libarchive %s\n", ARCHIVE_VERSION_ONLY_STRING);
}
