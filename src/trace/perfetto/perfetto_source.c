// SPDX-License-Identifier: MIT
/*
 * perfetto_source.c - a trace of Perfetto: the events of ftrace are one trace, those of tracks another.
 *
 * The facts of a trace may be anywhere in the file: they are found by a walk over its packets.
 *
 * Names of processes and threads, as /proc had them
 * (protos/perfetto/trace/ps/process_tree.proto).
 *
 * The print events of ftrace in which programs mark what they do (packed_markers.h), and the calls of functions
 * that ftrace's function_graph tracer has met, which are spans of their threads beside all others.
 *
 * Then all packets of a trace are read, and each kind is handled.
 */
#include "trace/formats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "event/event.h"
#include "trace/packed/packed_markers.h"
#include "trace/packed/packed_source.h"
#include "trace/perfetto/perfetto_ftrace.h"
#include "trace/perfetto/perfetto_packets.h"
#include "trace/perfetto/perfetto_readings.h"
#include "trace/perfetto/perfetto_track_events.h"
#include "trace/perfetto/perfetto_tracks.h"
#include "trace/perfetto/wire.h"
#include "trace/task_states.h"
#include "trace/trace_source.h"

/* What data sources record that is not read, by the numbers of its fields (trace_packet.proto). */
static const struct {
	uint32_t number;
	const char *name;
} unread_kinds[] = {
	{ 5, "chrome_events" },
	{ 37, "profile_packet" },
	{ 46, "trigger" },
	{ 49, "perfetto_metatrace" },
	{ 56, "heap_graph" },
	{ 57, "graphics_frame_event" },
	{ 62, "vulkan_memory_event" },
	{ 63, "gpu_log" },
	{ 65, "vulkan_api_event" },
	{ 68, "smaps_packet" },
	{ 70, "initial_display_state" },
	{ 73, "memory_tracker_snapshot" },
	{ 74, "streaming_allocation" },
	{ 75, "streaming_free" },
	{ 84, "statsd_atom" },
	{ 86, "android_system_property" },
	{ 88, "network_packet" },
	{ 92, "network_packet_bundle" },
	{ 95, "etw_events" },
	{ 110, "pixel_modem_events" },
	{ 115, "kernel_wakelock_data" },
	{ 119, "cpu_per_uid_data" },
	{ 129, "generic_gpu_frequency_event" },
	{ 132, "journald_event" },
	{ 135, "stack_sample" },
};

enum { UNREAD_KINDS = sizeof(unread_kinds) / sizeof(unread_kinds[0]) };

/* A zeroed one is closed. */
struct perfetto_file {
	unsigned users; /* sources of one trace, which read a part each */
	struct trace_facts facts;
	char machine[TRACE_FACT_SIZE]; /* "x86_64" */
	struct perfetto_clocks clocks;
	struct perfetto_tracks tracks;
	bool has_ftrace, has_tracks; /* events of the kernel, and of tracks */
	bool has_markers;            /* of tracks, among the events of the kernel */
	bool has_calls;              /* of the kernel's functions, likewise */
	struct id_map callers;       /* threads that made some; struct perfetto_file itself */
	bool has_samples;
	bool has_readings;
	struct id_map measured;        /* processes that readings are of; struct perfetto_file itself */
	uint64_t unread[UNREAD_KINDS]; /* packets */
	uint64_t size;                 /* of the file */
};

enum perfetto_part { PERFETTO_FTRACE, PERFETTO_TRACKS };

static void perfetto_file_release(struct perfetto_file *file);
static bool perfetto_markers_look(struct perfetto_file *file, struct wire_message bundle);

/* ---- perfetto file ------------------------------------------------------------------------------------------- */

/* What was said before stays where nothing is said now. */
static void copy_text(char out[TRACE_FACT_SIZE], struct perfetto_text text)
{
	const size_t size = text.size < TRACE_FACT_SIZE ? text.size : TRACE_FACT_SIZE - 1;
	if (text.bytes == NULL)
		return;
	memcpy(out, text.bytes, size);
	out[size] = '\0';
}

/* protos/perfetto/common/system_info.proto */

static void read_system(struct perfetto_file *file, struct wire_message message)
{
	enum { UTSNAME = 1, MACHINE_NAME = 17, RELEASE = 3, MACHINE = 4 };
	const struct perfetto_flat system = perfetto_flat(message);
	const struct perfetto_text inside = system.texts[UTSNAME];
	const struct perfetto_flat utsname = perfetto_flat(wire_message(inside.bytes, inside.size));
	copy_text(file->facts.kernel, utsname.texts[RELEASE]);
	copy_text(file->machine, utsname.texts[MACHINE]);
	copy_text(file->facts.hostname, system.texts[MACHINE_NAME]);
}

static void read_uuid(struct perfetto_file *file, struct wire_message message)
{
	const struct perfetto_flat uuid = perfetto_flat(message);
	const uint64_t halves[] = { uuid.numbers[1], uuid.numbers[2] };
	snprintf(file->facts.uuid, sizeof(file->facts.uuid),
		 "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64, halves[0] >> 32,
		 halves[0] >> 16 & 0xffff, halves[0] & 0xffff, halves[1] >> 48,
		 halves[1] & UINT64_C(0xffffffffffff));
}

static enum histree_status perfetto_file_read_packet(struct perfetto_file *file, struct wire_message message,
						     struct histree_error *error)
{
	struct perfetto_packet packet;
	perfetto_packet_read(&packet, message);
	if (packet.machine != 0)
		return HISTREE_OK;
	for (size_t i = 0; packet.other != 0 && i < UNREAD_KINDS; i++)
		file->unread[i] += packet.other == unread_kinds[i].number;
	switch (packet.data) {
	case PERFETTO_CLOCK_SNAPSHOT:
		return perfetto_clocks_learn(&file->clocks, packet.content)
			       ? HISTREE_OK
			       : error_memory(error, "the clocks of a trace");
	case PERFETTO_FTRACE_EVENTS:
		file->has_ftrace = true;
		return perfetto_markers_look(file, packet.content)
			       ? HISTREE_OK
			       : error_memory(error, "the threads that call functions of the kernel");
	case PERFETTO_TASK_STATE:
	case PERFETTO_TASK_FREQUENCY:
		file->has_ftrace = true;
		break;
	case PERFETTO_TRACK_EVENT:
		file->has_tracks = true;
		break;
	case PERFETTO_PERF_SAMPLE:
	case PERFETTO_STREAMING_PROFILE:
		file->has_samples = true;
		break;
	case PERFETTO_TRACK_DESCRIPTOR:
		return perfetto_tracks_add(&file->tracks, packet.content)
			       ? HISTREE_OK
			       : error_memory(error, "the tracks of a trace");
	case PERFETTO_TRANSLATION_TABLE:
		return perfetto_tracks_translate(&file->tracks, packet.content)
			       ? HISTREE_OK
			       : error_memory(error, "the names of a trace");
	case PERFETTO_SYSTEM_INFO:
		read_system(file, packet.content);
		break;
	case PERFETTO_TRACE_UUID:
		read_uuid(file, packet.content);
		break;
	default:
		if (!perfetto_readings_are(packet.data))
			break;
		file->has_readings = true;
		return perfetto_readings_owners(&packet, &file->measured, file)
			       ? HISTREE_OK
			       : error_memory(error, "the processes that were measured");
	}
	return HISTREE_OK;
}

