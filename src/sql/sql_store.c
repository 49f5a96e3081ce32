// SPDX-License-Identifier: MIT
/*
 * sql_store.c - connections, their stores, and the histories and segments of these, opened once for all tables.
 */
#include "sql/sql_store.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/table.h"

/* The library's default for a node cache.  Paths take a share of that. */
static const size_t cache_default = (size_t)128 << 20;
enum { PATHS_SHARE = 8 };

struct sql_connection {
	size_t shares;
	size_t cache_bytes;
	uint64_t rows;            /* handed out */
	struct sql_store *stores; /* a list, the one that was opened last comes first */
	char *warnings;           /* lines; NULL: none */
	struct histree_work work;
	sql_store_opener *opener; /* NULL: histree_store_open() */
	void *opener_context;
};

struct sql_store {
	struct sql_connection *connection;
	struct sql_store *next;
	size_t shares;
	char *path;
	struct histree_store *store;
	const struct histree_store_info *info;
	/* A file that is a history without a store is shown as a store of its own. */
	struct histree_store_info alone;
	struct histree_store_history alone_history;
	struct histree_history **histories;      /* one for each of the manifest; NULL: not opened */
	struct sql_paths **paths;                /* of each history; NULL: not asked for */
	struct histree_segment_store **segments; /* as histories */
	struct histree_events *events;
};

/* ---- connections -------------------------------------------------------------------------------------- */

struct sql_connection *sql_connection_create(void)
{
	struct sql_connection *connection = calloc(1, sizeof(*connection));
	if (connection != NULL)
		connection->shares = 1;
	return connection;
}

struct sql_connection *sql_connection_share(struct sql_connection *connection)
{
	assert(connection->shares > 0);
	connection->shares++;
	return connection;
}

void sql_connection_leave(void *shared)
{
	struct sql_connection *connection = shared;
	assert(connection->shares > 0);
	if (--connection->shares > 0)
		return;
	assert(connection->stores == NULL);
	sqlite3_free(connection->warnings);
	free(connection);
}

void sql_connection_set_opener(struct sql_connection *connection, sql_store_opener *opener, void *context)
{
	connection->opener = opener;
	connection->opener_context = context;
}

void sql_connection_set_cache(struct sql_connection *connection, size_t bytes)
{
	connection->cache_bytes = bytes;
}

const struct sql_store *sql_connection_first(const struct sql_connection *connection)
{
	const struct sql_store *first = connection->stores;
	while (first != NULL && first->next != NULL)
		first = first->next;
	return first;
}

uint64_t sql_connection_rows(const struct sql_connection *connection)
{
	return connection->rows;
}

uint64_t *sql_connection_row_counter(struct sql_connection *connection)
{
	return &connection->rows;
}

void sql_connection_warn(struct sql_connection *connection, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *line = sqlite3_vmprintf(format, arguments);
	va_end(arguments);
	if (line == NULL)
		return;
	if (connection->warnings == NULL) {
		connection->warnings = sqlite3_mprintf("%s", line);
	} else if (strstr(connection->warnings, line) == NULL) {
		char *both = sqlite3_mprintf("%s\n%s", connection->warnings, line);
		if (both != NULL) {
			sqlite3_free(connection->warnings);
			connection->warnings = both;
		}
	}
	sqlite3_free(line);
}

void sql_connection_warn_of_time(struct sql_connection *connection, histree_time start, histree_time end)
{
	sql_connection_warn(
		connection,
		"a time is outside of the history, which goes from %lld to %lld, or a range ends before "
		"it starts: it has no states",
		(long long)start, (long long)end);
}

void sql_connection_warn_of_history(struct sql_connection *connection, const char *path,
				    const struct histree_history *history)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	for (size_t i = 0; i < count; i++)
		if (hosts[i].history == NULL && hosts[i].why != NULL)
			sql_connection_warn(connection, "incomplete: host '%s' is missing: %s", hosts[i].name,
					    hosts[i].why);
	sql_connection_warn(
		connection,
		"a history in \"%s\" is damaged, and what is lost is of type unknown; 'histree verify' says "
		"what that is, and 'histree copy --repair' makes a sound store of the rest",
		path);
}

void sql_connection_warn_of_segments(struct sql_connection *connection, const char *path)
{
	sql_connection_warn(connection,
			    "a segment store in \"%s\" is damaged, and segments are missing; 'histree verify' says "
			    "how many, and 'histree copy --repair' makes a sound store of the rest",
			    path);
}

void sql_connection_warn_of_loss(struct sql_connection *connection, const char *path,
				 const struct histree_segment_store *store, struct histree_loss loss)
{
	size_t count;
	const struct histree_segment_part *parts = histree_segment_store_parts(store, &count);
	if (loss.part < count && parts[loss.part].store == NULL)
		sql_connection_warn(connection, "the segments of host '%s' are missing: %s", parts[loss.part].name,
				    parts[loss.part].why);
	else
		sql_connection_warn_of_segments(connection, path);
}

