// SPDX-License-Identifier: MIT
/*
 * sample_processes.c - the sampled processes: their names, their mapped binaries, and the functions at addresses in
 * them.
 */
#include "analysis/samples/sample_processes.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "event/event.h"
#include "symbols/symbol_source.h"

/* ---- frame names --------------------------------------------------------------------------------------------- */

/* Limits: paths of Linux; longer build ids match no file. */
enum { PATH_SIZE_MAX = 4095, BUILD_ID_MAX = 64, NAME_TEXT_MAX = 1000 };

/* ---- frames ------------------------------------------------------------------------------------------------- */

/* Returns INTERN_NONE when memory runs out. */
static uint32_t frame_of(struct frame_names *names, const char *name, const char *line, const char *binary)
{
	const uint32_t key[3] = {
		intern_add(&names->texts, name, strnlen(name, NAME_TEXT_MAX)),
		intern_add(&names->texts, line, strlen(line)),
		intern_add(&names->texts, binary, strlen(binary)),
	};
	if (key[0] == INTERN_NONE || key[1] == INTERN_NONE || key[2] == INTERN_NONE)
		return INTERN_NONE;
	return intern_add(&names->frames, key, sizeof(key));
}

uint32_t frame_names_named(struct frame_names *names, const struct event_frame *frame)
{
	const char *name = *frame->function != '\0' ? frame->function : "[unknown]";
	return frame_of(names, name, frame->line, frame->binary);
}

struct frame_text frame_names_text(const struct frame_names *names, uint32_t frame)
{
	size_t size;
	uint32_t key[3];
	memcpy(key, intern_get(&names->frames, frame, &size), sizeof(key));
	return (struct frame_text){ .name = intern_get(&names->texts, key[0], &size),
				    .line = intern_get(&names->texts, key[1], &size),
				    .binary = intern_get(&names->texts, key[2], &size) };
}

bool frame_names_is_unnamed(const struct frame_names *names, uint32_t frame)
{
	return frame_names_text(names, frame).name[0] == '[';
}

/* ---- binaries ----------------------------------------------------------------------------------------------- */

/* "[libc.so.6]" of a path; what is in brackets already stays so. */
static bool add_unnamed(struct frame_names *names, uint32_t binary, const char *path)
{
	char text[PATH_SIZE_MAX + 3];
	const char *slash = strrchr(path, '/');
	const char *last = slash != NULL && slash[1] != '\0' ? slash + 1 : path;
	snprintf(text, sizeof(text), *path == '[' ? "%s" : "[%s]", *path == '[' ? path : last);
	if (!array_reserve(&names->unnamed, &names->unnamed_capacity, (size_t)binary + 1))
		return false;
	names->unnamed[binary] = frame_of(names, text, "", path);
	return names->unnamed[binary] != INTERN_NONE;
}

/* Returns the number of a binary; INTERN_NONE when memory runs out. */
static uint32_t frame_names_binary(struct frame_names *names, const char *path, size_t path_size,
				   const uint8_t *build_id, size_t build_id_size)
{
	char key[PATH_SIZE_MAX + 1 + BUILD_ID_MAX];
	if (path_size > PATH_SIZE_MAX)
		return BINARY_UNKNOWN;
	if (build_id_size > BUILD_ID_MAX)
		build_id_size = 0;
	memcpy(key, path, path_size);
	key[path_size] = '\0';
	if (build_id_size > 0)
		memcpy(key + path_size + 1, build_id, build_id_size);
	uint32_t count = names->binaries.count;
	uint32_t binary = intern_add(&names->binaries, key, path_size + 1 + build_id_size);
	if (binary == count && !add_unnamed(names, binary, key))
		return INTERN_NONE;
	return binary;
}

