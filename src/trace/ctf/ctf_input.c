// SPDX-License-Identifier: MIT
#include "trace/ctf/ctf_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/ctf/ctf_cause.h"

enum histree_status ctf_plugin_find(const bt_plugin **out, struct histree_error *error)
{
	*out = NULL;
	bt_plugin_find_status status = bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, out);
	if (status == BT_PLUGIN_FIND_STATUS_OK &&
	    bt_plugin_borrow_source_component_class_by_name_const(*out, "fs") != NULL)
		return HISTREE_OK;
	ctf_cause_drop();
	bt_plugin_put_ref(*out);
	*out = NULL;
	return error_set(
		error, HISTREE_ERR_TRACE,
		"babeltrace2 has no plugin \"ctf\"; BABELTRACE_PLUGIN_PATH names the folder that it is in");
}

static enum histree_status fail(struct ctf_input *input, const char *what, struct histree_error *error)
{
	ctf_cause_take(input->cause, sizeof(input->cause));
	return error_set(error, HISTREE_ERR_TRACE, "%s: %s", what, input->cause);
}

static bt_component_class_sink_consume_method_status consume(bt_self_component_sink *self)
{
	struct ctf_input *input = bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
	struct ctf_stream *stream = input->pulled;
	if (stream != NULL) {
		stream->next = stream->count = 0;
		input->pulled_status =
			bt_message_iterator_next(stream->iterator, &stream->messages, &stream->count);
		if (input->pulled_status < 0)
			ctf_cause_take(input->cause, sizeof(input->cause));
	}
	/* Never an error: what one stream does is no reason to end the others. */
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
}

