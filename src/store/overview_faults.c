// SPDX-License-Identifier: MIT
#include "store/overview_faults.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"

bool overview_is_there(const struct io *io, const char *path)
{
	int file = io->open(io->context, path, O_RDONLY, 0);
	if (file < 0)
		return errno != ENOENT;
	io->close(io->context, file);
	return true;
}

void overview_faults_report(void *faults, const char *fault)
{
	struct overview_faults *all = faults;
	char text[1024];
	all->count++;
	snprintf(text, sizeof(text),
		 "overview '%s': %s; nothing is lost: remove the file, or make a store with a sound one ('histree "
		 "copy --repair')",
		 all->path, fault);
	all->report(all->context, text);
}

enum histree_status overview_faults_judge(struct overview_faults *faults, uint64_t before,
					  enum histree_status status, const struct histree_error *fault,
					  struct histree_error *error)
{
	bool is_damaged =
		status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_INCOMPLETE || status == HISTREE_ERR_VERSION;
	if (is_damaged && faults->count == before)
		overview_faults_report(faults, fault->message);
	return status == HISTREE_OK || is_damaged ? HISTREE_OK : error_set(error, status, "%s", fault->message);
}

enum histree_status overview_faults_sum(const struct overview_faults *faults, const char *path,
					struct histree_error *error)
{
	if (faults->count == 0)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_FORMAT, "'%s': %" PRIu64 " fault%s in its overviews", path,
			 faults->count, faults->count == 1 ? "" : "s");
}
