/* SPDX-License-Identifier: MIT */
/*
 * sql_attributes.h - the attributes of a history as rows: the table `attributes`.
 */
#ifndef SQL_SQL_ATTRIBUTES_H
#define SQL_SQL_ATTRIBUTES_H

#include "base/sqlite.h"

extern const sqlite3_module sql_attributes_module;

#endif
