// SPDX-License-Identifier: MIT
/*
 * library.c - dlopen(), once for each library, with a sentence where it fails.
 */
#include "base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

static enum histree_status load_locked(struct library *library, struct histree_error *error)
{
	void *handle = dlopen(library->file, RTLD_LAZY | RTLD_LOCAL);
	if (handle == NULL)
		return error_set(error, HISTREE_NOT_FOUND, "%s; without it: %s", library->need, dlerror());
	for (size_t i = 0; i < library->count; i++) {
		void *found = dlsym(handle, library->names[i]);
		if (found == NULL) {
			dlclose(handle);
			return error_set(error, HISTREE_NOT_FOUND, "%s; this %s has no %s()", library->need,
					 library->file, library->names[i]);
		}
		/* ISO C has no cast from one to the other; POSIX says that the bytes are the same. */
		memcpy((char *)library->functions + i * sizeof(found), &found, sizeof(found));
	}
	atomic_store_explicit(&library->is_loaded, true, memory_order_release);
	return HISTREE_OK;
}

enum histree_status library_load(struct library *library, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (atomic_load_explicit(&library->is_loaded, memory_order_acquire))
		return HISTREE_OK;
	pthread_mutex_lock(&loading);
	if (!atomic_load_explicit(&library->is_loaded, memory_order_relaxed))
		status = load_locked(library, error);
	pthread_mutex_unlock(&loading);
	return status;
}
