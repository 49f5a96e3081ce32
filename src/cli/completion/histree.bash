# bash completion for histree; made by 'histree completion bash'

_histree_offer()
{
	mapfile -t COMPREPLY < <(compgen "$@" -- "$word")
}

# words with commas between them
_histree_list()
{
	local head=
	[[ $word == *,* ]] && head=${word%,*},
	mapfile -t COMPREPLY < <(compgen -P "$head" -W "$1" -- "${word##*,}")
}

# the store, and after it the paths of its attributes
_histree_attributes()
{
	local at
	for ((at = 2; at < COMP_CWORD; at++)); do
		if [[ -d ${COMP_WORDS[at]} ]]; then
			mapfile -t COMPREPLY < <(histree info --attributes --format tsv "${COMP_WORDS[at]}" \
				"$word*" 2>/dev/null |
				sed 1d | cut -f 2 | head -n 500)
			return
		fi
	done
	_histree_offer -f
}

# the store, and after it the analyses of a list that it has not, or without one its segments
_histree_analyses()
{
	local at file name there=' ' offered=
	for ((at = 2; at < COMP_CWORD; at++)); do
		[[ -d ${COMP_WORDS[at]} ]] || continue
		for file in "${COMP_WORDS[at]}"/{,hosts/*/}*.{seg,sht}; do
			name=${file##*/}
			[[ -e $file ]] && there+="${name%.*} "
			[[ -e $file && $name == *.seg && $1 == '' ]] && offered+="${name%.*} "
		done
		for name in $1; do
			[[ $there == *" $name "* ]] || offered+="$name "
		done
		_histree_offer -W "$offered"
		return
	done
	_histree_offer -f
}

_histree()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local verb=${COMP_WORDS[1]}
	if [[ $before == = ]]; then # --option=word comes as three words
		before=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $word == = ]]; then
		word=
	fi
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		_histree_offer -W '@@verbs@@ --help --version'
		return
	fi
	case $verb:$before in
@@arguments@@
	esac
	case $verb:$word in
@@words@@
	esac
}

complete -o filenames -F _histree histree
