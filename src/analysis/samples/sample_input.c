// SPDX-License-Identifier: MIT
/*
 * sample_input.c - the stacks of samples, looked up once for all analyses; and two of these, `samples` and `sample-
 * stacks`: a segment for each sample, and one for each stack.
 */
#include "analysis/samples/sample_input.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/samples/sample_processes.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/table.h"
#include "event/event.h"
#include "histree/value.h"

/* ---- sample input -------------------------------------------------------------------------------------------- */

/* In the place of a thread: it is a process.  In the place of a process: that is not known. */
#define SAID_NONE INT64_MIN
static uint32_t stack_tree_below(struct stack_tree *tree, uint32_t parent, uint32_t frame);

/* ---- said names ---------------------------------------------------------------------------------------------- */

/* Linux has 15 bytes of a name; of others, longer ones are cut. */
enum { SAID_NAME_MAX = 255 };

struct said_key {
	int64_t trace, pid, tid;
};

/* False: memory runs out. */
static bool said_names_set(struct said_names *said, const struct event_trace *trace, int64_t pid, int64_t tid,
			   const char *name, size_t size)
{
	const struct said_key key = { trace->id, pid, tid };
	const uint32_t number = intern_add(&said->keys, &key, sizeof(key));
	if (number == INTERN_NONE ||
	    !table_reserve(&said->table, &said->names, &said->capacity, (size_t)number + 1))
		return false;
	if (size > SAID_NAME_MAX)
		for (size = SAID_NAME_MAX; size > 0 && ((unsigned char)name[size] & 0xc0) == 0x80;)
			size--;
	said->names[number] = intern_add(&said->texts, name, strnlen(name, size));
	return said->names[number] != INTERN_NONE;
}

/* Returns NULL if the trace did not say it. */
static const char *said_names_get(const struct said_names *said, const struct event_trace *trace, int64_t pid,
				  int64_t tid)
{
	const struct said_key key = { trace->id, pid, tid };
	const uint32_t number = intern_find(&said->keys, &key, sizeof(key));
	size_t size;
	return number != INTERN_NONE ? intern_get(&said->texts, said->names[number], &size) : NULL;
}

/* ---- named stacks -------------------------------------------------------------------------------------------- */

/* A stack that is on the path already; no tree has this many nodes. */
#define ON_PATH (STACK_NONE - 1)
static bool put_unknown(struct named_stacks *named, uint32_t *node)
{
	const struct event_frame none = { .function = "", .binary = "[unknown]", .line = "" };
	const uint32_t frame = frame_names_named(named->names, &none);
	*node = frame != INTERN_NONE ? stack_tree_below(named->tree, STACK_NONE, frame) : STACK_NONE;
	return *node != STACK_NONE;
}

/* ---- by number ---------------------------------------------------------------------------------------------- */

static uint32_t *none_known(struct table *table, struct table_space *space, uint32_t count)
{
	table->space = space;
	uint32_t *numbers = table_allocate(table, ((size_t)count + 1) * sizeof(*numbers));
	if (numbers != NULL)
		memset(numbers, 0xff, ((size_t)count + 1) * sizeof(*numbers));
	return numbers;
}

/* Returns NULL when memory runs out. */
static struct named_table *table_of(struct named_stacks *named, const struct event_trace *trace)
{
	if (!array_reserve(&named->tables, &named->table_capacity, (size_t)trace->id + 1))
		return NULL;
	while (named->table_count <= trace->id)
		named->tables[named->table_count++] = (struct named_table){ .nodes = NULL };
	struct named_table *table = &named->tables[trace->id];
	if (table->depths != NULL)
		return table;
	if (table->nodes == NULL)
		table->nodes = none_known(&table->node_table, named->space, trace->stacks->stack_count);
	if (table->frames == NULL)
		table->frames = none_known(&table->frame_table, named->space, trace->stacks->frame_count);
	if (table->nodes == NULL || table->frames == NULL)
		return NULL;
	table->depth_table.space = named->space;
	table->depths = table_allocate(&table->depth_table,
				       ((size_t)trace->stacks->stack_count + 1) * sizeof(*table->depths));
	return table->depths != NULL ? table : NULL;
}

static uint32_t frame_of(struct named_stacks *named, const struct event_stacks *stacks, struct named_table *table,
			 uint32_t number)
{
	static const struct event_frame none = { .function = "", .binary = "[unknown]", .line = "" };
	if (number >= stacks->frame_count)
		return frame_names_named(named->names, &none);
	if (table->frames[number] == INTERN_NONE)
		table->frames[number] = frame_names_named(named->names, &stacks->frames[number]);
	return table->frames[number];
}

