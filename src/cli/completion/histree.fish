# fish completion for histree; made by 'histree completion fish'

# whether the verb is this one; without an argument, whether there is none yet
function __histree_verb
	set -l words (commandline -opc)
	test "$words[2]" = "$argv[1]"
end

# words with commas between them
function __histree_list
	set -l word (commandline -ct | string replace -r '^--[^=]*=' '')
	set -l head (string replace -r '[^,]*$' '' -- "$word")
	for name in $argv
		echo $head$name
	end
end

# the store, and after it the paths of its attributes
function __histree_attributes
	for word in (commandline -opc)[3..-1]
		if test -d $word
			histree info --attributes --format tsv $word (commandline -ct)'*' 2>/dev/null |
				sed 1d | cut -f 2 | head -n 500
			return
		end
	end
	__fish_complete_path (commandline -ct)
end

# the store, and after it the analyses that are given and that it has not, or else its segments
function __histree_analyses
	for word in (commandline -opc)[3..-1]
		test -d $word; or continue
		set -l segments
		set -l there
		for file in $word/*.seg $word/hosts/*/*.seg
			set -a segments (string replace -r '.*/(.*)\.seg' '$1' $file)
		end
		for file in $word/*.sht $word/hosts/*/*.sht
			set -a there (string replace -r '.*/(.*)\.sht' '$1' $file)
		end
		set -q argv[1]; or string join \n $segments
		for name in $argv
			contains -- $name $segments $there; or echo $name
		end
		return
	end
	__fish_complete_path (commandline -ct)
end

complete -c histree -f
complete -c histree -n '__histree_verb' -l help -d 'print a help text'
complete -c histree -n '__histree_verb' -l version -d 'print the version'
@@words@@
