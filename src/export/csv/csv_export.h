/* SPDX-License-Identifier: MIT */
/*
 * csv_export.h - comma-separated values (RFC 4180).
 */
#ifndef EXPORT_CSV_CSV_EXPORT_H
#define EXPORT_CSV_CSV_EXPORT_H

#include "export/export_output.h"
#include "histree/export.h"

/* What histree_export_csv() does, into an output that the caller has opened and finishes. */
enum histree_status csv_export(struct ArrowArrayStream *stream, struct export_output *output,
			       const struct histree_csv_options *options, struct histree_error *error);

#endif
