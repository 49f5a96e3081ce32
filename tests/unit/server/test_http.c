// SPDX-License-Identifier: MIT
/*
 * A client that goes away, as the thread that computes its answer sees it.
 */
#include <stdatomic.h>
#include <time.h>

#include <arpa/inet.h>
#include <sys/socket.h>

#include "server/http/http.h"
#include "support/test.h"

enum { LOOKS_MAX = 10000, LOOK_NS = 1000000 };

/* An endpoint whose answer takes for ever, but for LOOKS_MAX. */
struct endless {
	atomic_int looks;
	atomic_bool has_begun, was_cancelled, has_ended;
};

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
}

static void answer_endlessly(void *context, const struct http_request *request, struct reply *reply)
{
	(void)request;
	struct endless *endless = context;
	struct histree_work cancel = reply_cancel(reply);
	endless->has_begun = true;
	while (endless->looks++ < LOOKS_MAX && !endless->was_cancelled) {
		endless->was_cancelled = !cancel.go_on(cancel.context);
		nap();
	}
	endless->has_ended = true;
}

static int connect_to(uint16_t port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int client = socket(AF_INET, SOCK_STREAM, 0);
	assert_true(client >= 0);
	assert_int_equal(connect(client, (const struct sockaddr *)&address, sizeof(address)), 0);
	return client;
}

static void wait_for(const atomic_bool *flag)
{
	for (int i = 0; i < LOOKS_MAX && !*flag; i++)
		nap();
	assert_true(*flag);
}

TEST(test_client_goes_away)
{
	static const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
	struct endless endless = { 0 };
	struct http_options options = {
		.bind = "127.0.0.1", .limits = HTTP_LIMITS, .handle = answer_endlessly, .context = &endless
	};
	struct histree_error error = { 0 };
	struct http *http;
	assert_ok(http_start(&options, &http, &error));
	int client = connect_to(http_port(http));
	assert_int_equal(write(client, request, strlen(request)), strlen(request));
	wait_for(&endless.has_begun);
	/* While it waits, the answer goes on. */
	for (int i = 0; i < 20; i++)
		nap();
	assert_false(endless.was_cancelled);
	close(client);
	wait_for(&endless.has_ended);
	assert_true(endless.was_cancelled);
	http_stop(http);
}
