// SPDX-License-Identifier: MIT
/*
 * late_reader.c - loaded before a program, makes it late wherever it is about to wait for a key: what is typed as
 * soon as its prompt can be seen comes before it waits.
 */
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <time.h>

__attribute__((visibility("default"))) int tcsetattr(int file, int when, const struct termios *attributes);
__attribute__((visibility("default"))) int ppoll(struct pollfd *files, nfds_t count, const struct timespec *limit,
						 const sigset_t *mask);
__attribute__((visibility("default"))) ssize_t __getdelim(char **line, size_t *capacity, int end, FILE *file);

/* Until it is over even if signals come. */
static void be_late(void)
{
	struct timespec rest = { .tv_nsec = 30000000 };
	while (nanosleep(&rest, &rest) != 0)
		continue;
}

static void find(void *function, const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);
	memcpy(function, (const void *)&found, sizeof(found));
}

int tcsetattr(int file, int when, const struct termios *attributes)
{
	int (*other)(int, int, const struct termios *);
	find((void *)&other, "tcsetattr");
	if ((attributes->c_lflag & (tcflag_t)ICANON) == 0)
		be_late();
	return other(file, when, attributes);
}

int ppoll(struct pollfd *files, nfds_t count, const struct timespec *limit, const sigset_t *mask)
{
	int (*other)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
	find((void *)&other, "ppoll");
	be_late();
	return other(files, count, limit, mask);
}

/* getline() */
ssize_t __getdelim(char **line, size_t *capacity, int end, FILE *file)
{
	ssize_t (*other)(char **, size_t *, int, FILE *);
	find((void *)&other, "__getdelim");
	be_late();
	return other(line, capacity, end, file);
}
