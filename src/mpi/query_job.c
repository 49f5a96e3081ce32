// SPDX-License-Identifier: MIT
/*
 * query_job.c - a question of 'query' that the ranks answer together, and the job that waits for questions.
 *
 * The answer of rank 0 itself, which a thread makes while the main thread takes the messages of
 * the others: it arrives in messages as theirs do.
 *
 * How rank 0 asks all ranks one question of `query`.
 *
 * The ranks but 0, which answer what that one asks.
 */
#include "mpi/query_job.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "base/crew.h"
#include "base/error.h"
#include "cli/option.h"
#include "cli/report.h"
#include "cli/verb.h"
#include "mpi/answer.h"
#include "mpi/host_remote.h"
#include "mpi/host_server.h"
#include "mpi/link.h"
#include "mpi/question_socket.h"
#include "mpi/shard_set.h"
#include "mpi/state_remote.h"

struct local_answer {
	struct shard_set *set;
	struct byte_reader question; /* borrowed */
	pthread_t thread;
	pthread_mutex_t mutex; /* guards what follows */
	pthread_cond_t changed;
	struct message message; /* handed over */
	bool is_full, is_over, is_unwanted;
	bool is_stopped; /* the rest of the answer is not wanted, but its end is */
	/* Called while a message is waited for, and before; it may stop the answer. */
	void (*look)(void *context);
	void *look_context;
};

/* What rank 0 asks with, and what became of it. */
struct query_asker {
	struct asker *asker;
	struct shard_set *set;         /* its own hosts */
	struct answer_source *sources; /* one a rank */
	bool is_lost;                  /* a rank is gone */
};

/* ---- job client ---------------------------------------------------------------------------------------------- */

/* The words of the command line, the store by its full path: the job may run in another folder. */
static enum cli_exit write_words(int argc, char **argv, const char *store, struct message *out)
{
	char *path = realpath(store, NULL);
	message_number(out, (uint64_t)argc);
	for (int i = 0; i < argc; i++)
		message_string(out, i > 0 && argv[i] == store && path != NULL ? path : argv[i]);
	free(path);
	return out->no_memory ? report_no_memory() : CLI_OK;
}

bool job_client_ask(int argc, char **argv, const char *store, const char *socket, int *status)
{
	struct message message = { 0 };
	struct histree_error error = { 0 };
	char *path = question_socket_name(store, socket);
	enum histree_status result = HISTREE_ERR_MEMORY;
	*status = path != NULL ? (int)write_words(argc, argv, store, &message) : (int)report_no_memory();
	if (*status == CLI_OK)
		result = question_socket_ask(path, &message, status, &error);
	else
		result = HISTREE_OK; /* it was reported */
	bool is_done = result != HISTREE_NOT_FOUND || socket != NULL;
	if (socket == NULL && result == HISTREE_ERR_ARGUMENT)
		is_done = false; /* no job can have so long a name */
	if (is_done && result != HISTREE_OK)
		*status = result == HISTREE_NOT_FOUND ? report_exit(CLI_INPUT, "%s", error.message)
						      : report_error(&error);
	free(path);
	message_release(&message);
	return is_done;
}

/* ---- local answer -------------------------------------------------------------------------------------------- */

enum { LOOK_NS = 20 * 1000 * 1000 };

static bool hand_over(void *context, struct message *message)
{
	struct local_answer *local = context;
	pthread_mutex_lock(&local->mutex);
	while (local->is_full && !local->is_unwanted)
		pthread_cond_wait(&local->changed, &local->mutex);
	bool wanted = !local->is_unwanted;
	if (wanted) {
		struct message empty = local->message;
		local->message = *message;
		*message = empty;
		local->is_full = true;
		pthread_cond_broadcast(&local->changed);
	}
	pthread_mutex_unlock(&local->mutex);
	return wanted;
}

static bool is_wanted(void *context)
{
	struct local_answer *local = context;
	pthread_mutex_lock(&local->mutex);
	bool wanted = !local->is_stopped && !local->is_unwanted;
	pthread_mutex_unlock(&local->mutex);
	return wanted;
}

static void *run(void *context)
{
	struct local_answer *local = context;
	const struct histree_cancel cancel = { is_wanted, local };
	question_answer(local->set, &local->question, hand_over, local, cancel);
	pthread_mutex_lock(&local->mutex);
	local->is_over = true;
	pthread_cond_broadcast(&local->changed);
	pthread_mutex_unlock(&local->mutex);
	return NULL;
}

