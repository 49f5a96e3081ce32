/* SPDX-License-Identifier: MIT */
/*
 * host_rows.h - the rows of a model for all hosts of a dataset, those of each below a row of the host.
 *
 * Row 0 is the first host, then come its own rows, then the second host.  Where a dataset is of one host, that has
 * no row, and all rows are its own: whoever shows rows of either kind numbers them by this.
 */
#ifndef SERVER_MODEL_HOST_ROWS_H
#define SERVER_MODEL_HOST_ROWS_H

#include "server/catalogue/dataset.h"
#include "server/model/row_model.h"

struct host_view {
	const char *name;                /* NULL: there is but one */
	char *why;                       /* it cannot be read; NULL: it can */
	struct dataset *own;             /* borrowed; NULL: nothing of it can be read */
	void *view;                      /* of the model; NULL: the host has no such rows */
	uint32_t first;                  /* the row of the host, or where there is none its first row */
	uint32_t count;                  /* of its own rows */
	histree_time start, end;         /* when it was traced; of one that cannot be read, those of all */
	struct histree_history *history; /* of the whole dataset, in which its folder is; NULL: it has none */
	histree_quark folder;
	/* Of its histories, and where they stand in those of the whole. */
	const struct histree_history *own_histories[DATASET_HISTORIES_MAX];
	struct dataset_place places[DATASET_HISTORIES_MAX];
	size_t place_count;
};

struct host_rows {
	const struct row_model *model; /* of each host */
	const char *name;              /* of the dataset */
	histree_time start, end;       /* of the history of the model, or of the store */
	struct host_view *hosts;
	size_t host_count;
	uint32_t count; /* of all rows */
	bool has_hosts; /* rows of hosts */
	/* Of all hosts, for the packets between them, one question at a time; NULL: there is none, or one host. */
	struct histree_history *graph;
	struct histree_critical_path *paths; /* NULL: nobody has asked yet */
	pthread_mutex_t paths_lock;
};

void host_rows_free(void *rows);

/*
 * Finds the host of a row and which of its own rows it is, HISTREE_NO_INDEX if it is the host's; returns NULL if
 * there is no such row.
 */
const struct host_view *host_rows_find(const struct host_rows *rows, uint32_t row, uint32_t *own);

/* Returns which row of all it is. */
static inline uint32_t host_row(const struct host_rows *rows, const struct host_view *host, uint32_t own)
{
	return host->first + rows->has_hosts + own;
}

/* Returns where a history of the host stands in that of the whole dataset. */
struct dataset_place host_view_place(const struct host_view *host, struct histree_history *history);

/* Gives the arrows of one host after the other, where its model has any, as struct row_model does. */
bool host_rows_arrows(const void *rows, size_t index, struct arrow_source *out);

/* These are for struct output and struct row_model, where they are documented: a struct host_rows of each model. */
enum histree_status host_threads_make(struct dataset *dataset, void **view, struct histree_error *error);
enum histree_status host_resources_make(struct dataset *dataset, void **view, struct histree_error *error);
enum histree_status host_calls_make(struct dataset *dataset, void **view, struct histree_error *error);

#endif
