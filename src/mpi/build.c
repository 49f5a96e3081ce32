// SPDX-License-Identifier: MIT
/*
 * build.c - the build of several hosts by several ranks: rank 0 leads, the others follow.
 *
 * A thread of each rank builds the store of one host at a time, while the main thread exchanges messages.  With a
 * local folder, a rank builds there, copies the store to the place that the owner of the experiment gives, and
 * keeps it for questions (`serve --local`) as FOLDER/hosts/NAME. The files are copied into
 * STORE.building/hosts/NAME.building, the manifest last, so that an interrupted copy is not a store; then it takes
 * its name.
 */
#include "mpi/build.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/crew.h"
#include "base/error.h"
#include "base/io.h"
#include "base/monotonic.h"
#include "cli/build_request.h"
#include "cli/progress.h"
#include "histree/build.h"
#include "histree/status.h"
#include "mpi/link.h"

/* What a rank says of the host that it has built. */
struct build_done {
	size_t host;
	struct histree_error error; /* and its status */
};

struct host_builder {
	struct histree_experiment *experiment;
	const char *store, *local; /* local: NULL: it is built where it belongs */
	uint64_t throttle_disk;    /* bytes a second; 0: as they come */
	bool is_busy;
	pthread_t thread;
	size_t host;
	int64_t begun_ns;
	pthread_mutex_t mutex; /* guards what follows */
	bool is_cancelled, is_over;
	struct histree_progress progress;
	enum histree_status status;
	struct histree_error error;
};

/* ---- build message ------------------------------------------------------------------------------------------- */

static void write_clock(struct byte_buffer *out, const struct histree_clock *clock)
{
	uint64_t bits;
	byte_buffer_put_byte(out, clock != NULL);
	if (clock == NULL)
		return;
	memcpy(&bits, &clock->error, sizeof(bits));
	byte_buffer_put_signed(out, clock->from);
	byte_buffer_put_signed(out, clock->to);
	byte_buffer_put_number(out, clock->fraction);
	byte_buffer_put_signed(out, clock->rate);
	byte_buffer_put_number(out, (uint64_t)clock->quality);
	byte_buffer_put_number(out, bits);
	byte_buffer_put_number(out, clock->matches);
	byte_buffer_put_number(out, clock->accurate);
}

/* Returns whether there is one. */
static bool read_clock(struct byte_reader *reader, struct histree_clock *clock)
{
	if (byte_reader_byte(reader) != 1)
		return false;
	clock->from = byte_reader_signed(reader);
	clock->to = byte_reader_signed(reader);
	clock->fraction = (uint32_t)read_varint(reader);
	clock->rate = byte_reader_signed(reader);
	clock->quality = (enum histree_clock_quality)read_varint(reader);
	uint64_t bits = read_varint(reader);
	memcpy(&clock->error, &bits, sizeof(bits));
	clock->matches = read_varint(reader);
	clock->accurate = read_varint(reader);
	return true;
}

/* The plan, for ranks that have to find the same hosts. */
static void build_plan_write(struct byte_buffer *out, const struct histree_experiment_host *hosts, size_t count)
{
	byte_buffer_put_byte(out, BUILD_PLAN);
	byte_buffer_put_number(out, count);
	for (size_t i = 0; i < count; i++) {
		byte_buffer_put_string(out, hosts[i].name);
		byte_buffer_put_number(out, hosts[i].bytes);
		write_clock(out, hosts[i].clock);
	}
}