/* Go up to a caller whose node is known, *from, or to the outermost.  Returns how many; SIZE_MAX: no memory. */
static size_t walk_up(struct named_stacks *named, const struct event_stacks *stacks, struct named_table *table,
		      uint32_t number, uint32_t *from)
{
	size_t count = 0;
	while (number < stacks->stack_count && table->nodes[number] == STACK_NONE && count < SAMPLE_FRAMES_MAX) {
		if (!array_reserve(&named->path, &named->path_capacity, count + 1))
			return SIZE_MAX;
		table->nodes[number] = ON_PATH;
		named->path[count++] = number;
		number = stacks->stacks[number].parent;
	}
	const bool is_known = number < stacks->stack_count && table->nodes[number] < ON_PATH;
	*from = is_known ? number : EVENT_NO_STACK;
	return count;
}

/*
 * Find the node of a stack, by its number or by its text; of none that the trace has, that of "[unknown]".  False:
 * memory runs out.
 */
static bool named_stacks_find(struct named_stacks *named, const struct event_trace *trace, int64_t number,
			      uint32_t *node)
{
	const struct event_stacks *stacks = trace->stacks;
	if (stacks == NULL || number < 0 || number >= stacks->stack_count)
		return put_unknown(named, node);
	struct named_table *table = table_of(named, trace);
	if (table == NULL)
		return false;
	uint32_t from;
	size_t count = walk_up(named, stacks, table, (uint32_t)number, &from);
	if (count == SIZE_MAX)
		return false;
	*node = from != EVENT_NO_STACK ? table->nodes[from] : STACK_NONE;
	size_t depth = from != EVENT_NO_STACK ? table->depths[from] : 0;
	while (count-- > 0) {
		const uint32_t stack = named->path[count];
		const uint32_t frame = frame_of(named, stacks, table, stacks->stacks[stack].frame);
		if (frame == INTERN_NONE)
			return false;
		if (depth < SAMPLE_FRAMES_MAX) {
			*node = stack_tree_below(named->tree, *node, frame);
			depth++;
		}
		if (*node == STACK_NONE)
			return false;
		table->nodes[stack] = *node;
		table->depths[stack] = (uint16_t)depth;
	}
	return true;
}

/* ---- by text ------------------------------------------------------------------------------------------------ */

/* Cut the line at its tabs. */
static struct event_frame frame_of_line(char *line)
{
	struct event_frame frame = { .function = line, .binary = "", .line = "" };
	char *tab = strchr(line, '\t');
	if (tab == NULL)
		return frame;
	*tab++ = '\0';
	frame.binary = tab;
	tab = strchr(tab, '\t');
	if (tab != NULL) {
		*tab++ = '\0';
		frame.line = tab;
	}
	return frame;
}

/* The text has the innermost first: its lines are taken from the last on. */
static bool named_stacks_read(struct named_stacks *named, const char *text, size_t size, uint32_t *node)
{
	size_t end = size;
	*node = STACK_NONE;
	for (unsigned depth = 0; end > 0 && depth < SAMPLE_FRAMES_MAX; depth++) {
		const char *before = memrchr(text, '\n', end);
		const char *begin = before != NULL ? before + 1 : text;
		const size_t length = (size_t)(text + end - begin);
		if (!array_reserve(&named->line, &named->line_capacity, length + 1))
			return false;
		memcpy(named->line, begin, length);
		named->line[length] = '\0';
		const struct event_frame frame = frame_of_line(named->line);
		const uint32_t number = frame_names_named(named->names, &frame);
		if (number == INTERN_NONE || (*node = stack_tree_below(named->tree, *node, number)) == STACK_NONE)
			return false;
		end = before != NULL ? (size_t)(before - text) : 0;
	}
	return *node != STACK_NONE || put_unknown(named, node);
}

/* ---- stack tree ---------------------------------------------------------------------------------------------- */

struct key {
	uint32_t parent, frame;
};

static uint64_t hash_of_key(struct key key)
{
	return hash_mix((uint64_t)key.parent << 32 | key.frame);
}

static bool has_key(const void *nodes, uint32_t number, const void *key)
{
	const struct stack_node *node = &((const struct stack_node *)nodes)[number];
	const struct key *wanted = key;
	return node->parent == wanted->parent && node->frame == wanted->frame;
}

static uint64_t hash_of(const void *nodes, uint32_t number)
{
	const struct stack_node *node = &((const struct stack_node *)nodes)[number];
	return hash_of_key((struct key){ node->parent, node->frame });
}

