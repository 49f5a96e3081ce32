// SPDX-License-Identifier: MIT
#include "cli/name_list.h"

#include <stdio.h>
#include <string.h>

void name_list_add(char *names, size_t size, const char *name)
{
	size_t length = strlen(names);
	snprintf(names + length, size - length, "%s%s", length > 0 ? ", " : "", name);
}