/* Returns false if there is no thread to be had. */
static bool local_answer_begin(struct local_answer *local, struct shard_set *set, const void *question, size_t size)
{
	*local = (struct local_answer){ .set = set, .question = byte_reader(question, size) };
	pthread_mutex_init(&local->mutex, NULL);
	pthread_cond_init(&local->changed, NULL);
	if (thread_create(&local->thread, run, local))
		return true;
	pthread_cond_destroy(&local->changed);
	pthread_mutex_destroy(&local->mutex);
	return false;
}

/* Waits for a change, or for a moment. */
static void wait_and_look(struct local_answer *local)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += LOOK_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	if (pthread_cond_timedwait(&local->changed, &local->mutex, &until) != ETIMEDOUT || local->look == NULL)
		return;
	pthread_mutex_unlock(&local->mutex);
	local->look(local->look_context);
	pthread_mutex_lock(&local->mutex);
}

/* Takes the next message, waiting for it.  Returns false if there is none any more. */
static bool local_answer_receive(void *context, struct message *message)
{
	struct local_answer *local = context;
	if (local->look != NULL)
		local->look(local->look_context);
	pthread_mutex_lock(&local->mutex);
	while (!local->is_full && !local->is_over)
		wait_and_look(local);
	bool found = local->is_full;
	if (found) {
		struct message empty = *message;
		*message = local->message;
		message_clear(&empty);
		local->message = empty;
		local->is_full = false;
		pthread_cond_broadcast(&local->changed);
	}
	pthread_mutex_unlock(&local->mutex);
	return found;
}

/* The answer ends soon. */
static void local_answer_stop(struct local_answer *local)
{
	pthread_mutex_lock(&local->mutex);
	local->is_stopped = true;
	pthread_mutex_unlock(&local->mutex);
}

/* Drops what was not taken. */
static void local_answer_end(struct local_answer *local)
{
	pthread_mutex_lock(&local->mutex);
	local->is_unwanted = true;
	pthread_cond_broadcast(&local->changed);
	pthread_mutex_unlock(&local->mutex);
	pthread_join(local->thread, NULL);
	message_release(&local->message);
	pthread_cond_destroy(&local->changed);
	pthread_mutex_destroy(&local->mutex);
}

/* ---- query ask ----------------------------------------------------------------------------------------------- */

/* What a question needs on the way from the ranks to its client. */
struct asking {
	struct asker *asker;
	struct local_answer local;
};

struct remote {
	struct asking *asking;
	int rank;
};

/* The answer of rank 0 itself is told to end as those of the others are. */
static void look_at_asker(void *context)
{
	struct asking *asking = context;
	if (!asker_waits(asking->asker))
		local_answer_stop(&asking->local);
}

static bool receive_remote(void *context, struct message *message)
{
	const struct remote *remote = context;
	bool received = asker_receive(remote->asking->asker, remote->rank, message);
	look_at_asker(remote->asking);
	return received;
}

/* Asks a question, which has been checked, and prints the answer on `file`.  Returns what to exit with. */
static int query_ask(struct query_asker *asker, const struct question_words *chosen, const struct cli_words *words,
		     const struct message *question, int file)
{
	struct asking asking = { .asker = asker->asker };
	struct local_answer *local = &asking.local;
	struct link *link = asker->asker->link;
	int count = link->count, status = CLI_INTERNAL;
	uint64_t bytes = link->bytes_received, messages = link->messages_received;
	struct remote *remotes = calloc((size_t)count, sizeof(*remotes));
	if (remotes == NULL || !local_answer_begin(local, asker->set, question->bytes + 1, question->size - 1)) {
		free(remotes);
		return report_no_memory();
	}
	local->look = look_at_asker;
	local->look_context = &asking;
	for (int rank = 0; rank < count; rank++) {
		struct answer_source *source = &asker->sources[rank];
		remotes[rank] = (struct remote){ .asking = &asking, .rank = rank };
		source->receive = rank == 0 ? local_answer_receive : receive_remote;
		source->context = rank == 0 ? (void *)local : (void *)&remotes[rank];
		source->rank = rank;
		source->row = source->chunk.row_count = 0;
		source->is_done = false;
	}
	if (link_send_all(link, question))
		status = answer_merge(asker->sources, (size_t)count, chosen, words, file, &asker->is_lost);
	else
		asker->is_lost = true;
	if (chosen->query.stats)
		report("%" PRIu64 " bytes in %" PRIu64 " messages from other ranks", link->bytes_received - bytes,
		       link->messages_received - messages);
	local_answer_end(local);
	free(remotes);
	return status;
}