void sql_connection_set_cancel(struct sql_connection *connection, struct histree_work work)
{
	connection->work = work;
}

struct histree_work sql_connection_cancel(const struct sql_connection *connection)
{
	return connection->work;
}

char *sql_connection_take_warnings(struct sql_connection *connection)
{
	char *warnings = connection->warnings;
	connection->warnings = NULL;
	return warnings;
}

/* ---- paths ---------------------------------------------------------------------------------------------- */

/* Beside its bytes, what a piece of memory takes about. */
enum { OVERHEAD = 32, SHORT = 512 };

struct kept_path {
	size_t size;
	char text[];
};

struct sql_paths {
	const struct histree_attributes *attributes;
	size_t count, bytes_left;
	struct kept_path *paths[]; /* by quark; NULL: not made yet */
};

static struct sql_paths *paths_create(const struct histree_attributes *attributes, size_t bytes)
{
	size_t count = histree_attributes_count(attributes), size = count * sizeof(struct kept_path *);
	/* Where not even the table has room, nothing is kept. */
	bool has_room = size <= bytes / 2;
	struct sql_paths *paths = calloc(1, sizeof(*paths) + (has_room ? size : 0));
	if (paths == NULL)
		return NULL;
	paths->attributes = attributes;
	paths->count = has_room ? count : 0;
	paths->bytes_left = has_room ? bytes - size : 0;
	return paths;
}

static struct kept_path *make_path(struct sql_paths *paths, histree_quark quark)
{
	assert(quark < paths->count && paths->paths[quark] == NULL);
	char text[SHORT];
	size_t size = histree_attributes_path(paths->attributes, quark, text, sizeof(text));
	size_t bytes = sizeof(struct kept_path) + size + 1;
	if (bytes + OVERHEAD > paths->bytes_left)
		return NULL;
	struct kept_path *path = malloc(bytes);
	if (path == NULL)
		return NULL;
	path->size = size;
	if (size < sizeof(text))
		memcpy(path->text, text, size + 1);
	else
		histree_attributes_path(paths->attributes, quark, path->text, size + 1);
	paths->bytes_left -= bytes + OVERHEAD;
	paths->paths[quark] = path;
	return path;
}

const char *sql_paths_get(struct sql_paths *paths, histree_quark quark, size_t *size)
{
	if (quark >= paths->count)
		return NULL;
	struct kept_path *path = paths->paths[quark];
	if (path == NULL && (path = make_path(paths, quark)) == NULL)
		return NULL;
	assert(path->text[path->size] == '\0');
	*size = path->size;
	return path->text;
}

/* ---- stores ------------------------------------------------------------------------------------------- */

static void close_store(struct sql_store *store)
{
	for (size_t i = 0; store->paths != NULL && i < store->info->history_count; i++) {
		struct sql_paths *paths = store->paths[i];
		for (size_t j = 0; paths != NULL && j < paths->count; j++)
			free(paths->paths[j]);
		free(paths);
	}
	for (size_t i = 0; store->histories != NULL && i < store->info->history_count; i++)
		histree_history_close(store->histories[i]);
	for (size_t i = 0; store->segments != NULL && i < store->info->segments_count; i++)
		histree_segment_store_close(store->segments[i]);
	histree_events_close(store->events);
	histree_store_close(store->store);
	free(store->histories);
	free((void *)store->paths);
	free(store->segments);
	free(store->path);
	free(store);
}

