// SPDX-License-Identifier: MIT
/*
 * line_class.c - the classes of the events of a text, found from its lines: by the shape of an event, or else by
 * the name=value pairs in its text.
 */
#include "trace/lines/line_class.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/table.h"
#include "event/event.h"
#include "histree/status.h"
#include "text/text_table.h"
#include "trace/lines/line_head.h"
#include "trace/lines/line_samples.h"
#include "trace/lines/line_shape.h"
#include "trace/lines/line_text.h"
#include "trace/text/event_text.h"

/* Names and values are parts of the text. */
struct line_pair {
	const char *name;
	size_t name_size;
	struct text_cell value;
};

/* ---- line pairs ---------------------------------------------------------------------------------------------- */

static bool is_letter(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

/* A name such as C has them, and what stands behind it: '=' or ':'. */
static bool read_name(struct line_scan *scan, char behind, struct line_pair *pair)
{
	struct line_scan at = *scan;
	if (at.at == at.end || !is_letter(*at.at))
		return false;
	while (at.at < at.end && (is_letter(*at.at) || (*at.at >= '0' && *at.at <= '9')))
		at.at++;
	pair->name = scan->at;
	pair->name_size = (size_t)(at.at - scan->at);
	if (!line_scan_byte(&at, behind))
		return false;
	*scan = at;
	return true;
}

/* Go to the next word.  Returns false at the end. */
static bool next_word(struct line_scan *scan)
{
	while (scan->at < scan->end && *scan->at != ' ')
		scan->at++;
	line_scan_spaces(scan);
	return scan->at < scan->end;
}

/* A value ends where the next name begins; of a number only itself is the value. */
static struct text_cell read_value(struct line_scan *scan)
{
	struct line_scan at = *scan;
	struct line_pair next;
	struct text_cell cell = { .kind = TEXT_INTEGER };
	char *begin = scan->at, *end = scan->end;
	bool is_number = line_scan_integer(&at, &cell.integer) &&
			 (at.at == at.end || *at.at == ' ' || *at.at == ',' || *at.at == ')' || *at.at == ']');
	while (next_word(scan)) {
		struct line_scan name = *scan;
		if (read_name(&name, '=', &next)) {
			end = scan->at;
			break;
		}
	}
	if (is_number)
		return cell;
	while (end > begin && (end[-1] == ' ' || end[-1] == ','))
		end--;
	if (end - begin >= 2 && *begin == '"' && end[-1] == '"')
		begin++, end--;
	return (struct text_cell){ .kind = TEXT_STRING, .bytes = begin, .size = (size_t)(end - begin) };
}

static struct line_scan trim(char *text, size_t size)
{
	struct line_scan scan = { text, text + size };
	line_scan_spaces(&scan);
	while (scan.end > scan.at && scan.end[-1] == ' ')
		scan.end--;
	return scan;
}

static size_t line_pairs_whole(char *text, size_t size, struct line_pair *out)
{
	struct line_scan scan = trim(text, size);
	out[0] = (struct line_pair){
		"text", 4, { .kind = TEXT_STRING, .bytes = scan.at, .size = (size_t)(scan.end - scan.at) }
	};
	return scan.at < scan.end;
}

/* Each returns how many there are; what is more than LINE_PAIRS_MAX is left out.  The last has the text as one. */
static size_t line_pairs_read(char *text, size_t size, struct line_pair *out)
{
	struct line_scan scan = trim(text, size);
	size_t count = 0;
	while (scan.at < scan.end && count < LINE_PAIRS_MAX) {
		if (read_name(&scan, '=', &out[count]))
			out[count].value = read_value(&scan), count++;
		else
			next_word(&scan);
	}
	return count > 0 ? count : line_pairs_whole(text, size, out);
}

/* The text that an address is of, which newer kernels write behind it. */
static void pass_quoted(struct line_scan *scan)
{
	line_scan_spaces(scan);
	if (!line_scan_byte(scan, '"'))
		return;
	char *end = memchr(scan->at, '"', (size_t)(scan->end - scan->at));
	scan->at = end == NULL ? scan->end : end + 1;
}

static size_t line_pairs_of_call(char *text, size_t size, struct line_pair *out)
{
	struct line_scan scan = { text, text + size };
	size_t count = 0;
	while (count < LINE_PAIRS_MAX && read_name(&scan, ':', &out[count])) {
		uint64_t number;
		line_scan_spaces(&scan);
		line_scan_word(&scan, "0x");
		out[count].value = (struct text_cell){ .kind = TEXT_ABSENT };
		if (line_scan_hexadecimal(&scan, &number))
			out[count].value = (struct text_cell){ .kind = TEXT_INTEGER, .integer = (int64_t)number };
		count++;
		pass_quoted(&scan);
		struct line_pair next;
		struct line_scan name;
		do {
			scan.at = scan.at < scan.end ? memchr(scan.at, ',', (size_t)(scan.end - scan.at)) : NULL;
			if (scan.at == NULL)
				return count;
			scan.at++;
			line_scan_spaces(&scan);
			name = scan;
		} while (!read_name(&name, ':', &next));
	}
	return count;
}

/* ---- line class ---------------------------------------------------------------------------------------------- */

/* The columns of a class are its fields, in order. */
struct line_class {
	struct text_class base;
	struct line_class *next;        /* of the same event */
	const size_t *sizes;            /* of the names of the fields */
	const struct line_shape *shape; /* NULL: of pairs */
	bool has_process, has_context, has_period, is_sample;
};

enum event_style { STYLE_PAIRS, STYLE_CALL_ENTRY, STYLE_CALL_EXIT };

/* One name. */
struct line_event {
	const char *name; /* with the subsystem, if that is known */
	enum event_style style;
	bool is_of_interrupt; /* which may be all that is seen of the thread */
	bool is_wakeup;       /* its context says who wakes */
	struct line_shape *shapes;
	size_t shape_count;
	struct line_class *classes;
	size_t class_count;
};

/* An event whose fields are ever others has its text as one. */
enum { CLASSES_OF_EVENT_MAX = 64 };

/* ---- events ---------------------------------------------------------------------------------------------- */

static bool begins_with(const char *text, const char *beginning)
{
	return strncmp(text, beginning, strlen(beginning)) == 0;
}

static bool make_shapes(struct line_classes *classes, struct line_event *event, const struct shape_row *first)
{
	size_t count = 0;
	for (const struct shape_row *row = first; row != NULL; row = shape_row_next(row))
		count++;
	event->shapes =
		arena_allocate(&classes->memory, (count + 1) * sizeof(*event->shapes), alignof(struct line_shape));
	if (event->shapes == NULL)
		return false;
	for (const struct shape_row *row = first; row != NULL; row = shape_row_next(row))
		if (!line_shape_make(&event->shapes[event->shape_count++], row->shape, &classes->memory))
			return false;
	return true;
}

/* ftrace leaves the subsystem out, perf does not. */
static bool name_event(struct line_classes *classes, struct line_event *event, const char *name, size_t size)
{
	static const char calls[] = "syscalls:";
	const struct shape_row *row = shape_row_find(name, size);
	char whole[sizeof(calls) + LINE_NAME_MAX];
	const char *plain = begins_with(name, calls) ? name + strlen(calls) : name;
	if (begins_with(plain, "sys_enter_"))
		event->style = STYLE_CALL_ENTRY;
	else if (begins_with(plain, "sys_exit_"))
		event->style = STYLE_CALL_EXIT;
	if (event->style != STYLE_PAIRS && plain == name) {
		memcpy(whole, calls, strlen(calls));
		memcpy(whole + strlen(calls), name, size);
		event->name = arena_copy(&classes->memory, whole, strlen(calls) + size);
	} else {
		event->name = row != NULL ? row->event : name;
	}
	event->is_of_interrupt = event->name != NULL &&
				 (begins_with(event->name, "irq:") || begins_with(event->name, "irq_vectors:"));
	event->is_wakeup = event->name != NULL && begins_with(event->name, "sched:sched_wak");
	return event->name != NULL && make_shapes(classes, event, row);
}

/* Returns NULL when memory runs out. */
static struct line_event *event_of(struct line_classes *classes, const struct line_head *head)
{
	size_t size;
	uint32_t number = intern_add(&classes->names, head->name, head->name_size);
	if (number == INTERN_NONE || !array_reserve(&classes->events, &classes->event_capacity, (size_t)number + 1))
		return NULL;
	while (classes->event_count <= number)
		classes->events[classes->event_count++] = NULL;
	if (classes->events[number] != NULL)
		return classes->events[number];
	struct line_event *event = arena_allocate(&classes->memory, sizeof(*event), alignof(struct line_event));
	const char *name = intern_get(&classes->names, number, &size);
	if (event == NULL)
		return NULL;
	*event = (struct line_event){ 0 };
	if (!name_event(classes, event, name, size))
		return NULL;
	classes->events[number] = event;
	return event;
}

/* ---- classes --------------------------------------------------------------------------------------------- */

static struct line_pair number_pair(const char *name, int32_t number)
{
	return (struct line_pair){ name, strlen(name), { .kind = TEXT_INTEGER, .integer = number } };
}

/* What a switch that perf tells has, as the same of a recording (perf_class.h). */
static size_t turn_fields(const struct switch_record *turn, struct line_pair *out)
{
	size_t count = 0;
	struct line_pair own = number_pair(turn->is_out ? "prev_pid" : "tid", turn->tid);
	if (turn->tid < 0)
		own.value.kind = TEXT_ABSENT;
	out[count++] = own;
	if (turn->is_out)
		out[count++] = number_pair("prev_state", turn->left_as);
	if (turn->is_out && turn->next >= 0)
		out[count++] = number_pair("next_pid", turn->next);
	return count;
}

/* What every event has besides its own fields. */
static size_t common_fields(const struct line_event *event, const struct line_head *head, struct line_pair *out)
{
	static const char pid[] = "common_pid", process[] = "common_tgid", period[] = "perf_period";
	size_t count = 1;
	out[0] = (struct line_pair){
		pid,
		sizeof(pid) - 1,
		{ .kind = head->pid == LINE_NO_THREAD ? TEXT_ABSENT : TEXT_INTEGER, .integer = head->pid },
	};
	if (head->has_process)
		out[count++] = (struct line_pair){
			process,
			sizeof(process) - 1,
			{ .kind = head->process == LINE_NO_PROCESS ? TEXT_ABSENT : TEXT_INTEGER,
			  .integer = head->process },
		};
	/* perf's is that of now, ftrace's the last one that the thread had when the trace was printed. */
	const char *comm = head->has_turn ? "perf_comm" : event->is_of_interrupt ? "common_comm" : NULL;
	if (comm != NULL)
		out[count++] = (struct line_pair){
			comm,
			strlen(comm),
			{ .kind = head->comm != NULL ? TEXT_STRING : TEXT_ABSENT,
			  .bytes = head->comm,
			  .size = head->comm_size },
		};
	if (event->is_wakeup && head->has_context)
		out[count++] = number_pair("common_flags", head->context);
	if (head->has_turn)
		count += turn_fields(&head->turn, &out[count]);
	if (head->has_period)
		out[count++] = (struct line_pair){ period,
						   sizeof(period) - 1,
						   { .kind = TEXT_INTEGER, .integer = (int64_t)head->period } };
	return count;
}

static struct line_pair pair_of(enum sample_field field, struct text_cell value)
{
	return (struct line_pair){ sample_field_names[field], strlen(sample_field_names[field]), value };
}

static struct text_cell number_or_none(int64_t number)
{
	return (struct text_cell){ .kind = number < 0 ? TEXT_ABSENT : TEXT_INTEGER, .integer = number };
}

/* What a sample has: all of them have the same fields. */
static size_t sample_fields(const struct line_head *head, const struct line_sample *sample, struct line_pair *out)
{
	const int32_t tid = head->pid == LINE_NO_THREAD ? -1 : head->pid;
	const struct text_cell name = { .kind = sample->name_size > 0 ? TEXT_STRING : TEXT_ABSENT,
					.bytes = (char *)(uintptr_t)sample->name,
					.size = sample->name_size };
	if (sample->chain_size == 0)
		return 0;
	out[0] = pair_of(
		SAMPLE_STACK,
		(struct text_cell){ .kind = TEXT_STRING, .bytes = sample->chain, .size = sample->chain_size });
	out[1] = pair_of(SAMPLE_PID, number_or_none(sample->pid));
	out[2] = pair_of(SAMPLE_TID, number_or_none(tid));
	/* Who has no number is a process of that name. */
	const struct text_cell none = { .kind = TEXT_ABSENT };
	out[3] = pair_of(SAMPLE_THREAD, tid >= 0 ? name : none);
	out[4] = pair_of(SAMPLE_PROCESS, tid < 0 ? name : none);
	return 5;
}

static struct line_class *make_class(struct line_classes *classes, struct line_event *event,
				     const struct line_pair *pairs, size_t count)
{
	struct arena *memory = &classes->memory;
	struct line_class *class = arena_allocate(memory, sizeof(*class), alignof(struct line_class));
	const char **fields = arena_allocate(memory, count * sizeof(*fields), alignof(char *));
	size_t *sizes = arena_allocate(memory, count * sizeof(*sizes), alignof(size_t));
	uint16_t *columns = arena_allocate(memory, count * sizeof(*columns), alignof(uint16_t));
	if (class == NULL || fields == NULL || sizes == NULL || columns == NULL)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		fields[i] = arena_copy(memory, pairs[i].name, pairs[i].name_size);
		if (fields[i] == NULL)
			return NULL;
		sizes[i] = pairs[i].name_size;
		columns[i] = (uint16_t)i;
	}
	*class = (struct line_class){
		.base = { .class = { .trace = classes->trace,
				     .id = (*classes->class_count)++,
				     .name = event->name,
				     .field_count = (uint32_t)count,
				     .fields = fields,
				     .payload_count = (uint32_t)count },
			  .columns = columns,
			  .column_count = (uint16_t)count },
		.sizes = sizes,
		.next = event->classes,
	};
	event->classes = class;
	event->class_count++;
	classes->count++;
	return class;
}

