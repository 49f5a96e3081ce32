// SPDX-License-Identifier: MIT
/*
 * fuzz_live.c - bytes as all answers of a relay daemon, whatever it is asked.  The session ends, with no more
 * events than there are bits, and each field of each is within what was received.
 */
#include <stdio.h>

#include "fuzz.h"
#include "support/live_daemon.h"
#include "trace/ctf/ctf_live.h"

static volatile uint64_t seen; /* so that each byte of a text is looked at */

static void look_at(const struct event *event)
{
	int64_t number;
	const char *text;
	size_t size;
	for (uint32_t field = 0; event->gap == NULL && field < event->class->field_count; field++) {
		if (event_int(event, field, &number))
			seen += (uint64_t)number;
		else if (event_string(event, field, &text, &size))
			for (size_t i = 0; i < size; i++)
				seen += (unsigned char)text[i];
	}
}

FUZZ_TARGET(bytes, size)
{
	struct trace_notes notes = { 0 };
	uint32_t class_count = 0;
	struct live_answers answers = { .bytes = bytes, .size = size, .part_size = size % 5 == 0 ? 100 : 0 };
	struct ctf_live live = { .notes = &notes, .class_count = &class_count };
	live_answers_connect(&answers, &live.relay);
	enum histree_status status = ctf_live_attach(&live, LIVE_DAEMON_ADDRESS, NULL);
	uint64_t turns = 0;
	while (status == HISTREE_OK || status == HISTREE_NOT_FOUND) {
		REQUIRE(turns++ <= 16 * (uint64_t)size + 64);
		status = ctf_live_next(&live, NULL);
		if (status == HISTREE_OK)
			look_at(&live.upcoming);
	}
	REQUIRE(status == HISTREE_END || status == HISTREE_ERR_TRACE);
	ctf_live_close(&live);
	trace_notes_release(&notes);
	return 0;
}
