/* SPDX-License-Identifier: MIT */
/*
 * launcher.h - what a launcher tells its processes, and how they end when it wants that.
 *
 * When a rank dies, or the launcher is to end, that of Open MPI sends SIGTERM to all ranks, and SIGKILL a second
 * later, or as soon as any has ended.  So whoever has something to say says it at once, and the others wait.
 */
#ifndef MPI_LAUNCHER_H
#define MPI_LAUNCHER_H

#include <stdint.h>

/* The rank that the launcher gave this process, before MPI begins; -1: it was started without one. */
int launcher_rank(void);

/*
 * Before MPI begins: have Open MPI do without what it need not do, unless the user has said otherwise.  It is not
 * to look for networks where all ranks are on one node, which takes longer than all the rest of its beginning, nor
 * to let ranks read what the launcher knows under a lock, which a rank that is killed just then holds for ever, so
 * that the launcher never ends.
 *
 * And unless the user has said where ranks are to be, this process may use what processors the launcher may: where
 * there are one or two ranks, Open MPI binds each to a core, which all of its threads would have to share.
 */
void launcher_choose_ways(void);

/* How many threads this rank has processors for, if all ranks of its node get as many; at least 1. */
uint32_t launcher_threads(void);

/*
 * From now on SIGTERM ends this process.  Rank 0 says the text, a line and a constant, before that; if it does not,
 * as it is gone, rank 1 does so a little later.  NULL: there is nothing to say.
 */
void launcher_end_with(const char *text);

#define LAUNCHER_STORE_IS_COMPLETE \
	"histree-mpi: ended by a signal, or because a rank died, but the store was complete\n"

/* Something else has to be said, or nothing, by another rank: wait until that is done. */
void launcher_let_others_speak(void);

#endif
