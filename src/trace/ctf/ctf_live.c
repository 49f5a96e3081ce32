// SPDX-License-Identifier: MIT
#include "trace/ctf/ctf_live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/ctf/ctf_cause.h"
#include "trace/ctf/ctf_live_session.h"

/* The plugin that reads CTF. */
static enum histree_status find_plugin(const bt_plugin **out, struct histree_error *error)
{
	*out = NULL;
	bt_plugin_find_status status = bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, out);
	if (status == BT_PLUGIN_FIND_STATUS_OK &&
	    bt_plugin_borrow_source_component_class_by_name_const(*out, "lttng-live") != NULL)
		return HISTREE_OK;
	ctf_cause_drop();
	bt_plugin_put_ref(*out);
	*out = NULL;
	return error_set(
		error, HISTREE_ERR_TRACE,
		"babeltrace2 has no plugin \"ctf\"; BABELTRACE_PLUGIN_PATH names the folder that it is in");
}

static enum histree_status fail(struct ctf_live *live, const char *what, struct histree_error *error)
{
	ctf_cause_take(live->cause, sizeof(live->cause));
	return error_set(error, HISTREE_ERR_TRACE, "%s: %s", what, live->cause);
}

static bt_component_class_sink_consume_method_status consume(bt_self_component_sink *self)
{
	struct ctf_live *live = bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
	if (live->pulls) {
		live->next = live->count = 0;
		live->pulled_status = bt_message_iterator_next(live->iterator, &live->messages, &live->count);
		if (live->pulled_status < 0)
			ctf_cause_take(live->cause, sizeof(live->cause));
	}
	/* Never an error: the stream says what it is. */
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
}

static bt_component_class_initialize_method_status initialize(bt_self_component_sink *self,
							      bt_self_component_sink_configuration *configuration,
							      const bt_value *parameters, void *method_data)
{
	(void)configuration;
	(void)parameters;
	bt_self_component_set_data(bt_self_component_sink_as_self_component(self), method_data);
	return bt_self_component_sink_add_input_port(self, "in", NULL, NULL) == BT_SELF_COMPONENT_ADD_PORT_STATUS_OK
		       ? BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK
		       : BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
}

