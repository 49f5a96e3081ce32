// SPDX-License-Identifier: MIT
/*
 * test_control_text.c - no control character of a text comes to the terminal, and everything else does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/control_text.h"

static void check(const char *text, const char *expected)
{
	char room[128];
	control_text_copy(text, room, sizeof(room));
	assert_string_equal(room, expected);
}

static void controls_are_escaped(void **state)
{
	(void)state;
	check("\033]0;title\007", "\\x1b]0;title\\x07");
	check("a\tb\nc\rd", "a\\tb\\nc\\rd");
	check("\x7f", "\\x7f");
	check("\xc2\x9b"
	      "31m",
	      "\\xc2\\x9b31m"); /* U+009B begins a command too */
	check("\xc2\x80\xc2\x9f", "\\xc2\\x80\\xc2\\x9f");
}

static void everything_else_is_kept(void **state)
{
	(void)state;
	check("", "");
	check("plain \\ text", "plain \\ text");
	check("\xc2\xa0 \xc3\xa9 \xc5\x99 \xe2\x82\xac \xf0\x9f\x8c\xb3",
	      "\xc2\xa0 \xc3\xa9 \xc5\x99 \xe2\x82\xac \xf0\x9f\x8c\xb3");
	check("\xc2", "\xc2");
}

/* An escape is never cut in two. */
static void a_text_ends_where_the_room_does(void **state)
{
	(void)state;
	char room[6];
	control_text_copy("ab\033c", room, sizeof(room));
	assert_string_equal(room, "ab");
	control_text_copy("a\033c", room, sizeof(room));
	assert_string_equal(room, "a\\x1b");
	control_text_copy("abcdefgh", room, 1);
	assert_string_equal(room, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(controls_are_escaped),
		cmocka_unit_test(everything_else_is_kept),
		cmocka_unit_test(a_text_ends_where_the_room_does),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
