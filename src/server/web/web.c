// SPDX-License-Identifier: MIT
/*
 * web.c - serves the files of the page, from the program itself or from a folder that is being worked on.
 */
#include "server/web/web.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/catalogue/catalogue.h"

enum { WEB_FILE_MAX = 4 * 1024 * 1024 };

static const char *content_type(const char *name)
{
	static const char *const types[][2] = {
		{ ".html", "text/html; charset=utf-8" },
		{ ".css", "text/css; charset=utf-8" },
		{ ".js", "text/javascript; charset=utf-8" },
		{ ".svg", "image/svg+xml" },
	};
	const char *suffix = strrchr(name, '.');
	for (size_t i = 0; suffix != NULL && i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(suffix, types[i][0]) == 0)
			return types[i][1];
	return NULL;
}

/* `name` is one plain file name: it has a known suffix, and no slash. */
static void serve_from_folder(struct reply *reply, const char *folder, const char *name)
{
	char path[PATH_MAX];
	int length = snprintf(path, sizeof(path), "%s/%s", folder, name);
	int file = length < (int)sizeof(path) ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	if (file < 0) {
		reply_error(reply, HTTP_NOT_FOUND, "there is no '%s'", name);
		return;
	}
	struct stat facts;
	uint8_t *room = NULL;
	if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size <= WEB_FILE_MAX)
		room = byte_buffer_room(&reply->body, (size_t)facts.st_size);
	ssize_t size = room != NULL ? read(file, room, (size_t)facts.st_size) : -1;
	if (size < 0)
		reply_error(reply, HTTP_SERVER_ERROR, "the file cannot be read");
	else
		reply->body.size = (size_t)size;
	close(file);
}

static void serve_from_program(struct reply *reply, const char *name)
{
	for (const struct web_file *file = web_files; file->name != NULL; file++) {
		if (strcmp(file->name, name) == 0) {
			reply->fixed = file->bytes;
			reply->fixed_size = file->size;
			return;
		}
	}
	reply_error(reply, HTTP_NOT_FOUND, "there is no '%s'", name);
}

void web_file(struct call *call)
{
	const struct target *target = &call->request->target;
	const char *name = target->segment_count == 0 ? "index.html" : target->segments[0];
	const char *type = content_type(name);
	if (target->segment_count > 1 || type == NULL || name[0] == '.' || strchr(name, '/') != NULL) {
		reply_error(call->reply, HTTP_NOT_FOUND, "there is nothing at this address");
		return;
	}
	call->reply->content_type = type;
	call->reply->cache_control = "no-cache";
	if (call->service->web_root != NULL)
		serve_from_folder(call->reply, call->service->web_root, name);
	else
		serve_from_program(call->reply, name);
}
