// SPDX-License-Identifier: MIT
/*
 * program.c - one of two programs that check_programs.py has the symbols of: the same code at the same addresses,
 * where functions are called otherwise.  Nobody runs it.
 */
int first(int) __asm__(FIRST_NAME);
int second(int) __asm__(SECOND_NAME);

__attribute__((noinline)) int first(int number)
{
	return number * 3;
}

__attribute__((noinline)) int second(int number)
{
	return first(number) + 1;
}

int main(int count, char **words)
{
	(void)words;
	return second(count);
}
