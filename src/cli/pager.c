// SPDX-License-Identifier: MIT
/*
 * pager.c - what is printed goes through $PAGER, or less, on a terminal.
 *
 * Standard output, and standard error if that is the terminal, become a pipe to the pager.  When histree ends, also
 * by a signal, it waits for the reader.
 */
#include "cli/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t pager; /* 0: there is none */

static int own_errors = -1; /* standard error, where what is said goes through the pager, too */

static bool is_begun, is_for_terminal;

/* Whether PATH has a program. */
static bool is_there(const char *program)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];
	while (path != NULL && *path != '\0') {
		const size_t size = strcspn(path, ":");
		snprintf(file, sizeof(file), "%.*s/%s", (int)size, path, program);
		if (access(file, X_OK) == 0)
			return true;
		path += size + (path[size] == ':');
	}
	return false;
}

/* Returns NULL for none. */
static const char *choose(void)
{
	const char *chosen = getenv("PAGER");
	if (chosen == NULL)
		return is_there("less") ? "less" : NULL;
	return *chosen == '\0' || strcmp(chosen, "cat") == 0 ? NULL : chosen;
}

/* Waits for the reader. */
static void pager_end(void)
{
	if (pager <= 0)
		return;
	close(STDOUT_FILENO);
	if (own_errors >= 0)
		dup2(own_errors, STDERR_FILENO);
	while (waitpid(pager, NULL, 0) < 0)
		if (errno != EINTR)
			break;
	pager = 0;
}

/* What is in the pager stays to be read when histree ends of a signal, and the shell waits for it. */
static void end_and_die(int signal)
{
	pager_end();
	raise(signal);
}

static void pager_run(const char *command, int input)
{
	if (dup2(input, STDIN_FILENO) < 0)
		_exit(127);
	if (getenv("LESS") == NULL)
		setenv("LESS", "FRX", 1);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

void pager_begin(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	int ends[2];
	if (is_begun)
		return;
	is_begun = true;
	is_for_terminal = isatty(STDOUT_FILENO) == 1;
	const char *command = is_for_terminal ? choose() : NULL;
	if (command == NULL || pipe2(ends, O_CLOEXEC) != 0)
		return;
	pager = fork();
	if (pager == 0)
		pager_run(command, ends[0]);
	close(ends[0]);
	if (pager > 0 && dup2(ends[1], STDOUT_FILENO) < 0) {
		kill(pager, SIGTERM);
		pager_end();
	}
	if (pager > 0 && isatty(STDERR_FILENO) == 1) {
		own_errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
		if (own_errors >= 0)
			dup2(ends[1], STDERR_FILENO);
	}
	close(ends[1]);
	pager = pager > 0 ? pager : 0;
	atexit(pager_end);
	/* Of Ctrl-C the pager knows, too, and lives on. */
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals) && pager > 0; i++)
		sigaction(signals[i], &(struct sigaction){ .sa_handler = end_and_die, .sa_flags = SA_RESETHAND },
			  NULL);
}

void pager_never(void)
{
	is_begun = true;
}

bool pager_shows_bold(void)
{
	const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
	return is_for_terminal && (none == NULL || *none == '\0') && terminal != NULL &&
	       strcmp(terminal, "dumb") != 0;
}