enum histree_status frame_names_open(struct frame_names *names, const struct symbol_places *places,
				     struct table_space *space, struct histree_error *error)
{
	static const char *const own[BINARY_OWN_COUNT] = { "[unknown]", "[kernel]", "[hypervisor]", "[guest]" };
	names->has_binaries = places->count > 0 || (!places->no_binaries && elf_names_can_read());
	names->is_open = true;
	intern_use_space(&names->texts, space);
	intern_use_space(&names->frames, space);
	intern_use_space(&names->places, space);
	intern_use_space(&names->binaries, space);
	names->found_table.space = names->list_table.space = space;
	for (uint32_t i = 0; i < BINARY_OWN_COUNT; i++)
		if (frame_names_binary(names, own[i], strlen(own[i]), NULL, 0) != i)
			return error_memory(error, "names of functions");
	return symbol_source_open(&names->source, places, error);
}

/* ---- places ------------------------------------------------------------------------------------------------- */

/* What is found is added to the list. */
struct finding {
	struct frame_names *names;
	const char *binary;
	bool is_out_of_memory;
};

static bool frame_name_put(struct frame_names *names, uint32_t frame)
{
	if (frame == INTERN_NONE || names->list_count >= UINT32_MAX ||
	    !table_reserve(&names->list_table, &names->list, &names->list_capacity, names->list_count + 1))
		return false;
	names->list[names->list_count++] = frame;
	return true;
}

static void add_frame(void *context, const char *name, const char *line, bool is_inlined)
{
	struct finding *finding = context;
	(void)is_inlined;
	if (!finding->is_out_of_memory &&
	    !frame_name_put(finding->names, frame_of(finding->names, name, line, finding->binary)))
		finding->is_out_of_memory = true;
}

/* Memory without a file has a path, too. */
static bool is_file(const char *path)
{
	return path[0] == '/' && path[1] != '/' && strncmp(path, "/memfd:", 7) != 0 &&
	       strncmp(path, "/dev/", 5) != 0 && strncmp(path, "/SYSV", 5) != 0;
}

static bool find_in_file(struct frame_names *names, uint32_t binary, uint64_t offset)
{
	size_t size;
	const char *key = intern_get(&names->binaries, binary, &size);
	const size_t path_size = strlen(key);
	struct finding finding = { .names = names, .binary = key };
	const struct symbol_module module = { .path = key,
					      .base = ELF_BASE_OF_OFFSETS,
					      .build_id = (const uint8_t *)key + path_size + 1,
					      .build_id_size = size - path_size - 1 };
	if (!names->has_binaries || !is_file(key))
		return true;
	enum symbol_answer answer = symbol_source_chain(&names->source, &module, offset, add_frame, &finding);
	if ((answer == SYMBOL_NO_FILE || answer == SYMBOL_OTHER_BUILD) && names->missing_path == NULL) {
		names->missing_path = key;
		names->is_other_build = answer == SYMBOL_OTHER_BUILD;
	}
	names->named += answer == SYMBOL_FOUND;
	names->not_named += answer != SYMBOL_FOUND;
	return answer != SYMBOL_NO_MEMORY && !finding.is_out_of_memory;
}

static bool find_in_kernel(struct frame_names *names, uint64_t address)
{
	const char *name = symbol_source_near_in_tables(&names->source, address);
	return name == NULL || frame_name_put(names, frame_of(names, name, "", "[kernel]"));
}

static bool find_place(struct frame_names *names, uint32_t binary, uint64_t offset, struct frame_place *place)
{
	place->first = (uint32_t)names->list_count;
	bool is_done = binary >= BINARY_OWN_COUNT ? find_in_file(names, binary, offset)
		       : binary == BINARY_KERNEL  ? find_in_kernel(names, offset)
						  : true;
	if (is_done && names->list_count == place->first)
		is_done = frame_name_put(names, names->unnamed[binary]);
	place->count = (uint32_t)names->list_count - place->first;
	return is_done;
}

