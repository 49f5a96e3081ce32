// SPDX-License-Identifier: MIT
/*
 * slice_job.c - the build of one trace by several ranks: messages of slices.h are carried, and nobody waits
 * for a rank: what a lost one had is read by rank 0.
 */
#include "mpi/slice_job.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/crew.h"
#include "base/error.h"
#include "cli/progress.h"
#include "pipeline/slices.h"
#include "mpi/build.h"
#include "mpi/link.h"

enum { LOOK_NS = 1000000, MOVING_NS = 50000, SAY_NS = 200000000 };

#define DRAIN_NS (INT64_C(4) * 1000000000)

bool slice_job_can(const struct link *link, const struct build_request *request)
{
	const struct histree_build_options *wanted = &request->wanted;
	return link->count > 1 && wanted->backend == HISTREE_BACKEND_DISK && !wanted->resume &&
	       wanted->publish_ns == 0;
}

/* Of each rank: those that are asked for, else as many as it has processors for. */
static unsigned threads_of(const struct build_request *request)
{
	const struct histree_build_options *wanted = &request->wanted;
	uint32_t threads = wanted->slices != 0 ? wanted->slices : wanted->threads;
	return threads > 0 ? threads : launcher_threads();
}

/* A long message comes in parts, each of which waits until somebody looks. */
static void rest(struct link *link)
{
	const struct timespec moment = { .tv_nsec = link_is_moving(link) ? MOVING_NS : LOOK_NS };
	nanosleep(&moment, NULL);
}

void slice_job_decline(struct link *link)
{
	link_tell_all(link, BUILD_END);
}

/* Sends what slices.h has said, and frees it. */
static bool send_slice(struct link *link, int rank, void *bytes, size_t size)
{
	struct message message = { 0 };
	message_byte(&message, BUILD_SLICE);
	message_bytes(&message, bytes, size);
	free(bytes);
	return link_post(link, rank, &message);
}

/* ---- rank 0 -------------------------------------------------------------------------------------------------- */

struct leading {
	struct link *link;
	const struct build_job_options *options;
	struct histree_build_options wanted;
	struct histree_slice_post *post;
	struct message message; /* that has come */
	int64_t *heard_ns;      /* by rank, when it said something last; INT64_MAX: it is lost */
	enum histree_status status;
	struct histree_error error;
	atomic_bool is_over, is_cancelled;
	bool has_said_so; /* that it is cancelled */
};

/* Once this has said no, there will be no new store, whatever is still to be cleared away. */
static bool goes_on(void *context)
{
	struct leading *leading = context;
	bool goes_on = progress_goes_on(NULL);
	if (!goes_on)
		atomic_store(&leading->is_cancelled, true);
	return goes_on;
}

static void *build(void *context)
{
	struct leading *leading = context;
	leading->status = histree_build(&leading->wanted, &leading->error);
	atomic_store(&leading->is_over, true);
	return NULL;
}

static void lose(struct leading *leading, int rank, const char *how)
{
	report("rank %d %s; the build goes on without it", rank, how);
	leading->heard_ns[rank] = INT64_MAX;
	histree_slice_post_lose(leading->post, (unsigned)rank - 1);
}

/* The build ends with what is wrong, and says it. */
static void send_all(struct leading *leading)
{
	void *bytes;
	size_t size;
	for (int rank = 1; rank < leading->link->count; rank++) {
		while (leading->heard_ns[rank] != INT64_MAX &&
		       histree_slice_post_take(leading->post, (unsigned)rank - 1, &bytes, &size, NULL) ==
			       HISTREE_OK) {
			if (!send_slice(leading->link, rank, bytes, size))
				lose(leading, rank, "cannot be sent a message");
		}
	}
}