/* ---- query follow -------------------------------------------------------------------------------------------- */

static bool send_to_first(void *context, struct message *message)
{
	return link_send(context, 0, message);
}

static bool tell_times(struct query_job *job, struct byte_reader *reader)
{
	struct message reply = { 0 };
	struct shard_analysis *analysis = NULL;
	char name[128];
	read_text_into(reader, name, sizeof(name));
	bool opened = shard_set_open(&job->set, name, &analysis, NULL) == HISTREE_OK && analysis->has_times;
	message_byte(&reply, opened);
	message_signed(&reply, opened ? analysis->start : 0);
	message_signed(&reply, opened ? analysis->end : 0);
	bool sent = link_send(job->link, 0, &reply);
	message_release(&reply);
	return sent;
}

static bool answer_segments(struct query_job *job, struct byte_reader *request)
{
	struct message reply = { 0 };
	job->server.set = &job->set;
	job->server.cancel = (struct histree_cancel){ inbox_wants, &job->inbox };
	segment_server_answer(&job->server, request, &reply);
	bool sent = link_send(job->link, 0, &reply);
	message_release(&reply);
	return sent;
}

void query_job_answer(struct query_job *job)
{
	struct message message = { 0 };
	bool goes_on = true;
	while (goes_on && inbox_take(&job->inbox, &message)) {
		struct byte_reader reader = byte_reader(message.bytes, message.size);
		switch (read_byte(&reader)) {
		case JOB_OPEN:
			goes_on = tell_times(job, &reader);
			break;
		case SEGMENT_REQUEST:
			goes_on = answer_segments(job, &reader);
			break;
		case JOB_QUESTION:
			question_answer(&job->set, &reader, send_to_first, job->link,
					(struct histree_cancel){ inbox_wants, &job->inbox });
			break;
		case JOB_STOP: /* nothing more comes of what was asked */
			segment_server_reset(&job->server);
			break;
		default:
			goes_on = false;
		}
	}
	message_release(&message);
}

/* ---- query job ----------------------------------------------------------------------------------------------- */

/* ---- who has which hosts ---------------------------------------------------------------------------------- */

struct places {
	uint8_t *of;    /* [rank][host]: enum shard_place */
	int *rank_of;   /* of a host */
	uint64_t *load; /* of a rank: events */
	size_t host_count;
};

/* The nearest rank, and of several the one with the fewest events; -1: none. */
static int choose_rank(const struct places *places, int ranks, size_t host)
{
	int best = -1;
	for (int rank = 0; rank < ranks; rank++) {
		uint8_t place = places->of[(size_t)rank * places->host_count + host];
		uint8_t best_place =
			best < 0 ? (uint8_t)SHARD_NOWHERE : places->of[(size_t)best * places->host_count + host];
		if (place > best_place ||
		    (place == best_place && place != SHARD_NOWHERE && places->load[rank] < places->load[best]))
			best = rank;
	}
	return best;
}

/* The largest first; what nobody has goes to the first that has something, which says that it is missing. */
static bool assign(const struct shard_set *set, struct places *places, int ranks)
{
	int some = -1;
	for (size_t i = 0; i < set->count; i++)
		places->rank_of[i] = -2;
	for (size_t done = 0; done < set->count; done++) {
		size_t largest = SIZE_MAX;
		for (size_t i = 0; i < set->count; i++)
			if (places->rank_of[i] == -2 &&
			    (largest == SIZE_MAX || set->hosts[i].event_count > set->hosts[largest].event_count))
				largest = i;
		int rank = places->rank_of[largest] = choose_rank(places, ranks, largest);
		if (rank >= 0)
			places->load[rank] += set->hosts[largest].event_count + 1;
		if (rank >= 0 && (some < 0 || rank < some))
			some = rank;
	}
	for (size_t i = 0; i < set->count; i++)
		if (places->rank_of[i] < 0)
			places->rank_of[i] = some;
	return some >= 0;
}

static void write_places(const struct shard_set *set, struct message *out)
{
	for (size_t i = 0; i < set->count; i++)
		message_byte(out, (uint8_t)set->hosts[i].place);
}

