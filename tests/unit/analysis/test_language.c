// SPDX-License-Identifier: MIT
/*
 * test_language.c - analyses as text: what is read, and what is said of each thing that cannot be.  What programs
 * of it do is for tests/property.
 */
#include "analysis/language/language.h"
#include "analysis/language/language_tree.h"
#include "support/test.h"

static enum histree_status read_text(const char *text, struct histree_error *error)
{
	struct definitions definitions = { 0 };
	enum histree_status status = language_read("x", text, strlen(text), &definitions, error);
	definitions_release(&definitions);
	return status;
}

static void accept(const char *text)
{
	struct histree_error error = { 0 };
	if (read_text(text, &error) != HISTREE_OK)
		fail_msg("'%s': %s", text, error.message);
}

static void refuse(const char *text, const char *message)
{
	struct histree_error error = { 0 };
	if (read_text(text, &error) == HISTREE_OK)
		fail_msg("'%s' was read", text);
	assert_int_equal(error.status, HISTREE_ERR_ARGUMENT);
	size_t length = strlen(message);
	if (strncmp(error.message, message, length) != 0 ||
	    (error.message[length] != '\0' && error.message[length] != '\n'))
		fail_msg("'%s': expected '%s', not '%s'", text, message, error.message);
}

TEST(what_is_read)
{
	accept("on sched_switch: CPUs/{cpu}/Current_thread = next_tid");
	accept("analysis a.b-c \"summary\" for kernel\n\n# a remark\non *: A = 1 # here too\n");
	accept("on a, b*, sched:sched_switch, \"odd name\" when x > 1: A = 1; B/\"a/b\"/0_{cpu} = 1.5\n");
	accept("on a:\n\tif x == 1:\n\t\tA = 1\n\telif x == 2: A = 2; B = 1\n\telse:\n\t\tB = 2\n\tC = 3\non b: A "
	       "= 4");
	accept("on a:\n  if x: A = 1\n\n  # remark\n  else: A = 2\r\n");
	accept("on a: if = 1; push/x = 2; delete += 3; pop = null; on = 5");
	accept("on a: push S/{tid} = name at time + 1ms; pop S/{tid}; pop all S/{tid}; delete T\n"
	       "on b: X = top(S/{tid}); Y = since(S/{tid}); Z = state(S/{tid}/1)");
	accept("on a: begin s(x, y) as \"n\" + cpu with int irq, cpu, text c = comm,\n   real r = 1\non b: end "
	       "s(x, y)");
	accept("on a: segment event from time - 10ms to time with integer n");
	accept("on a: A = state(B/{state(C)}/d); was B/{x}/d = 1; C -= 1");
	accept("let a = map(op & 0x7f, 0: \"wait\", -1: \"none\")\nlet b = strip(a, \"x\", \"y\")\non a: A = "
	       "first(b, a, x)");
	accept("on a when !(x in (1, 2) || y contains \"z\") && y like \"a*\" && z present: A = choose(x == null, "
	       "1, 2)");
	accept("on a: A = (1 +\n  2) *\n  3\n");
	accept("on a: A = regs[3] + from.port + field(\"cpu\"); B = -1e3 + 1.5 / 2; C = 12.5us | 1 << 3 & ~x ^ 5 % "
	       "2");
	accept("label A/*: 0 \"off\" 0xcccccc, -5 to -1 \"low\", 1 to 9 \"on\", \"x\" \"y\", others \"odd\"\non a: "
	       "A/{x} = y");
	accept("chart a states: A/*\non a: A/{x} = y");
	accept("chart a \"b c\" lines in \"B/s\": A/* shows Bytes named . rate times 512, \"B c/*\" as \"d\" "
	       "difference\n"
	       "on a: A/{x}/Bytes += y");
	accept("chart a states: A/* above */B above * shows Status named /C/D written, E\nchart b lines: F times "
	       "-0.5\n"
	       "on a: E = y");
	accept("on a: \"\xc3\xa4\"/\xc3\xb6 = 1");
}

