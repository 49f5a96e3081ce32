// SPDX-License-Identifier: MIT
/*
 * test_http_limits.c - what a client may take: a crowd is answered or told when to come back and never reset, and
 * who sends or reads slowly is shut, and meanwhile keeps nobody waiting.
 *
 * The limits are short here; nothing depends on how short, but that a test ends.
 */
#include <stdatomic.h>
#include <time.h>

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

#include "server/http/http.h"
#include "support/test.h"

/* A sanitizer has an allocator of its own, of which the C library knows nothing. */
#ifdef __SANITIZE_ADDRESS__
#define MEMORY_IS_KNOWN false
#else
#define MEMORY_IS_KNOWN true
#endif

enum { CROWD = 200, PATIENCE_SECONDS = 20, LOOKS_MAX = 20000 };

static const char plain[] = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/* A server; requests of "/wait" are answered when the gate is open. */
struct served {
	struct http *http;
	atomic_bool gate;
	atomic_int waiting;
	atomic_size_t taken, taken_max; /* by answers of "/grow" and "/claim" */
};

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static const char large[32 << 20]; /* more than the sockets of both sides hold */

enum { GROWTH = 64 << 20, GROWTH_STEP = 1 << 20 };

/* Takes memory, really or by its word, as long as it may; half of the time it waits, as who reads would. */
static void grow(struct served *served, struct reply *reply, bool by_word)
{
	struct histree_work cancel = reply_cancel(reply);
	char *blocks[GROWTH / GROWTH_STEP] = { NULL };
	size_t count = 0;
	bool may = true;
	while (count < GROWTH / GROWTH_STEP && may) {
		may = by_word ? reply_claim(reply, GROWTH_STEP) : cancel.go_on(cancel.context);
		if (!may)
			break;
		blocks[count] = by_word ? NULL : malloc(GROWTH_STEP);
		if (blocks[count] != NULL)
			memset(blocks[count], 1, GROWTH_STEP);
		count++;
		size_t taken = atomic_fetch_add(&served->taken, GROWTH_STEP) + GROWTH_STEP, max = served->taken_max;
		while (taken > max && !atomic_compare_exchange_weak(&served->taken_max, &max, taken))
			;
		nap();
	}
	if (!may)
		reply_failure(reply);
	for (size_t i = 0; i < count; i++)
		free(blocks[i]);
	atomic_fetch_sub(&served->taken, count * GROWTH_STEP);
}

static void answer(void *context, const struct http_request *request, struct reply *reply)
{
	struct served *served = context;
	const struct target *target = &request->target;
	if (target->segment_count == 0)
		return;
	if (strcmp(target->segments[0], "large") == 0) {
		reply->fixed = large;
		reply->fixed_size = sizeof(large);
		return;
	}
	if (strcmp(target->segments[0], "grow") == 0 || strcmp(target->segments[0], "claim") == 0) {
		grow(served, reply, target->segments[0][0] == 'c');
		return;
	}
	served->waiting++;
	for (int looks = 0; !served->gate && looks < LOOKS_MAX; looks++)
		nap();
}

