/* SPDX-License-Identifier: MIT */
/*
 * histree.h - the whole of libhistree.
 *
 *	status.h	statuses and errors
 *	value.h		times, quarks, values, intervals
 *	attributes.h	the attribute tree
 *	state_system.h	build a history from state changes
 *	history.h	open a finished history
 *	query.h		single, full, range and 2D queries
 *	store.h		the folder that a build makes
 *	build.h		from a trace to a store
 *	repair.h	from a damaged store to a sound one
 */
#ifndef HISTREE_HISTREE_H
#define HISTREE_HISTREE_H

#include "attributes.h"
#include "build.h"
#include "history.h"
#include "query.h"
#include "repair.h"
#include "state_system.h"
#include "status.h"
#include "store.h"
#include "value.h"

#endif
