// SPDX-License-Identifier: MIT
/*
 * test_live.c - live sessions: what a relay daemon in memory passes on of files is what the files say, in whatever
 * pieces it comes; and what becomes of answers that are cut, changed, or nonsense.
 */
#include "base/hash_index.h"
#include "base/io.h"
#include "support/data.h"
#include "support/effort.h"
#include "support/live_daemon.h"
#include "support/test.h"
#include "trace/ctf/ctf_live.h"
#include "trace/ctf/ctf_metadata.h"
#include "trace/ctf/ctf_source.h"
#include "trace/trace.h"

static char made[DATA_PATH_SIZE], calls[DATA_PATH_SIZE], demo[DATA_PATH_SIZE], perf_small[DATA_PATH_SIZE];

static int find_data(void **state)
{
	(void)state;
	source_path(made, "tests/data/ctf-made");
	source_path(calls, "tests/data/ctf-calls");
	source_path(demo, "tests/data/demo-trace");
	source_path(perf_small, "tests/data/ctf-perf-small");
	return 0;
}

/* ---- events as text -------------------------------------------------------------------------------------- */

struct text {
	char *bytes;
	size_t size;
	FILE *file;
};

static void text_begin(struct text *text)
{
	text->file = open_memstream(&text->bytes, &text->size);
	assert_non_null(text->file);
}

static void text_add(struct text *text, const struct event *event)
{
	fprintf(text->file, "%" PRId64 " %" PRId32, event->time, event->cpu);
	if (event->gap != NULL)
		fprintf(text->file, " gap to %" PRId64 " of %" PRIu64, event->gap->end, event->gap->events);
	else
		fprintf(text->file, " %s %s", event->class->trace->domain, event->class->name);
	for (uint32_t field = 0; event->gap == NULL && field < event->class->field_count; field++) {
		int64_t number;
		const char *bytes;
		size_t size;
		if (event_int(event, field, &number))
			fprintf(text->file, " %s=%" PRId64, event->class->fields[field], number);
		else if (event_string(event, field, &bytes, &size))
			fprintf(text->file, " %s=%.*s", event->class->fields[field], (int)size, bytes);
	}
	fputc('\n', text->file);
}

