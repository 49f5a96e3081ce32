/* SPDX-License-Identifier: MIT */
/*
 * language.h - compiles a file in the language of histree (histree-analysis(5)) into a program: its name, its
 * requirements, its labels, charts and statements.
 *
 * Analyses written in our own language (histree-analysis(5), docs/design/11-analyses-from-files.md).
 */
#ifndef ANALYSIS_LANGUAGE_LANGUAGE_H
#define ANALYSIS_LANGUAGE_LANGUAGE_H

#include "analysis/program/program_analysis.h"

#define LANGUAGE_SUFFIX ".histree-analysis"

/* A definitions_reader.  An analysis without a name has that of its file. */
enum histree_status language_read(const char *path, const char *bytes, size_t size, struct definitions *definitions,
				  struct histree_error *error);

#endif
