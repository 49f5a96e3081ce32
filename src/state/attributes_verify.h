/* SPDX-License-Identifier: MIT */
/*
 * attributes_verify.h - whether names, links and look-ups of attributes fit each other.
 */
#ifndef STATE_ATTRIBUTES_VERIFY_H
#define STATE_ATTRIBUTES_VERIFY_H

#include "state/attributes.h"

/* `report` is called with a sentence for each fault; returns how many there were. */
uint64_t attributes_verify(const struct histree_attributes *attributes,
			   void (*report)(void *context, const char *fault), void *context);

#endif