/* Returns HISTREE_ERR_TRACE if it is no trace of Perfetto, HISTREE_ERR_IO, HISTREE_ERR_MEMORY. */
static enum histree_status perfetto_file_read(struct perfetto_file *file, const struct io *io, const char *path,
					      struct histree_error *error)
{
	struct perfetto_packets packets;
	*file = (struct perfetto_file){ .facts = { .tracer = "perfetto" } };
	enum histree_status status = perfetto_packets_open(&packets, io, path, error);
	file->size = packets.bytes.size;
	if (status == HISTREE_OK) {
		/* Damage is reported where the events are read. */
		struct wire_message message;
		bool is_first = true;
		do {
			status = perfetto_packets_next(&packets, &message, error);
			if (status == HISTREE_OK)
				status = perfetto_file_read_packet(file, message, error);
			else if (status == HISTREE_ERR_TRACE && !is_first)
				status = perfetto_packets_resume(&packets, error);
			is_first = false;
		} while (status == HISTREE_OK);
		status = status == HISTREE_END ? HISTREE_OK : status;
	}
	perfetto_packets_close(&packets);
	if (status != HISTREE_OK)
		perfetto_file_release(file);
	if (status != HISTREE_OK)
		return status;
	perfetto_clocks_finish(&file->clocks);
	file->tracks.has_markers = file->has_markers;
	file->has_tracks =
		file->has_tracks || file->has_markers || file->has_calls || file->has_samples || file->has_readings;
	file->facts.has_clock = true;
	file->facts.zero = (histree_time)file->clocks.wall;
	file->facts.frequency = 1000000000;
	return HISTREE_OK;
}

static void perfetto_file_release(struct perfetto_file *file)
{
	perfetto_clocks_release(&file->clocks);
	perfetto_tracks_release(&file->tracks);
	id_map_release(&file->callers);
	id_map_release(&file->measured);
	*file = (struct perfetto_file){ 0 };
}

/* ---- perfetto processes -------------------------------------------------------------------------------------- */

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

/* The thread of a process that has its number; a program is called after its file. */
static struct thread main_thread(struct process process)
{
	const char *slash = memrchr(process.name, '/', process.name_size);
	const size_t skipped = slash != NULL ? (size_t)(slash + 1 - process.name) : 0;
	return (struct thread){
		.tid = process.pid,
		.pid = process.pid,
		.name = process.name + skipped,
		.name_size = process.name_size - skipped,
	};
}

static struct thread perfetto_processes_read_thread(struct wire_message message)
{
	enum { TID = 1, NAME = 2, PID = 3 };
	const struct perfetto_flat thread = perfetto_flat(message);
	return (struct thread){
		.tid = (int32_t)thread.numbers[TID],
		.pid = (int32_t)thread.numbers[PID],
		.name = thread.texts[NAME].size > 0 ? thread.texts[NAME].bytes : "",
		.name_size = thread.texts[NAME].size,
	};
}

/* ---- of the kernel --------------------------------------------------------------------------------------- */

/* The last is a thread of which LTTng does not know what it does. */
enum { KERNEL_FIELDS = 5, STATUS_UNKNOWN = 0 };

