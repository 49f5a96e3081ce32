// SPDX-License-Identifier: MIT
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/build_request.h"
#include "cli/progress.h"
#include "mpi/slice_job.h"
#include "mpi/verb.h"

#define PATIENCE_NS (UINT64_C(30) * 1000000000)

enum { END_SECONDS = 5 };

struct build_words {
	struct build_options build; /* the first: the options of `histree build` fill it */
	const char *local;
	uint64_t patience, throttle_disk, throttle_link;
};

enum { OPTIONS_MAX = 64 };

/* Those that `histree build` does not have. */
static const struct cli_option options[] = {
	RANK_OPTION_LOCAL(
		struct build_words,
		"have ranks but the first build into FOLDER, on a disk of their own, copy what is complete, "
		"and keep it for 'serve --local'"),
	{ .name = "patience",
	  .argument = "NS",
	  .kind = CLI_DURATION,
	  .member = offsetof(struct build_words, patience),
	  .min = 1000000,
	  .max = INT64_MAX,
	  .help = "where the launcher goes on without a rank that died, take one for dead that says nothing for so "
		  "long; default: 30s" },
	{ .name = "throttle-disk",
	  .argument = "BYTES",
	  .kind = CLI_SIZE,
	  .member = offsetof(struct build_words, throttle_disk),
	  .min = 1,
	  .max = INT64_MAX,
	  .help = "for experiments: let a host take as long as its traces and files take at this many bytes a "
		  "second" },
	RANK_OPTION_THROTTLE_LINK(struct build_words),
	{ 0 },
};

/* Every process of the job dies with this one, which the launcher sees to. */
static _Noreturn void cut_off(int status)
{
	fflush(NULL);
	_exit(status);
}

static volatile sig_atomic_t late_status;

static void end_late(int number)
{
	(void)number;
	_exit(late_status);
}

static int build(struct link *link, const struct build_words *chosen, struct build_request *request,
		 const struct roll_call *first, bool *is_one_host)
{
	struct progress progress = progress_begin(chosen->build.progress, chosen->build.quiet);
	bool is_cut_off = false, is_cut = false;
	int status = CLI_OK;
	const struct build_job_options how = {
		.local = chosen->local,
		.throttle_disk = chosen->throttle_disk,
		.patience_ns = chosen->patience != 0 ? chosen->patience : PATIENCE_NS,
		.quiet = chosen->build.quiet,
		.progress = &progress,
	};
	request->wanted.progress = progress_show;
	request->wanted.progress_context = &progress;
	request->wanted.cancel.go_on = progress_goes_on;
	if (link->rank == 0)
		status = build_job_lead(link, request, &how, &is_cut_off, is_one_host);
	else
		build_job_follow(link, request, &how, first, &is_cut_off, &is_cut);
	if (is_cut)
		slice_job_follow(link, request, &how, first, &is_cut_off);
	if (*is_one_host && slice_job_can(link, request)) {
		status = slice_job_lead(link, request, &how, &is_cut_off);
		*is_one_host = false;
	} else if (*is_one_host) {
		slice_job_decline(link);
	}
	bool has_spoken = link->rank == 0 || (link->rank == 1 && roll_call_first_is_gone(first));
	if (is_cut_off && !has_spoken)
		launcher_let_others_speak();
	if (is_cut_off)
		cut_off(CLI_INPUT);
	return status;
}

static int run_request(int argc, char **argv, const struct build_words *chosen, struct build_request *request)
{
	struct link link;
	struct roll_call first;
	bool is_one_host = false;
	int status;
	launcher_end_with("histree-mpi: ended by a signal, or because a rank died; nothing was changed\n");
	if (!rank_link(&link, &argc, &argv, &first, &status)) {
		launcher_end_with(NULL);
		return rank_end(&link, status);
	}
	link.throttle = chosen->throttle_link;
	link.go_on = progress_goes_on;
	progress_catch_signals();
	status = build(&link, chosen, request, &first, &is_one_host);
	launcher_end_with(link.rank == 0 && status == CLI_OK && !is_one_host ? LAUNCHER_STORE_IS_COMPLETE : NULL);
	/* A rank that died is not waited for for long. */
	late_status = link.rank == 0 ? status : CLI_OK;
	signal(SIGALRM, end_late);
	alarm(END_SECONDS);
	status = rank_end(&link, status);
	alarm(0);
	return is_one_host ? build_here(&chosen->build, request) : status;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct cli_option all[OPTIONS_MAX];
	struct cli_verb whole = *verb;
	struct build_words chosen = { 0 };
	struct build_request request;
	struct cli_words words;
	int status;
	rank_add_options(all, OPTIONS_MAX, verb_build.options, options);
	whole.options = all;
	if (!rank_begin(&whole, argc, argv, &chosen, &words, &status))
		return status;
	static char said[4096];
	if (launcher_rank() > 0)
		report_capture(said, sizeof(said));
	status = build_request_read(&request, &chosen.build, &words);
	report_capture(NULL, 0);
	if (status == CLI_OK && request.wanted.backend > HISTREE_BACKEND_PARTIAL) {
		status = CLI_USAGE;
		if (launcher_rank() <= 0)
			report("ranks build stores: '--backend %s' makes none", chosen.build.backend);
	}
	if (status == CLI_OK)
		status = run_request(argc, argv, &chosen, &request);
	build_request_release(&request, &chosen.build);
	return status;
}

const struct cli_verb build_verb = {
	.name = "build",
	.summary = "read traces of many hosts, or one that is cut in time, by many ranks, and make a store",
	.arguments = "TRACE...",
	.words_min = 0,
	.words_max = CLI_WORDS_ANY,
	.complete = CLI_COMPLETE_PATH,
	.options = options,
	.run = run,
};
