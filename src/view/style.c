// SPDX-License-Identifier: MIT
/*
 * What runs is full and strong, what waits is thin and pale, and those who wait for a CPU, who could run, stand
 * out. Hues are those that people who see red and green alike still tell apart: blue, orange, bluish green, purple
 * and sand also differ in lightness.
 */
#include "base/hash.h"
#include "histree/arrows.h"
#include "view/attribute_names.h"

#define GREEN 0x12936a, 0x35b98c
#define BLUE 0x2a6cb8, 0x5c9df0
#define ORANGE 0xdd6b1f, 0xf08a3c
#define PURPLE 0xa8408c, 0xd879bb
#define SAND 0xe6d193, 0x857441
#define GOLD 0xc49a1a, 0xdfb93f
#define PALE_GOLD 0xeedb9a, 0x8d7a35
#define PALE_ORANGE 0xefb78c, 0xa66a3e
#define GREY 0x99a1ac, 0x79828f
#define PALE_GREY 0xcfd5dc, 0x4d5561
#define SKY 0x6bb3dc, 0x4c93bd
#define INK 0x2b323b, 0xe3e8ee /* over bars of any colour, as spans are */

/*
 * The style of what is lost, damaged or never was recorded; for a thread also of a status that Trace Compass
 * calls so.
 */
#define UNKNOWN                                  \
	{                                        \
		"Unknown", "unknown", GREY, 0.33 \
	}

static const struct histree_style thread_styles[] = {
	UNKNOWN,
	{ "Wait blocked", "blocked", SAND, 0.5 },
	{ "Usermode", "user mode", GREEN, 1 },
	{ "System call", "system call", BLUE, 1 },
	{ "Interrupt", "interrupted", PURPLE, 0.8 },
	{ "Wait for CPU", "waits for a CPU", ORANGE, 0.6 },
	{ "Wait", "waits", PALE_GREY, 0.5 },
	{ "Wait fork", "just made", PALE_ORANGE, 0.5 },
};

static const struct histree_style cpu_styles[] = {
	{ "Idle", "idle", PALE_GREY, 0.5 },        { "Usermode", "user mode", GREEN, 1 },
	{ "System call", "system call", BLUE, 1 }, { "Soft Irq", "softirq", GOLD, 1 },
	{ "Interrupt", "interrupt", PURPLE, 1 },   UNKNOWN,
};

static const struct histree_style irq_styles[] = { { "Interrupt", "interrupt", PURPLE, 1 }, UNKNOWN };

static const struct histree_style soft_irq_styles[] = {
	{ "Soft Irq raised", "softirq raised", PALE_GOLD, 0.6 },
	{ "Soft Irq", "softirq", GOLD, 1 },
	UNKNOWN,
};

static const struct histree_style frequency_styles[] = { { "frequency", "frequency", SKY, 0.7 }, UNKNOWN };

static const struct histree_style arrow_styles[HISTREE_ARROW_KIND_COUNT] = {
	[HISTREE_ARROW_SWITCH] = { "CPU transition", "next on the CPU", GREY, 0.1 },
	[HISTREE_ARROW_FORK] = { "Fork", "fork", ORANGE, 0.1 },
	[HISTREE_ARROW_WAKEUP] = { "Wake-up", "wake-up", BLUE, 0.1 },
	[HISTREE_ARROW_MIGRATION] = { "CPU migration", "went on on another CPU", PURPLE, 0.1 },
	[HISTREE_ARROW_FLOW] = { "Flow", "flow", INK, 0.1 },
};

static const struct histree_style palette[] = {
	{ "colour 1", "colour 1", 0x2a6cb8, 0x5c9df0, 1 },
	{ "colour 2", "colour 2", 0xdd6b1f, 0xf08a3c, 1 },
	{ "colour 3", "colour 3", 0x12936a, 0x35b98c, 1 },
	{ "colour 4", "colour 4", 0xa8408c, 0xd879bb, 1 },
	{ "colour 5", "colour 5", 0xc49a1a, 0xdfb93f, 1 },
	{ "colour 6", "colour 6", 0x5d5bb5, 0x9290e6, 1 },
	{ "colour 7", "colour 7", 0x6bb3dc, 0x4c93bd, 1 },
	{ "colour 8", "colour 8", 0x8c5a3c, 0xb9835f, 1 },
	{ "colour 9", "colour 9", 0x4f9d3f, 0x7cc46b, 1 },
	{ "colour 10", "colour 10", 0xd98aa8, 0xb56a88, 1 },
	{ "colour 11", "colour 11", 0x2c8c99, 0x52b8c4, 1 },
	{ "colour 12", "colour 12", 0x7d8794, 0x9aa4b2, 1 },
	UNKNOWN,
};

