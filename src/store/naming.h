/* Names, labels and sort indexes of processes and threads. */
#ifndef PTOOL_STORE_NAMING_H
#define PTOOL_STORE_NAMING_H

#include "store/model.h"

/* The last one counts; very many of one kind for one place are a finding. */
void naming_add(struct model *m, const struct naming_fact *naming);

#endif
