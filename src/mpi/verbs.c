// SPDX-License-Identifier: MIT
/*
 * verbs.c - the program histree-mpi: builds and questions that many machines share.
 *
 * Its verbs are build, serve, and *faces*, the verbs of `histree` applied to the data of the ranks.
 *
 * Only one rank reports errors in the command line: the others parse it silently.
 *
 * In the build of one trace by several ranks, messages of slices.h are carried, and the build never waits for a
 * particular rank: the slices of a lost one are read by rank 0.
 */
#include "mpi/verbs.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/crew.h"
#include "base/error.h"
#include "base/monotonic.h"
#include "cli/build_request.h"
#include "cli/pager.h"
#include "cli/progress.h"
#include "cli/target.h"
#include "cli/verb.h"
#include "cli/verb_segments.h"
#include "cli/verb_states.h"
#include "histree/status.h"
#include "mpi/build.h"
#include "mpi/link.h"
#include "mpi/query_job.h"
#include "pipeline/slices.h"

/* ---- slice job ----------------------------------------------------------------------------------------------- */

enum { LOOK_NS = 1000000, MOVING_NS = 50000, SAY_NS = 200000000 };

#define DRAIN_NS (INT64_C(4) * 1000000000)
/* Whether what is asked for may be built from slices, as far as the request says. */
static bool slice_job_can(const struct link *link, const struct build_request *request)
{
	const struct histree_build_options *wanted = &request->wanted;
	return link->count > 1 && wanted->backend == HISTREE_BACKEND_DISK && !wanted->resume &&
	       wanted->publish_ns == 0;
}

/* Threads of each rank: as many as requested, else one for each of its processors. */
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

/* On rank 0: tell the others that there is nothing for them to do. */
static void slice_job_decline(struct link *link)
{
	link_tell_all(link, BUILD_END);
}

/* Sends what slices.h has said, and frees it. */
static bool send_slice(struct link *link, int rank, void *bytes, size_t size)
{
	struct byte_buffer message = { 0 };
	byte_buffer_put_byte(&message, BUILD_SLICE);
	byte_buffer_put(&message, bytes, size);
	free(bytes);
	return link_post(link, rank, &message);
}

/* ---- rank 0 -------------------------------------------------------------------------------------------------- */

struct leading {
	struct link *link;
	const struct build_job_options *options;
	struct histree_build_options wanted;
	struct histree_slice_post *post;
	struct byte_buffer message; /* that has come */
	int64_t *heard_ns;          /* by rank, when it said something last; INT64_MAX: it is lost */
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

static void *slice_job_build(void *context)
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

static void hear_all(struct leading *leading)
{
	struct byte_buffer *message = &leading->message;
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
		leading->heard_ns[rank] = monotonic_ns();
		if (message->size == 0 || message->bytes[0] != BUILD_SLICE)
			continue;
		status = histree_slice_post_put(leading->post, (unsigned)rank - 1, message->bytes + 1,
						message->size - 1, NULL);
		if (status != HISTREE_OK)
			return; /* the build knows */
	}
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
		/* The build ends with what is wrong, and says it. */
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
		hear_all(leading);
		int64_t now = monotonic_ns(), patience = (int64_t)leading->options->patience_ns;
		for (int rank = 1; rank < leading->link->count; rank++)
			if (leading->heard_ns[rank] != INT64_MAX && now - leading->heard_ns[rank] > patience)
				lose(leading, rank, "says nothing any more");
		if (atomic_load(&leading->is_cancelled))
			say_cancelled(leading);
		rest(leading->link);
	}
}