static bool has_fields(const struct line_class *class, const struct line_pair *pairs, size_t count)
{
	if (class->base.column_count != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (class->sizes[i] != pairs[i].name_size ||
		    memcmp(class->base.class.fields[i], pairs[i].name, pairs[i].name_size) != 0)
			return false;
	return true;
}

/* Of the classes of an event the one that was needed last comes first. */
static struct line_class *find_class(struct line_event *event, const struct line_shape *shape,
				     const struct line_head *head, bool is_sample, const struct line_pair *pairs,
				     size_t count)
{
	for (struct line_class **at = &event->classes; *at != NULL; at = &(*at)->next) {
		struct line_class *class = *at;
		bool is_it = class->shape == shape && class->has_process == head->has_process &&
			     class->has_context == head->has_context && class->has_period == head->has_period &&
			     class->is_sample == is_sample && (shape != NULL || has_fields(class, pairs, count));
		if (!is_it)
			continue;
		*at = class->next;
		class->next = event->classes;
		event->classes = class;
		return class;
	}
	return NULL;
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

static size_t read_exit(const struct line_head *head, struct line_pair *pairs)
{
	struct line_scan scan = { head->text, head->text + head->text_size };
	pairs[0] = (struct line_pair){ "ret", 3, { .kind = TEXT_INTEGER } };
	if (!line_scan_integer(&scan, &pairs[0].value.integer))
		pairs[0].value.kind = TEXT_ABSENT;
	return 1;
}

/* Returns the shape that fits, NULL if none does. */
static const struct line_shape *match(const struct line_event *event, const struct line_head *head,
				      struct text_cell *cells)
{
	for (size_t i = 0; i < event->shape_count; i++)
		if (line_shape_match(&event->shapes[i], head->text, head->text_size, cells))
			return &event->shapes[i];
	return NULL;
}

static bool ends_with(const char *name, size_t size, const char *suffix)
{
	return size >= strlen(suffix) && memcmp(name + size - strlen(suffix), suffix, strlen(suffix)) == 0;
}

/* Whether a line that fits no shape shows the threads, CPUs and states of the first shape, as raw fields do. */
static bool has_numbers(const struct line_shape *shape, const struct line_pair *pairs, size_t count)
{
	for (const struct shape_step *step = shape->steps; step->kind != SHAPE_END; step++) {
		if (step->column < 0)
			continue;
		const char *name = shape->fields[step->column];
		const size_t size = shape->sizes[step->column];
		size_t at = 0;
		if (step->kind != SHAPE_STATE && !ends_with(name, size, "pid") && !ends_with(name, size, "cpu"))
			continue;
		while (at < count && (pairs[at].name_size != size || memcmp(pairs[at].name, name, size) != 0))
			at++;
		if (at == count || pairs[at].value.kind != TEXT_INTEGER)
			return false;
	}
	return true;
}

/* The fields of a line, without those that are common to all; names of shapes need none, their class is known. */
static size_t read_pairs(const struct line_event *event, const struct line_head *head, struct line_pair *pairs)
{
	switch (event->style) {
	case STYLE_CALL_ENTRY:
		return line_pairs_of_call(head->text, head->text_size, pairs);
	case STYLE_CALL_EXIT:
		return read_exit(head, pairs);
	case STYLE_PAIRS:
	default:
		return line_pairs_read(head->text, head->text_size, pairs);
	}
}

/* The class of an event with these fields, known or new.  Returns NULL, and the status, after a failure. */
static struct line_class *class_of(struct line_classes *classes, struct line_event *event,
				   const struct line_shape *shape, const struct line_pair *pairs, size_t count,
				   const struct line_head *head, bool is_sample, enum histree_status *status)
{
	struct line_class *class = find_class(event, shape, head, is_sample, pairs, count);
	if (class != NULL)
		return class;
	*status = classes->count >= LINE_CLASSES_MAX ? HISTREE_NOT_FOUND : HISTREE_ERR_MEMORY;
	if (*status == HISTREE_ERR_MEMORY)
		class = make_class(classes, event, pairs, count);
	if (class == NULL)
		return NULL;
	class->shape = shape;
	class->has_process = head->has_process;
	class->has_context = head->has_context;
	class->has_period = head->has_period;
	class->is_sample = is_sample;
	return class;
}

enum histree_status line_classes_read(struct line_classes *classes, const struct line_head *head,
				      const struct line_sample *sample, struct text_cell *cells, size_t *count,
				      const struct text_class **out, struct histree_error *error)
{
	struct line_pair pairs[LINE_CELLS_MAX];
	bool is_full = classes->count >= LINE_CLASSES_MAX;
	if (is_full && intern_find(&classes->names, head->name, head->name_size) == INTERN_NONE)
		return HISTREE_NOT_FOUND;
	struct line_event *event = event_of(classes, head);
	if (event == NULL)
		return error_memory(error, "the classes of events");
	const struct line_shape *shape = match(event, head, cells);
	const bool is_sample = sample->chain_size > 0;
	if (shape != NULL) {
		for (size_t i = 0; i < shape->field_count; i++)
			pairs[i] = (struct line_pair){ shape->fields[i], shape->sizes[i], cells[i] };
		*count = shape->field_count;
	} else if (is_sample && line_sample_is_counted(head->name, head->name_size))
		*count = 0; /* what its line may have is a frame */
	else if (event->class_count >= CLASSES_OF_EVENT_MAX)
		*count = line_pairs_whole(head->text, head->text_size, pairs);
	else
		*count = read_pairs(event, head, pairs);
	classes->is_unfit =
		shape == NULL && event->shape_count > 0 && !has_numbers(&event->shapes[0], pairs, *count);
	*count += common_fields(event, head, &pairs[*count]);
	*count += sample_fields(head, sample, &pairs[*count]);
	enum histree_status status = HISTREE_OK;
	const struct line_class *class = class_of(classes, event, shape, pairs, *count, head, is_sample, &status);
	if (class == NULL)
		return status == HISTREE_ERR_MEMORY ? error_memory(error, "the classes of events") : status;
	for (size_t i = 0; i < *count; i++)
		cells[i] = pairs[i].value;
	*out = &class->base;
	return HISTREE_OK;
}

void line_classes_release(struct line_classes *classes)
{
	intern_release(&classes->names);
	arena_release(&classes->memory);
	free((void *)classes->events);
}
