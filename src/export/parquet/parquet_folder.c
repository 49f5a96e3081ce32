// SPDX-License-Identifier: MIT
#include "export/parquet/parquet_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

/* Remove what has a name as we give it; whatever else is there stays, and the folder with it. */
static void remove_files(const struct io *io, const char *folder, bool is_top)
{
	DIR *opened = opendir(folder);
	const struct dirent *entry;
	while (opened != NULL && (entry = readdir(opened)) != NULL) {
		char *path = NULL;
		bool is_ours = fnmatch(is_top ? "*=*" : "part-*.parquet*", entry->d_name, FNM_PERIOD) == 0;
		if (!is_ours || asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
			continue;
		if (is_top)
			remove_files(io, path, false);
		else
			io->unlink(io->context, path);
		free(path);
	}
	if (opened != NULL)
		closedir(opened);
	io->rmdir(io->context, folder);
}

static bool is_there(const char *path)
{
	struct stat facts;
	return lstat(path, &facts) == 0;
}

static void release(struct parquet_folder *folder)
{
	free(folder->path);
	free(folder->temporary);
	*folder = (struct parquet_folder){ 0 };
}

static enum histree_status make(const struct io *io, const char *path, bool may_be_there,
				struct histree_error *error)
{
	if (io->mkdir(io->context, path, 0777) == 0 || (may_be_there && errno == EEXIST))
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_IO, "cannot make '%s': %s", path, strerror(errno));
}

enum histree_status parquet_folder_begin(struct parquet_folder *folder, const struct io *io, const char *path,
					 const char *analysis, bool replace, struct histree_error *error)
{
	*folder = (struct parquet_folder){ .io = io };
	if (analysis[0] == '\0' || strchr(analysis, '/') != NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT, "'%s' is no name of an analysis", analysis);
	if (asprintf(&folder->path, "%s/analysis=%s", path, analysis) < 0)
		folder->path = NULL;
	else if (asprintf(&folder->temporary, "%s/.analysis=%s.part", path, analysis) < 0)
		folder->temporary = NULL;
	enum histree_status status = HISTREE_OK;
	if (folder->temporary == NULL)
		status = error_memory(error, "a path");
	else if (is_there(folder->path) && !replace)
		status = error_set(error, HISTREE_ERR_EXISTS, "'%s' exists already; remove it, or have it replaced",
				   folder->path);
	else if (is_there(folder->temporary))
		remove_files(io, folder->temporary, true);
	if (status == HISTREE_OK)
		status = make(io, path, true, error);
	if (status == HISTREE_OK)
		status = make(io, folder->temporary, false, error);
	folder->replaces = status == HISTREE_OK && is_there(folder->path);
	if (status != HISTREE_OK)
		release(folder);
	return status;
}

enum histree_status parquet_folder_finish(struct parquet_folder *folder, enum histree_status status,
					  struct histree_error *error)
{
	const struct io *io = folder->io;
	if (status == HISTREE_OK) {
		int failed = folder->replaces ? io->exchange(io->context, folder->temporary, folder->path)
					      : io->rename(io->context, folder->temporary, folder->path);
		if (failed != 0)
			status = error_set(error, HISTREE_ERR_IO, "cannot rename '%s' to '%s': %s",
					   folder->temporary, folder->path, strerror(errno));
		else
			status = io_sync_folder_of(io, folder->path, error);
		/* What has the temporary name now is the older one, if there was one. */
		if (status == HISTREE_OK && folder->replaces) {
			remove_files(io, folder->temporary, true);
			if (is_there(folder->temporary))
				status =
					error_set(error, HISTREE_ERR_IO,
						  "'%s' is complete, but files of others remain in '%s', which was "
						  "there before; remove it",
						  folder->path, folder->temporary);
			release(folder);
			return status;
		}
	}
	if (status != HISTREE_OK)
		remove_files(io, folder->temporary, true);
	release(folder);
	return status;
}
