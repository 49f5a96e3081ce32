// SPDX-License-Identifier: MIT
/*
 * differential - read traces with histree's reader and with libbabeltrace2's API, and compare each event of each
 * stream: its class, its time, and each number and text in it.
 *
 *	differential [-d] TRACE...	-d: a stream may be damaged; then both must have the same events before that
 *
 * A trace is a folder with a file `metadata`.  Exit 1: they differ, and how is printed; 77: nothing was compared.
 */
#include <babeltrace2/babeltrace.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "trace/ctf/ctf_source.h"
#include "trace/formats.h"

enum { STREAMS_MAX = 4096 };

/* libbabeltrace2's side: a graph of a source and a sink that takes from the stream that is asked for. */
struct judge {
	bt_graph *graph;
	uint64_t stream_count;
	bt_message_iterator *iterators[STREAMS_MAX];
	bt_message_iterator *wanted;
	bt_message_array_const messages;
	uint64_t count, next;
	bt_message_iterator_next_status status;
};

static void drop_error(void)
{
	const bt_error *error = bt_current_thread_take_error();
	if (error != NULL)
		bt_error_release(error);
}

static bt_component_class_sink_consume_method_status consume(bt_self_component_sink *self)
{
	struct judge *judge = bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
	if (judge->wanted != NULL)
		judge->status = bt_message_iterator_next(judge->wanted, &judge->messages, &judge->count);
	drop_error();
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
}

