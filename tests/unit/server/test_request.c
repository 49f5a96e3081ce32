// SPDX-License-Identifier: MIT
/*
 * What a request says: its address, its headers, its body; and which endpoint it finds.
 */
#include "server/http/http.h"
#include "server/tsp/parameters.h"
#include "support/test.h"

TEST(test_target)
{
	struct target target;
	assert_int_equal(target_parse(&target, "/tsp//api/a%2Fb/x:y.z/?n=1&text=a+b%26c&flag&=3"), TARGET_OK);
	assert_int_equal(target.segment_count, 4);
	assert_string_equal(target.segments[0], "tsp");
	assert_string_equal(target.segments[2], "a/b");
	assert_string_equal(target.segments[3], "x:y.z");
	assert_int_equal(target.parameter_count, 3);
	assert_string_equal(target_parameter(&target, "n"), "1");
	assert_string_equal(target_parameter(&target, "text"), "a b&c");
	assert_string_equal(target_parameter(&target, "flag"), "");
	assert_null(target_parameter(&target, "none"));
	target_release(&target);

	assert_int_equal(target_parse(&target, "/"), TARGET_OK);
	assert_int_equal(target.segment_count, 0);
	target_release(&target);
	/* A plus is a space in a query only. */
	assert_int_equal(target_parse(&target, "/a+b"), TARGET_OK);
	assert_string_equal(target.segments[0], "a+b");
	target_release(&target);
}

TEST(test_target_refused)
{
	static const char *const bad[] = { "",     "x",      "http://host/", "/%",     "/%4",
					   "/%zz", "/a%00b", "/a?x=%",       "/a?%0=1" };
	struct target target;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(target_parse(&target, bad[i]), TARGET_BAD);
		target_release(&target);
	}
	char *deep = malloc(3 * TARGET_SIZE_MAX);
	assert_non_null(deep);
	memset(deep, 'a', 3 * TARGET_SIZE_MAX);
	deep[0] = '/';
	deep[TARGET_SIZE_MAX + 1] = '\0';
	assert_int_equal(target_parse(&target, deep), TARGET_TOO_LARGE);
	target_release(&target);
	deep[TARGET_SIZE_MAX] = '\0';
	assert_int_equal(target_parse(&target, deep), TARGET_OK);
	target_release(&target);
	for (size_t i = 0; i <= 2 * TARGET_SEGMENTS_MAX; i += 2)
		memcpy(deep + i, "/a", 3);
	assert_int_equal(target_parse(&target, deep), TARGET_TOO_LARGE);
	target_release(&target);
	free(deep);
}

TEST(test_host)
{
	static const struct {
		const char *host;
		bool alone,
			is_public; /* whether it is let in where only this machine can ask, and where others can */
	} cases[] = {
		{ "localhost", true, true },
		{ "LOCALHOST:8080", true, true },
		{ "127.0.0.1:80", true, true },
		{ "127.9.9.9", true, true },
		{ "[::1]:8080", true, true },
		{ "192.168.1.2:8080", false, true },
		{ "[fe80::1]", false, true },
		{ "evil.example", false, false },
		{ "localhost.evil.example", false, false },
		{ "127.0.0.1.evil", false, false },
		{ "", false, false },
		{ "localhost:80x", false, false },
		{ "[::1", false, false },
		{ "localhost/evil", false, false },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(http_guard_host(cases[i].host, false), cases[i].alone);
		assert_int_equal(http_guard_host(cases[i].host, true), cases[i].is_public);
	}
	assert_false(http_guard_host(NULL, true));
}

TEST(test_origin)
{
	assert_true(http_guard_origin("http://localhost:3000", "localhost:8080", NULL));
	assert_true(http_guard_origin("https://127.0.0.1", "localhost:8080", NULL));
	assert_true(http_guard_origin("vscode-webview://1ab2", "localhost:8080", NULL));
	assert_true(http_guard_origin("http://box:8080", "box:8080", NULL));
	assert_true(http_guard_origin("https://traces.example", "localhost", "https://traces.example"));
	assert_false(http_guard_origin("https://traces.example", "localhost", NULL));
	assert_false(http_guard_origin("http://localhost.evil.example", "localhost", NULL));
	assert_false(http_guard_origin("http://evil.example", "localhost:8080", "https://traces.example"));
	assert_false(http_guard_origin("null", "localhost", NULL));
	assert_false(http_guard_origin("file://", "localhost", NULL));
}

/* ---- the router -------------------------------------------------------------------------------------- */

static void one(struct call *call)
{
	(void)call;
}

static void two(struct call *call)
{
	(void)call;
}

static void rest(struct call *call)
{
	(void)call;
}

static const struct route table[] = {
	{ HTTP_GET, "a/fixed", one },
	{ HTTP_GET, "a/?", two },
	{ HTTP_POST, "a/?/b/?", two },
	{ HTTP_GET, "c/*", rest },
	{ 0 },
};

static enum router_result find(enum http_method method, const char *uri, endpoint_function **found, char *captured)
{
	struct target target;
	const char *texts[CALL_CAPTURES_MAX];
	assert_int_equal(target_parse(&target, uri), TARGET_OK);
	enum router_result result = router_find(table, method, &target, found, texts);
	captured[0] = '\0';
	for (size_t i = 0; result == ROUTER_FOUND && i < CALL_CAPTURES_MAX && texts[i] != NULL; i++)
		strcat(strcat(captured, texts[i]), ";");
	target_release(&target);
	return result;
}