/* Returns the node of a frame below that of its caller, or STACK_NONE: of none.  STACK_NONE: memory runs out. */
static uint32_t stack_tree_below(struct stack_tree *tree, uint32_t parent, uint32_t frame)
{
	const struct key key = { parent, frame };
	const uint64_t hash = hash_of_key(key);
	uint32_t number = hash_index_find(&tree->by_frame, hash, has_key, tree->nodes, &key);
	if (number != HASH_INDEX_NONE)
		return number;
	/* Numbers go into fields of 32 bits with a sign. */
	if (tree->count == INT32_MAX ||
	    !table_reserve(&tree->table, &tree->nodes, &tree->capacity, (size_t)tree->count + 1) ||
	    !hash_index_reserve(&tree->by_frame, (size_t)tree->count + 1, hash_of, tree->nodes))
		return STACK_NONE;
	number = tree->count++;
	tree->nodes[number] =
		(struct stack_node){ .parent = parent, .frame = frame, .first = INT64_MAX, .last = INT64_MIN };
	hash_index_add(&tree->by_frame, hash, number);
	return number;
}

/* A sample ends in a node. */
static void stack_tree_count(struct stack_tree *tree, uint32_t number, histree_time time)
{
	struct stack_node *node = &tree->nodes[number];
	node->first = time < node->first ? time : node->first;
	node->last = time > node->last ? time : node->last;
	node->samples++;
}

/* Callers have the times of what they called. */
static void stack_tree_finish(struct stack_tree *tree)
{
	for (uint32_t i = tree->count; i-- > 0;) {
		if (i % 4096 == 0)
			table_space_look(tree->table.space);
		const struct stack_node *node = &tree->nodes[i];
		if (node->parent == STACK_NONE)
			continue;
		struct stack_node *parent = &tree->nodes[node->parent];
		parent->first = node->first < parent->first ? node->first : parent->first;
		parent->last = node->last > parent->last ? node->last : parent->last;
	}
}

/* ---- sample input -------------------------------------------------------------------------------------------- */

/* Numbers of fields. */
struct sample_binding {
	bool is_sample, is_named, is_track_name;
	uint32_t ip, pid, tid, period, mode, chain;
	uint32_t stack, process, thread; /* of those that are named */
	uint32_t group;                  /* of counters, which the sample reads */
	uint32_t reads[SAMPLE_COUNTS_MAX], read_count;
};

static const char read_prefix[] = "perf_read_";

/* Whether a trace has samples. */
static bool sample_input_applies(const struct event_trace *trace)
{
	return trace->has_samples;
}

static enum histree_status no_memory(struct histree_error *error)
{
	return error_memory(error, "the stacks of samples");
}

/* ---- addresses ---------------------------------------------------------------------------------------------- */

/* Where the mode changes, a chain has one of these (PERF_CONTEXT_* in include/uapi/linux/perf_event.h). */
static const uint64_t MARKERS = (uint64_t)-4095;

