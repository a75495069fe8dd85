/* The program's entry; everything else is in cli/. */
#ifndef __linux__
#error "ptool runs on Linux alone, with glibc or musl: it needs mremap() and /proc"
#endif

#include "cli/cli.h"

/* No locale is set: numbers are read and written with a point, whatever the user's. */
int main(int argc, char **argv)
{
	return cli_main(argc, argv);
}