static bool keep(struct shard_set *set, const uint8_t *mine)
{
	bool *flags = calloc(set->count + 1, sizeof(*flags));
	for (size_t i = 0; flags != NULL && i < set->count; i++)
		flags[i] = mine[i] != 0;
	if (flags != NULL)
		shard_set_keep(set, flags);
	free(flags);
	return flags != NULL;
}

/* Hears what each rank has, and tells each what is its own. */
static bool deal_out(struct query_job *job, struct places *places)
{
	struct link *link = job->link;
	struct message message = { 0 };
	size_t count = job->set.count;
	bool fine = true;
	write_places(&job->set, &message);
	fine = !message.no_memory;
	for (int rank = 0; rank < link->count && fine; rank++) {
		fine = (rank == 0 || link_receive(link, rank, &message)) && message.size == count;
		if (fine)
			memcpy(places->of + (size_t)rank * count, message.bytes, count);
	}
	if (fine && !assign(&job->set, places, link->count)) {
		report("no rank can open the store of any host: %s", job->set.hosts[0].why);
		fine = false;
	}
	for (int rank = link->count - 1; rank >= 0; rank--) {
		message_clear(&message);
		for (size_t i = 0; i < count && fine; i++)
			message_byte(&message, places->rank_of[i] == rank);
		fine = fine && !message.no_memory;
		if (rank > 0)
			fine = link_send(link, rank, &message) && fine;
		else
			fine = fine && keep(&job->set, message.bytes);
	}
	message_release(&message);
	return fine;
}

static bool deal_out_hosts(struct query_job *job)
{
	size_t count = job->set.count;
	struct places places = {
		.of = calloc((size_t)job->link->count * (count + 1), 1),
		.rank_of = calloc(count + 1, sizeof(*places.rank_of)),
		.load = calloc((size_t)job->link->count, sizeof(*places.load)),
		.host_count = count,
	};
	bool fine = places.of != NULL && places.rank_of != NULL && places.load != NULL &&
		    segment_remotes_begin(&job->remotes, &job->asker);
	event_remotes_begin(&job->events, &job->remotes);
	state_remotes_begin(&job->states, &job->remotes);
	if (!fine)
		report_no_memory();
	fine = fine && deal_out(job, &places);
	for (size_t i = 0; i < count && fine; i++)
		if (places.of[(size_t)places.rank_of[i] * count + i] == SHARD_NOWHERE)
			places.rank_of[i] = -1;
	free(places.of);
	job->rank_of = places.rank_of;
	free(places.load);
	return fine;
}

static bool take_hosts(struct query_job *job)
{
	struct message message = { 0 };
	write_places(&job->set, &message);
	bool fine = link_send(job->link, 0, &message) && link_receive(job->link, 0, &message) &&
		    message.size == job->set.count && keep(&job->set, message.bytes);
	message_release(&message);
	return fine;
}

/* ---- begin ------------------------------------------------------------------------------------------------ */

static bool describe(struct query_job *job, const char *path, struct message *out)
{
	struct histree_error error = { 0 };
	if (histree_store_open(path, &job->store, &error) != HISTREE_OK) {
		report_error(&error);
		return false;
	}
	shard_set_describe(histree_store_info(job->store), out);
	job->sources = calloc((size_t)job->link->count, sizeof(*job->sources));
	if (out->no_memory || job->sources == NULL) {
		report_no_memory();
		return false;
	}
	return true;
}

bool query_job_begin(struct query_job *job, struct link *link, const char *path, const char *local)
{
	*job = (struct query_job){ .link = link, .asker.link = link, .inbox.link = link };
	struct message message = { 0 };
	struct histree_error error = { 0 };
	bool fine = link->rank == 0 ? describe(job, path, &message) : link_receive(link, 0, &message);
	if (link->rank == 0 && !fine)
		message_clear(&message);
	for (int rank = 1; link->rank == 0 && rank < link->count; rank++)
		fine = link_send(link, rank, &message) && fine;
	if (fine && message.size > 0) {
		struct byte_reader reader = byte_reader(message.bytes, message.size);
		fine = shard_set_find(&job->set, path, local, &reader, &error) == HISTREE_OK;
		fine = roll_call_agree(link, fine ? NULL : error.message);
	} else {
		fine = false;
	}
	message_release(&message);
	if (fine)
		fine = link->rank == 0 ? deal_out_hosts(job) : take_hosts(job);
	return fine;
}

