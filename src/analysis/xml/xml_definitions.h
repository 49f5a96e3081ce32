/* SPDX-License-Identifier: MIT */
/*
 * xml_definitions.h - analyses in files of Trace Compass: <tmfxml> with <stateProvider>, <pattern>, <callstack> and
 * views, as its schemas and its user guide ("Data driven analysis") describe them.
 */
#ifndef ANALYSIS_XML_XML_DEFINITIONS_H
#define ANALYSIS_XML_XML_DEFINITIONS_H

#include "analysis/program/program_analysis.h"
#include "analysis/xml/xml_document.h"
#include "histree/attributes.h"

/* A definitions_reader.  In a build without libexpat it says that. */
enum histree_status xml_definitions_read(const char *path, const char *bytes, size_t size,
					 struct definitions *definitions, struct histree_error *error);

#endif
