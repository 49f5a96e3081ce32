// SPDX-License-Identifier: MIT
#include <time.h>

#include "cli/progress.h"
#include "mpi/build_job.h"
#include "mpi/build_message.h"
#include "mpi/host_builder.h"
#include "mpi/launcher.h"

enum { LOOK_NS = 1000000, SAY_NS = 200000000 };

struct following {
	struct link *link;
	struct host_builder builder;
	struct message message;
	int64_t said_ns;
	bool is_over;
};

static bool say_done(struct following *following, size_t host, enum histree_status status,
		     const struct histree_error *error)
{
	struct build_done done = { .host = host, .error = *error };
	done.error.status = status;
	message_clear(&following->message);
	build_done_write(&following->message, &done);
	return link_send(following->link, 0, &following->message);
}

static bool say_progress(struct following *following)
{
	struct histree_progress progress;
	host_builder_progress(&following->builder, &progress);
	message_clear(&following->message);
	message_byte(&following->message, BUILD_PROGRESS);
	message_number(&following->message, progress.events);
	message_number(&following->message, progress.bytes_done);
	following->said_ns = link_now_ns();
	return link_send(following->link, 0, &following->message);
}

static bool hear(struct following *following)
{
	int from;
	const struct histree_error no_thread = { .message = "there is no thread to build with" };
	if (!link_has_message(following->link, 0, &from))
		return true;
	if (!link_receive(following->link, 0, &following->message))
		return false;
	struct byte_reader reader = byte_reader(following->message.bytes, following->message.size);
	uint8_t kind = read_byte(&reader);
	uint64_t host = kind == BUILD_GIVE ? read_varint(&reader) : 0;
	if (kind == BUILD_CANCEL)
		host_builder_cancel(&following->builder);
	else if (kind == BUILD_END)
		following->is_over = true;
	else if (kind == BUILD_GIVE && !host_builder_start(&following->builder, (size_t)host))
		return say_done(following, (size_t)host, HISTREE_ERR_MEMORY, &no_thread);
	return !reader.failed;
}

/* Returns false if rank 0 is not to be reached. */
static bool step(struct following *following)
{
	enum histree_status status;
	struct histree_error error = { 0 };
	if (!hear(following))
		return false;
	if (host_builder_is_done(&following->builder, &status, &error)) {
		/* What is counted as done is what was said last. */
		return say_progress(following) && say_done(following, following->builder.host, status, &error);
	}
	if (following->builder.is_busy && link_now_ns() - following->said_ns > SAY_NS)
		return say_progress(following);
	return true;
}

/* Opens the same experiment as rank 0, whose plan has come. */
static bool join(struct link *link, const struct build_request *request, const char *local,
		 struct histree_experiment **experiment, bool *is_cut)
{
	struct message plan = { 0 };
	struct histree_error error = { 0 };
	struct histree_build_options wanted = request->wanted;
	wanted.threads = wanted.threads != 0 ? wanted.threads : launcher_threads();
	*experiment = NULL;
	bool is_there = link_receive(link, 0, &plan) && plan.size > 0;
	*is_cut = is_there && plan.bytes[0] == BUILD_CUT;
	if (!is_there || *is_cut || plan.bytes[0] == BUILD_END) {
		message_release(&plan);
		return false;
	}
	struct byte_reader reader = byte_reader(plan.bytes, plan.size);
	if (local != NULL)
		wanted.store = local;
	enum histree_status status = histree_experiment_open(&wanted, false, experiment, &error);
	if (status == HISTREE_OK)
		status = build_plan_read(*experiment, &reader, &error);
	message_release(&plan);
	return roll_call_agree(link, status == HISTREE_OK ? NULL : error.message);
}

void build_job_follow(struct link *link, const struct build_request *request,
		      const struct build_job_options *options, const struct roll_call *first, bool *is_cut_off,
		      bool *is_cut)
{
	const struct timespec moment = { .tv_nsec = LOOK_NS };
	struct following following = { .link = link };
	struct histree_experiment *experiment;
	*is_cut_off = false;
	if (join(link, request, options->local, &experiment, is_cut)) {
		host_builder_init(&following.builder, experiment, request->store, options->local,
				  options->throttle_disk);
		while (!following.is_over && !*is_cut_off) {
			*is_cut_off = !step(&following) || !progress_goes_on(NULL);
			nanosleep(&moment, NULL);
		}
		/* Rank 0 says why a build ends, if it still can. */
		if (*is_cut_off && link->rank == 1 && roll_call_first_is_gone(first))
			report("rank 0 died, and the build with it; what is complete is kept, and the same command "
			       "with '--resume' goes on");
		host_builder_release(&following.builder);
	}
	message_release(&following.message);
	histree_experiment_free(experiment);
}