/* MPI ends once all that was sent is taken: each rank says when it has ended, and what comes before is dropped. */
static void end_all(struct leading *leading)
{
	int64_t until = monotonic_ns() + DRAIN_NS;
	int left = 0, rank;
	for (rank = 1; rank < leading->link->count; rank++) {
		struct byte_buffer end = { 0 };
		byte_buffer_put_byte(&end, BUILD_END);
		bool is_sent = link_post(leading->link, rank, &end); /* also to one that is only slow */
		left += is_sent && leading->heard_ns[rank] != INT64_MAX;
	}
	while (left > 0 && monotonic_ns() < until) {
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
		leading->heard_ns[rank] = monotonic_ns();
	if (!thread_create(&thread, slice_job_build, leading)) {
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

/* On rank 0; the others are told.  Returns the exit status; *is_cut_off as build_job_lead() has it. */
static int slice_job_lead(struct link *link, const struct build_request *request,
			  const struct build_job_options *options, bool *is_cut_off)
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
	byte_buffer_release(&leading.message);
	free(leading.heard_ns);
	return code;
}

/* ---- the others ---------------------------------------------------------------------------------------------- */

struct following {
	struct link *link;
	struct histree_slice_worker *worker;
	struct byte_buffer message;
	int64_t said_ns;
	bool is_over;
};

/* Returns false if rank 0 is not to be reached, or memory runs out. */
static bool hear(struct following *following)
{
	int from;
	enum link_taken taken = LINK_NOTHING;
	struct byte_buffer *message = &following->message;
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
	if (monotonic_ns() - following->said_ns > SAY_NS) {
		struct byte_buffer alive = { 0 };
		byte_buffer_put_byte(&alive, BUILD_PROGRESS);
		following->said_ns = monotonic_ns();
		if (!link_post(following->link, 0, &alive))
			return false;
	}
	return status == HISTREE_NOT_FOUND;
}

static void say_end(struct following *following)
{
	int64_t until = monotonic_ns() + DRAIN_NS;
	struct byte_buffer done = { 0 };
	byte_buffer_put_byte(&done, BUILD_DONE);
	link_post(following->link, 0, &done);
	while (link_has_posted(following->link) && monotonic_ns() < until)
		rest(following->link);
}

/* On the others, which were told. */
static void slice_job_follow(struct link *link, const struct build_request *request,
			     const struct build_job_options *options, const struct roll_call *first,
			     bool *is_cut_off)
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
	byte_buffer_release(&following.message);
}

/* ---- verbs --------------------------------------------------------------------------------------------------- */

enum { FACE_OPTIONS_MAX = 64, FACE_OF_VERB = 1024 };

/* A verb with the options of ranks besides. */
struct face {
	struct cli_verb verb;
	const struct cli_verb *of; /* that of histree */
	struct cli_option options[FACE_OPTIONS_MAX];
};

static bool face_find(struct face *face, const char *name);

static int face_run(int argc, char **argv);

/* ---- main ---------------------------------------------------------------------------------------------------- */

static int verb_build_run(int argc, char **argv);

static int verb_serve_run(int argc, char **argv);

static const struct {
	const struct cli_verb *verb;
	int (*run)(int argc, char **argv); /* argv[0] is the verb */
} verbs[] = { { &build_verb, verb_build_run }, { &serve_verb, verb_serve_run } };

enum { VERBS = sizeof(verbs) / sizeof(*verbs) };

static int print_help(void)
{
	static const char *const of_faces[] = { "states", "events", "segments", "top", "sql", NULL };
	struct face face;
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	output_text(output, "usage: mpirun [-n RANKS] histree-mpi VERB [OPTION]... ARGUMENT...\n"
			    "\n"
			    "Build and ask stores by the ranks of an MPI job.\n"
			    "\n");
	for (size_t i = 0; i < VERBS; i++)
		output_format(output, "  %-12s %s\n", verbs[i].verb->name, verbs[i].verb->summary);
	for (const char *const *name = of_faces; *name != NULL; name++)
		if (face_find(&face, *name))
			output_format(output, "  %-12s %s\n", face.verb.name, face.verb.summary);
	output_text(output, "\n"
			    "'histree-mpi VERB --help' says more, as does the manual: histree-mpi(1).\n"
			    "'histree-mpi --version' prints the version.\n");
	return cli_end(output, CLI_OK);
}

static int print_version(void)
{
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	output_format(output, "histree-mpi %s\n", histree_version());
	return cli_end(output, CLI_OK);
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	bool speaks = launcher_rank() <= 0;
	report_set_program("histree-mpi");
	pager_never(); /* the launcher gives rank 0 a terminal of its own, and copies what it prints */
	open_files_allow_all();
	for (size_t i = 0; i < VERBS; i++)
		if (strcmp(verbs[i].verb->name, word) == 0)
			return verbs[i].run(argc - 1, argv + 1);
	struct face face;
	if (face_find(&face, word))
		return face_run(argc - 1, argv + 1);
	if (!speaks)
		return CLI_OK;
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
		return print_version();
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
		return print_help();
	return report_exit(CLI_USAGE, "%s%s%s; see 'histree-mpi --help'",
			   argc > 1 ? "there is no verb '" : "needs a verb", word, argc > 1 ? "'" : "");
}

/* ---- verbs --------------------------------------------------------------------------------------------------- */

/* What a command line says; the options of the verb itself fill the first member, whatever its struct is. */
struct face_words {
	_Alignas(max_align_t) char of_verb[FACE_OF_VERB];
	const char *socket, *local;
	uint64_t throttle_link;
};

/* Rows that several tables share. */
#define RANK_OPTION_LOCAL(type, text)                                                                     \
	{                                                                                                 \
		.name = "local", .argument = "FOLDER", .kind = CLI_TEXT, .member = offsetof(type, local), \
		.help = text, .complete = CLI_COMPLETE_PATH                                               \
	}
#define RANK_OPTION_THROTTLE_LINK(type)                                              \
	{                                                                            \
		.name = "throttle-link", .argument = "BYTES", .kind = CLI_SIZE,      \
		.member = offsetof(type, throttle_link), .min = 1, .max = INT64_MAX, \
		.help = "for experiments: send messages at this many bytes a second" \
	}
#define RANK_OPTION_SOCKET(type)                                                                              \
	{                                                                                                     \
		.name = "socket", .argument = "PATH", .kind = CLI_TEXT, .member = offsetof(type, socket),     \
		.complete = CLI_COMPLETE_PATH,                                                                \
		.help = "ask the job that 'serve' has listening at PATH; default: at STORE.socket, if a job " \
			"listens there and no launcher started this process"                                  \
	}
static void rank_add_options(struct cli_option *all, size_t max, const struct cli_option *one,
			     const struct cli_option *other);

/* ---- face ---------------------------------------------------------------------------------------------------- */

static const struct cli_verb *const faces[] = { &verb_states, &verb_events, &verb_segments, &verb_top, &verb_sql };

static const struct cli_option of_ranks[] = {
	RANK_OPTION_SOCKET(struct face_words),
	RANK_OPTION_LOCAL(struct face_words, "look for hosts in FOLDER first, where 'build --local' has them"),
	RANK_OPTION_THROTTLE_LINK(struct face_words),
	{ 0 },
};

/* Returns false if there is no such verb. */
static bool face_find(struct face *face, const char *name)
{
	for (size_t i = 0; i < sizeof(faces) / sizeof(*faces); i++) {
		if (strcmp(faces[i]->name, name) != 0 && cli_old_verb(faces[i], name) == NULL)
			continue;
		face->of = faces[i];
		face->verb = *faces[i];
		rank_add_options(face->options, FACE_OPTIONS_MAX, faces[i]->options, of_ranks);
		face->verb.options = face->options;
		return true;
	}
	return false;
}

/* What the verb says before the command line is read. */
static struct face_words face_begin(const struct face *face)
{
	struct face_words chosen = { 0 };
	assert(face->of->options_size <= FACE_OF_VERB);
	if (face->of->defaults != NULL)
		memcpy(chosen.of_verb, face->of->defaults, face->of->options_size);
	return chosen;
}

static enum histree_status open_store(void *context, const char *path, struct histree_store **out,
				      struct histree_error *error)
{
	return query_job_open_store(context, path, out, error);
}

/* `states` asks a history that stays open from one question to the next. */
static int ask_states(struct query_job *job, const struct states_options *chosen, const struct cli_words *words)
{
	const struct target target = { .path = words->words[0], .store = job->store };
	struct histree_history *history;
	struct histree_error error = { 0 };
	uint64_t bytes = job->link->bytes_received, messages = job->link->messages_received;
	if (query_job_history(job, chosen->question.analysis, &history, &error) != HISTREE_OK)
		return report_error(&error);
	const struct histree_history_info *info = histree_history_info(history);
	target_warn_of_version(&target, info->provider, info->provider_version);
	const int status =
		states_print(&target, history, chosen, words, (struct histree_work){ .go_on = progress_goes_on });
	if (chosen->stats)
		report("%" PRIu64 " bytes in %" PRIu64 " messages from other ranks",
		       job->link->bytes_received - bytes, job->link->messages_received - messages);
	return status;
}

/* The verbs print on standard output, which is this file meanwhile. */
static int run_on(struct query_job *job, const struct face *face, struct face_words *chosen,
		  const struct cli_words *words, int file)
{
	int own = file != STDOUT_FILENO ? dup(STDOUT_FILENO) : -1;
	if (file != STDOUT_FILENO && (own < 0 || dup2(file, STDOUT_FILENO) < 0)) {
		if (own >= 0)
			close(own);
		return report_exit(CLI_INPUT, "there is no room for the answer");
	}
	const struct states_options *states = (const struct states_options *)(const void *)chosen->of_verb;
	int (*run)(void *, const struct cli_words *) = words->form != NULL ? words->form->run : face->of->run;
	int status = face->of == &verb_states && !states->numbers && !states->growth
			     ? ask_states(job, states, words)
			     : run(chosen->of_verb, words);
	if (own >= 0) {
		dup2(own, STDOUT_FILENO);
		close(own);
	}
	return status;
}

/* Of a question that came to a job there is no standard input, and no file that its client means. */
static bool is_statement(const struct face *face, const struct cli_words *words)
{
	return strcmp(face->of->name, "sql") != 0 || (words->count > 1 && strcmp(words->words[1], "-") != 0);
}

/* Only durations by a field look at one alone: --of names another, --thread and conditions look at more. */
static const char *only_field(const struct cli_words *words, const struct cli_question *question)
{
	if (words->form == NULL || words->form->run != segment_groups_run || question->where != NULL ||
	    question->thread != NULL)
		return NULL;
	const struct segments_options *segments = (const struct segments_options *)(const void *)question;
	return segments->of == NULL ? question->by : NULL;
}

/* On rank 0: runs a command line, argv[0] being the verb, and prints the answer on `file`. */
static int face_ask(struct query_job *job, int argc, char **argv, FILE *messages, int file)
{
	struct face face;
	struct cli_words words;
	int status = CLI_USAGE;
	char **parsed = calloc((size_t)argc + 1, sizeof(*parsed));
	if (parsed == NULL || !face_find(&face, argv[0])) {
		free((void *)parsed);
		return report_no_memory();
	}
	struct face_words chosen = face_begin(&face);
	memcpy((void *)parsed, (void *)argv, (size_t)argc * sizeof(*parsed)); /* it is reordered */
	if (cli_parse(&face.verb, argc, parsed, &chosen, &words, messages) != CLI_PARSED) {
		status = CLI_USAGE;
	} else if (file != STDOUT_FILENO && !is_statement(&face, &words)) {
		status = report_exit(CLI_USAGE, "a job is asked one STATEMENT: give it on the command line");
	} else {
		/* The condition, for ranks to try; SQL has its own, and that of time is tried by rank 0. */
		const struct histree_store_info *info = histree_store_info(job->store);
		const struct cli_question *question = (const struct cli_question *)(const void *)chosen.of_verb;
		job->remotes.start = info->start;
		job->remotes.end = info->end;
		bool is_of_time = strcmp(face.of->name, verb_top.name) == 0;
		job->remotes.where = is_of_time ? NULL : question->where;
		job->remotes.only_field = only_field(&words, question);
		target_set_opener(open_store, job);
		progress_set_asker((struct histree_work){ .go_on = asker_waits, .context = &job->asker });
		status = run_on(job, &face, &chosen, &words, file);
		progress_set_asker((struct histree_work){ 0 });
		target_set_opener(NULL, NULL);
		streams_drain(&job->remotes.streams);
		job->is_lost = job->is_lost || job->remotes.streams.is_lost;
	}
	free((void *)parsed);
	return status;
}

/* ---- verb ---------------------------------------------------------------------------------------------------- */

/* Puts the options of two tables into one, of at most `max` rows with its end. */
static void rank_add_options(struct cli_option *all, size_t max, const struct cli_option *one,
			     const struct cli_option *other)
{
	size_t count = 0;
	for (; one->name != NULL && count + 1 < max; one++)
		all[count++] = *one;
	for (; other->name != NULL && count + 1 < max; other++)
		all[count++] = *other;
	all[count] = (struct cli_option){ 0 };
}

/* As cli_begin(); only one rank speaks. */
static bool rank_begin(const struct cli_verb *verb, int argc, char **argv, void *values, struct cli_words *words,
		       int *status)
{
	if (launcher_rank() <= 0)
		return cli_begin(verb, argc, argv, values, words, status);
	FILE *nowhere = fopen("/dev/null", "w");
	enum cli_parsed parsed = nowhere != NULL ? cli_parse(verb, argc, argv, values, words, nowhere) : CLI_WRONG;
	if (nowhere != NULL)
		fclose(nowhere);
	*status = parsed == CLI_HELP ? CLI_OK : CLI_USAGE;
	return parsed == CLI_PARSED;
}

/* Begins MPI and calls the roll; returns false if there is nothing to go on with. */
static bool rank_link(struct link *link, int *argc, char ***argv, struct roll_call *first, int *status)
{
	if (!link_begin(link, argc, argv)) {
		*status = report_exit(CLI_INTERNAL, "MPI does not begin, or not with threads");
		return false;
	}
	*status = CLI_INPUT;
	return roll_call(link, first);
}

int rank_end(struct link *link, int status)
{
	link_end(link);
	return link->rank == 0 ? status : CLI_OK;
}

/* ---- verb build ---------------------------------------------------------------------------------------------- */

#define PATIENCE_NS (UINT64_C(30) * 1000000000)
enum { END_SECONDS = 5 };

struct build_words {
	struct build_options build; /* the first: the verb_build_options of `histree build` fill it */
	const char *local;
	uint64_t patience, throttle_disk, throttle_link;
};

enum { OPTIONS_MAX = 64 };

/* Those that `histree build` does not have. */
static const struct cli_option verb_build_options[] = {
	RANK_OPTION_LOCAL(
		struct build_words,
		"have ranks but the first build into FOLDER, on a disk of their own, copy what is complete, "
		"and keep it for 'serve --local'"),
	CLI_OPTION_NUMBER(
		"patience", CLI_DURATION, "NS", struct build_words, patience, 1000000, INT64_MAX,
		"where the launcher goes on without a rank that died, take one for dead that says nothing for so "
		"long; default: 30s"),
	CLI_OPTION_NUMBER(
		"throttle-disk", CLI_SIZE, "BYTES", struct build_words, throttle_disk, 1, INT64_MAX,
		"for experiments: let a host take as long as its traces and files take at this many bytes a "
		"second"),
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

static int verbs_build(struct link *link, const struct build_words *chosen, struct build_request *request,
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
	request->wanted.work = (struct histree_work){ progress_goes_on, &progress, progress_show };
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
	status = verbs_build(&link, chosen, request, &first, &is_one_host);
	launcher_end_with(link.rank == 0 && status == CLI_OK && !is_one_host ? LAUNCHER_STORE_IS_COMPLETE : NULL);
	/* A rank that died is not waited for for long. */
	late_status = link.rank == 0 ? status : CLI_OK;
	signal(SIGALRM, end_late);
	alarm(END_SECONDS);
	status = rank_end(&link, status);
	alarm(0);
	return is_one_host ? build_here(&chosen->build, request) : status;
}

static int verb_build_run(int argc, char **argv)
{
	struct cli_option all[OPTIONS_MAX];
	struct cli_verb whole = build_verb;
	struct build_words chosen = { 0 };
	struct build_request request;
	struct cli_words words;
	int status;
	rank_add_options(all, OPTIONS_MAX, verb_build.options, verb_build_options);
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
	.arguments = { "TRACE...", 0, CLI_WORDS_ANY },
	.complete = CLI_COMPLETE_PATH,
	.options = verb_build_options,
};

/* ---- verb serve ---------------------------------------------------------------------------------------------- */

enum { LOOK_MS = 100, TEXT_SIZE = 16384 };

struct serve_words {
	const char *socket, *local;
	uint64_t throttle_link;
	bool quiet;
};

static const struct cli_option verb_serve_options[] = {
	CLI_OPTION_PATH("socket", 0, CLI_TEXT, "PATH", struct serve_words, socket,
			"listen for questions at PATH, on the node of rank 0; default: STORE.socket"),
	RANK_OPTION_LOCAL(struct serve_words, "look for hosts in FOLDER first, where 'build --local' has them"),
	RANK_OPTION_THROTTLE_LINK(struct serve_words),
	CLI_OPTION_FLAG("quiet", 'q', struct serve_words, quiet, "print only errors"),
	{ 0 },
};

struct client_words {
	int argc;
	char **argv;
};

static bool read_words(const struct byte_buffer *message, struct client_words *words)
{
	struct byte_reader reader = byte_reader(message->bytes, message->size);
	uint64_t count = read_varint(&reader);
	*words = (struct client_words){ 0 };
	if (reader.failed || count > byte_reader_left(&reader))
		return false;
	words->argv = calloc((size_t)count + 1, sizeof(*words->argv));
	for (uint64_t i = 0; i < count && words->argv != NULL; i++) {
		struct message_text text = read_text(&reader);
		words->argv[i] = message_text_copy(text);
		if (words->argv[i] == NULL)
			return false;
		words->argc++;
	}
	return words->argv != NULL && !reader.failed;
}

/* The store is among the words, which a client cannot choose: it is served one. */
static bool names_store(const struct client_words *words, const char *path)
{
	for (int i = 1; i < words->argc; i++)
		if (strcmp(words->argv[i], path) == 0)
			return true;
	return false;
}

/* The first word is the verb. */
static int ask(struct query_job *job, const struct client_words *words, FILE *messages, int spool)
{
	struct face face;
	if (face_find(&face, words->argv[0]))
		return face_ask(job, words->argc, words->argv, messages, spool);
	return report_exit(CLI_USAGE, "a job is not asked '%s'", words->argv[0]);
}

/* Whether its client still waits for an answer. */
static bool is_awaited(void *context)
{
	return !question_socket_is_gone(*(const int *)context);
}

static void answer_client(struct query_job *job, const char *path, int connection,
			  const struct byte_buffer *message, bool quiet)
{
	char text[TEXT_SIZE], *said = NULL;
	size_t said_size = 0;
	struct client_words words = { 0 };
	int status = CLI_USAGE, spool = question_socket_spool();
	FILE *messages = open_memstream(&said, &said_size);
	job->asker.work = (struct histree_work){ .go_on = is_awaited, .context = &connection };
	report_capture(text, sizeof(text));
	if (spool < 0 || messages == NULL)
		status = report_exit(CLI_INPUT, "there is no room for the answer");
	else if (!read_words(message, &words))
		report("the question is damaged");
	else if (!names_store(&words, path))
		report("the job at this socket serves '%s', and no other store", path);
	else
		status = ask(job, &words, messages, spool);
	report_capture(NULL, 0);
	if (job->asker.is_stopped && !quiet)
		report("a client is gone; the ranks were stopped");
	job->asker.work = (struct histree_work){ 0 };
	job->asker.is_stopped = false;
	for (int i = 0; i < words.argc; i++)
		free(words.argv[i]);
	free((void *)words.argv);
	if (messages != NULL)
		fclose(messages);
	if (spool >= 0)
		question_socket_reply(connection, spool, status, *text == '\0' && said != NULL ? said : text);
	else
		close(connection);
	free(said);
}

static int serve(struct query_job *job, const char *store, const struct serve_words *chosen)
{
	struct question_socket socket = { .file = -1 };
	struct histree_error error = { 0 };
	struct byte_buffer message = { 0 };
	char *path = question_socket_name(store, chosen->socket), *real = realpath(store, NULL);
	int status = CLI_OK;
	if (path == NULL || real == NULL)
		status = report_no_memory();
	else if (question_socket_open(&socket, path, &error) != HISTREE_OK)
		status = report_error(&error);
	if (status == CLI_OK && !chosen->quiet)
		report("'%s': %zu hosts, %d ranks; listening at '%s'", store, job->set.count, job->link->count,
		       path);
	while (status == CLI_OK && !job->is_lost && progress_goes_on(NULL)) {
		int connection = question_socket_accept(&socket, LOOK_MS, &message);
		if (connection >= 0)
			answer_client(job, real, connection, &message, chosen->quiet);
	}
	question_socket_close(&socket);
	if (job->is_lost)
		status = report_exit(CLI_INPUT, "a rank is gone, and with it its hosts; the job ends");
	byte_buffer_release(&message);
	free(real);
	free(path);
	return status;
}

static int verb_serve_run(int argc, char **argv)
{
	struct serve_words chosen = { 0 };
	struct cli_words words;
	struct link link;
	struct roll_call first;
	struct query_job job;
	int status;
	if (!rank_begin(&serve_verb, argc, argv, &chosen, &words, &status))
		return status;
	if (!rank_link(&link, &argc, &argv, &first, &status))
		return rank_end(&link, status);
	link.throttle = chosen.throttle_link;
	signal(SIGPIPE, SIG_IGN);
	/* A launcher that is to end sends this to all ranks; rank 0 ends them in order. */
	progress_catch_signals();
	if (query_job_begin(&job, &link, words.words[0], chosen.local)) {
		if (link.rank == 0)
			status = serve(&job, words.words[0], &chosen);
		else
			query_job_answer(&job);
	}
	query_job_end(&job);
	return rank_end(&link, status);
}

const struct cli_verb serve_verb = {
	.name = "serve",
	.summary = "keep ranks with open histories, which answer questions in milliseconds",
	.arguments = { "STORE", 1, 1 },
	.complete = CLI_COMPLETE_PATH,
	.options = verb_serve_options,
};

/* ---- verb face ----------------------------------------------------------------------------------------------- */

static int ask_ranks(int argc, char **argv, const struct face_words *chosen, const char *store)
{
	struct link link;
	struct roll_call first;
	struct query_job job;
	int status;
	if (!rank_link(&link, &argc, &argv, &first, &status))
		return rank_end(&link, status);
	link.throttle = chosen->throttle_link;
	if (query_job_begin(&job, &link, store, chosen->local)) {
		if (link.rank == 0)
			status = face_ask(&job, argc, argv, stderr, STDOUT_FILENO);
		else
			query_job_answer(&job);
	}
	query_job_end(&job);
	return rank_end(&link, status);
}

/* Runs states, events, segments, top or sql, argv[0] being the verb; false: there is no such verb. */
static int face_run(int argc, char **argv)
{
	struct face face;
	struct cli_words words;
	int status = CLI_USAGE;
	char **line = calloc((size_t)argc + 1, sizeof(*line));
	if (line == NULL || !face_find(&face, argv[0])) {
		free((void *)line);
		return report_no_memory();
	}
	struct face_words chosen = face_begin(&face);
	memcpy((void *)line, (void *)argv, (size_t)argc * sizeof(*line)); /* it is reordered */
	if (rank_begin(&face.verb, argc, line, &chosen, &words, &status)) {
		bool is_client = chosen.socket != NULL || launcher_rank() < 0;
		if (!is_client || !job_client_ask(argc, argv, words.words[0], chosen.socket, &status))
			status = ask_ranks(argc, argv, &chosen, words.words[0]);
	}
	free((void *)line);
	return status;
}