/* Opens a history that is in no store. */
static enum histree_status open_alone(struct sql_store *store, struct histree_error *error)
{
	const struct histree_open_options options = { .cache_bytes = store->connection->cache_bytes };
	enum histree_status status = histree_history_open(store->path, &options, &store->histories[0], error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_history_info *info = histree_history_info(store->histories[0]);
	store->alone_history = (struct histree_store_history){ .analysis = info->provider,
							       .analysis_version = info->provider_version,
							       .file = store->path,
							       .identity = info->identity };
	store->alone.complete = info->complete;
	store->alone.start = info->start;
	store->alone.end = info->end;
	return HISTREE_OK;
}

static enum histree_status open_store(struct sql_store *store, const char *path, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	struct stat facts;
	bool is_alone = stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
	store->path = strdup(path);
	if (store->path == NULL)
		return error_memory(error, "a store");
	store->alone = (struct histree_store_info){
		.path = store->path, .made_by = "", .histories = &store->alone_history, .history_count = 1
	};
	const struct sql_connection *connection = store->connection;
	if (!is_alone && connection->opener != NULL)
		status = connection->opener(connection->opener_context, path, &store->store, error);
	else if (!is_alone)
		status = histree_store_open(path, &store->store, error);
	if (status != HISTREE_OK)
		return status;
	store->info = is_alone ? &store->alone : histree_store_info(store->store);
	store->histories = calloc(store->info->history_count + 1, sizeof(struct histree_history *));
	store->segments = calloc(store->info->segments_count + 1, sizeof(struct histree_segment_store *));
	store->paths = calloc(store->info->history_count + 1, sizeof(struct sql_paths *));
	if (store->histories == NULL || store->segments == NULL || store->paths == NULL)
		return error_memory(error, "a store");
	return is_alone ? open_alone(store, error) : HISTREE_OK;
}

enum histree_status sql_store_share(struct sql_connection *connection, const char *path, struct sql_store **out,
				    struct histree_error *error)
{
	for (struct sql_store *each = connection->stores; each != NULL; each = each->next)
		if (strcmp(each->path, path) == 0) {
			each->shares++;
			*out = each;
			return HISTREE_OK;
		}
	struct sql_store *store = calloc(1, sizeof(*store));
	if (store == NULL)
		return error_memory(error, "a store");
	store->connection = connection;
	enum histree_status status = open_store(store, path, error);
	if (status != HISTREE_OK) {
		close_store(store);
		return status;
	}
	store->shares = 1;
	sql_connection_share(connection);
	store->next = connection->stores;
	connection->stores = store;
	*out = store;
	return HISTREE_OK;
}

void sql_store_leave(struct sql_store *store)
{
	assert(store == NULL || store->shares > 0);
	if (store == NULL || --store->shares > 0)
		return;
	struct sql_connection *connection = store->connection;
	struct sql_store **link = &connection->stores;
	while (*link != store) {
		assert(*link != NULL);
		link = &(*link)->next;
	}
	*link = store->next;
	close_store(store);
	sql_connection_leave(connection);
}

struct sql_connection *sql_store_connection(const struct sql_store *store)
{
	return store->connection;
}

const struct histree_store_info *sql_store_info(const struct sql_store *store)
{
	return store->info;
}

/* ---- what is in them ---------------------------------------------------------------------------------- */

/*
 * The cache of one history or segment store: half of what a store has for the history that is asked most, the other
 * half for all others together.  0: no limit is set, and each has what the library takes.
 */
static size_t cache_of(const struct sql_store *store, bool is_default)
{
	size_t bytes = store->connection->cache_bytes,
	       others = store->info->history_count + store->info->segments_count;
	if (bytes == 0 || others <= 1)
		return bytes;
	size_t share = is_default ? bytes / 2 : bytes / 2 / (others - 1);
	assert(share <= bytes / 2);
	return share > 0 ? share : 1;
}

/* The default is that of histree_store_history(). */
static size_t history_index(const struct histree_store_info *info, const char *analysis)
{
	const char *name = analysis[0] != '\0' ? analysis : "kernel";
	for (size_t i = 0; i < info->history_count; i++)
		if (strcmp(info->histories[i].analysis, name) == 0)
			return i;
	return analysis[0] != '\0' ? info->history_count : 0;
}

enum histree_status sql_store_history(struct sql_store *store, const char *analysis, struct histree_history **out,
				      struct histree_error *error)
{
	size_t index = history_index(store->info, analysis);
	const char *name = index < store->info->history_count ? store->info->histories[index].analysis : analysis;
	const struct histree_open_options options = { .cache_bytes = cache_of(
							      store, index == history_index(store->info, "")) };
	if (index < store->info->history_count && store->histories[index] != NULL) {
		*out = store->histories[index];
		return HISTREE_OK;
	}
	enum histree_status status =
		histree_store_history(store->store, name[0] != '\0' ? name : NULL, true, &options, out, error);
	if (status == HISTREE_OK)
		store->histories[index] = *out;
	return status;
}

struct sql_paths *sql_store_paths(struct sql_store *store, const struct histree_history *history)
{
	size_t i = 0;
	while (store->histories[i] != history) {
		assert(i < store->info->history_count);
		i++;
	}
	size_t limit = cache_of(store, i == history_index(store->info, "")),
	       cache = limit > 0 ? limit : cache_default;
	if (store->paths[i] == NULL)
		store->paths[i] = paths_create(histree_history_attributes(history), cache / PATHS_SHARE);
	return store->paths[i];
}

enum histree_status sql_store_segments(struct sql_store *store, const char *analysis,
				       struct histree_segment_store **out, struct histree_error *error)
{
	/* The user of a statement does not expect files to be made. */
	const struct histree_segment_open_options options = { .cache_bytes = cache_of(store, false),
							      .tables = HISTREE_TABLES_AS_THEY_ARE };
	size_t index = 0;
	while (index < store->info->segments_count && strcmp(store->info->segments[index].analysis, analysis) != 0)
		index++;
	if (index < store->info->segments_count && store->segments[index] != NULL) {
		*out = store->segments[index];
		return HISTREE_OK;
	}
	enum histree_status status = histree_store_segments(store->store, analysis, true, &options, out, error);
	if (status == HISTREE_OK)
		store->segments[index] = *out;
	return status;
}

enum histree_status sql_store_events(struct sql_store *store, struct histree_events **out,
				     struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (store->store == NULL)
		return error_set(error, HISTREE_NOT_FOUND, "\"%s\" is one history, without an index of events",
				 store->path);
	if (store->events == NULL)
		status = histree_events_open(store->store, &store->events, error);
	*out = store->events;
	return status;
}
