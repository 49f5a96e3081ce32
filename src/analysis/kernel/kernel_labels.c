// SPDX-License-Identifier: MIT
/*
 * kernel_labels.c - words for the values of the kernel's states.
 */
#include "analysis/kernel/kernel_labels.h"

#include "analysis/kernel/kernel_interrupts.h"
#include "analysis/kernel/kernel_threads.h"
#include "histree/attributes.h"

/* ---- kernel labels ------------------------------------------------------------------------------------------- */

#define GREEN 0x12936a, 0x35b98c
#define BLUE 0x2a6cb8, 0x5c9df0
#define ORANGE 0xdd6b1f, 0xf08a3c
#define PURPLE 0xa8408c, 0xd879bb
#define SAND 0xe6d193, 0x857441
#define GOLD 0xc49a1a, 0xdfb93f
#define PALE_GOLD 0xeedb9a, 0x8d7a35
#define PALE_ORANGE 0xefb78c, 0xa66a3e
#define GREY 0x99a1ac, 0x79828f
#define PALE_GREY 0xcfd5dc, 0x4d5561
#define SKY 0x6bb3dc, 0x4c93bd
#define STATUS(code, ...)                                                                  \
	{                                                                                  \
		.first = (code), .last = (code), .is_code = true, .style = { __VA_ARGS__ } \
	}
#define ALL(...)                                                       \
	{                                                              \
		.kind = HISTREE_LABEL_OTHERS, .style = { __VA_ARGS__ } \
	}
static const struct histree_label thread_statuses[] = {
	STATUS(THREAD_UNKNOWN, "Unknown", "unknown", GREY, 0.33),
	STATUS(THREAD_BLOCKED, "Wait blocked", "blocked", SAND, 0.5),
	STATUS(THREAD_RUNS_USERMODE, "Usermode", "user mode", GREEN, 1),
	STATUS(THREAD_RUNS_SYSCALL, "System call", "system call", BLUE, 1),
	STATUS(THREAD_INTERRUPTED, "Interrupt", "interrupted", PURPLE, 0.8),
	STATUS(THREAD_WAITS_FOR_CPU, "Wait for CPU", "waits for a CPU", ORANGE, 0.6),
	STATUS(THREAD_WAITS_UNKNOWN, "Wait", "waits, cause unknown", PALE_GREY, 0.5),
	STATUS(THREAD_WAITS_AFTER_FORK, "Wait fork", "just made", PALE_ORANGE, 0.5),
};

/* An idle loop is no thread: who asks for threads by a status does not mean it.  It is drawn as they are. */
static const struct histree_label idle_loop_statuses[] = {
	STATUS(THREAD_RUNS_USERMODE, "Usermode", "idle loop", GREEN, 1),
	STATUS(THREAD_INTERRUPTED, "Interrupt", "idle loop, interrupted", PURPLE, 0.8),
	STATUS(THREAD_WAITS_FOR_CPU, "Wait for CPU", "idle loop off CPU", ORANGE, 0.6),
	{ .kind = HISTREE_LABEL_OTHERS, .is_code = true, .style = { "Unknown", "idle loop, other", GREY, 0.33 } },
};

static const struct histree_label cpu_statuses[] = {
	STATUS(CPU_IDLE, "Idle", "idle", PALE_GREY, 0.5),
	STATUS(CPU_RUNS_USERMODE, "Usermode", "user mode", GREEN, 1),
	STATUS(CPU_RUNS_SYSCALL, "System call", "system call", BLUE, 1),
	STATUS(CPU_IN_SOFTIRQ, "Soft Irq", "softirq", GOLD, 1),
	STATUS(CPU_IN_IRQ, "Interrupt", "interrupt", PURPLE, 1),
};

/* A status that no thread has needs no bar. */
static const struct histree_label tids[] = { { .is_hidden = true } };

static const struct histree_label interrupts[] = { ALL("Interrupt", "interrupt", PURPLE, 1) };