static bt_component_class_sink_graph_is_configured_method_status graph_is_configured(bt_self_component_sink *self)
{
	struct ctf_live *live = bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
	if (bt_message_iterator_create_from_sink_component(
		    self, bt_self_component_sink_borrow_input_port_by_index(self, 0), &live->iterator) !=
	    BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK) {
		live->iterator = NULL;
		ctf_cause_take(live->cause, sizeof(live->cause));
		ctf_live_stream_damaged(live);
	}
	return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

static const bt_component_sink *add_sink(struct ctf_live *live)
{
	const bt_component_sink *sink = NULL;
	bt_component_class_sink *class = bt_component_class_sink_create("events", consume);
	if (class == NULL)
		return NULL;
	if (bt_component_class_sink_set_initialize_method(class, initialize) !=
		    BT_COMPONENT_CLASS_SET_METHOD_STATUS_OK ||
	    bt_component_class_sink_set_graph_is_configured_method(class, graph_is_configured) !=
		    BT_COMPONENT_CLASS_SET_METHOD_STATUS_OK ||
	    bt_graph_add_sink_component_with_initialize_method_data(live->graph, class, "sink", NULL, live,
								    BT_LOGGING_LEVEL_NONE,
								    &sink) != BT_GRAPH_ADD_COMPONENT_STATUS_OK)
		sink = NULL;
	bt_component_class_sink_put_ref(class);
	return sink;
}

/* A graph with the source alone: whether it finds the session is the question. */
static const bt_component_source *add_source(struct ctf_live *live, const bt_component_class_source *class,
					     const char *path)
{
	static const char action[] = "session-not-found-action";
	const bt_component_source *source = NULL;
	bt_value *paths = bt_value_array_create(), *parameters = bt_value_map_create();
	live->graph = bt_graph_create(0);
	if (paths == NULL || parameters == NULL || live->graph == NULL ||
	    bt_value_array_append_string_element(paths, path) != BT_VALUE_ARRAY_APPEND_ELEMENT_STATUS_OK ||
	    bt_value_map_insert_entry(parameters, "inputs", paths) != BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK ||
	    bt_value_map_insert_string_entry(parameters, action, "end") != BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK ||
	    bt_graph_add_source_component(live->graph, class, "source", parameters, BT_LOGGING_LEVEL_NONE,
					  &source) != BT_GRAPH_ADD_COMPONENT_STATUS_OK) {
		ctf_cause_take(live->cause, sizeof(live->cause));
		bt_graph_put_ref(live->graph);
		live->graph = NULL;
		source = NULL;
	}
	bt_value_put_ref(paths);
	bt_value_put_ref(parameters);
	return source;
}

static enum histree_status connect(struct ctf_live *live, const bt_component_source *source,
				   struct histree_error *error)
{
	if (bt_component_source_get_output_port_count(source) == 0)
		return error_set(error, HISTREE_ERR_TRACE, "has no streams");
	const bt_component_sink *sink = add_sink(live);
	if (sink == NULL)
		return fail(live, "cannot make a sink for events", error);
	if (bt_graph_connect_ports(live->graph, bt_component_source_borrow_output_port_by_index_const(source, 0),
				   bt_component_sink_borrow_input_port_by_index_const(sink, 0),
				   NULL) != BT_GRAPH_CONNECT_PORTS_STATUS_OK)
		return fail(live, "cannot connect a stream", error);
	/* The first run configures the graph, which makes the iterator; nothing is pulled yet. */
	if (bt_graph_run_once(live->graph) != BT_GRAPH_RUN_ONCE_STATUS_OK)
		return fail(live, "cannot begin to read", error);
	return HISTREE_OK;
}

static enum histree_status describe(struct ctf_live *live, const char *address, struct histree_error *error)
{
	live->trace = (struct event_trace){
		.path = arena_copy(&live->texts, address, strlen(address)),
		.domain = "",
		.tracer_name = "",
		.tracer_major = -1,
		.tracer_minor = -1,
		.hostname = "",
		.machine = "",
		.get_int = ctf_live_event_int,
		.get_string = ctf_live_event_string,
	};
	live->base.trace = &live->trace;
	live->base.name = live->trace.path;
	live->base.is_live = true;
	return live->trace.path != NULL ? HISTREE_OK : error_memory(error, "a trace");
}

static enum histree_status open_session(struct ctf_live *live, const char *address, struct histree_error *error)
{
	const bt_component_class_source *class =
		bt_plugin_borrow_source_component_class_by_name_const(live->plugin, "lttng-live");
	const bt_component_source *source = add_source(live, class, address);
	if (source == NULL)
		return error_set(error, HISTREE_ERR_TRACE, "cannot reach \"%s\": %s", address, live->cause);
	enum histree_status status = connect(live, source, error);
	if (status != HISTREE_OK)
		error_prefix(error, "trace \"%s\"", address);
	return status;
}

enum histree_status ctf_live_open(struct ctf_live *live, const char *address, const struct histree_cancel *cancel,
				  struct histree_error *error)
{
	enum histree_status status = describe(live, address, error);
	if (status == HISTREE_OK)
		status = find_plugin(&live->plugin, error);
	if (status == HISTREE_OK)
		status = ctf_live_session_check(address, cancel, error);
	return status == HISTREE_OK ? open_session(live, address, error) : status;
}

void ctf_live_close(struct ctf_live *live)
{
	ctf_live_stream_release(live);
	bt_graph_put_ref(live->graph);
	bt_plugin_put_ref(live->plugin);
	ctf_live_classes_release(&live->classes);
	arena_release(&live->texts);
}
