// SPDX-License-Identifier: MIT
/*
 * perfetto_readings.c - what the data sources of Perfetto read off a system from time to time.
 *
 * Most messages are flat: struct perfetto_flat has all their fields, by number.  What a packet says of a counter
 * once (the name of a power rail) and refers to by number later holds for the rest of the trace.
 */
#include "trace/perfetto/perfetto_readings.h"

#include <assert.h>
#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>

#include "base/error.h"
#include "base/words.h"
#include "event/event.h"
#include "trace/perfetto/wire.h"

/* ---- names --------------------------------------------------------------------------------------------------- */

enum { NAME_SIZE = 160, NAMES_MAX = 1 << 16 };

static struct perfetto_text text_of(const char *text)
{
	return (struct perfetto_text){ text, strlen(text) };
}

static int clip(struct perfetto_text text)
{
	return (int)(text.size < NAME_SIZE / 4 ? text.size : NAME_SIZE / 4);
}

static struct perfetto_text text_or(const struct perfetto_flat *entry, uint32_t field, const char *other)
{
	return entry->texts[field].size > 0 ? entry->texts[field] : text_of(other);
}

/* What numbers are of; the number itself is below. */
enum naming { RAILS = 1, CONSUMERS, ENTITIES, STATES, QUEUES };

/* Of some the number has two parts, of which the first is 0 for others. */
struct name_key {
	uint64_t of, first, number;
};

static struct name_key name_key(enum naming of, uint64_t number)
{
	return (struct name_key){ of, 0, number };
}

/* Returns the name; NULL: it is not known. */
static struct perfetto_text *find_name(struct perfetto_readings *readings, struct name_key key)
{
	const uint32_t number = intern_find(&readings->name_keys, &key, sizeof(key));
	return number != INTERN_NONE ? id_map_find_again(&readings->names, number) : NULL;
}

/* Make it one that lasts, which is once in memory however often it is said.  Returns false if memory runs out. */
static bool keep_text(struct perfetto_readings *readings, struct perfetto_text *text)
{
	const uint32_t id =
		intern_add(&readings->texts, text->bytes, text->size < NAME_SIZE ? text->size : NAME_SIZE);
	*text = (struct perfetto_text){ "", 0 };
	if (id != INTERN_NONE)
		text->bytes = intern_get(&readings->texts, id, &text->size);
	return id != INTERN_NONE;
}

/* Returns false if memory runs out.  The last name that a number got is its name. */
static bool learn_name(struct perfetto_readings *readings, struct name_key key, struct perfetto_text name)
{
	struct perfetto_text *known = find_name(readings, key);
	if (known == NULL && readings->names.count >= NAMES_MAX) {
		readings->without_name++;
		return true;
	}
	if (known == NULL) {
		known = arena_allocate(&readings->memory, sizeof(*known), alignof(struct perfetto_text));
		const uint32_t number = intern_add(&readings->name_keys, &key, sizeof(key));
		if (known == NULL || number == INTERN_NONE || !id_map_add(&readings->names, number, known))
			return false;
	}
	*known = name;
	return keep_text(readings, known);
}

/* Its number, where the trace does not say its name. */
static struct perfetto_text name_of(struct perfetto_readings *readings, struct name_key key,
				    char text[static NAME_SIZE])
{
	const struct perfetto_text *known = find_name(readings, key);
	if (known != NULL && known->size > 0)
		return *known;
	snprintf(text, NAME_SIZE, "%" PRIu64, key.number);
	return text_of(text);
}

/* ---- counters ------------------------------------------------------------------------------------------------ */

/* What is being read: a packet, and of which process. */
struct reading_of {
	struct perfetto_readings *readings;
	struct perfetto_sequence *sequence; /* that wrote the packet */
	histree_time time;
	struct histree_error *error;
	enum histree_status status; /* not HISTREE_OK: nothing is added any more */
	int64_t pid;                /* -1: of none */
};

static void add_event(struct reading_of *of, enum track_class class, const struct packed_cell *cells)
{
	const struct packed_event event = {
		.time = of->time, .cpu = -1, .class = of->readings->classes[class], .cells = cells
	};
	if (of->status == HISTREE_OK && of->time == PACKED_NO_TIME && class != TRACK_TRACK_NAME)
		of->readings->without_time++;
	else if (of->status == HISTREE_OK)
		of->status = packed_source_add(of->readings->packed, &event, of->error);
}

static void no_memory(struct reading_of *of)
{
	if (of->status == HISTREE_OK)
		of->status = error_memory(of->error, "what a system was read");
}

/* Series: of several numbers of one name; no bytes: it has one. */
static void add_value(struct reading_of *of, struct perfetto_text name, struct perfetto_text series,
		      struct packed_cell value)
{
	struct packed_cell cells[TRACK_FIELD_COUNT] = {
		[TRACK_NAME] = packed_text(name.bytes, name.size), [TRACK_VALUE] = value
	};
	if (of->pid >= 0)
		cells[TRACK_PID] = packed_int(of->pid);
	if (series.size > 0)
		cells[TRACK_SERIES] = packed_text(series.bytes, series.size);
	add_event(of, TRACK_COUNTER, cells);
}

static void add_number(struct reading_of *of, struct perfetto_text name, struct perfetto_text series,
		       uint64_t value)
{
	add_value(of, name, series, value <= INT64_MAX ? packed_int((int64_t)value) : packed_unsigned(value));
}

/* Numbers of a flat message, by field, as series of one counter. */
struct series_row {
	uint32_t field;
	const char *name;
};

static void add_rows(struct reading_of *of, struct perfetto_text name, const struct perfetto_flat *entry,
		     const struct series_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (perfetto_flat_has(entry, rows[i].field))
			add_number(of, name, text_of(rows[i].name), entry->numbers[rows[i].field]);
}

#define ROWS(rows) (rows), sizeof(rows) / sizeof((rows)[0])

/* A name from a list by its number, which begins with 1. */
static struct perfetto_text listed(const char *names, uint64_t key, char text[static NAME_SIZE])
{
	size_t size;
	const char *name = words_at(names, key - 1, &size);
	if (key > 0 && name != NULL)
		return (struct perfetto_text){ name, size };
	snprintf(text, NAME_SIZE, "%" PRIu64, key);
	return text_of(text);
}

