// SPDX-License-Identifier: MIT
/*
 * graph_packets.c - packets in the graph: a vertex for the sender and the receiver, and within a host an arrow
 * between them; packets that may be of another host are kept by their numbers.
 */
#include "analysis/graph/graph_packets.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct packet_class *class_of(struct graph_packets *packets, const struct event_class *class)
{
	const struct packet_class *known = class_table_find(&packets->classes, class);
	if (known != NULL)
		return known;
	const struct packet_class fresh = packet_class_of(class);
	return class_table_add(&packets->classes, class, &fresh, sizeof(fresh));
}

/* Context `depth` below the top; KERNEL_NO_ROLE: there is no such context. */
static enum kernel_role context_of(const struct graph_cpu *cpu, uint32_t depth)
{
	return cpu->context_count > depth ? cpu->contexts[cpu->context_count - 1 - depth].entered : KERNEL_NO_ROLE;
}

/* The sender: the thread that runs, or the kernel in a softirq; NULL: not known to the graph. */
static struct graph_worker *sender_on(struct graph_workers *workers, struct graph_cpu *cpu)
{
	enum kernel_role context = context_of(cpu, 0);
	if (context == KERNEL_NO_ROLE)
		return cpu->runs;
	return context == KERNEL_SOFTIRQ_ENTRY ? graph_kernel(workers, cpu) : NULL;
}

struct graph_worker *graph_packets_receiver(struct graph_workers *workers, struct graph_cpu *cpu)
{
	enum kernel_role context = context_of(cpu, 0);
	if (context == KERNEL_RECEPTION_ENTRY)
		context = context_of(cpu, 1);
	bool is_kernel =
		context == KERNEL_SOFTIRQ_ENTRY || context == KERNEL_IRQ_ENTRY || context == KERNEL_WHOLE_IRQ_ENTRY;
	return is_kernel ? graph_kernel(workers, cpu) : cpu->runs;
}

/* Who was woken before the event of the packet that it was woken by. */
static void put_to_early(struct graph_lines *lines, struct graph_cpu *cpu, const struct packet_key *key)
{
	for (uint32_t i = 0; i < cpu->early_count; i++)
		graph_line_receive_earlier(lines, cpu->early[i].line, cpu->early[i].time, key);
}

static void put_packet(struct graph_packets *packets, struct graph_workers *workers, struct graph_cpu *cpu,
		       struct graph_worker *worker, const struct packet_half *half)
{
	struct graph_lines *lines = &workers->lines;
	struct packet_half other;
	if (packets->halves == NULL)
		packets->halves = packet_table_create();
	if (packets->halves == NULL) {
		changes_fail(&lines->changes, HISTREE_ERR_MEMORY, "packets");
	} else if (packet_table_take(packets->halves, half, &other)) {
		graph_line_receive(lines, worker->line,
				   (struct graph_arrow){ ARROW_OF_PACKET, other.tid, other.time });
	} else if (!half->is_sent) {
		graph_line_receive_packet(lines, worker->line, &half->key);
		put_to_early(lines, cpu, &half->key);
	}
	if (!half->is_sent)
		cpu->early_count = 0;
}

/* The sender of a packet is found by a part of the packet's number, and then in the order of time. */
static void put_sent(struct graph_packets *packets, struct graph_workers *workers, const struct packet_half *half)
{
	struct changes *changes = &workers->lines.changes;
	const uint32_t bucket = packet_bucket(&half->key);
	char name[8], text[PACKET_TEXT_SIZE + 16];
	int name_size = snprintf(name, sizeof(name), "%" PRIu32, bucket);
	size_t size = packet_text(&half->key, text);
	size += (size_t)snprintf(text + size, sizeof(text) - size, "/%" PRId32, half->tid);
	if (!packets->has_buckets)
		for (uint32_t i = 0; i < PACKET_BUCKETS; i++)
			packets->buckets[i] = packets->folder = NO_ATTRIBUTE;
	packets->has_buckets = true;
	changes_folder(changes, &packets->folder, HISTREE_ROOT, "Packets", strlen("Packets"));
	changes_child(changes, &packets->buckets[bucket], packets->folder, name, (size_t)name_size);
	change(changes, packets->buckets[bucket], histree_string_n(text, size));
}

void graph_packets_event(struct graph_packets *packets, struct graph_workers *workers, const struct event *event)
{
	const struct packet_class *class = class_of(packets, event->class);
	struct packet_half half = { .time = event->time };
	if (class == NULL)
		changes_fail(&workers->lines.changes, HISTREE_ERR_MEMORY, "classes of events");
	if (class == NULL || class->place == NULL || !packet_read(class, event, &half.key))
		return;
	struct graph_cpu *cpu = graph_cpu(workers, event->cpu);
	if (cpu == NULL)
		return;
	struct graph_worker *worker =
		class->is_sent ? sender_on(workers, cpu) : graph_packets_receiver(workers, cpu);
	if (worker == NULL)
		return;
	half.is_sent = class->is_sent;
	half.tid = worker->line->tid;
	half.time = workers->lines.changes.time;
	graph_worker_extend(workers, worker);
	put_packet(packets, workers, cpu, worker, &half);
	if (half.is_sent)
		put_sent(packets, workers, &half);
}

void graph_packets_release(struct graph_packets *packets)
{
	class_table_release(&packets->classes);
	packet_table_free(packets->halves);
}