TEST(test_router)
{
	endpoint_function *found;
	char captured[64];
	assert_int_equal(find(HTTP_GET, "/a/fixed", &found, captured), ROUTER_FOUND);
	assert_ptr_equal(found, one);
	assert_int_equal(find(HTTP_GET, "/a/x/", &found, captured), ROUTER_FOUND);
	assert_ptr_equal(found, two);
	assert_string_equal(captured, "x;");
	assert_int_equal(find(HTTP_POST, "/a/x%2Fy/b/z", &found, captured), ROUTER_FOUND);
	assert_string_equal(captured, "x/y;z;");
	assert_int_equal(find(HTTP_GET, "/c", &found, captured), ROUTER_FOUND);
	assert_int_equal(find(HTTP_GET, "/c/d/e/f", &found, captured), ROUTER_FOUND);
	assert_ptr_equal(found, rest);
	assert_int_equal(find(HTTP_DELETE, "/a/x", &found, captured), ROUTER_NO_METHOD);
	assert_int_equal(find(HTTP_GET, "/a", &found, captured), ROUTER_NO_PATH);
	assert_int_equal(find(HTTP_GET, "/a/x/b", &found, captured), ROUTER_NO_PATH);
	assert_int_equal(find(HTTP_GET, "/a/fixedx/y", &found, captured), ROUTER_NO_PATH);
	assert_int_equal(find(HTTP_GET, "/", &found, captured), ROUTER_NO_PATH);
}

/* ---- parameters -------------------------------------------------------------------------------------- */

struct body {
	struct reply reply;
	struct call call;
};

static void body_init(struct body *body, const char *text)
{
	*body = (struct body){ .call.reply = &body->reply };
	reply_init(&body->reply);
	body->call.body = json_loads(text, 0, NULL);
	assert_non_null(body->call.body);
	body->call.parameters = body->call.body;
}

static void body_release(struct body *body)
{
	json_decref(body->call.body);
	reply_release(&body->reply);
}

/* The times of a body, "" where it is refused. */
static void times_of(const char *text, char *out)
{
	struct body body;
	struct parameter_times times;
	body_init(&body, text);
	out[0] = '\0';
	if (parameters_times(&body.call, &times)) {
		for (size_t i = 0; i < times.count; i++)
			sprintf(out + strlen(out), "%lld ", (long long)times.times[i]);
		assert_true(times.start == times.times[0] && times.end == times.times[times.count - 1]);
	} else {
		assert_int_equal(body.reply.status, HTTP_BAD_REQUEST);
	}
	body_release(&body);
}

TEST(test_times)
{
	static const char *const cases[][2] = {
		/* The samples of the reference server: whole steps, rounded down, and then the end. */
		{ "{'requested_timerange':{'start':0,'end':10,'nbTimes':3}}", "0 5 10 " },
		{ "{'requested_timerange':{'start':0,'end':10,'nbTimes':4}}", "0 3 6 9 10 " },
		{ "{'requested_timerange':{'start':5,'end':7,'nbTimes':100}}", "5 6 7 " },
		{ "{'requested_timerange':{'start':0,'end':7,'nbTimes':5}}", "0 1 2 3 4 5 6 7 " },
		{ "{'requested_timerange':{'start':5,'end':5,'nbTimes':100}}", "5 " },
		{ "{'requested_timerange':{'start':-3,'end':9}}", "-3 9 " },
		{ "{'requested_timerange':{'start':-3,'end':9,'nbTimes':1}}", "-3 9 " },
		{ "{'requested_times':[7,1332170682440133097,7,-2]}", "-2 7 1332170682440133097 " },
		{ "{'requested_timerange':{'start':9223372036854775806,'end':9223372036854775807,'nbTimes':9}}",
		  "9223372036854775806 9223372036854775807 " },
		{ "{'requested_timerange':{'start':9,'end':8}}", "" },
		{ "{'requested_timerange':{'start':9.5,'end':10}}", "" },
		{ "{'requested_timerange':{'start':0,'end':10,'nbTimes':65537}}", "" },
		{ "{'requested_times':[]}", "" },
		{ "{'requested_times':['x']}", "" },
		{ "{}", "" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[256], found[256];
		strcpy(text, cases[i][0]);
		for (char *at = text; (at = strchr(at, '\'')) != NULL;)
			*at = '"';
		times_of(text, found);
		assert_string_equal(found, cases[i][1]);
	}
}

/* The widest range there is has no step that overflows, and as many samples as were asked for. */
TEST(test_times_widest)
{
	struct body body;
	struct parameter_times times;
	body_init(&body, "{\"requested_timerange\":{\"start\":-9223372036854775807,\"end\":9223372036854775807,"
			 "\"nbTimes\":65536}}");
	assert_true(parameters_times(&body.call, &times));
	assert_in_range(times.count, PARAMETER_TIMES_MAX, PARAMETER_TIMES_MAX + 1);
	for (size_t i = 1; i < times.count; i++)
		assert_true(times.times[i - 1] < times.times[i]);
	struct parameter_times within = parameter_times_within(&times, -10, 10);
	assert_in_range(within.count, 0, 1);
	body_release(&body);
}

TEST(test_items)
{
	struct body body;
	int64_t *items;
	size_t count;
	body_init(&body, "{\"requested_items\":[3,\"x\",4,1.5]}");
	assert_true(parameters_items(&body.call, &items, &count));
	assert_int_equal(count, 2);
	assert_int_equal(items[1], 4);
	body_release(&body);
	body_init(&body, "{}");
	assert_true(parameters_items(&body.call, &items, &count));
	assert_int_equal(count, 0);
	body_release(&body);
}