/* ---- of the system ------------------------------------------------------------------------------------------- */

/* protos/perfetto/common/sys_stats_counters.proto */
static const char meminfo_names[] =
	"MemTotal,MemFree,MemAvailable,Buffers,Cached,SwapCached,Active,Inactive,Active(anon),"
	"Inactive(anon),Active(file),Inactive(file),Unevictable,Mlocked,SwapTotal,SwapFree,Dirty,"
	"Writeback,AnonPages,Mapped,Shmem,Slab,SReclaimable,SUnreclaim,KernelStack,PageTables,"
	"CommitLimit,Committed_AS,VmallocTotal,VmallocUsed,VmallocChunk,CmaTotal,CmaFree";

static const char vmstat_names[] =
	"nr_free_pages,nr_alloc_batch,nr_inactive_anon,nr_active_anon,nr_inactive_file,nr_active_file,"
	"nr_unevictable,nr_mlock,nr_anon_pages,nr_mapped,nr_file_pages,nr_dirty,nr_writeback,"
	"nr_slab_reclaimable,nr_slab_unreclaimable,nr_page_table_pages,nr_kernel_stack,nr_overhead,"
	"nr_unstable,nr_bounce,nr_vmscan_write,nr_vmscan_immediate_reclaim,nr_writeback_temp,"
	"nr_isolated_anon,nr_isolated_file,nr_shmem,nr_dirtied,nr_written,nr_pages_scanned,"
	"workingset_refault,workingset_activate,workingset_nodereclaim,nr_anon_transparent_hugepages,"
	"nr_free_cma,nr_swapcache,nr_dirty_threshold,nr_dirty_background_threshold,pgpgin,pgpgout,"
	"pgpgoutclean,pswpin,pswpout,pgalloc_dma,pgalloc_normal,pgalloc_movable,pgfree,pgactivate,"
	"pgdeactivate,pgfault,pgmajfault,pgrefill_dma,pgrefill_normal,pgrefill_movable,"
	"pgsteal_kswapd_dma,pgsteal_kswapd_normal,pgsteal_kswapd_movable,pgsteal_direct_dma,"
	"pgsteal_direct_normal,pgsteal_direct_movable,pgscan_kswapd_dma,pgscan_kswapd_normal,"
	"pgscan_kswapd_movable,pgscan_direct_dma,pgscan_direct_normal,pgscan_direct_movable,"
	"pgscan_direct_throttle,pginodesteal,slabs_scanned,kswapd_inodesteal,"
	"kswapd_low_wmark_hit_quickly,kswapd_high_wmark_hit_quickly,pageoutrun,allocstall,pgrotated,"
	"drop_pagecache,drop_slab,pgmigrate_success,pgmigrate_fail,compact_migrate_scanned,"
	"compact_free_scanned,compact_isolated,compact_stall,compact_fail,compact_success,"
	"compact_daemon_wake,unevictable_pgs_culled,unevictable_pgs_scanned,unevictable_pgs_rescued,"
	"unevictable_pgs_mlocked,unevictable_pgs_munlocked,unevictable_pgs_cleared,"
	"unevictable_pgs_stranded,nr_zspages,nr_ion_heap,nr_gpu_heap";

static const char pressure_names[] = "cpu some,cpu full,io some,io full,memory some,memory full";

#define LIST(names) (names), sizeof(names) / sizeof((names)[0])

static const struct series_row cpu_rows[] = {
	{ 2, "user" },   { 3, "nice" }, { 4, "system" },  { 5, "idle" },
	{ 6, "iowait" }, { 7, "irq" },  { 8, "softirq" }, { 9, "steal" },
};

static const struct series_row disk_rows[] = {
	{ 2, "read_sectors" },    { 3, "read_time_ms" },    { 4, "write_sectors" }, { 5, "write_time_ms" },
	{ 6, "discard_sectors" }, { 7, "discard_time_ms" }, { 8, "flush_count" },   { 9, "flush_time_ms" },
};

/* Numbers of one field, which may be packed, as series that are numbered on; returns how many there are now. */
static uint32_t add_list(struct reading_of *of, const char *name, const char *what, const struct wire_field *field,
			 uint32_t count)
{
	struct wire_list list = wire_list(field, WIRE_VARINT);
	char series[NAME_SIZE];
	for (uint64_t value; wire_list_next(&list, &value); count++) {
		snprintf(series, sizeof(series), "%s %" PRIu32, what, count);
		add_number(of, text_of(name), text_of(series), value);
	}
	return count;
}

static void read_buddies(struct reading_of *of, struct wire_message message)
{
	enum { NODE = 1, ZONE = 2, ORDERS = 3 };
	const struct perfetto_flat entry = perfetto_flat(message);
	struct wire_field field;
	uint32_t order = 0;
	char name[NAME_SIZE];
	snprintf(name, sizeof(name), "buddyinfo %.*s %.*s", clip(entry.texts[NODE]),
		 text_or(&entry, NODE, "").bytes, clip(entry.texts[ZONE]), text_or(&entry, ZONE, "").bytes);
	while (wire_next(&message, &field))
		if (field.number == ORDERS)
			order = add_list(of, name, "order", &field, order);
}

static void read_idle_states(struct reading_of *of, struct wire_message message)
{
	enum { CPU = 1, STATES_OF_CPU = 2, STATE = 1, TIME = 2 };
	const struct perfetto_flat cpu = perfetto_flat(message);
	struct wire_field field;
	char name[NAME_SIZE];
	snprintf(name, sizeof(name), "CPU %" PRIu64 " idle time (us)", cpu.numbers[CPU]);
	while (wire_next(&message, &field)) {
		if (field.number != STATES_OF_CPU)
			continue;
		const struct perfetto_flat state = perfetto_flat(wire_inside(&field));
		add_number(of, text_of(name), text_or(&state, STATE, "idle"), state.numbers[TIME]);
	}
}

