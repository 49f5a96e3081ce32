// SPDX-License-Identifier: MIT
/*
 * generate_json.c - make a trace in the Trace Event Format, of any size: what a busy browser would write.
 *
 *	generate_json [--megabytes N] [--threads N] -o FILE
 *
 * Each thread writes its complete spans in chunks, children before their parents, so that times go back all the
 * time; between them are requests, counters and flows.  The same options give the same bytes.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash_index.h"

enum { CHUNK = 500, THREADS_MAX = 4096, THREADS_A_PROCESS = 8 };

struct generator {
	struct random random;
	FILE *file;
	uint64_t events, requests, bytes_max;
	int64_t now[THREADS_MAX]; /* ns, of each thread */
};

static void put_head(struct generator *generator, char phase, unsigned thread, int64_t time)
{
	fprintf(generator->file, "%s{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRId64 ".%03" PRId64,
		generator->events++ > 0 ? ",\n" : "", phase, 1 + thread / THREADS_A_PROCESS, 100 + thread,
		time / 1000, time % 1000);
}

static int64_t put_span(struct generator *generator, unsigned thread, unsigned depth)
{
	static const char *const names[] = {
		"RunTask", "FunctionCall", "Layout", "Paint", "UpdateLayerTree", "GC"
	};
	int64_t begin = generator->now[thread];
	unsigned children = depth < 4 ? random_index(&generator->random, 4 - depth) : 0;
	generator->now[thread] += 200 + (int64_t)random_below(&generator->random, 3000);
	for (unsigned i = 0; i < children; i++)
		put_span(generator, thread, depth + 1);
	generator->now[thread] += 100 + (int64_t)random_below(&generator->random, 2000);
	int64_t duration = generator->now[thread] - begin;
	put_head(generator, 'X', thread, begin);
	fprintf(generator->file,
		",\"dur\":%" PRId64 ".%03" PRId64
		",\"cat\":\"toplevel,devtools.timeline\",\"name\":\"%s\",\"args\":"
		"{\"data\":{\"url\":\"https://example.org/%u.js\",\"lineNumber\":%u}}}",
		duration / 1000, duration % 1000, names[depth], random_index(&generator->random, 50),
		random_index(&generator->random, 3000));
	return duration;
}

static void put_others(struct generator *generator, unsigned thread)
{
	int64_t now = generator->now[thread];
	uint64_t request = generator->requests++;
	put_head(generator, 'b', thread, now - 90000);
	fprintf(generator->file, ",\"cat\":\"net\",\"name\":\"Request\",\"id\":\"0x%" PRIx64 "\"}", request);
	put_head(generator, 'e', thread, now + 90000);
	fprintf(generator->file, ",\"cat\":\"net\",\"name\":\"Request\",\"id\":\"0x%" PRIx64 "\"}", request);
	put_head(generator, 's', thread, now);
	fprintf(generator->file, ",\"cat\":\"ipc\",\"name\":\"Message\",\"id\":%" PRIu64 "}", request);
	put_head(generator, 'f', thread ^ 1, now + 5000);
	fprintf(generator->file, ",\"cat\":\"ipc\",\"name\":\"Message\",\"bp\":\"e\",\"id\":%" PRIu64 "}", request);
	put_head(generator, 'C', thread, now);
	fprintf(generator->file, ",\"name\":\"Memory\",\"args\":{\"used\":%u,\"free\":%u}}",
		random_index(&generator->random, 100000), random_index(&generator->random, 100000));
}

static void put_names(struct generator *generator, unsigned thread)
{
	put_head(generator, 'M', thread, 0);
	fprintf(generator->file, ",\"name\":\"thread_name\",\"args\":{\"name\":\"Worker %u\"}}", thread);
	if (thread % THREADS_A_PROCESS != 0)
		return;
	put_head(generator, 'M', thread, 0);
	fprintf(generator->file, ",\"name\":\"process_name\",\"args\":{\"name\":\"Renderer\"}}");
}

static void put_trace(struct generator *generator, unsigned threads)
{
	fputs("{\"traceEvents\":[\n", generator->file);
	for (unsigned thread = 0; thread < threads; thread++) {
		put_names(generator, thread);
		generator->now[thread] = 1000000000;
	}
	while ((uint64_t)ftello(generator->file) < generator->bytes_max)
		for (unsigned thread = 0; thread < threads; thread++) {
			for (unsigned i = 0; i < CHUNK / 5; i++)
				put_span(generator, thread, 0);
			put_others(generator, thread);
		}
	fputs("],\"displayTimeUnit\":\"ms\"}\n", generator->file);
}

int main(int count, char **words)
{
	static const struct option options[] = { { "megabytes", required_argument, NULL, 'm' },
						 { "threads", required_argument, NULL, 't' },
						 { 0 } };
	struct generator generator = { .random = { 1 }, .bytes_max = 100 << 20 };
	const char *path = NULL;
	unsigned threads = 16;
	for (int option; (option = getopt_long(count, words, "o:", options, NULL)) != -1;) {
		if (option == 'm')
			generator.bytes_max = strtoull(optarg, NULL, 10) << 20;
		else if (option == 't')
			threads = (unsigned)strtoul(optarg, NULL, 10);
		else if (option == 'o')
			path = optarg;
	}
	generator.file = path != NULL ? fopen(path, "w") : NULL;
	if (generator.file == NULL || threads < 2 || threads > THREADS_MAX) {
		fprintf(stderr, "usage: generate_json [--megabytes N] [--threads N] -o FILE\n");
		return 2;
	}
	put_trace(&generator, threads);
	printf("%" PRIu64 " events, %lld bytes\n", generator.events, (long long)ftello(generator.file));
	return fclose(generator.file) == 0 ? 0 : 3;
}
