/* SPDX-License-Identifier: MIT */
/*
 * catalogue.h - the traces and experiments that clients know, by UUID; and what all endpoints share: these, the
 * bookmarks and the source of the page.
 *
 * Both are names for datasets: a trace for the store of one path, an experiment for that of one or several traces.
 * A path from a client is resolved, and must be a path of the command line or below one of its folders.
 *
 * Threads: any; the catalogue has a lock, under which entries are visited.
 *
 * It begins with the stores of the command line; clients open and close others.
 *
 * For users who look for a trace to open, it lists the traces and stores below the folders of the command line.
 */
#ifndef SERVER_CATALOGUE_CATALOGUE_H
#define SERVER_CATALOGUE_CATALOGUE_H

#include "server/catalogue/bookmarks.h"
#include "server/catalogue/dataset.h"

struct served_trace {
	const char *path;
	const char *name; /* the path from the folder above the one that is served */
	bool is_store;
};

typedef void served_traces_visit(void *context, const struct served_trace *trace);

struct builder;

/* More than a user could want; each is a few hundred bytes. */
enum { CATALOGUE_ENTRIES_MAX = 4096, CATALOGUE_TRACES_MAX = 256, CONFIGURATIONS_MAX = 64 };

struct catalogue_entry {
	char uuid[UUID_TEXT_SIZE];
	char *name;
	char *path;         /* of a trace, as the client knows it */
	char **trace_uuids; /* of an experiment */
	size_t trace_uuid_count;
	struct dataset *dataset;
};

/* A file that defines analyses, which a client gave: what is made of traces has them, too. */
struct configuration {
	const char *type, *id; /* of that type; NULL when it is added: the name of the file */
	const char *name, *description, *path;
	char *memory; /* of these texts; of one that is asked for NULL */
};

enum catalogue_kind { CATALOGUE_TRACES, CATALOGUE_EXPERIMENTS, CATALOGUE_KIND_COUNT };

enum catalogue_result {
	CATALOGUE_OK,
	CATALOGUE_CLASH,     /* the name is taken by something else, which is *found */
	CATALOGUE_NO_PATH,   /* nothing is there */
	CATALOGUE_FORBIDDEN, /* it lies elsewhere */
	CATALOGUE_NO_TRACE,  /* what is there is no trace and no store */
	CATALOGUE_UNKNOWN,   /* an experiment of a trace that is not known */
	CATALOGUE_IN_USE,    /* a trace of an experiment */
	CATALOGUE_FAILED,    /* see the error */
};

struct catalogue;

struct catalogue_options {
	const char *const *paths; /* stores, and folders below which traces may be opened */
	size_t path_count;
	const char *stores;                    /* the folder where stores are made */
	bool trusts_stores;                    /* traces that a store names are read wherever they are */
	void (*warm)(struct dataset *dataset); /* see catalogue.h */
};

/* Opens the stores that are named, each as a trace and an experiment; fails if one cannot be opened. */
enum histree_status catalogue_create(const struct catalogue_options *options, struct catalogue **out,
				     struct histree_error *error);

/* Cancels what is being built, and frees the catalogue.  NULL is allowed. */
void catalogue_free(struct catalogue *catalogue);

/* `visit` is called with each entry that is wanted, under the lock. */
typedef void catalogue_visit(void *context, const struct catalogue *catalogue, const struct catalogue_entry *entry);

void catalogue_each(struct catalogue *catalogue, enum catalogue_kind kind, catalogue_visit *visit, void *context);

/* Visits one entry; returns false if it is missing. */
bool catalogue_find(struct catalogue *catalogue, enum catalogue_kind kind, const char *uuid, catalogue_visit *visit,
		    void *context);

/* Returns an entry for a visitor, which has the lock already; NULL if it is missing. */
const struct catalogue_entry *catalogue_locked(const struct catalogue *catalogue, enum catalogue_kind kind,
					       const char *uuid);

/* Returns the dataset of an experiment, held for the caller; NULL if there is no such experiment. */
struct dataset *catalogue_dataset(struct catalogue *catalogue, const char *uuid);

/* Visits what clients may open, opened or not (catalogue.h). */
bool catalogue_each_served(const struct catalogue *catalogue, served_traces_visit *visit, void *context);

/* Adds what is not there yet; `visit` sees the entry, or the one that has its name. */
enum catalogue_result catalogue_add_trace(struct catalogue *catalogue, const char *name, const char *path,
					  catalogue_visit *visit, void *context, struct histree_error *error);
enum catalogue_result catalogue_add_experiment(struct catalogue *catalogue, const char *name,
					       const char *const *uuids, size_t count, catalogue_visit *visit,
					       void *context, struct histree_error *error);

/*
 * Forgets an entry, after `visit` has seen it.  Files are left alone, and a build that no other user wants is
 * cancelled.  Returns CATALOGUE_UNKNOWN if there is no such entry.
 */
enum catalogue_result catalogue_remove(struct catalogue *catalogue, enum catalogue_kind kind, const char *uuid,
				       catalogue_visit *visit, void *context);

/* `visit` is called under the lock. */
typedef void configuration_visit(void *context, const struct configuration *configuration);

/* Visits those of a type, or the one of them that has an id; returns whether there is any. */
bool catalogue_configurations(struct catalogue *catalogue, const char *type, const char *id,
			      configuration_visit *visit, void *context);

/*
 * Adds a configuration, or replaces the one that has its id, and has what was made of traces get the analyses that
 * it lacks.  The texts are copied.  Stores that the command line names stay as they are.
 */
enum catalogue_result catalogue_configure(struct catalogue *catalogue, const struct configuration *wanted,
					  configuration_visit *visit, void *context, struct histree_error *error);

/* Forgets a configuration, after `visit` has seen it; what it made stays.  Returns false if there is none. */
bool catalogue_forget_configuration(struct catalogue *catalogue, const char *type, const char *id,
				    configuration_visit *visit, void *context);

struct catalogue_entries {
	struct catalogue_entry **entries;
	size_t count, capacity;
};

struct catalogue {
	struct builder *builder;
	struct allowed_paths allowed;
	bool trusts_stores;   /* also the traces that stores name are allowed, wherever they are */
	char *stores;         /* resolved */
	pthread_mutex_t lock; /* guards what follows */
	struct catalogue_entries kinds[CATALOGUE_KIND_COUNT];
	struct configuration *configurations;
	size_t configuration_count, configuration_capacity;
};

struct service {
	struct catalogue *catalogue;
	struct bookmarks *bookmarks;
	const char *web_root; /* NULL: the page is served from the program */
};

#endif