bool frame_names_find(struct frame_names *names, uint32_t binary, uint64_t offset, const uint32_t **frames,
		      size_t *count)
{
	struct {
		uint64_t offset;
		uint64_t binary;
	} key = { .offset = offset, .binary = binary };
	const bool has_one =
		binary < BINARY_OWN_COUNT && (binary != BINARY_KERNEL || names->source.table.count == 0);
	*frames = &names->unnamed[binary];
	*count = 1;
	if (has_one)
		return true;
	uint32_t known = names->places.count, number = intern_add(&names->places, &key, sizeof(key));
	if (number == INTERN_NONE)
		return false;
	if (number == known &&
	    (!table_reserve(&names->found_table, &names->found, &names->found_capacity, (size_t)number + 1) ||
	     !find_place(names, binary, offset, &names->found[number])))
		return false;
	*frames = names->list + names->found[number].first;
	*count = names->found[number].count;
	return true;
}

void frame_names_missing(const struct frame_names *names, char *text, size_t size)
{
	*text = '\0';
	if (names->missing_path != NULL)
		snprintf(text, size,
			 "%" PRIu64 " of %" PRIu64
			 " addresses have the name of their binary only: here is %s '%.200s'; say where it is with "
			 "'--symbols FOLDER', a root with the binaries of the machine that was traced, or their "
			 "files "
			 "of debugging information",
			 names->not_named, names->named + names->not_named,
			 names->is_other_build ? "another build of" : "no", names->missing_path);
}

void frame_names_release(struct frame_names *names)
{
	if (names->is_open)
		symbol_source_release(&names->source);
	intern_release(&names->texts);
	intern_release(&names->frames);
	intern_release(&names->binaries);
	intern_release(&names->places);
	free(names->unnamed);
	table_release(&names->found_table, names->found);
	table_release(&names->list_table, names->list);
	*names = (struct frame_names){ 0 };
}

/* ---- sample processes ---------------------------------------------------------------------------------------- */

/* Linux's vm.max_map_count is 65530 by default. */
enum { SPACE_IMAGES_MAX = 1 << 16 };

/*
 * Images of all processes together, 32 bytes each: no more are kept; and of processes that are over, no more but
 * where there are fewer.
 */
enum { SAMPLE_IMAGES_MAX = 1 << 21, SAMPLE_IMAGES_KEPT = 1 << 19 };

/* ---- address space ------------------------------------------------------------------------------------------- */

/* Returns the place of the first image that ends at an address or later. */
static size_t place_of(const struct address_space *space, uint64_t address)
{
	const size_t low = SEARCH(i, 0, space->count, space->images[i].last < address);
	return low;
}

const struct space_image *address_space_find(const struct address_space *space, uint64_t address)
{
	size_t place = place_of(space, address);
	return place < space->count && space->images[place].begin <= address ? &space->images[place] : NULL;
}

/* What of an image lies above an address. */
static struct space_image above(struct space_image image, uint64_t address)
{
	image.offset += address + 1 - image.begin;
	image.begin = address + 1;
	return image;
}

bool address_space_add(struct address_space *space, const struct space_image *image)
{
	struct space_image pieces[3];
	size_t count = 0, first = place_of(space, image->begin), behind = first;
	if (image->last < image->begin || space->count > SPACE_IMAGES_MAX)
		return true;
	while (behind < space->count && space->images[behind].begin <= image->last)
		behind++;
	if (behind > first && space->images[first].begin < image->begin) {
		pieces[count] = space->images[first];
		pieces[count++].last = image->begin - 1;
	}
	pieces[count++] = *image;
	if (behind > first && space->images[behind - 1].last > image->last)
		pieces[count++] = above(space->images[behind - 1], image->last);
	if (!array_reserve(&space->images, &space->capacity, space->count + count))
		return false;
	memmove(&space->images[first + count], &space->images[behind],
		(space->count - behind) * sizeof(*space->images));
	memcpy(&space->images[first], pieces, count * sizeof(*pieces));
	space->count = space->count - (behind - first) + count;
	return true;
}

bool address_space_copy(struct address_space *space, const struct address_space *from)
{
	if (!array_reserve(&space->images, &space->capacity, from->count))
		return false;
	if (from->count > 0)
		memcpy(space->images, from->images, from->count * sizeof(*from->images));
	space->count = from->count;
	return true;
}

