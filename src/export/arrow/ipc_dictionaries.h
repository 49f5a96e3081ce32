/* SPDX-License-Identifier: MIT */
/*
 * ipc_dictionaries.h - what a batch adds to the dictionaries of the one before.
 */
#ifndef EXPORT_ARROW_IPC_DICTIONARIES_H
#define EXPORT_ARROW_IPC_DICTIONARIES_H

#include "export/arrow/ipc_output.h"

/*
 * Returns whether a dictionary of utf8 begins with another, which is held as long as it is compared.  If they lie
 * in the same memory, that is known without reading it.
 */
bool ipc_dictionary_extends(const struct ArrowArray *dictionary, const struct ArrowArray *before);

/*
 * In a stream: write the dictionaries of a batch as far as readers do not know them from the batch before, or from
 * none if `before` is NULL.  A dictionary that does not extend the one before replaces it.
 */
enum histree_status ipc_dictionaries_stream(struct ipc_output *ipc, const struct ipc_fields *fields,
					    struct ipc_body *body, const struct ArrowArray *batch,
					    const struct ArrowArray *before, struct histree_error *error);

/* In a file, no dictionary is replaced: returns HISTREE_ERR_ARGUMENT if one does not extend the one before. */
enum histree_status ipc_dictionaries_check(const struct ipc_fields *fields, const struct ArrowArray *batch,
					   const struct ArrowArray *before, struct histree_error *error);

/* In a file: write those of the last batch, which have all of the others; of no batch, empty ones. */
enum histree_status ipc_dictionaries_file(struct ipc_output *ipc, const struct ipc_fields *fields,
					  struct ipc_body *body, const struct ArrowArray *last,
					  struct ipc_blocks *blocks, struct histree_error *error);

#endif
