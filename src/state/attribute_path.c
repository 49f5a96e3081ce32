// SPDX-License-Identifier: MIT
#include "state/attribute_path.h"

#include "base/error.h"

bool path_cut(const char **rest, struct path_component *component)
{
	const char *at = *rest;
	if (at == NULL)
		return false;
	bool escaped = false;
	for (; *at != '\0' && *at != '/'; at++) {
		if (*at != '\\')
			continue;
		escaped = true;
		if (at[1] != '\0')
			at++;
	}
	*component = (struct path_component){ .text = *rest, .size = (size_t)(at - *rest), .escaped = escaped };
	*rest = *at == '/' ? at + 1 : NULL;
	return true;
}

static bool unescape(const struct path_component *component, char *room, size_t *size)
{
	const char *at = component->text;
	const char *end = at + component->size;
	for (*size = 0; at < end; (*size)++) {
		if (*size == ATTRIBUTE_NAME_SIZE_MAX)
			return false;
		if (*at == '\\') {
			at++;
			if (at == end || (*at != '/' && *at != '\\'))
				return false;
		}
		room[*size] = *at++;
	}
	return true;
}

bool path_component_name(const struct path_component *component, char room[ATTRIBUTE_NAME_SIZE_MAX],
			 const char **name, size_t *size)
{
	if (component->escaped) {
		*name = room;
		return unescape(component, room, size);
	}
	*name = component->text;
	*size = component->size;
	return *size > 0 && *size <= ATTRIBUTE_NAME_SIZE_MAX;
}

enum histree_status path_check(const char *path, size_t *component_count, struct histree_error *error)
{
	char room[ATTRIBUTE_NAME_SIZE_MAX];
	struct path_component component;
	const char *name;
	size_t size;
	*component_count = 0;
	for (const char *rest = path; path_cut(&rest, &component); (*component_count)++) {
		if (path_component_name(&component, room, &name, &size))
			continue;
		if (component.size == 0)
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "the path '%.200s' has an empty component; write 'A/B' for B below A",
					 path);
		if (component.size > ATTRIBUTE_NAME_SIZE_MAX)
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "a component of the path '%.200s' has %zu bytes, the most is %d", path,
					 component.size, ATTRIBUTE_NAME_SIZE_MAX);
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "the path '%.200s' has a stray backslash; a slash inside a name is '\\/' and a "
				 "backslash '\\\\'",
				 path);
	}
	return HISTREE_OK;
}