/* Tells the clocks of the plan to this rank's experiment.  Returns HISTREE_ERR_ARGUMENT if its hosts are others. */
static enum histree_status build_plan_read(struct histree_experiment *experiment, struct byte_reader *reader,
					   struct histree_error *error)
{
	size_t count;
	const struct histree_experiment_host *hosts = histree_experiment_hosts(experiment, &count);
	uint8_t kind = byte_reader_byte(reader);
	uint64_t planned = read_varint(reader);
	if (reader->failed || kind != BUILD_PLAN)
		return error_set(error, HISTREE_ERR_FORMAT, "the plan of rank 0 is damaged");
	if (planned != count)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "here the traces are of %zu hosts, on rank 0 of %" PRIu64
				 ": all ranks have to see the same folders",
				 count, planned);
	for (size_t i = 0; i < count; i++) {
		struct histree_clock clock = { 0 };
		struct message_text name = read_text(reader);
		uint64_t bytes = read_varint(reader);
		bool is_same = strlen(hosts[i].name) == name.size &&
			       memcmp(hosts[i].name, name.bytes, name.size) == 0 && bytes == hosts[i].bytes;
		if (!is_same && !reader->failed)
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "here host %zu is '%s' of %" PRIu64 " bytes, on rank 0 '%.*s' of %" PRIu64
					 ": all ranks have to see the same traces",
					 i + 1, hosts[i].name, hosts[i].bytes, name.size < 64 ? (int)name.size : 64,
					 name.bytes, bytes);
		bool has_clock = read_clock(reader, &clock);
		histree_experiment_set_clock(experiment, i, has_clock ? &clock : NULL);
	}
	return reader->failed ? error_set(error, HISTREE_ERR_FORMAT, "the plan of rank 0 is damaged") : HISTREE_OK;
}

static bool build_done_read(struct byte_reader *reader, struct build_done *done)
{
	done->host = (size_t)read_varint(reader);
	int64_t status = byte_reader_signed(reader);
	done->error.status = (enum histree_status)status;
	read_text_into(reader, done->error.message, sizeof(done->error.message));
	return !reader->failed && status >= HISTREE_ERR_INTERNAL && status <= HISTREE_PARTIAL;
}

/* ---- host copy ----------------------------------------------------------------------------------------------- */

#define MANIFEST "manifest.json"
/* Calls `visit` with the path of each file of a folder, which has no folders.  Stops at what fails. */
static enum histree_status each_file(const char *folder,
				     enum histree_status (*visit)(void *context, const char *path, const char *name,
								  struct histree_error *error),
				     void *context, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	DIR *files = opendir(folder);
	if (files == NULL)
		return error_set(error, HISTREE_ERR_IO, "cannot read '%s': %s", folder, strerror(errno));
	for (struct dirent *entry; status == HISTREE_OK && (entry = readdir(files)) != NULL;) {
		char *path = NULL;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
			status = error_memory(error, "a path");
		else
			status = visit(context, path, entry->d_name, error);
		free(path);
	}
	closedir(files);
	return status;
}

static enum histree_status remove_file(void *context, const char *path, const char *name,
				       struct histree_error *error)
{
	(void)context;
	(void)name;
	return unlink(path) == 0
		       ? HISTREE_OK
		       : error_set(error, HISTREE_ERR_IO, "cannot remove '%s': %s", path, strerror(errno));
}

