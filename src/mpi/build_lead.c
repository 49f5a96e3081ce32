// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "cli/progress.h"
#include "mpi/build_job.h"
#include "mpi/build_message.h"
#include "mpi/host_builder.h"
#include "mpi/launcher.h"

enum { NO_RANK = -1, LOOK_NS = 1000000 };

/* What a rank does. */
struct worker_state {
	bool is_busy, is_lost;
	size_t host;
	int64_t heard_ns;
	uint64_t events, bytes; /* of the host that it builds */
};

struct leading {
	struct link *link;
	const struct build_request *request;
	const struct build_job_options *options;
	struct histree_experiment *experiment;
	const struct histree_experiment_host *hosts;
	size_t count, *order, next, built; /* order: the largest first; next: into it */
	struct worker_state *ranks;        /* rank 0 too */
	struct host_builder builder;
	bool has_failed;
	struct histree_error failure;
	bool is_partial;
	uint64_t events_done, bytes_done, bytes_total;
	int64_t begun_ns;
};

/* ---- who builds what -------------------------------------------------------------------------------------- */

static int by_size(const void *one, const void *other, void *context)
{
	const struct histree_experiment_host *hosts = context;
	size_t a = *(const size_t *)one, b = *(const size_t *)other;
	if (hosts[a].bytes != hosts[b].bytes)
		return hosts[a].bytes < hosts[b].bytes ? 1 : -1;
	return (a > b) - (a < b);
}

static bool make_order(struct leading *leading)
{
	size_t todo = 0;
	leading->order = calloc(2 * leading->count + 1, sizeof(*leading->order)); /* a lost host comes again */
	leading->ranks = calloc((size_t)leading->link->count, sizeof(*leading->ranks));
	if (leading->order == NULL || leading->ranks == NULL)
		return false;
	for (size_t i = 0; i < leading->count; i++) {
		leading->bytes_total += leading->hosts[i].bytes;
		if (!leading->hosts[i].is_built)
			leading->order[todo++] = i;
		else
			leading->bytes_done += leading->hosts[i].bytes;
	}
	leading->built = leading->count - todo;
	qsort_r(leading->order, todo, sizeof(*leading->order), by_size, (void *)(uintptr_t)leading->hosts);
	leading->order[todo] = SIZE_MAX;
	return true;
}

static bool has_host(const struct leading *leading)
{
	return !leading->has_failed && leading->order[leading->next] != SIZE_MAX;
}

static void fail(struct leading *leading, const struct histree_error *error)
{
	struct message message = { 0 };
	if (leading->has_failed)
		return;
	leading->has_failed = true;
	leading->failure = *error;
	message_byte(&message, BUILD_CANCEL);
	for (int rank = 1; rank < leading->link->count; rank++)
		if (leading->ranks[rank].is_busy)
			link_send(leading->link, rank, &message);
	host_builder_cancel(&leading->builder);
	message_release(&message);
}

static bool give(struct leading *leading, int rank, size_t host)
{
	struct message message = { 0 };
	if (rank == 0)
		return host_builder_start(&leading->builder, host);
	message_byte(&message, BUILD_GIVE);
	message_number(&message, host);
	bool sent = link_send(leading->link, rank, &message);
	message_release(&message);
	return sent;
}

static void give_out(struct leading *leading)
{
	/* The last first: rank 0 has other things to do as well. */
	for (int rank = leading->link->count - 1; rank >= 0 && has_host(leading); rank--) {
		struct worker_state *state = &leading->ranks[rank];
		if (state->is_busy || state->is_lost)
			continue;
		size_t host = leading->order[leading->next++];
		*state = (struct worker_state){ .is_busy = true, .host = host, .heard_ns = link_now_ns() };
		if (!give(leading, rank, host)) {
			struct histree_error error;
			state->is_busy = false;
			error_set(&error, HISTREE_ERR_IO, "rank %d cannot be given a host", rank);
			fail(leading, &error);
		}
	}
}

