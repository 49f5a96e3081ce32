// SPDX-License-Identifier: MIT
#include "mpi/launcher.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/report.h"

/* What rank 0 takes to say something, and how long the others let it. */
enum { SAY_MS = 200, SILENT_MS = 2000 };

static const char *volatile last_text;
static volatile sig_atomic_t own_rank; /* a handler of signals may not look at the environment */

int launcher_rank(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *text = getenv(names[i]);
		if (text != NULL)
			return atoi(text);
	}
	return -1;
}

void launcher_choose_ways(void)
{
	const char *all = getenv("OMPI_COMM_WORLD_SIZE"), *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
	if (all != NULL && here != NULL && strcmp(all, here) == 0)
		setenv("OMPI_MCA_pml", "ob1", 0);
	setenv("PMIX_MCA_gds", "hash", 0);
}

static void end(int number)
{
	const char *text = last_text;
	const int rank = own_rank;
	ssize_t written = 0;
	(void)number;
	if (rank > 0)
		poll(NULL, 0, rank == 1 && text != NULL ? SAY_MS : SILENT_MS);
	if (rank <= 1 && text != NULL)
		written = write(STDERR_FILENO, text, strlen(text));
	_exit(written < 0 ? CLI_INTERNAL : CLI_INPUT);
}

void launcher_end_with(const char *text)
{
	last_text = text;
	own_rank = launcher_rank();
	signal(SIGTERM, end);
}

void launcher_let_others_speak(void)
{
	poll(NULL, 0, SILENT_MS);
}