/* ---- rank 0 ------------------------------------------------------------------------------------------------ */

static void widen(struct query_job_analysis *analysis, bool *has_times, histree_time start, histree_time end)
{
	analysis->start = *has_times && analysis->start < start ? analysis->start : start;
	analysis->end = *has_times && analysis->end > end ? analysis->end : end;
	*has_times = true;
}

/* Has all ranks open an analysis, and learns its times. */
static enum histree_status open_analysis(struct query_job *job, struct query_job_analysis *analysis,
					 struct histree_error *error)
{
	struct shard_analysis *own;
	struct message message = { 0 };
	bool has_times = false;
	message_byte(&message, JOB_OPEN);
	message_string(&message, analysis->name);
	job->is_lost = !link_send_all(job->link, &message);
	enum histree_status status = shard_set_open(&job->set, analysis->name, &own, error);
	if (status == HISTREE_OK && own->has_times)
		widen(analysis, &has_times, own->start, own->end);
	for (int rank = 1; rank < job->link->count && !job->is_lost; rank++) {
		job->is_lost = !link_receive(job->link, rank, &message);
		struct byte_reader reader = byte_reader(message.bytes, message.size);
		bool rank_has = read_byte(&reader) != 0;
		histree_time start = read_signed(&reader), end = read_signed(&reader);
		if (!job->is_lost && !reader.failed && rank_has)
			widen(analysis, &has_times, start, end);
	}
	message_release(&message);
	if (job->is_lost)
		return error_set(error, HISTREE_ERR_IO, "a rank does not answer");
	if (status == HISTREE_OK && !has_times)
		status = error_set(error, HISTREE_ERR_FORMAT, "no rank can open a history '%s' of '%s'",
				   analysis->name, job->set.path);
	return status;
}

/* The kernel's, or the first. */
static const char *default_analysis(const struct histree_store_info *info)
{
	for (size_t i = 0; i < info->history_count; i++)
		if (strcmp(info->histories[i].analysis, "kernel") == 0)
			return "kernel";
	return info->history_count > 0 ? info->histories[0].analysis : NULL;
}

static bool has_analysis(const struct histree_store_info *info, const char *name)
{
	for (size_t i = 0; name != NULL && i < info->history_count; i++)
		if (strcmp(info->histories[i].analysis, name) == 0)
			return true;
	return false;
}

static enum histree_status find_analysis(struct query_job *job, const char *name, struct query_job_analysis **out,
					 struct histree_error *error)
{
	const struct histree_store_info *info = histree_store_info(job->store);
	struct histree_history *history = NULL;
	if (name == NULL)
		name = default_analysis(info);
	for (size_t i = 0; name != NULL && i < job->analysis_count; i++) {
		*out = &job->analyses[i];
		if (strcmp((*out)->name, name) == 0)
			return HISTREE_OK;
	}
	if (!has_analysis(info, name)) {
		/* It says which there are. */
		enum histree_status status = histree_store_history(job->store, name, true, NULL, &history, error);
		histree_history_close(history);
		return status != HISTREE_OK ? status : HISTREE_ERR_INTERNAL;
	}
	struct query_job_analysis analysis = { .name = strdup(name) };
	if (analysis.name == NULL ||
	    !array_reserve(&job->analyses, &job->analysis_capacity, job->analysis_count + 1)) {
		free(analysis.name);
		return error_memory(error, "the histories");
	}
	enum histree_status status = open_analysis(job, &analysis, error);
	if (status != HISTREE_OK) {
		free(analysis.name);
		return status;
	}
	job->analyses[job->analysis_count] = analysis;
	*out = &job->analyses[job->analysis_count++];
	return HISTREE_OK;
}

static int ask_ranks(struct query_job *job, const struct question_words *chosen, const struct cli_words *words,
		     const struct message *question, int file)
{
	struct query_asker asker = { .asker = &job->asker, .set = &job->set, .sources = job->sources };
	int status = query_ask(&asker, chosen, words, question, file);
	job->is_lost = asker.is_lost;
	return status;
}

