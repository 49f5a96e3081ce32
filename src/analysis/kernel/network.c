// SPDX-License-Identifier: MIT
/*
 * network.c - the analysis `network`: bytes and packets over each interface, and by thread, so far.
 *
 *	Interfaces/<name>/bytes_received, packets_received	long: that came from the driver
 *	Interfaces/<name>/bytes_sent, packets_sent		long: that the driver took
 *	Threads/<tid>/bytes_received				long: that were copied to it
 *	Threads/<tid>/bytes_sent, packets_sent			long: that were queued while it ran
 *	gaps							long: how often events were lost
 *
 * Where events are lost, the sums of interfaces are unknown until something is counted again, and go on from what
 * was seen; those of threads stay, and `gaps` says that they are too low.
 */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/kernel/kernel_sums.h"
#include "base/error.h"
#include "base/intern.h"

enum { RECEIVED_BYTES, RECEIVED_PACKETS, SENT_BYTES, SENT_PACKETS };
enum { THREAD_RECEIVED, THREAD_SENT_BYTES, THREAD_SENT_PACKETS };
enum { GAPS };

static const struct kernel_sum_kind of_interfaces = {
	.folder = "Interfaces",
	.names = { "bytes_received", "packets_received", "bytes_sent", "packets_sent" },
	.name_count = 4,
	.row_size = sizeof(struct kernel_sum_row),
};
static const struct kernel_sum_kind of_threads = {
	.folder = "Threads",
	.names = { "bytes_received", "bytes_sent", "packets_sent" },
	.name_count = 3,
	.row_size = sizeof(struct kernel_sum_row),
};
static const struct kernel_sum_kind of_gaps = {
	.names = { "gaps" },
	.name_count = 1,
	.row_size = sizeof(struct kernel_sum_row),
};

struct network {
	struct kernel_sums sums;
	struct kernel_sum_table interfaces, threads, gaps;
	struct intern names; /* of interfaces: their numbers are those of the rows */
	bool has_packets;
};

/* Returns NULL where the interface has no name, or memory is out, which is remembered. */
static struct kernel_sum_row *interface_of(struct network *network, struct kernel_text name)
{
	if (name.size == 0)
		return NULL;
	const uint32_t number = intern_add(&network->names, name.bytes, name.size);
	if (number == INTERN_NONE || number > INT32_MAX) {
		changes_fail(&network->sums.changes, HISTREE_ERR_MEMORY, "names of interfaces");
		return NULL;
	}
	struct kernel_sum_row *row = kernel_sum_row(&network->sums, &network->interfaces, (int32_t)number);
	if (row != NULL)
		row->name = intern_get(&network->names, number, &row->name_size);
	return row;
}

/* Returns the row of the thread that runs where the event happened; NULL: nobody knows, or it is the idle loop. */
static struct kernel_sum_row *thread_of(struct network *network, const struct kernel_event *event)
{
	return event->in_thread != NULL && event->in_thread->tid != 0
		       ? kernel_sum_row(&network->sums, &network->threads, event->in_thread->tid)
		       : NULL;
}

static void add(struct network *network, struct kernel_sum_row *row, size_t which, int64_t amount)
{
	if (row != NULL && amount > 0)
		kernel_sum_add(&network->sums, row, which, amount);
}

static void on_packet(struct network *network, const struct kernel_event *event)
{
	struct kernel_sum_row *row = NULL;
	switch (event->role) {
	case KERNEL_PACKET_RECEIVE:
		row = interface_of(network, event->name);
		add(network, row, RECEIVED_BYTES, event->bytes);
		add(network, row, RECEIVED_PACKETS, 1);
		break;
	case KERNEL_PACKET_TRANSMIT:
		if ((event->has & HAS_RESULT) != 0 && event->result != 0)
			break;
		row = interface_of(network, event->name);
		add(network, row, SENT_BYTES, event->bytes);
		add(network, row, SENT_PACKETS, 1);
		break;
	case KERNEL_PACKET_QUEUE:
		row = thread_of(network, event);
		add(network, row, THREAD_SENT_BYTES, event->bytes);
		add(network, row, THREAD_SENT_PACKETS, 1);
		break;
	case KERNEL_PACKET_COPY:
		add(network, thread_of(network, event), THREAD_RECEIVED, event->bytes);
		break;
	default:
		break;
	}
}

/* ---- the analysis ------------------------------------------------------------------------------------------- */