static bt_component_class_initialize_method_status initialize(bt_self_component_sink *self,
							      bt_self_component_sink_configuration *configuration,
							      const bt_value *parameters, void *data)
{
	(void)configuration;
	(void)parameters;
	const struct judge *judge = data;
	bt_self_component_set_data(bt_self_component_sink_as_self_component(self), data);
	for (uint64_t i = 0; i < judge->stream_count; i++) {
		char name[32];
		snprintf(name, sizeof(name), "in%" PRIu64, i);
		if (bt_self_component_sink_add_input_port(self, name, NULL, NULL) !=
		    BT_SELF_COMPONENT_ADD_PORT_STATUS_OK)
			return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	}
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_component_class_sink_graph_is_configured_method_status configured(bt_self_component_sink *self)
{
	struct judge *judge = bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
	for (uint64_t i = 0; i < judge->stream_count; i++)
		if (bt_message_iterator_create_from_sink_component(
			    self, bt_self_component_sink_borrow_input_port_by_index(self, i),
			    &judge->iterators[i]) != BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK) {
			judge->iterators[i] = NULL;
			drop_error();
		}
	return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

static bool connect(struct judge *judge, const bt_component_source *source)
{
	const bt_component_sink *sink = NULL;
	bt_component_class_sink *class = bt_component_class_sink_create("judge", consume);
	bt_component_class_sink_set_initialize_method(class, initialize);
	bt_component_class_sink_set_graph_is_configured_method(class, configured);
	bool ok = bt_graph_add_sink_component_with_initialize_method_data(judge->graph, class, "sink", NULL, judge,
									  BT_LOGGING_LEVEL_NONE, &sink) ==
		  BT_GRAPH_ADD_COMPONENT_STATUS_OK;
	bt_component_class_sink_put_ref(class);
	for (uint64_t i = 0; ok && i < judge->stream_count; i++)
		ok = bt_graph_connect_ports(judge->graph,
					    bt_component_source_borrow_output_port_by_index_const(source, i),
					    bt_component_sink_borrow_input_port_by_index_const(sink, i),
					    NULL) == BT_GRAPH_CONNECT_PORTS_STATUS_OK;
	return ok && bt_graph_run_once(judge->graph) == BT_GRAPH_RUN_ONCE_STATUS_OK;
}

/* Returns whether libbabeltrace2 accepts the trace. */
static bool judge_open(struct judge *judge, const bt_plugin *plugin, const char *path)
{
	const bt_component_source *source = NULL;
	bt_value *paths = bt_value_array_create(), *parameters = bt_value_map_create();
	*judge = (struct judge){ .graph = bt_graph_create(0) };
	(void)!bt_value_array_append_string_element(paths, path);
	(void)!bt_value_map_insert_entry(parameters, "inputs", paths);
	bool ok = bt_graph_add_source_component(
			  judge->graph, bt_plugin_borrow_source_component_class_by_name_const(plugin, "fs"),
			  "source", parameters, BT_LOGGING_LEVEL_NONE, &source) == BT_GRAPH_ADD_COMPONENT_STATUS_OK;
	bt_value_put_ref(paths);
	bt_value_put_ref(parameters);
	if (ok) {
		judge->stream_count = bt_component_source_get_output_port_count(source);
		ok = judge->stream_count <= STREAMS_MAX && connect(judge, source);
	}
	drop_error();
	return ok;
}

static void judge_close(struct judge *judge)
{
	for (uint64_t i = 0; i < judge->stream_count; i++)
		bt_message_iterator_put_ref(judge->iterators[i]);
	bt_graph_put_ref(judge->graph);
}

/* Returns the next message of a stream; NULL at its end, or its damage.  The caller puts the reference back. */
static const bt_message *judge_next(struct judge *judge, uint64_t stream)
{
	while (judge->next == judge->count) {
		judge->next = judge->count = 0;
		judge->wanted = judge->iterators[stream];
		judge->status = BT_MESSAGE_ITERATOR_NEXT_STATUS_ERROR;
		if (judge->wanted == NULL || bt_graph_run_once(judge->graph) != BT_GRAPH_RUN_ONCE_STATUS_OK ||
		    judge->status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK) {
			drop_error();
			judge->count = 0;
			return NULL;
		}
	}
	return judge->messages[judge->next++];
}

/* ---- comparison ------------------------------------------------------------------------------------------ */

struct comparison {
	const struct event *event;
	const bt_event *other;
	uint32_t field;
	bool equal;
};

static bool compare_text(const struct comparison *comparison, const bt_field *other)
{
	const char *text = NULL;
	size_t size = 0, length = bt_field_string_get_length(other);
	return event_string(comparison->event, comparison->field, &text, &size) && size == length &&
	       (size == 0 || memcmp(text, bt_field_string_get_value(other), size) == 0);
}

static bool compare_field(const struct comparison *comparison, const bt_field *other)
{
	bt_field_class_type type = bt_field_get_class_type(other);
	int64_t number;
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		return event_int(comparison->event, comparison->field, &number) &&
		       (uint64_t)number == bt_field_integer_unsigned_get_value(other);
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
		return event_int(comparison->event, comparison->field, &number) &&
		       number == bt_field_integer_signed_get_value(other);
	if (type == BT_FIELD_CLASS_TYPE_STRING)
		return compare_text(comparison, other);
	const char *text;
	size_t size;
	return !event_int(comparison->event, comparison->field, &number) &&
	       !event_string(comparison->event, comparison->field, &text, &size);
}

static void compare_scope(struct comparison *comparison, const bt_field *scope)
{
	if (scope == NULL)
		return;
	const bt_field_class *class = bt_field_borrow_class_const(scope);
	uint64_t count = bt_field_class_structure_get_member_count(class);
	for (uint64_t i = 0; comparison->equal && i < count; i++, comparison->field++) {
		const char *name = bt_field_class_structure_member_get_name(
			bt_field_class_structure_borrow_member_by_index_const(class, i));
		const struct event_class *own = comparison->event->class;
		comparison->equal =
			comparison->field < own->field_count && strcmp(own->fields[comparison->field], name) == 0 &&
			compare_field(comparison, bt_field_structure_borrow_member_field_by_index_const(scope, i));
		if (!comparison->equal)
			fprintf(stderr, "event %s at %" PRId64 ": field %s differs\n", own->name,
				comparison->event->time, name);
	}
}

static bool compare_event(const struct event *event, const bt_message *message)
{
	const bt_event *other = bt_message_event_borrow_event_const(message);
	int64_t time = 0;
	const char *name = bt_event_class_get_name(bt_event_borrow_class_const(other));
	bool has_time =
		bt_clock_snapshot_get_ns_from_origin(bt_message_event_borrow_default_clock_snapshot_const(message),
						     &time) == BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK;
	drop_error();
	if (!has_time || time != event->time || strcmp(name == NULL ? "" : name, event->class->name) != 0) {
		fprintf(stderr, "%s at %" PRId64 " is %s at %" PRId64 "\n", event->class->name, event->time,
			name == NULL ? "" : name, time);
		return false;
	}
	struct comparison comparison = { .event = event, .other = other, .equal = true };
	compare_scope(&comparison, bt_event_borrow_payload_field_const(other));
	compare_scope(&comparison, bt_event_borrow_specific_context_field_const(other));
	compare_scope(&comparison, bt_event_borrow_common_context_field_const(other));
	return comparison.equal && comparison.field == event->class->field_count;
}

static struct ctf_reader *find_reader(const struct ctf_source *source, const char *name)
{
	const char *slash = strrchr(name, '/');
	for (size_t i = 0; i < source->reader_count; i++) {
		const char *own = strrchr(source->readers[i].base.name, '/');
		if (strcmp(own, slash == NULL ? name : slash) == 0)
			return &source->readers[i];
	}
	return NULL;
}

/* Gaps are of our own making: libbabeltrace2 has other messages for what is missing. */
static enum histree_status next_event(struct ctf_reader *reader)
{
	enum histree_status status;
	do
		status = ctf_reader_next(&reader->base, NULL);
	while (status == HISTREE_OK && reader->base.upcoming.gap != NULL);
	return status;
}

/* Compare one stream.  With damage, what libbabeltrace2 has is a beginning of what we have. */
static bool compare_stream(struct judge *judge, uint64_t stream, const struct ctf_source *source, bool damage,
			   uint64_t *events)
{
	struct ctf_reader *reader = NULL;
	const bt_message *message;
	bool equal = true, is_damaged;
	judge->next = judge->count = 0;
	while ((message = judge_next(judge, stream)) != NULL) {
		bt_message_type type = bt_message_get_type(message);
		if (type == BT_MESSAGE_TYPE_STREAM_BEGINNING)
			reader = find_reader(
				source,
				bt_stream_get_name(bt_message_stream_beginning_borrow_stream_const(message)));
		if (type == BT_MESSAGE_TYPE_EVENT && equal) {
			equal = reader != NULL && next_event(reader) == HISTREE_OK &&
				compare_event(&reader->base.upcoming, message);
			++*events;
		}
		bt_message_put_ref(message);
	}
	is_damaged = judge->status != BT_MESSAGE_ITERATOR_NEXT_STATUS_END;
	if (equal && reader != NULL && !is_damaged && next_event(reader) != HISTREE_END) {
		fprintf(stderr, "%s: there are more events than libbabeltrace2 has\n", reader->base.name);
		equal = false;
	}
	if (is_damaged && !damage) {
		fprintf(stderr, "libbabeltrace2 finds damage\n");
		equal = false;
	}
	/* The first packet has the same end for both: only then comes what only we read on. */
	if (equal && reader != NULL && is_damaged && reader->packet_count == 1 &&
	    next_event(reader) != HISTREE_END) {
		fprintf(stderr, "%s: an event is read where libbabeltrace2 finds damage\n", reader->base.name);
		equal = false;
	}
	return equal;
}

/* Returns 0: equal, 1: not, 2: neither reads it. */
static int compare_trace(const bt_plugin *plugin, const char *path, bool damage, uint64_t *events)
{
	struct judge judge;
	struct trace_notes notes = { 0 };
	uint32_t class_count = 0;
	struct trace_source *source = trace_source_create(&ctf_format, path);
	const struct trace_opening opening = { .window_size = 4096, .files_stay_open = true };
	struct histree_error error = { 0 };
	if (source == NULL)
		return 1;
	source->notes = &notes;
	source->io = &io_posix;
	source->class_count = &class_count;
	enum histree_status status = ctf_format.scan(source, &error);
	if (status == HISTREE_OK)
		status = ctf_format.open(source, &opening, &error);
	bool is_read = judge_open(&judge, plugin, path);
	int outcome = status == HISTREE_OK && is_read ? 0 : status != HISTREE_OK && !is_read ? 2 : 1;
	if (outcome == 1)
		fprintf(stderr, "only %s reads it: %s\n", is_read ? "libbabeltrace2" : "histree", error.message);
	/* Damaged heads are refused by libbabeltrace2, with the whole trace. */
	if (outcome == 1 && damage && !is_read && notes.report.damaged_streams > 0)
		outcome = 2;
	for (uint64_t i = 0; outcome == 0 && i < judge.stream_count; i++)
		outcome = compare_stream(&judge, i, ctf_source_of(source), damage, events) ? 0 : 1;
	judge_close(&judge);
	trace_source_free(source);
	trace_notes_release(&notes);
	if (outcome == 1)
		fprintf(stderr, "%s: differs\n", path);
	return outcome;
}

int main(int argument_count, char **arguments)
{
	const bt_plugin *plugin = NULL;
	if (bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &plugin) !=
	    BT_PLUGIN_FIND_STATUS_OK) {
		drop_error();
		return 77;
	}
	bool damage = argument_count > 1 && strcmp(arguments[1], "-d") == 0, equal = true;
	uint64_t events = 0;
	unsigned traces = 0, refused = 0;
	for (int i = damage ? 2 : 1; i < argument_count; i++) {
		int outcome = compare_trace(plugin, arguments[i], damage, &events);
		equal &= outcome != 1;
		refused += outcome == 2;
		traces++;
	}
	bt_plugin_put_ref(plugin);
	printf("%u traces, %u of them refused by both, %" PRIu64 " events: %s\n", traces, refused, events,
	       equal ? "equal" : "different");
	return equal ? 0 : 1;
}
