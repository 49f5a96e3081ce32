// SPDX-License-Identifier: MIT
/*
 * Answers: JSON from left to right, pieces, compression, and what becomes of one that fails half-way.
 */
#include <zlib.h>

#include <jansson.h>

#include "base/error.h"
#include "server/http/reply.h"
#include "support/test.h"

/* All bytes of an answer, terminated; *pieces counts how many there were, and *largest is the greatest. */
static char *drain(struct reply *reply, size_t *size, size_t *pieces, size_t *largest, bool *whole)
{
	char *all = calloc(1, 1);
	const char *bytes;
	size_t piece_size;
	*size = *pieces = *largest = 0;
	while ((*whole = reply_next(reply, &bytes, &piece_size)) && piece_size > 0) {
		all = realloc(all, *size + piece_size + 1);
		assert_non_null(all);
		memcpy(all + *size, bytes, piece_size);
		*size += piece_size;
		all[*size] = '\0';
		++*pieces;
		*largest = piece_size > *largest ? piece_size : *largest;
	}
	return all;
}

static char *text_of(struct reply *reply)
{
	size_t size, pieces, largest;
	bool whole;
	char *text = drain(reply, &size, &pieces, &largest, &whole);
	assert_true(whole);
	assert_int_equal(strlen(text), size);
	return text;
}

TEST(test_json)
{
	struct reply reply;
	reply_init(&reply);
	struct json_writer *json = &reply.json;
	json_begin_object(json);
	json_int_member(json, "least", INT64_MIN);
	json_text_member(json, "text", "a\"b\\c\n\x01\xff\xc3\xa9");
	json_key(json, "reals");
	json_begin_array(json);
	json_put_real(json, 1);
	json_put_real(json, 0.1);
	json_put_real(json, 1e300 * 1e300);
	json_put_real(json, 123456789012345678.0);
	json_put_real(json, -1.23456789012e-7);
	json_end(json);
	json_key_string(json, "k\"", 2);
	json_put_null(json);
	json_bool_member(json, "yes", true);
	json_key(json, "none");
	json_begin_array(json);
	json_end_to(json, 0);
	char *text = text_of(&reply);
	assert_string_equal(
		text, "{\"least\":-9223372036854775808,\"text\":\"a\\\"b\\\\c\\n\\u0001\xef\xbf\xbd\xc3\xa9\","
		      "\"reals\":[1.0,0.1,0.0,1.23456789e+17,-1.23456789e-07],\"k\\\"\":null,\"yes\":true,"
		      "\"none\":[]}");
	free(text);
	reply_release(&reply);
}

/* Numbers up to a limit, each a step. */
struct counting {
	int next, limit, fails_at;
	bool *freed;
};

static enum histree_status count_next(void *context, struct json_writer *json, struct histree_error *error)
{
	struct counting *counting = context;
	if (counting->next == counting->fails_at)
		return error_set(error, HISTREE_ERR_FORMAT, "node 7 is damaged");
	if (counting->next == counting->limit)
		return HISTREE_END;
	json_begin_object(json);
	json_int_member(json, "number", counting->next++);
	json_end(json);
	return HISTREE_OK;
}

static void count_free(void *context)
{
	struct counting *counting = context;
	*counting->freed = true;
}

static void begin_counting(struct reply *reply, struct counting *counting, int limit, int fails_at, bool *freed)
{
	*freed = false;
	*counting = (struct counting){ .limit = limit, .fails_at = fails_at, .freed = freed };
	reply_init(reply);
	reply_envelope(reply);
	json_begin_object(&reply->json);
	json_key(&reply->json, "numbers");
	json_begin_array(&reply->json);
	reply_steps(reply, &(struct reply_steps){ count_next, count_free, counting });
}

static void check_numbers(const char *text, size_t count, const char *status)
{
	json_t *document = json_loads(text, 0, NULL);
	assert_non_null(document);
	json_t *numbers = json_object_get(json_object_get(document, "model"), "numbers");
	assert_int_equal(json_array_size(numbers), count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(json_integer_value(json_object_get(json_array_get(numbers, i), "number")), i);
	assert_string_equal(json_string_value(json_object_get(document, "status")), status);
	json_decref(document);
}

enum { MANY = 200000 };

TEST(test_steps)
{
	struct reply reply;
	struct counting counting;
	bool freed, whole;
	size_t size, pieces, largest;
	begin_counting(&reply, &counting, MANY, -1, &freed);
	char *text = drain(&reply, &size, &pieces, &largest, &whole);
	assert_true(whole && freed);
	check_numbers(text, MANY, "COMPLETED");
	/* The answer was never there as a whole. */
	assert_true(pieces > size / PIECE_SIZE / 2 && largest < PIECE_SIZE + 1024);
	assert_true(reply.body.capacity < 2 * PIECE_SIZE);
	free(text);
	reply_release(&reply);
}

static char *unzip(const char *bytes, size_t size, size_t room)
{
	char *text = calloc(room + 1, 1);
	assert_non_null(text);
	z_stream stream = { .next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)size };
	stream.next_out = (Bytef *)text;
	stream.avail_out = (uInt)room;
	assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	assert_int_equal(stream.avail_in, 0);
	inflateEnd(&stream);
	return text;
}