static struct text read_files(const char *const *paths, size_t count)
{
	struct text text;
	struct trace *trace;
	struct event event;
	struct histree_error error = { 0 };
	text_begin(&text);
	if (trace_open(paths, count, &trace, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	trace_want_gaps(trace);
	while (trace_next(trace, &event, &error) == HISTREE_OK)
		text_add(&text, &event);
	trace_close(trace);
	fclose(text.file);
	return text;
}

struct session {
	struct ctf_live live;
	struct trace_notes notes;
	uint32_t class_count;
};

/* Read a session to its end over a connection that is open.  Returns how it ended; what it said is in the notes. */
static enum histree_status read_session(struct session *session, struct text *text)
{
	struct histree_error error = { 0 };
	session->live.notes = &session->notes;
	session->live.class_count = &session->class_count;
	enum histree_status status = ctf_live_attach(&session->live, LIVE_DAEMON_ADDRESS, &error);
	if (status != HISTREE_OK)
		assert_int_not_equal(error.message[0], '\0');
	while (status == HISTREE_OK || status == HISTREE_NOT_FOUND) {
		status = ctf_live_next(&session->live, &error);
		if (status == HISTREE_OK)
			text_add(text, &session->live.upcoming);
	}
	return status;
}

static void end_session(struct session *session)
{
	ctf_live_close(&session->live);
	trace_notes_release(&session->notes);
	*session = (struct session){ 0 };
}

/* ---- whole sessions -------------------------------------------------------------------------------------- */

static void check_session(const char *const *folders, size_t count, const struct live_daemon_options *options)
{
	struct live_daemon *daemon = live_daemon_create(folders, count, options);
	struct session session = { 0 };
	struct text live, files = read_files(folders, count);
	text_begin(&live);
	live_daemon_connect(daemon, &session.live.relay);
	assert_int_equal(read_session(&session, &live), HISTREE_END);
	fclose(live.file);
	assert_false(session.live.is_broken);
	assert_true(files.size > 100);
	assert_string_equal(live.bytes, files.bytes);
	end_session(&session);
	live_daemon_free(daemon);
	free(live.bytes);
	free(files.bytes);
}

TEST(sessions_are_their_files)
{
	const char *const folders[] = { made, calls, demo, perf_small };
	const struct live_daemon_options options[] = {
		{ 0 },
		{ .refusals = 3, .is_packetized = true },
		{ .refusals = 2, .metadata_size = 1, .part_size = 7 },
		{ .refusals = 1, .metadata_size = 33, .is_packetized = true, .tells_late = true },
	};
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		for (size_t folder = 0; folder < sizeof(folders) / sizeof(folders[0]); folder++)
			check_session(&folders[folder], 1, &options[i]);
}

TEST(sessions_have_several_traces)
{
	const char *const folders[] = { calls, made };
	check_session(folders, 2, &(struct live_daemon_options){ 0 });
	check_session(folders, 2, &(struct live_daemon_options){ .refusals = 4, .metadata_size = 100 });
	check_session(folders, 2,
		      &(struct live_daemon_options){ .refusals = 2, .part_size = 1, .tells_late = true });
}

/* ---- metadata in pieces ---------------------------------------------------------------------------------- */

static void check_schemas(const struct ctf_schema *first, const struct ctf_schema *second)
{
	assert_int_equal(first->stream_count, second->stream_count);
	assert_int_equal(first->event_count, second->event_count);
	assert_int_equal(first->environment_count, second->environment_count);
	assert_int_equal(first->clock_count, second->clock_count);
	assert_int_equal(first->shared_slots, second->shared_slots);
	for (size_t i = 0; i < first->stream_count; i++) {
		assert_int_equal(first->streams[i]->slot_count, second->streams[i]->slot_count);
		assert_int_equal(first->streams[i]->events.count, second->streams[i]->events.count);
		assert_int_equal(first->streams[i]->clock == NULL, second->streams[i]->clock == NULL);
	}
	for (size_t i = 0; i < first->event_count; i++)
		assert_string_equal(first->events[i]->name, second->events[i]->name);
}

static enum histree_status take(struct live_metadata *metadata, const char *text, size_t size,
				struct histree_error *error)
{
	uint8_t *room = live_metadata_room(metadata, size);
	assert_non_null(room);
	memcpy(room, text, size);
	return live_metadata_take(metadata, size, error);
}

TEST(metadata_come_in_pieces)
{
	const char *const folders[] = { made, calls, demo, perf_small };
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		for (size_t size = 1; size < 20000; size = 3 * size + 1) {
			char *text;
			struct ctf_schema whole = { 0 };
			struct live_metadata metadata = { 0 };
			struct histree_error error;
			assert_ok(ctf_metadata_read(&io_posix, folders[i], &text, &error));
			assert_ok(ctf_metadata_schema(text, &whole, &error));
			size_t left = strlen(text);
			for (const char *at = text; left > 0;) {
				size_t part = left < size ? left : size;
				assert_ok(take(&metadata, at, part, &error));
				at += part;
				left -= part;
			}
			assert_true(live_metadata_is_begun(&metadata));
			assert_false(live_metadata_is_cut(&metadata));
			check_schemas(&metadata.schema, &whole);
			live_metadata_release(&metadata);
			ctf_schema_release(&whole);
			free(text);
		}
}

/* Comments and texts may hold what ends a declaration, and lines are counted over pieces. */
TEST(pieces_end_where_declarations_do)
{
	static const char *const parts[] = {
		"/* CTF 1.8; { */ trace { major = 1; byte_order = le; packet.hea",
		"der := struct { integer { size = 32; align = 8; } magic; }; }; // ;",
		" }; \nenv { text = \"};\\\"\"; }; stream { };\n/* ",
		("; } */ event { name = \"first\"; id = 0; fields := struct { integer { size = 8; align = 8; } n; "
		 "}; "),
		"};\n/* the end",
	};
	static const bool is_cut[] = { true, true, false, false, false };
	struct live_metadata metadata = { 0 };
	struct histree_error error;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		assert_ok(take(&metadata, parts[i], strlen(parts[i]), &error));
		if (i < 3)
			assert_int_equal(live_metadata_is_cut(&metadata) && !is_cut[i], false);
	}
	assert_int_equal(metadata.schema.event_count, 1);
	assert_string_equal(metadata.schema.events[0]->name, "first");
	assert_int_equal(take(&metadata, " */ nonsense;", 13, &error), HISTREE_ERR_TRACE);
	assert_non_null(strstr(error.message, "line 4 of the metadata"));
	live_metadata_release(&metadata);
}

TEST(what_a_packet_is_does_not_change)
{
	static const char begin[] =
		"trace { major = 1; byte_order = le; packet.header := struct { integer { size = 32; "
		"align = 8; } stream_id; }; }; stream { id = 0; packet.context := struct { integer "
		"{ size = 8; align = 8; } n; }; };";
	static const char *const more[][2] = {
		{ "trace { major = 1; byte_order = be; };", "declared twice" },
		{ "stream { id = 0; };", "twice" },
		{ "event { name = \"e\"; id = 1; stream_id = 0; fields := struct { integer { size = 8; align = 8; "
		  "} "
		  "a[stream.packet.context.n]; }; };",
		  "an earlier piece" },
		{ "event { name = \"e\"; id = 1; stream_id = 7; };", "no stream 7" },
	};
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		struct live_metadata metadata = { 0 };
		struct histree_error error = { 0 };
		assert_ok(take(&metadata, begin, strlen(begin), &error));
		assert_int_equal(take(&metadata, more[i][0], strlen(more[i][0]), &error), HISTREE_ERR_TRACE);
		if (strstr(error.message, more[i][1]) == NULL)
			fail_msg("%s", error.message);
		live_metadata_release(&metadata);
	}
	struct live_metadata metadata = { 0 };
	struct histree_error error = { 0 };
	assert_int_equal(take(&metadata, "\x1e{\"type\": \"preamble\"}", 21, &error), HISTREE_ERR_TRACE);
	assert_non_null(strstr(error.message, "CTF 2"));
	live_metadata_release(&metadata);
}

