/* Copying a whole file into an empty one, in the kernel where it can. */
#ifndef PTOOL_STORE_COPY_H
#define PTOOL_STORE_COPY_H

/* Both at their beginning.  0, or -1 with errno set. */
int copy_file(int from, int into);

#endif