/* There need not be such a folder. */
static enum histree_status remove_folder(const char *folder, struct histree_error *error)
{
	if (access(folder, F_OK) != 0)
		return HISTREE_OK;
	enum histree_status status = each_file(folder, remove_file, NULL, error);
	if (status == HISTREE_OK && rmdir(folder) != 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot remove '%s': %s", folder, strerror(errno));
	return status;
}

static enum histree_status copy_to(const char *path, const char *folder, const char *name,
				   struct histree_error *error)
{
	char *out = NULL;
	if (asprintf(&out, "%s/%s", folder, name) < 0)
		return error_memory(error, "a path");
	enum histree_status status = io_copy(&io_posix, path, out, error);
	if (status == HISTREE_NOT_FOUND)
		status = error_set(error, HISTREE_ERR_IO, "'%s' was there, and is gone", path);
	free(out);
	return status;
}

static enum histree_status copy_file(void *context, const char *path, const char *name, struct histree_error *error)
{
	return strcmp(name, MANIFEST) == 0 ? HISTREE_OK : copy_to(path, context, name, error);
}

static enum histree_status copy_folder(char *from, char *to, const char *name, struct histree_error *error)
{
	char *manifest = NULL;
	enum histree_status status = asprintf(&manifest, "%s/" MANIFEST, from) < 0 ? error_memory(error, "a path")
										   : remove_folder(to, error);
	if (status == HISTREE_OK && mkdir(to, 0777) != 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot make '%s': %s", to, strerror(errno));
	if (status == HISTREE_OK)
		status = each_file(from, copy_file, to, error);
	if (status == HISTREE_OK)
		status = copy_to(manifest, to, MANIFEST, error);
	free(manifest);
	if (status == HISTREE_OK)
		status = remove_folder(name, error);
	if (status == HISTREE_OK && rename(to, name) != 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot rename '%s': %s", to, strerror(errno));
	return status == HISTREE_OK ? io_sync_folder_of(&io_posix, name, error) : status;
}

/* Makes all folders above a path. */
static enum histree_status make_above(const char *path, struct histree_error *error)
{
	char *copy = strdup(path);
	enum histree_status status = copy != NULL ? HISTREE_OK : error_memory(error, "a path");
	for (char *slash = copy; status == HISTREE_OK && (slash = strchr(slash + 1, '/')) != NULL;) {
		*slash = '\0';
		if (mkdir(copy, 0777) != 0 && errno != EEXIST)
			status = error_set(error, HISTREE_ERR_IO, "cannot make '%s': %s", copy, strerror(errno));
		*slash = '/';
	}
	free(copy);
	return status;
}

/* Makes LOCAL.building, which the owner of an experiment makes of its own. */
static enum histree_status host_copy_begin(const char *local, struct histree_error *error)
{
	char *path = NULL;
	enum histree_status status = asprintf(&path, "%s.building/hosts", local) < 0 ? error_memory(error, "a path")
										     : make_above(path, error);
	free(path);
	return status;
}

/* `folder` is that of the host in a store: "hosts/NAME". */
static enum histree_status host_copy(const char *local, const char *store, const char *folder,
				     struct histree_error *error)
{
	char *from = NULL, *to = NULL, *name = NULL, *kept = NULL;
	enum histree_status status = HISTREE_OK;
	if (asprintf(&from, "%s.building/%s", local, folder) < 0 ||
	    asprintf(&to, "%s.building/%s.building", store, folder) < 0 ||
	    asprintf(&name, "%s.building/%s", store, folder) < 0 || asprintf(&kept, "%s/%s", local, folder) < 0)
		status = error_memory(error, "a path");
	if (status == HISTREE_OK)
		status = make_above(to, error);
	if (status == HISTREE_OK)
		status = copy_folder(from, to, name, error);
	if (status == HISTREE_OK)
		status = make_above(kept, error);
	if (status == HISTREE_OK)
		status = remove_folder(kept, error);
	if (status == HISTREE_OK && rename(from, kept) != 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot rename '%s': %s", from, strerror(errno));
	free(from);
	free(to);
	free(name);
	free(kept);
	return status;
}

static enum histree_status add_size(void *context, const char *path, const char *name, struct histree_error *error)
{
	struct stat status;
	(void)name;
	(void)error;
	if (stat(path, &status) == 0)
		*(uint64_t *)context += (uint64_t)status.st_size;
	return HISTREE_OK;
}

/* Returns the bytes of all files of STORE.building/FOLDER; 0 if there are none. */
static uint64_t host_copy_size(const char *store, const char *folder)
{
	char *path = NULL;
	uint64_t size = 0;
	if (asprintf(&path, "%s.building/%s", store, folder) < 0)
		return 0;
	if (each_file(path, add_size, &size, NULL) != HISTREE_OK)
		size = 0;
	free(path);
	return size;
}

/* ---- host builder -------------------------------------------------------------------------------------------- */

static bool goes_on(void *context)
{
	struct host_builder *builder = context;
	pthread_mutex_lock(&builder->mutex);
	bool is_cancelled = builder->is_cancelled;
	pthread_mutex_unlock(&builder->mutex);
	return !is_cancelled;
}

static void note_progress(void *context, const struct histree_progress *progress)
{
	struct host_builder *builder = context;
	pthread_mutex_lock(&builder->mutex);
	builder->progress = *progress;
	pthread_mutex_unlock(&builder->mutex);
}

static const struct histree_experiment_host *host_of(const struct host_builder *builder)
{
	size_t count;
	return &histree_experiment_hosts(builder->experiment, &count)[builder->host];
}

/* A slow disk, for experiments: what is read and written takes its time, beside what is computed. */
static void hold_back(const struct host_builder *builder)
{
	const struct histree_experiment_host *host = host_of(builder);
	if (builder->throttle_disk == 0)
		return;
	uint64_t bytes = host->bytes +
			 host_copy_size(builder->local != NULL ? builder->local : builder->store, host->folder);
	link_hold_back(bytes, builder->throttle_disk, builder->begun_ns);
}

static void *builder_thread(void *context)
{
	struct host_builder *builder = context;
	const struct histree_work work = { goes_on, builder, note_progress };
	struct histree_error error = { 0 };
	enum histree_status status = builder->local == NULL ? HISTREE_OK : host_copy_begin(builder->local, &error);
	if (status == HISTREE_OK)
		status = histree_experiment_build_host(builder->experiment, builder->host, &work, &error);
	if (status >= HISTREE_OK) {
		hold_back(builder);
		struct histree_error late = { 0 };
		enum histree_status copied = builder->local == NULL ? HISTREE_OK
								    : host_copy(builder->local, builder->store,
										host_of(builder)->folder, &late);
		if (copied != HISTREE_OK) {
			status = copied;
			error = late;
		}
	}
	pthread_mutex_lock(&builder->mutex);
	builder->status = status;
	builder->error = error;
	builder->is_over = true;
	pthread_mutex_unlock(&builder->mutex);
	return NULL;
}

static void host_builder_init(struct host_builder *builder, struct histree_experiment *experiment,
			      const char *store, const char *local, uint64_t throttle_disk)
{
	*builder = (struct host_builder){
		.experiment = experiment, .store = store, .local = local, .throttle_disk = throttle_disk
	};
	pthread_mutex_init(&builder->mutex, NULL);
}

/* Returns false if there is no thread to be had. */
static bool host_builder_start(struct host_builder *builder, size_t host)
{
	builder->host = host;
	builder->begun_ns = monotonic_ns();
	builder->is_over = builder->is_cancelled = false;
	builder->progress = (struct histree_progress){ 0 };
	builder->is_busy = thread_create(&builder->thread, builder_thread, builder);
	return builder->is_busy;
}

/* Whether the host is done; then *status and *error say how, and the next one can be started. */
static bool host_builder_is_done(struct host_builder *builder, enum histree_status *status,
				 struct histree_error *error)
{
	if (!builder->is_busy)
		return false;
	pthread_mutex_lock(&builder->mutex);
	bool is_over = builder->is_over;
	pthread_mutex_unlock(&builder->mutex);
	if (!is_over)
		return false;
	pthread_join(builder->thread, NULL);
	builder->is_busy = false;
	*status = builder->status;
	*error = builder->error;
	return true;
}

static void host_builder_progress(struct host_builder *builder, struct histree_progress *progress)
{
	pthread_mutex_lock(&builder->mutex);
	*progress = builder->progress;
	pthread_mutex_unlock(&builder->mutex);
}

/* Lets the build end soon; host_builder_is_done() says when. */
static void host_builder_cancel(struct host_builder *builder)
{
	pthread_mutex_lock(&builder->mutex);
	builder->is_cancelled = true;
	pthread_mutex_unlock(&builder->mutex);
}

/* Cancels what is being built, and waits for it. */
static void host_builder_release(struct host_builder *builder)
{
	if (builder->is_busy) {
		host_builder_cancel(builder);
		pthread_join(builder->thread, NULL);
	}
	pthread_mutex_destroy(&builder->mutex);
}

/* ---- build follow -------------------------------------------------------------------------------------------- */

enum { BUILD_FOLLOW_LOOK_NS = 1000000, SAY_NS = 200000000 };

struct following {
	struct link *link;
	struct host_builder builder;
	struct byte_buffer message;
	int64_t said_ns;
	bool is_over;
};

static bool say_done(struct following *following, size_t host, enum histree_status status,
		     const struct histree_error *error)
{
	struct build_done done = { .host = host, .error = *error };
	done.error.status = status;
	byte_buffer_clear(&following->message);
	assert(done.error.status >= HISTREE_ERR_INTERNAL && done.error.status <= HISTREE_PARTIAL);
	byte_buffer_put_byte(&following->message, BUILD_DONE);
	byte_buffer_put_number(&following->message, done.host);
	byte_buffer_put_signed(&following->message, done.error.status);
	byte_buffer_put_string(&following->message, done.error.message);
	return link_send(following->link, 0, &following->message);
}

static bool say_progress(struct following *following)
{
	struct histree_progress progress;
	host_builder_progress(&following->builder, &progress);
	byte_buffer_clear(&following->message);
	byte_buffer_put_byte(&following->message, BUILD_PROGRESS);
	byte_buffer_put_number(&following->message, progress.rows);
	byte_buffer_put_number(&following->message, progress.bytes);
	following->said_ns = monotonic_ns();
	return link_send(following->link, 0, &following->message);
}

static bool build_follow_hear(struct following *following)
{
	int from;
	const struct histree_error no_thread = { .message = "there is no thread to build with" };
	if (!link_has_message(following->link, 0, &from))
		return true;
	if (!link_receive(following->link, 0, &following->message))
		return false;
	struct byte_reader reader = byte_reader(following->message.bytes, following->message.size);
	uint8_t kind = byte_reader_byte(&reader);
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
	if (!build_follow_hear(following))
		return false;
	if (host_builder_is_done(&following->builder, &status, &error)) {
		/* What is counted as done is what was said last. */
		return say_progress(following) && say_done(following, following->builder.host, status, &error);
	}
	if (following->builder.is_busy && monotonic_ns() - following->said_ns > SAY_NS)
		return say_progress(following);
	return true;
}

/* Opens the same experiment as rank 0, whose plan has come. */
static bool join(struct link *link, const struct build_request *request, const char *local,
		 struct histree_experiment **experiment, bool *is_cut)
{
	struct byte_buffer plan = { 0 };
	struct histree_error error = { 0 };
	struct histree_build_options wanted = request->wanted;
	wanted.threads = wanted.threads != 0 ? wanted.threads : launcher_threads();
	*experiment = NULL;
	bool is_there = link_receive(link, 0, &plan) && plan.size > 0;
	*is_cut = is_there && plan.bytes[0] == BUILD_CUT;
	if (!is_there || *is_cut || plan.bytes[0] == BUILD_END) {
		byte_buffer_release(&plan);
		return false;
	}
	struct byte_reader reader = byte_reader(plan.bytes, plan.size);
	if (local != NULL)
		wanted.store = local;
	enum histree_status status = histree_experiment_open(&wanted, false, experiment, &error);
	if (status == HISTREE_OK)
		status = build_plan_read(*experiment, &reader, &error);
	byte_buffer_release(&plan);
	return roll_call_agree(link, status == HISTREE_OK ? NULL : error.message);
}

void build_job_follow(struct link *link, const struct build_request *request,
		      const struct build_job_options *options, const struct roll_call *first, bool *is_cut_off,
		      bool *is_cut)
{
	const struct timespec moment = { .tv_nsec = BUILD_FOLLOW_LOOK_NS };
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
	byte_buffer_release(&following.message);
	histree_experiment_free(experiment);
}

/* ---- build lead ---------------------------------------------------------------------------------------------- */

enum { NO_RANK = -1, BUILD_LEAD_LOOK_NS = 1000000 };

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
	struct byte_buffer message = { 0 };
	if (leading->has_failed)
		return;
	leading->has_failed = true;
	leading->failure = *error;
	byte_buffer_put_byte(&message, BUILD_CANCEL);
	for (int rank = 1; rank < leading->link->count; rank++)
		if (leading->ranks[rank].is_busy)
			link_send(leading->link, rank, &message);
	host_builder_cancel(&leading->builder);
	byte_buffer_release(&message);
}

static bool give(struct leading *leading, int rank, size_t host)
{
	struct byte_buffer message = { 0 };
	assert(host < leading->count);
	if (rank == 0)
		return host_builder_start(&leading->builder, host);
	byte_buffer_put_byte(&message, BUILD_GIVE);
	byte_buffer_put_number(&message, host);
	bool sent = link_send(leading->link, rank, &message);
	byte_buffer_release(&message);
	return sent;
}

static void host_is_done(struct leading *leading, int rank, const struct build_done *done)
{
	struct worker_state *state = &leading->ranks[rank];
	assert(state->is_busy && state->host == done->host);
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

static bool build_lead_hear(struct leading *leading, int rank, struct byte_buffer *message)
{
	struct worker_state *state = &leading->ranks[rank];
	struct build_done done = { 0 };
	if (!link_receive(leading->link, rank, message))
		return false;
	struct byte_reader reader = byte_reader(message->bytes, message->size);
	uint8_t kind = byte_reader_byte(&reader);
	state->heard_ns = monotonic_ns();
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

static void hear_all(struct leading *leading, struct byte_buffer *message)
{
	int rank;
	struct histree_error error;
	while (link_has_message(leading->link, LINK_ANY, &rank)) {
		if (build_lead_hear(leading, rank, message) || leading->ranks[rank].is_lost)
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
	leading->ranks[0].events = progress.rows;
	leading->ranks[0].bytes = progress.bytes;
	if (!host_builder_is_done(&leading->builder, &status, &done.error))
		return;
	done.error.status = status;
	host_is_done(leading, 0, &done);
}

/* Where the launcher goes on without a rank that died, its host is built by another one. */
static void look_for_lost(struct leading *leading)
{
	int64_t now = monotonic_ns();
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

/* Returns false if a signal came. */
static bool build_all(struct leading *leading)
{
	const struct timespec moment = { .tv_nsec = BUILD_LEAD_LOOK_NS };
	struct byte_buffer message = { 0 };
	bool goes_on;
	do {
		/* The last first: rank 0 has other things to do as well. */
		for (int rank = leading->link->count - 1; rank >= 0 && has_host(leading); rank--) {
			struct worker_state *state = &leading->ranks[rank];
			if (state->is_busy || state->is_lost)
				continue;
			size_t host = leading->order[leading->next++];
			*state = (struct worker_state){ .is_busy = true, .host = host, .heard_ns = monotonic_ns() };
			if (!give(leading, rank, host)) {
				struct histree_error error;
				state->is_busy = false;
				error_set(&error, HISTREE_ERR_IO, "rank %d cannot be given a host", rank);
				fail(leading, &error);
			}
		}
		hear_all(leading, &message);
		hear_own(leading);
		look_for_lost(leading);
		struct histree_progress progress = { .rows = leading->events_done,
						     .bytes = leading->bytes_done,
						     .bytes_total = leading->bytes_total,
						     .elapsed_ns = monotonic_ns() - leading->begun_ns,
						     .hosts_done = leading->built,
						     .host_count = leading->count };
		for (int rank = 0; rank < leading->link->count; rank++) {
			const struct worker_state *state = &leading->ranks[rank];
			progress.rows += state->is_busy ? state->events : 0;
			progress.bytes += state->is_busy ? state->bytes : 0;
			if (state->is_busy)
				progress.host = leading->hosts[state->host].name;
		}
		progress_show(leading->options->progress, &progress);
		if (is_any_busy(leading))
			nanosleep(&moment, NULL);
		goes_on = progress_goes_on(NULL);
	} while (goes_on && (is_any_busy(leading) || has_host(leading)));
	byte_buffer_release(&message);
	return goes_on;
}

/* ---- from the beginning to the end ------------------------------------------------------------------------ */

/* Tells the others the plan (NULL: there will be no build), and hears whether they agree. */
static bool agree(struct link *link, const struct leading *leading)
{
	struct byte_buffer message = { 0 };
	if (leading == NULL) {
		link_tell_all(link, BUILD_END);
		return false;
	}
	build_plan_write(&message, leading->hosts, leading->count);
	link_send_all(link, &message);
	bool is_written = !message.failed;
	byte_buffer_release(&message);
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
		link_tell_all(leading->link, BUILD_END);
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
	leading.begun_ns = monotonic_ns();
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
	histree_experiment_free(leading.experiment);
	free(leading.order);
	free(leading.ranks);
	return code;
}
