// SPDX-License-Identifier: MIT
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum histree_status error_set(struct histree_error *error, enum histree_status status, const char *format, ...)
{
	if (error == NULL)
		return status;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(error->message, sizeof(error->message), format, arguments);
	va_end(arguments);
	error->status = status;
	return status;
}

void error_prefix(struct histree_error *error, const char *format, ...)
{
	if (error == NULL)
		return;
	char before[sizeof(error->message)];
	memcpy(before, error->message, sizeof(before));
	before[sizeof(before) - 1] = '\0';

	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(error->message, sizeof(error->message), format, arguments);
	va_end(arguments);
	if (length >= 0 && (size_t)length < sizeof(error->message))
		snprintf(error->message + length, sizeof(error->message) - (size_t)length, ": %.*s",
			 (int)(sizeof(error->message) - (size_t)length) - 3, before);
}

enum histree_status error_memory(struct histree_error *error, const char *what)
{
	return error_set(error, HISTREE_ERR_MEMORY, "out of memory for %s", what);
}