static void host_is_done(struct leading *leading, int rank, const struct build_done *done)
{
	struct worker_state *state = &leading->ranks[rank];
	state->is_busy = false;
	if (done->error.status < HISTREE_OK) {
		fail(leading, &done->error);
		return;
	}
	leading->is_partial |= done->error.status == HISTREE_PARTIAL;
	leading->events_done += state->events;
	leading->bytes_done += leading->hosts[done->host].bytes;
	leading->built++;
	state->events = state->bytes = 0;
}

/* ---- what the ranks say ----------------------------------------------------------------------------------- */

static bool hear(struct leading *leading, int rank, struct message *message)
{
	struct worker_state *state = &leading->ranks[rank];
	struct build_done done = { 0 };
	if (!link_receive(leading->link, rank, message))
		return false;
	struct byte_reader reader = byte_reader(message->bytes, message->size);
	uint8_t kind = read_byte(&reader);
	state->heard_ns = link_now_ns();
	if (kind == BUILD_PROGRESS) {
		state->events = read_varint(&reader);
		state->bytes = read_varint(&reader);
		return !reader.failed;
	}
	if (kind != BUILD_DONE || !build_done_read(&reader, &done) || !state->is_busy || done.host != state->host)
		return false;
	host_is_done(leading, rank, &done);
	return true;
}

static void hear_all(struct leading *leading, struct message *message)
{
	int rank;
	struct histree_error error;
	while (link_has_message(leading->link, LINK_ANY, &rank)) {
		if (hear(leading, rank, message) || leading->ranks[rank].is_lost)
			continue;
		error_set(&error, HISTREE_ERR_FORMAT, "rank %d says what this histree does not understand", rank);
		leading->ranks[rank].is_busy = false;
		fail(leading, &error);
	}
}

static void hear_own(struct leading *leading)
{
	struct build_done done = { .host = leading->builder.host };
	struct histree_progress progress;
	enum histree_status status;
	if (!leading->builder.is_busy)
		return;
	host_builder_progress(&leading->builder, &progress);
	leading->ranks[0].events = progress.events;
	leading->ranks[0].bytes = progress.bytes_done;
	if (!host_builder_is_done(&leading->builder, &status, &done.error))
		return;
	done.error.status = status;
	host_is_done(leading, 0, &done);
}

/* Where the launcher goes on without a rank that died, its host is built by another one. */
static void look_for_lost(struct leading *leading)
{
	int64_t now = link_now_ns();
	for (int rank = 1; rank < leading->link->count; rank++) {
		struct worker_state *state = &leading->ranks[rank];
		if (!state->is_busy || state->is_lost ||
		    now - state->heard_ns < (int64_t)leading->options->patience_ns)
			continue;
		state->is_lost = true;
		state->is_busy = false;
		report("rank %d says nothing any more; host '%s' is built by another one", rank,
		       leading->hosts[state->host].name);
		size_t end = leading->next;
		while (leading->order[end] != SIZE_MAX)
			end++;
		if (end < 2 * leading->count) {
			leading->order[end] = state->host;
			leading->order[end + 1] = SIZE_MAX;
		}
	}
}

static bool is_any_busy(const struct leading *leading)
{
	for (int rank = 0; rank < leading->link->count; rank++)
		if (leading->ranks[rank].is_busy)
			return true;
	return false;
}

static void show(const struct leading *leading)
{
	struct histree_progress progress = { .events = leading->events_done,
					     .bytes_done = leading->bytes_done,
					     .bytes_total = leading->bytes_total,
					     .elapsed_ns = link_now_ns() - leading->begun_ns,
					     .hosts_done = leading->built,
					     .host_count = leading->count };
	for (int rank = 0; rank < leading->link->count; rank++) {
		const struct worker_state *state = &leading->ranks[rank];
		progress.events += state->is_busy ? state->events : 0;
		progress.bytes_done += state->is_busy ? state->bytes : 0;
		if (state->is_busy)
			progress.host = leading->hosts[state->host].name;
	}
	progress_show(leading->options->progress, &progress);
}

