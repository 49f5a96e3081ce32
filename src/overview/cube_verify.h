/* SPDX-License-Identifier: MIT */
/*
 * cube_verify.h - compare the cube of a history, if it was opened with one, with what its states say.
 */
#ifndef OVERVIEW_CUBE_VERIFY_H
#define OVERVIEW_CUBE_VERIFY_H

#include "histree/history.h"

/*
 * Returns HISTREE_ERR_FORMAT if it says something else; `report` is called with a sentence for each attribute that
 * does.
 */
enum histree_status cube_verify(struct histree_history *history, void (*report)(void *context, const char *fault),
				void *context, struct histree_error *error);

#endif
