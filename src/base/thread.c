// SPDX-License-Identifier: MIT
#include "base/thread.h"

#include <signal.h>

bool thread_create(pthread_t *out, void *(*run)(void *context), void *context)
{
	sigset_t all, before;
	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
		return false;
	int made = pthread_create(out, NULL, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return made == 0;
}
