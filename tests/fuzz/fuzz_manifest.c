// SPDX-License-Identifier: MIT
/*
 * fuzz_manifest.c - what a manifest says, behind its checksum.  What is read leads to no file outside of the
 * store, has clocks that can be applied, and is the same when it is written and read again.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "store_folder/manifest.h"
#include "store_folder/store_folder.h"

static void check_clock(const struct histree_clock *clock)
{
	static const histree_time times[] = { INT64_MIN, -1, 0, 1, 1361214076525090092, INT64_MAX };
	if (clock == NULL)
		return;
	REQUIRE(strlen(histree_clock_quality_name(clock->quality)) > 0);
	for (size_t i = 1; i < sizeof(times) / sizeof(*times); i++)
		REQUIRE(histree_clock_apply(clock, times[i - 1]) <= histree_clock_apply(clock, times[i]));
}

static void check_info(const struct histree_store_info *info)
{
	check_clock(info->clock);
	REQUIRE(info->host_count <= MANIFEST_HOSTS_MAX);
	for (size_t i = 0; i < info->history_count; i++)
		REQUIRE(strchr(info->histories[i].file, '/') == NULL && info->histories[i].file[0] != '.');
	for (size_t i = 0; i < info->host_count; i++) {
		const struct histree_store_host *host = &info->hosts[i];
		REQUIRE(strncmp(host->folder, HOSTS_FOLDER "/", sizeof(HOSTS_FOLDER)) == 0);
		REQUIRE(strchr(host->folder + sizeof(HOSTS_FOLDER), '/') == NULL);
		REQUIRE(host->folder[sizeof(HOSTS_FOLDER)] != '.' && host->folder[sizeof(HOSTS_FOLDER)] != '\0');
		REQUIRE(host->neighbour < info->host_count && strlen(host->folder) < HOST_FOLDER_SIZE);
		check_clock(host->clock);
	}
}

static bool decode(const char *bytes, size_t size, struct arena *arena, struct histree_store_info *out)
{
	json_t *root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, NULL);
	bool is_read = root != NULL && manifest_decode("manifest.json", root, arena, out, NULL) == HISTREE_OK;
	json_decref(root);
	return is_read;
}

FUZZ_TARGET(bytes, size)
{
	struct arena arena = { 0 };
	struct histree_store_info info, again;
	if (decode((const char *)bytes, size, &arena, &info)) {
		check_info(&info);
		char *text = manifest_encode(&info);
		REQUIRE(text != NULL && decode(text, strlen(text), &arena, &again));
		REQUIRE(again.host_count == info.host_count && again.trace_count == info.trace_count);
		for (size_t i = 0; i < info.host_count; i++) {
			REQUIRE(strcmp(again.hosts[i].name, info.hosts[i].name) == 0);
			REQUIRE(again.hosts[i].identity == info.hosts[i].identity);
			REQUIRE((again.hosts[i].clock == NULL) == (info.hosts[i].clock == NULL));
		}
		free(text);
	}
	arena_release(&arena);
	return 0;
}