static void hear_all(struct leading *leading)
{
	struct message *message = &leading->message;
	enum histree_status status;
	enum link_taken taken;
	int rank;
	while ((taken = link_take(leading->link, &rank, message)) != LINK_NOTHING) {
		bool was_lost = leading->heard_ns[rank] == INT64_MAX;
		if (taken == LINK_FAILED) {
			if (rank > 0 && !was_lost)
				lose(leading, rank, "cannot be heard");
			return;
		}
		if (was_lost)
			continue;
		leading->heard_ns[rank] = link_now_ns();
		if (message->size == 0 || message->bytes[0] != BUILD_SLICE)
			continue;
		status = histree_slice_post_put(leading->post, (unsigned)rank - 1, message->bytes + 1,
						message->size - 1, NULL);
		if (status != HISTREE_OK)
			return; /* the build knows */
	}
}

static void look_for_lost(struct leading *leading)
{
	int64_t now = link_now_ns(), patience = (int64_t)leading->options->patience_ns;
	for (int rank = 1; rank < leading->link->count; rank++)
		if (leading->heard_ns[rank] != INT64_MAX && now - leading->heard_ns[rank] > patience)
			lose(leading, rank, "says nothing any more");
}

/* The launcher waits for no build that ends in good order. */
static void say_cancelled(struct leading *leading)
{
	if (leading->has_said_so)
		return;
	leading->has_said_so = true;
	progress_end(leading->options->progress);
	report("the build was ended, by a signal or because a rank died; there is no new store");
}

static void carry(struct leading *leading)
{
	while (!atomic_load(&leading->is_over)) {
		send_all(leading);
		hear_all(leading);
		look_for_lost(leading);
		if (atomic_load(&leading->is_cancelled))
			say_cancelled(leading);
		rest(leading->link);
	}
}

/* MPI ends once all that was sent is taken: each rank says when it has ended, and what comes before is dropped. */
static void end_all(struct leading *leading)
{
	int64_t until = link_now_ns() + DRAIN_NS;
	int left = 0, rank;
	for (rank = 1; rank < leading->link->count; rank++) {
		struct message end = { 0 };
		message_byte(&end, BUILD_END);
		bool is_sent = link_post(leading->link, rank, &end); /* also to one that is only slow */
		left += is_sent && leading->heard_ns[rank] != INT64_MAX;
	}
	while (left > 0 && link_now_ns() < until) {
		while (link_take(leading->link, &rank, &leading->message) == LINK_TAKEN)
			left -= leading->message.size > 0 && leading->message.bytes[0] == BUILD_DONE;
		rest(leading->link);
	}
}

static int say_what_came(struct leading *leading, const struct build_request *request, bool *is_cut_off)
{
	const struct histree_slice_counts counts = histree_slice_post_counts(leading->post);
	bool quiet = leading->options->quiet;
	if (leading->status == HISTREE_ERR_CANCELLED) {
		*is_cut_off = true;
		say_cancelled(leading);
		return CLI_INPUT;
	}
	progress_end(leading->options->progress);
	if (leading->status != HISTREE_OK && leading->status != HISTREE_PARTIAL)
		return report_error(&leading->error);
	if (counts.refusal != NULL && !quiet)
		report("rank 0 has built it alone: %s", counts.refusal);
	else if (!quiet)
		report("%" PRIu64 " of %" PRIu64 " slices were of use, %" PRIu64
		       " of them from other ranks: %" PRIu64 " bytes",
		       counts.used, counts.slices, counts.sent, leading->link->bytes_received);
	return build_report_store(request->store, leading->status == HISTREE_PARTIAL, quiet);
}

static int lead(struct leading *leading, const struct build_request *request, bool *is_cut_off)
{
	pthread_t thread;
	link_tell_all(leading->link, BUILD_CUT);
	for (int rank = 1; rank < leading->link->count; rank++)
		leading->heard_ns[rank] = link_now_ns();
	if (!thread_create(&thread, build, leading)) {
		slice_job_decline(leading->link);
		return report_exit(CLI_INTERNAL, "there is no thread to build with");
	}
	carry(leading);
	pthread_join(thread, NULL);
	int code = say_what_came(leading, request, is_cut_off);
	if (*is_cut_off)
		return code;
	launcher_end_with(leading->status >= HISTREE_OK ? LAUNCHER_STORE_IS_COMPLETE : NULL);
	if (!progress_goes_on(NULL)) /* one that came too late for the build */
		raise(SIGTERM);
	end_all(leading);
	return code;
}

