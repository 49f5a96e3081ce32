/* SPDX-License-Identifier: MIT */
/*
 * dataset.h - the open parts of a store, and the paths that the server may open.
 *
 * Allowed *paths* are those of the command line and those below its folders.
 *
 * A path is compared after all links in it are resolved, so that no link leads outside.  A store names the traces
 * that it was built from; it may come from anywhere, so the same rule applies to these.
 *
 * A *dataset* is the data of a trace or an experiment: one store, open or being prepared, or the reason why there
 * is none.
 *
 * A dataset is held by its users: the catalogue that names it, the builder while it builds, each answer that
 * is under way.  The last one to let go closes the store.  Status and progress may be read at any time; histories
 * only once it is ready, and they stay until it is closed.
 */
#ifndef SERVER_CATALOGUE_DATASET_H
#define SERVER_CATALOGUE_DATASET_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "histree/build.h"
#include "histree/events.h"
#include "histree/status.h"
#include "histree/store.h"

/* A zeroed one allows nothing. */
struct allowed_paths {
	char **paths; /* resolved */
	size_t count, capacity;
};

enum histree_status allowed_paths_add(struct allowed_paths *allowed, const char *path, struct histree_error *error);
bool allowed_paths_contain(const struct allowed_paths *allowed, const char *resolved);
void allowed_paths_release(struct allowed_paths *allowed);

enum path_kind {
	PATH_NOTHING, /* nothing is there */
	PATH_FILE,    /* that is no trace */
	PATH_FOLDER,  /* neither of: */
	PATH_STORE,   /* it may be damaged */
	PATH_TRACE,   /* a trace, or a folder with one below it */
};

/* Returns what is at a path; searches a few levels of folders, and a bounded number of them. */
enum path_kind path_kind_of(const char *path);

/* Returns the last component of a path that does not end in a slash. */
const char *path_name(const char *path);

enum dataset_status {
	DATASET_RUNNING, /* waits for its turn, or is being built */
	DATASET_READY,
	DATASET_FAILED,
	DATASET_CANCELLED,
};

enum { DATASET_VIEWS_MAX = 32 };

struct dataset;
struct allowed_paths;

/* Makes of the histories what answers need, which does not change after that. */
typedef enum histree_status dataset_view_make(struct dataset *dataset, void **view, struct histree_error *error);

/* A kind of view: of which datasets there is one, and how it is made. */
struct view_kind {
	bool (*applies)(const struct dataset *dataset);
	dataset_view_make *make;
	void (*free)(void *view);
};

struct dataset_view {
	const struct view_kind *kind; /* NULL: a free slot */
	void *view;                   /* NULL: not made yet */
	bool is_being_made;
};

/*
 * One of the hosts of a dataset of several, as a dataset of its own, for views that show one host.  Its histories
 * are those from which the unions were made, and its attributes follow the folder of the host in these; its store
 * is opened for everything else.
 */
struct dataset_host {
	const char *name;
	const char *why;     /* nothing of it can be read: the sentence; NULL: it can */
	struct dataset *own; /* the same of this host alone, ready; NULL if nothing of it can be read */
};

struct dataset {
	atomic_int holders;
	atomic_int status;
	atomic_bool cancelled;
	_Atomic uint64_t events, bytes_done, bytes_total; /* of a build */
	_Atomic int64_t elapsed_ns;

	char **traces; /* absolute paths, as given; empty: a store that was named */
	size_t trace_count;
	char **definitions; /* files whose analyses the store shall have too, where they apply */
	size_t definition_count;
	char *store_path;
	const struct allowed_paths *readable; /* where traces that a store names may be; NULL: anywhere */

	struct histree_error error; /* why it failed; written before the status says so */

	/* Once ready.  What has no attributes, and no segments, is left out: there is nothing to be seen of it. */
	struct histree_store *store;
	struct histree_history **histories;
	const char **analyses; /* of the histories */
	size_t history_count;
	/* That whose call stacks are shown, and that if spans are not wanted (view.h); NULL: there is none. */
	struct histree_history *stacks, *calls;
	const char **segments; /* analyses */
	size_t segments_count;
	struct dataset_host *hosts; /* borrowed names; NULL: it is of one host */
	size_t host_count;
	struct dataset *whole; /* of which this is a host, and whose histories it borrows; NULL: it is whole */
	struct histree_events *trace_events; /* NULL: the store has no index of events that can be read */
	bool may_read_traces;                /* those that the store names are allowed, or are our own */

	pthread_mutex_t views_lock; /* guards what follows */
	pthread_cond_t view_made;
	struct dataset_view views[DATASET_VIEWS_MAX];
};

/*
 * Makes a dataset of traces that shall be built as `store_path`, or, without traces, of the store there.
 * `readable` is borrowed.
 */
enum histree_status dataset_create(const char *const *traces, size_t trace_count, const char *store_path,
				   const struct allowed_paths *readable, struct dataset **out,
				   struct histree_error *error);

/* Has the store get the analyses that files define; before it is prepared.  Returns false if memory runs out. */
bool dataset_define(struct dataset *dataset, const char *const *definitions, size_t count);
struct dataset *dataset_hold(struct dataset *dataset);
void dataset_release(struct dataset *dataset);

/*
 * Opens the store, after building it if these traces have none, and sets the status.  This may take long.
 */
void dataset_prepare(struct dataset *dataset);
enum dataset_status dataset_status(const struct dataset *dataset);

/* Makes a build stop soon. */
void dataset_cancel(struct dataset *dataset);

/* Returns false once no client needs what is being made for the dataset. */
bool dataset_is_wanted(const struct dataset *dataset);

/* Returns when what is shown begins, from which the page counts times: for a host, with the earliest of all. */
histree_time dataset_start(const struct dataset *dataset);

/* Returns the history of an analysis, NULL if the store has none.  The dataset is ready. */
struct histree_history *dataset_history(const struct dataset *dataset, const char *analysis);

/* Returns whether an analysis made segments of the store; there may be none. */
bool dataset_has_segments(const struct dataset *dataset, const char *analysis);

/*
 * Gives the view of a kind, the same one to all callers; it lives as long as the dataset.  The first caller makes
 * it, others wait.  A failure is not kept: the next one tries again.
 */
enum histree_status dataset_view(struct dataset *dataset, const struct view_kind *kind, void **out,
				 struct histree_error *error);

/*
 * Returns whether the view was neither made yet nor found impossible to make, so that dataset_view() takes its
 * time.
 */
bool dataset_view_is_pending(struct dataset *dataset, const struct view_kind *kind);

/* ---- hosts (dataset.h) ------------------------------------------------------------------------------- */

/* Where the attributes of a history stand in that of the whole dataset: quark 0 is `first` there. */
struct dataset_place {
	struct histree_history *history;
	histree_quark first;
};

/* The history is one of the dataset's; of a dataset that is whole, it stands where it is. */
struct dataset_place dataset_place_of(const struct dataset *dataset, struct histree_history *history);

/*
 * Returns the folder of a host in a history of the whole dataset, HISTREE_ROOT if it has none there, and why the
 * host cannot be read in it, or NULL.
 */
histree_quark dataset_host_folder(const struct dataset *dataset, size_t host, const struct histree_history *history,
				  const char **why);

#endif
