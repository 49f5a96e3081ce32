// SPDX-License-Identifier: MIT
#include "server/http/http_guard.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { NAME_SIZE = 256 };

/* The name in "name:port" or "[address]:port", lower or upper case; false if it is not of that form. */
static bool host_name(const char *host, char name[NAME_SIZE])
{
	bool is_bracketed = host[0] == '[';
	const char *from = host + is_bracketed;
	size_t size = strcspn(from, is_bracketed ? "]" : ":");
	const char *rest = from + size + (is_bracketed && from[size] == ']');
	if (size == 0 || size >= NAME_SIZE || (is_bracketed && from[size] != ']'))
		return false;
	if (*rest == ':')
		rest += 1 + strspn(rest + 1, "0123456789");
	if (*rest != '\0')
		return false;
	memcpy(name, from, size);
	name[size] = '\0';
	return true;
}

static bool is_address(const char *name)
{
	struct in6_addr address;
	return inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1;
}

static bool is_loopback(const char *name)
{
	struct in_addr address;
	if (strcasecmp(name, "localhost") == 0 || strcmp(name, "::1") == 0)
		return true;
	return inet_pton(AF_INET, name, &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

static bool is_own_name(const char *name)
{
	char own[NAME_SIZE] = "";
	if (gethostname(own, sizeof(own) - 1) != 0 || own[0] == '\0')
		return false;
	size_t size = strlen(own);
	/* Alone, or with a domain after it. */
	return strncasecmp(name, own, size) == 0 && (name[size] == '\0' || name[size] == '.');
}

bool http_guard_host(const char *host, bool is_public)
{
	char name[NAME_SIZE];
	if (host == NULL || !host_name(host, name))
		return false;
	if (is_loopback(name))
		return true;
	return is_public && (is_address(name) || is_own_name(name));
}

bool http_guard_origin(const char *origin, const char *host, const char *allowed)
{
	static const char *const schemes[] = { "http://", "https://" };
	char name[NAME_SIZE];
	if (allowed != NULL && strcasecmp(origin, allowed) == 0)
		return true;
	if (strncmp(origin, "vscode-webview://", strlen("vscode-webview://")) == 0)
		return true;
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t size = strlen(schemes[i]);
		if (strncasecmp(origin, schemes[i], size) != 0)
			continue;
		if (host != NULL && strcasecmp(origin + size, host) == 0)
			return true;
		return host_name(origin + size, name) && is_loopback(name);
	}
	return false;
}
