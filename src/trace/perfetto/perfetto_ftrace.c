// SPDX-License-Identifier: MIT
/*
 * perfetto_ftrace.c - bundles of events of ftrace.
 */
#include "trace/perfetto/perfetto_ftrace.h"

#include <assert.h>
#include <inttypes.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "trace/packed/packed_source.h"
#include "trace/perfetto/perfetto_packets.h"
#include "trace/perfetto/wire.h"

enum {
	FTRACE_SCHED_SWITCH = 4,
	FTRACE_SCHED_WAKING = 20,
	FTRACE_GENERIC = 327,
	FTRACE_NO_MESSAGE = 1 << 29, /* from here on: no field of a message has such a number */
};

struct compact_switch {
	uint64_t time;
	int64_t prev_state;
	int32_t pid, prio; /* of the thread that comes */
	struct perfetto_text comm;
};

struct compact_waking {
	uint64_t time;
	int32_t pid, prio, target_cpu;
	struct packed_cell flags;
	struct perfetto_text comm;
};

enum { COMPACT_COLUMNS = 16 };

struct perfetto_compact {
	const struct perfetto_names *names;
	struct wire_list columns[COMPACT_COLUMNS]; /* by the number of the field */
	struct compact_switch next;
	struct compact_waking waking;
};

/* ---- ftrace facts -------------------------------------------------------------------------------------------- */

#define FIELD(name, type)           \
	{                           \
		name, FTRACE_##type \
	}
#define NONE FIELD(NULL, NONE) /* of that number there is none */
#define S(name) FIELD(#name, SIGNED)
#define U(name) FIELD(#name, UNSIGNED)
#define T(name) FIELD(#name, TEXT)
#define L(name) FIELD(#name, LIST)