/* Numbers of those whose names histree does not know. */
static void read_cgroup(struct reading_of *of, struct wire_message message)
{
	enum { PATH = 1, COUNTERS = 2, KEY = 1, VALUE = 2, DEVICE = 3 };
	const struct perfetto_flat group = perfetto_flat(message);
	struct wire_field field;
	char series[NAME_SIZE];
	while (wire_next(&message, &field)) {
		if (field.number != COUNTERS)
			continue;
		const struct perfetto_flat counter = perfetto_flat(wire_inside(&field));
		const struct perfetto_text device = text_or(&counter, DEVICE, "");
		snprintf(series, sizeof(series), "counter %" PRIu64 "%s%.*s", counter.numbers[KEY],
			 device.size > 0 ? " " : "", clip(device), device.bytes);
		add_number(of, text_or(&group, PATH, "cgroup"), text_of(series), counter.numbers[VALUE]);
	}
}

/* An entry of the lists of sys_stats.proto that are flat. */
static void read_system_entry(struct reading_of *of, uint32_t kind, const struct perfetto_flat *entry)
{
	enum {
		MEMINFO = 1,
		VMSTAT,
		CPU_TIMES,
		IRQ = 6,
		SOFTIRQ = 8,
		DEVFREQ = 10,
		DISK = 13,
		PSI,
		THERMAL,
		SLAB = 18
	};
	char text[NAME_SIZE], name[NAME_SIZE];
	switch (kind) {
	case MEMINFO:
		add_number(of, text_of("meminfo"), listed(meminfo_names, entry->numbers[1], text),
			   entry->numbers[2] * 1024);
		break;
	case VMSTAT:
		add_number(of, text_of("vmstat"), listed(vmstat_names, entry->numbers[1], text), entry->numbers[2]);
		break;
	case CPU_TIMES:
		snprintf(name, sizeof(name), "CPU %" PRIu64 " time (ns)", entry->numbers[1]);
		add_rows(of, text_of(name), entry, ROWS(cpu_rows));
		break;
	case IRQ:
	case SOFTIRQ:
		snprintf(text, sizeof(text), "%" PRIu64, entry->numbers[1]);
		add_number(of, text_of(kind == IRQ ? "interrupts" : "softirqs"), text_of(text), entry->numbers[2]);
		break;
	case DEVFREQ:
		add_number(of, text_of("devfreq (kHz)"), text_or(entry, 1, "device"), entry->numbers[2]);
		break;
	case DISK:
		snprintf(name, sizeof(name), "disk %.*s", clip(entry->texts[1]), text_or(entry, 1, "").bytes);
		add_rows(of, text_of(name), entry, ROWS(disk_rows));
		break;
	case PSI:
		add_number(of, text_of("pressure (ns)"), listed(pressure_names, entry->numbers[1], text),
			   entry->numbers[2]);
		break;
	case THERMAL:
		add_number(of, text_of("temperature"), text_or(entry, entry->texts[3].size > 0 ? 3 : 1, "zone"),
			   entry->numbers[2]);
		break;
	case SLAB:
		add_number(of, text_of("slab pages"), text_or(entry, 1, "slab"),
			   entry->numbers[2] * entry->numbers[3]);
		break;
	default:
		break;
	}
}

/* protos/perfetto/trace/sys_stats/sys_stats.proto */
static void read_system(struct reading_of *of, struct wire_message message)
{
	enum {
		FORKS = 4,
		IRQS = 5,
		SOFTIRQS = 7,
		CPU_FREQUENCIES = 11,
		BUDDIES = 12,
		IDLE_STATES = 16,
		GPU_FREQUENCIES = 17,
		CGROUP = 19
	};
	struct wire_field field;
	uint32_t cpus = 0, gpus = 0;
	while (wire_next(&message, &field)) {
		if (field.number == FORKS)
			add_number(of, text_of("forks"), text_of(""), field.value);
		else if (field.number == IRQS)
			add_number(of, text_of("interrupts"), text_of("all"), field.value);
		else if (field.number == SOFTIRQS)
			add_number(of, text_of("softirqs"), text_of("all"), field.value);
		else if (field.number == CPU_FREQUENCIES)
			cpus = add_list(of, "cpufreq (kHz)", "CPU", &field, cpus);
		else if (field.number == GPU_FREQUENCIES)
			gpus = add_list(of, "gpufreq (MHz)", "GPU", &field, gpus);
		else if (field.number == BUDDIES)
			read_buddies(of, wire_inside(&field));
		else if (field.number == IDLE_STATES)
			read_idle_states(of, wire_inside(&field));
		else if (field.number == CGROUP)
			read_cgroup(of, wire_inside(&field));
		else if (field.bytes != NULL) {
			const struct perfetto_flat entry = perfetto_flat(wire_inside(&field));
			read_system_entry(of, field.number, &entry);
		}
	}
}

/* ---- of processes -------------------------------------------------------------------------------------------- */

enum { STATS_PROCESS = 1, STATS_PID = 1 };

/* protos/perfetto/trace/ps/process_stats.proto */
static void read_process(struct reading_of *of, const struct perfetto_flat *entry)
{
	enum { FIRST = 2, SCORE = 10, USER_TIME = 21, KERNEL_TIME = 22 };
	static const char *const names[] = { "mem.virt",      "mem.rss",  "mem.rss.anon", "mem.rss.file",
					     "mem.rss.shmem", "mem.swap", "mem.locked",   "mem.rss.watermark" };
	of->pid = (int32_t)entry->numbers[STATS_PID];
	for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (perfetto_flat_has(entry, FIRST + i))
			add_number(of, text_of(names[i]), text_of(""), entry->numbers[FIRST + i] * 1024);
	if (perfetto_flat_has(entry, SCORE))
		add_value(of, text_of("oom_score_adj"), text_of(""), packed_int((int64_t)entry->numbers[SCORE]));
	if (perfetto_flat_has(entry, USER_TIME))
		add_number(of, text_of("runtime.user_ns"), text_of(""), entry->numbers[USER_TIME]);
	if (perfetto_flat_has(entry, KERNEL_TIME))
		add_number(of, text_of("runtime.kernel_ns"), text_of(""), entry->numbers[KERNEL_TIME]);
}

static void read_processes(struct reading_of *of, struct wire_message message)
{
	struct wire_field field;
	while (wire_next(&message, &field)) {
		const struct perfetto_flat entry = perfetto_flat(wire_inside(&field));
		if (field.number == STATS_PROCESS && perfetto_flat_has(&entry, STATS_PID))
			read_process(of, &entry);
	}
}

