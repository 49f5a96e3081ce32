// SPDX-License-Identifier: MIT
/*
 * xml.c - without libexpat.
 */
#include "analysis/xml/xml_definitions.h"
#include "trace/xml/xml_source.h"
#include "without/without.h"

WITHOUT_FORMAT(xml_format,
	       "is a trace in XML, and this histree was built without libexpat; build it with that (Debian: "
	       "libexpat1-dev)");

enum histree_status xml_definitions_read(const char *path, const char *bytes, size_t size,
					 struct definitions *definitions, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_ARGUMENT,
			 "'%s': this histree was built without libexpat, and does not read XML: install "
			 "libexpat1-dev and build it again",
			 path);
}
