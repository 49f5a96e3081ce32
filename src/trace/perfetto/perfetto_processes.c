// SPDX-License-Identifier: MIT
#include "trace/perfetto/perfetto_processes.h"

enum { TREE_PROCESS = 1, TREE_THREAD = 2 };

struct process {
	int32_t pid, parent;
	const char *name; /* the path of its program */
	size_t name_size;
};

struct thread {
	int32_t tid, pid;
	const char *name;
	size_t name_size;
};

static struct process read_process(struct wire_message message)
{
	enum { PID = 1, PARENT = 2, COMMAND = 3 };
	struct process process = { .name = "" };
	struct wire_field field;
	while (wire_next(&message, &field)) {
		if (field.number == PID)
			process.pid = (int32_t)field.value;
		else if (field.number == PARENT)
			process.parent = (int32_t)field.value;
		else if (field.number == COMMAND && field.bytes != NULL && process.name_size == 0) {
			process.name = (const char *)field.bytes;
			process.name_size = field.size;
		}
	}
	return process;
}

static struct thread read_thread(struct wire_message message)
{
	enum { TID = 1, NAME = 2, PID = 3 };
	struct thread thread = { .name = "" };
	struct wire_field field;
	while (wire_next(&message, &field)) {
		if (field.number == TID)
			thread.tid = (int32_t)field.value;
		else if (field.number == PID)
			thread.pid = (int32_t)field.value;
		else if (field.number == NAME && field.bytes != NULL) {
			thread.name = (const char *)field.bytes;
			thread.name_size = field.size;
		}
	}
	return thread;
}

/* ---- of the kernel --------------------------------------------------------------------------------------- */

/* The last is what LTTng says of a thread of which it does not know what it does. */
enum { KERNEL_FIELDS = 5, STATUS_UNKNOWN = 0 };

/* A program is called after its file, and the kernel keeps fifteen bytes of that. */
static struct packed_cell command_name(const struct process *process)
{
	enum { COMM_MAX = 15 };
	const char *name = process->name;
	size_t size = process->name_size;
	const char *slash = memrchr(name, '/', size);
	if (slash != NULL) {
		size -= (size_t)(slash + 1 - name);
		name = slash + 1;
	}
	return packed_text(name, size > COMM_MAX ? COMM_MAX : size);
}

static const struct packed_class *kernel_class(struct packed_source *packed, struct histree_error *error)
{
	static const char *const fields[KERNEL_FIELDS] = { "pid", "tgid", "ppid", "comm", "status" };
	const struct event_class as = { .name = "perfetto:thread",
					.field_count = KERNEL_FIELDS,
					.fields = fields,
					.payload_count = KERNEL_FIELDS };
	return packed_source_class(packed, &as, error);
}

enum histree_status perfetto_processes_of_kernel(struct packed_source *packed, struct wire_message tree,
						 histree_time time, struct histree_error *error)
{
	struct wire_field field;
	enum histree_status status = HISTREE_OK;
	const struct packed_class *class = kernel_class(packed, error);
	if (class == NULL)
		return error->status;
	while (status == HISTREE_OK && wire_next(&tree, &field)) {
		struct packed_cell cells[KERNEL_FIELDS];
		cells[4] = packed_int(STATUS_UNKNOWN);
		if (field.number == TREE_PROCESS) {
			const struct process process = read_process(wire_inside(&field));
			cells[0] = cells[1] = packed_int(process.pid);
			cells[2] = packed_int(process.parent);
			cells[3] = command_name(&process);
		} else if (field.number == TREE_THREAD) {
			const struct thread thread = read_thread(wire_inside(&field));
			cells[0] = packed_int(thread.tid);
			cells[1] = packed_int(thread.pid);
			cells[2] = (struct packed_cell){ .kind = PACKED_ABSENT };
			cells[3] = packed_text(thread.name, thread.name_size);
		} else {
			continue;
		}
		const struct packed_event event = { .time = time, .cpu = -1, .class = class, .cells = cells };
		status = packed_source_add(packed, &event, error);
	}
	return status;
}
