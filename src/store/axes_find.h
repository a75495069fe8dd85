/*
 * The place of a profile's rank in the axes of its job, by what the recording says of its
 * process groups and processes, and by the name of its file.
 */
#ifndef PTOOL_STORE_AXES_FIND_H
#define PTOOL_STORE_AXES_FIND_H

#include "ingest/file_name.h"
#include "store/model.h"

/*
 * Sets m->axes, but where two tell different places: that is a finding.  m->profile.rank is
 * final.
 */
void axes_find(struct model *m, const struct file_name *name);

#endif
