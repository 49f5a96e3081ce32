/* SPDX-License-Identifier: MIT */
/*
 * builder.h - one thread that prepares datasets and warms them, in the order in which they were asked for.
 *
 * One at a time: a build uses the disk and a processor as well as it can.
 */
#ifndef SERVER_CATALOGUE_BUILDER_H
#define SERVER_CATALOGUE_BUILDER_H

#include "server/catalogue/dataset.h"

struct builder;

/*
 * Starts the thread.  `warm` is called with each dataset that is ready, to make what its first viewer would wait
 * for.
 */
enum histree_status builder_create(void (*warm)(struct dataset *dataset), struct builder **out,
				   struct histree_error *error);

/* The builder holds the dataset until it is done with it. */
enum histree_status builder_add(struct builder *builder, struct dataset *dataset, struct histree_error *error);

/* Cancels what is under way, waits for its end and frees the builder.  NULL is allowed. */
void builder_free(struct builder *builder);

#endif