/* ---- power --------------------------------------------------------------------------------------------------- */

/* A field of fixed32 that is a float. */
static double wire_float(uint64_t value)
{
	const uint32_t bits = (uint32_t)value;
	float real;
	memcpy(&real, &bits, sizeof(real));
	return (double)real;
}

/* protos/perfetto/trace/power/battery_counters.proto */
static void read_battery(struct reading_of *of, struct wire_message message)
{
	enum { CAPACITY = 2, NAME = 5 };
	static const struct series_row rows[] = { { 1, "charge_uah" },
						  { 3, "current_ua" },
						  { 4, "current_avg_ua" },
						  { 6, "energy_uwh" },
						  { 7, "voltage_uv" } };
	const struct perfetto_flat entry = perfetto_flat(message);
	char name[NAME_SIZE];
	snprintf(name, sizeof(name), "battery%s%.*s", entry.texts[NAME].size > 0 ? " " : "",
		 clip(entry.texts[NAME]), text_or(&entry, NAME, "").bytes);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (perfetto_flat_has(&entry, rows[i].field))
			add_value(of, text_of(name), text_of(rows[i].name),
				  packed_int((int64_t)entry.numbers[rows[i].field]));
	if (perfetto_flat_has(&entry, CAPACITY))
		add_value(of, text_of(name), text_of("capacity_pct"),
			  packed_real(wire_float(entry.numbers[CAPACITY])));
}

/* A time in ms since the machine started, if it is said. */
static void take_time_ms(struct reading_of *of, const struct perfetto_flat *entry, uint32_t field)
{
	uint64_t trace;
	histree_time time;
	const uint64_t ms = entry->numbers[field];
	if (perfetto_flat_has(entry, field) && ms > 0 && ms < INT64_MAX / 1000000 &&
	    perfetto_clocks_convert(of->readings->clocks, PERFETTO_CLOCK_BOOTTIME, ms * 1000000, &trace) &&
	    perfetto_clocks_time(of->readings->clocks, trace, &time))
		of->time = time;
}

/* protos/perfetto/trace/power/power_rails.proto */
static void read_rails(struct reading_of *of, struct wire_message message)
{
	enum { DESCRIPTOR = 1, ENERGY = 2, INDEX = 1, NAME = 2, TIME_MS = 2, VALUE = 3 };
	const histree_time time = of->time;
	struct wire_field field;
	char text[NAME_SIZE];
	while (wire_next(&message, &field)) {
		const struct perfetto_flat entry = perfetto_flat(wire_inside(&field));
		if (field.number == DESCRIPTOR &&
		    !learn_name(of->readings, name_key(RAILS, entry.numbers[INDEX]), text_or(&entry, NAME, "")))
			no_memory(of);
		if (field.number != ENERGY)
			continue;
		of->time = time;
		take_time_ms(of, &entry, TIME_MS);
		add_number(of, text_of("power rails (uWs)"),
			   name_of(of->readings, name_key(RAILS, entry.numbers[INDEX]), text),
			   entry.numbers[VALUE]);
	}
}

/* protos/perfetto/trace/power/android_energy_estimation_breakdown.proto */
static void read_energy(struct reading_of *of, struct wire_message message)
{
	enum { DESCRIPTOR = 1, CONSUMER = 2, VALUE = 3, ID = 1, NAME = 4 };
	const struct perfetto_flat entry = perfetto_flat(message);
	struct wire_field field;
	char text[NAME_SIZE];
	while (wire_next(&message, &field)) {
		struct wire_message inside = wire_inside(&field);
		struct wire_field inner;
		while (field.number == DESCRIPTOR && wire_next(&inside, &inner)) {
			const struct perfetto_flat consumer = perfetto_flat(wire_inside(&inner));
			if (!learn_name(of->readings, name_key(CONSUMERS, consumer.numbers[ID]),
					text_or(&consumer, NAME, "")))
				no_memory(of);
		}
	}
	if (perfetto_flat_has(&entry, VALUE))
		add_number(of, text_of("energy (uWs)"),
			   name_of(of->readings, name_key(CONSUMERS, entry.numbers[CONSUMER]), text),
			   entry.numbers[VALUE]);
}

/* protos/perfetto/trace/power/android_entity_state_residency.proto */
static void read_residencies(struct reading_of *of, struct wire_message message)
{
	enum { DESCRIPTOR = 1, RESIDENCY = 2, ENTITY = 1, STATE = 2, NAME = 3, TIME_MS = 3 };
	struct wire_field field;
	char text[NAME_SIZE], state_text[NAME_SIZE], name[NAME_SIZE];
	while (wire_next(&message, &field)) {
		const struct perfetto_flat entry = perfetto_flat(wire_inside(&field));
		const uint64_t entity = entry.numbers[ENTITY];
		const struct name_key state = { STATES, entity, entry.numbers[STATE] };
		if (field.number == DESCRIPTOR &&
		    (!learn_name(of->readings, name_key(ENTITIES, entity), text_or(&entry, NAME, "")) ||
		     !learn_name(of->readings, state, text_or(&entry, NAME + 1, ""))))
			no_memory(of);
		if (field.number != RESIDENCY)
			continue;
		const struct perfetto_text of_entity = name_of(of->readings, name_key(ENTITIES, entity), text);
		snprintf(name, sizeof(name), "%.*s states (ms)", clip(of_entity), of_entity.bytes);
		add_number(of, text_of(name), name_of(of->readings, state, state_text), entry.numbers[TIME_MS]);
	}
}

/* ---- GPUs ---------------------------------------------------------------------------------------------------- */

static struct perfetto_text name_of_gpu(uint32_t gpu, char name[static NAME_SIZE])
{
	snprintf(name, NAME_SIZE, "GPU %" PRId32, (int32_t)gpu);
	return text_of(name);
}

/* What tells numbers of counters apart: one id may be that of many. */
enum gpu_key {
	IN_EVENTS,       /* counters of a GPU, whose descriptor is in the events */
	OF_DESCRIPTOR,   /* of a descriptor that a writer has interned */
	GPU_OF_INTERNED, /* likewise, those of one GPU */
};

