/* SPDX-License-Identifier: MIT */
/*
 * path_thread.h - which thread of a graph the command line names, for verbs that follow what it waited for.
 */
#ifndef CLI_PATH_THREAD_H
#define CLI_PATH_THREAD_H

#include "cli/report.h"
#include "histree/history.h"

/* Read HOST/TID, or the number alone where one host has it.  What is wrong with it is reported. */
enum cli_exit path_thread_read(const char *text, struct histree_history *history, size_t *host, int32_t *tid);

#endif