TEST(what_is_not)
{
	refuse("",
	       "x:1:1: the analysis does nothing; expected a line as 'on sched_switch: CPUs/{cpu}/Current_thread = "
	       "next_tid'");
	refuse("of a: A = 1",
	       "x:1:1: expected 'on', 'let', 'label', 'chart' or 'analysis' at the beginning of a line, not 'of'");
	refuse("chart", "x:1:6: expected the name of the chart, and the line ends");
	refuse("chart a b: c", "x:1:9: expected 'lines' or 'states', not 'b'");
	refuse("chart a lines in B/s: c", "x:1:18: expected a unit in quotes, as \"B/s\", not 'B'");
	refuse("chart a states c", "x:1:16: expected ':' before the rows of the chart, not 'c'");
	refuse("chart a states:", "x:1:16: expected a pattern of attributes, as in 'CPUs/*', and the line ends");
	refuse("chart a states: A/* rate", "x:1:21: expected the end of the line, not 'rate'");
	refuse("chart a lines: A/* written", "x:1:20: expected the end of the line, not 'written'");
	refuse("chart a lines: A/* times x", "x:1:26: expected the number that the line is multiplied by, not 'x'");
	refuse("chart a lines: A times 0", "x:1:24: a line times 0 is no line");
	refuse("chart a lines: A as b", "x:1:21: expected what the row is called, in quotes, not 'b'");
	refuse("chart a lines: A shows",
	       "x:1:23: expected an attribute: '.' for itself, 'Status' below it, '/CPUs/0' from the top, and the "
	       "line ends");
	refuse("chart a lines: A/../B", "x:1:7: chart 'a': 'A/../B' has '..': name attributes downwards");
	refuse("chart a lines: A\nchart a states: B", "x:2:7: there is a chart 'a' already");
	refuse("on a A = 1", "x:1:6: expected ':', 'when' or ',' after the event, not 'A'");
	refuse("on a:", "x:1:6: expected a statement, or an indented line of them, and the line ends");
	refuse("on a:\non b: A = 1", "x:2:1: expected a statement, or an indented line of them, not 'on'");
	refuse("on : A = 1", "x:1:4: expected the name of an event, or a pattern as 'irq_*'");
	refuse("on a: A/{cpu next", "x:1:14: expected '}' after the value in a path, not 'next'");
	refuse("on a: CPUs/{cpu} next_tid", "x:1:18: expected '=', '+=' or '-=' after the path, not 'next_tid'");
	refuse("on a: A/* = 1",
	       "x:1:9: expected a name in a path; one with blanks or other signs stands in quotes");
	refuse("on a: A = ", "x:1:11: expected a value, and the line ends");
	refuse("on a: A = 1 2", "x:1:13: expected the end of the line, not '2'");
	refuse("on a: A = \"b", "x:1:11: expected a value, not a text without the quote that ends it");
	refuse("on a: A = 10x",
	       "x:1:11: expected a value, not no number: write 42, 0x2a, 1.5, or a time with ns, us, ms, "
	       "s, m or h as in 12.5ms");
	refuse("on a: A = $x",
	       "x:1:11: expected a value, not a sign that means nothing here; put a text in quotes");
	refuse("on a: A = (1", "x:1:13: expected ')' or an operator, and the line ends");
	refuse("on a: A = stat(B)", "x:1:11: there is no function 'stat'; the nearest is 'state'");
	refuse("on a: A = choose(1, 2)",
	       "x:1:22: expected ',' and a value, as in 'choose(CONDITION, VALUE, OTHERWISE)'");
	refuse("on a: A = length(b, c)", "x:1:21: expected ')', as in 'length(TEXT)'");
	refuse("on a:\n  A = 1\n B = 2",
	       "x:3:2: the line begins with other blanks than each line above; use the same");
	refuse("on a:\n  A = 1\n    B = 2",
	       "x:3:5: expected the path of an attribute, and the line is indented further");
	refuse("on a: A = 1\n  B = 2",
	       "x:2:3: expected 'on', 'let', 'label', 'chart' or 'analysis' at the beginning of a line, and "
	       "the line is indented further");
	refuse("on a: if x: A = 1", "x:1:7: 'if' begins a line of its own");
	refuse("on a:\n  else: A = 1", "x:2:3: 'else' begins a line of its own");
	refuse("on a: A = 1\nanalysis b", "x:2:1: the line of the analysis is the first one of its file");
	refuse("analysis a/b\non a: A = 1",
	       "x:1:10: 'a/b' is no name of an analysis: it has letters, digits, '.', '_' and "
	       "'-', at most 64");
	refuse("analysis a for windows", "x:1:16: expected 'kernel' or 'ust', of whose traces the analysis is, not "
					 "'windows'");
	refuse("let cpu = 1", "x:1:5: 'cpu' has a meaning already; take another name");
	refuse("let a = 1\nlet a = 2", "x:2:5: there is a 'a' already");
	refuse("on a: A = event - 1", "x:1:11: expected a number, and this is a text");
	refuse("on a: A = 1.5 & 1", "x:1:11: expected an integer, and this is a real number");
	refuse("on a when event: A = 1", "x:1:11: expected a condition, and this is a text");
	refuse("on a when event == 1: A = 1",
	       "x:1:20: a text is compared with an integer, which is never the same");
	refuse("on a: A = x < null", "x:1:15: null is compared by '==' and '!=' only");
	refuse("on a: A += \"b\"", "x:1:12: expected a number to count by, and this is a text");
	refuse("on a: A = 1\non b: A = \"x\"",
	       "x:2:7: this attribute is a text here, and an integer in line 1; an attribute has "
	       "one type");
	refuse("on a: A = 1\non b: push A = 2",
	       "x:1:7: this attribute is a stack in line 2; its own state is its depth");
	refuse("on a: CPUs/{cpu}/Status = 1\non b: X = state(CPUs/{cpu}/Statu)",
	       "x:2:17: no line sets the state "
	       "'CPUs/{cpu}/Statu'; the nearest is 'CPUs/{cpu}/Status'");
	refuse("on a: begin s(x)",
	       "x:1:13: the span 's' begins and never ends; expected 'end s(...)' in some line");
	refuse("on a: begin s(x)\non b: end s(x, y)",
	       "x:2:11: expected a key of 1 values, as elsewhere for 's', not of 2");
	refuse("on a: begin s",
	       "x:1:14: expected '(' and the key of the span after its name, as in 'irq(cpu)', and the line ends");
	refuse("on a: begin s(x) with irq\non b: end s(x)",
	       "x:1:23: the type of 'irq' is not known before a trace is read; "
	       "expected one of int, integer, real, text, bool before it");
	refuse("on a: segment \"x\"",
	       "x:1:18: expected 'from' or 'to' and a time, as in 'from since(PATH)', and the line ends");
	refuse("on a: A = map(x)", "x:1:11: expected what the value becomes, as in 'map(op, 0: \"wait\")'");
	refuse("on a: A = map(x, 1: y)", "x:1:21: expected a number or a text in quotes");
	refuse("on a: A/{null} = 1", "x:1:10: a path has no component that is null");
	refuse("label A: 1 to 0 \"b\"\n", "x:1:12: the range ends before it begins");
	refuse("label A: 1 \"a\", 0 to 5 \"b\"\n", "x:1:7: two labels, \"b\" and \"a\", are for one value");
	refuse("label A: 1 a\n", "x:1:12: expected what the value means, in quotes, not 'a'");
	refuse("on a: A = \xff", "x:1:11: this is no text in UTF-8");
	refuse("on a: \xc3\xa4 = 1 \xc3\xa4",
	       "x:1:13: expected the end of the line, not a sign that means nothing here; put a "
	       "text in quotes");
}

