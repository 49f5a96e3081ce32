/* SPDX-License-Identifier: MIT */
/*
 * http_address.h - an address to listen at, written in numbers.
 */
#ifndef SERVER_HTTP_HTTP_ADDRESS_H
#define SERVER_HTTP_HTTP_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

union http_address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

/* Reads "127.0.0.1" or "::1".  `is_public`: others than this machine may reach it.  Returns false if it is none. */
bool http_address_read(const char *text, uint16_t port, union http_address *out, bool *is_public);

#endif
