// SPDX-License-Identifier: MIT
/*
 * program.c - an analysis that is data
 */
#include "analysis/program/program.h"

#include "base/arena.h"
#include "histree/segment.h"
#include "histree/value.h"
