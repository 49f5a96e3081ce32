/* SPDX-License-Identifier: MIT */
/*
 * sql_events.h - the events of a store's trace as rows: the table `events`, by number or time.
 */
#ifndef SQL_SQL_EVENTS_H
#define SQL_SQL_EVENTS_H

#include "base/sqlite.h"

extern const sqlite3_module sql_events_module;

#endif
