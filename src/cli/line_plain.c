// SPDX-License-Identifier: MIT
#include "cli/line_plain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum line_kind line_plain_read(struct line_plain *plain, const char *prompt, const char **line)
{
	fputs(prompt, stderr);
	errno = 0;
	ssize_t size = getline(&plain->bytes, &plain->capacity, stdin);
	*line = plain->bytes;
	if (size < 0 && errno == EINTR) {
		clearerr(stdin);
		fputc('\n', stderr);
		return LINE_ABANDONED;
	}
	if (size < 0)
		return LINE_END;
	plain->bytes[strcspn(plain->bytes, "\n")] = '\0';
	return LINE_READ;
}
