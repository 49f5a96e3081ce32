// SPDX-License-Identifier: MIT
#include "analysis/kernel/kernel_places.h"

#define GROUPS                                                                             \
	{                                                                                  \
		[GROUP_CPUS] = "CPUs", [GROUP_THREADS] = "Threads", [GROUP_IRQS] = "IRQs", \
		[GROUP_SOFT_IRQS] = "Soft_IRQs",                                           \
	}

#define ONE_ATTRIBUTE_EACH                                                                                       \
	{                                                                                                        \
		[THREAD_STATUS] = { .name = "Status" }, [THREAD_SYSTEM_CALL] = { .name = "System_call" },        \
		[THREAD_RUN_QUEUE] = { .name = "Current_cpu_rq" }, [THREAD_EXEC_NAME] = { .name = "Exec_name" }, \
		[THREAD_PPID] = { .name = "PPID" }, [THREAD_PID] = { .name = "PID" },                            \
		[THREAD_PRIO] = { .name = "Prio" },                                                              \
	}

const struct kernel_places kernel_places_2016 = {
	.groups = GROUPS,
	.threads = ONE_ATTRIBUTE_EACH,
};

const struct kernel_places kernel_places_plain = {
	.groups = GROUPS,
	.status_on_node = true,
	.threads = ONE_ATTRIBUTE_EACH,
};

/* The halves of a pair change together nearly always: most events that tell of one tell of the other. */
const struct kernel_places kernel_places_compact = {
	.groups = {
		[GROUP_CPUS] = "CPUs",
		[GROUP_THREADS] = "Threads",
		[GROUP_IRQS] = "Interrupts",
		[GROUP_SOFT_IRQS] = "Interrupts",
	},
	.groups_are_folders = true,
	.status_on_node = true,
	.only_known = true,
	.interrupts_have_signs = true,
	.threads = {
		[THREAD_STATUS] = { .name = "Status" },
		[THREAD_SYSTEM_CALL] = { .name = "System_call" },
		[THREAD_RUN_QUEUE] = { "Scheduling", HISTREE_FIRST_PART, THREAD_PRIO },
		[THREAD_EXEC_NAME] = { .name = "Exec_name" },
		[THREAD_PPID] = { "Process", HISTREE_FIRST_PART, THREAD_PID },
		[THREAD_PID] = { "Process", HISTREE_SECOND_PART, THREAD_PPID },
		[THREAD_PRIO] = { "Scheduling", HISTREE_SECOND_PART, THREAD_RUN_QUEUE },
	},
};
