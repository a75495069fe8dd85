/*
 * ptool's command line: finds the command and runs it.
 */
#ifndef PTOOL_CLI_CLI_H
#define PTOOL_CLI_CLI_H

/* The whole program; returns the exit code. */
int cli_main(int argc, char **argv);

#endif