/* As events "perfetto:thread" of a kernel trace, with the kernel's words for the ids. */
static enum histree_status perfetto_processes_of_kernel(struct packed_source *packed, struct wire_message tree,
							histree_time time, struct histree_error *error)
{
	struct wire_field field;
	enum histree_status status = HISTREE_OK;
	static const char *const fields[KERNEL_FIELDS] = { "pid", "tgid", "ppid", "comm", "status" };
	const struct event_class as = { .name = "perfetto:thread",
					.field_count = KERNEL_FIELDS,
					.fields = fields,
					.payload_count = KERNEL_FIELDS };
	const struct packed_class *class = packed_source_class(packed, &as, error);
	if (class == NULL)
		return error->status;
	while (status == HISTREE_OK && wire_next(&tree, &field)) {
		struct packed_cell cells[KERNEL_FIELDS];
		cells[4] = packed_int(STATUS_UNKNOWN);
		if (field.number == TREE_PROCESS) {
			const struct process process = read_process(wire_inside(&field));
			cells[0] = cells[1] = packed_int(process.pid);
			cells[2] = packed_int(process.parent);
			/* The kernel keeps fifteen bytes of a name. */
			enum { COMM_MAX = 15 };
			const struct thread main = main_thread(process);
			cells[3] = packed_text(main.name, main.name_size > COMM_MAX ? COMM_MAX : main.name_size);
		} else if (field.number == TREE_THREAD) {
			const struct thread thread = perfetto_processes_read_thread(wire_inside(&field));
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

/* ---- perfetto markers ---------------------------------------------------------------------------------------- */

/* protos/perfetto/trace/ftrace/ftrace_event.proto, ftrace.proto */
enum {
	EVENT_TIME = 1,
	EVENT_PID = 2,
	EVENT_PRINT = 3,
	EVENT_CALL = 437,
	EVENT_RETURN = 438,
	EVENT_PROBE = 542,
	PRINT_TEXT = 2
};

/* Idle threads share the number 0, and an event may say no thread: who calls is the CPU. */
#define CALLER_CPU (UINT64_C(1) << 32)

/*
 * Events tracing_mark_write of drivers, of mdss, sde, dpu, g2d, mali, lwis and samsung, and the fields that have
 * the parts of a marker.  Where there is no letter, a span begins or ends.  Field 0: it has none.
 */
static const struct driver_mark {
	uint32_t event;
	uint8_t process, name, letter, value, begins;
} driver_marks[] = {
	{ 80, 1, 2, 0, 0, 3 },  { 333, 1, 2, 3, 4, 5 }, { 348, 1, 4, 5, 6, 0 }, { 348, 1, 2, 0, 0, 3 },
	{ 349, 1, 4, 5, 6, 0 }, { 350, 2, 1, 3, 4, 0 }, { 467, 3, 4, 2, 5, 0 }, { 484, 1, 2, 4, 5, 3 }
};

enum { DRIVER_MARKS = sizeof(driver_marks) / sizeof(driver_marks[0]), MARK_SIZE = 512 };

/* An event that says something of tracks. */
struct mark {
	uint64_t time;
	int32_t pid;
	uint32_t kind;   /* EVENT_PRINT, EVENT_CALL, EVENT_RETURN, EVENT_PROBE; 0: another one */
	uint32_t driver; /* of EVENT_PRINT: the event of a driver that says the same; 0: none does */
	struct wire_message content;
};

static bool is_driver_mark(uint32_t event)
{
	for (size_t i = 0; i < DRIVER_MARKS; i++)
		if (driver_marks[i].event == event)
			return true;
	return false;
}

static struct mark read_mark(struct wire_message event)
{
	struct mark mark = { .pid = MARKERS_NO_THREAD };
	struct wire_field field;
	while (wire_next(&event, &field)) {
		if (field.number == EVENT_TIME) {
			mark.time = field.value;
		} else if (field.number == EVENT_PID) {
			mark.pid = (int32_t)field.value;
		} else if (field.bytes != NULL && (field.number == EVENT_PRINT || field.number == EVENT_CALL ||
						   field.number == EVENT_RETURN || field.number == EVENT_PROBE)) {
			mark.kind = field.number;
			mark.content = wire_inside(&field);
		} else if (field.bytes != NULL && is_driver_mark(field.number)) {
			mark.kind = EVENT_PRINT;
			mark.driver = field.number;
			mark.content = wire_inside(&field);
		}
	}
	return mark;
}

/* What a driver says, as programs write it: "B|100|name".  Names are short; bytes NULL: it is no marker. */
static struct perfetto_text text_of_driver(const struct mark *mark, char written[static MARK_SIZE])
{
	const struct perfetto_flat flat = perfetto_flat(mark->content);
	for (size_t i = 0; i < DRIVER_MARKS; i++) {
		const struct driver_mark *parts = &driver_marks[i];
		const bool has_letter = parts->letter > 0 && perfetto_flat_has(&flat, parts->letter);
		const struct perfetto_text name = flat.texts[parts->name];
		if (parts->event != mark->driver ||
		    (!has_letter && (parts->begins == 0 || !perfetto_flat_has(&flat, parts->begins))))
			continue;
		const char letter = has_letter                         ? (char)flat.numbers[parts->letter]
				    : flat.numbers[parts->begins] != 0 ? 'B'
								       : 'E';
		const bool has_value = letter == 'C' || letter == 'S' || letter == 'F';
		int size = snprintf(
			written, MARK_SIZE, "%c|%" PRId32 "|%.*s", letter, (int32_t)flat.numbers[parts->process],
			letter == 'E' ? 0 : (int)(name.size < MARK_SIZE / 2 ? name.size : MARK_SIZE / 2),
			name.bytes != NULL ? name.bytes : "");
		if (has_value)
			size += snprintf(written + size, (size_t)(MARK_SIZE - size), "|%" PRId64,
					 (int64_t)flat.numbers[parts->value]);
		return (struct perfetto_text){ written, (size_t)size };
	}
	return (struct perfetto_text){ NULL, 0 };
}

/* Bytes NULL: it has no text.  That of a driver is in `written`. */
static struct perfetto_text text_of_mark(const struct mark *mark, char written[static MARK_SIZE])
{
	struct perfetto_text text = { NULL, 0 };
	struct wire_field field;
	if (mark->driver != 0)
		return text_of_driver(mark, written);
	struct wire_message content = mark->content;
	while (wire_next(&content, &field))
		if (field.number == PRINT_TEXT && field.bytes != NULL)
			text = (struct perfetto_text){ (const char *)field.bytes, field.size };
	return text;
}

/* Find what a bundle of ftrace has of tracks.  Returns false if memory runs out. */
static bool perfetto_markers_look(struct perfetto_file *file, struct wire_message bundle)
{
	const uint32_t cpu = perfetto_bundle_read(bundle).cpu;
	struct wire_field field;
	while (wire_next(&bundle, &field)) {
		if (field.number != BUNDLE_EVENT || field.bytes == NULL)
			continue;
		const struct mark mark = read_mark(wire_inside(&field));
		if (mark.kind == EVENT_PRINT && !file->has_markers) {
			char written[MARK_SIZE];
			const struct perfetto_text text = text_of_mark(&mark, written);
			file->has_markers = text.bytes != NULL && packed_marker_is(text.bytes, text.size);
		} else if (mark.kind != EVENT_PRINT && mark.kind != 0) {
			const uint64_t caller = mark.pid > 0 ? (uint32_t)mark.pid : CALLER_CPU + cpu;
			file->has_calls = true;
			if (id_map_find(&file->callers, caller) == NULL &&
			    !id_map_add(&file->callers, caller, file))
				return false;
		}
	}
	return true;
}

/* ---- calls ----------------------------------------------------------------------------------------------- */

enum { CPU_NAME_SIZE = 32 };

static struct packed_cell name_of_cpu(uint32_t cpu, char text[static CPU_NAME_SIZE])
{
	const int size = snprintf(text, CPU_NAME_SIZE, "CPU %" PRIu32, cpu);
	return packed_text(text, (size_t)size);
}

static enum histree_status add_call(struct perfetto_track_events *tracks, enum track_class class, histree_time time,
				    const struct packed_cell *cells, struct histree_error *error)
{
	const struct packed_event event = {
		.time = time, .cpu = -1, .class = tracks->classes[class], .cells = cells
	};
	return packed_source_add(tracks->packed, &event, error);
}

/*
 * A call is on the track of its thread that has no process, so that nothing else lies between calls; idle threads
 * share a number, and their calls are on the track of the CPU.  What a function is called is interned, if the
 * recorder was asked to; a probe says its name.
 */
static enum histree_status read_call(struct perfetto_track_events *tracks, struct perfetto_sequence *sequence,
				     const struct mark *mark, uint32_t cpu, histree_time time,
				     struct histree_error *error)
{
	enum { PROBE_NAME = 1, PROBE_TYPE = 2, PROBE_BEGINS = 1, PROBE_ENDS = 2 };
	const uint32_t function_field = mark->kind == EVENT_CALL ? 2 : 3;
	enum track_class class = mark->kind == EVENT_CALL ? TRACK_SPAN_BEGIN : TRACK_SPAN_END;
	struct packed_cell cells[TRACK_FIELD_COUNT] = { { .kind = PACKED_ABSENT } };
	struct wire_message content = mark->content;
	struct wire_field field;
	uint64_t function = 0, type = 0;
	char address[32], track[CPU_NAME_SIZE];
	while (wire_next(&content, &field)) {
		function = field.number == function_field ? field.value : function;
		type = field.number == PROBE_TYPE ? field.value : type;
		if (mark->kind == EVENT_PROBE && field.number == PROBE_NAME && field.bytes != NULL)
			cells[TRACK_NAME] = packed_text((const char *)field.bytes, field.size);
	}
	const struct perfetto_text *name =
		perfetto_interned_find(&sequence->interned, PERFETTO_KERNEL_SYMBOLS, function);
	if (mark->kind == EVENT_PROBE)
		class = type == PROBE_BEGINS ? TRACK_SPAN_BEGIN
			: type == PROBE_ENDS ? TRACK_SPAN_END
					     : TRACK_INSTANT;
	else if (name != NULL)
		cells[TRACK_NAME] = packed_text(name->bytes, name->size);
	else
		cells[TRACK_NAME] =
			packed_text(address, (size_t)snprintf(address, sizeof(address), "0x%" PRIx64, function));
	if (mark->pid > 0) {
		cells[TRACK_TID] = packed_int(mark->pid);
		return add_call(tracks, class, time, cells, error);
	}
	cells[TRACK_TRACK] = name_of_cpu(cpu, track);
	return add_call(tracks, class, time, cells, error);
}

static enum histree_status name_cpus(struct perfetto_track_events *tracks, const struct id_map *callers,
				     struct histree_error *error)
{
	const struct id_entry *entry;
	enum histree_status status = HISTREE_OK;
	char track[CPU_NAME_SIZE];
	for (size_t at = 0; status == HISTREE_OK && (entry = id_map_next(callers, &at)) != NULL;) {
		if (entry->id < CALLER_CPU)
			continue;
		const struct packed_cell name = name_of_cpu((uint32_t)(entry->id - CALLER_CPU), track);
		const struct packed_cell cells[TRACK_FIELD_COUNT] = { [TRACK_TRACK] = name, [TRACK_NAME] = name };
		status = add_call(tracks, TRACK_TRACK_NAME, PACKED_NO_TIME, cells, error);
	}
	return status;
}

static enum histree_status name_from_tree(struct perfetto_track_events *tracks, enum track_class class,
					  const struct thread *thread, struct histree_error *error)
{
	struct packed_cell cells[TRACK_FIELD_COUNT] = { [TRACK_NAME] =
								packed_text(thread->name, thread->name_size) };
	/* Calls lie on tracks of threads without a process. */
	cells[class == TRACK_PROCESS_NAME ? TRACK_PID : TRACK_TID] = packed_int(thread->tid);
	return thread->name_size > 0 ? add_call(tracks, class, PACKED_NO_TIME, cells, error) : HISTREE_OK;
}

/* Threads that call, and processes that readings are of, as far as a process tree knows. */
static enum histree_status name_owners(struct perfetto_track_events *tracks, const struct perfetto_file *file,
				       struct wire_message tree, struct histree_error *error)
{
	struct wire_field field;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && wire_next(&tree, &field)) {
		const bool is_thread = field.number == TREE_THREAD;
		if (!is_thread && field.number != TREE_PROCESS)
			continue;
		const struct thread thread = is_thread ? perfetto_processes_read_thread(wire_inside(&field))
						       : main_thread(read_process(wire_inside(&field)));
		const uint64_t number = (uint64_t)thread.tid;
		if (thread.tid > 0 && id_map_find(&file->callers, number) != NULL)
			status = name_from_tree(tracks, TRACK_THREAD_NAME, &thread, error);
		/* Samples name all of them. */
		if (status == HISTREE_OK && !is_thread && !file->has_samples &&
		    id_map_find(&file->measured, number) != NULL)
			status = name_from_tree(tracks, TRACK_PROCESS_NAME, &thread, error);
	}
	return status;
}

/* ---- bundles --------------------------------------------------------------------------------------------- */

/* Add what a bundle of ftrace has of tracks. */
static enum histree_status perfetto_markers_read(struct packed_markers *markers,
						 struct perfetto_track_events *tracks,
						 struct perfetto_sequence *sequence,
						 const struct perfetto_clocks *clocks, struct wire_message message,
						 struct histree_error *error)
{
	const struct perfetto_bundle bundle = perfetto_bundle_read(message);
	struct wire_field field;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && wire_next(&message, &field)) {
		histree_time time;
		if (field.number != BUNDLE_EVENT || field.bytes == NULL)
			continue;
		const struct mark mark = read_mark(wire_inside(&field));
		if (mark.kind == 0 || !perfetto_bundle_time(&bundle, clocks, mark.time, &time))
			continue;
		if (mark.kind != EVENT_PRINT) {
			status = read_call(tracks, sequence, &mark, bundle.cpu, time, error);
			continue;
		}
		char written[MARK_SIZE];
		const struct perfetto_text text = text_of_mark(&mark, written);
		if (text.bytes != NULL && markers->packed != NULL)
			status = packed_markers_take(markers, time, &(struct marker_thread){ mark.pid, NULL, 0 },
						     text.bytes, text.size, error);
	}
	return status;
}

/* ---- perfetto reading ---------------------------------------------------------------------------------------- */

struct reading {
	struct packed_source *packed;
	struct perfetto_file *file;
	enum perfetto_part part;
	bool tells;
	bool is_damaged;
	struct perfetto_sequences sequences;
	struct perfetto_ftrace ftrace;
	struct perfetto_track_events tracks;
	struct packed_markers markers;
	struct perfetto_readings readings;
	struct perfetto_samples *samples;
	uint64_t elsewhere;    /* packets of other machines */
	uint64_t too_large;    /* events of threads whose numbers have more than 31 bits */
	uint64_t cut;          /* packets that are damaged inside */
	uint64_t without_time; /* events of tracks */
	uint64_t skipped;      /* the same: what they refer to is lost */
};

/* ---- kernels that are not Linux ------------------------------------------------------------------------------ */

/* protos/perfetto/trace/generic_kernel/; what ftrace has, too, is called as there. */
enum { GENERIC_FIELDS_MAX = 5 };

struct generic_class {
	const char *name;
	uint32_t count;
	const char *fields[GENERIC_FIELDS_MAX];
};

static enum histree_status add_generic(struct reading *reading, const struct generic_class *as, int32_t cpu,
				       histree_time time, const struct packed_cell *cells,
				       struct histree_error *error)
{
	const struct event_class named = {
		.name = as->name, .field_count = as->count, .fields = as->fields, .payload_count = as->count
	};
	const struct packed_class *class = packed_source_class(reading->packed, &named, error);
	const struct packed_event event = { .time = time, .cpu = cpu, .class = class, .cells = cells };
	return class == NULL ? error->status : packed_source_add(reading->packed, &event, error);
}

/* A thread, as it is numbered there; one of more bits than a kernel's numbers have is not read, and counted. */
static bool read_generic_thread(struct reading *reading, uint64_t number, struct packed_cell *out)
{
	*out = packed_int((int64_t)number);
	reading->too_large += number > INT32_MAX;
	return number <= INT32_MAX;
}

static struct packed_cell cell_of(const struct perfetto_flat *message, uint32_t field, bool is_text)
{
	if (!perfetto_flat_has(message, field))
		return (struct packed_cell){ .kind = PACKED_ABSENT };
	return is_text ? packed_text(message->texts[field].bytes, message->texts[field].size)
		       : packed_int((int32_t)message->numbers[field]);
}

static enum histree_status read_generic_tree(struct reading *reading, struct wire_message tree, histree_time time,
					     struct histree_error *error)
{
	enum { TID = 1, PID = 2, NAME = 3 };
	static const struct generic_class class = { "perfetto:thread",
						    5,
						    { "pid", "tgid", "ppid", "comm", "status" } };
	struct wire_field field;
	enum histree_status status = HISTREE_OK;
	/* A number of a process is that of no thread. */
	while (status == HISTREE_OK && wire_next(&tree, &field)) {
		struct packed_cell cells[GENERIC_FIELDS_MAX] = { [2] = { .kind = PACKED_ABSENT } };
		if (field.number != TREE_THREAD)
			continue;
		const struct perfetto_flat thread = perfetto_flat(wire_inside(&field));
		if (!read_generic_thread(reading, thread.numbers[TID], &cells[0]) ||
		    !read_generic_thread(reading, thread.numbers[PID], &cells[1]))
			continue;
		cells[3] = perfetto_flat_has(&thread, NAME) ? cell_of(&thread, NAME, true) : packed_text("", 0);
		cells[4] = packed_int(STATUS_UNKNOWN);
		status = add_generic(reading, &class, -1, time, cells, error);
	}
	return status;
}

static enum histree_status read_generic(struct reading *reading, const struct perfetto_packet *packet,
					histree_time time, struct histree_error *error)
{
	static const struct generic_class state = { "perfetto:task_state", 4, { "tid", "state", "prio", "comm" } };
	static const struct generic_class rename = { "task:task_rename", 2, { "pid", "newcomm" } };
	static const struct generic_class frequency = { "power:cpu_frequency", 2, { "cpu_id", "state" } };
	enum { CPU = 1, COMM = 2, TID = 3, STATE = 4, PRIO = 5, RUNNING = 3 };
	enum { RENAMED_TID = 1, RENAMED_COMM = 2, FREQUENCY_HZ = 2, KHZ = 1000 };
	const struct perfetto_flat message = perfetto_flat(packet->content);
	struct packed_cell cells[GENERIC_FIELDS_MAX];
	if (packet->data == PERFETTO_TASK_TREE)
		return read_generic_tree(reading, packet->content, time, error);
	if (packet->data == PERFETTO_TASK_FREQUENCY) {
		cells[0] = packed_int((int32_t)message.numbers[CPU]);
		cells[1] = packed_int((int64_t)(message.numbers[FREQUENCY_HZ] / KHZ));
		return add_generic(reading, &frequency, (int32_t)message.numbers[CPU], time, cells, error);
	}
	if (packet->data == PERFETTO_TASK_RENAME) {
		if (!read_generic_thread(reading, message.numbers[RENAMED_TID], &cells[0]))
			return HISTREE_OK;
		cells[1] = cell_of(&message, RENAMED_COMM, true);
		return add_generic(reading, &rename, -1, time, cells, error);
	}
	if (!read_generic_thread(reading, message.numbers[TID], &cells[0]))
		return HISTREE_OK;
	/* Where a thread is that does not run means nothing. */
	const int32_t cpu = message.numbers[STATE] == RUNNING ? (int32_t)message.numbers[CPU] : -1;
	cells[1] = packed_int((int32_t)message.numbers[STATE]);
	cells[2] = cell_of(&message, PRIO, false);
	cells[3] = cell_of(&message, COMM, true);
	return add_generic(reading, &state, cpu, time, cells, error);
}

static bool is_generic(enum perfetto_data data)
{
	return data == PERFETTO_TASK_STATE || data == PERFETTO_TASK_FREQUENCY || data == PERFETTO_TASK_RENAME ||
	       data == PERFETTO_TASK_TREE;
}

/* What a writer lost may have been of any CPU. */
static enum histree_status read_generic_packet(struct reading *reading, struct perfetto_sequence *sequence,
					       const struct perfetto_packet *packet, histree_time time,
					       struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (time == PACKED_NO_TIME && packet->data != PERFETTO_TASK_TREE) {
		reading->without_time++;
		return HISTREE_OK;
	}
	if (sequence->is_losing && sequence->has_events && time > sequence->last + 1) {
		const struct trace_span span = { .begin = sequence->last + 1, .end = time - 1 };
		trace_stream_note_loss(&reading->packed->stream, "packet", NULL, span);
		status = packed_source_lose(reading->packed, -1, span, 0, error);
	}
	sequence->is_losing = false;
	sequence->has_events = true;
	sequence->last = time != PACKED_NO_TIME && time > sequence->last ? time : sequence->last;
	return status == HISTREE_OK ? read_generic(reading, packet, time, error) : status;
}

/* ---- packets --------------------------------------------------------------------------------------------- */

static enum histree_status read_ftrace_packet(struct reading *reading, struct perfetto_sequence *sequence,
					      const struct perfetto_packet *packet, histree_time time,
					      struct histree_error *error)
{
	if (is_generic(packet->data))
		return read_generic_packet(reading, sequence, packet, time, error);
	if (packet->data == PERFETTO_PROCESS_TREE)
		return perfetto_processes_of_kernel(reading->packed, packet->content, time, error);
	if (packet->data == PERFETTO_FTRACE_STATS)
		perfetto_ftrace_count(&reading->ftrace, packet->content);
	/* It is not known which CPU's events are missing. */
	if (sequence->is_losing && sequence->has_ftrace)
		perfetto_ftrace_lose(&reading->ftrace);
	sequence->is_losing = false;
	if (packet->data != PERFETTO_FTRACE_EVENTS)
		return HISTREE_OK;
	sequence->has_ftrace = true;
	return perfetto_ftrace_read(&reading->ftrace, packet->content, error);
}

/* What a sequence lost ends before its next event. */
static enum histree_status end_loss(struct reading *reading, struct perfetto_sequence *sequence, histree_time next,
				    struct histree_error *error)
{
	struct trace_span span = { .begin = sequence->last + 1, .end = next == INT64_MAX ? next : next - 1 };
	sequence->is_losing = false;
	if (!sequence->has_events || sequence->last == INT64_MAX)
		return HISTREE_OK;
	if (span.end < span.begin)
		span.end = span.begin;
	if (next != INT64_MAX)
		trace_stream_note_loss(&reading->packed->stream, "packet", NULL, span);
	const enum histree_status status = perfetto_track_events_lose(&reading->tracks, sequence, span, error);
	return status == HISTREE_NOT_FOUND ? packed_source_lose(reading->packed, -1, span, 0, error) : status;
}

static enum histree_status read_track_event(struct reading *reading, struct perfetto_sequence *sequence,
					    struct wire_message content, histree_time time,
					    struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (time == PACKED_NO_TIME &&
	    !perfetto_sequence_time_of_old(sequence, &reading->file->clocks, content, &time)) {
		reading->without_time++;
		return HISTREE_OK;
	}
	if (sequence->is_losing)
		status = end_loss(reading, sequence, time, error);
	uint64_t added = reading->packed->added;
	if (status == HISTREE_OK)
		status = perfetto_track_events_read(&reading->tracks, sequence, content, time, error);
	if (reading->packed->added == added)
		return status;
	if (!sequence->has_events || time > sequence->last)
		sequence->last = time;
	sequence->has_events = true;
	return status;
}

/* Whose the events of a sequence are that say no track (thread_descriptor.proto). */
static void read_thread(struct perfetto_sequence *sequence, struct wire_message message)
{
	enum { PID = 1, TID = 2, REFERENCE_US = 6, REFERENCE_THREAD_US = 7 };
	const struct perfetto_flat thread = perfetto_flat(message);
	if (perfetto_flat_has(&thread, PID))
		sequence->pid = (int32_t)thread.numbers[PID];
	if (perfetto_flat_has(&thread, TID))
		sequence->tid = (int32_t)thread.numbers[TID];
	if (perfetto_flat_has(&thread, REFERENCE_US))
		sequence->last_us = thread.numbers[REFERENCE_US];
	if (perfetto_flat_has(&thread, REFERENCE_THREAD_US))
		sequence->thread_us = thread.numbers[REFERENCE_THREAD_US];
}

/* Writers of old say it by itself, others where they describe the track of their thread. */
static void learn_thread(struct perfetto_sequence *sequence, const struct perfetto_packet *packet)
{
	enum { TRACK_THREAD = 4 };
	struct wire_message descriptor = packet->content;
	struct wire_field field;
	if (packet->data == PERFETTO_THREAD_DESCRIPTOR)
		read_thread(sequence, packet->content);
	while (packet->data == PERFETTO_TRACK_DESCRIPTOR && sequence->is_valid && wire_next(&descriptor, &field))
		if (field.number == TRACK_THREAD && field.bytes != NULL)
			read_thread(sequence, wire_inside(&field));
}

static enum histree_status read_track_packet(struct reading *reading, struct perfetto_sequence *sequence,
					     const struct perfetto_packet *packet, histree_time time,
					     struct histree_error *error)
{
	learn_thread(sequence, packet);
	const struct perfetto_file *file = reading->file;
	if (packet->data == PERFETTO_FTRACE_EVENTS && (file->has_markers || file->has_calls))
		return perfetto_markers_read(&reading->markers, &reading->tracks, sequence, &file->clocks,
					     packet->content, error);
	if (packet->data == PERFETTO_PROCESS_TREE) {
		const enum histree_status status = name_owners(&reading->tracks, file, packet->content, error);
		return status == HISTREE_OK && file->has_samples
			       ? perfetto_samples_name(reading->samples, packet->content, error)
			       : status;
	}
	const bool is_sample = packet->data == PERFETTO_PERF_SAMPLE || packet->data == PERFETTO_STREAMING_PROFILE;
	const bool is_reading = perfetto_readings_are(packet->data);
	if (packet->data != PERFETTO_TRACK_EVENT && !is_sample && !is_reading)
		return HISTREE_OK;
	if (packet->needs_state && !sequence->is_valid) {
		sequence->is_losing = true;
		reading->skipped++;
		return HISTREE_OK;
	}
	if (is_reading)
		return perfetto_readings_read(&reading->readings, sequence, packet, time, error);
	if (packet->data == PERFETTO_PERF_SAMPLE)
		return perfetto_samples_read(reading->samples, sequence, packet->content, time, error);
	if (packet->data == PERFETTO_STREAMING_PROFILE)
		return perfetto_samples_stream(reading->samples, sequence, &reading->file->clocks, packet->content,
					       error);
	return read_track_event(reading, sequence, packet->content, time, error);
}

static enum histree_status perfetto_reading_read_packet(struct reading *reading,
							const struct perfetto_packet *packet,
							struct histree_error *error)
{
	struct perfetto_sequence *sequence = perfetto_sequences_of(&reading->sequences, packet->sequence);
	histree_time time = PACKED_NO_TIME;
	if (sequence == NULL)
		return error_memory(error, "the sequences of a trace");
	enum histree_status status = perfetto_sequence_begin(sequence, &reading->sequences.budget, packet, error);
	if (status != HISTREE_OK)
		return status;
	if (packet->data == PERFETTO_CLOCK_SNAPSHOT)
		perfetto_own_clocks_learn(&sequence->clocks, &reading->file->clocks, packet->content);
	if (!perfetto_sequence_time(sequence, &reading->file->clocks, packet, &time))
		time = PACKED_NO_TIME;
	return reading->part == PERFETTO_FTRACE ? read_ftrace_packet(reading, sequence, packet, time, error)
						: read_track_packet(reading, sequence, packet, time, error);
}

static enum histree_status take_packet(struct reading *reading, struct wire_message message,
				       struct histree_error *error)
{
	struct perfetto_packet packet;
	perfetto_packet_read(&packet, message);
	if (packet.machine != 0) {
		reading->elsewhere++;
		return HISTREE_OK;
	}
	enum histree_status status = perfetto_reading_read_packet(reading, &packet, error);
	if (packet.is_damaged) {
		reading->cut++;
		perfetto_sequences_lose(&reading->sequences);
	}
	return status == HISTREE_OK ? packed_source_look(reading->packed, error) : status;
}

/* ---- damage ---------------------------------------------------------------------------------------------- */

/* Go on behind what is no packet.  HISTREE_END: there is nothing to go on with. */
static enum histree_status pass_damage(struct reading *reading, struct perfetto_packets *packets,
				       const struct histree_error *why, struct histree_error *error)
{
	struct trace_stream *stream = &reading->packed->stream;
	enum histree_status found = perfetto_packets_resume(packets, error);
	if (found < 0)
		return found;
	if (reading->tells)
		trace_notes_warn(stream->notes, "%s: %s; %s", stream->name, why->message,
				 found == HISTREE_OK ? "reading goes on behind it"
						     : "the packets before that are read");
	if (reading->tells && !reading->is_damaged)
		stream->notes->report.damaged_streams++;
	reading->is_damaged = true;
	perfetto_sequences_lose(&reading->sequences);
	return found;
}

/* "... 3 events of tracks have no time" */
static void note_count(const struct reading *reading, uint64_t count, const char *one, const char *many)
{
	struct trace_stream *stream = &reading->packed->stream;
	if (count > 0)
		trace_notes_warn(stream->notes, "%s: %" PRIu64 " %s", stream->name, count, count == 1 ? one : many);
}

/* "... packets of kinds that are not read: 3 of sys_stats, 1 of android_log" */
static size_t list_unread(const struct perfetto_file *file, char *out, size_t size)
{
	size_t length = 0;
	for (size_t i = 0; i < UNREAD_KINDS && length < size; i++)
		if (file->unread[i] > 0)
			length += (size_t)snprintf(out + length, size - length, "%s%" PRIu64 " of %s",
						   length > 0 ? ", " : "", file->unread[i], unread_kinds[i].name);
	return length;
}

static void note_rest(const struct reading *reading)
{
	char unread[512];
	const struct perfetto_track_events *tracks = &reading->tracks;
	note_count(reading, reading->without_time, "event of a track has no time, and is left out",
		   "events of tracks have no time, and are left out");
	note_count(reading, reading->too_large, "event of a thread is left out whose number has more than 31 bits",
		   "events of threads are left out whose numbers have more than 31 bits");
	note_count(reading, reading->skipped, "event of a track refers to what was lost before it, and is left out",
		   "events of tracks refer to what was lost before them, and are left out");
	note_count(reading, tracks->undefined + tracks->arguments.undefined,
		   "reference is to a text that is not interned", "references are to texts that are not interned");
	note_count(reading, reading->markers.others, "marker of a program is not whole, and is left out",
		   "markers of programs are not whole, and are left out");
	note_count(reading, reading->samples->undefined, "part of a stack is not interned, and has no name",
		   "parts of stacks are not interned, and have no names");
	note_count(reading, reading->samples->skipped, "sample has no stack or no time, and is left out",
		   "samples have no stack or no time, and are left out");
	note_count(reading, reading->samples->lost, "record of samples was lost by the kernel",
		   "records of samples were lost by the kernel");
	note_count(reading, reading->readings.without_time, "reading of the system has no time, and is left out",
		   "readings of the system have no time, and are left out");
	note_count(reading, reading->readings.without_name,
		   "description of a counter is left out: 65,536 counters are the limit",
		   "descriptions of counters are left out: 65,536 counters are the limit");
	note_count(reading, tracks->unknown, "event of a track is of a type that is not known",
		   "events of tracks are of types that are not known");
	note_count(reading, reading->part == PERFETTO_TRACKS ? reading->file->tracks.left_out : 0,
		   "description of a track is left out: 131,072 tracks are the limit",
		   "descriptions of tracks are left out: 131,072 tracks are the limit");
	if (!reading->tells)
		return;
	struct trace_stream *stream = &reading->packed->stream;
	if (list_unread(reading->file, unread, sizeof(unread)) > 0)
		trace_notes_warn(stream->notes, "%s: packets of kinds that are not read: %s", stream->name, unread);
	note_count(reading, reading->cut, "packet is damaged inside; what is before that is read",
		   "packets are damaged inside; what is before that is read");
	note_count(reading, reading->elsewhere,
		   "packet of another machine is left out: only that of the tracing service is read",
		   "packets of other machines are left out: only that of the tracing service is read");
	note_count(reading, reading->sequences.budget.left_out,
		   "interned text is left out: all of them may take 32 MiB",
		   "interned texts are left out: all of them may take 32 MiB");
}

static enum histree_status perfetto_reading_read_all(struct reading *reading, struct perfetto_packets *packets,
						     struct histree_error *error)
{
	struct wire_message message;
	struct histree_error why;
	enum histree_status status;
	do {
		status = perfetto_packets_next(packets, &message, &why);
		if (status == HISTREE_OK)
			status = take_packet(reading, message, error);
		else if (status == HISTREE_ERR_TRACE)
			status = pass_damage(reading, packets, &why, error);
		else if (status == HISTREE_ERR_MEMORY)
			return error_memory(error, "a packet");
	} while (status == HISTREE_OK);
	if (status == HISTREE_END) {
		/* Nothing followed a loss: it reaches to the end. */
		const struct id_entry *entry;
		status = HISTREE_OK;
		for (size_t at = 0;
		     status == HISTREE_OK && (entry = id_map_next(&reading->sequences.map, &at)) != NULL;) {
			struct perfetto_sequence *sequence = entry->record;
			if (sequence->is_losing && sequence->has_ftrace)
				perfetto_ftrace_lose(&reading->ftrace);
			if (sequence->is_losing && sequence->has_events)
				status = end_loss(reading, sequence, INT64_MAX, error);
		}
	}
	return status == HISTREE_OK ? perfetto_ftrace_finish(&reading->ftrace, error) : status;
}

/* ---- perfetto source ----------------------------------------------------------------------------------------- */

struct perfetto_source {
	struct packed_source packed;
	enum perfetto_part part;
	struct perfetto_file *file; /* shared; NULL: not read yet */
	struct perfetto_samples samples;
	struct perfetto_packets packets; /* while the events are read */
};

/* ---- reading --------------------------------------------------------------------------------------------- */

/* What is wrong with the file is said once. */
static bool tells_damage(const struct perfetto_source *source)
{
	return source->part == PERFETTO_FTRACE || !source->file->has_ftrace;
}

static enum histree_status read_events(struct packed_source *packed, struct histree_error *error)
{
	struct perfetto_source *source = (struct perfetto_source *)packed;
	enum histree_status status = perfetto_packets_open(&source->packets, packed->io, packed->base.path, error);
	if (status == HISTREE_OK) {
		struct reading reading = {
			.packed = packed,
			.file = source->file,
			.part = source->part,
			.tells = tells_damage(source),
			.samples = &source->samples,
			.ftrace = { .packed = packed, .clocks = &source->file->clocks },
			.tracks = { .packed = packed, .tracks = &source->file->tracks },
			.readings = { .packed = packed, .clocks = &source->file->clocks },
		};
		reading.readings.classes = reading.tracks.classes;
		status = source->part == PERFETTO_TRACKS ? perfetto_track_events_begin(&reading.tracks, error)
							 : HISTREE_OK;
		if (status == HISTREE_OK && source->part == PERFETTO_TRACKS)
			status = name_cpus(&reading.tracks, &source->file->callers, error);
		if (status == HISTREE_OK && source->part == PERFETTO_TRACKS && source->file->has_markers &&
		    !packed_markers_begin(&reading.markers, packed, error))
			status = error->status;
		if (source->part == PERFETTO_TRACKS)
			perfetto_samples_begin(&source->samples, packed, reading.tracks.classes);
		if (status == HISTREE_OK)
			status = perfetto_reading_read_all(&reading, &source->packets, error);
		if (status == HISTREE_OK)
			status = perfetto_readings_end(&reading.readings, error);
		if (source->part == PERFETTO_TRACKS)
			packed_samples_end(&source->samples.samples);
		if (status == HISTREE_OK)
			note_rest(&reading);
		task_states_decide(&packed->base.trace, reading.ftrace.state_signs);
		perfetto_ftrace_release(&reading.ftrace);
		perfetto_track_events_release(&reading.tracks);
		packed_markers_release(&reading.markers);
		perfetto_readings_release(&reading.readings);
		perfetto_sequences_release(&reading.sequences);
	}
	perfetto_packets_close(&source->packets);
	return status;
}

static uint64_t bytes_read(const struct packed_source *packed)
{
	uint64_t at = ((const struct perfetto_source *)packed)->packets.bytes.taken;
	return at < packed->base.bytes ? at : packed->base.bytes;
}

static const struct packed_reader reader = { .read = read_events, .bytes_read = bytes_read };

/* ---- what it is ------------------------------------------------------------------------------------------ */

static void describe(struct perfetto_source *source)
{
	struct trace_source *base = &source->packed.base;
	const struct perfetto_file *file = source->file;
	base->facts = file->facts;
	/* Bytes of the file count once. */
	base->bytes = tells_damage(source) ? file->size : 0;
	packed_source_describe(&source->packed, source->part == PERFETTO_FTRACE ? "kernel" : TRACK_DOMAIN,
			       "perfetto");
	base->trace.machine = file->machine;
	base->trace.has_new_task_states = trace_release_has_new_task_states(base->facts.kernel);
}

/* The file is read once for both parts of it. */
static enum histree_status take_file(struct perfetto_source *source, struct histree_error *error)
{
	const struct trace_source *base = &source->packed.base, *beside = base->beside;
	if (beside != NULL && beside->kind == &perfetto_format) {
		source->file = ((const struct perfetto_source *)beside)->file;
		source->file->users++;
		return HISTREE_OK;
	}
	source->file = calloc(1, sizeof(*source->file));
	if (source->file == NULL)
		return error_memory(error, "what a trace says of itself");
	enum histree_status status = perfetto_file_read(source->file, base->io, base->path, error);
	source->file->users = 1;
	return status;
}

static enum histree_status scan(struct trace_source *base, struct histree_error *error)
{
	struct perfetto_source *source = (struct perfetto_source *)base;
	packed_source_init(&source->packed, &reader);
	source->part = base->kind == &perfetto_format ? PERFETTO_FTRACE : PERFETTO_TRACKS;
	enum histree_status status = take_file(source, error);
	bool is_there = status == HISTREE_OK &&
			(source->part == PERFETTO_FTRACE ? source->file->has_ftrace : source->file->has_tracks);
	if (status == HISTREE_OK && !is_there) {
		if (source->part == PERFETTO_FTRACE || source->file->has_ftrace)
			return HISTREE_END;
		char unread[512] = "";
		const bool has_unread = list_unread(source->file, unread, sizeof(unread)) > 0;
		status = error_set(
			error, HISTREE_ERR_TRACE,
			"it has neither events of ftrace nor of tracks, nor samples or readings of the system, "
			"which are what is read "
			"of traces of Perfetto%s%s; record with the data sources linux.ftrace, track_event or "
			"linux.perf",
			has_unread ? ", but " : "", unread);
	}
	if (status == HISTREE_OK)
		describe(source);
	else
		error_prefix(error, "trace \"%s\"", base->path);
	return status;
}

static enum histree_status read_facts(const char *path, struct trace_facts *out, struct histree_error *error)
{
	struct perfetto_file file = { 0 };
	enum histree_status status = perfetto_file_read(&file, &io_posix, path, error);
	if (status == HISTREE_OK)
		*out = file.facts;
	else
		error_prefix(error, "trace \"%s\"", path);
	perfetto_file_release(&file);
	return status;
}

static void release(struct trace_source *base)
{
	struct perfetto_source *source = (struct perfetto_source *)base;
	perfetto_samples_release(&source->samples);
	perfetto_packets_close(&source->packets);
	if (source->file != NULL && --source->file->users == 0) {
		perfetto_file_release(source->file);
		free(source->file);
	}
	packed_source_release(&source->packed);
}

static const struct trace_format_kind tracks = { .size = sizeof(struct perfetto_source),
						 .scan = scan,
						 .facts = read_facts,
						 PACKED_SOURCE_KIND,
						 .release = release };

const struct trace_format_kind perfetto_format = {
	.size = sizeof(struct perfetto_source),
	.reads = "Perfetto",
	.name = "a trace of Perfetto",
	.begins = perfetto_packets_begin,
	.may_be_packed = true,
	.scan = scan,
	.facts = read_facts,
	.beside = &tracks,
	PACKED_SOURCE_KIND,
	.release = release,
};
