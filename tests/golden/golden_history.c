// SPDX-License-Identifier: MIT
#include "golden_history.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash_index.h"
#include "histree/history.h"
#include "histree/states.h"

enum { START = 1457113583, TURNS = 900, THREADS = 24 };

/* ---- building ------------------------------------------------------------------------------------------ */

struct build {
	struct histree_state_system *system;
	histree_time now;
	struct histree_error *error;
	enum histree_status status; /* the first that was not ok */
};

static void change(struct build *build, const char *path, struct histree_value value)
{
	histree_quark quark;
	if (build->status == HISTREE_OK)
		build->status = histree_state_attribute(build->system, HISTREE_ROOT, path, &quark, build->error);
	if (build->status == HISTREE_OK)
		build->status = histree_state_modify(build->system, build->now, quark, value, build->error);
}

/* One attribute of each type, and the values at its edges. */
static void change_types(struct build *build, int turn)
{
	const double doubles[] = { 0.0, -0.0, 0.1, (double)INFINITY, (double)NAN, -5e-324 };
	static const int64_t longs[] = { 0, INT64_MIN, INT64_MAX, -1, INT64_C(1) << 40 };
	static const int32_t ints[] = { 0, INT32_MIN, INT32_MAX, -1, 127, 128 };
	static const uint8_t bytes[9] = { 0, 1, 2, 3, 4, 5, 6, 7, 0xff };
	static const char *const strings[] = { "", "read", "\xc3\xa4\xe2\x82\xac", "tab\tand newline\n" };
	change(build, "Types/int", histree_int(ints[turn % 6]));
	change(build, "Types/long", histree_long(longs[turn % 5]));
	change(build, "Types/double", histree_double(doubles[turn % 6]));
	change(build, "Types/bool", histree_bool(turn % 2 == 0));
	change(build, "Types/string", histree_string(strings[turn % 4]));
	change(build, "Types/custom", histree_custom(&bytes[turn % 9], sizeof(bytes) - (size_t)(turn % 9)));
	if (turn % 3 == 2)
		change(build, "Types/int", histree_null());
}

/* What a kernel analysis does: threads come one after the other, run, call and end. */
static void change_threads(struct build *build, struct random *random, int turn)
{
	static const char *const calls[] = { "read", "write", "openat", "futex", "epoll_wait", "mmap" };
	char path[64];
	unsigned alive = 1 + (unsigned)turn * THREADS / TURNS, thread = (unsigned)random_below(random, alive);
	snprintf(path, sizeof(path), "Threads/%u", thread);
	bool ends = thread + 8 < alive;
	change(build, path, ends ? histree_null() : histree_int((int32_t)random_below(random, 6)));
	snprintf(path, sizeof(path), "Threads/%u/System_call", thread);
	change(build, path,
	       ends || random_percent(random, 40) ? histree_null()
						  : histree_string(calls[random_below(random, 6)]));
	snprintf(path, sizeof(path), "CPUs/%u/Current_thread", (unsigned)random_below(random, 4));
	change(build, path, histree_int((int32_t)thread));
	if (random_percent(random, 30)) {
		snprintf(path, sizeof(path), "Disks/sda\\/%u\\\\/Sector", (unsigned)random_below(random, 3));
		change(build, path, histree_long((int64_t)random_below(random, UINT64_C(1) << 40)));
	}
}

enum histree_status golden_build(const char *path, const char *variant, struct histree_error *error)
{
	const struct histree_history_options options = {
		.path = path,
		.provider = "golden",
		.provider_version = 3,
		.start = START * INT64_C(1000000000),
		.tree = { .variant = variant, .node_size = 4096, .fan_out = 3 },
	};
	struct build build = { .now = options.start, .error = error };
	struct random random = { 1 };
	build.status = histree_state_create(&options, &build.system, error);
	if (build.status != HISTREE_OK)
		return build.status;
	for (int turn = 0; turn < TURNS && build.status == HISTREE_OK; turn++) {
		if (!random_percent(&random, 20))
			build.now += (histree_time)random_below(&random, 100000);
		change_threads(&build, &random, turn);
		if (turn % 50 == 0)
			change_types(&build, turn / 50);
	}
	if (build.status == HISTREE_OK)
		build.status = histree_state_close(build.system, build.now + 12345, error);
	histree_state_free(build.system);
	return build.status;
}

/* ---- dumping ------------------------------------------------------------------------------------------- */

static void print_text(FILE *out, const struct histree_value *value)
{
	const unsigned char *bytes = value->bytes;
	for (uint32_t i = 0; i < value->size; i++)
		if (value->type == HISTREE_CUSTOM)
			fprintf(out, "%02x", bytes[i]);
		else if (bytes[i] < ' ' || bytes[i] >= 0x7f || bytes[i] == '\\')
			fprintf(out, "\\x%02x", bytes[i]);
		else
			fputc(bytes[i], out);
}

void golden_sum(const char *text, FILE *sums)
{
	for (const char *end = text; *text != '\0'; text = end) {
		int lines = 0;
		for (; lines < GOLDEN_GROUP && *end != '\0'; lines++)
			end = strchr(end, '\n') + 1;
		fprintf(sums, "%08" PRIx32 "\t%.*s\n", crc32c(0, text, (size_t)(end - text)),
			(int)strcspn(text, "\n"), text);
	}
}

/* A double as its bits: no reader of this text may round it. */
void golden_print_value(FILE *out, const struct histree_value *value)
{
	uint64_t bits;
	switch (value->type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	case HISTREE_INT:
		fprintf(out, "%" PRId32, value->int32);
		break;
	case HISTREE_LONG:
		fprintf(out, "%" PRId64, value->int64);
		break;
	case HISTREE_DOUBLE:
		memcpy(&bits, &value->real, sizeof(bits));
		fprintf(out, "0x%016" PRIx64, bits);
		break;
	case HISTREE_BOOL:
		fputs(value->boolean ? "true" : "false", out);
		break;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		print_text(out, value);
		break;
	}
}

static enum histree_status dump_attribute(struct histree_history *history, struct histree_cursor *query,
					  histree_quark quark, FILE *out, struct histree_error *error)
{
	char path[256];
	histree_attributes_path(histree_history_attributes(history), quark, path, sizeof(path));
	histree_time end = histree_history_info(history)->end;
	for (histree_time t = histree_history_info(history)->start; t <= end;) {
		struct histree_interval interval;
		enum histree_status status = histree_query_single(query, quark, t, &interval, error);
		if (status != HISTREE_OK)
			return status;
		fprintf(out, "%s\t%" PRId64 "\t%" PRId64 "\t%s\t", path, interval.start, interval.end,
			histree_type_name(interval.value.type));
		golden_print_value(out, &interval.value);
		fputc('\n', out);
		t = interval.end + 1;
	}
	return HISTREE_OK;
}

enum histree_status golden_dump(struct histree_history *history, FILE *out, struct histree_error *error)
{
	struct histree_cursor *query;
	enum histree_status status = histree_query_create(history, &query, error);
	if (status != HISTREE_OK)
		return status;
	uint32_t count = histree_attributes_count(histree_history_attributes(history));
	for (histree_quark quark = 0; status == HISTREE_OK && quark < count; quark++)
		status = dump_attribute(history, query, quark, out, error);
	histree_cursor_free(query);
	return status;
}
