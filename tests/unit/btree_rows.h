/*
 * The same rows through SQLite and through btree.h, told by bytes: page size, values,
 * rows again and again, turns between the two.  Both files must hold the same rows,
 * be whole, and have the same leaf pages.
 */
#ifndef PTOOL_TESTS_BTREE_ROWS_H
#define PTOOL_TESTS_BTREE_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* Calls abort() with a line on standard error where they differ; returns the rows. */
size_t btree_rows_compare(const uint8_t *data, size_t n);

#endif
