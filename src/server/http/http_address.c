// SPDX-License-Identifier: MIT
#include "server/http/http_address.h"

#include <arpa/inet.h>

bool http_address_read(const char *text, uint16_t port, union http_address *out, bool *is_public)
{
	*out = (union http_address){ 0 };
	if (inet_pton(AF_INET, text, &out->four.sin_addr) == 1) {
		out->four.sin_family = AF_INET;
		out->four.sin_port = htons(port);
		*is_public = ntohl(out->four.sin_addr.s_addr) >> 24 != 127;
		return true;
	}
	if (inet_pton(AF_INET6, text, &out->six.sin6_addr) == 1) {
		out->six.sin6_family = AF_INET6;
		out->six.sin6_port = htons(port);
		*is_public = !IN6_IS_ADDR_LOOPBACK(&out->six.sin6_addr);
		return true;
	}
	return false;
}