/* By number. */
static const struct ftrace_fact facts[] = {
	{ 3, "ftrace:print", { U(ip), T(buf) } },
	{ 4,
	  "sched:sched_switch",
	  { T(prev_comm), S(prev_pid), S(prev_prio), S(prev_state), T(next_comm), S(next_pid), S(next_prio) } },
	{ 11, "power:cpu_frequency", { U(state), U(cpu_id) } },
	{ 12, "power:cpu_frequency_limits", { U(min_freq), U(max_freq), U(cpu_id) } },
	{ 13, "power:cpu_idle", { U(state), U(cpu_id) } },
	{ 14, "power:clock_enable", { T(name), U(state), U(cpu_id) } },
	{ 15, "power:clock_disable", { T(name), U(state), U(cpu_id) } },
	{ 16, "power:clock_set_rate", { T(name), U(state), U(cpu_id) } },
	{ 17, "sched:sched_wakeup", { T(comm), S(pid), S(prio), S(success), S(target_cpu) } },
	{ 18, "sched:sched_blocked_reason", { S(pid), U(caller), U(io_wait) } },
	{ 19, "sched:sched_cpu_hotplug", { S(affected_cpu), S(error), S(status) } },
	{ 20, "sched:sched_waking", { T(comm), S(pid), S(prio), S(success), S(target_cpu) } },
	{ 21, "ipi:ipi_entry", { T(reason) } },
	{ 22, "ipi:ipi_exit", { T(reason) } },
	{ 23, "ipi:ipi_raise", { U(target_cpus), T(reason) } },
	{ 24, "irq:softirq_entry", { U(vec) } },
	{ 25, "irq:softirq_exit", { U(vec) } },
	{ 26, "irq:softirq_raise", { U(vec) } },
	{ 36, "irq:irq_handler_entry", { S(irq), T(name), U(handler) } },
	{ 37, "irq:irq_handler_exit", { S(irq), S(ret) } },
	{ 41, "ext4:ext4_da_write_begin", { U(dev), U(ino), S(pos), U(len), U(flags) } },
	{ 42, "ext4:ext4_da_write_end", { U(dev), U(ino), S(pos), U(len), U(copied) } },
	{ 43, "ext4:ext4_sync_file_enter", { U(dev), U(ino), U(parent), S(datasync) } },
	{ 44, "ext4:ext4_sync_file_exit", { U(dev), U(ino), S(ret) } },
	{ 45, "block:block_rq_issue", { U(dev), U(sector), U(nr_sector), U(bytes), T(rwbs), T(comm), T(cmd) } },
	{ 46, "vmscan:mm_vmscan_direct_reclaim_begin", { S(order), S(may_writepage), U(gfp_flags) } },
	{ 47, "vmscan:mm_vmscan_direct_reclaim_end", { U(nr_reclaimed) } },
	{ 48, "vmscan:mm_vmscan_kswapd_wake", { S(nid), S(order), S(zid) } },
	{ 49, "vmscan:mm_vmscan_kswapd_sleep", { S(nid) } },
	{ 56, "workqueue:workqueue_activate_work", { U(work), U(function) } },
	{ 57, "workqueue:workqueue_execute_end", { U(work), U(function) } },
	{ 58, "workqueue:workqueue_execute_start", { U(work), U(function) } },
	{ 59, "workqueue:workqueue_queue_work", { U(work), U(function), NONE, S(req_cpu), S(cpu), T(workqueue) } },
	{ 80, "mdss:tracing_mark_write", { S(pid), T(trace_name), U(trace_begin) } },
	{ 97, "filemap:mm_filemap_add_to_page_cache", { U(pfn), U(i_ino), U(index), U(s_dev), U(page) } },
	{ 98, "filemap:mm_filemap_delete_from_page_cache", { U(pfn), U(i_ino), U(index), U(s_dev), U(page) } },
	{ 99,
	  "compaction:mm_compaction_begin",
	  { U(zone_start), U(migrate_pfn), U(free_pfn), U(zone_end), U(sync) } },
	{ 103,
	  "compaction:mm_compaction_end",
	  { U(zone_start), U(migrate_pfn), U(free_pfn), U(zone_end), U(sync), S(status) } },
	{ 113, "power:suspend_resume", { T(action), S(val), U(start) } },
	{ 114, "sched:sched_wakeup_new", { T(comm), S(pid), S(prio), S(success), S(target_cpu) } },
	{ 115, "block:block_bio_backmerge", { U(dev), U(sector), U(nr_sector), T(rwbs), T(comm) } },
	{ 116, "block:block_bio_bounce", { U(dev), U(sector), U(nr_sector), T(rwbs), T(comm) } },
	{ 117, "block:block_bio_complete", { U(dev), U(sector), U(nr_sector), S(error), T(rwbs) } },
	{ 118, "block:block_bio_frontmerge", { U(dev), U(sector), U(nr_sector), T(rwbs), T(comm) } },
	{ 119, "block:block_bio_queue", { U(dev), U(sector), U(nr_sector), T(rwbs), T(comm) } },
	{ 120, "block:block_bio_remap", { U(dev), U(sector), U(nr_sector), U(old_dev), U(old_sector), T(rwbs) } },
	{ 121, "block:block_dirty_buffer", { U(dev), U(sector), U(size) } },
	{ 122, "block:block_getrq", { U(dev), U(sector), U(nr_sector), T(rwbs), T(comm) } },
	{ 123, "block:block_plug", { T(comm) } },
	{ 124, "block:block_rq_abort", { U(dev), U(sector), U(nr_sector), S(errors), T(rwbs), T(cmd) } },
	{ 125,
	  "block:block_rq_complete",
	  { U(dev), U(sector), U(nr_sector), S(errors), T(rwbs), T(cmd), S(error) } },
	{ 126, "block:block_rq_insert", { U(dev), U(sector), U(nr_sector), U(bytes), T(rwbs), T(comm), T(cmd) } },
	{ 128,
	  "block:block_rq_remap",
	  { U(dev), U(sector), U(nr_sector), U(old_dev), U(old_sector), U(nr_bios), T(rwbs) } },
	{ 129, "block:block_rq_requeue", { U(dev), U(sector), U(nr_sector), S(errors), T(rwbs), T(cmd) } },
	{ 130, "block:block_sleeprq", { U(dev), U(sector), U(nr_sector), T(rwbs), T(comm) } },
	{ 131, "block:block_split", { U(dev), U(sector), U(new_sector), T(rwbs), T(comm) } },
	{ 132, "block:block_touch_buffer", { U(dev), U(sector), U(size) } },
	{ 133, "block:block_unplug", { S(nr_rq), T(comm) } },
	{ 235, "task:task_newtask", { S(pid), T(comm), U(clone_flags), S(oom_score_adj) } },
	{ 236, "task:task_rename", { S(pid), T(oldcomm), T(newcomm), S(oom_score_adj) } },
	{ 237, "sched:sched_process_exec", { T(filename), S(pid), S(old_pid) } },
	{ 238, "sched:sched_process_exit", { T(comm), S(pid), S(tgid), S(prio) } },
	{ 239, "sched:sched_process_fork", { T(parent_comm), S(parent_pid), T(child_comm), S(child_pid) } },
	{ 240, "sched:sched_process_free", { T(comm), S(pid), S(prio) } },
	{ 241, "sched:sched_process_hang", { T(comm), S(pid) } },
	{ 242, "sched:sched_process_wait", { T(comm), S(pid), S(prio) } },
	{ 298, "kmem:kfree", { U(call_site), U(ptr) } },
	{ 299, "kmem:kmalloc", { U(bytes_alloc), U(bytes_req), U(call_site), U(gfp_flags), U(ptr) } },
	{ 300, "kmem:kmalloc_node", { U(bytes_alloc), U(bytes_req), U(call_site), U(gfp_flags), S(node), U(ptr) } },
	{ 301, "kmem:kmem_cache_alloc", { U(bytes_alloc), U(bytes_req), U(call_site), U(gfp_flags), U(ptr) } },
	{ 302,
	  "kmem:kmem_cache_alloc_node",
	  { U(bytes_alloc), U(bytes_req), U(call_site), U(gfp_flags), S(node), U(ptr) } },
	{ 303, "kmem:kmem_cache_free", { U(call_site), U(ptr) } },
	{ 307, "kmem:mm_page_alloc", { U(gfp_flags), S(migratetype), U(order), U(page), U(pfn) } },
	{ 310, "kmem:mm_page_free", { U(order), U(page), U(pfn) } },
	{ 324, "signal:signal_deliver", { S(code), U(sa_flags), S(sig) } },
	{ 325, "signal:signal_generate", { S(code), T(comm), S(group), S(pid), S(result), S(sig) } },
	{ 329, "raw_syscalls:sys_enter", { S(id), L(args) } },
	{ 330, "raw_syscalls:sys_exit", { S(id), S(ret) } },
	{ 333, "sde:tracing_mark_write", { S(pid), T(trace_name), U(trace_type), S(value), U(trace_begin) } },
	{ 348, "dpu:tracing_mark_write", { S(pid), T(trace_name), U(trace_begin), T(name), U(type), S(value) } },
	{ 349, "g2d:tracing_mark_write", { S(pid), NONE, NONE, T(name), U(type), S(value) } },
	{ 350, "mali:tracing_mark_write", { T(name), S(pid), U(type), S(value) } },
	{ 353, "sched:sched_pi_setprio", { T(comm), S(newprio), S(oldprio), S(pid) } },
	{ 360, "net:netif_receive_skb", { U(len), T(name), U(skbaddr) } },
	{ 361, "net:net_dev_xmit", { U(len), T(name), S(rc), U(skbaddr) } },
	{ 362,
	  "sock:inet_sock_set_state",
	  { U(daddr), U(dport), U(family), S(newstate), S(oldstate), U(protocol), U(saddr), U(skaddr), U(sport) } },
	{ 367, "skb:kfree_skb", { U(location), U(protocol), U(skbaddr) } },
	/* Of arm64, as Perfetto's messages are: other machines say no more than that. */
	{ 376, "kvm:kvm_entry", { U(vcpu_pc) } },
	{ 377, "kvm:kvm_exit", { U(esr_ec), S(ret), U(vcpu_pc) } },
	{ 467, "lwis:tracing_mark_write", { T(lwis_name), U(type), S(pid), T(func_name), S(value) } },
	{ 484, "samsung:tracing_mark_write", { S(pid), T(trace_name), U(trace_begin), U(trace_type), S(value) } },
	{ 491,
	  "sched:sched_migrate_task",
	  { T(comm), S(pid), S(prio), S(orig_cpu), S(dest_cpu), S(running), U(load) } },
	{ 540,
	  "sched:sched_wakeup_task_attr",
	  { S(pid), U(cpu_affinity), U(task_util), U(uclamp_min), U(vruntime) } },
	{ 542, "ftrace:kprobe_event", { T(name), U(type) } },
	{ 546,
	  "block:block_io_start",
	  { U(dev), U(sector), U(nr_sector), U(bytes), U(ioprio), T(rwbs), T(comm), T(cmd) } },
	{ 547,
	  "block:block_io_done",
	  { U(dev), U(sector), U(nr_sector), U(bytes), U(ioprio), T(rwbs), T(comm), T(cmd) } },
	{ 551, "timer:hrtimer_start", { U(hrtimer), U(function), S(expires), S(softexpires), U(mode) } },
	{ 552, "timer:hrtimer_cancel", { U(hrtimer) } },
	{ 553, "timer:hrtimer_expire_entry", { U(hrtimer), S(now), U(function) } },
	{ 554, "timer:hrtimer_expire_exit", { U(hrtimer) } },
	{ 555,
	  "timer:timer_start",
	  { U(timer), U(function), U(expires), U(now), U(deferrable), U(flags), U(bucket_expiry) } },
	{ 556, "timer:timer_cancel", { U(timer) } },
	{ 557, "timer:timer_expire_entry", { U(timer), U(now), U(function), U(baseclk) } },
	{ 558, "timer:timer_expire_exit", { U(timer) } },
	{ 559, "irq_vectors:local_timer_entry", { S(vector) } },
	{ 560, "irq_vectors:local_timer_exit", { S(vector) } },
	{ 604, "sched:sched_group_tracker", { T(comm), S(pid), T(group), S(group_num) } },
	{ FTRACE_NO_MESSAGE, "lock:contention_begin", { U(lock_addr), U(flags) } },
	{ FTRACE_NO_MESSAGE + 1, "lock:contention_end", { U(lock_addr), S(ret) } },
};
#undef FIELD
#undef NONE
#undef S
#undef U
#undef T
#undef L

