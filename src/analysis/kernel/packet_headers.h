/* SPDX-License-Identifier: MIT */
/*
 * packet_headers.h - what the headers of a packet say, where a tracer records them: LTTng does since 2.8.
 */
#ifndef ANALYSIS_KERNEL_PACKET_HEADERS_H
#define ANALYSIS_KERNEL_PACKET_HEADERS_H

#include "analysis/kernel/kernel_event.h"
#include "histree/value.h"

/* Null where the event does not say it; a protocol without a name is a number in text. */
struct packet_headers {
	struct histree_value protocol; /* its bytes live as long as the headers */
	struct histree_value source_port, dest_port;
	char number[16];
};

void packet_headers_read(const struct event *event, struct packet_headers *out);

#endif