/* Returns the dense number of a key, which no other has; INTERN_NONE if memory runs out. */
static uint32_t gpu_number(struct perfetto_readings *readings, enum gpu_key kind, uint64_t iid, uint32_t sequence,
			   uint32_t gpu)
{
	const uint64_t key[] = { kind, iid, (uint64_t)sequence << 32 | gpu };
	return intern_add(&readings->gpu_keys, key, sizeof(key));
}

/* Whose the counters of an event are. */
struct gpu_source {
	uint32_t gpu;
	uint32_t descriptor, counters; /* numbers of keys: ids of what is described, and of what has values */
};

/* What a descriptor says of a counter. */
struct gpu_spec {
	struct perfetto_text name;
	bool looks_ahead;
};

static uint64_t gpu_id(uint32_t number, uint64_t id)
{
	return (uint64_t)number << 32 | (uint32_t)id;
}

/*
 * What is known of a counter.  A sample says what was in the time that ends with it, if the counter does not look
 * ahead (gpu_counter_descriptor.proto): its value begins at the sample before.
 */
struct gpu_counter {
	uint64_t spec; /* its number there, above its id */
	uint32_t gpu;
	bool is_known;
	bool is_behind;           /* its value stands at the sample before */
	histree_time last;        /* of its samples */
	struct packed_cell value; /* its */
};

/* Returns NULL if memory runs out. */
static struct gpu_counter *gpu_counter(struct perfetto_readings *readings, const struct gpu_source *source,
				       uint64_t id)
{
	const uint64_t key = gpu_id(source->counters, id);
	struct gpu_counter *counter = id_map_find_again(&readings->gpu_counters, key);
	if (counter != NULL)
		return counter;
	counter = arena_allocate(&readings->memory, sizeof(*counter), alignof(struct gpu_counter));
	if (counter == NULL)
		return NULL;
	*counter = (struct gpu_counter){ .spec = gpu_id(source->descriptor, id), .gpu = source->gpu };
	return id_map_add(&readings->gpu_counters, key, counter) ? counter : NULL;
}

/* Returns false if memory runs out.  What is said of a counter last holds. */
static bool learn_gpu_counter(struct perfetto_readings *readings, uint64_t key, const struct gpu_spec *said)
{
	struct gpu_spec *spec = id_map_find_again(&readings->gpu_specs, key);
	if (spec == NULL && readings->gpu_specs.count >= NAMES_MAX) {
		readings->without_name++;
		return true;
	}
	if (spec == NULL) {
		spec = arena_allocate(&readings->memory, sizeof(*spec), alignof(struct gpu_spec));
		if (spec == NULL || !id_map_add(&readings->gpu_specs, key, spec))
			return false;
	}
	*spec = *said;
	return keep_text(readings, &spec->name);
}

static bool learn_gpu_counters(struct perfetto_readings *readings, uint32_t descriptor_number,
			       struct wire_message descriptor)
{
	enum { SPECS = 1, ID = 1, NAME = 2, DIRECTION = 11, LOOKS_AHEAD = 2 };
	struct wire_field field;
	bool is_done = true;
	while (is_done && wire_next(&descriptor, &field)) {
		if (field.number != SPECS)
			continue;
		const struct perfetto_flat entry = perfetto_flat(wire_inside(&field));
		const struct gpu_spec spec = { text_or(&entry, NAME, ""), entry.numbers[DIRECTION] == LOOKS_AHEAD };
		is_done = learn_gpu_counter(readings, gpu_id(descriptor_number, entry.numbers[ID]), &spec);
	}
	return is_done;
}

/* A descriptor that is interned names the GPU, and counters by ids that are its own. */
struct gpu_descriptor {
	uint32_t number; /* of its key */
	uint32_t gpu;
	bool has_gpu;
	/* What it was learned from: texts of one generation lie at different addresses. */
	uint32_t generation;
	const char *bytes;
};

static bool learn_gpu_descriptor(struct perfetto_readings *readings, struct gpu_descriptor *descriptor,
				 struct wire_message message)
{
	enum { DESCRIPTOR = 2, GPU = 3 };
	const struct perfetto_flat entry = perfetto_flat(message);
	struct wire_field field;
	bool is_done = true;
	while (is_done && wire_next(&message, &field))
		if (field.number == DESCRIPTOR)
			is_done = learn_gpu_counters(readings, descriptor->number, wire_inside(&field));
	descriptor->has_gpu = perfetto_flat_has(&entry, GPU);
	descriptor->gpu = (uint32_t)entry.numbers[GPU];
	return is_done;
}

/* Returns NULL if memory runs out.  It is read once, however many events refer to it. */
static const struct gpu_descriptor *gpu_descriptor(struct reading_of *of, uint64_t iid,
						   const struct perfetto_text *text)
{
	struct perfetto_readings *readings = of->readings;
	const uint32_t number = gpu_number(readings, OF_DESCRIPTOR, iid, of->sequence->id, 0);
	if (number == INTERN_NONE)
		return NULL;
	struct gpu_descriptor *descriptor = id_map_find_again(&readings->gpu_descriptors, number);
	if (descriptor == NULL) {
		descriptor = arena_allocate(&readings->memory, sizeof(*descriptor), alignof(struct gpu_descriptor));
		if (descriptor == NULL || !id_map_add(&readings->gpu_descriptors, number, descriptor))
			return NULL;
		*descriptor = (struct gpu_descriptor){ .number = number };
	}
	if (descriptor->bytes == text->bytes && descriptor->generation == of->sequence->generation)
		return descriptor;
	descriptor->bytes = text->bytes;
	descriptor->generation = of->sequence->generation;
	return learn_gpu_descriptor(readings, descriptor, wire_message(text->bytes, text->size)) ? descriptor
												 : NULL;
}

