/* SPDX-License-Identifier: MIT */
/*
 * attributes_verify.h - check that names, links and look-ups of attributes fit each other.
 */
#ifndef STATE_ATTRIBUTES_VERIFY_H
#define STATE_ATTRIBUTES_VERIFY_H

#include "state/attributes.h"

/* Call `report` with a sentence for each fault.  Returns how many there were. */
uint64_t attributes_verify(const struct histree_attributes *attributes,
			   void (*report)(void *context, const char *fault), void *context);

#endif