static enum sample_mode mode_of_marker(uint64_t marker)
{
	static const struct {
		int64_t marker;
		enum sample_mode mode;
	} rows[] = {
		{ -32, MODE_HYPERVISOR }, { -128, MODE_KERNEL }, { -512, MODE_PROGRAM },
		{ -2048, MODE_GUEST },    { -2176, MODE_GUEST }, { -2560, MODE_GUEST },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if ((int64_t)marker == rows[i].marker)
			return rows[i].mode;
	return MODE_UNKNOWN;
}

/* By the head of a record, PERF_RECORD_MISC_CPUMODE_MASK. */
static enum sample_mode mode_of_record(int64_t mode)
{
	static const enum sample_mode modes[] = { MODE_UNKNOWN,    MODE_KERNEL, MODE_PROGRAM,
						  MODE_HYPERVISOR, MODE_GUEST,  MODE_GUEST };
	return mode >= 0 && (size_t)mode < sizeof(modes) / sizeof(modes[0]) ? modes[mode] : MODE_UNKNOWN;
}

static void add_address(struct sample_input *input, uint64_t address)
{
	if (!array_reserve(&input->addresses, &input->address_capacity, input->address_count + 1)) {
		input->is_out_of_memory = true;
		return;
	}
	/* If the trace does not say it, the upper half belongs to the kernel. */
	const enum sample_mode by_half = address >> 63 != 0 ? MODE_KERNEL : MODE_PROGRAM;
	input->addresses[input->address_count++] =
		(struct sample_address){ .address = address,
					 .mode = input->mode != MODE_UNKNOWN ? input->mode : by_half,
					 .is_call = !input->is_first };
	input->is_first = false;
}

static bool take_part(void *context, const struct event_part *part)
{
	struct sample_input *input = context;
	const uint64_t address = (uint64_t)part->integer;
	if (part->kind != EVENT_UNSIGNED && part->kind != EVENT_INT)
		return true;
	if (address >= MARKERS) {
		input->mode = mode_of_marker(address);
		input->is_first = true;
	} else {
		add_address(input, address);
	}
	return !input->is_out_of_memory;
}

/* Takes the chain, or without a chain the place of the sample alone. */
static bool take_addresses(struct sample_input *input, const struct event *event,
			   const struct sample_binding *binding)
{
	int64_t mode, ip;
	input->address_count = 0;
	input->mode = event_int(event, binding->mode, &mode) ? mode_of_record(mode) : MODE_UNKNOWN;
	input->is_first = true;
	input->is_out_of_memory = false;
	const enum sample_mode own = input->mode;
	if (binding->chain != EVENT_NO_FIELD)
		event_visit(event, binding->chain, take_part, input);
	input->with_callers += input->address_count > 1;
	if (input->address_count == 0 && event_int(event, binding->ip, &ip)) {
		input->mode = own;
		input->is_first = true;
		add_address(input, (uint64_t)ip);
	}
	input->in_kernel += input->address_count > 0 && input->addresses[0].mode == MODE_KERNEL;
	return !input->is_out_of_memory;
}

/* ---- stacks ------------------------------------------------------------------------------------------------- */

/* Of a call, the byte before the address that it returns to is in its line, and in its function. */
static bool find_frames(struct sample_input *input, const struct address_space *space,
			const struct sample_address *one, const uint32_t **frames, size_t *count)
{
	const uint64_t address = one->address - (one->is_call && one->address > 0);
	const struct space_image *image =
		one->mode == MODE_PROGRAM && space != NULL ? address_space_find(space, address) : NULL;
	if (image != NULL)
		return frame_names_find(&input->names, image->binary, image->offset + (address - image->begin),
					frames, count);
	const uint32_t binary = one->mode == MODE_KERNEL       ? BINARY_KERNEL
				: one->mode == MODE_HYPERVISOR ? BINARY_HYPERVISOR
				: one->mode == MODE_GUEST      ? BINARY_GUEST
							       : BINARY_UNKNOWN;
	return frame_names_find(&input->names, binary, address, frames, count);
}

/* Frames of one binary that have no names are one: how many there are says nothing to anybody. */
static bool put_frames(struct sample_input *input, const uint32_t *frames, size_t count, uint32_t *node,
		       size_t *depth)
{
	for (size_t i = 0; i < count && *depth < SAMPLE_FRAMES_MAX; i++) {
		const bool is_again = *node != STACK_NONE && input->tree.nodes[*node].frame == frames[i] &&
				      frame_names_is_unnamed(&input->names, frames[i]);
		if (is_again)
			continue;
		*node = stack_tree_below(&input->tree, *node, frames[i]);
		++*depth;
		if (*node == STACK_NONE)
			return false;
	}
	return true;
}

static bool find_stack(struct sample_input *input, const struct address_space *space, uint32_t *node)
{
	const struct sample_address nowhere = { .mode = MODE_UNKNOWN };
	const uint32_t *frames;
	size_t count, depth = 0;
	*node = STACK_NONE;
	if (input->address_count == 0)
		return find_frames(input, space, &nowhere, &frames, &count) &&
		       put_frames(input, frames, count, node, &depth);
	for (size_t i = input->address_count; i-- > 0;)
		if (!find_frames(input, space, &input->addresses[i], &frames, &count) ||
		    !put_frames(input, frames, count, node, &depth))
			return false;
	return true;
}

/* ---- events ------------------------------------------------------------------------------------------------- */

/* Where a period has a name of its own, as perf has it, it is what was counted. */
static uint32_t weight_field(const struct event_class *class)
{
	const uint32_t field = event_class_field(class, sample_field_names[SAMPLE_WEIGHT]);
	return field != EVENT_NO_FIELD ? field : event_class_field(class, "perf_period");
}

static struct sample_binding bind(const struct event_class *class)
{
	const uint32_t stack = event_class_field(class, sample_field_names[SAMPLE_STACK]);
	if (stack != EVENT_NO_FIELD)
		return (struct sample_binding){
			.is_sample = class->trace->has_samples,
			.is_named = true,
			.stack = stack,
			.pid = event_class_field(class, sample_field_names[SAMPLE_PID]),
			.tid = event_class_field(class, sample_field_names[SAMPLE_TID]),
			.period = weight_field(class),
			.process = event_class_field(class, sample_field_names[SAMPLE_PROCESS]),
			.thread = event_class_field(class, sample_field_names[SAMPLE_THREAD]),
		};
	if (strcmp(class->trace->domain, TRACK_DOMAIN) == 0)
		return (struct sample_binding){
			.is_track_name = strcmp(class->name, track_class_names[TRACK_PROCESS_NAME]) == 0 ||
					 strcmp(class->name, track_class_names[TRACK_THREAD_NAME]) == 0,
			.pid = event_class_field(class, track_field_names[TRACK_PID]),
			.tid = event_class_field(class, track_field_names[TRACK_TID]),
			.thread = event_class_field(class, track_field_names[TRACK_NAME]),
		};
	struct sample_binding binding = {
		.ip = event_class_field(class, "perf_ip"),
		.pid = event_class_field(class, "perf_pid"),
		.tid = event_class_field(class, "perf_tid"),
		.period = event_class_field(class, "perf_period"),
		.mode = event_class_field(class, "perf_mode"),
		.chain = event_class_field(class, "perf_callchain"),
	};
	binding.group = event_class_field(class, "perf_id");
	for (uint32_t i = 0; i < class->field_count && binding.read_count < SAMPLE_COUNTS_MAX; i++)
		if (binding.group != EVENT_NO_FIELD &&
		    strncmp(class->fields[i], read_prefix, strlen(read_prefix)) == 0)
			binding.reads[binding.read_count++] = i;
	binding.is_sample =
		class->trace->has_samples && (binding.mode != EVENT_NO_FIELD || binding.chain != EVENT_NO_FIELD);
	return binding;
}

/* Numbers of threads have 32 bits; what has more is not known. */
static bool id_of(const struct event *event, uint32_t field, int64_t *out)
{
	return event_int(event, field, out) && *out >= INT32_MIN && *out <= INT32_MAX;
}

/* A process that has no name of its own is called as its first thread is. */
static bool take_names(struct sample_input *input, const struct event *event, const struct sample_binding *binding)
{
	const struct event_trace *trace = event->class->trace;
	struct said_names *said = &input->said;
	struct sample *sample = &input->sample;
	const int64_t pid = sample->has_pid ? sample->pid : SAID_NONE;
	const char *text;
	size_t size;
	if (sample->has_tid && event_string(event, binding->thread, &text, &size) &&
	    !said_names_set(said, trace, pid, sample->tid, text, size))
		return false;
	if (event_string(event, binding->process, &text, &size) &&
	    !said_names_set(said, trace, pid, SAID_NONE, text, size))
		return false;
	if (sample->has_tid)
		sample->thread = said_names_get(said, trace, pid, sample->tid);
	sample->process = said_names_get(said, trace, pid, SAID_NONE);
	if (sample->process == NULL && sample->has_pid)
		sample->process = said_names_get(said, trace, pid, pid);
	if (sample->process == NULL && sample->has_pid)
		sample->process = said_names_get(said, trace, SAID_NONE, pid);
	return true;
}

/* Tracks name threads and processes; a track without their numbers names neither. */
static bool take_track_name(struct sample_input *input, const struct event *event,
			    const struct sample_binding *binding)
{
	int64_t pid, tid;
	const char *text;
	size_t size;
	if (!event_int(event, binding->pid, &pid) || !event_string(event, binding->thread, &text, &size))
		return true;
	if (!event_int(event, binding->tid, &tid))
		tid = SAID_NONE;
	return said_names_set(&input->said, event->class->trace, pid, tid, text, size);
}

static enum histree_status take_named(struct sample_input *input, const struct event *event,
				      const struct sample_binding *binding, struct histree_error *error)
{
	struct sample *sample = &input->sample;
	int64_t number;
	const char *text;
	size_t size;
	bool is_found = true;
	*sample = (struct sample){ .is_there = false };
	input->count_count = 0;
	if (event_string(event, binding->stack, &text, &size))
		is_found = named_stacks_read(&input->named, text, size, &sample->stack);
	else if (event_int(event, binding->stack, &number))
		is_found = named_stacks_find(&input->named, event->class->trace, number, &sample->stack);
	else
		return HISTREE_OK; /* an event without a stack, among others that have one */
	if (!is_found)
		return no_memory(error);
	sample->is_there = true;
	input->samples++;
	input->with_callers += input->tree.nodes[sample->stack].parent != STACK_NONE;
	sample->has_pid = id_of(event, binding->pid, &sample->pid);
	sample->has_tid = id_of(event, binding->tid, &sample->tid);
	sample->has_period = event_int(event, binding->period, &sample->period);
	if (!take_names(input, event, binding))
		return no_memory(error);
	stack_tree_count(&input->tree, sample->stack, event->time);
	return HISTREE_OK;
}

/*
 * A sample that reads a group (perf record -e '{cycles,instructions}:S') is one of each event in it, which counted
 * so much since the group was read before: its own period, too, is what was counted.
 */
static bool read_counts(struct sample_input *input, const struct event *event, const struct sample_binding *binding)
{
	int64_t id, value;
	input->count_count = 0;
	if (binding->read_count == 0 || !event_int(event, binding->group, &id))
		return true;
	const uint64_t group = (uint64_t)id ^ (uint64_t)event->class->trace->id << 48;
	enum { GROUPS_MAX = 1 << 16 }; /* events, times CPUs or threads; a file may make up others */
	int64_t *before = id_map_find(&input->readings, group);
	if (before == NULL && input->readings.count >= GROUPS_MAX)
		return true;
	if (before == NULL) {
		before = arena_allocate(&input->reading_memory, SAMPLE_COUNTS_MAX * sizeof(*before),
					alignof(int64_t));
		if (before == NULL || !id_map_add(&input->readings, group, before))
			return false;
		memset(before, 0, SAMPLE_COUNTS_MAX * sizeof(*before));
	}
	for (uint32_t i = 0; i < binding->read_count; i++) {
		const char *name = event->class->fields[binding->reads[i]] + strlen(read_prefix);
		if (!event_int(event, binding->reads[i], &value))
			continue;
		/* One that is less than before began anew.  What a file makes up may differ by any number. */
		const int64_t count = value >= before[i] ? (int64_t)((uint64_t)value - (uint64_t)before[i]) : 0;
		before[i] = value;
		if (strcmp(name, event->class->name) == 0)
			input->sample.period = count;
		else if (count > 0)
			input->counts[input->count_count++] = (struct sample_count){ name, count };
	}
	return true;
}

static enum histree_status sample_input_begin(void *context, const struct event *event, struct histree_error *error)
{
	struct sample_input *input = context;
	input->sample.is_there = false;
	if (event->gap != NULL || !event->class->trace->has_samples)
		return HISTREE_OK;
	/* If the places of symbols are not given, none are looked for. */
	const struct symbol_places none = { .no_binaries = true };
	enum histree_status status =
		input->names.is_open ? HISTREE_OK : frame_names_open(&input->names, &none, input->space, error);
	if (status != HISTREE_OK)
		return status;
	const struct sample_binding *binding = class_table_find(&input->bindings, event->class);
	if (binding == NULL) {
		struct sample_binding made = bind(event->class);
		binding = class_table_add(&input->bindings, event->class, &made, sizeof(made));
	}
	if (binding == NULL || !sample_processes_take(&input->processes, event))
		return no_memory(error);
	if (binding->is_track_name && !take_track_name(input, event, binding))
		return no_memory(error);
	if (!binding->is_sample)
		return HISTREE_OK;
	const struct event_trace *trace = event->class->trace;
	struct sample *sample = &input->sample;
	if (binding->is_named)
		return take_named(input, event, binding, error);
	*sample = (struct sample){ .is_there = true };
	input->samples++;
	input->has_addresses = true;
	sample->has_tid =
		event_int(event, binding->tid, &sample->tid) && event_int(event, binding->pid, &sample->pid);
	sample->has_pid = sample->has_tid;
	sample->has_period = event_int(event, binding->period, &sample->period);
	if (!read_counts(input, event, binding))
		return no_memory(error);
	const struct address_space *space =
		sample->has_tid ? sample_processes_space(&input->processes, trace, sample->pid) : NULL;
	if (sample->has_tid) {
		sample->process = sample_processes_name(&input->processes, trace, sample->pid);
		sample->thread = sample_processes_name(&input->processes, trace, sample->tid);
	}
	if (!take_addresses(input, event, binding) || !find_stack(input, space, &sample->stack))
		return no_memory(error);
	stack_tree_count(&input->tree, sample->stack, event->time);
	return HISTREE_OK;
}

/* ---- the input ---------------------------------------------------------------------------------------------- */

static enum histree_status create(void **out, struct histree_error *error)
{
	struct sample_input *input = calloc(1, sizeof(*input));
	*out = input;
	if (input == NULL)
		return no_memory(error);
	sample_processes_init(&input->processes, &input->names, NULL);
	input->named.names = &input->names;
	input->named.tree = &input->tree;
	return HISTREE_OK;
}

static void use_space(void *context, struct table_space *space)
{
	struct sample_input *input = context;
	input->space = space;
	sample_processes_init(&input->processes, &input->names, space);
	/* Have its memory from this space.  It is empty yet. */
	input->tree.table.space = input->tree.by_frame.table.space = space;
	intern_use_space(&input->said.keys, space);
	intern_use_space(&input->said.texts, space);
	input->said.table.space = input->named.space = space;
}

static enum histree_status use_symbols(void *context, const struct symbol_places *places,
				       struct histree_error *error)
{
	struct sample_input *input = context;
	return frame_names_open(&input->names, places, input->space, error);
}

static void free_input(void *context)
{
	struct sample_input *input = context;
	sample_processes_release(&input->processes);
	id_map_release(&input->readings);
	arena_release(&input->reading_memory);
	frame_names_release(&input->names);
	struct named_stacks *named = &input->named;
	for (size_t i = 0; i < named->table_count; i++) {
		struct named_table *table = &named->tables[i];
		table_release(&table->node_table, table->nodes);
		table_release(&table->frame_table, table->frames);
		table_release(&table->depth_table, table->depths);
	}
	free(named->tables);
	free(named->path);
	free(named->line);
	*named = (struct named_stacks){ .names = NULL };
	struct stack_tree *tree = &input->tree;
	table_release(&tree->table, tree->nodes);
	hash_index_release(&tree->by_frame);
	*tree = (struct stack_tree){ 0 };
	struct said_names *said = &input->said;
	intern_release(&said->keys);
	intern_release(&said->texts);
	table_release(&said->table, said->names);
	*said = (struct said_names){ .names = NULL };
	class_table_release(&input->bindings);
	free(input->addresses);
	free(input);
}

const struct analysis_input_kind sample_input_kind = {
	.needs = "samples of where programs were, of perf or another profiler",
	.create = create,
	.is_one = true,
	.use_space = use_space,
	.use_symbols = use_symbols,
	.begin = sample_input_begin,
	.free = free_input,
};

/* ---- segments samples ---------------------------------------------------------------------------------------- */

/* ---- segments samples ---------------------------------------------------------------------------------------- */

enum {
	COLUMN_NAME,
	COLUMN_BINARY,
	COLUMN_PROCESS,
	COLUMN_THREAD,
	COLUMN_PID,
	COLUMN_TID,
	COLUMN_CPU,
	COLUMN_EVENT,
	COLUMN_PERIOD,
	COLUMN_STACK,
	COLUMN_FIELD_COUNT,
};

enum { EVENT_SIZE_MAX = 255 }; /* a name is cut */

static const struct histree_segment_field segments_samples_fields[COLUMN_FIELD_COUNT] = {
	{ "name", HISTREE_STRING },   { "binary", HISTREE_STRING }, { "process", HISTREE_STRING },
	{ "thread", HISTREE_STRING }, { "pid", HISTREE_INT },       { "tid", HISTREE_INT },
	{ "cpu", HISTREE_INT },       { "event", HISTREE_STRING },  { "period", HISTREE_LONG },
	{ "stack", HISTREE_INT },
};

struct samples {
	struct histree_segment_store *store; /* borrowed */
	struct sample_input *input;          /* borrowed */
};

static struct histree_value text_or_null(const char *text)
{
	return text != NULL && *text != '\0' ? histree_string(text) : histree_null();
}

static enum histree_status segments_samples_on_event(void *instance, const struct event *event,
						     struct histree_error *error)
{
	const struct samples *samples = instance;
	const struct sample *sample = &samples->input->sample;
	struct histree_value values[COLUMN_FIELD_COUNT];
	const struct histree_segment segment = { event->time, event->time, values };
	if (!sample->is_there)
		return HISTREE_OK;
	const struct frame_text text =
		frame_names_text(&samples->input->names, samples->input->tree.nodes[sample->stack].frame);
	values[COLUMN_NAME] = histree_string(text.name);
	values[COLUMN_BINARY] = histree_string(text.binary);
	values[COLUMN_PROCESS] = text_or_null(sample->process);
	values[COLUMN_THREAD] = text_or_null(sample->thread);
	values[COLUMN_PID] = sample->has_pid ? histree_int((int32_t)sample->pid) : histree_null();
	values[COLUMN_TID] = sample->has_tid ? histree_int((int32_t)sample->tid) : histree_null();
	values[COLUMN_CPU] = event->cpu >= 0 ? histree_int(event->cpu) : histree_null();
	values[COLUMN_EVENT] = histree_string_n(event->class->name, strnlen(event->class->name, EVENT_SIZE_MAX));
	values[COLUMN_PERIOD] =
		sample->has_period && sample->period >= 0 ? histree_long(sample->period) : histree_null();
	values[COLUMN_STACK] = histree_int((int32_t)sample->stack);
	enum histree_status status = histree_segment_store_add(samples->store, &segment, error);
	for (size_t i = 0; i < samples->input->count_count && status == HISTREE_OK; i++) {
		const struct sample_count *other = &samples->input->counts[i];
		values[COLUMN_EVENT] = histree_string_n(other->event, strnlen(other->event, EVENT_SIZE_MAX));
		values[COLUMN_PERIOD] = histree_long(other->count);
		status = histree_segment_store_add(samples->store, &segment, error);
	}
	return status;
}

static void missing(const void *instance, char *text, size_t size)
{
	/* Writes a sentence about what the trace lacks, or about functions without names, or "". */
	const struct sample_input *input = ((const struct samples *)instance)->input;
	frame_names_missing(&input->names, text, size);
	if (input->processes.left_out > 0)
		snprintf(text, size,
			 "there are more binaries in processes than fit in: %" PRIu64
			 " maps and forks are left out, and what lies there is [unknown]",
			 input->processes.left_out);
	else if (input->samples == 0)
		snprintf(text, size,
			 "the trace has no samples: record some with 'perf record -g', of an event such as cycles "
			 "or "
			 "cpu-clock");
	else if (input->with_callers == 0 && input->has_addresses)
		snprintf(text, size,
			 "the samples say where programs were, and not who called: record with 'perf record -g'");
	else if (*text == '\0' && input->names.source.table.count == 0 && input->in_kernel > input->samples / 10)
		snprintf(text, size,
			 "%" PRIu64 " of %" PRIu64
			 " samples are in the kernel, which is one frame, [kernel]: 'sudo cat /proc/kallsyms "
			 ">kallsyms' on the machine that was traced, before it starts anew, and '--symbols "
			 "kallsyms' "
			 "tell its functions apart",
			 input->in_kernel, input->samples);
}

const struct segment_analysis segment_analysis_samples = {
	.name = "samples",
	.version = 1,
	.summary =
		"samples of where programs were (perf record), with their function, thread, CPU, event and period",
	.fields = segments_samples_fields,
	.field_count = COLUMN_FIELD_COUNT,
	.input = &sample_input_kind,
	.applies = sample_input_applies,
	.size = sizeof(struct samples),
	.event = segments_samples_on_event,
	.missing = missing,
	.free = free,
};

/* ---- segments sample stacks ---------------------------------------------------------------------------------- */

enum { STACK_NAME, STACK_LINE, STACK_BINARY, STACK_NUMBER, STACK_PARENT, STACK_SAMPLES, STACK_FIELD_COUNT };

static const struct histree_segment_field segments_sample_stacks_fields[STACK_FIELD_COUNT] = {
	{ "name", HISTREE_STRING }, { "line", HISTREE_STRING }, { "binary", HISTREE_STRING },
	{ "stack", HISTREE_INT },   { "parent", HISTREE_INT },  { "samples", HISTREE_LONG },
};

struct sample_stacks {
	struct histree_segment_store *store; /* borrowed */
	struct sample_input *input;          /* borrowed */
};

/* All of them come at the end, when it is known until when they were seen. */
static enum histree_status finish(void *instance, histree_time *end, struct histree_error *error)
{
	struct sample_stacks *stacks = instance;
	struct stack_tree *tree = &stacks->input->tree;
	enum histree_status status = HISTREE_OK;
	*end = INT64_MIN;
	stack_tree_finish(tree);
	for (uint32_t i = 0; i < tree->count && status == HISTREE_OK; i++) {
		if (i % 512 == 0)
			table_space_look(stacks->input->space);
		const struct stack_node *node = &tree->nodes[i];
		const struct frame_text text = frame_names_text(&stacks->input->names, node->frame);
		const struct histree_value values[STACK_FIELD_COUNT] = {
			[STACK_NAME] = histree_string(text.name),
			[STACK_LINE] = *text.line != '\0' ? histree_string(text.line) : histree_null(),
			[STACK_BINARY] = histree_string(text.binary),
			[STACK_NUMBER] = histree_int((int32_t)i),
			[STACK_PARENT] =
				node->parent != STACK_NONE ? histree_int((int32_t)node->parent) : histree_null(),
			[STACK_SAMPLES] = histree_long((int64_t)node->samples),
		};
		const struct histree_segment segment = { node->first, node->last, values };
		status = histree_segment_store_add(stacks->store, &segment, error);
	}
	return status;
}

const struct segment_analysis segment_analysis_sample_stacks = {
	.name = "sample-stacks",
	.version = 1,
	.summary = "the stacks of samples, a frame below its caller, from the first sample that has it to the last",
	.fields = segments_sample_stacks_fields,
	.field_count = STACK_FIELD_COUNT,
	.input = &sample_input_kind,
	.applies = sample_input_applies,
	.size = sizeof(struct sample_stacks),
	.finish = finish,
	.free = free,
};