/* Returns false if memory runs out. */
static bool find_gpu(struct reading_of *of, const struct perfetto_flat *entry, struct gpu_source *source)
{
	enum { GPU = 3, INTERNED = 4 };
	const struct perfetto_text *known = NULL;
	*source = (struct gpu_source){ .gpu = (uint32_t)entry->numbers[GPU] };
	if (perfetto_flat_has(entry, INTERNED))
		known = perfetto_interned_find(&of->sequence->interned, PERFETTO_GPU_DESCRIPTORS,
					       entry->numbers[INTERNED]);
	if (known == NULL) {
		source->descriptor = source->counters = gpu_number(of->readings, IN_EVENTS, 0, 0, source->gpu);
		return source->descriptor != INTERN_NONE;
	}
	const struct gpu_descriptor *descriptor = gpu_descriptor(of, entry->numbers[INTERNED], known);
	if (descriptor == NULL)
		return false;
	source->descriptor = descriptor->number;
	source->gpu = descriptor->has_gpu ? descriptor->gpu : source->gpu;
	source->counters =
		gpu_number(of->readings, GPU_OF_INTERNED, entry->numbers[INTERNED], of->sequence->id, source->gpu);
	return source->counters != INTERN_NONE;
}

static void add_gpu_value(struct reading_of *of, const struct gpu_counter *counter)
{
	const struct gpu_spec *spec = id_map_find_again(&of->readings->gpu_specs, counter->spec);
	char name[NAME_SIZE], text[NAME_SIZE];
	snprintf(text, sizeof(text), "%" PRIu32, (uint32_t)counter->spec);
	add_value(of, name_of_gpu(counter->gpu, name),
		  spec != NULL && spec->name.size > 0 ? spec->name : text_of(text), counter->value);
}

static void read_gpu_sample(struct reading_of *of, const struct gpu_source *source, histree_time time,
			    const struct perfetto_flat *sample)
{
	enum { ID = 1, INTEGER = 2, REAL = 3 };
	struct gpu_counter *counter = gpu_counter(of->readings, source, sample->numbers[ID]);
	if (counter == NULL)
		no_memory(of);
	if (counter == NULL || (!perfetto_flat_has(sample, REAL) && !perfetto_flat_has(sample, INTEGER)))
		return;
	const struct gpu_spec *spec = id_map_find_again(&of->readings->gpu_specs, counter->spec);
	const bool looks_ahead = spec != NULL && spec->looks_ahead;
	const bool looks_back = counter->is_known && !looks_ahead && time != PACKED_NO_TIME;
	of->time = looks_back ? counter->last : time;
	counter->is_behind |= looks_back;
	counter->value = perfetto_flat_has(sample, REAL) ? packed_real(wire_real(sample->numbers[REAL]))
							 : packed_int((int64_t)sample->numbers[INTEGER]);
	add_gpu_value(of, counter);
	counter->is_known |= time != PACKED_NO_TIME;
	counter->last = time != PACKED_NO_TIME ? time : counter->last;
}

/* protos/perfetto/trace/gpu/gpu_counter_event.proto */
static void read_gpu_counters(struct reading_of *of, struct wire_message message)
{
	enum { DESCRIPTOR = 1, COUNTERS = 2 };
	const struct perfetto_flat entry = perfetto_flat(message);
	const histree_time time = of->time;
	struct gpu_source source;
	struct wire_field field;
	if (!find_gpu(of, &entry, &source)) {
		no_memory(of);
		return;
	}
	while (wire_next(&message, &field)) {
		if (field.number == DESCRIPTOR &&
		    !learn_gpu_counters(of->readings, source.descriptor, wire_inside(&field)))
			no_memory(of);
		if (field.number != COUNTERS)
			continue;
		const struct perfetto_flat sample = perfetto_flat(wire_inside(&field));
		read_gpu_sample(of, &source, time, &sample);
	}
}

enum histree_status perfetto_readings_end(struct perfetto_readings *readings, struct histree_error *error)
{
	struct reading_of of = { .readings = readings, .error = error, .status = HISTREE_OK, .pid = -1 };
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&readings->gpu_counters, &at)) != NULL;) {
		const struct gpu_counter *counter = entry->record;
		of.time = counter->last;
		if (counter->is_behind)
			add_gpu_value(&of, counter);
	}
	return of.status;
}

/* protos/perfetto/trace/gpu/gpu_mem_event.proto: of a process, or of all */
static void read_gpu_memory(struct reading_of *of, struct wire_message message)
{
	enum { GPU = 1, PID = 2, SIZE = 3 };
	const struct perfetto_flat entry = perfetto_flat(message);
	char name[NAME_SIZE];
	snprintf(name, sizeof(name), "GPU %" PRIu32 " memory", (uint32_t)entry.numbers[GPU]);
	of->pid = entry.numbers[PID] != 0 ? (int64_t)(int32_t)entry.numbers[PID] : -1;
	add_number(of, text_of(name), text_of(""), entry.numbers[SIZE]);
}

static struct perfetto_text interned_or_number(struct perfetto_sequence *sequence, enum perfetto_table table,
					       uint64_t number, const char *what, char text[static NAME_SIZE])
{
	const struct perfetto_text *known = perfetto_interned_find(&sequence->interned, table, number);
	if (known != NULL && known->size > 0)
		return *known;
	snprintf(text, NAME_SIZE, "%s %" PRIu64, what, number);
	return text_of(text);
}

