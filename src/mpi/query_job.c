// SPDX-License-Identifier: MIT
/*
 * query_job.c - ranks that answer questions about one store together: who has which hosts, what rank 0 opens of
 * them, and how a client asks a job that listens.
 */
#include "mpi/query_job.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/error.h"
#include "cli/report.h"
#include "mpi/host_remote.h"
#include "mpi/host_server.h"
#include "mpi/link.h"
#include "mpi/question_socket.h"

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

/* ---- query follow -------------------------------------------------------------------------------------------- */

static bool answer_request(struct query_job *job, struct byte_reader *request)
{
	struct message reply = { 0 };
	job->server.set = &job->set;
	job->server.cancel = (struct histree_cancel){ inbox_wants, &job->inbox };
	host_server_answer(&job->server, request, &reply);
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
		case JOB_REQUEST:
			goes_on = answer_request(job, &reader);
			break;
		case JOB_STOP: /* nothing more comes of what was asked */
			host_server_reset(&job->server);
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

/* The largest first; a host that no rank has goes to the first that has another, and says that it is missing. */
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
		    remotes_begin(&job->remotes, &job->asker);
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
	if (out->no_memory) {
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
		return remotes_history(&job->remotes, rank, host, analysis, out, error);
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
		return remotes_segments(&job->remotes, rank, host, analysis, out, error);
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
		return remotes_events(&job->remotes, rank, host, out, error);
	if (rank == 0)
		return histree_events_open(job->set.hosts[host].store, out, error);
	return error_set(error, HISTREE_ERR_IO, "host '%s': %s", job->set.hosts[host].name, why_missing(job, host));
}

static void set_openers(struct query_job *job, struct histree_store *store)
{
	if (histree_store_info(store)->host_count == 0)
		return;
	histree_store_set_history_opener(store, open_history, job);
	histree_store_set_segment_opener(store, open_segments, job);
	histree_store_set_event_opener(store, open_events, job);
}

enum histree_status query_job_open_store(struct query_job *job, const char *path, struct histree_store **out,
					 struct histree_error *error)
{
	enum histree_status status = histree_store_open(path, out, error);
	if (status != HISTREE_OK)
		return status;
	size_t count = histree_store_info(*out)->host_count;
	if (count != 0 && count != job->set.count) {
		histree_store_close(*out);
		*out = NULL;
		return error_set(error, HISTREE_ERR_FORMAT, "'%s' was built again since the job began", path);
	}
	set_openers(job, *out);
	return HISTREE_OK;
}

enum histree_status query_job_history(struct query_job *job, const char *analysis, struct histree_history **out,
				      struct histree_error *error)
{
	struct job_history history = { 0 };
	const char *name = analysis != NULL ? analysis : "";
	for (size_t i = 0; i < job->history_count; i++) {
		*out = job->histories[i].history;
		if (strcmp(job->histories[i].analysis, name) == 0)
			return HISTREE_OK;
	}
	*out = NULL;
	set_openers(job, job->store);
	enum histree_status status =
		histree_store_history(job->store, analysis, true, NULL, &history.history, error);
	if (status == HISTREE_OK && job->asker.is_stopped) { /* a host that was not waited for is not missing */
		histree_history_close(history.history);
		status = error_set(error, HISTREE_ERR_CANCELLED, "the answer is no longer wanted");
	}
	if (status != HISTREE_OK)
		return status;
	history.analysis = strdup(name);
	if (history.analysis == NULL ||
	    !array_reserve(&job->histories, &job->history_capacity, job->history_count + 1)) {
		histree_history_close(history.history);
		free(history.analysis);
		return error_memory(error, "the histories");
	}
	job->histories[job->history_count++] = history;
	*out = history.history;
	return HISTREE_OK;
}

void query_job_end(struct query_job *job)
{
	if (job->link->rank == 0 && !job->is_lost)
		link_tell_all(job->link, JOB_END);
	for (size_t i = 0; i < job->history_count; i++) {
		histree_history_close(job->histories[i].history);
		free(job->histories[i].analysis);
	}
	free(job->histories);
	free(job->rank_of);
	remotes_release(&job->remotes);
	host_server_release(&job->server);
	inbox_release(&job->inbox);
	shard_set_release(&job->set);
	histree_store_close(job->store);
}
