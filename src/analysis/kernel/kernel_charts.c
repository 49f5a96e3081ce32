// SPDX-License-Identifier: MIT
#include "analysis/kernel/kernel_charts.h"

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
