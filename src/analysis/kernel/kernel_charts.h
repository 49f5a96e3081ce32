/* SPDX-License-Identifier: MIT */
/*
 * kernel_charts.h - what is worth looking at in the histories of the analyses of disks and of CPU usage.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_CHARTS_H
#define ANALYSIS_KERNEL_KERNEL_CHARTS_H

#include "histree/charts.h"

enum { IO_CHARTS = 3, CPU_USAGE_CHARTS = 1 };

extern const struct histree_chart io_charts[IO_CHARTS];
extern const struct histree_chart cpu_usage_charts[CPU_USAGE_CHARTS];

#endif
