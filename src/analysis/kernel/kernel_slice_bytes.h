/* SPDX-License-Identifier: MIT */
/*
 * kernel_slice_bytes.h - the model of a slice as bytes, for a hand-over to whoever has the true model elsewhere.
 *
 * What kernel_slice_commit() asks of it, and nothing else: what was read as it is, with the attributes of the log.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_SLICE_BYTES_H
#define ANALYSIS_KERNEL_KERNEL_SLICE_BYTES_H

#include "analysis/kernel/kernel_slice.h"
#include "base/bytes.h"

struct kernel_model;

/* Its log is settled then. */
void kernel_slice_save(struct kernel_model *model, struct saved_bytes *out);

/* Into the model of a new slice.  Returns HISTREE_ERR_FORMAT if the bytes make no sense. */
enum histree_status kernel_slice_load(struct kernel_model *model, struct byte_reader *reader,
				      struct histree_error *error);

#endif