void address_space_release(struct address_space *space)
{
	free(space->images);
	*space = (struct address_space){ 0 };
}

/* ---- sample processes ---------------------------------------------------------------------------------------- */

/* Linux has 15 bytes of a name; longer ones are cut. */
enum { THREAD_NAME_MAX = 255 };

enum process_role { ROLE_NONE, ROLE_NAME, ROLE_FORK, ROLE_EXIT, ROLE_IMAGE };

/* Numbers of fields. */
struct process_binding {
	enum process_role role;
	uint32_t pid, tid, parent_pid, parent_tid, name, exec;
	uint32_t begin, size, offset, path, build_id;
};

static uint64_t id_of(const struct event_trace *trace, int64_t number)
{
	return (uint64_t)trace->id << 32 | (uint32_t)number;
}

void sample_processes_init(struct sample_processes *processes, struct frame_names *names, struct table_space *space)
{
	processes->names = names;
	processes->records.space = space;
	intern_use_space(&processes->texts, space);
	id_map_use_space(&processes->processes, space);
	id_map_use_space(&processes->threads, space);
}

/* ---- records ------------------------------------------------------------------------------------------------ */

/* Returns NULL when memory runs out. */
static struct sample_process *process_of(struct sample_processes *processes, const struct event_trace *trace,
					 int64_t pid)
{
	struct sample_process *process = id_map_find(&processes->processes, id_of(trace, pid));
	if (process != NULL)
		return process;
	process = arena_allocate(&processes->records, sizeof(*process), alignof(struct sample_process));
	if (process == NULL || !id_map_add(&processes->processes, id_of(trace, pid), process))
		return NULL;
	*process = (struct sample_process){ .threads = 1 };
	return process;
}

static struct sample_thread *thread_of(struct sample_processes *processes, const struct event_trace *trace,
				       int64_t tid)
{
	struct sample_thread *thread = id_map_find(&processes->threads, id_of(trace, tid));
	if (thread != NULL)
		return thread;
	thread = arena_allocate(&processes->records, sizeof(*thread), alignof(struct sample_thread));
	if (thread == NULL || !id_map_add(&processes->threads, id_of(trace, tid), thread))
		return NULL;
	*thread = (struct sample_thread){ .name = INTERN_NONE };
	return thread;
}

static bool set_name(struct sample_processes *processes, const struct event_trace *trace, int64_t tid,
		     const char *name, size_t size)
{
	size = strnlen(name, size < THREAD_NAME_MAX ? size : THREAD_NAME_MAX);
	struct sample_thread *thread = thread_of(processes, trace, tid);
	if (thread != NULL)
		thread->name = intern_add(&processes->texts, name, size);
	return thread != NULL && thread->name != INTERN_NONE;
}

static void forget_space(struct sample_processes *processes, struct sample_process *process)
{
	processes->image_count -= process->space.count;
	address_space_release(&process->space);
}

static bool add_image(struct sample_processes *processes, const struct event_trace *trace,
		      const struct event_image *image)
{
	struct sample_process *process = process_of(processes, trace, image->pid);
	uint64_t last;
	if (process == NULL)
		return false;
	if (image->size == 0 || __builtin_add_overflow(image->begin, image->size - 1, &last))
		return true;
	const struct space_image put = { .begin = image->begin,
					 .last = last,
					 .offset = image->offset,
					 .binary = frame_names_binary(processes->names, image->path,
								      strlen(image->path), image->build_id,
								      image->build_id_size) };
	const size_t before = process->space.count;
	if (processes->image_count >= SAMPLE_IMAGES_MAX) {
		processes->left_out++;
		return true;
	}
	if (put.binary == INTERN_NONE || !address_space_add(&process->space, &put))
		return false;
	processes->image_count += process->space.count - before;
	return true;
}

/* ---- events ------------------------------------------------------------------------------------------------- */