/* Returns NULL of a message that is not known. */
static const struct ftrace_fact *ftrace_fact_of(uint32_t number)
{
	const size_t low = SEARCH(i, 0, sizeof(facts) / sizeof(facts[0]), facts[i].number < number);
	return low < sizeof(facts) / sizeof(facts[0]) && facts[low].number == number ? &facts[low] : NULL;
}

/*
 * Of an event by its name in the kernel, without the subsystem: what has no message of its own, or had none when
 * the recorder was made, comes as a GenericFtraceEvent.  Returns NULL of one that is not known.
 */
static const struct ftrace_fact *ftrace_fact_named(const char *name, size_t size)
{
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const char *own = strchr(facts[i].name, ':') + 1;
		if (strlen(own) == size && memcmp(own, name, size) == 0)
			return &facts[i];
	}
	return NULL;
}

/* ---- perfetto bundle ----------------------------------------------------------------------------------------- */

enum {
	BUNDLE_CPU = 1,
	BUNDLE_LOST = 3,
	BUNDLE_COMPACT = 4,
	BUNDLE_CLOCK = 5,
	BUNDLE_FTRACE_TIME = 6,
	BUNDLE_BOOT_TIME = 7,
	BUNDLE_ERROR = 8,
	BUNDLE_PREVIOUS_END = 10,
	BUNDLE_DESCRIPTION = 11,
};

enum {
	SWITCH_TIME = 1,
	SWITCH_PREV_STATE = 2,
	SWITCH_PID = 3,
	SWITCH_PRIO = 4,
	COMPACT_NAMES = 5,
	SWITCH_COMM = 6,
	WAKING_TIME = 7,
	WAKING_PID = 8,
	WAKING_CPU = 9,
	WAKING_PRIO = 10,
	WAKING_COMM = 11,
	WAKING_FLAGS = 12, /* since 2023 */
};

/* More names of threads are in no bundle. */
enum { NAMES_MAX = 1 << 16 };

struct perfetto_bundle perfetto_bundle_read(struct wire_message message)
{
	struct perfetto_bundle bundle = { 0 };
	struct wire_field field;
	uint64_t here = 0, boot = 0;
	while (wire_next(&message, &field)) {
		switch (field.number) {
		case BUNDLE_CPU:
			bundle.cpu = field.value > UINT32_MAX ? UINT32_MAX : (uint32_t)field.value;
			break;
		case BUNDLE_LOST:
			bundle.is_behind_loss = field.value != 0;
			break;
		case BUNDLE_COMPACT:
			bundle.compact = wire_inside(&field);
			bundle.has_compact = true;
			break;
		case BUNDLE_CLOCK:
			bundle.has_other_clock = field.value != 0;
			break;
		case BUNDLE_FTRACE_TIME:
			here = field.value;
			break;
		case BUNDLE_BOOT_TIME:
			boot = field.value;
			break;
		case BUNDLE_ERROR:
			bundle.has_errors = true;
			break;
		case BUNDLE_PREVIOUS_END:
			bundle.previous_end = field.value;
			bundle.has_end = field.value != 0;
			break;
		case BUNDLE_DESCRIPTION:
			bundle.has_descriptions = true;
			break;
		default:
			break;
		}
	}
	bundle.shift = bundle.has_other_clock ? boot - here : 0;
	return bundle;
}