/* ---- hostile answers ------------------------------------------------------------------------------------- */

static size_t copy_answers(const char *const *folders, size_t count, const struct live_daemon_options *options,
			   uint8_t **out, struct text *text)
{
	struct live_daemon *daemon = live_daemon_create(folders, count, options);
	struct session session = { 0 };
	size_t size;
	text_begin(text);
	live_daemon_connect(daemon, &session.live.relay);
	assert_int_equal(read_session(&session, text), HISTREE_END);
	fclose(text->file);
	const uint8_t *answers = live_daemon_answers(daemon, &size);
	*out = malloc(size);
	assert_non_null(*out);
	memcpy(*out, answers, size);
	end_session(&session);
	live_daemon_free(daemon);
	return size;
}

/* What comes of some answers, in memory of the very size.  Returns whether a connection that ended was said so. */
static bool read_answers(const uint8_t *bytes, size_t size, size_t part_size, struct text *text)
{
	uint8_t *copy = malloc(size > 0 ? size : 1);
	assert_non_null(copy);
	if (size > 0)
		memcpy(copy, bytes, size);
	struct live_answers answers = { .bytes = copy, .size = size, .part_size = part_size };
	struct session session = { 0 };
	text_begin(text);
	live_answers_connect(&answers, &session.live.relay);
	enum histree_status status = read_session(&session, text);
	assert_true(status == HISTREE_END || status == HISTREE_ERR_TRACE);
	bool is_said =
		status == HISTREE_ERR_TRACE || (session.live.is_broken && session.notes.report.warning_count > 0 &&
						session.notes.report.damaged_streams > 0);
	fclose(text->file);
	end_session(&session);
	free(copy);
	return is_said;
}

TEST(answers_may_end_anywhere)
{
	const char *const folders[] = { calls };
	const struct live_daemon_options options = { .refusals = 2, .metadata_size = 500, .tells_late = true };
	struct text whole, text;
	uint8_t *answers;
	size_t size = copy_answers(folders, 1, &options, &answers, &whole);
	for (size_t cut = 0; cut < size; cut += test_effort(3, 7)) {
		assert_true(read_answers(answers, cut, cut % 3 == 0 ? 1 + cut % 100 : 0, &text));
		/* What was handed out is the beginning of all. */
		assert_true(text.size <= whole.size && memcmp(text.bytes, whole.bytes, text.size) == 0);
		free(text.bytes);
	}
	assert_false(read_answers(answers, size, 0, &text));
	assert_string_equal(text.bytes, whole.bytes);
	free(text.bytes);
	free(whole.bytes);
	free(answers);
}

TEST(answers_may_be_anything)
{
	const char *const folders[] = { calls, made };
	const struct live_daemon_options options = { .refusals = 1, .metadata_size = 700 };
	struct text whole, text;
	uint8_t *answers;
	size_t size = copy_answers(folders, 2, &options, &answers, &whole);
	struct random random = { test_seed() };
	uint8_t *changed = malloc(size);
	assert_non_null(changed);
	for (uint64_t round = 0; round < test_effort(4000, 1000) * test_rounds(); round++) {
		static const uint8_t extremes[] = { 0, 1, 2, 3, 5, 0x7f, 0x80, 0xff };
		memcpy(changed, answers, size);
		for (uint64_t changes = 1 + random_below(&random, 4); changes > 0; changes--)
			changed[random_below(&random, size)] = random_below(&random, 2) == 0
								       ? extremes[random_below(&random, 8)]
								       : (uint8_t)random_bits(&random);
		read_answers(changed, size, 0, &text);
		free(text.bytes);
	}
	free(changed);
	free(whole.bytes);
	free(answers);
}

static bool does_not_go_on(void *context)
{
	return --*(int *)context >= 0;
}

/* However fast a daemon answers, whoever wants no more is heard. */
TEST(a_wait_can_be_cancelled)
{
	const char *const folders[] = { made };
	for (int turns = 0; turns < 40; turns++) {
		struct live_daemon *daemon =
			live_daemon_create(folders, 1, &(struct live_daemon_options){ .refusals = 2 });
		struct session session = { 0 };
		struct text text;
		int left = turns;
		const struct histree_work cancel = { .go_on = does_not_go_on, .context = &left };
		text_begin(&text);
		live_daemon_connect(daemon, &session.live.relay);
		session.live.relay.work = &cancel;
		enum histree_status status = read_session(&session, &text);
		assert_true(status == HISTREE_ERR_CANCELLED || (status == HISTREE_END && left >= 0));
		assert_int_equal(session.notes.report.damaged_streams, 0);
		fclose(text.file);
		free(text.bytes);
		end_session(&session);
		live_daemon_free(daemon);
	}
}

TEST_FILE(find_data, NULL)
