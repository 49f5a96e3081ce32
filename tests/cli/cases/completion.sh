# The script that is printed completes verbs, options, choices and paths.
source <(histree completion bash)
offer() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_histree
	echo "$*: ${COMPREPLY[*]}"
}
mkdir a.histree
offer histree ''
offer histree sta
offer histree states --f
offer histree build -t r
offer histree build --variant = e
offer histree build --variant =
offer histree build --fan-out ''
offer histree build --progress ''
offer histree info --attributes --format j
offer histree info -a kernel-
offer histree info a.
offer histree copy --output ''
offer histree build -a kernel,
offer histree build -a kernel,system-calls,segm
offer histree info --attributes "$STORE" Thr
offer histree info --attributes "$STORE" CPUs/1/C
offer histree states "$STORE" --at +1ms CPUs/1/C
offer histree info --attributes a.
offer histree completion ''
offer histree help v
offer histree info --analyses ''
complete -p histree
# After the store: the analyses that can be added to it, or those whose segments it has.
histree build -q -a kernel,futex,graph -o some "$DATA/demo-trace"
mkdir nothing-there
offer histree add so
offer histree add some fu
offer histree add some ker
offer histree add some futex sys
offer histree add nothing-there kernel-t
offer histree segments some ''
offer histree segments --by name some f
offer histree segments --histogram nothing-there ''
