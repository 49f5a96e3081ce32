// SPDX-License-Identifier: MIT
/*
 * store_wait.c - wait for a history that grows: the store is opened again and again, as what is open never changes.
 */
#include <time.h>

#include "base/cancel.h"
#include "base/error.h"
#include "histree/store.h"

static int64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A store of which there is nothing yet may come; one that cannot be read will not get better. */
static bool may_come(enum histree_status status)
{
	return status == HISTREE_ERR_IO || status == HISTREE_NOT_FOUND;
}

/* Look once.  *again is set if there is more to wait for. */
static enum histree_status look(const char *path, const char *analysis, const struct histree_store_wait *wait,
				const struct histree_open_options *options, struct histree_history **out,
				bool *again, struct histree_error *error)
{
	struct histree_store *store;
	enum histree_status status = histree_store_open(path, &store, error);
	*again = may_come(status);
	if (status != HISTREE_OK)
		return status;
	bool building = histree_store_info(store)->building;
	status = histree_store_history(store, analysis, false, options, out, error);
	histree_store_close(store);
	*again = may_come(status) && building;
	if (status != HISTREE_OK)
		return status;
	const struct histree_history_info *info = histree_history_info(*out);
	if (info->complete || info->end >= wait->until)
		return HISTREE_OK;
	*again = building;
	status = error_set(error, HISTREE_ERR_INCOMPLETE,
			   "'%s': its build was cut off at %lld; 'histree build --resume' goes on with it", path,
			   (long long)info->end);
	histree_history_close(*out);
	*out = NULL;
	return status;
}

enum histree_status histree_store_wait(const char *path, const char *analysis,
				       const struct histree_store_wait *wait,
				       const struct histree_open_options *options, struct histree_history **out,
				       struct histree_error *error)
{
	static const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };
	int64_t begun = now_ns();
	bool was_cut_off = false;
	*out = NULL;
	for (;;) {
		bool again;
		enum histree_status status = look(path, analysis, wait, options, out, &again, error);
		/* A build that ends while we look seems cut off, once. */
		bool is_cut_off = status == HISTREE_ERR_INCOMPLETE && !again;
		if (status == HISTREE_OK || (!again && (!is_cut_off || was_cut_off)))
			return status;
		was_cut_off = is_cut_off;
		if (cancel_asked(&wait->cancel))
			return error_set(error, HISTREE_ERR_CANCELLED, "cancelled");
		if (wait->timeout_ns >= 0 && now_ns() - begun >= wait->timeout_ns)
			return error_set(error, HISTREE_NOT_FOUND,
					 "'%s' is not there yet, or has not got so far; wait longer", path);
		nanosleep(&pause, NULL);
	}
}