TEST(the_line_is_shown)
{
	struct histree_error error = { 0 };
	assert_int_equal(read_text("on a:\n\tCPUs/0\t1\n", &error), HISTREE_ERR_ARGUMENT);
	assert_string_equal(error.message, "x:2:9: expected '=', '+=' or '-=' after the path, not '1'\n"
					   "   CPUs/0 1\n"
					   "          ^");
}

/* A line of which only a part can be shown, with characters of several bytes around the place. */
TEST(long_lines_are_cut)
{
	char text[1000] = "on a: A = \"";
	for (int i = 0; i < 100; i++)
		strcat(text, "\xc3\xa4");
	strcat(text, "\" 1 + ");
	for (int i = 0; i < 100; i++)
		strcat(text, "\xc3\xa4");
	struct histree_error error = { 0 };
	assert_int_equal(read_text(text, &error), HISTREE_ERR_ARGUMENT);
	assert_non_null(strstr(error.message, "x:1:114: expected the end of the line, not '1'"));
	assert_int_equal(error.message[strlen(error.message) - 1], '^');
	assert_null(strstr(error.message, "\n  \xa4"));
}

/* Returns `count` times the text, between others; to be freed. */
static char *repeat(const char *before, const char *text, size_t count, const char *after)
{
	char *whole = malloc(strlen(before) + count * strlen(text) + strlen(after) + 1), *at = whole;
	assert_non_null(whole);
	at = stpcpy(at, before);
	for (size_t i = 0; i < count; i++)
		at = stpcpy(at, text);
	strcpy(at, after);
	return whole;
}

static void refuse_repeated(const char *before, const char *text, size_t count, const char *part)
{
	char *whole = repeat(before, text, count, "");
	struct histree_error error = { 0 };
	assert_int_equal(read_text(whole, &error), HISTREE_ERR_ARGUMENT);
	if (strstr(error.message, part) == NULL)
		fail_msg("expected '%s', not '%s'", part, error.message);
	free(whole);
}

TEST(what_is_too_large)
{
	refuse_repeated("on a: A = ", "(", 100, "more than 64 levels within one another");
	refuse_repeated("on a: A = ", "-", 100, "more than 64 levels within one another");
	refuse_repeated("on a when ", "!", 100, "more than 64 levels within one another");
	refuse_repeated("on a: A = ", "state(B/{", 100, "more than 64 levels within one another");
	refuse_repeated("on a: A = 1", " + 1", 300, "this expression is too large");
	refuse_repeated("", "on a: A = 1\n", 20000, "the analysis is too large");
	refuse_repeated("#", "x", LANGUAGE_BYTES_MAX, "an analysis may have 262144");
	refuse_repeated("on ", "a,", 3000, "too many events");
	char lets[4000] = "let a0 = x\n", line[40];
	for (int i = 1; i < 60; i++) {
		snprintf(line, sizeof(line), "let a%d = a%d + a%d\n", i, i - 1, i - 1);
		strcat(lets, line);
	}
	refuse_repeated(lets, "on a: A = a59\n", 1, "this expression is too large, with what its names stand for");
	char *deep = repeat("on a:\n", "", 0, "");
	deep = realloc(deep, 10000);
	assert_non_null(deep);
	for (int i = 1; i < 40; i++) {
		char blanks[50] = "";
		memset(blanks, ' ', (size_t)i);
		strcat(strcat(deep, blanks), "if x:\n");
	}
	struct histree_error error = { 0 };
	assert_int_equal(read_text(deep, &error), HISTREE_ERR_ARGUMENT);
	assert_non_null(strstr(error.message, "indented too often"));
	free(deep);
}
