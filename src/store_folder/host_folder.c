// SPDX-License-Identifier: MIT
#include "store_folder/host_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store_folder/manifest.h"

static bool has_to_be_escaped(const char *host, const char *at)
{
	if (*at == '.')
		return at == host || strcmp(at, ".building") == 0;
	return *at == '/' || *at == '%' || (unsigned char)*at < ' ' || *at == 0x7f;
}

bool host_folder_name(const char *host, char out[HOST_FOLDER_SIZE])
{
	size_t size = (size_t)snprintf(out, HOST_FOLDER_SIZE, HOSTS_FOLDER "/");
	for (const char *at = host; *at != '\0'; at++) {
		if (HOST_FOLDER_SIZE - size <= 3)
			return false;
		if (has_to_be_escaped(host, at))
			size += (size_t)snprintf(out + size, HOST_FOLDER_SIZE - size, "%%%02X", (unsigned char)*at);
		else
			out[size++] = *at;
	}
	out[size] = '\0';
	return host[0] != '\0';
}

bool host_folder_is_inside(const char *path)
{
	struct stat facts;
	char *above = NULL;
	char *real = realpath(path, NULL);
	char *slash = real != NULL ? strrchr(real, '/') : NULL;
	if (slash != NULL)
		*slash = '\0';
	char *hosts = slash != NULL ? strrchr(real, '/') : NULL;
	bool is_inside = hosts != NULL && strcmp(hosts + 1, HOSTS_FOLDER) == 0 &&
			 asprintf(&above, "%.*s/" MANIFEST_FILE, (int)(hosts - real), real) >= 0 &&
			 stat(above, &facts) == 0;
	free(above);
	free(real);
	return is_inside;
}

/* The finalizer of MurmurHash3, over what was before and the next number: one bit more or less changes all. */
static uint64_t mix(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) + 0x9e3779b97f4a7c15;
	hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
	hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
	return hash ^ (hash >> 33);
}

uint64_t host_folder_identity(const struct histree_store_info *info)
{
	uint64_t hash = mix(info->history_count, info->segments_count);
	for (size_t i = 0; i < info->history_count; i++)
		hash = mix(hash, info->histories[i].identity);
	for (size_t i = 0; i < info->segments_count; i++)
		hash = mix(hash, info->segments[i].identity);
	hash = mix(hash, info->index_identity);
	return hash != 0 ? hash : 1;
}