static void start(struct served *served, struct http_limits limits)
{
	struct histree_error error = { 0 };
	const struct http_options options = {
		.bind = "127.0.0.1", .limits = limits, .handle = answer, .context = served
	};
	if (http_start(&options, &served->http, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
}

static void stop(struct served *served)
{
	served->gate = true;
	http_stop(served->http);
}

static int connect_to(const struct served *served)
{
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(http_port(served->http)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const struct timeval patience = { .tv_sec = PATIENCE_SECONDS };
	int client = socket(AF_INET, SOCK_STREAM, 0);
	assert_true(client >= 0);
	assert_int_equal(setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
	assert_int_equal(connect(client, (const struct sockaddr *)&address, sizeof(address)), 0);
	return client;
}

static void say(int client, const char *text)
{
	assert_int_equal(send(client, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* What the server says, up to its end or as much as there is room for; it is not reset, and it does say it. */
static size_t hear(int client, char *room, size_t size)
{
	size_t heard = 0;
	ssize_t more = 1;
	while (heard + 1 < size && more > 0) {
		more = recv(client, room + heard, size - 1 - heard, 0);
		heard += more > 0 ? (size_t)more : 0;
	}
	assert_true(more >= 0);
	room[heard] = '\0';
	return heard;
}

/* Ask a question that needs no waiting. */
static void assert_answers(const struct served *served)
{
	char room[1024];
	int client = connect_to(served);
	say(client, plain);
	hear(client, room, sizeof(room));
	assert_int_equal(strncmp(room, "HTTP/1.1 200 ", 13), 0);
	close(client);
}

static void assert_busy(int client)
{
	char room[1024];
	hear(client, room, sizeof(room));
	assert_int_equal(strncmp(room, "HTTP/1.1 503 ", 13), 0);
	assert_non_null(strcasestr(room, "\r\nRetry-After: 1\r\n"));
}

/* ---- a crowd ----------------------------------------------------------------------------------------------- */

TEST(who_gets_no_turn_is_told_when_to_come_back)
{
	enum { TURNS = 2 };
	static const char wait[] = "GET /wait HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
	struct served served = { 0 };
	struct http_limits limits = HTTP_LIMITS;
	int crowd[CROWD];
	char room[1024];
	limits.answers = TURNS;
	limits.turn_ms = 300;
	start(&served, limits);
	for (int i = 0; i < CROWD; i++) {
		crowd[i] = connect_to(&served);
		say(crowd[i], wait);
		for (int looks = 0; i < TURNS && served.waiting <= i && looks < LOOKS_MAX; looks++)
			nap();
	}
	for (int i = TURNS; i < CROWD; i++)
		assert_busy(crowd[i]);
	assert_int_equal(served.waiting, TURNS);
	served.gate = true;
	for (int i = 0; i < TURNS; i++) {
		hear(crowd[i], room, sizeof(room));
		assert_int_equal(strncmp(room, "HTTP/1.1 200 ", 13), 0);
	}
	for (int i = 0; i < CROWD; i++)
		close(crowd[i]);
	assert_answers(&served);
	stop(&served);
}

/* With limits as they are, a turn comes for each of two hundred at once. */
TEST(a_crowd_is_answered)
{
	struct served served = { .gate = true };
	int crowd[CROWD];
	char room[1024];
	start(&served, HTTP_LIMITS);
	for (int i = 0; i < CROWD; i++)
		crowd[i] = connect_to(&served);
	for (int i = 0; i < CROWD; i++)
		say(crowd[i], plain);
	for (int i = 0; i < CROWD; i++) {
		hear(crowd[i], room, sizeof(room));
		assert_int_equal(strncmp(room, "HTTP/1.1 200 ", 13), 0);
		close(crowd[i]);
	}
	stop(&served);
}

/* ---- memory -------------------------------------------------------------------------------------------------- */

/* Each of many answers wants more than all may have: one after the other gets it, the rest is told to come back. */
TEST(answers_share_memory)
{
	enum { CEILING = 96 << 20, GROWING = 32 };
	static const char *const paths[] = { "claim", "grow" };
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct served served = { 0 };
		struct http_limits limits = HTTP_LIMITS;
		char request[128], room[1024];
		int crowd[GROWING], answered = 0;
		if (i == 1 && !MEMORY_IS_KNOWN)
			continue;
		limits.memory = CEILING;
		limits.turn_ms = 200;
		start(&served, limits);
		snprintf(request, sizeof(request),
			 "GET /%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", paths[i]);
		for (int k = 0; k < GROWING; k++) {
			crowd[k] = connect_to(&served);
			say(crowd[k], request);
		}
		for (int k = 0; k < GROWING; k++) {
			hear(crowd[k], room, sizeof(room));
			bool is_busy = strncmp(room, "HTTP/1.1 503 ", 13) == 0;
			assert_true(is_busy || strncmp(room, "HTTP/1.1 200 ", 13) == 0);
			assert_true(!is_busy || strcasestr(room, "\r\nRetry-After: 1\r\n") != NULL);
			answered += !is_busy;
			close(crowd[k]);
		}
		/* The oldest may always go on: it is the one answer more. */
		if (answered == 0 || answered == GROWING || served.taken_max > CEILING + GROWTH + 32 * GROWTH_STEP)
			fail_msg("%s: %d answered, %zu MiB", paths[i], answered, served.taken_max >> 20);
		assert_answers(&served);
		stop(&served);
	}
}

/* ---- slow ones --------------------------------------------------------------------------------------------- */

/* A byte now and then is not idle; it ends all the same. */
static void assert_is_shut(const struct served *served, int client)
{
	ssize_t sent = 1;
	for (int i = 0; i < LOOKS_MAX && sent == 1; i++) {
		char byte;
		nap();
		sent = i % 50 == 0 ? send(client, "x", 1, MSG_NOSIGNAL) : sent;
		if (recv(client, &byte, 1, MSG_DONTWAIT) == 0)
			break;
		assert_true(i + 1 < LOOKS_MAX);
	}
	close(client);
	assert_answers(served);
}

TEST(half_requests_are_shut)
{
	static const char *const halves[] = {
		"",
		"GE",
		"GET / HTTP/1.1\r\nHost: local",
		"POST /wait HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999\r\n\r\n{",
	};
	struct served served = { .gate = true };
	struct http_limits limits = HTTP_LIMITS;
	int crowd[CROWD];
	limits.request_ms = 500;
	limits.answers = 2;
	start(&served, limits);
	for (int i = 0; i < CROWD; i++) {
		crowd[i] = connect_to(&served);
		say(crowd[i], halves[i % 4]);
	}
	assert_answers(&served);
	for (int i = 0; i < CROWD; i++)
		assert_is_shut(&served, crowd[i]);
	stop(&served);
}

/* However many begin a request and go no further: the oldest of them make room for who asks. */
TEST(half_requests_keep_nobody_out)
{
	static const char wait[] = "GET /wait HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
	enum { ROOM = 16, HALVES = 5 * ROOM };
	struct served served = { 0 };
	struct http_limits limits = HTTP_LIMITS;
	char room[1024];
	int halves[HALVES];
	limits.connections = ROOM;
	start(&served, limits);
	int asks = connect_to(&served);
	say(asks, wait);
	for (int looks = 0; served.waiting == 0 && looks < LOOKS_MAX; looks++)
		nap();
	for (int i = 0; i < HALVES; i++) {
		halves[i] = connect_to(&served);
		say(halves[i], i % 2 == 0 ? "GET / HT" : "");
		if (i % ROOM == ROOM - 1)
			assert_answers(&served);
	}
	for (int i = HALVES; i-- > HALVES - ROOM;) { /* the latest are still there */
		struct pollfd look = { .fd = halves[i], .events = POLLIN };
		assert_true(i < HALVES - ROOM + 4 || poll(&look, 1, 0) == 0);
		close(halves[i]);
	}
	for (int i = 0; i < HALVES - ROOM; i++)
		assert_is_shut(&served, halves[i]);
	served.gate = true;
	hear(asks, room, sizeof(room));
	assert_int_equal(strncmp(room, "HTTP/1.1 200 ", 13), 0);
	close(asks);
	stop(&served);
}

TEST(slow_readers_are_shut)
{
	enum { READERS = 8 };
	static const char ask[] = "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n";
	struct served served = { 0 };
	struct http_limits limits = HTTP_LIMITS;
	int readers[READERS];
	limits.answer_ms = 500;
	limits.answers = 2;
	start(&served, limits);
	for (int i = 0; i < READERS; i++) {
		readers[i] = connect_to(&served);
		say(readers[i], ask);
	}
	assert_answers(&served); /* they hold no turn */
	for (int i = 0; i < READERS; i++) {
		static char room[1 << 20];
		size_t all = 0;
		ssize_t more;
		nanosleep(&(struct timespec){ .tv_sec = i == 0 ? 2 : 0 }, NULL);
		while ((more = recv(readers[i], room, sizeof(room), 0)) > 0)
			all += (size_t)more;
		assert_true(all < sizeof(large)); /* it was cut */
		close(readers[i]);
	}
	assert_answers(&served);
	stop(&served);
}

TEST(bodies_are_no_more_than_there_is_room_for)
{
	static const char head[] = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n{";
	struct served served = { 0 };
	struct http_limits limits = HTTP_LIMITS;
	limits.bodies = 3000000;
	start(&served, limits);
	int first = connect_to(&served), second = connect_to(&served);
	say(first, head);
	for (int i = 0; i < 200; i++) /* until it was heard */
		nap();
	say(second, head);
	assert_busy(second);
	close(second);
	assert_answers(&served);
	close(first);
	for (int i = 0; i < 200; i++)
		nap();
	int third = connect_to(&served);
	char room[1024];
	say(third, "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}");
	hear(third, room, sizeof(room));
	assert_int_equal(strncmp(room, "HTTP/1.1 200 ", 13), 0);
	close(third);
	stop(&served);
}
