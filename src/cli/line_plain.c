// SPDX-License-Identifier: MIT
#include "cli/line_plain.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

enum { BYTES_AT_ONCE = 4096 };

/* Returns true if Ctrl-C was typed, which is over then. */
static bool take_interrupt(void)
{
	const struct timespec now = { 0 };
	sigset_t interrupt;
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	return sigtimedwait(&interrupt, NULL, &now) == SIGINT;
}

/* Returns false if no line can come any more. */
static bool read_some(struct line_plain *plain)
{
	/* And a zero at its end. */
	if (!array_reserve(&plain->bytes, &plain->capacity, plain->used + BYTES_AT_ONCE + 1))
		return false;
	ssize_t size = read(STDIN_FILENO, plain->bytes + plain->used, BYTES_AT_ONCE);
	plain->used += size > 0 ? (size_t)size : 0;
	return size > 0 || (size < 0 && (errno == EINTR || errno == EAGAIN));
}

/* SIGINT is blocked, though not by `open`. */
static enum line_kind wait_for_line(struct line_plain *plain, const sigset_t *open)
{
	struct pollfd terminal = { .fd = STDIN_FILENO, .events = POLLIN };
	while (plain->used == 0 || memchr(plain->bytes, '\n', plain->used) == NULL) {
		bool is_interrupted = ppoll(&terminal, 1, NULL, open) < 0 && errno == EINTR;
		/* It may have come together with a line, which is one that was typed after it. */
		if (take_interrupt() || is_interrupted) {
			plain->used = 0;
			return LINE_ABANDONED;
		}
		if (!read_some(plain))
			return plain->used == 0 ? LINE_END : LINE_READ;
	}
	return LINE_READ;
}

static void hand_out(struct line_plain *plain)
{
	const char *end = memchr(plain->bytes, '\n', plain->used);
	size_t size = end == NULL ? plain->used : (size_t)(end - plain->bytes);
	plain->taken = end == NULL ? size : size + 1;
	plain->bytes[size] = '\0';
}

enum line_kind line_plain_read(struct line_plain *plain, const char *prompt, const char **line)
{
	sigset_t interrupt, open;
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	pthread_sigmask(SIG_BLOCK, &interrupt, &open);
	plain->used -= plain->taken;
	if (plain->used > 0)
		memmove(plain->bytes, plain->bytes + plain->taken, plain->used);
	plain->taken = 0;
	fputs(prompt, stderr);
	enum line_kind kind = wait_for_line(plain, &open);
	pthread_sigmask(SIG_SETMASK, &open, NULL);
	if (kind == LINE_READ)
		hand_out(plain);
	else if (kind == LINE_ABANDONED)
		fputc('\n', stderr);
	*line = plain->bytes;
	return kind;
}
