/*
 * SQLite reads stores from mapped memory.  Where a page of such a file cannot be read, no
 * call fails: the process gets a SIGBUS.  That happens when the file is made shorter while
 * it is open (`cp` over it), or when its disk or server fails.
 */
#ifndef PTOOL_CLI_BAD_PAGE_H
#define PTOOL_CLI_BAD_PAGE_H

/*
 * From now on such a page ends the process by quick_exit() with status EXIT_IO, after one
 * line that names this command (borrowed, for ever) and the file.
 */
void bad_page_catch(const char *command);

#endif
