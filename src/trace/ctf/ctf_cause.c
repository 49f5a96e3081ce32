// SPDX-License-Identifier: MIT
#include "trace/ctf/ctf_cause.h"

#include <babeltrace2/babeltrace.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The length of "name-addr=0x1234, " at the start of `text`, or 0: it says nothing to a reader. */
static size_t address_length(const char *text)
{
	size_t name = strspn(text, "abcdefghijklmnopqrstuvwxyz-");
	if (name < 4 || strncmp(text + name, "=0x", 3) != 0)
		return 0;
	size_t end = name + strcspn(text + name, ", ");
	return end + strspn(text + end, ", ");
}

static void copy_cause(char *text, size_t size, const char *cause)
{
	size_t used = 0;
	bool word_begins = true;
	while (*cause != '\0' && used + 1 < size) {
		size_t skipped = word_begins ? address_length(cause) : 0;
		if (skipped > 0) {
			cause += skipped;
			continue;
		}
		char byte = isspace((unsigned char)*cause) ? ' ' : *cause;
		word_begins = byte == ' ';
		text[used++] = byte;
		cause++;
	}
	while (used > 0 && strchr(" .,:", text[used - 1]) != NULL)
		used--;
	text[used] = '\0';
	/* "Cannot open" begins a sentence there and continues one here; "CTF" stays. */
	if (used > 1 && islower((unsigned char)text[1]))
		text[0] = (char)tolower((unsigned char)text[0]);
}

void ctf_cause_take(char *text, size_t size)
{
	snprintf(text, size, "unknown cause");
	const bt_error *error = bt_current_thread_take_error();
	if (error == NULL)
		return;
	if (bt_error_get_cause_count(error) > 0)
		copy_cause(text, size, bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0)));
	bt_error_release(error);
}

void ctf_cause_drop(void)
{
	bt_current_thread_clear_error();
}