static const enum kernel_role roles[] = { KERNEL_PACKET_RECEIVE, KERNEL_PACKET_TRANSMIT, KERNEL_PACKET_QUEUE,
					  KERNEL_PACKET_COPY };
enum { ROLES = sizeof(roles) / sizeof(*roles) };

static enum histree_status create(struct histree_state_system *system, void *input, void **instance,
				  struct histree_error *error)
{
	struct network *network = calloc(1, sizeof(*network));
	*instance = network;
	if (network == NULL)
		return error_memory(error, "the packets of interfaces");
	kernel_sums_init(&network->sums, system, input);
	kernel_sum_table_init(&network->sums, &network->interfaces, &of_interfaces);
	kernel_sum_table_init(&network->sums, &network->threads, &of_threads);
	kernel_sum_table_init(&network->sums, &network->gaps, &of_gaps);
	for (size_t i = 0; i < ROLES; i++)
		kernel_input_want(input, roles[i]);
	kernel_input_need_machine(input);
	return HISTREE_OK;
}

static enum histree_status on_event(void *instance, const struct event *source, struct histree_error *error)
{
	struct network *network = instance;
	const struct kernel_event *event = &network->sums.input->event;
	bool is_known = false;
	for (size_t i = 0; i < ROLES; i++)
		is_known = is_known || event->role == roles[i];
	if (!is_known)
		return HISTREE_OK;
	kernel_sums_begin(&network->sums, source->time);
	network->has_packets = true;
	on_packet(network, event);
	return changes_end(&network->sums.changes, error);
}

static enum histree_status on_gap(void *instance, const struct event_gap *gap, struct histree_error *error)
{
	struct network *network = instance;
	const struct id_entry *entry;
	kernel_sums_begin(&network->sums, gap->begin);
	struct kernel_sum_row *gaps = kernel_sum_row(&network->sums, &network->gaps, 0);
	if (gaps != NULL)
		kernel_sum_add(&network->sums, gaps, GAPS, 1);
	for (size_t position = 0; (entry = id_map_next(&network->interfaces.rows, &position)) != NULL;)
		kernel_sum_lose(&network->sums, entry->record);
	return changes_end(&network->sums.changes, error);
}

static uint64_t refused(const void *instance)
{
	return ((const struct network *)instance)->sums.changes.refused;
}

static void missing(const void *instance, char *text, size_t size)
{
	*text = '\0';
	if (!((const struct network *)instance)->has_packets)
		snprintf(text, size,
			 "the trace has no packets: record them (lttng enable-event -k 'net_*,netif_*,skb_*', or "
			 "perf record -e 'net:*' -e 'skb:*')");
}

static void free_network(void *instance)
{
	struct network *network = instance;
	if (network == NULL)
		return;
	kernel_sum_table_release(&network->interfaces);
	kernel_sum_table_release(&network->threads);
	kernel_sum_table_release(&network->gaps);
	kernel_sums_release(&network->sums);
	intern_release(&network->names);
	free(network);
}

static const struct histree_chart_entry interface_entries[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "Interfaces/*" },
	{ .parent = 0, .path = "bytes_received", .shown = ".", .measure = HISTREE_CHART_RATE },
	{ .parent = 0, .path = "bytes_sent", .shown = ".", .measure = HISTREE_CHART_RATE },
};
static const struct histree_chart_entry thread_entries[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "Threads/*" },
	{ .parent = 0, .path = "bytes_received", .shown = ".", .measure = HISTREE_CHART_RATE },
	{ .parent = 0, .path = "bytes_sent", .shown = ".", .measure = HISTREE_CHART_RATE },
};

static const struct histree_chart charts[] = {
	{ .name = "interface-bytes",
	  .title = "Bytes over interfaces",
	  .unit = "B/s",
	  .entries = interface_entries,
	  .entry_count = sizeof(interface_entries) / sizeof(*interface_entries) },
	{ .name = "thread-network-bytes",
	  .title = "Bytes that threads sent and received",
	  .unit = "B/s",
	  .entries = thread_entries,
	  .entry_count = sizeof(thread_entries) / sizeof(*thread_entries) },
};

const struct analysis analysis_network = {
	.name = "network",
	.version = 1,
	.summary = "bytes and packets over each network interface, and of each thread, so far",
	.charts = charts,
	.chart_count = sizeof(charts) / sizeof(*charts),
	.input = &kernel_input_kind,
	.applies = kernel_input_knows,
	.create = create,
	.event = on_event,
	.gap = on_gap,
	.refused = refused,
	.missing = missing,
	.free = free_network,
};
