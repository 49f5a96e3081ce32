/* SPDX-License-Identifier: MIT */
/* derived.h - which outputs of a thread clients have made of the one for any thread, of each dataset. */
#ifndef SERVER_TSP_DERIVED_H
#define SERVER_TSP_DERIVED_H

#include "server/catalogue/dataset.h"

enum { DERIVED_MAX = 64 };

/* Adds the one of a part, TID or HOST/TID, unless it is there. */
enum histree_status derived_add(struct dataset *dataset, const char *part, struct histree_error *error);

/* Returns false if there is none. */
bool derived_remove(struct dataset *dataset, const char *part);

/* Visits the part of each. */
void derived_each(struct dataset *dataset, void (*visit)(void *context, const char *part), void *context);

#endif
