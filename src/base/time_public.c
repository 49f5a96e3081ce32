// SPDX-License-Identifier: MIT
#include "histree/time_text.h"

#include "base/error.h"
#include "base/time_text.h"

enum histree_status histree_time_parse(const char *text, histree_time start, histree_time end, histree_time *out,
				       struct histree_error *error)
{
	*out = 0;
	if (time_parse(text, start, end, out))
		return HISTREE_OK;
	*out = 0;
	return error_set(error, HISTREE_ERR_ARGUMENT,
			 "'%.100s' is not a time: write nanoseconds since the epoch, '+12.5ms' after the start, "
			 "'17:46:23.1' or '2016-03-04 17:46:23.1'",
			 text);
}
