// SPDX-License-Identifier: MIT
/*
 * repair_files.c - one file of a store is repaired.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/io_copy.h"
#include "event_index/event_index.h"
#include "histree/lookup.h"
#include "histree/time_in_state.h"
#include "overview/overview_writer.h"
#include "pipeline/repair_inside.h"
#include "segment/segment_backend.h"
#include "segment/segment_overviews.h"
#include "segment/segment_repair.h"
#include "state/history.h"
#include "state/history_copy.h"
#include "store_folder/manifest.h"

static void report_lost(void *context, const struct histree_interval *interval)
{
	struct repair *repair = context;
	const struct histree_repair_options *options = repair->options;
	repair->lost++;
	if (options->lost != NULL)
		options->lost(options->context, repair->analysis, repair->attributes, interval);
}

void repair_found_damage(void *context, const char *what)
{
	struct repair *repair = context;
	const struct histree_repair_options *options = repair->options;
	char text[sizeof(repair->error->message) + 320];
	repair->faults++;
	if (options->damage == NULL)
		return;
	snprintf(text, sizeof(text), "%s%s%s%s%s", repair->host != NULL ? repair->host : "",
		 repair->host != NULL ? ": " : "", repair->analysis != NULL ? repair->analysis : "",
		 repair->analysis != NULL ? ": " : "", what);
	options->damage(options->context, text);
}

char *repair_path(struct arena *arena, const char *folder, const char *name)
{
	size_t size = strlen(folder) + strlen(name) + 2;
	char *path = arena_allocate(arena, size, 1);
	if (path != NULL)
		snprintf(path, size, "%s/%s", folder, name);
	return path;
}

static bool goes_on(void *context, double share)
{
	const struct repair *repair = context;
	return file_work_goes_on(&repair->work, share);
}

/* ---- overviews ------------------------------------------------------------------------------------------ */

/* In an overview nothing is lost, but a store is made that has sound ones. */
void repair_found_oddity(void *context, const char *what)
{
	struct repair *repair = context;
	uint64_t faults = repair->faults;
	repair_found_damage(repair, what);
	repair->faults = faults;
	repair->lacks_overviews = true;
}

/* What the words of the build say; those of a file alone are not known. */
static bool wants_overviews(const struct repair *repair)
{
	return repair->info.options == NULL || strstr(repair->info.options, "--no-overviews") == NULL;
}

/* ---- one history ---------------------------------------------------------------------------------------- */

/* What is of another store is left there: it can be repaired as a file of its own. */
static enum histree_status not_meant(struct repair *repair, const char *path)
{
	return error_set(
		repair->error, HISTREE_ERR_FORMAT,
		"'%s' is of another store or build, and left out; 'histree repair' makes a sound file of it "
		"alone",
		path);
}

/* Whether what overviews of numbers and of sums say is what their history does. */
static enum histree_status verify_contents(struct repair *repair, const char *path)
{
	struct histree_history *history;
	enum histree_status status = histree_history_open(path, NULL, &history, repair->error);
	if (status == HISTREE_OK)
		status = histree_numbers_verify(history, repair_found_oddity, repair, repair->error);
	if (status == HISTREE_OK)
		status = histree_sums_verify(history, repair_found_oddity, repair, repair->error);
	histree_history_close(history);
	return status;
}

/* HISTREE_ERR_FORMAT: something is damaged. */
static enum histree_status verify_history(struct repair *repair, struct histree_history *history, const char *path)
{
	enum histree_status status = histree_history_verify(history, repair_found_damage, repair, repair->error);
	if (status == HISTREE_OK)
		status = history_verify_overviews(history, repair_found_oddity, repair, repair->error);
	return status == HISTREE_OK && repair->faults == 0 ? verify_contents(repair, path) : status;
}

static bool overviews_go_on(void *context, double share)
{
	(void)share; /* the copy, which is most of the work, is done */
	return goes_on(context, 1);
}

static enum histree_status make_overviews(struct repair *repair, const char *path)
{
	const struct overview_options options = { .go_on = overviews_go_on, .context = repair };
	return overviews_write(repair->io, path, &options, repair->error);
}

