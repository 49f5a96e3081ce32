// SPDX-License-Identifier: MIT
#include "analysis/xml/xml_definitions.h"

#include "base/error.h"

enum histree_status xml_definitions_read(const char *path, const char *bytes, size_t size,
					 struct definitions *definitions, struct histree_error *error)
{
	(void)bytes, (void)size, (void)definitions;
	return error_set(error, HISTREE_ERR_ARGUMENT,
			 "'%s': this histree was built without libexpat, and does not read XML: install "
			 "libexpat1-dev and build it again",
			 path);
}