TEST(test_zip)
{
	static const int counts[] = { 0, 1, MANY };
	for (size_t i = 0; i < 3; i++) {
		struct reply reply;
		struct counting counting;
		bool freed, whole;
		size_t size, pieces, largest;
		begin_counting(&reply, &counting, counts[i], -1, &freed);
		assert_true(reply_zip(&reply));
		char *zipped = drain(&reply, &size, &pieces, &largest, &whole);
		assert_true(whole && freed);
		char *text = unzip(zipped, size, (size_t)counts[i] * 32 + 1000);
		check_numbers(text, (size_t)counts[i], "COMPLETED");
		free(text);
		free(zipped);
		reply_release(&reply);
	}
}

/* What was sent cannot be taken back; but it can be brought to an end that says what happened. */
TEST(test_fails_half_way)
{
	struct reply reply;
	struct counting counting;
	bool freed;
	begin_counting(&reply, &counting, MANY, MANY / 2, &freed);
	char *text = text_of(&reply);
	check_numbers(text, MANY / 2, "FAILED");
	assert_non_null(strstr(text, "\"statusMessage\":\"node 7 is damaged\""));
	free(text);
	reply_release(&reply);
}

/* Bytes have no such end: the connection is cut. */
TEST(test_cut)
{
	struct reply reply;
	bool freed = false, whole;
	struct counting counting = { .limit = 10, .fails_at = 5, .freed = &freed };
	size_t size, pieces, largest;
	reply_init(&reply);
	reply_steps(&reply, &(struct reply_steps){ count_next, count_free, &counting });
	char *text = drain(&reply, &size, &pieces, &largest, &whole);
	assert_false(whole);
	assert_true(reply.is_cut && freed);
	free(text);
	reply_release(&reply);
}

/* What an answer is made of lives as long as it does, and goes with it. */
TEST(test_memory)
{
	struct reply reply;
	reply_init(&reply);
	uint64_t *one = reply_memory(&reply, 100, sizeof(*one)), *none = reply_memory(&reply, 0, sizeof(*none));
	assert_true(one != NULL && none != NULL && one != none);
	for (int i = 0; i < 100; i++)
		assert_int_equal(one[i], 0);
	one[99] = 7;
	assert_int_equal(reply.status, HTTP_OK);
	assert_null(reply_memory(&reply, SIZE_MAX / 2, 3));
	assert_int_equal(reply.status, HTTP_SERVER_ERROR);
	assert_int_equal(one[99], 7);
	reply_release(&reply);
}

/* A function that fails fills the error, and that is the answer. */
TEST(test_ok)
{
	struct reply reply;
	reply_init(&reply);
	assert_true(reply_ok(&reply, HISTREE_OK));
	assert_int_equal(reply.status, HTTP_OK);
	reply.error = (struct histree_error){ HISTREE_NOT_FOUND, "there is no chart" };
	assert_false(reply_ok(&reply, HISTREE_NOT_FOUND));
	assert_int_equal(reply.status, HTTP_NOT_FOUND);
	byte_buffer_put_byte(&reply.body, 0);
	assert_non_null(strstr(byte_buffer_chars(&reply.body), "There is no chart"));
	reply_release(&reply);
}

TEST(test_deadline)
{
	struct reply reply;
	struct counting counting;
	bool freed;
	begin_counting(&reply, &counting, MANY, -1, &freed);
	reply.deadline_ns = 1;
	char *text = text_of(&reply);
	check_numbers(text, 0, "FAILED");
	assert_true(freed);
	free(text);
	reply_release(&reply);
}

/* The client went away. */
TEST(test_given_up)
{
	struct reply reply;
	struct counting counting;
	bool freed;
	const char *bytes;
	size_t size;
	begin_counting(&reply, &counting, MANY, -1, &freed);
	assert_true(reply_zip(&reply));
	assert_true(reply_next(&reply, &bytes, &size));
	assert_false(freed);
	reply_release(&reply);
	assert_true(freed);
}

static bool is_wanted(void *context)
{
	return *(const bool *)context;
}

/* What computes an answer learns that it is in vain: nobody waits, or there is no time left. */
TEST(test_cancel)
{
	struct reply reply;
	bool wanted = true;
	reply_init(&reply);
	struct histree_work cancel = reply_cancel(&reply);
	assert_true(cancel.go_on(cancel.context));
	reply.is_wanted = is_wanted;
	reply.wanted_context = &wanted;
	assert_true(cancel.go_on(cancel.context));
	wanted = false;
	assert_false(cancel.go_on(cancel.context));
	wanted = true;
	reply.deadline_ns = 1;
	assert_false(cancel.go_on(cancel.context));
	reply_release(&reply);
}

TEST(test_error)
{
	struct reply reply;
	struct counting counting;
	bool freed;
	begin_counting(&reply, &counting, MANY, -1, &freed);
	reply_error(&reply, HTTP_NOT_FOUND, "there is no \"%s\"", "x");
	assert_true(freed);
	char *text = text_of(&reply);
	assert_string_equal(text, "{\"title\":\"There is no \\\"x\\\"\"}");
	assert_int_equal(reply.status, HTTP_NOT_FOUND);
	free(text);
	reply_release(&reply);
}
