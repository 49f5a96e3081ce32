// SPDX-License-Identifier: MIT
/*
 * repair.c - makes a new store from what can be read of a damaged one: a copy (store_copy.h) that skips what cannot
 * be read.
 *
 * A host with nothing readable is left out.  If a manifest is lost, the files identify themselves, and the stores
 * in the folder of hosts identify the hosts.
 */
#include "pipeline/copy/repair.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/io.h"
#include "event_index/event_index.h"
#include "histree/states.h"
#include "overview/overview_writer.h"
#include "pipeline/copy/store_copy.h"
#include "segment/segment_memory.h"
#include "segment/segment_overviews.h"
#include "state/history.h"
#include "state/history_copy.h"
#include "store_folder/manifest.h"
#include "store_folder/store_folder.h"

/* ---- what is found ------------------------------------------------------------------------------------------- */

static void report_lost(void *context, const struct histree_interval *interval)
{
	struct store_copy *copy = context;
	const struct histree_repair_options *options = copy->options;
	copy->found.lost++;
	if (options->lost != NULL)
		options->lost(options->context, copy->analysis, copy->attributes, interval);
}

/* Tell the caller of something that is damaged. */
static void found_damage(void *context, const char *what)
{
	struct store_copy *copy = context;
	const struct histree_repair_options *options = copy->options;
	char text[3 * sizeof(copy->error->message)];
	copy->found.faults++;
	if (options->damage == NULL)
		return;
	snprintf(text, sizeof(text), "%s%s%s%s%s", copy->host != NULL ? copy->host : "",
		 copy->host != NULL ? ": " : "", copy->analysis != NULL ? copy->analysis : "",
		 copy->analysis != NULL ? ": " : "", what);
	options->damage(options->context, text);
}

static bool goes_on(void *context, double share)
{
	const struct store_copy *copy = context;
	return file_work_goes_on(&copy->work, share);
}

/* ---- overviews ------------------------------------------------------------------------------------------ */

/* In an overview nothing is lost, but a store is made that has sound ones. */
static void found_oddity(void *context, const char *what)
{
	struct store_copy *copy = context;
	uint64_t faults = copy->found.faults;
	found_damage(copy, what);
	copy->found.faults = faults;
	copy->found.lacks_overviews = true;
}

/* What the words of the build say; those of a file alone are not known. */
static bool wants_overviews(const struct store_copy *copy)
{
	return copy->info.options == NULL || strstr(copy->info.options, "--no-overviews") == NULL;
}

/* ---- one history ---------------------------------------------------------------------------------------- */

/* What is of another store is left there: it can be repaired as a file of its own. */
static enum histree_status not_meant(struct store_copy *copy, const char *path)
{
	return error_set(
		copy->error, HISTREE_ERR_FORMAT,
		"'%s' is of another store or build, and left out; 'histree copy --repair' makes a sound file of it "
		"alone",
		path);
}

/* Whether the overviews of numbers and of sums agree with their history. */
static enum histree_status verify_contents(struct store_copy *copy, const char *path)
{
	struct histree_history *history;
	enum histree_status status = histree_history_open(path, NULL, &history, copy->error);
	if (status == HISTREE_OK)
		status = histree_numbers_verify(history, found_oddity, copy, copy->error);
	if (status == HISTREE_OK)
		status = histree_sums_verify(history, found_oddity, copy, copy->error);
	histree_history_close(history);
	return status;
}

/* HISTREE_ERR_FORMAT: something is damaged. */
static enum histree_status verify_history(struct store_copy *copy, struct histree_history *history,
					  const char *path)
{
	enum histree_status status = histree_history_verify(history, found_damage, copy, copy->error);
	if (status == HISTREE_OK)
		status = history_verify_overviews(history, found_oddity, copy, copy->error);
	return status == HISTREE_OK && copy->found.faults == 0 ? verify_contents(copy, path) : status;
}

static bool overviews_go_on(void *context, double share)
{
	(void)share; /* the copy, which is most of the work, is done */
	return goes_on(context, 1);
}

static enum histree_status make_overviews(struct store_copy *copy, const char *path)
{
	const struct overview_options options = { .go_on = overviews_go_on, .context = copy };
	return overviews_write(copy->io, path, &options, copy->error);
}

/*
 * Make a sound file of what can be read of one.  HISTREE_ERR_FORMAT or HISTREE_ERR_INCOMPLETE: it cannot be opened,
 * or is not the one that the manifest means; `meant` may be NULL.
 */
