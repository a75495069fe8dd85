/* Bringing a large file to the disk, so that a signal need not wait for all of it. */
#ifndef PTOOL_STORE_FLUSH_H
#define PTOOL_STORE_FLUSH_H

/* As fsync(): 0, or -1 with errno set. */
int flush_file(int fd);

#endif
