#compdef histree
# zsh completion for histree; made by 'histree completion zsh'

# the store, and after it the paths of its attributes
_histree_attributes()
{
	local at
	local -a found
	for ((at = 3; at < CURRENT; at++)); do
		if [[ -d ${words[at]} ]]; then
			found=(${(f)"$(histree info --attributes --format tsv ${words[at]} "$PREFIX*" \
				2>/dev/null | sed 1d | cut -f 2 | head -n 500)"})
			compadd -- $found
			return
		fi
	done
	_files
}

# the store, and after it the analyses that are given and that it has not, or else its segments
_histree_analyses()
{
	local at file name
	local -a there offered
	for ((at = 3; at < CURRENT; at++)); do
		[[ -d ${words[at]} ]] || continue
		for file in ${words[at]}/{,hosts/*/}*.{seg,sht}(N); do
			there+=(${file:t:r})
			[[ $file == *.seg && $# == 0 ]] && offered+=(${file:t:r})
		done
		for name in "$@"; do
			((${there[(Ie)$name]})) || offered+=($name)
		done
		compadd -- $offered
		return
	done
	_files
}

_histree()
{
	local before=${words[CURRENT-1]} verb=${words[2]}
	if ((CURRENT == 2)); then
		compadd -- @@verbs@@ --help --version
		return
	fi
	if [[ $PREFIX == --*=* ]]; then # --option=word is one word
		before=${PREFIX%%=*}
		compset -P '*='
	fi
	case $verb:$before in
@@arguments@@
	esac
	case $verb:$PREFIX in
@@words@@
	esac
}

# read by 'source', or called as a function that compinit found
if [[ $funcstack[1] == _histree ]]; then
	_histree "$@"
elif ((${+functions[compdef]})); then
	compdef _histree histree
fi
