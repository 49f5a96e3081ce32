/* SPDX-License-Identifier: MIT */
/*
 * kernel_handlers.h - what all versions of the kernel analysis do alike.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_HANDLERS_H
#define ANALYSIS_KERNEL_KERNEL_HANDLERS_H

#include "analysis/kernel/kernel_layout.h"
#include "analysis/kernel/kernel_threads.h"

void kernel_on_setprio(struct kernel_model *model, const struct kernel_event *event);
void kernel_on_free(struct kernel_model *model, const struct kernel_event *event);
void kernel_on_syscall_exit(struct kernel_model *model, const struct kernel_event *event);

/* Versions differ in what they call it. */
void kernel_enter_system_call(struct kernel_model *model, const struct kernel_event *event,
			      struct kernel_text name);

#endif