enum { PALETTE_COLOURS = sizeof(palette) / sizeof(palette[0]) - 1 };

#define STYLES(array) (array), sizeof(array) / sizeof((array)[0])

static const struct {
	const struct histree_style *styles;
	size_t count;
} tables[HISTREE_MEANING_COUNT] = {
	[HISTREE_MEANS_THREAD_STATUS] = { STYLES(thread_styles) },
	[HISTREE_MEANS_CPU_STATUS] = { STYLES(cpu_styles) },
	[HISTREE_MEANS_TID] = { STYLES(palette) },
	[HISTREE_MEANS_IRQ] = { STYLES(irq_styles) },
	[HISTREE_MEANS_SOFT_IRQ] = { STYLES(soft_irq_styles) },
	[HISTREE_MEANS_FREQUENCY] = { STYLES(frequency_styles) },
	[HISTREE_MEANS_ANYTHING] = { STYLES(palette) },
};

const struct histree_style *histree_styles(enum histree_meaning meaning, size_t *count)
{
	*count = tables[meaning].count;
	return tables[meaning].styles;
}

/* ---- of a value ------------------------------------------------------------------------------------------- */

static const struct histree_style *style_of_cpu(int32_t status)
{
	switch (status) {
	case 0:
		return &cpu_styles[0];
	case 2:
		return &cpu_styles[1];
	case 4:
		return &cpu_styles[2];
	case 8:
		return &cpu_styles[3];
	case 16:
		return &cpu_styles[4];
	default:
		return NULL;
	}
}

static const struct histree_style *style_of_anything(const struct histree_value *value)
{
	uint64_t hash = 0;
	switch (value->type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		return NULL;
	case HISTREE_INT:
		hash = (uint64_t)value->int32;
		break;
	case HISTREE_LONG:
		hash = (uint64_t)value->int64;
		break;
	case HISTREE_DOUBLE:
		hash = hash_bytes(&value->real, sizeof(value->real));
		break;
	case HISTREE_BOOL:
		hash = value->boolean;
		break;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		hash = hash_bytes(value->bytes, value->size);
		break;
	}
	return &palette[hash_mix(hash) % PALETTE_COLOURS];
}

static const struct histree_style *style_of_unknown(enum histree_meaning meaning)
{
	return meaning == HISTREE_MEANS_THREAD_STATUS ? &thread_styles[0]
						      : &tables[meaning].styles[tables[meaning].count - 1];
}

const struct histree_style *histree_style_of(enum histree_meaning meaning, const struct histree_value *value)
{
	bool is_int = value->type == HISTREE_INT;
	if (value->type == HISTREE_NULL)
		return NULL;
	if (value->type == HISTREE_UNKNOWN)
		return style_of_unknown(meaning);
	switch (meaning) {
	case HISTREE_MEANS_THREAD_STATUS:
		if (!is_int || value->int32 < 0 || (size_t)value->int32 >= tables[meaning].count)
			return NULL;
		return &thread_styles[value->int32];
	case HISTREE_MEANS_CPU_STATUS:
		return is_int ? style_of_cpu(value->int32) : NULL;
	case HISTREE_MEANS_TID:
		return is_int && value->int32 == 0 ? NULL : style_of_anything(value); /* 0: no one */
	case HISTREE_MEANS_IRQ:
		return &irq_styles[0];
	case HISTREE_MEANS_SOFT_IRQ:
		return &soft_irq_styles[is_int && value->int32 >= 8];
	case HISTREE_MEANS_FREQUENCY:
		return &frequency_styles[0];
	case HISTREE_MEANS_ANYTHING:
		break;
	}
	return style_of_anything(value);
}

const char *histree_value_words(enum histree_meaning meaning, const struct histree_value *value)
{
	bool is_code = meaning == HISTREE_MEANS_THREAD_STATUS || meaning == HISTREE_MEANS_CPU_STATUS ||
		       meaning == HISTREE_MEANS_SOFT_IRQ;
	const struct histree_style *style =
		is_code && value->type == HISTREE_INT ? histree_style_of(meaning, value) : NULL;
	return style != NULL ? style->name : NULL;
}

/* ---- of an attribute -------------------------------------------------------------------------------------- */