/* The bits of a softirq: it may be raised again while it runs. */
static const struct histree_label softirqs[] = {
	{ .first = 0,
	  .last = SOFTIRQ_RUNNING - 1,
	  .is_code = true,
	  .style = { "Soft Irq raised", "softirq raised", PALE_GOLD, 0.6 } },
	{ .first = SOFTIRQ_RUNNING,
	  .last = INT32_MAX,
	  .is_code = true,
	  .style = { "Soft Irq", "softirq", GOLD, 1 } },
};

static const struct histree_label frequencies[] = { ALL("frequency", "frequency", SKY, 0.7) };

#define PATHS(...)                \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}
#define LABELS(array) .labels = (array), .label_count = sizeof(array) / sizeof((array)[0])
#define THREADS(...)                                                                                      \
	{                                                                                                 \
		"thread status", HISTREE_MEANS_THREAD_STATUS, PATHS(__VA_ARGS__), LABELS(thread_statuses) \
	}
#define IDLE_LOOPS(...)                                                                                            \
	{                                                                                                          \
		"status of idle loop", HISTREE_MEANS_THREAD_STATUS, PATHS(__VA_ARGS__), LABELS(idle_loop_statuses) \
	}
#define CPUS(...)                                                                                \
	{                                                                                        \
		"CPU status", HISTREE_MEANS_CPU_STATUS, PATHS(__VA_ARGS__), LABELS(cpu_statuses) \
	}
#define TIDS                                                                                                    \
	{                                                                                                       \
		"thread", HISTREE_MEANS_TID, PATHS("CPUs/*/Current_thread"), LABELS(tids), .uses_palette = true \
	}
#define INTERRUPTS(...)                                                                          \
	{                                                                                        \
		"CPU of an interrupt", HISTREE_MEANS_IRQ, PATHS(__VA_ARGS__), LABELS(interrupts) \
	}
#define SOFTIRQS(...)                                                                          \
	{                                                                                      \
		"softirq status", HISTREE_MEANS_SOFT_IRQ, PATHS(__VA_ARGS__), LABELS(softirqs) \
	}
#define FREQUENCIES                                                                                  \
	{                                                                                            \
		"frequency", HISTREE_MEANS_FREQUENCY, PATHS("CPUs/*/Frequency"), LABELS(frequencies) \
	}
const struct histree_label_table kernel_labels[KERNEL_LABEL_TABLES] = {
	IDLE_LOOPS("Threads/0_*"),
	THREADS("Threads/*"),
	CPUS("CPUs/*"),
	TIDS,
	INTERRUPTS("CPUs/*/IRQs/*", "IRQs/*"),
	SOFTIRQS("CPUs/*/Soft_IRQs/*", "Soft_IRQs/*"),
	FREQUENCIES,
};

const struct histree_label_table kernel_labels_2016[KERNEL_LABEL_TABLES] = {
	IDLE_LOOPS("Threads/0_*/Status"),
	THREADS("Threads/*/Status"),
	CPUS("CPUs/*/Status"),
	TIDS,
	INTERRUPTS("CPUs/*/IRQs/*", "IRQs/*"),
	SOFTIRQS("CPUs/*/Soft_IRQs/*", "Soft_IRQs/*"),
	FREQUENCIES,
};

/* An interrupt is NUMBER/NAME, or only NUMBER, and a softirq -NUMBER, all of them children of their CPU. */
const struct histree_label_table kernel_labels_compact[KERNEL_COMPACT_LABEL_TABLES] = {
	IDLE_LOOPS("Threads/0_*"),
	THREADS("Threads/*"),
	CPUS("CPUs/*"),
	TIDS,
	INTERRUPTS("CPUs/*/*\\/*", "Interrupts/*\\/*"),
	SOFTIRQS("CPUs/*/-*", "Interrupts/-*"),
	FREQUENCIES,
	INTERRUPTS("CPUs/*/*", "Interrupts/*"),
};