static enum histree_status repair_history(struct store_copy *copy, const struct histree_store_history *meant,
					  const char *path, const char *out)
{
	static const struct histree_open_options salvage = { .salvage = true };
	const struct copy_watch watch = { .lost = report_lost, .go_on = goes_on, .context = copy };
	struct histree_history *damaged;
	enum histree_status status = histree_history_open(path, &salvage, &damaged, copy->error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_history_info *info = histree_history_info(damaged);
	if (meant != NULL && !manifest_means_history(&copy->info, meant, info)) {
		histree_history_close(damaged);
		return not_meant(copy, path);
	}
	copy->attributes = histree_history_attributes(damaged);
	copy->analysis_version = info->provider_version;
	if (copy->analysis == NULL)
		copy->analysis = arena_copy(&copy->arena, info->provider, strlen(info->provider));
	if (!info->complete)
		found_damage(copy, "it was never completed: it ends where it was published last");
	status = verify_history(copy, damaged, path);
	if (status == HISTREE_OK || status == HISTREE_ERR_FORMAT)
		status = history_copy(copy->io, damaged, out, NULL, NULL, &watch, copy->error);
	if (info->end > copy->info.end)
		copy->info.end = info->end;
	histree_history_close(damaged);
	return status == HISTREE_OK && wants_overviews(copy) ? make_overviews(copy, out) : status;
}

/* ---- one segment store ---------------------------------------------------------------------------------- */

static void report_lost_segments(void *context, const struct histree_loss *loss)
{
	struct store_copy *copy = context;
	const struct histree_repair_options *options = copy->options;
	copy->found.lost_nodes++;
	if (options->lost_segments != NULL)
		options->lost_segments(options->context, copy->analysis, loss);
}

static enum histree_status verify_segments(struct store_copy *copy, struct histree_segment_store *store,
					   const char *path)
{
	enum histree_status status = histree_segment_store_verify(store, found_damage, copy, copy->error);
	if (status != HISTREE_OK)
		return status;
	return segment_overviews_verify(copy->io, path, histree_segment_store_info(store), store, found_oddity,
					copy, copy->error);
}

static enum histree_status make_segment_overviews(struct store_copy *copy, const char *path)
{
	struct histree_segment_store *store;
	enum histree_status status = segment_store_open(copy->io, path, NULL, &store, copy->error);
	if (status == HISTREE_OK)
		status = histree_segment_store_make_overviews(store, copy->work.caller, copy->error);
	histree_segment_store_close(store);
	return status;
}

static enum histree_status repair_segments(struct store_copy *copy, const struct histree_store_segments *meant,
					   const char *path, const char *out)
{
	static const struct histree_segment_open_options salvage = { .salvage = true,
								     .tables = HISTREE_TABLES_NEVER };
	struct histree_segment_store *damaged;
	enum histree_status status = histree_segment_store_open(path, &salvage, &damaged, copy->error);
	if (status != HISTREE_OK)
		return status;
	if (meant != NULL && meant->identity != 0 &&
	    meant->identity != histree_segment_store_info(damaged)->identity) {
		histree_segment_store_close(damaged);
		return not_meant(copy, path);
	}
	const struct histree_segment_schema *schema = &histree_segment_store_info(damaged)->schema;
	copy->analysis_version = schema->provider_version;
	if (copy->analysis == NULL)
		copy->analysis = arena_copy(&copy->arena, schema->provider, strlen(schema->provider));
	status = verify_segments(copy, damaged, path);
	if (status == HISTREE_OK || status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_IO)
		status = segment_repair(
			copy->io, damaged, out,
			&(struct segment_repair_report){ .lost = report_lost_segments, .context = copy },
			copy->error);
	histree_segment_store_close(damaged);
	return status == HISTREE_OK && wants_overviews(copy) ? make_segment_overviews(copy, out) : status;
}

/* ---- the index of events -------------------------------------------------------------------------------- */

/* Whether it is sound, and the one that the manifest means.  HISTREE_ERR_FORMAT: it is not. */
static enum histree_status check_index(struct store_copy *copy, const char *path, uint64_t *identity)
{
	struct event_index index;
	enum histree_status status = event_index_read(copy->io, path, &index, copy->error);
	if (status != HISTREE_OK)
		return status;
	bool is_meant = index.event_count == copy->info.event_count &&
			(copy->info.index_identity == 0 || index.identity == copy->info.index_identity);
	*identity = index.identity;
	event_index_release(&index);
	return is_meant ? HISTREE_OK : not_meant(copy, path);
}

/* Copy an index of events that is sound and the one that is meant; the new manifest then means it too. */
static enum histree_status repair_index(struct store_copy *copy, const char *path, const char *out)
{
	uint64_t identity = 0;
	enum histree_status status = check_index(copy, path, &identity);
	copy->info.index_identity = 0;
	if (status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_VERSION || status == HISTREE_ERR_TOO_LARGE) {
		found_damage(copy, copy->error->message);
		return HISTREE_OK;
	}
	if (status == HISTREE_OK)
		status = io_copy(copy->io, path, out, copy->error);
	if (status == HISTREE_OK)
		copy->info.index_identity = identity;
	return status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
}

/* ---- the filter ---------------------------------------------------------------------------------------------- */

/* Without a manifest, files say themselves what they are. */
static enum histree_status take_manifest(struct store_copy *copy, const char *folder, enum histree_status status)
{
	if (status != HISTREE_NOT_FOUND && status != HISTREE_ERR_FORMAT)
		return status;
	copy->lost_manifest = true;
	found_damage(copy, copy->error->message);
	status = store_copy_warn(copy, "the manifest was lost: nothing is known of the trace");
	return status == HISTREE_OK ? store_copy_find_files(copy, folder) : status;
}

static enum histree_status add_counts(struct store_copy *copy)
{
	char text[96];
	snprintf(text, sizeof(text), "repaired: %llu intervals are lost and said to be unknown",
		 (unsigned long long)copy->found.lost);
	enum histree_status status = copy->found.faults > 0 ? store_copy_warn(copy, text) : HISTREE_OK;
	snprintf(text, sizeof(text), "repaired: the segments of %llu damaged nodes are lost",
		 (unsigned long long)copy->found.lost_nodes);
	return status == HISTREE_OK && copy->found.lost_nodes > 0 ? store_copy_warn(copy, text) : status;
}

/* There is nothing to mend in a complete store that is sound: no copy of it is left. */
static enum histree_status check_is_worth_it(struct store_copy *copy)
{
	if (copy->was_complete && copy->found.faults == 0 && !copy->found.lacks_overviews)
		return error_set(copy->error, HISTREE_NOT_FOUND, "'%s' is sound", copy->path);
	return HISTREE_OK;
}

static void begin_host(struct store_copy *copy)
{
	const struct histree_repair_options *options = copy->options;
	if (options->host != NULL)
		options->host(options->context, copy->host);
}

static void tell_damage(struct store_copy *copy, const char *what)
{
	found_damage(copy, what);
}

static void tell_oddity(struct store_copy *copy, const char *what)
{
	found_oddity(copy, what);
}

static const struct copy_filter repairing = {
	.verb = "repair",
	.is_lenient = true,
	.manifest = take_manifest,
	.history = repair_history,
	.segments = repair_segments,
	.index = repair_index,
	.finish = add_counts,
	.end = check_is_worth_it,
	.host = begin_host,
	.damage = tell_damage,
	.oddity = tell_oddity,
};

/* ---- a store, or a file -------------------------------------------------------------------------------------- */

/* The store, or what a build that was cut off left of it.  Returns NULL, with errno, if there is neither. */
static const char *find_path(struct store_copy *copy, const char *path, struct stat *facts)
{
	if (stat(path, facts) == 0)
		return path;
	int cause = errno;
	char *building = store_folder_building(path);
	bool is_there = building != NULL && stat(building, facts) == 0;
	char *found = is_there ? arena_copy(&copy->arena, building, strlen(building)) : NULL;
	free(building);
	errno = cause;
	return found;
}

/* A history or a segment store; whatever is neither is refused as a history. */
static enum histree_status repair_any_file(struct store_copy *copy)
{
	file_work_plan(&copy->work, copy->path);
	file_work_begin(&copy->work, copy->path);
	enum histree_status status = repair_history(copy, NULL, copy->path, copy->out);
	if (status == HISTREE_ERR_CANCELLED)
		copy->io->unlink(copy->io->context, copy->out);
	if (status != HISTREE_ERR_FORMAT)
		return status;
	struct histree_error refusal = *copy->error;
	if (!file_work_goes_on(&copy->work, 0))
		return error_set(copy->error, HISTREE_ERR_CANCELLED, "cancelled");
	status = repair_segments(copy, NULL, copy->path, copy->out);
	if (status == HISTREE_ERR_FORMAT)
		*copy->error = refusal;
	return status;
}

enum histree_status pipeline_repair(const struct histree_repair_options *options, const struct io *io,
				    struct histree_error *error)
{
	struct histree_error message; /* always there: some become warnings of the new store */
	struct store_copy copy = {
		.filter = &repairing,
		.options = options,
		.out = options->out,
		.force = options->force,
		.io = io,
		.error = &message,
		.work = { .caller = options->work },
	};
	struct stat facts;
	enum histree_status status;
	copy.path = find_path(&copy, options->path, &facts);
	if (copy.path == NULL)
		status =
			error_set(&message, HISTREE_ERR_IO, "cannot open '%s': %s", options->path, strerror(errno));
	else
		status = S_ISDIR(facts.st_mode) ? store_copy_make(&copy) : repair_any_file(&copy);
	if (status == HISTREE_OK && copy.found.faults > 0)
		status = error_set(&message, HISTREE_PARTIAL, "'%s': %llu faults, %llu intervals are lost",
				   options->path, (unsigned long long)copy.found.faults,
				   (unsigned long long)copy.found.lost);
	store_copy_release(&copy);
	if (error != NULL && status != HISTREE_OK)
		*error = message;
	return status;
}

enum histree_status histree_repair(const struct histree_repair_options *options, struct histree_error *error)
{
	return pipeline_repair(options, &io_posix, error);
}
