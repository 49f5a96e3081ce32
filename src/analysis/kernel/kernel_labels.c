// SPDX-License-Identifier: MIT
/*
 * kernel_labels.c - words and charts for the values of the kernel's states.
 */
#include "analysis/kernel/kernel_labels.h"

#include "analysis/kernel/kernel_threads.h"
#include "analysis/kernel/kernel_interrupts.h"
#include "histree/attributes.h"

/* ---- kernel charts ------------------------------------------------------------------------------------------- */

#define ENTRIES(array) .entries = (array), .entry_count = sizeof(array) / sizeof((array)[0])
#define SECTOR_BYTES 512
/* What a line of numbers below the first entry is. */
#define LINE(attribute, words, of_points, times)                                                          \
	{                                                                                                 \
		.parent = 0, .path = (attribute), .shown = ".", .label = (words), .measure = (of_points), \
		.factor = (times)                                                                         \
	}
/* ---- io ----------------------------------------------------------------------------------------------------- */

/* A disk is called by its state, where the trace tells its name. */
#define DISKS                                                               \
	{                                                                   \
		.parent = HISTREE_CHART_TOP, .path = "Disks/*", .name = "." \
	}
static const struct histree_chart_entry disk_bytes[] = {
	DISKS,
	LINE("sectors_read", "read", HISTREE_CHART_RATE, SECTOR_BYTES),
	LINE("sectors_written", "written", HISTREE_CHART_RATE, SECTOR_BYTES),
};

static const struct histree_chart_entry disk_queues[] = {
	DISKS,
	LINE("waitingqueue_length", "waiting", HISTREE_CHART_VALUE, 1),
	LINE("driverqueue_length", "with the driver", HISTREE_CHART_VALUE, 1),
};

static const struct histree_chart_entry thread_bytes[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "Threads/*" },
	LINE("bytes_read", "read", HISTREE_CHART_RATE, 1),
	LINE("bytes_written", "written", HISTREE_CHART_RATE, 1),
};

const struct histree_chart io_charts[IO_CHARTS] = {
	{ .name = "disk-bytes",
	  .title = "Bytes read from and written to disks",
	  .unit = "B/s",
	  ENTRIES(disk_bytes) },
	{ .name = "disk-queues",
	  .title = "Requests in the queues of disks",
	  .unit = "requests",
	  ENTRIES(disk_queues) },
	{ .name = "thread-bytes",
	  .title = "Bytes that threads read and wrote",
	  .unit = "B/s",
	  ENTRIES(thread_bytes) },
};

/* ---- cpu-usage ---------------------------------------------------------------------------------------------- */

/*
 * A thread's time is counted when it is switched from, so that a rate would have all of it at that moment.  How
 * steep a line is says how busy it was.
 */
static const struct histree_chart_entry thread_times[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "CPUs/*" },
	LINE("*", NULL, HISTREE_CHART_VALUE, 1e-9),
};

const struct histree_chart cpu_usage_charts[CPU_USAGE_CHARTS] = {
	{ .name = "cpu-threads",
	  .title = "Time that threads have had on CPUs so far",
	  .unit = "s",
	  ENTRIES(thread_times) },
};

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
	STATUS(THREAD_WAITS_UNKNOWN, "Wait", "waits", PALE_GREY, 0.5),
	STATUS(THREAD_WAITS_AFTER_FORK, "Wait fork", "just made", PALE_ORANGE, 0.5),
};

static const struct histree_label cpu_statuses[] = {
	STATUS(CPU_IDLE, "Idle", "idle", PALE_GREY, 0.5),
	STATUS(CPU_RUNS_USERMODE, "Usermode", "user mode", GREEN, 1),
	STATUS(CPU_RUNS_SYSCALL, "System call", "system call", BLUE, 1),
	STATUS(CPU_IN_SOFTIRQ, "Soft Irq", "softirq", GOLD, 1),
	STATUS(CPU_IN_IRQ, "Interrupt", "interrupt", PURPLE, 1),
};

/* Of no one, nobody wants a bar. */
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
	THREADS("Threads/*"),
	CPUS("CPUs/*"),
	TIDS,
	INTERRUPTS("CPUs/*/IRQs/*", "IRQs/*"),
	SOFTIRQS("CPUs/*/Soft_IRQs/*", "Soft_IRQs/*"),
	FREQUENCIES,
};

const struct histree_label_table kernel_labels_2016[KERNEL_LABEL_TABLES] = {
	THREADS("Threads/*/Status"),
	CPUS("CPUs/*/Status"),
	TIDS,
	INTERRUPTS("CPUs/*/IRQs/*", "IRQs/*"),
	SOFTIRQS("CPUs/*/Soft_IRQs/*", "Soft_IRQs/*"),
	FREQUENCIES,
};

/* An interrupt is NUMBER/NAME, or only NUMBER, and a softirq -NUMBER, all of them children of their CPU. */
const struct histree_label_table kernel_labels_compact[KERNEL_COMPACT_LABEL_TABLES] = {
	THREADS("Threads/*"),
	CPUS("CPUs/*"),
	TIDS,
	INTERRUPTS("CPUs/*/*\\/*", "Interrupts/*\\/*"),
	SOFTIRQS("CPUs/*/-*", "Interrupts/-*"),
	FREQUENCIES,
	INTERRUPTS("CPUs/*/*", "Interrupts/*"),
};