enum histree_status repair_history(struct repair *repair, const struct histree_store_history *meant,
				   const char *path, const char *out)
{
	static const struct histree_open_options salvage = { .salvage = true };
	const struct copy_watch watch = { .lost = report_lost, .go_on = goes_on, .context = repair };
	struct histree_history *damaged;
	file_work_begin(&repair->work, path);
	enum histree_status status = histree_history_open(path, &salvage, &damaged, repair->error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_history_info *info = histree_history_info(damaged);
	if (meant != NULL && !manifest_means_history(&repair->info, meant, info)) {
		histree_history_close(damaged);
		return not_meant(repair, path);
	}
	repair->attributes = histree_history_attributes(damaged);
	repair->analysis_version = info->provider_version;
	if (repair->analysis == NULL)
		repair->analysis = arena_copy(&repair->arena, info->provider, strlen(info->provider));
	if (!info->complete)
		repair_found_damage(repair, "it was never completed: it ends where it was published last");
	status = verify_history(repair, damaged, path);
	if (status == HISTREE_OK || status == HISTREE_ERR_FORMAT)
		status = history_copy(repair->io, damaged, out, NULL, &watch, repair->error);
	if (info->end > repair->info.end)
		repair->info.end = info->end;
	histree_history_close(damaged);
	return status == HISTREE_OK && wants_overviews(repair) ? make_overviews(repair, out) : status;
}

/* ---- one segment store ---------------------------------------------------------------------------------- */

static void report_lost_segments(void *context, const struct histree_segment_loss *loss)
{
	struct repair *repair = context;
	const struct histree_repair_options *options = repair->options;
	repair->lost_nodes++;
	if (options->lost_segments != NULL)
		options->lost_segments(options->context, repair->analysis, loss);
}

static enum histree_status verify_segments(struct repair *repair, struct histree_segment_store *store,
					   const char *path)
{
	enum histree_status status =
		histree_segment_store_verify(store, repair_found_damage, repair, repair->error);
	if (status != HISTREE_OK)
		return status;
	return segment_overviews_verify(repair->io, path, histree_segment_store_info(store), store,
					repair_found_oddity, repair, repair->error);
}

static enum histree_status make_segment_overviews(struct repair *repair, const char *path)
{
	struct histree_segment_store *store;
	enum histree_status status = segment_store_open(repair->io, path, NULL, &store, repair->error);
	if (status == HISTREE_OK)
		status = histree_segment_store_make_overviews(store, repair->work.cancel, repair->error);
	histree_segment_store_close(store);
	return status;
}

enum histree_status repair_segments(struct repair *repair, const struct histree_store_segments *meant,
				    const char *path, const char *out)
{
	static const struct histree_segment_open_options salvage = { .salvage = true,
								     .tables = HISTREE_TABLES_NEVER };
	struct histree_segment_store *damaged;
	file_work_begin(&repair->work, path);
	if (!file_work_goes_on(&repair->work, 0))
		return error_set(repair->error, HISTREE_ERR_CANCELLED, "cancelled");
	enum histree_status status = histree_segment_store_open(path, &salvage, &damaged, repair->error);
	if (status != HISTREE_OK)
		return status;
	if (meant != NULL && meant->identity != 0 &&
	    meant->identity != histree_segment_store_info(damaged)->identity) {
		histree_segment_store_close(damaged);
		return not_meant(repair, path);
	}
	const struct histree_segment_schema *schema = &histree_segment_store_info(damaged)->schema;
	repair->analysis_version = schema->provider_version;
	if (repair->analysis == NULL)
		repair->analysis = arena_copy(&repair->arena, schema->provider, strlen(schema->provider));
	status = verify_segments(repair, damaged, path);
	if (status == HISTREE_OK || status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_IO)
		status = segment_repair(
			repair->io, damaged, out,
			&(struct segment_repair_report){ .lost = report_lost_segments, .context = repair },
			repair->error);
	histree_segment_store_close(damaged);
	return status == HISTREE_OK && wants_overviews(repair) ? make_segment_overviews(repair, out) : status;
}

/* ---- the index of events -------------------------------------------------------------------------------- */

/* Whether it is sound, and the one that the manifest means.  HISTREE_ERR_FORMAT: it is not. */
static enum histree_status check_index(struct repair *repair, const char *path, uint64_t *identity)
{
	struct event_index index;
	enum histree_status status = event_index_read(repair->io, path, &index, repair->error);
	if (status != HISTREE_OK)
		return status;
	bool is_meant = index.event_count == repair->info.event_count &&
			(repair->info.index_identity == 0 || index.identity == repair->info.index_identity);
	*identity = index.identity;
	event_index_release(&index);
	return is_meant ? HISTREE_OK : not_meant(repair, path);
}

enum histree_status repair_index(struct repair *repair, const char *path, const char *out)
{
	uint64_t identity;
	enum histree_status status = check_index(repair, path, &identity);
	repair->analysis = NULL;
	repair->info.index_identity = 0;
	if (status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_VERSION || status == HISTREE_ERR_TOO_LARGE) {
		repair_found_damage(repair, repair->error->message);
		return HISTREE_OK;
	}
	if (status == HISTREE_OK)
		status = io_copy(repair->io, path, out, repair->error);
	if (status == HISTREE_OK)
		repair->info.index_identity = identity;
	return status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
}
