// SPDX-License-Identifier: MIT
/*
 * experiment_clocks.c - by which clocks the times of hosts are corrected: those that were given, and for the others
 * those of the packets between them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "pipeline/hosts/experiment.h"
#include "pipeline/publish_clock.h"
#include "pipeline/hosts/sync.h"

static void set_clock(struct histree_experiment *experiment, size_t index, const struct histree_clock *clock)
{
	if (clock != NULL)
		experiment->clocks[index] = *clock;
	experiment->hosts[index].clock = clock != NULL ? &experiment->clocks[index] : NULL;
}

/* ---- warnings -------------------------------------------------------------------------------------------- */

static enum histree_status warn(struct histree_experiment *experiment, const char *sentence,
				struct histree_error *error)
{
	const char *copy = arena_copy(&experiment->arena, sentence, strlen(sentence));
	if (copy == NULL)
		return error_memory(error, "clocks");
	experiment->warnings[experiment->warning_count++] = copy;
	return HISTREE_OK;
}

/* Their states stand side by side, but nobody knows which was first. */
static enum histree_status warn_of_absent(struct histree_experiment *experiment,
					  const struct histree_host_clock *host, struct histree_error *error)
{
	char sentence[sizeof(error->message)];
	static const char uncorrected[] = "its times stand uncorrected beside those of the others; '--clock "
					  "HOST=OFFSET' says it";
	if (host->contradiction != 0)
		snprintf(sentence, sizeof(sentence),
			 "host '%s': its packets contradict each other from %" PRId64
			 " on, by its clock, as they do when a clock was set; %s",
			 host->host, host->contradiction, uncorrected);
	else if (host->packets == 0)
		snprintf(sentence, sizeof(sentence),
			 "host '%s': its clock is not known, as its trace has no packets; %s", host->host,
			 uncorrected);
	else
		snprintf(sentence, sizeof(sentence),
			 "host '%s': its clock is not known, as no host whose clock is has seen its packets; %s",
			 host->host, uncorrected);
	return warn(experiment, sentence, error);
}

/* ---- from packets ---------------------------------------------------------------------------------------- */

static bool all_are_given(const struct histree_experiment *experiment)
{
	for (size_t i = 0; i < experiment->count; i++)
		if (i != experiment->reference &&
		    experiment_given_clock(experiment, experiment->hosts[i].name) == NULL)
			return false;
	return true;
}

static void show_share(void *context, double share)
{
	struct histree_experiment *experiment = context;
	const struct histree_build_options *options = &experiment->options;
	const struct histree_progress progress = { .elapsed_ns = publish_clock_now() - experiment->begun_ns,
						   .host_count = experiment->count,
						   .clocks_share = share };
	if (options->progress != NULL)
		options->progress(options->progress_context, &progress);
}

static enum histree_status clocks_of_packets(struct histree_experiment *experiment, struct histree_error *error)
{
	const struct histree_sync_options options = { .reference = experiment->options.reference,
						      .cancel = experiment->options.cancel,
						      .progress = show_share,
						      .progress_context = experiment };
	struct histree_sync *sync;
	size_t count;
	enum histree_status status = sync_groups(&experiment->groups, &options, &sync, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_host_clock *found = histree_sync_hosts(sync, &count);
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		experiment->hosts[i].neighbour = found[i].neighbour;
		if (experiment_given_clock(experiment, experiment->hosts[i].name) != NULL)
			continue;
		set_clock(experiment, i, &found[i].clock);
		if (found[i].clock.quality == HISTREE_CLOCK_ABSENT)
			status = warn_of_absent(experiment, &found[i], error);
	}
	histree_sync_free(sync);
	return status;
}

/* A clock that a store was built with before is as good as it was then. */
static enum histree_status take_given(struct histree_experiment *experiment,
				      const struct histree_build_clock *given, struct histree_error *error)
{
	size_t index = experiment_find_host(experiment, given->host);
	size_t neighbour = given->neighbour != NULL ? experiment_find_host(experiment, given->neighbour) : index;
	set_clock(experiment, index, &given->clock);
	experiment->hosts[index].neighbour = neighbour < experiment->count ? neighbour : index;
	const struct histree_host_clock absent = { .host = given->host };
	return given->clock.quality == HISTREE_CLOCK_ABSENT ? warn_of_absent(experiment, &absent, error)
							    : HISTREE_OK;
}

static enum histree_status find_clocks(struct histree_experiment *experiment, struct histree_error *error)
{
	static const struct histree_clock reference = { .quality = HISTREE_CLOCK_REFERENCE };
	enum histree_status status = HISTREE_OK;
	experiment->warnings =
		arena_allocate(&experiment->arena, (experiment->count + 1) * sizeof(char *), _Alignof(char *));
	if (experiment->warnings == NULL)
		return error_memory(error, "clocks");
	if (!experiment->options.no_clocks && all_are_given(experiment))
		set_clock(experiment, experiment->reference, &reference);
	else if (!experiment->options.no_clocks)
		status = clocks_of_packets(experiment, error);
	for (size_t i = 0; i < experiment->options.clock_count && status == HISTREE_OK; i++)
		status = take_given(experiment, &experiment->options.clocks[i], error);
	return status;
}

enum histree_status histree_experiment_find_clocks(struct histree_experiment *experiment,
						   struct histree_error *error)
{
	if (!experiment->owns)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "clocks are found by who owns the folder of the store");
	if (experiment->is_complete)
		return HISTREE_OK;
	enum histree_status status = experiment->has_clocks ? HISTREE_OK : find_clocks(experiment, error);
	experiment->has_clocks = status == HISTREE_OK;
	for (size_t i = 0; i < experiment->count && status == HISTREE_OK; i++)
		experiment_look_at_host(experiment, i);
	return status == HISTREE_OK ? experiment_write_plan(experiment, error) : status;
}

void histree_experiment_set_clock(struct histree_experiment *experiment, size_t host,
				  const struct histree_clock *clock)
{
	set_clock(experiment, host, clock);
	experiment->has_clocks = true;
	experiment_look_at_host(experiment, host);
}
