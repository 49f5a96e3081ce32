// SPDX-License-Identifier: MIT
/*
 * generate.c - make a kernel trace of a machine that never was: the papers' trace sets at any size.
 *
 *	generate --threads N [--cpus N] [--long-lived N] [--seconds N] [--seed N] [--host NAME]
 *		-o FOLDER
 *
 * The trace is CTF 1.8 as LTTng writes it.  `threads` short-lived threads start in waves (thesis 4.8.1, table
 * 4.1: about 17 events each) among `long-lived` ones that mostly sleep.  The same options give the same bytes.
 * What it made is said in one line: threads, events, bytes and the traced time in ns, separated by tabs.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "workload.h"

/* 2016-03-04 17:07:05 UTC, so that times look like times. */
#define CLOCK_OFFSET INT64_C(1457111225000000000)

enum {
	SECONDS_MAX = 1000000,
	LONG_LIVED_MAX = 100000,
	THREADS_MAX = TID_MAX - FIRST_TID - LONG_LIVED_MAX - PARENTS
};

struct options {
	uint64_t threads, cpus, long_lived, seconds, seed;
	const char *host, *folder;
};

static bool number_from(const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
	char *end;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return errno == 0 && end != text && *end == '\0' && *text != '-' && *number >= min && *number <= max;
}

static bool options_parse(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{ "threads", required_argument, NULL, 't' },    { "cpus", required_argument, NULL, 'c' },
		{ "long-lived", required_argument, NULL, 'l' }, { "seed", required_argument, NULL, 's' },
		{ "seconds", required_argument, NULL, 'n' },    { "host", required_argument, NULL, 'h' },
		{ "output", required_argument, NULL, 'o' },     { NULL, 0, NULL, 0 },
	};
	bool understood = true;
	int option;
	while (understood && (option = getopt_long(argc, argv, "o:", known, NULL)) != -1) {
		if (option == 't')
			understood = number_from(optarg, 1, THREADS_MAX, &options->threads);
		else if (option == 'c')
			understood = number_from(optarg, 1, CPUS_MAX, &options->cpus);
		else if (option == 'l')
			understood = number_from(optarg, 0, LONG_LIVED_MAX, &options->long_lived);
		else if (option == 'n')
			understood = number_from(optarg, 0, SECONDS_MAX, &options->seconds);
		else if (option == 's')
			understood = number_from(optarg, 0, UINT64_MAX, &options->seed);
		else if (option == 'h' && strpbrk(optarg, "\"\\\n") == NULL)
			options->host = optarg;
		else if (option == 'o')
			options->folder = optarg;
		else
			understood = false;
	}
	return understood && optind == argc && options->threads > 0 && options->folder != NULL;
}

static struct ctf_trace describe_trace(const struct options *options)
{
	struct ctf_trace trace = {
		.classes = kernel_event_classes,
		.class_count = kernel_event_class_count,
		.host = options->host,
		.clock_offset = CLOCK_OFFSET,
	};
	struct random random = { options->seed };
	for (size_t byte = 0; byte < sizeof(trace.uuid); byte++)
		trace.uuid[byte] = (uint8_t)random_bits(&random);
	return trace;
}

static void print_summary(const struct options *options, const struct machine *machine)
{
	uint64_t events = 0, bytes = 0, end = 0;
	for (uint32_t i = 0; i < machine->cpu_count; i++) {
		const struct ctf_stream *stream = &machine->cpus[i].stream;
		events += stream->event_count;
		bytes += stream->byte_count;
		end = stream->end > end ? stream->end : end;
	}
	printf("%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", options->threads, events, bytes,
	       end - MACHINE_START);
}

/* 0 or an errno. */
static int generate(const struct options *options)
{
	struct workload workload = { 0 };
	struct machine machine;
	struct ctf_trace trace = describe_trace(options);
	if (mkdir(options->folder, 0777) != 0)
		return errno;
	int failure = ctf_metadata_write(&trace, options->folder);
	if (failure != 0)
		return failure;
	struct machine_options machine_options = {
		.cpu_count = (uint32_t)options->cpus,
		.seed = options->seed,
		.user = { workload_step, workload_freed, &workload },
	};
	failure = machine_init(&machine, &machine_options, &trace, options->folder);
	if (failure == 0)
		failure = workload_init(&workload, &machine, (uint32_t)options->threads,
					(uint32_t)options->long_lived,
					options->long_lived > 0 ? options->seconds * UINT64_C(1000000000) : 0);
	if (failure == 0)
		failure = machine_run(&machine);
	int closed = machine_close(&machine);
	failure = failure != 0 ? failure : closed;
	if (failure == 0)
		print_summary(options, &machine);
	machine_release(&machine);
	workload_release(&workload);
	return failure;
}

int main(int argc, char **argv)
{
	struct options options = { .cpus = 8, .long_lived = 64, .seed = 1, .host = "generated" };
	if (!options_parse(argc, argv, &options)) {
		fprintf(stderr,
			"usage: generate --threads N [--cpus N] [--long-lived N] [--seconds N] [--seed N] "
			"[--host NAME] -o FOLDER\n"
			"threads 1 to %d, cpus 1 to %d (8), long-lived 0 to %d (64), seconds at least, if threads "
			"live "
			"long, 0 to %d (0), seed any number (1)\n",
			THREADS_MAX, CPUS_MAX, LONG_LIVED_MAX, SECONDS_MAX);
		return 2;
	}
	int failure = generate(&options);
	if (failure == 0)
		return 0;
	fprintf(stderr, "generate: cannot make '%s': %s%s\n", options.folder, strerror(failure),
		failure == EEXIST ? "; remove it or name another folder" : "");
	return 3;
}
