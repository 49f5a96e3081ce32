// SPDX-License-Identifier: MIT
/*
 * plugin.c - a library that program.c loads.
 */
static int inner(int number)
{
	return number * 2;
}

int plugin_entry(int count)
{
	int sum = 0;
	for (int i = 0; i < count; i++)
		sum += inner(i);
	return sum;
}