bool perfetto_bundle_time(const struct perfetto_bundle *bundle, const struct perfetto_clocks *clocks, uint64_t time,
			  histree_time *out)
{
	uint64_t boot = time + bundle->shift, trace;
	if (!perfetto_clocks_convert(clocks, PERFETTO_CLOCK_BOOTTIME, boot, &trace))
		trace = boot;
	return perfetto_clocks_time(clocks, trace, out);
}

/* Returns whether there was a later event before the bundle than `last`. */
static bool perfetto_bundle_misses(const struct perfetto_bundle *bundle, const struct perfetto_clocks *clocks,
				   histree_time last)
{
	histree_time end;
	return bundle->has_end && perfetto_bundle_time(bundle, clocks, bundle->previous_end, &end) && end > last;
}

/* ---- compact events -------------------------------------------------------------------------------------- */

static bool add_name(struct perfetto_names *names, const struct wire_field *field)
{
	if (names->count == NAMES_MAX)
		return true;
	if (!array_reserve(&names->names, &names->capacity, names->count + 1))
		return false;
	names->names[names->count++] =
		(struct perfetto_text){ .bytes = (const char *)field->bytes, .size = field->size };
	return true;
}

/* Returns false if memory runs out. */
static bool perfetto_compact_begin(struct perfetto_compact *compact, struct perfetto_names *names,
				   struct wire_message message)
{
	struct wire_field field;
	*compact = (struct perfetto_compact){ .names = names };
	names->count = 0;
	while (wire_next(&message, &field)) {
		if (field.bytes == NULL || field.number >= COMPACT_COLUMNS)
			continue;
		if (field.number != COMPACT_NAMES)
			compact->columns[field.number] = wire_list(&field, WIRE_VARINT);
		else if (!add_name(names, &field))
			return false;
	}
	return true;
}

static struct perfetto_text name_at(const struct perfetto_compact *compact, uint64_t place)
{
	return place < compact->names->count ? compact->names->names[place] : (struct perfetto_text){ "", 0 };
}

/* Read the next switch, or the next waking.  Returns false after the last one. */
static bool perfetto_compact_switch(struct perfetto_compact *compact)
{
	struct wire_list *columns = compact->columns;
	uint64_t time, state, pid, prio, comm;
	if (!wire_list_next(&columns[SWITCH_TIME], &time) || !wire_list_next(&columns[SWITCH_PREV_STATE], &state) ||
	    !wire_list_next(&columns[SWITCH_PID], &pid) || !wire_list_next(&columns[SWITCH_PRIO], &prio) ||
	    !wire_list_next(&columns[SWITCH_COMM], &comm))
		return false;
	compact->next = (struct compact_switch){
		.time = compact->next.time + time,
		.prev_state = (int64_t)state,
		.pid = (int32_t)pid,
		.prio = (int32_t)prio,
		.comm = name_at(compact, comm),
	};
	return true;
}

static bool perfetto_compact_waking(struct perfetto_compact *compact)
{
	struct wire_list *columns = compact->columns;
	uint64_t time, pid, cpu, prio, comm, flags;
	if (!wire_list_next(&columns[WAKING_TIME], &time) || !wire_list_next(&columns[WAKING_PID], &pid) ||
	    !wire_list_next(&columns[WAKING_CPU], &cpu) || !wire_list_next(&columns[WAKING_PRIO], &prio) ||
	    !wire_list_next(&columns[WAKING_COMM], &comm))
		return false;
	compact->waking = (struct compact_waking){
		.time = compact->waking.time + time,
		.pid = (int32_t)pid,
		.target_cpu = (int32_t)cpu,
		.prio = (int32_t)prio,
		.comm = name_at(compact, comm),
		.flags = { .kind = PACKED_ABSENT },
	};
	if (wire_list_next(&columns[WAKING_FLAGS], &flags))
		compact->waking.flags = packed_unsigned(flags);
	return true;
}

/* ---- perfetto ftrace ----------------------------------------------------------------------------------------- */

/* More CPUs have no machine. */
enum { CPU_MAX = 65535, CELLS_MAX = 2 + FTRACE_FIELDS_MAX };

enum { GENERIC_NAME = 1, GENERIC_FIELD = 2, DESCRIBED_FIELDS_MAX = 128 };

enum { GENERIC_FIELD_NAME = 1, GENERIC_TEXT = 3, GENERIC_INT = 4, GENERIC_UNSIGNED = 5 };

static enum histree_status no_memory(struct histree_error *error)
{
	return error_memory(error, "the events of a trace");
}

/* ---- classes --------------------------------------------------------------------------------------------- */

static const struct ftrace_fact generic = {
	.number = FTRACE_GENERIC,
	.name = "ftrace:generic",
	.fields = { { "event", FTRACE_TEXT }, { "fields", FTRACE_LIST } },
};