int query_job_ask(struct query_job *job, int argc, char **argv, FILE *messages, int file)
{
	struct question_words chosen = { 0 };
	struct cli_words words;
	struct histree_error error = { 0 };
	struct query_job_analysis *analysis = NULL;
	struct message question = { 0 };
	char **line = calloc((size_t)argc + 2, sizeof(*line));
	if (line == NULL)
		return report_no_memory();
	line[0] = (char *)(uintptr_t)question_verb.name;
	memcpy((void *)(line + 1), (void *)argv, (size_t)argc * sizeof(*line));
	int status = CLI_USAGE;
	if (cli_parse(&question_verb, argc + 1, line, &chosen, &words, messages) == CLI_PARSED)
		status = query_options_check(&chosen.query, words.count - 1);
	if (status == CLI_OK && find_analysis(job, chosen.query.analysis, &analysis, &error) != HISTREE_OK)
		status = report_error(&error);
	if (status == CLI_OK) {
		message_byte(&question, JOB_QUESTION);
		question_write(&question, analysis->name, analysis->start, analysis->end, argc, argv);
		status = question.no_memory ? (int)report_no_memory()
					    : ask_ranks(job, &chosen, &words, &question, file);
	}
	message_release(&question);
	free((void *)line);
	return status;
}

/* ---- what ranks have ---------------------------------------------------------------------------------------- */

static const char *why_missing(const struct query_job *job, size_t host)
{
	const char *why = histree_store_info(job->store)->hosts[host].why;
	return why != NULL ? why : job->set.hosts[host].why;
}

static enum histree_status open_history(void *context, size_t host, const char *analysis,
					const struct histree_open_options *options, struct histree_history **out,
					struct histree_error *error)
{
	struct query_job *job = context;
	int rank = job->rank_of[host];
	*out = NULL;
	if (rank > 0)
		return state_remotes_open(&job->states, rank, host, analysis, out, error);
	if (rank == 0)
		return histree_store_history(job->set.hosts[host].store, analysis, true, options, out, error);
	return error_set(error, HISTREE_ERR_IO, "%s", why_missing(job, host));
}

static enum histree_status open_segments(void *context, size_t host, const char *analysis,
					 struct histree_segment_store **out, struct histree_error *error)
{
	struct query_job *job = context;
	int rank = job->rank_of[host];
	*out = NULL;
	if (rank > 0)
		return segment_remotes_open(&job->remotes, rank, host, analysis, out, error);
	if (rank == 0)
		return histree_store_segments(job->set.hosts[host].store, analysis, true, NULL, out, error);
	return error_set(error, HISTREE_ERR_IO, "%s", why_missing(job, host));
}

static enum histree_status open_events(void *context, size_t host, struct histree_events **out,
				       struct histree_error *error)
{
	struct query_job *job = context;
	int rank = job->rank_of[host];
	*out = NULL;
	if (rank > 0)
		return event_remotes_open(&job->events, rank, host, out, error);
	if (rank == 0)
		return histree_events_open(job->set.hosts[host].store, out, error);
	return error_set(error, HISTREE_ERR_IO, "host '%s': %s", job->set.hosts[host].name, why_missing(job, host));
}

enum histree_status query_job_open_store(struct query_job *job, const char *path, struct histree_store **out,
					 struct histree_error *error)
{
	enum histree_status status = histree_store_open(path, out, error);
	if (status != HISTREE_OK || histree_store_info(*out)->host_count == 0)
		return status;
	if (histree_store_info(*out)->host_count != job->set.count) {
		histree_store_close(*out);
		*out = NULL;
		return error_set(error, HISTREE_ERR_FORMAT, "'%s' was built again since the job began", path);
	}
	histree_store_set_history_opener(*out, open_history, job);
	histree_store_set_segment_opener(*out, open_segments, job);
	histree_store_set_event_opener(*out, open_events, job);
	return HISTREE_OK;
}

void query_job_end(struct query_job *job)
{
	struct message message = { 0 };
	message_byte(&message, JOB_END);
	if (job->link->rank == 0 && !job->is_lost)
		link_send_all(job->link, &message);
	message_release(&message);
	for (int rank = 0; job->sources != NULL && rank < job->link->count; rank++)
		answer_source_release(&job->sources[rank]);
	free(job->sources);
	for (size_t i = 0; i < job->analysis_count; i++)
		free(job->analyses[i].name);
	free(job->analyses);
	free(job->rank_of);
	event_remotes_release(&job->events);
	state_remotes_release(&job->states);
	segment_remotes_release(&job->remotes);
	segment_server_release(&job->server);
	inbox_release(&job->inbox);
	shard_set_release(&job->set);
	histree_store_close(job->store);
}
