/* SPDX-License-Identifier: MIT */
/*
 * http_guard.h - who may ask: the rules for the headers Host and Origin.
 */
#ifndef SERVER_HTTP_HTTP_GUARD_H
#define SERVER_HTTP_HTTP_GUARD_H

#include <stdbool.h>

/*
 * Whether a Host header ("localhost:8080") can only mean this machine: localhost or an address in numbers always,
 * the machine's own name where others may reach us (`is_public`).  Any other name could have been bound to our
 * address by whoever owns it.
 */
bool http_guard_host(const char *host, bool is_public);

/*
 * Whether a page of this origin may ask: pages of this machine, of VS Code's webviews, of a public server's own
 * host, and of the one origin that the user has allowed (NULL: none).
 */
bool http_guard_origin(const char *origin, const char *host, const char *allowed);

#endif
