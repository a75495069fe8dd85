/*
 * Who belongs to whom: slices to steps, device work to the call that launched
 * it and to the operator it was launched for, memory events to operators.
 */
#ifndef PTOOL_STORE_LINK_H
#define PTOOL_STORE_LINK_H

#include "store/model.h"

/*
 * Sets steps, charges, works, and what records of device work and memory say of
 * launches, operators and steps; behind order_rows() and flow_rows().
 */
void link_rows(struct model *m);

#endif