/* protos/perfetto/trace/gpu/gpu_render_stage_event.proto: a queue of a GPU is a track */
static void read_gpu_stage(struct reading_of *of, struct wire_message message)
{
	enum {
		DURATION = 2,
		OLD_QUEUE = 3,
		OLD_STAGE = 4,
		OLD_SPECIFICATIONS = 7,
		GPU = 11,
		QUEUE = 13,
		STAGE = 14,
		NAME = 17,
		NAME_NUMBER = 20
	};
	const struct perfetto_flat entry = perfetto_flat(message);
	const uint32_t queue_field = perfetto_flat_has(&entry, QUEUE) ? QUEUE : OLD_QUEUE;
	const uint32_t stage_field = perfetto_flat_has(&entry, STAGE) ? STAGE : OLD_STAGE;
	const uint64_t queue = entry.numbers[queue_field], gpu = entry.numbers[GPU];
	const struct name_key key = { QUEUES, gpu, queue };
	char track[NAME_SIZE], text[NAME_SIZE], row[NAME_SIZE];
	if (perfetto_flat_has(&entry, OLD_SPECIFICATIONS) && !perfetto_flat_has(&entry, DURATION) &&
	    !perfetto_flat_has(&entry, queue_field))
		return;
	snprintf(track, sizeof(track), "gpu:%" PRIu64 ":%" PRIu64, gpu, queue);
	struct packed_cell cells[TRACK_FIELD_COUNT] = { [TRACK_TRACK] = packed_text(track, strlen(track)) };
	const struct perfetto_text of_queue =
		interned_or_number(of->sequence, PERFETTO_GPU_SPECIFICATIONS, queue, "queue", text);
	snprintf(row, sizeof(row), "GPU %" PRIu64 " %.*s", gpu, clip(of_queue), of_queue.bytes);
	if (find_name(of->readings, key) == NULL) {
		struct reading_of naming = *of;
		naming.time = PACKED_NO_TIME;
		cells[TRACK_NAME] = packed_text(row, strlen(row));
		add_event(&naming, TRACK_TRACK_NAME, cells);
		of->status = naming.status;
		if (!learn_name(of->readings, key, text_of(row)))
			no_memory(of);
	}
	struct perfetto_text name = interned_or_number(of->sequence, PERFETTO_GPU_SPECIFICATIONS,
						       entry.numbers[stage_field], "stage", text);
	if (perfetto_flat_has(&entry, NAME_NUMBER))
		name = interned_or_number(of->sequence, PERFETTO_EVENT_NAMES, entry.numbers[NAME_NUMBER], "stage",
					  text);
	name = entry.texts[NAME].size > 0 ? entry.texts[NAME] : name;
	cells[TRACK_NAME] = packed_text(name.bytes, name.size);
	if (perfetto_flat_has(&entry, DURATION) && entry.numbers[DURATION] <= INT64_MAX)
		cells[TRACK_DURATION] = packed_int((int64_t)entry.numbers[DURATION]);
	add_event(of, perfetto_flat_has(&entry, DURATION) ? TRACK_SPAN : TRACK_INSTANT, cells);
}

/* ---- logs ---------------------------------------------------------------------------------------------------- */

/* protos/perfetto/trace/android/android_log.proto; its clock is that of the day. */
static void read_line(struct reading_of *of, const struct perfetto_flat *line)
{
	enum { PID = 2, TID = 3, TIME = 5, TAG = 6, PRIORITY = 7, MESSAGE = 8 };
	static const char *const priorities[] = { "unknown", "default", "verbose", "debug", "info",
						  "warning", "error",   "fatal",   "silent" };
	const struct perfetto_clocks *clocks = of->readings->clocks;
	struct packed_parts *args = &of->readings->args;
	struct packed_cell cells[TRACK_FIELD_COUNT] = { { .kind = PACKED_ABSENT } };
	uint64_t trace;
	if (!perfetto_clocks_convert(clocks, PERFETTO_CLOCK_REALTIME, line->numbers[TIME], &trace) ||
	    !perfetto_clocks_time(clocks, trace, &of->time))
		of->time = PACKED_NO_TIME;
	const struct perfetto_text tag = text_or(line, TAG, "log"), message = text_or(line, MESSAGE, "");
	cells[TRACK_NAME] = packed_text(tag.bytes, tag.size);
	cells[TRACK_CATEGORY] = packed_text("log", strlen("log"));
	if (perfetto_flat_has(line, PID))
		cells[TRACK_PID] = packed_int((int32_t)line->numbers[PID]);
	if (perfetto_flat_has(line, PID) && perfetto_flat_has(line, TID))
		cells[TRACK_TID] = packed_int((int32_t)line->numbers[TID]);
	packed_parts_clear(args);
	packed_parts_open(args, EVENT_STRUCTURE, NULL, 0);
	if (line->numbers[PRIORITY] < sizeof(priorities) / sizeof(priorities[0]) &&
	    perfetto_flat_has(line, PRIORITY)) {
		const char *priority = priorities[line->numbers[PRIORITY]];
		packed_parts_text(args, "priority", strlen("priority"), priority, strlen(priority));
	}
	packed_parts_text(args, "message", strlen("message"), message.bytes, message.size);
	packed_parts_close(args);
	if (args->has_failed)
		no_memory(of);
	cells[TRACK_ARGS] = packed_value(args);
	add_event(of, TRACK_INSTANT, cells);
}

static void read_log(struct reading_of *of, struct wire_message message)
{
	enum { EVENTS = 1 };
	struct wire_field field;
	while (wire_next(&message, &field)) {
		if (field.number != EVENTS)
			continue;
		const struct perfetto_flat line = perfetto_flat(wire_inside(&field));
		read_line(of, &line);
	}
}

/* ---- frames -------------------------------------------------------------------------------------------------- */

/* protos/perfetto/trace/android/frame_timeline_event.proto */
enum { EXPECTED_DISPLAY = 1, ACTUAL_DISPLAY, EXPECTED_SURFACE, ACTUAL_SURFACE, FRAME_END };

static bool is_surface(uint32_t kind)
{
	return kind == EXPECTED_SURFACE || kind == ACTUAL_SURFACE;
}

static int64_t pid_of_frame(uint32_t kind, const struct perfetto_flat *frame)
{
	const uint32_t field = is_surface(kind) ? 4 : 3;
	return perfetto_flat_has(frame, field) ? (int32_t)frame->numbers[field] : -1;
}

static void put_words(struct packed_parts *args, const char *name, uint64_t bits, const char *const *words,
		      size_t count)
{
	char text[NAME_SIZE] = "";
	size_t size = 0;
	for (size_t i = 0; i < count; i++)
		if ((bits >> i & 1) != 0 && size < sizeof(text))
			size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%s", size > 0 ? ", " : "",
						 words[i]);
	if (size > 0)
		packed_parts_text(args, name, strlen(name), text, strlen(text));
}