static const struct ftrace_class *class_of(struct perfetto_ftrace *ftrace, uint32_t number,
					   struct histree_error *error)
{
	struct ftrace_class *known = id_map_find(&ftrace->classes, number);
	if (known != NULL)
		return known;
	const struct ftrace_fact *fact = number == FTRACE_GENERIC ? &generic : ftrace_fact_of(number);
	static const char wakeups[] = "sched:sched_wak";
	const char *fields[CELLS_MAX] = { "common_pid" };
	uint32_t count = 1;
	char name[32];
	for (size_t i = 0; fact != NULL && i < FTRACE_FIELDS_MAX; i++)
		if (fact->fields[i].type != FTRACE_NONE)
			fields[count++] = fact->fields[i].name;
	const bool is_wakeup = fact != NULL && strncmp(fact->name, wakeups, strlen(wakeups)) == 0;
	const uint32_t flags = is_wakeup ? count++ : 0;
	if (is_wakeup)
		fields[flags] = "common_flags";
	snprintf(name, sizeof(name), "ftrace:%" PRIu32, number);
	const struct event_class as = {
		.name = fact != NULL ? fact->name : name,
		.field_count = count,
		.fields = fields,
		.payload_count = count,
	};
	const struct packed_class *class = packed_source_class(ftrace->packed, &as, error);
	if (class == NULL)
		return NULL;
	known = arena_allocate(&ftrace->memory, sizeof(*known), alignof(struct ftrace_class));
	if (known == NULL || !id_map_add(&ftrace->classes, number, known)) {
		no_memory(error);
		return NULL;
	}
	*known = (struct ftrace_class){ .class = class, .fact = fact, .flags = flags };
	return known;
}

/* ---- fields ---------------------------------------------------------------------------------------------- */

static struct packed_cell default_cell(enum ftrace_type type)
{
	switch (type) {
	case FTRACE_SIGNED:
		return packed_int(0);
	case FTRACE_UNSIGNED:
		return packed_unsigned(0);
	case FTRACE_TEXT:
		return packed_text("", 0);
	default:
		return (struct packed_cell){ .kind = PACKED_ABSENT };
	}
}

/* A number that stands where a text should, or the other way round, is not there. */
static void put_field(const struct wire_field *field, enum ftrace_type type, struct packed_cell *cell)
{
	if (type == FTRACE_TEXT && field->bytes != NULL)
		*cell = packed_text((const char *)field->bytes, field->size);
	else if (type == FTRACE_SIGNED && field->bytes == NULL)
		*cell = packed_int((int64_t)field->value);
	else if (type == FTRACE_UNSIGNED && field->bytes == NULL)
		*cell = packed_unsigned(field->value);
}

static void put_fields(struct perfetto_ftrace *ftrace, const struct ftrace_fact *fact, struct wire_message content,
		       struct packed_cell *cells)
{
	struct packed_cell *cell_of[FTRACE_FIELDS_MAX];
	struct wire_field field;
	for (size_t i = 0; i < FTRACE_FIELDS_MAX; i++) {
		cell_of[i] = cells;
		if (fact->fields[i].type != FTRACE_NONE)
			*cells++ = default_cell(fact->fields[i].type);
	}
	packed_parts_clear(&ftrace->list);
	while (wire_next(&content, &field)) {
		enum ftrace_type type =
			field.number > FTRACE_FIELDS_MAX ? FTRACE_NONE : fact->fields[field.number - 1].type;
		if (type == FTRACE_LIST) {
			/* One list an event: its numbers may be in several fields. */
			struct wire_list numbers = wire_list(&field, WIRE_VARINT);
			uint64_t number;
			if (ftrace->list.depth == 0)
				packed_parts_open(&ftrace->list, EVENT_ARRAY, NULL, 0);
			while (wire_list_next(&numbers, &number))
				packed_parts_unsigned(&ftrace->list, NULL, 0, number);
		} else if (type != FTRACE_NONE)
			put_field(&field, type, cell_of[field.number - 1]);
	}
	if (ftrace->list.depth == 0)
		return;
	packed_parts_close(&ftrace->list);
	for (size_t i = 0; i < FTRACE_FIELDS_MAX; i++)
		if (fact->fields[i].type == FTRACE_LIST)
			*cell_of[i] = packed_value(&ftrace->list);
}

/*
 * An event whose fields bring their names along, or whose message the trace describes
 * (FtraceEventBundle.GenericEventDescriptor, google.protobuf.DescriptorProto).
 */
struct generic_event {
	struct wire_message rest;
	const struct ftrace_description *description; /* NULL: it has its names along */
	struct perfetto_text name;
};

/* Read once, so that a field costs a look: a file may describe thousands, and have an event of as many. */
struct ftrace_description {
	struct perfetto_text name; /* of the event */
	struct described_field {
		struct perfetto_text name; /* NULL, 0: it is not described */
		bool is_signed;
	} fields[DESCRIBED_FIELDS_MAX]; /* by number */
};

static struct perfetto_text text_of(const struct wire_field *field)
{
	return (struct perfetto_text){ (const char *)field->bytes, field->bytes == NULL ? 0 : field->size };
}

static void read_generic_field(struct wire_message message, struct perfetto_text *name, struct wire_field *value)
{
	struct wire_field field;
	while (wire_next(&message, &field)) {
		if (field.number == GENERIC_FIELD_NAME && field.bytes != NULL)
			*name = text_of(&field);
		else if (field.number >= GENERIC_TEXT && field.number <= GENERIC_UNSIGNED &&
			 (field.number == GENERIC_TEXT) == (field.bytes != NULL))
			*value = field;
	}
}

static bool read_described_field(const struct ftrace_description *description, const struct wire_field *of,
				 struct perfetto_text *name, struct wire_field *value)
{
	if (of->number >= DESCRIBED_FIELDS_MAX || description->fields[of->number].name.bytes == NULL)
		return false;
	const struct described_field *field = &description->fields[of->number];
	*name = field->name;
	*value = *of;
	value->number = of->bytes != NULL ? GENERIC_TEXT : field->is_signed ? GENERIC_INT : GENERIC_UNSIGNED;
	return true;
}