enum histree_meaning histree_resource_meaning(enum histree_resource_kind kind)
{
	switch (kind) {
	case HISTREE_RESOURCE_CPU:
		return HISTREE_MEANS_CPU_STATUS;
	case HISTREE_RESOURCE_CURRENT_THREAD:
		return HISTREE_MEANS_TID;
	case HISTREE_RESOURCE_FREQUENCY:
		return HISTREE_MEANS_FREQUENCY;
	case HISTREE_RESOURCE_IRQ:
		return HISTREE_MEANS_IRQ;
	case HISTREE_RESOURCE_SOFT_IRQ:
		return HISTREE_MEANS_SOFT_IRQ;
	}
	return HISTREE_MEANS_ANYTHING;
}

enum { PATH_LENGTH_MAX = 4 }; /* components */

/* Paths of a kernel history (histree-states(7)): `*` is any name, `0` one of an interrupt, `-` one of a softirq. */
static const struct {
	const char *path[PATH_LENGTH_MAX];
	enum histree_meaning meaning;
} meanings[] = {
	{ { "Threads", "*" }, HISTREE_MEANS_THREAD_STATUS },
	{ { "Threads", "*", "Status" }, HISTREE_MEANS_THREAD_STATUS },
	{ { "CPUs", "*" }, HISTREE_MEANS_CPU_STATUS },
	{ { "CPUs", "*", "Status" }, HISTREE_MEANS_CPU_STATUS },
	{ { "CPUs", "*", "Current_thread" }, HISTREE_MEANS_TID },
	{ { "CPUs", "*", "Frequency" }, HISTREE_MEANS_FREQUENCY },
	{ { "CPUs", "*", "IRQs", "*" }, HISTREE_MEANS_IRQ },
	{ { "CPUs", "*", "Soft_IRQs", "*" }, HISTREE_MEANS_SOFT_IRQ },
	{ { "CPUs", "*", "0" }, HISTREE_MEANS_IRQ },
	{ { "CPUs", "*", "-" }, HISTREE_MEANS_SOFT_IRQ },
	{ { "Interrupts", "0" }, HISTREE_MEANS_IRQ },
	{ { "Interrupts", "-" }, HISTREE_MEANS_SOFT_IRQ },
	{ { "IRQs", "*" }, HISTREE_MEANS_IRQ },
	{ { "Soft_IRQs", "*" }, HISTREE_MEANS_SOFT_IRQ },
};

static bool is_component(const char *name, size_t size, const char *pattern)
{
	int32_t number;
	size_t capacity = ATTRIBUTE_NAME_SIZE - 1, there = size < capacity ? size : capacity;
	if (strcmp(pattern, "*") == 0)
		return true;
	if (strcmp(pattern, "0") != 0 && strcmp(pattern, "-") != 0)
		return attribute_name_is(name, size, pattern);
	bool is_softirq = name[0] == '-' && memchr(name, '/', there) == NULL;
	return leading_number(name, there, &number) > 0 && is_softirq == (pattern[0] == '-');
}

struct component {
	char name[ATTRIBUTE_NAME_SIZE];
	size_t size;
};

/* Whether components, the last one first, are those of a path. */
static bool is_path(const struct component *components, size_t count, const char *const *path)
{
	size_t length = 0;
	while (length < PATH_LENGTH_MAX && path[length] != NULL)
		length++;
	for (size_t i = 0; i < count && length == count; i++)
		if (!is_component(components[i].name, components[i].size, path[length - 1 - i]))
			return false;
	return length == count;
}

/* Other analyses may have attributes with the same paths. */
static bool is_of_kernel(const struct histree_history *history)
{
	const char *provider = histree_history_info(history)->provider;
	return strcmp(provider, "kernel") == 0 || strcmp(provider, "kernel-compact") == 0 ||
	       strcmp(provider, "kernel-tc") == 0 || strcmp(provider, "kernel-2016") == 0;
}

enum histree_meaning histree_meaning_of(const struct histree_history *history, histree_quark quark)
{
	const struct histree_attributes *attributes = histree_history_attributes(history);
	struct component components[PATH_LENGTH_MAX];
	size_t count = 0;
	if (!is_of_kernel(history))
		return HISTREE_MEANS_ANYTHING;
	/* A name costs a search in its section: each is read once, whatever there is to compare it with. */
	for (; quark != HISTREE_ROOT; quark = histree_attributes_parent(attributes, quark)) {
		if (count == PATH_LENGTH_MAX)
			return HISTREE_MEANS_ANYTHING;
		struct component *component = &components[count++];
		component->size =
			histree_attributes_name(attributes, quark, component->name, sizeof(component->name));
	}
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (is_path(components, count, meanings[i].path))
			return meanings[i].meaning;
	return HISTREE_MEANS_ANYTHING;
}

const struct histree_style *histree_arrow_style(enum histree_arrow_kind kind)
{
	return &arrow_styles[kind];
}
