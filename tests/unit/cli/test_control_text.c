// SPDX-License-Identifier: MIT
/*
 * test_control_text.c - no control character of a text comes to the terminal, and everything else does.
 */
#include "cli/output.h"
#include "support/test.h"

static void check(const char *text, const char *expected)
{
	char room[128];
	control_text_copy(text, room, sizeof(room));
	assert_string_equal(room, expected);
}

TEST(controls_are_escaped)
{
	check("\033]0;title\007", "\\x1b]0;title\\x07");
	check("a\tb\nc\rd", "a\\tb\\nc\\rd");
	check("\x7f", "\\x7f");
	check("\xc2\x9b"
	      "31m",
	      "\\xc2\\x9b31m"); /* U+009B begins a command too */
	check("\xc2\x80\xc2\x9f", "\\xc2\\x80\\xc2\\x9f");
}

/* What turns the direction of a text would show `cba` for `abc`, or a row as another one. */
TEST(directions_are_escaped)
{
	check("a\xe2\x80\xae"
	      "cba",
	      "a\\xe2\\x80\\xaecba");
	for (unsigned char last = 0x80; last < 0xc0; last++) {
		const char lines[] = { 'x', (char)0xe2, (char)0x80, (char)last, 'y', '\0' };
		const char isolates[] = { 'x', (char)0xe2, (char)0x81, (char)last, 'y', '\0' };
		char room[64];
		control_text_copy(lines, room, sizeof(room));
		assert_int_equal(strcmp(room, lines) != 0, last >= 0xaa && last <= 0xae);
		control_text_copy(isolates, room, sizeof(room));
		assert_int_equal(strcmp(room, isolates) != 0, last >= 0xa6 && last <= 0xa9);
	}
	check("\xe2\x80", "\xe2\x80"); /* cut short: no character at all */
	check("\xe2\x81\xa6\xe2\x81\xa9", "\\xe2\\x81\\xa6\\xe2\\x81\\xa9");
}

TEST(everything_else_is_kept)
{
	check("", "");
	check("plain \\ text", "plain \\ text");
	check("\xc2\xa0 \xc3\xa9 \xc5\x99 \xe2\x82\xac \xf0\x9f\x8c\xb3",
	      "\xc2\xa0 \xc3\xa9 \xc5\x99 \xe2\x82\xac \xf0\x9f\x8c\xb3");
	check("\xc2", "\xc2");
}

/* An escape is never cut in two. */
TEST(a_text_ends_where_the_room_does)
{
	char room[6];
	control_text_copy("ab\033c", room, sizeof(room));
	assert_string_equal(room, "ab");
	control_text_copy("a\033c", room, sizeof(room));
	assert_string_equal(room, "a\\x1b");
	control_text_copy("abcdefgh", room, 1);
	assert_string_equal(room, "");
}
