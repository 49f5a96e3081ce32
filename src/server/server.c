// SPDX-License-Identifier: MIT
#include "server/server.h"

#include <malloc.h>
#include <stdlib.h>

#include "base/error.h"
#include "server/catalogue/service.h"
#include "server/model/host_rows.h"
#include "server/model/kernel_rows.h"
#include "server/routes.h"

struct server {
	struct service service;
	struct router router;
	struct http *http;
	struct histree_error warning;
};

/* What fails here fails again, and is reported, when a client asks. */
static void warm(struct dataset *dataset)
{
	void *view;
	if (kernel_view_applies(dataset))
		dataset_view(dataset, host_threads_make, host_rows_free, &view, NULL);
}

/*
 * Answers take and give up large buffers, each on a thread of its own.  glibc would keep what is given up for the
 * thread that had it; from few arenas, with large buffers outside of them, it goes back.
 */
static void keep_little(void)
{
	mallopt(M_ARENA_MAX, 2);
	mallopt(M_MMAP_THRESHOLD, 512 << 10); /* a fixed one: else it grows with what was freed */
	mallopt(M_TRIM_THRESHOLD, 2 << 20);
}

enum histree_status server_start(const struct server_options *options, struct server **out,
				 struct histree_error *error)
{
	*out = NULL;
	struct server *server = calloc(1, sizeof(*server));
	if (server == NULL)
		return error_memory(error, "a server");
	keep_little();
	server->service.web_root = options->web_root;
	server->router = (struct router){ routes, &server->service };
	struct catalogue_options catalogue = {
		.paths = options->paths,
		.path_count = options->path_count,
		.stores = options->stores != NULL ? options->stores : ".",
		.trusts_stores = options->trusts_stores,
		.warm = warm,
	};
	enum histree_status status = catalogue_create(&catalogue, &server->service.catalogue, error);
	if (status == HISTREE_OK)
		status = bookmarks_create(&io_posix, catalogue.stores, &server->service.bookmarks, error);
	if (status == HISTREE_OK)
		bookmarks_check(server->service.bookmarks, &server->warning);
	struct http_options http = {
		.bind = options->bind != NULL ? options->bind : "127.0.0.1",
		.port = options->port,
		.allowed_origin = options->allowed_origin,
		.limits = HTTP_LIMITS,
		.handle = router_handle,
		.context = &server->router,
	};
	if (options->memory != 0)
		http.limits.memory = options->memory;
	if (status == HISTREE_OK)
		status = http_start(&http, &server->http, error);
	if (status != HISTREE_OK) {
		server_stop(server);
		return status;
	}
	*out = server;
	return HISTREE_OK;
}

uint16_t server_port(const struct server *server)
{
	return http_port(server->http);
}

const char *server_warning(const struct server *server)
{
	return server->warning.status != HISTREE_OK ? server->warning.message : NULL;
}

void server_stop(struct server *server)
{
	if (server == NULL)
		return;
	http_stop(server->http);
	catalogue_free(server->service.catalogue);
	bookmarks_free(server->service.bookmarks);
	free(server);
}
