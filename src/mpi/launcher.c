// SPDX-License-Identifier: MIT
#include "mpi/launcher.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/processors.h"
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

/* What mpirun sets if it has bound its ranks, and how it was told to place or to bind them, if it was. */
static bool is_bound_unasked(void)
{
	return getenv("OMPI_MCA_orte_bound_at_launch") != NULL &&
	       getenv("OMPI_MCA_hwloc_base_binding_policy") == NULL &&
	       getenv("OMPI_MCA_rmaps_base_mapping_policy") == NULL;
}

static void leave_core(void)
{
	cpu_set_t set;
	if (is_bound_unasked() && sched_getaffinity(getppid(), sizeof(set), &set) == 0)
		sched_setaffinity(0, sizeof(set), &set); /* or it stays where it is */
}

void launcher_choose_ways(void)
{
	leave_core();
	const char *all = getenv("OMPI_COMM_WORLD_SIZE"), *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
	if (all != NULL && here != NULL && strcmp(all, here) == 0)
		setenv("OMPI_MCA_pml", "ob1", 0);
	setenv("PMIX_MCA_gds", "hash", 0);
}

uint32_t launcher_threads(void)
{
	const char *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
	int ranks = here != NULL ? atoi(here) : 1;
	uint32_t share = processors_count() / (ranks > 1 ? (uint32_t)ranks : 1);
	return share > 1 ? share : 1;
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
