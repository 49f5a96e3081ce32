// SPDX-License-Identifier: MIT
/*
 * fuzz_rank_request.c - bytes as what rank 0 asks a rank that has the host of the demo's trace.  Each answer is a
 * section, its rows can be read, and no question leaves anything behind.
 */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "histree/build.h"
#include "mpi/host_server.h"
#include "mpi/stream.h"
#include "support/data.h"

static char folder[] = "/tmp/histree-fuzz-XXXXXX";

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	(void)status;
	(void)kind;
	(void)at;
	return remove(path);
}

static void remove_store(void)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* A host whose store is there until the program ends. */
static void make_host(struct shard_host *host)
{
	static const char *const analyses[] = { "kernel", "system-calls" };
	char trace[DATA_PATH_SIZE], store[sizeof(folder) + sizeof("/store")];
	const char *traces[] = { source_path(trace, "tests/data/demo-trace") };
	REQUIRE(mkdtemp(folder) != NULL);
	atexit(remove_store);
	snprintf(store, sizeof(store), "%s/store", folder);
	const struct histree_build_options options = {
		.traces = traces, .trace_count = 1, .store = store, .analyses = analyses, .analysis_count = 2
	};
	REQUIRE(histree_build(&options, NULL) == HISTREE_OK);
	REQUIRE(histree_store_open(store, &host->store, NULL) == HISTREE_OK);
}

FUZZ_TARGET(bytes, size)
{
	static struct shard_host host;
	static struct host_server server;
	struct shard_set set = { .hosts = &host, .count = 1 };
	struct byte_buffer reply = { 0 };
	struct byte_reader request = byte_reader(bytes, size), section;
	uint8_t letter;
	if (host.store == NULL)
		make_host(&host);
	server.set = &set;
	host_server_answer(&server, &request, &reply);
	struct byte_reader answers = byte_reader(reply.size > 0 ? reply.bytes : bytes, reply.size);
	while (section_next(&answers, &letter, &section)) {
		REQUIRE(letter == STEP_ANSWER);
		read_varint(&section);
		REQUIRE(byte_reader_signed(&section) <= HISTREE_PARTIAL);
		read_text(&section);
		REQUIRE(!section.failed);
	}
	REQUIRE(!answers.failed);
	byte_buffer_release(&reply);
	host_server_reset(&server);
	REQUIRE(server.stream_count == 0);
	return 0;
}
