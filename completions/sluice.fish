# Completion of sluice for fish.
#
# What is completed is compared with `--help` of each command by tests/cli/completions.py.

# The words before the cursor that are no flags; those after `sluice` are the command.
function __sluice_command
    set -l words (commandline -opc)
    set -e words[1]
    switch "$words[1]"
        case rules
            echo rules $words[2]
        case '*'
            echo $words[1]
    end
end

function __sluice_is
    test (__sluice_command | string trim) = "$argv"
end

function __sluice_has_none
    test -z (__sluice_command | string trim)
end

# A limit is free text, but for the name of an algorithm: {"rate":"1/s","algorithm":"sl
function __sluice_limit
    set -l before (commandline -ct | string match -r '.*algorithm\\\\?":\\\\?"')
    or return
    set before (string replace -r '^[\'"]' '' -- $before)
    for algorithm in token_bucket leaky_bucket fixed_window sliding_log sliding_window \
            sliding_buckets pacer concurrency
        echo $before$algorithm'"}'
    end
end

complete -c sluice -f

complete -c sluice -n __sluice_has_none -a simulate -d 'What a limit would have done'
complete -c sluice -n __sluice_has_none -a rules -d 'What rule files say'
complete -c sluice -n __sluice_has_none -a explain -d 'What the rules make of a request'
complete -c sluice -n __sluice_has_none -a help -d 'The help of a command'
complete -c sluice -n __sluice_has_none -l version -d 'The version'
complete -c sluice -n 'not __sluice_is help' -l help -d 'The help of the command'

complete -c sluice -n '__sluice_is simulate' -l limit -x -a '(__sluice_limit)' -d 'The limit'
complete -c sluice -n '__sluice_is simulate' -l trace -rF -d 'Read the steps from a file'
complete -c sluice -n '__sluice_is simulate' -l plot -rF -d 'Also draw the requests'
complete -c sluice -n '__sluice_is simulate' -l compare -x -a '(__sluice_limit)' \
    -d 'Run the steps through several limits'
complete -c sluice -n '__sluice_is simulate' -s o -x -a 'table json' -d 'Form of the table'

complete -c sluice -n '__sluice_is rules' -a check -d 'What is wrong with rule files'
complete -c sluice -n '__sluice_is rules' -a show -d 'What rule files say'
complete -c sluice -n '__sluice_is rules' -a diff -d 'What changes between two sets of rules'
complete -c sluice -n '__sluice_is rules' -a schema -d 'The JSON Schema of rule files'

complete -c sluice -n '__sluice_is rules check' -F
complete -c sluice -n '__sluice_is rules check' -s o -x -a 'text json' -d 'Form of the problems'

complete -c sluice -n '__sluice_is rules show' -F
complete -c sluice -n '__sluice_is rules show' -l domain -x -d 'Only this domain'
complete -c sluice -n '__sluice_is rules show' -l rule -x -d 'Only this rule'
complete -c sluice -n '__sluice_is rules show' -s o -x -a 'text json' -d 'Form of the rules'

complete -c sluice -n '__sluice_is rules diff' -F
complete -c sluice -n '__sluice_is rules diff' -s o -x -a 'text json' -d 'Form of the changes'

complete -c sluice -n '__sluice_is explain' -a 'method= host= path= ip=' -d Attribute
complete -c sluice -n '__sluice_is explain' -l rules -rF -d 'A rule file, or a directory of them'
complete -c sluice -n '__sluice_is explain' -l domain -x -d 'The domain of the request'
complete -c sluice -n '__sluice_is explain' -l cost -x -d 'Units the request takes'
complete -c sluice -n '__sluice_is explain' -l profile -x \
    -a 'ietf x-ratelimit envoy github openai none' -d 'Which headers the answer has'
complete -c sluice -n '__sluice_is explain' -s o -x -a 'text json' -d 'Form of the answer'

complete -c sluice -n '__sluice_is help' -a 'simulate rules explain' -d Command
