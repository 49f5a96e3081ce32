/* SPDX-License-Identifier: MIT */
/*
 * kernel_labels.h - words for the values of the kernel's states.
 *
 * The charts of the histories of disks and of CPU usage.
 *
 * The labels of the values of a kernel history, in each layout of its attributes (kernel_machine.h).
 */
#ifndef ANALYSIS_KERNEL_KERNEL_LABELS_H
#define ANALYSIS_KERNEL_KERNEL_LABELS_H

#include "histree/attributes.h"

enum { KERNEL_LABEL_TABLES = 7, KERNEL_COMPACT_LABEL_TABLES = 8 };

extern const struct histree_label_table kernel_labels[KERNEL_LABEL_TABLES]; /* of kernel, kernel-tc */

extern const struct histree_label_table
	kernel_labels_2016[KERNEL_LABEL_TABLES]; /* statuses have nodes of their own */

extern const struct histree_label_table kernel_labels_compact[KERNEL_COMPACT_LABEL_TABLES];

#endif