static void put_frame(struct packed_parts *args, uint32_t kind, const struct perfetto_flat *frame)
{
	enum { TOKEN = 2, DISPLAY_TOKEN = 3, LAYER = 5 };
	static const char *const janks[] = { "none",
					     "SurfaceFlinger scheduling",
					     "prediction error",
					     "display HAL",
					     "SurfaceFlinger CPU deadline missed",
					     "SurfaceFlinger GPU deadline missed",
					     "app deadline missed",
					     "buffer stuffing",
					     "unknown",
					     "SurfaceFlinger stuffing",
					     "dropped" };
	static const char *const presents[] = { "on time", "late", "early", "dropped", "unknown" };
	const uint32_t present = kind == ACTUAL_SURFACE ? 6 : 4, jank = kind == ACTUAL_SURFACE ? 9 : 7;
	packed_parts_clear(args);
	packed_parts_open(args, EVENT_STRUCTURE, NULL, 0);
	packed_parts_int(args, "token", strlen("token"), (int64_t)frame->numbers[TOKEN]);
	if (is_surface(kind) && perfetto_flat_has(frame, DISPLAY_TOKEN))
		packed_parts_int(args, "display_token", strlen("display_token"),
				 (int64_t)frame->numbers[DISPLAY_TOKEN]);
	if (is_surface(kind) && frame->texts[LAYER].size > 0)
		packed_parts_text(args, "layer", strlen("layer"), frame->texts[LAYER].bytes,
				  frame->texts[LAYER].size);
	if (kind == ACTUAL_DISPLAY || kind == ACTUAL_SURFACE) {
		const uint64_t shown = frame->numbers[present];
		put_words(args, "present", shown > 0 && shown < 32 ? UINT64_C(1) << (shown - 1) : 0,
			  LIST(presents));
		put_words(args, "jank", frame->numbers[jank], LIST(janks));
	}
	packed_parts_close(args);
}

/* A frame and its end have a cookie that no other frame has. */
static void read_frame(struct reading_of *of, struct wire_message message)
{
	enum { COOKIE = 1 };
	static const char *const names[] = { [EXPECTED_DISPLAY] = "expected display frame",
					     [ACTUAL_DISPLAY] = "actual display frame",
					     [EXPECTED_SURFACE] = "expected frame",
					     [ACTUAL_SURFACE] = "actual frame" };
	struct wire_field field;
	char track[NAME_SIZE];
	while (wire_next(&message, &field)) {
		if (field.number < EXPECTED_DISPLAY || field.number > FRAME_END || field.bytes == NULL)
			continue;
		const struct perfetto_flat frame = perfetto_flat(wire_inside(&field));
		snprintf(track, sizeof(track), "frame:%" PRId64, (int64_t)frame.numbers[COOKIE]);
		struct packed_cell cells[TRACK_FIELD_COUNT] = { [TRACK_TRACK] = packed_text(track, strlen(track)) };
		if (field.number == FRAME_END) {
			add_event(of, TRACK_SPAN_END, cells);
			continue;
		}
		const int64_t pid = pid_of_frame(field.number, &frame);
		if (pid >= 0)
			cells[TRACK_PID] = packed_int(pid);
		cells[TRACK_NAME] = packed_text(names[field.number], strlen(names[field.number]));
		put_frame(&of->readings->args, field.number, &frame);
		if (of->readings->args.has_failed)
			no_memory(of);
		cells[TRACK_ARGS] = packed_value(&of->readings->args);
		add_event(of, TRACK_SPAN_BEGIN, cells);
	}
}

/* ---- packets ------------------------------------------------------------------------------------------------- */

typedef void read_function(struct reading_of *of, struct wire_message message);

static read_function *const readers[] = {
	[PERFETTO_SYS_STATS] = read_system,      [PERFETTO_PROCESS_STATS] = read_processes,
	[PERFETTO_BATTERY] = read_battery,       [PERFETTO_ANDROID_LOG] = read_log,
	[PERFETTO_POWER_RAILS] = read_rails,     [PERFETTO_GPU_COUNTERS] = read_gpu_counters,
	[PERFETTO_GPU_STAGE] = read_gpu_stage,   [PERFETTO_GPU_MEMORY] = read_gpu_memory,
	[PERFETTO_FRAME_TIMELINE] = read_frame,  [PERFETTO_ENERGY] = read_energy,
	[PERFETTO_RESIDENCY] = read_residencies,
};

bool perfetto_readings_are(enum perfetto_data data)
{
	return (size_t)data < sizeof(readers) / sizeof(readers[0]) && readers[data] != NULL;
}

static bool add_owner(struct id_map *owners, int64_t pid, void *mark)
{
	return pid < 0 || id_map_find(owners, (uint64_t)pid) != NULL || id_map_add(owners, (uint64_t)pid, mark);
}

bool perfetto_readings_owners(const struct perfetto_packet *packet, struct id_map *owners, void *mark)
{
	enum { LINE = 1, LINE_PID = 2, MEMORY_PID = 2 };
	struct wire_message message = packet->content;
	struct wire_field field;
	bool is_done = true;
	while (is_done && wire_next(&message, &field)) {
		const struct perfetto_flat entry = perfetto_flat(wire_inside(&field));
		if (packet->data == PERFETTO_PROCESS_STATS && field.number == STATS_PROCESS)
			is_done = add_owner(owners, (int32_t)entry.numbers[STATS_PID], mark);
		else if (packet->data == PERFETTO_ANDROID_LOG && field.number == LINE)
			is_done = add_owner(owners, (int32_t)entry.numbers[LINE_PID], mark);
		else if (packet->data == PERFETTO_FRAME_TIMELINE && field.number < FRAME_END)
			is_done = add_owner(owners, pid_of_frame(field.number, &entry), mark);
		else if (packet->data == PERFETTO_GPU_MEMORY && field.number == MEMORY_PID)
			is_done = add_owner(owners, (int32_t)field.value, mark);
	}
	return is_done;
}

enum histree_status perfetto_readings_read(struct perfetto_readings *readings, struct perfetto_sequence *sequence,
					   const struct perfetto_packet *packet, histree_time time,
					   struct histree_error *error)
{
	struct reading_of of = { .readings = readings,
				 .sequence = sequence,
				 .time = time,
				 .error = error,
				 .status = HISTREE_OK,
				 .pid = -1 };
	assert(perfetto_readings_are(packet->data));
	readers[packet->data](&of, packet->content);
	return of.status;
}

void perfetto_readings_release(struct perfetto_readings *readings)
{
	id_map_release(&readings->names);
	id_map_release(&readings->gpu_counters);
	id_map_release(&readings->gpu_specs);
	id_map_release(&readings->gpu_descriptors);
	intern_release(&readings->texts);
	intern_release(&readings->gpu_keys);
	intern_release(&readings->name_keys);
	arena_release(&readings->memory);
	packed_parts_release(&readings->args);
}
