// SPDX-License-Identifier: MIT
#include "trace/perfetto/perfetto_markers.h"

/* protos/perfetto/trace/ftrace/ftrace_event.proto, ftrace.proto */
enum { EVENT_TIME = 1, EVENT_PID = 2, EVENT_PRINT = 3, PRINT_TEXT = 2 };

struct print {
	uint64_t time;
	int32_t pid;
	const char *text; /* NULL: it is none */
	size_t size;
};

static struct print read_print(struct wire_message event)
{
	struct print print = { .pid = MARKERS_NO_THREAD };
	struct wire_field field, inside;
	while (wire_next(&event, &field)) {
		if (field.number == EVENT_TIME) {
			print.time = field.value;
		} else if (field.number == EVENT_PID) {
			print.pid = (int32_t)field.value;
		} else if (field.number == EVENT_PRINT && field.bytes != NULL) {
			struct wire_message content = wire_inside(&field);
			while (wire_next(&content, &inside))
				if (inside.number == PRINT_TEXT && inside.bytes != NULL) {
					print.text = (const char *)inside.bytes;
					print.size = inside.size;
				}
		}
	}
	return print;
}

bool perfetto_markers_are_in(struct wire_message bundle)
{
	struct wire_field field;
	while (wire_next(&bundle, &field)) {
		if (field.number != BUNDLE_EVENT || field.bytes == NULL)
			continue;
		const struct print print = read_print(wire_inside(&field));
		if (print.text != NULL && packed_marker_is(print.text, print.size))
			return true;
	}
	return false;
}

enum histree_status perfetto_markers_read(struct packed_markers *markers, const struct perfetto_clocks *clocks,
					  struct wire_message message, struct histree_error *error)
{
	const struct perfetto_bundle bundle = perfetto_bundle_read(message);
	struct wire_field field;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && wire_next(&message, &field)) {
		histree_time time;
		if (field.number != BUNDLE_EVENT || field.bytes == NULL)
			continue;
		const struct print print = read_print(wire_inside(&field));
		if (print.text != NULL && perfetto_bundle_time(&bundle, clocks, print.time, &time))
			status = packed_markers_take(markers, time, &(struct marker_thread){ print.pid, NULL, 0 },
						     print.text, print.size, error);
	}
	return status;
}
