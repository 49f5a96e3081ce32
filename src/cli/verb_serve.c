// SPDX-License-Identifier: MIT
/*
 * verb_serve.c - 'histree serve': runs the server until a signal comes.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "cli/verb.h"
#include "server/server.h"

struct serve_options {
	uint64_t port, memory;
	const char *bind, *stores, *web_root, *allowed_origin;
	bool any_port, trusts_stores;
};

enum { PORT_DEFAULT = 8080 }; /* where clients of the protocol look */

static const struct cli_option options[] = {
	CLI_OPTION_NUMBER("port", CLI_NUMBER, "N", struct serve_options, port, 1, UINT16_MAX,
			  "listen at this port; default: 8080"),
	CLI_OPTION_FLAG("any-port", 0, struct serve_options, any_port,
			"listen at a free port, and print it on standard error"),
	CLI_OPTION_TEXT(
		"bind", "ADDRESS", struct serve_options, bind,
		"listen at this address, in numbers; default: 127.0.0.1, which only this machine can reach"),
	CLI_OPTION_PATH(
		"stores", 0, CLI_TEXT, "FOLDER", struct serve_options, stores,
		"write the stores of traces that clients open, and bookmarks, into this folder; default: the "
		"current one"),
	CLI_OPTION_TEXT("allow-origin", "ORIGIN", struct serve_options, allowed_origin,
			"answer pages of this origin too, such as https://traces.example"),
	CLI_OPTION_FLAG("trust-stores", 0, struct serve_options, trusts_stores,
			"read the trace that a store names wherever it is, even outside of every STORE and FOLDER"),
	CLI_OPTION_NUMBER(
		"memory", CLI_SIZE, "BYTES", struct serve_options, memory, 1024 * 1024, UINT64_MAX,
		"use at most this much memory for all answers together; further requests wait; default: 512M"),
	CLI_OPTION_PATH("web-root", 0, CLI_TEXT, "FOLDER", struct serve_options, web_root,
			"serve the page from the files of this folder"),
	{ 0 },
};

static int serve_run(void *said, const struct cli_words *words)
{
	struct serve_options *chosen = said;
	if (chosen->any_port && chosen->port != 0)
		return report_exit(CLI_USAGE, "'--port' names a port, and '--any-port' takes any: choose one");
	struct server_options server_options = {
		.paths = (const char *const *)words->words,
		.path_count = words->count,
		.bind = chosen->bind,
		.port = chosen->any_port    ? 0
			: chosen->port != 0 ? (uint16_t)chosen->port
					    : PORT_DEFAULT,
		.stores = chosen->stores,
		.trusts_stores = chosen->trusts_stores,
		.memory = (size_t)chosen->memory,
		.web_root = chosen->web_root,
		.allowed_origin = chosen->allowed_origin,
	};
	struct server *server;
	struct histree_error error = { 0 };
	sigset_t signals;

	/* Blocks the signals that end the server, before it starts, so that its threads do not get them. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);

	if (server_start(&server_options, &server, &error) != HISTREE_OK)
		return report_error(&error);
	const char *address = chosen->bind != NULL ? chosen->bind : "127.0.0.1";
	bool is_ipv6 = strchr(address, ':') != NULL;
	report("http://%s%s%s:%u/", is_ipv6 ? "[" : "", address, is_ipv6 ? "]" : "", server_port(server));
	if (server_warning(server) != NULL)
		report("%s", server_warning(server));
	int signal;
	while (sigwait(&signals, &signal) == EINTR)
		;
	server_stop(server);
	return CLI_OK;
}

const struct cli_verb verb_serve = {
	.name = "serve",
	.summary = "show stores to trace viewers and browsers",
	.arguments = { "STORE|TRACE|FOLDER...", 1, CLI_WORDS_ANY },
	.complete = CLI_COMPLETE_PATH,
	CLI_OPTIONS(options, struct serve_options),
	.run = serve_run,
};