static bt_component_class_initialize_method_status initialize(bt_self_component_sink *self,
							      bt_self_component_sink_configuration *configuration,
							      const bt_value *parameters, void *method_data)
{
	(void)configuration;
	(void)parameters;
	struct ctf_input *input = method_data;
	bt_self_component_set_data(bt_self_component_sink_as_self_component(self), input);
	for (size_t index = 0; index < input->stream_count; index++) {
		char name[32];
		snprintf(name, sizeof(name), "in%zu", index);
		if (bt_self_component_sink_add_input_port(self, name, NULL, NULL) !=
		    BT_SELF_COMPONENT_ADD_PORT_STATUS_OK)
			return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	}
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_component_class_sink_graph_is_configured_method_status graph_is_configured(bt_self_component_sink *self)
{
	struct ctf_input *input = bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
	for (size_t index = 0; index < input->stream_count; index++) {
		struct ctf_stream *stream = &input->streams[index];
		if (bt_message_iterator_create_from_sink_component(
			    self, bt_self_component_sink_borrow_input_port_by_index(self, index),
			    &stream->iterator) != BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK) {
			stream->iterator = NULL;
			ctf_cause_take(input->cause, sizeof(input->cause));
			ctf_stream_damaged(stream);
		}
	}
	return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

static const bt_component_sink *add_sink(struct ctf_input *input)
{
	const bt_component_sink *sink = NULL;
	bt_component_class_sink *class = bt_component_class_sink_create("events", consume);
	if (class == NULL)
		return NULL;
	if (bt_component_class_sink_set_initialize_method(class, initialize) !=
		    BT_COMPONENT_CLASS_SET_METHOD_STATUS_OK ||
	    bt_component_class_sink_set_graph_is_configured_method(class, graph_is_configured) !=
		    BT_COMPONENT_CLASS_SET_METHOD_STATUS_OK ||
	    bt_graph_add_sink_component_with_initialize_method_data(input->graph, class, "sink", NULL, input,
								    BT_LOGGING_LEVEL_NONE,
								    &sink) != BT_GRAPH_ADD_COMPONENT_STATUS_OK)
		sink = NULL;
	bt_component_class_sink_put_ref(class);
	return sink;
}

/* A graph with the source alone: whether it can read the folder is the question. */
static const bt_component_source *add_source(struct ctf_input *input, const bt_component_class_source *class,
					     const char *path)
{
	static const char action[] = "session-not-found-action";
	const bt_component_source *source = NULL;
	bt_value *paths = bt_value_array_create(), *parameters = bt_value_map_create();
	input->graph = bt_graph_create(0);
	if (paths == NULL || parameters == NULL || input->graph == NULL ||
	    bt_value_array_append_string_element(paths, path) != BT_VALUE_ARRAY_APPEND_ELEMENT_STATUS_OK ||
	    bt_value_map_insert_entry(parameters, "inputs", paths) != BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK ||
	    (input->is_live &&
	     bt_value_map_insert_string_entry(parameters, action, "end") != BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK) ||
	    bt_graph_add_source_component(input->graph, class, "source", parameters, BT_LOGGING_LEVEL_NONE,
					  &source) != BT_GRAPH_ADD_COMPONENT_STATUS_OK) {
		ctf_cause_take(input->cause, sizeof(input->cause));
		bt_graph_put_ref(input->graph);
		input->graph = NULL;
		source = NULL;
	}
	bt_value_put_ref(paths);
	bt_value_put_ref(parameters);
	return source;
}

/* Try the folder as it is if it is sound, and else, or if that fails, its stand-in. */
static enum histree_status open_source(struct ctf_input *input, const bt_component_class_source *class,
				       const bt_component_source **out, struct histree_error *error)
{
	struct ctf_folder *folder = &input->folder;
	*out = folder->sound ? add_source(input, class, folder->path) : NULL;
	if (*out != NULL)
		return HISTREE_OK;
	enum histree_status status = ctf_folder_stand_in(folder, error);
	if (status != HISTREE_OK)
		return status;
	*out = add_source(input, class, folder->stand_in);
	if (*out != NULL)
		return HISTREE_OK;
	/*
	 * With damaged streams out of the way it is the metadata.  What is wrong with that, babeltrace2 writes to
	 * its log; the cause is often no more than the name of the folder.
	 */
	bool tells = strstr(input->cause, folder->stand_in) == NULL;
	return error_set(error, HISTREE_ERR_TRACE,
			 "babeltrace2 cannot make sense of %s%s%s; the command \"babeltrace2 %s\" says more",
			 folder->layout.usable ? "the metadata" : "the metadata or a stream", tells ? ": " : "",
			 tells ? input->cause : "", folder->path);
}

static enum histree_status connect_streams(struct ctf_input *input, const bt_component_source *source,
					   struct histree_error *error)
{
	input->stream_count = bt_component_source_get_output_port_count(source);
	if (input->stream_count == 0)
		return HISTREE_OK;
	input->streams = calloc(input->stream_count, sizeof(*input->streams));
	if (input->streams == NULL) {
		input->stream_count = 0;
		return error_memory(error, "the streams of a trace");
	}
	for (size_t index = 0; index < input->stream_count; index++)
		input->streams[index] =
			(struct ctf_stream){ .input = input, .name = input->folder.path, .cpu = -1 };

	const bt_component_sink *sink = add_sink(input);
	if (sink == NULL)
		return fail(input, "cannot make a sink for events", error);
	for (size_t index = 0; index < input->stream_count; index++)
		if (bt_graph_connect_ports(input->graph,
					   bt_component_source_borrow_output_port_by_index_const(source, index),
					   bt_component_sink_borrow_input_port_by_index_const(sink, index),
					   NULL) != BT_GRAPH_CONNECT_PORTS_STATUS_OK)
			return fail(input, "cannot connect a stream", error);
	/* The first run configures the graph, which makes the iterators; nothing is pulled yet. */
	if (bt_graph_run_once(input->graph) != BT_GRAPH_RUN_ONCE_STATUS_OK)
		return fail(input, "cannot begin to read", error);
	return HISTREE_OK;
}

static enum histree_status describe(struct ctf_input *input, const char *path, struct histree_error *error)
{
	input->trace = (struct event_trace){
		.id = input->trace.id,
		.path = arena_copy(&input->texts, path, strlen(path)),
		.domain = "",
		.tracer_name = "",
		.tracer_major = -1,
		.tracer_minor = -1,
		.hostname = "",
		.machine = "",
		.get_int = ctf_event_int,
		.get_string = ctf_event_string,
	};
	return input->trace.path != NULL ? HISTREE_OK : error_memory(error, "a trace");
}

enum histree_status ctf_input_scan(struct ctf_input *input, const char *path, struct histree_error *error)
{
	enum histree_status status = describe(input, path, error);
	if (status == HISTREE_OK)
		status = ctf_folder_scan(&input->folder, path, input->notes, error);
	if (status != HISTREE_OK)
		error_prefix(error, "trace \"%s\"", path);
	return status;
}

enum histree_status ctf_input_open_live(struct ctf_input *input, const bt_plugin *plugin, const char *address,
					struct histree_error *error)
{
	const bt_component_class_source *class =
		bt_plugin_borrow_source_component_class_by_name_const(plugin, "lttng-live");
	if (class == NULL)
		return error_set(error, HISTREE_ERR_TRACE, "babeltrace2 has no component \"lttng-live\"");
	input->is_live = true;
	enum histree_status status = describe(input, address, error);
	input->folder.path = strdup(address);
	if (status == HISTREE_OK && input->folder.path == NULL)
		status = error_memory(error, "a trace");
	if (status != HISTREE_OK)
		return status;
	const bt_component_source *source = add_source(input, class, address);
	if (source == NULL)
		return error_set(error, HISTREE_ERR_TRACE, "cannot reach \"%s\": %s", address, input->cause);
	status = connect_streams(input, source, error);
	if (status == HISTREE_OK && input->stream_count == 0)
		status = error_set(error, HISTREE_ERR_TRACE, "has no streams");
	if (status != HISTREE_OK)
		error_prefix(error, "trace \"%s\"", address);
	return status;
}

enum histree_status ctf_input_open(struct ctf_input *input, const bt_plugin *plugin, struct histree_error *error)
{
	const bt_component_class_source *class =
		bt_plugin_borrow_source_component_class_by_name_const(plugin, "fs");
	const bt_component_source *source;
	enum histree_status status = open_source(input, class, &source, error);
	if (status == HISTREE_OK)
		status = connect_streams(input, source, error);
	if (status != HISTREE_OK)
		error_prefix(error, "trace \"%s\"", input->trace.path);
	return status;
}

uint64_t ctf_input_bytes_done(const struct ctf_input *input)
{
	const struct ctf_folder *folder = &input->folder;
	if (input->streams_ended == input->stream_count || input->packets_done >= folder->packet_count)
		return folder->bytes;
	return (uint64_t)((double)folder->bytes * (double)input->packets_done / (double)folder->packet_count);
}

void ctf_input_close(struct ctf_input *input)
{
	for (size_t index = 0; index < input->stream_count; index++)
		ctf_stream_release(&input->streams[index]);
	bt_graph_put_ref(input->graph);
	free(input->streams);
	ctf_folder_release(&input->folder);
	arena_release(&input->texts);
}