/* *name: NULL, 0, and the number of *value 0, if it has none. */
static bool next_generic_field(struct generic_event *event, struct perfetto_text *name, struct wire_field *value)
{
	struct wire_field field;
	*name = (struct perfetto_text){ NULL, 0 };
	*value = (struct wire_field){ 0 };
	while (wire_next(&event->rest, &field)) {
		if (event->description != NULL) {
			if (read_described_field(event->description, &field, name, value))
				return true;
		} else if (field.number == GENERIC_FIELD && field.bytes != NULL) {
			read_generic_field(wire_inside(&field), name, value);
			return true;
		}
	}
	return false;
}

static struct generic_event generic_event(struct wire_message content, const struct ftrace_description *description)
{
	struct generic_event event = { .rest = content, .description = description, .name = { "", 0 } };
	struct wire_field field;
	if (description != NULL)
		event.name = description->name;
	while (description == NULL && wire_next(&content, &field))
		if (field.number == GENERIC_NAME && field.bytes != NULL)
			event.name = text_of(&field);
	return event;
}

static void put_generic(struct perfetto_ftrace *ftrace, struct generic_event event, struct packed_cell *cells)
{
	struct perfetto_text name;
	struct wire_field value;
	packed_parts_clear(&ftrace->generic);
	packed_parts_open(&ftrace->generic, EVENT_STRUCTURE, NULL, 0);
	cells[0] = packed_text(event.name.bytes, event.name.size);
	while (next_generic_field(&event, &name, &value)) {
		const char *text = name.bytes == NULL ? "" : name.bytes;
		if (value.number == GENERIC_TEXT)
			packed_parts_text(&ftrace->generic, text, name.size, (const char *)value.bytes, value.size);
		else if (value.number == GENERIC_INT)
			packed_parts_int(&ftrace->generic, text, name.size, (int64_t)value.value);
		else
			packed_parts_unsigned(&ftrace->generic, text, name.size, value.value);
	}
	packed_parts_close(&ftrace->generic);
	cells[1] = packed_value(&ftrace->generic);
}

static void put_named(const struct ftrace_fact *fact, struct generic_event event, struct packed_cell *cells)
{
	struct perfetto_text name;
	struct wire_field value;
	for (size_t i = 0, at = 0; i < FTRACE_FIELDS_MAX; i++)
		if (fact->fields[i].type != FTRACE_NONE)
			cells[at++] = default_cell(fact->fields[i].type);
	while (next_generic_field(&event, &name, &value))
		for (size_t i = 0, at = 0; name.bytes != NULL && value.number != 0 && i < FTRACE_FIELDS_MAX; i++) {
			const struct ftrace_field *own = &fact->fields[i];
			if (own->type == FTRACE_NONE)
				continue;
			if (strlen(own->name) == name.size && memcmp(own->name, name.bytes, name.size) == 0)
				put_field(&value, own->type, &cells[at]);
			at++;
		}
}

/* FieldDescriptorProto: its name, number and type. */
static void learn_field(struct ftrace_description *description, struct wire_message message)
{
	enum { NAME = 1, NUMBER = 3, TYPE = 5, TYPE_INT64 = 3, TYPE_INT32 = 5 };
	const struct perfetto_flat field = perfetto_flat(message);
	const uint64_t number = field.numbers[NUMBER], type = field.numbers[TYPE];
	if (perfetto_flat_has(&field, NUMBER) && number < DESCRIBED_FIELDS_MAX)
		description->fields[number] =
			(struct described_field){ .name = field.texts[NAME],
						  .is_signed = type == TYPE_INT64 || type == TYPE_INT32 };
}

/* DescriptorProto: its name and fields; the texts stay in `message`. */
static void learn_description(struct ftrace_description *description, struct wire_message message)
{
	enum { FIELD = 2 };
	struct wire_field field;
	*description = (struct ftrace_description){ .name = { "", 0 } };
	while (wire_next(&message, &field)) {
		if (field.number == GENERIC_NAME && field.bytes != NULL)
			description->name = text_of(&field);
		else if (field.number == FIELD)
			learn_field(description, wire_inside(&field));
	}
}

/* Keep what a bundle says of messages that have no number of their own. */
static enum histree_status learn_descriptions(struct perfetto_ftrace *ftrace, struct wire_message bundle,
					      struct histree_error *error)
{
	enum { ID = 1, DESCRIPTION = 2, EVENTS_MAX = 4096, BYTES_MAX = 16 << 10 }; /* Linux has some 2,500 */
	struct wire_field field, inner;
	while (wire_next(&bundle, &field)) {
		struct wire_message inside = wire_inside(&field);
		struct perfetto_text text = { NULL, 0 };
		uint64_t number = 0;
		while (field.number == BUNDLE_DESCRIPTION && wire_next(&inside, &inner)) {
			number = inner.number == ID ? inner.value : number;
			if (inner.number == DESCRIPTION)
				text = text_of(&inner);
		}
		if (text.size == 0 || text.size > BYTES_MAX || number > FTRACE_NO_MESSAGE ||
		    ftrace_fact_of((uint32_t)number) != NULL || ftrace->descriptions.count == EVENTS_MAX ||
		    id_map_find(&ftrace->descriptions, number) != NULL)
			continue;
		struct ftrace_description *kept =
			arena_allocate(&ftrace->memory, sizeof(*kept), alignof(struct ftrace_description));
		const char *bytes = arena_copy(&ftrace->memory, text.bytes, text.size);
		if (kept == NULL || bytes == NULL || !id_map_add(&ftrace->descriptions, number, kept))
			return no_memory(error);
		learn_description(kept, wire_message(bytes, text.size));
	}
	return HISTREE_OK;
}

/* ---- CPUs ------------------------------------------------------------------------------------------------ */

/* Returns NULL when memory runs out. */
static struct ftrace_cpu *cpu_of(struct perfetto_ftrace *ftrace, uint32_t number)
{
	if (!array_reserve(&ftrace->cpus, &ftrace->cpu_capacity, (size_t)number + 1))
		return NULL;
	while (ftrace->cpu_count <= number)
		ftrace->cpus[ftrace->cpu_count++] = (struct ftrace_cpu){ 0 };
	return &ftrace->cpus[number];
}