int slice_job_lead(struct link *link, const struct build_request *request, const struct build_job_options *options,
		   bool *is_cut_off)
{
	struct leading leading = { .link = link, .options = options, .wanted = request->wanted };
	struct histree_error error;
	unsigned threads = threads_of(request);
	int code;
	*is_cut_off = false;
	leading.wanted.slices = threads;
	leading.wanted.work = (struct histree_work){ .go_on = goes_on, .context = &leading };
	leading.heard_ns = calloc((size_t)link->count, sizeof(*leading.heard_ns));
	if (leading.heard_ns == NULL ||
	    histree_slice_post_create((unsigned)link->count - 1, threads, &leading.post, &error) != HISTREE_OK) {
		slice_job_decline(link);
		code = report_no_memory();
	} else {
		leading.wanted.slice_post = leading.post;
		code = lead(&leading, request, is_cut_off);
	}
	histree_slice_post_free(leading.post);
	message_release(&leading.message);
	free(leading.heard_ns);
	return code;
}

/* ---- the others ---------------------------------------------------------------------------------------------- */

struct following {
	struct link *link;
	struct histree_slice_worker *worker;
	struct message message;
	int64_t said_ns;
	bool is_over;
};

/* Returns false if rank 0 is not to be reached, or memory is out. */
static bool hear(struct following *following)
{
	int from;
	enum link_taken taken = LINK_NOTHING;
	struct message *message = &following->message;
	while (!following->is_over && (taken = link_take(following->link, &from, message)) != LINK_NOTHING) {
		if (taken == LINK_FAILED || message->size == 0)
			return false;
		following->is_over = message->bytes[0] == BUILD_END;
		if (message->bytes[0] == BUILD_SLICE &&
		    histree_slice_worker_put(following->worker, message->bytes + 1, message->size - 1, NULL) !=
			    HISTREE_OK)
			return false;
	}
	return true;
}

static bool say(struct following *following)
{
	void *bytes;
	size_t size;
	enum histree_status status;
	while ((status = histree_slice_worker_take(following->worker, &bytes, &size, NULL)) == HISTREE_OK)
		if (!send_slice(following->link, 0, bytes, size))
			return false;
	if (link_now_ns() - following->said_ns > SAY_NS) {
		struct message alive = { 0 };
		message_byte(&alive, BUILD_PROGRESS);
		following->said_ns = link_now_ns();
		if (!link_post(following->link, 0, &alive))
			return false;
	}
	return status == HISTREE_NOT_FOUND;
}

static void say_end(struct following *following)
{
	int64_t until = link_now_ns() + DRAIN_NS;
	struct message done = { 0 };
	message_byte(&done, BUILD_DONE);
	link_post(following->link, 0, &done);
	while (link_has_posted(following->link) && link_now_ns() < until)
		rest(following->link);
}

void slice_job_follow(struct link *link, const struct build_request *request,
		      const struct build_job_options *options, const struct roll_call *first, bool *is_cut_off)
{
	struct following following = { .link = link };
	struct histree_error error;
	(void)options;
	*is_cut_off = false;
	if (histree_slice_worker_create(threads_of(request), &following.worker, &error) != HISTREE_OK) {
		*is_cut_off = true;
		return;
	}
	while (!following.is_over && !*is_cut_off) {
		*is_cut_off = !hear(&following) || !say(&following) || !progress_goes_on(NULL);
		rest(link);
	}
	/* Rank 0 says why a build ends, if it still can. */
	if (*is_cut_off && link->rank == 1 && roll_call_first_is_gone(first))
		report("rank 0 died, and the build with it; there is no new store, and the same command with "
		       "'--force' builds it");
	histree_slice_worker_free(following.worker);
	if (following.is_over)
		say_end(&following);
	message_release(&following.message);
}