/* Returns false if a signal came. */
static bool build_all(struct leading *leading)
{
	const struct timespec moment = { .tv_nsec = LOOK_NS };
	struct message message = { 0 };
	bool goes_on;
	do {
		give_out(leading);
		hear_all(leading, &message);
		hear_own(leading);
		look_for_lost(leading);
		show(leading);
		if (is_any_busy(leading))
			nanosleep(&moment, NULL);
		goes_on = progress_goes_on(NULL);
	} while (goes_on && (is_any_busy(leading) || has_host(leading)));
	message_release(&message);
	return goes_on;
}

/* ---- from the beginning to the end ------------------------------------------------------------------------ */

static void tell_all(struct link *link, const struct message *message)
{
	for (int rank = 1; rank < link->count; rank++)
		link_send(link, rank, message);
}

static void end_all(struct link *link)
{
	struct message message = { 0 };
	message_byte(&message, BUILD_END);
	tell_all(link, &message);
	message_release(&message);
}

/* Tells the others the plan, or that there is none, and hears whether they agree. */
static bool agree(struct link *link, const struct leading *leading)
{
	struct message message = { 0 };
	if (leading != NULL)
		build_plan_write(&message, leading->hosts, leading->count);
	else
		message_byte(&message, BUILD_END);
	tell_all(link, &message);
	bool is_written = !message.no_memory;
	message_release(&message);
	if (leading == NULL)
		return false;
	return roll_call_agree(link, is_written ? NULL : "out of memory");
}

static int complete(struct leading *leading)
{
	struct histree_error error = { 0 };
	bool quiet = leading->options->quiet;
	progress_end(leading->options->progress);
	if (leading->has_failed) {
		report("%zu of %zu hosts are complete; the same command with '--resume' goes on with the others",
		       leading->built, leading->count);
		return report_error(&leading->failure);
	}
	enum histree_status status = histree_experiment_complete(leading->experiment, &error);
	if (status != HISTREE_OK && status != HISTREE_PARTIAL)
		return report_error(&error);
	return build_report_store(leading->request->store, status == HISTREE_PARTIAL, quiet);
}

static void release(struct leading *leading)
{
	histree_experiment_free(leading->experiment);
	free(leading->order);
	free(leading->ranks);
}

static int lead(struct leading *leading, bool *is_cut_off)
{
	int status = CLI_INPUT;
	leading->hosts = histree_experiment_hosts(leading->experiment, &leading->count);
	if (!make_order(leading)) {
		agree(leading->link, NULL);
		return report_no_memory();
	}
	if (!agree(leading->link, leading))
		return CLI_INPUT;
	host_builder_init(&leading->builder, leading->experiment, leading->request->store, NULL,
			  leading->options->throttle_disk);
	*is_cut_off = !build_all(leading);
	if (*is_cut_off) {
		progress_end(leading->options->progress);
		report("the build was ended, by a signal or because a rank died; %zu of %zu hosts are complete, "
		       "and "
		       "the same command with '--resume' goes on with the others",
		       leading->built, leading->count);
	} else {
		end_all(leading->link);
		status = complete(leading);
	}
	host_builder_release(&leading->builder);
	return status;
}

int build_job_lead(struct link *link, const struct build_request *request, const struct build_job_options *options,
		   bool *is_cut_off, bool *is_one_host)
{
	struct leading leading = { .link = link, .request = request, .options = options };
	struct histree_error error = { 0 };
	struct histree_build_options wanted = request->wanted;
	leading.begun_ns = link_now_ns();
	*is_cut_off = *is_one_host = false;
	wanted.threads = wanted.threads != 0 ? wanted.threads : launcher_threads();
	enum histree_status status = histree_experiment_open(&wanted, true, &leading.experiment, &error);
	if (status == HISTREE_OK)
		status = histree_experiment_find_clocks(leading.experiment, &error);
	if (status != HISTREE_OK) {
		progress_end(options->progress);
		histree_experiment_free(leading.experiment);
		*is_one_host = status == HISTREE_NOT_FOUND && leading.experiment == NULL;
		if (*is_one_host)
			return CLI_OK;
		agree(link, NULL);
		return status == HISTREE_ERR_CANCELLED ? report_exit(CLI_INPUT, "cancelled; there is no new store")
						       : report_error(&error);
	}
	int code = lead(&leading, is_cut_off);
	release(&leading);
	return code;
}