static void lose(struct ftrace_cpu *cpu)
{
	cpu->is_losing = true;
	cpu->runs.is_known = false;
}

/* A loss ends before the event that comes next. */
static enum histree_status end_loss(struct perfetto_ftrace *ftrace, uint32_t number, histree_time next,
				    struct histree_error *error)
{
	struct ftrace_cpu *cpu = &ftrace->cpus[number];
	struct trace_span span = { .begin = cpu->last + 1, .end = next == INT64_MAX ? INT64_MAX : next - 1 };
	cpu->is_losing = false;
	if (!cpu->has_events)
		return HISTREE_OK;
	if (span.end < span.begin)
		span.end = span.begin;
	if (next != INT64_MAX)
		trace_stream_note_loss(&ftrace->packed->stream, "event", NULL, span);
	return packed_source_lose(ftrace->packed, (int32_t)number, span, 0, error);
}

void perfetto_ftrace_lose(struct perfetto_ftrace *ftrace)
{
	for (size_t i = 0; i < ftrace->cpu_count; i++)
		lose(&ftrace->cpus[i]);
}

/* ---- events ---------------------------------------------------------------------------------------------- */

static enum histree_status perfetto_ftrace_add(struct perfetto_ftrace *ftrace, const struct perfetto_bundle *bundle,
					       uint64_t time, const struct packed_class *class,
					       const struct packed_cell *cells, struct histree_error *error)
{
	struct packed_event event = { .cpu = (int32_t)bundle->cpu, .class = class, .cells = cells };
	if (!perfetto_bundle_time(bundle, ftrace->clocks, time, &event.time)) {
		ftrace->without_time++;
		return HISTREE_OK;
	}
	struct ftrace_cpu *cpu = &ftrace->cpus[bundle->cpu];
	enum histree_status status = HISTREE_OK;
	if (cpu->is_losing)
		status = end_loss(ftrace, bundle->cpu, event.time, error);
	if (!cpu->has_events || event.time > cpu->last)
		cpu->last = event.time;
	cpu->has_events = true;
	return status == HISTREE_OK ? packed_source_add(ftrace->packed, &event, error) : status;
}

static enum histree_status read_event(struct perfetto_ftrace *ftrace, const struct perfetto_bundle *bundle,
				      struct wire_message message, struct histree_error *error)
{
	enum { TIMESTAMP = 1, PID = 2, COMMON_FLAGS = 5 };
	struct packed_cell cells[CELLS_MAX] = { { .kind = PACKED_ABSENT } }, flags = cells[0];
	struct wire_field field, content = { 0 };
	uint64_t time = 0;
	while (wire_next(&message, &field)) {
		if (field.number == TIMESTAMP)
			time = field.value;
		else if (field.number == PID)
			cells[0] = packed_int((int32_t)field.value);
		else if (field.number == COMMON_FLAGS && field.bytes == NULL)
			flags = packed_unsigned(field.value);
		else if (field.bytes != NULL)
			content = field;
	}
	if (content.bytes == NULL)
		return HISTREE_OK;
	const struct ftrace_description *described =
		ftrace->descriptions.count > 0 ? id_map_find(&ftrace->descriptions, content.number) : NULL;
	const bool is_generic = described != NULL || content.number == FTRACE_GENERIC;
	struct generic_event named = { 0 };
	uint32_t number = content.number;
	if (is_generic) {
		named = generic_event(wire_inside(&content), described);
		const struct ftrace_fact *fact = ftrace_fact_named(named.name.bytes, named.name.size);
		number = fact != NULL ? fact->number : FTRACE_GENERIC;
	}
	const struct ftrace_class *class = class_of(ftrace, number, error);
	if (class == NULL)
		return error->status;
	if (class->fact == &generic)
		put_generic(ftrace, named, cells + 1);
	else if (is_generic)
		put_named(class->fact, named, cells + 1);
	else if (class->fact != NULL)
		put_fields(ftrace, class->fact, wire_inside(&content), cells + 1);
	if (class->flags != 0)
		cells[class->flags] = flags;
	if (ftrace->list.has_failed || ftrace->generic.has_failed)
		return no_memory(error);
	if (number == FTRACE_SCHED_SWITCH)
		task_state_signs_see(&ftrace->state_signs, cells[2].integer, cells[4].integer, cells[6].integer);
	return perfetto_ftrace_add(ftrace, bundle, time, class->class, cells, error);
}

/* ---- compact events -------------------------------------------------------------------------------------- */

static enum histree_status add_switch(struct perfetto_ftrace *ftrace, const struct perfetto_bundle *bundle,
				      const struct compact_switch *at, struct histree_error *error)
{
	struct ftrace_running *runs = &ftrace->cpus[bundle->cpu].runs;
	const struct ftrace_class *class = class_of(ftrace, FTRACE_SCHED_SWITCH, error);
	if (class == NULL)
		return error->status;
	const struct packed_cell cells[CELLS_MAX] = {
		runs->is_known ? packed_int(runs->pid) : (struct packed_cell){ .kind = PACKED_ABSENT },
		runs->is_known ? packed_text(runs->comm, runs->comm_size) : packed_text("", 0),
		packed_int(runs->is_known ? runs->pid : 0),
		packed_int(runs->is_known ? runs->prio : 0),
		packed_int(at->prev_state),
		packed_text(at->comm.bytes, at->comm.size),
		packed_int(at->pid),
		packed_int(at->prio),
	};
	if (runs->is_known)
		task_state_signs_see(&ftrace->state_signs, runs->pid, at->prev_state, at->pid);
	enum histree_status status = perfetto_ftrace_add(ftrace, bundle, at->time, class->class, cells, error);
	runs->is_known = true;
	runs->pid = at->pid;
	runs->prio = at->prio;
	runs->comm_size = (uint8_t)(at->comm.size < sizeof(runs->comm) ? at->comm.size : sizeof(runs->comm));
	memcpy(runs->comm, at->comm.bytes, runs->comm_size);
	return status;
}

