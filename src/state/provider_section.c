// SPDX-License-Identifier: MIT
#include "state/provider_section.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"

enum histree_status provider_init(struct provider *provider, const char *name, uint32_t version,
				  struct histree_error *error)
{
	size_t size = name == NULL ? 0 : strlen(name);
	if (size >= PROVIDER_NAME_ROOM)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "the name of the provider '%.80s' is longer than %d bytes", name,
				 PROVIDER_NAME_ROOM - 1);
	*provider = (struct provider){ .version = version };
	if (size > 0)
		memcpy(provider->name, name, size);
	return HISTREE_OK;
}

size_t provider_section_save(const struct provider *provider, uint8_t bytes[PROVIDER_SECTION_SIZE_MAX])
{
	size_t size = strlen(provider->name);
	put_le32(bytes, provider->version);
	memcpy(bytes + 4, provider->name, size);
	return 4 + size;
}

enum histree_status provider_section_load(struct provider *provider, const uint8_t *bytes, size_t size,
					  struct histree_error *error)
{
	if (size < 4 || size > PROVIDER_SECTION_SIZE_MAX)
		return error_set(error, HISTREE_ERR_FORMAT, "%zu bytes; it has 4 to %d", size,
				 PROVIDER_SECTION_SIZE_MAX);
	if (memchr(bytes + 4, '\0', size - 4) != NULL)
		return error_set(error, HISTREE_ERR_FORMAT, "the name of the provider has a zero byte");
	*provider = (struct provider){ .version = get_le32(bytes) };
	memcpy(provider->name, bytes + 4, size - 4);
	return HISTREE_OK;
}
