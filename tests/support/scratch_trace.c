// SPDX-License-Identifier: MIT
#include "support/scratch_trace.h"

#include <sys/mman.h>

#include "support/data.h"
#include "support/test.h"

char scratch[64];

static int scratch_file = -1;

int scratch_make(void **state)
{
	(void)state;
	scratch_file = memfd_create("trace", 0);
	snprintf(scratch, sizeof(scratch), "/proc/self/fd/%d", scratch_file);
	return scratch_file < 0 ? -1 : 0;
}

int scratch_remove(void **state)
{
	(void)state;
	return close(scratch_file);
}

void scratch_write(const void *bytes, size_t size)
{
	assert_int_equal(ftruncate(scratch_file, 0), 0);
	assert_int_equal(pwrite(scratch_file, bytes, size, 0), (ssize_t)size);
}

struct trace *trace_must_open(const char *path)
{
	struct trace *trace;
	struct histree_error error = { 0 };
	if (trace_open(&path, 1, &trace, &error) != HISTREE_OK)
		fail_msg("%s: %s", path, error.message);
	return trace;
}

size_t source_read(const char *name, void *bytes, size_t room)
{
	char path[DATA_PATH_SIZE];
	FILE *file = fopen(source_path(path, name), "rb");
	assert_non_null(file);
	size_t size = fread(bytes, 1, room, file);
	fclose(file);
	assert_in_range(size, 1000, room - 1);
	return size;
}

unsigned scratch_read(bool *is_refused, bool *is_damaged)
{
	const char *path = scratch;
	struct trace *trace;
	struct event event;
	struct histree_error error = { 0 };
	unsigned events = 0;
	enum histree_status status = trace_open(&path, 1, &trace, &error);
	*is_refused = status != HISTREE_OK;
	*is_damaged = false;
	if (*is_refused) {
		assert_true(status == HISTREE_ERR_TRACE);
		assert_true(strlen(error.message) > 20);
		return 0;
	}
	trace_want_gaps(trace);
	while ((status = trace_next(trace, &event, &error)) == HISTREE_OK) {
		int64_t number;
		const char *text;
		size_t size;
		for (uint32_t field = 0; event.gap == NULL && field < event.class->field_count; field++)
			if (!event_int(&event, field, &number) && event_string(&event, field, &text, &size) &&
			    size > 0)
				assert_true(text[0] != '\0' && text[size - 1] != '\0');
		events += event.gap == NULL;
	}
	assert_int_equal(status, HISTREE_END);
	*is_damaged = trace_report(trace).damaged_streams > 0;
	trace_close(trace);
	return events;
}
