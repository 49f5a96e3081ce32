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
#include "analysis/analysis.h"
#include "analysis/kernel/kernel_sums.h"
#include "base/arena.h"

enum { RECEIVED_BYTES, RECEIVED_PACKETS, SENT_BYTES, SENT_PACKETS };
enum { THREAD_RECEIVED, THREAD_SENT_BYTES, THREAD_SENT_PACKETS };
enum { INTERFACES, THREADS };

struct network {
	struct kernel_sums sums;
	struct intern names; /* of interfaces: their numbers are those of the rows */
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
	struct kernel_sum_row *row =
		kernel_sum_row(&network->sums, &network->sums.tables[INTERFACES], (int32_t)number);
	if (row != NULL)
		row->name = intern_get(&network->names, number, &row->name_size);
	return row;
}

/* Returns the row of the thread that runs where the event happened; NULL: nobody knows, or it is the idle loop. */
static struct kernel_sum_row *thread_of(struct network *network, const struct kernel_event *event)
{
	return event->in_thread != NULL && event->in_thread->tid != 0
		       ? kernel_sum_row(&network->sums, &network->sums.tables[THREADS], event->in_thread->tid)
		       : NULL;
}

static void add(struct network *network, struct kernel_sum_row *row, size_t which, int64_t amount)
{
	if (row != NULL && amount > 0)
		kernel_sum_add(&network->sums, row, which, amount);
}

static void network_count(struct kernel_sums *sums, const struct kernel_event *event)
{
	struct network *network = (struct network *)sums;
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

static void network_release(struct kernel_sums *sums)
{
	intern_release(&((struct network *)sums)->names);
}

static const struct kernel_sums_kind network_sums = {
	.size = sizeof(struct network),
	.what = "the packets of interfaces",
	.tables = {
		[INTERFACES] = {
			.folder = "Interfaces",
			.names = { "bytes_received", "packets_received", "bytes_sent", "packets_sent" },
			.sum_count = 4,
			.loss = SUMS_ARE_LOST,
		},
		[THREADS] = {
			.folder = "Threads",
			.names = { "bytes_received", "bytes_sent", "packets_sent" },
			.sum_count = 3,
		},
	},
	.roles = { KERNEL_PACKET_RECEIVE, KERNEL_PACKET_TRANSMIT, KERNEL_PACKET_QUEUE, KERNEL_PACKET_COPY },
	.role_count = 4,
	.counts_gaps = true,
	.needs_machine = true,
	.count = network_count,
	.release = network_release,
	.missing = "the trace has no packets: record them (lttng enable-event -k 'net_*,netif_*,skb_*', or "
		   "perf record -e 'net:*' -e 'skb:*')",
};

static enum histree_status network_create(struct histree_state_system *system, void *input, void **instance,
					  struct histree_error *error)
{
	return kernel_sums_create(&network_sums, system, input, instance, error);
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
	.create = network_create,
	KERNEL_SUMS_FUNCTIONS,
};