static enum histree_status add_waking(struct perfetto_ftrace *ftrace, const struct perfetto_bundle *bundle,
				      const struct compact_waking *at, struct histree_error *error)
{
	const struct ftrace_class *class = class_of(ftrace, FTRACE_SCHED_WAKING, error);
	if (class == NULL)
		return error->status;
	const struct packed_cell cells[CELLS_MAX] = {
		{ .kind = PACKED_ABSENT },
		packed_text(at->comm.bytes, at->comm.size),
		packed_int(at->pid),
		packed_int(at->prio),
		packed_int(1),
		packed_int(at->target_cpu),
		at->flags,
	};
	assert(class->flags == 6);
	return perfetto_ftrace_add(ftrace, bundle, at->time, class->class, cells, error);
}

/* Both kinds in the order of their times. */
static enum histree_status read_compact(struct perfetto_ftrace *ftrace, const struct perfetto_bundle *bundle,
					struct histree_error *error)
{
	struct perfetto_compact compact;
	enum histree_status status = HISTREE_OK;
	if (!perfetto_compact_begin(&compact, &ftrace->compact_names, bundle->compact))
		return no_memory(error);
	bool has_switch = perfetto_compact_switch(&compact), has_waking = perfetto_compact_waking(&compact);
	while (status == HISTREE_OK && (has_switch || has_waking)) {
		bool is_waking = has_waking && (!has_switch || compact.waking.time <= compact.next.time);
		if (is_waking) {
			status = add_waking(ftrace, bundle, &compact.waking, error);
			has_waking = perfetto_compact_waking(&compact);
		} else {
			status = add_switch(ftrace, bundle, &compact.next, error);
			has_switch = perfetto_compact_switch(&compact);
		}
	}
	return status;
}

/* ---- bundles --------------------------------------------------------------------------------------------- */

enum histree_status perfetto_ftrace_read(struct perfetto_ftrace *ftrace, struct wire_message message,
					 struct histree_error *error)
{
	struct perfetto_bundle bundle = perfetto_bundle_read(message);
	struct wire_field field;
	if (bundle.cpu > CPU_MAX)
		return HISTREE_OK;
	struct ftrace_cpu *cpu = cpu_of(ftrace, bundle.cpu);
	if (cpu == NULL)
		return no_memory(error);
	if (bundle.is_behind_loss || perfetto_bundle_misses(&bundle, ftrace->clocks, cpu->last))
		lose(cpu);
	enum histree_status status =
		bundle.has_descriptions ? learn_descriptions(ftrace, message, error) : HISTREE_OK;
	if (status == HISTREE_OK && bundle.has_compact)
		status = read_compact(ftrace, &bundle, error);
	while (status == HISTREE_OK && wire_next(&message, &field))
		if (field.number == BUNDLE_EVENT && field.bytes != NULL)
			status = read_event(ftrace, &bundle, wire_inside(&field), error);
	/* What could not be read is somewhere in it, or behind. */
	if (bundle.has_errors || message.is_damaged)
		lose(&ftrace->cpus[bundle.cpu]);
	return status;
}

void perfetto_ftrace_count(struct perfetto_ftrace *ftrace, struct wire_message stats)
{
	enum { PHASE = 1, CPU_STATS = 2, END_OF_TRACE = 2, OVERRUN = 3, DROPPED = 8 };
	struct wire_field field, count;
	uint64_t lost = 0, phase = 0;
	while (wire_next(&stats, &field)) {
		if (field.number == PHASE)
			phase = field.value;
		if (field.number != CPU_STATS || field.bytes == NULL)
			continue;
		struct wire_message inside = wire_inside(&field);
		while (wire_next(&inside, &count))
			if (count.number == OVERRUN || count.number == DROPPED)
				lost += count.value;
	}
	ftrace->lost[phase == END_OF_TRACE] = lost;
}

enum histree_status perfetto_ftrace_finish(struct perfetto_ftrace *ftrace, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	struct trace_stream *stream = &ftrace->packed->stream;
	uint64_t lost = ftrace->lost[1] > ftrace->lost[0] ? ftrace->lost[1] - ftrace->lost[0] : 0;
	const struct trace_span anywhere = { INT64_MIN, INT64_MIN };
	if (lost > 0) {
		stream->notes->report.discarded_events += lost;
		trace_stream_note_loss(stream, "event", &lost, anywhere);
	}
	if (ftrace->without_time > 0)
		trace_notes_warn(stream->notes, "%s: %" PRIu64 " event%s of ftrace %s no time, and left out",
				 stream->name, ftrace->without_time, ftrace->without_time == 1 ? "" : "s",
				 ftrace->without_time == 1 ? "has" : "have");
	for (uint32_t i = 0; status == HISTREE_OK && i < ftrace->cpu_count; i++)
		if (ftrace->cpus[i].is_losing)
			status = end_loss(ftrace, i, INT64_MAX, error);
	return status;
}

void perfetto_ftrace_release(struct perfetto_ftrace *ftrace)
{
	id_map_release(&ftrace->classes);
	id_map_release(&ftrace->descriptions);
	arena_release(&ftrace->memory);
	struct perfetto_names *names = &ftrace->compact_names;
	free(names->names);
	*names = (struct perfetto_names){ 0 };
	packed_parts_release(&ftrace->list);
	packed_parts_release(&ftrace->generic);
	free(ftrace->cpus);
	*ftrace = (struct perfetto_ftrace){ 0 };
}