static struct process_binding bind(const struct event_class *class)
{
	static const struct {
		const char *name;
		enum process_role role;
	} rows[] = {
		{ "perf_comm", ROLE_NAME },  { "perf_fork", ROLE_FORK },   { "perf_exit", ROLE_EXIT },
		{ "perf_mmap", ROLE_IMAGE }, { "perf_mmap2", ROLE_IMAGE },
	};
	struct process_binding binding = { .role = ROLE_NONE };
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(class->name, rows[i].name) == 0)
			binding.role = rows[i].role;
	binding.pid = event_class_field(class, "pid");
	binding.tid = event_class_field(class, "tid");
	binding.parent_pid = event_class_field(class, "ppid");
	binding.parent_tid = event_class_field(class, "ptid");
	binding.name = event_class_field(class, "comm");
	binding.exec = event_class_field(class, "exec");
	binding.begin = event_class_field(class, "start");
	binding.size = event_class_field(class, "len");
	binding.offset = event_class_field(class, "pgoff");
	binding.path = event_class_field(class, "filename");
	binding.build_id = event_class_field(class, "build_id");
	return binding;
}

/* Another program begins with exec(): what it has is said after. */
static bool take_name(struct sample_processes *processes, const struct event *event,
		      const struct process_binding *binding)
{
	const struct event_trace *trace = event->class->trace;
	int64_t pid, tid, is_exec = 0;
	const char *name;
	size_t size;
	if (!event_int(event, binding->pid, &pid) || !event_int(event, binding->tid, &tid) ||
	    !event_string(event, binding->name, &name, &size))
		return true;
	event_int(event, binding->exec, &is_exec);
	struct sample_process *process = is_exec != 0 ? process_of(processes, trace, pid) : NULL;
	if (is_exec != 0 && process == NULL)
		return false;
	if (process != NULL) {
		forget_space(processes, process);
		process->threads = 1;
	}
	return set_name(processes, trace, tid, name, size);
}

static bool take_fork(struct sample_processes *processes, const struct event *event,
		      const struct process_binding *binding)
{
	const struct event_trace *trace = event->class->trace;
	int64_t pid, tid, parent_pid, parent_tid;
	if (!event_int(event, binding->pid, &pid) || !event_int(event, binding->tid, &tid) ||
	    !event_int(event, binding->parent_pid, &parent_pid) ||
	    !event_int(event, binding->parent_tid, &parent_tid))
		return true;
	struct sample_thread *parent = thread_of(processes, trace, parent_tid);
	struct sample_thread *thread = thread_of(processes, trace, tid);
	struct sample_process *process = process_of(processes, trace, pid);
	if (parent == NULL || thread == NULL || process == NULL)
		return false;
	thread->name = parent->name;
	if (pid == parent_pid) {
		process->threads++;
		return true;
	}
	const struct sample_process *from = process_of(processes, trace, parent_pid);
	if (from == NULL)
		return false;
	forget_space(processes, process);
	process->threads = 1;
	if (processes->image_count + from->space.count > SAMPLE_IMAGES_MAX) {
		processes->left_out++;
		return true;
	}
	if (!address_space_copy(&process->space, &from->space))
		return false;
	processes->image_count += process->space.count;
	return true;
}

/* A space is kept while there is room: a thread whose beginning was not seen may still be in it. */
static bool take_exit(struct sample_processes *processes, const struct event *event,
		      const struct process_binding *binding)
{
	int64_t pid;
	if (!event_int(event, binding->pid, &pid))
		return true;
	struct sample_process *process = id_map_find(&processes->processes, id_of(event->class->trace, pid));
	if (process != NULL && --process->threads <= 0 && processes->image_count > SAMPLE_IMAGES_KEPT)
		forget_space(processes, process);
	return true;
}

static bool take_bytes(void *context, const struct event_part *part)
{
	struct event_image *image = context;
	if (part->kind == EVENT_BYTES) {
		image->build_id = (const uint8_t *)part->bytes;
		image->build_id_size = part->size;
	}
	return true;
}

