// SPDX-License-Identifier: MIT
/*
 * style.c - how arrows are drawn.  The styles of states are labels of the history (histree/labels.h).
 */
#include "histree/arrows.h"

#define ORANGE 0xdd6b1f, 0xf08a3c
#define BLUE 0x2a6cb8, 0x5c9df0
#define PURPLE 0xa8408c, 0xd879bb
#define GREY 0x99a1ac, 0x79828f
#define INK 0x2b323b, 0xe3e8ee /* over bars of any colour, as spans are */

static const struct histree_style arrow_styles[HISTREE_ARROW_KIND_COUNT] = {
	[HISTREE_ARROW_SWITCH] = { "CPU transition", "next on the CPU", GREY, 0.1 },
	[HISTREE_ARROW_FORK] = { "Fork", "fork", ORANGE, 0.1 },
	[HISTREE_ARROW_WAKEUP] = { "Wake-up", "wake-up", BLUE, 0.1 },
	[HISTREE_ARROW_MIGRATION] = { "CPU migration", "went on on another CPU", PURPLE, 0.1 },
	[HISTREE_ARROW_FLOW] = { "Flow", "flow", INK, 0.1 },
	[HISTREE_ARROW_PACKET] = { "Packet", "packet", PURPLE, 0.1 },
};

const struct histree_style *histree_arrow_style(enum histree_arrow_kind kind)
{
	return &arrow_styles[kind];
}

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
