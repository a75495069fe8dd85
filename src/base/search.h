/* Binary search. */
#ifndef PTOOL_BASE_SEARCH_H
#define PTOOL_BASE_SEARCH_H

/*
 * Sets `at`, an integer variable, to the first place of [from, to) at which `is_before`, an
 * expression of `at`, is false, or to `to`.  It is true of the places before, if any.
 */
#define SEARCH(at, from, to, is_before)                                  \
	do {                                                             \
		__typeof__(at) low_ = (from), high_ = (to);              \
		while ((at) = low_ + (high_ - low_) / 2, low_ < high_) { \
			if (is_before)                                   \
				low_ = (at) + 1;                         \
			else                                             \
				high_ = (at);                            \
		}                                                        \
	} while (0)

#endif