static bool take_image(struct sample_processes *processes, const struct event *event,
		       const struct process_binding *binding)
{
	struct event_image image = { .pid = 0 };
	int64_t begin, length, offset;
	size_t size;
	if (!event_int(event, binding->pid, &image.pid) || image.pid < 0 ||
	    !event_int(event, binding->begin, &begin) || !event_int(event, binding->size, &length) ||
	    !event_int(event, binding->offset, &offset) ||
	    !event_string(event, binding->path, &image.path, &size) || size == 0)
		return true;
	image.begin = (uint64_t)begin;
	image.size = (uint64_t)length;
	image.offset = (uint64_t)offset;
	if (binding->build_id != EVENT_NO_FIELD)
		event_visit(event, binding->build_id, take_bytes, &image);
	/* The text of the event need not be terminated. */
	uint32_t text = intern_add(&processes->texts, image.path, size);
	if (text == INTERN_NONE)
		return false;
	image.path = intern_get(&processes->texts, text, &size);
	return add_image(processes, event->class->trace, &image);
}

static bool meet_trace(struct sample_processes *processes, const struct event_trace *trace)
{
	if (id_map_find(&processes->traces, trace->id) != NULL)
		return true;
	if (!id_map_add(&processes->traces, trace->id, (void *)(uintptr_t)trace))
		return false;
	/* What there was when the recording began. */
	const struct event_images *images = trace->images;
	for (size_t i = 0; images != NULL && i < images->image_count; i++)
		if (!add_image(processes, trace, &images->images[i]))
			return false;
	for (size_t i = 0; images != NULL && i < images->name_count; i++) {
		const struct event_thread_name *name = &images->names[i];
		struct sample_process *process = process_of(processes, trace, name->pid);
		if (process == NULL || !set_name(processes, trace, name->tid, name->name, strlen(name->name)))
			return false;
		process->threads += name->tid != name->pid;
	}
	return true;
}

bool sample_processes_take(struct sample_processes *processes, const struct event *event)
{
	const struct process_binding *binding = class_table_find(&processes->bindings, event->class);
	if (binding == NULL) {
		if (!meet_trace(processes, event->class->trace))
			return false;
		struct process_binding made = bind(event->class);
		binding = class_table_add(&processes->bindings, event->class, &made, sizeof(made));
	}
	if (binding == NULL)
		return false;
	switch (binding->role) {
	case ROLE_NAME:
		return take_name(processes, event, binding);
	case ROLE_FORK:
		return take_fork(processes, event, binding);
	case ROLE_EXIT:
		return take_exit(processes, event, binding);
	case ROLE_IMAGE:
		return take_image(processes, event, binding);
	case ROLE_NONE:
		break;
	}
	return true;
}

/* ---- questions ---------------------------------------------------------------------------------------------- */

const struct address_space *sample_processes_space(const struct sample_processes *processes,
						   const struct event_trace *trace, int64_t pid)
{
	const struct sample_process *process = id_map_find(&processes->processes, id_of(trace, pid));
	return process != NULL ? &process->space : NULL;
}

const char *sample_processes_name(const struct sample_processes *processes, const struct event_trace *trace,
				  int64_t tid)
{
	size_t size;
	const struct sample_thread *thread = id_map_find(&processes->threads, id_of(trace, tid));
	if (thread != NULL && thread->name != INTERN_NONE)
		return intern_get(&processes->texts, thread->name, &size);
	return tid == 0 ? "swapper" : NULL; /* the idle loop, which the trace does not name */
}

void sample_processes_release(struct sample_processes *processes)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&processes->processes, &at)) != NULL;) {
		struct sample_process *process = entry->record;
		address_space_release(&process->space);
	}
	id_map_release(&processes->processes);
	id_map_release(&processes->threads);
	id_map_release(&processes->traces);
	class_table_release(&processes->bindings);
	intern_release(&processes->texts);
	arena_release(&processes->records);
}
