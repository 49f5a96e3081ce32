// SPDX-License-Identifier: MIT
/*
 * definitions.c - the configurations of a server: files that define analyses, which what is made of traces gets.
 */
#include <string.h>

#include "server/catalogue/catalogue.h"
#include "server/tsp/outputs.h"
#include "server/tsp/parameters.h"

static const struct definition_type {
	const char *id, *name, *description;
} definition_types[] = {
	{ "org.eclipse.tracecompass.tmf.core.config.xmlsourcetype", "XML analyses",
	  "Analyses and views that a file of XML defines, in the words of Trace Compass" },
	{ "histree.definitions", "Analyses of histree", "Analyses that a file in the language of histree defines" },
};

static void write_definition_type(struct json_writer *json, const struct definition_type *type)
{
	static const char descriptors[] = "[{\"keyName\":\"path\",\"dataType\":\"STRING\",\"description\":"
					  "\"the file, on the machine of the server\",\"required\":true}]";
	json_begin_object(json);
	json_text_member(json, "id", type->id);
	json_text_member(json, "name", type->name);
	json_text_member(json, "description", type->description);
	json_key(json, "parameterDescriptors");
	json_put_raw(json, descriptors, sizeof(descriptors) - 1);
	json_end(json);
}

void tsp_definition_types(struct call *call)
{
	json_begin_array(call->json);
	for (size_t i = 0; i < sizeof(definition_types) / sizeof(definition_types[0]); i++)
		write_definition_type(call->json, &definition_types[i]);
	json_end(call->json);
}

/* Returns the type in the path of a call; NULL: it has answered that there is none. */
static const struct definition_type *find_definition_type(struct call *call)
{
	for (size_t i = 0; i < sizeof(definition_types) / sizeof(definition_types[0]); i++)
		if (strcmp(definition_types[i].id, call->captured[0]) == 0)
			return &definition_types[i];
	tsp_no_configuration(call);
	return NULL;
}

void tsp_definition_type(struct call *call)
{
	const struct definition_type *type = find_definition_type(call);
	if (type != NULL)
		write_definition_type(call->json, type);
}

static void write_definition(void *context, const struct configuration *one)
{
	struct json_writer *json = context;
	json_begin_object(json);
	json_text_member(json, "id", one->id);
	json_text_member(json, "name", one->name);
	json_text_member(json, "description", one->description);
	json_text_member(json, "sourceTypeId", one->type);
	json_begin_object_member(json, "parameters");
	json_text_member(json, "path", one->path);
	json_end(json);
	json_end(json);
}

void tsp_definitions(struct call *call)
{
	if (find_definition_type(call) == NULL)
		return;
	json_begin_array(call->json);
	catalogue_configurations(call->service->catalogue, call->captured[0], NULL, write_definition, call->json);
	json_end(call->json);
}

void tsp_definition(struct call *call)
{
	if (!catalogue_configurations(call->service->catalogue, call->captured[0], call->captured[1],
				      write_definition, call->json))
		tsp_no_configuration(call);
}

/* What is wrong with the file is said with line and column. */
static void configure(struct call *call, const char *id)
{
	const char *path = parameters_text(call, "path");
	if (find_definition_type(call) == NULL)
		return;
	if (path == NULL || *path == '\0') {
		reply_error(call->reply, HTTP_BAD_REQUEST, "missing query parameters: path");
		return;
	}
	const struct configuration wanted = {
		.type = call->captured[0],
		.id = id,
		.name = json_string_value(json_object_get(call->body, "name")),
		.description = json_string_value(json_object_get(call->body, "description")),
		.path = path,
	};
	switch (catalogue_configure(call->service->catalogue, &wanted, write_definition, call->json,
				    &call->reply->error)) {
	case CATALOGUE_OK:
		break;
	case CATALOGUE_FORBIDDEN:
		reply_error(call->reply, HTTP_FORBIDDEN,
			    "this path is not below a folder that 'histree serve' was started with");
		break;
	case CATALOGUE_NO_PATH:
		reply_error(call->reply, HTTP_BAD_REQUEST, "there is nothing at this path");
		break;
	default:
		reply_failure(call->reply);
	}
}

void tsp_add_definition(struct call *call)
{
	configure(call, NULL);
}

static void pass_over(void *context, const struct configuration *one)
{
	(void)context, (void)one;
}

void tsp_change_definition(struct call *call)
{
	if (catalogue_configurations(call->service->catalogue, call->captured[0], call->captured[1], pass_over,
				     NULL))
		configure(call, call->captured[1]);
	else
		tsp_no_configuration(call);
}

void tsp_forget_definition(struct call *call)
{
	if (!catalogue_forget_configuration(call->service->catalogue, call->captured[0], call->captured[1],
					    write_definition, call->json))
		tsp_no_configuration(call);
}
