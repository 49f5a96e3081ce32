# zsh and fish complete as bash does (completion.sh); where they are not installed, there is nothing to see.
expect() { # SHELL GOT WANTED: says only what differs
	[ "$2" = "$3" ] || echo "$1: got '$2', wanted '$3'"
}
histree completion zsh >zsh.script
histree completion fish >fish.script
mkdir a.histree nothing-there
histree build -q -a kernel,futex,graph -o some "$DATA/demo-trace"

zsh_offer() { # what compadd is told, each time that the line is completed
	zsh -f -c '
		compadd() { while [[ $1 != -- ]]; do shift; done; shift
			local word; for word; do [[ $word == $PREFIX* ]] && print -rn -- "$word "; done; }
		compset() { PREFIX=${PREFIX##$~2}; }
		_files() { print -rn -- "files "; }
		source ./zsh.script
		words=("$@") CURRENT=$# PREFIX=${@[-1]}
		_histree' zsh "$@"
}
if command -v zsh >found; then
	expect zsh "$(zsh_offer histree sta)" 'states '
	expect zsh "$(zsh_offer histree states --fo)" '--format '
	expect zsh "$(zsh_offer histree build -t r)" 'rsht '
	expect zsh "$(zsh_offer histree build --variant=e)" 'esht '
	expect zsh "$(zsh_offer histree build -a kernel,system-c)" 'system-calls '
	expect zsh "$(zsh_offer histree info --attributes "$STORE" CPUs/1/C)" 'CPUs/1/Current_thread '
	expect zsh "$(zsh_offer histree info --attributes a.)" 'files '
	expect zsh "$(zsh_offer histree completion z)" 'zsh '
	expect zsh "$(zsh_offer histree info --analyses a.)" ''
	expect zsh "$(zsh_offer histree add so)" 'files '
	expect zsh "$(zsh_offer histree add some fu)" 'function-calls '
	expect zsh "$(zsh_offer histree add nothing-there fu)" 'futex function-calls '
	expect zsh "$(zsh_offer histree segments --by name some '')" 'futex '
fi

fish_offer() {
	fish --no-config -c 'source ./fish.script; complete -C $argv[1]' "$1" | cut -f 1 | tr '\n' ' '
}
if command -v fish >found; then
	expect fish "$(fish_offer 'histree sta')" 'states '
	expect fish "$(fish_offer 'histree states --fr')" '--from '
	expect fish "$(fish_offer 'histree build -t rs')" 'rsht '
	expect fish "$(fish_offer 'histree build --variant=es')" '--variant=esht '
	expect fish "$(fish_offer 'histree build -a kernel,system-c')" 'kernel,system-calls '
	expect fish "$(fish_offer "histree info --attributes $STORE CPUs/1/C")" 'CPUs/1/Current_thread '
	expect fish "$(fish_offer 'histree completion z')" 'zsh '
	expect fish "$(fish_offer 'histree info --analyses a.')" ''
	expect fish "$(fish_offer 'histree add some fu')" 'function-calls '
	expect fish "$(fish_offer 'histree add nothing-there fut')" 'futex '
	expect fish "$(fish_offer 'histree segments --by name some f')" 'futex '
fi
echo done
