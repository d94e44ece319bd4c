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

complete -c sluice -n __sluice_has_none -a serve -d 'The service'
complete -c sluice -n __sluice_has_none -a check -d 'Whether a server lets a request pass'
complete -c sluice -n __sluice_has_none -a peek -d 'Whether a server would let a request pass'
complete -c sluice -n __sluice_has_none -a refund -d 'Give back what a request cost'
complete -c sluice -n __sluice_has_none -a reset -d 'Forget what the keys of a request used'
complete -c sluice -n __sluice_has_none -a bench -d 'How many requests a server answers'
complete -c sluice -n __sluice_has_none -a doctor -d 'Whether a store is fit to keep states'
complete -c sluice -n __sluice_has_none -a simulate -d 'What a limit would have done'
complete -c sluice -n __sluice_has_none -a rules -d 'What rule files say'
complete -c sluice -n __sluice_has_none -a explain -d 'What the rules make of a request'
complete -c sluice -n __sluice_has_none -a help -d 'The help of a command'
complete -c sluice -n __sluice_has_none -l version -d 'The version'
complete -c sluice -n 'not __sluice_is help' -l help -d 'The help of the command'

complete -c sluice -n '__sluice_is serve' -l settings -rF -d 'A file of settings'
complete -c sluice -n '__sluice_is serve' -l rules -rF -d 'A rule file, or a directory of them'
complete -c sluice -n '__sluice_is serve' -l listen -x -d 'Where requests are served'
complete -c sluice -n '__sluice_is serve' -l proxy-protocol -a 'true false' \
    -d 'Connections begin with a PROXY header'
complete -c sluice -n '__sluice_is serve' -l core-dumps -a 'true false' \
    -d 'Let the system write core dumps'
complete -c sluice -n '__sluice_is serve' -l trusted-proxies -x -d 'Whose forwarding headers count'
complete -c sluice -n '__sluice_is serve' -l client-header -x -a 'either x-forwarded-for forwarded' \
    -d 'Header that names the client'
complete -c sluice -n '__sluice_is serve' -l unknown-domain -x -a 'pass refuse' \
    -d 'Requests for a domain without rules'
complete -c sluice -n '__sluice_is serve' -l admin -x -d 'Where health and metrics are served'
complete -c sluice -n '__sluice_is serve' -l admin-token -x \
    -d 'What callers of the admin address must show'
complete -c sluice -n '__sluice_is serve' -l admin-token-file -rF \
    -d 'A file that holds the admin token'
complete -c sluice -n '__sluice_is serve' -l admin-client-names -x \
    -d 'Names that certificates of operators must have'
complete -c sluice -n '__sluice_is serve' -l tls-certificate -rF -d 'Certificate chain in PEM'
complete -c sluice -n '__sluice_is serve' -l tls-key -rF -d 'Private key of the certificate in PEM'
complete -c sluice -n '__sluice_is serve' -l tls-client-ca -rF \
    -d 'Authorities of certificates of clients'
complete -c sluice -n '__sluice_is serve' -l tls-client-crl -rF \
    -d 'Lists of revoked certificates of clients'
complete -c sluice -n '__sluice_is serve' -l tls-clients -x -a 'required optional' \
    -d 'Whether a client must show a certificate'
complete -c sluice -n '__sluice_is serve' -l tls-client-names -x \
    -d 'Names that certificates of clients must have'
complete -c sluice -n '__sluice_is serve' -l tls-min-version -x -a 'TLSv1.2 TLSv1.3' \
    -d 'Oldest version of TLS'
complete -c sluice -n '__sluice_is serve' -l callers-loopback -f \
    -d 'Callers over TCP loopback may lift limits'
complete -c sluice -n '__sluice_is serve' -l callers-names -x \
    -d 'Names in certificates that may lift limits'
complete -c sluice -n '__sluice_is serve' -l callers-token -x \
    -d 'A token with which a caller may lift limits'
complete -c sluice -n '__sluice_is serve' -l callers-token-file -rF \
    -d 'A file that holds the token of callers'
complete -c sluice -n '__sluice_is serve' -l callers-uids -x \
    -d 'Users that may lift limits over a Unix socket'
complete -c sluice -n '__sluice_is serve' -l store -x -d 'Where state is kept'
complete -c sluice -n '__sluice_is serve' -l store-password -x -d 'Password of the store'
complete -c sluice -n '__sluice_is serve' -l store-password-file -rF \
    -d 'A file that holds the password of the store'
complete -c sluice -n '__sluice_is serve' -l memory -x -d 'Most memory for states'
complete -c sluice -n '__sluice_is serve' -l store-cache-percent -x \
    -d 'Percent of the memory for leases, eventual counts and refusals'
complete -c sluice -n '__sluice_is serve' -l store-lease-keys -x -d 'Maximum number of leased keys'
complete -c sluice -n '__sluice_is serve' -l store-eventual-keys -x \
    -d 'Maximum number of keys with eventual counts'
complete -c sluice -n '__sluice_is serve' -l store-deny-cache-keys -x \
    -d 'Maximum number of keys whose refusals are remembered'
complete -c sluice -n '__sluice_is serve' -l store-snapshot -rF \
    -d 'File that keeps states over a restart'
complete -c sluice -n '__sluice_is serve' -l store-deadline -x -d 'How long a remote store may take'
complete -c sluice -n '__sluice_is serve' -l store-sync-interval -x \
    -d 'How often eventual counts are pushed and pulled'
complete -c sluice -n '__sluice_is serve' -l store-key-secret -x \
    -d 'What keys in Redis are hashed under'
complete -c sluice -n '__sluice_is serve' -l store-key-secret-file -rF \
    -d 'A file that holds the secret of keys'
complete -c sluice -n '__sluice_is serve' -l store-key-prefix -x \
    -d 'What all keys in Redis begin with'
complete -c sluice -n '__sluice_is serve' -l store-nodes -x \
    -d 'How many nodes share the limits, until they are counted'
complete -c sluice -n '__sluice_is serve' -l store-nodes-file -rF \
    -d 'File that keeps how many nodes there were'
complete -c sluice -n '__sluice_is serve' -l bounds-connections -x -d 'Open connections'
complete -c sluice -n '__sluice_is serve' -l bounds-connection-requests -x \
    -d 'Requests in flight on one connection'
complete -c sluice -n '__sluice_is serve' -l bounds-streams -x -d 'HTTP/2 streams on one connection'
complete -c sluice -n '__sluice_is serve' -l bounds-bytes -x -d 'Bytes kept for all connections'
complete -c sluice -n '__sluice_is serve' -l bounds-connection-bytes -x \
    -d 'Bytes buffered for one connection'
complete -c sluice -n '__sluice_is serve' -l bounds-request-bytes -x -d 'Body of one request'
complete -c sluice -n '__sluice_is serve' -l bounds-header-bytes -x -d 'Headers of one request'
complete -c sluice -n '__sluice_is serve' -l bounds-header-fields -x \
    -d 'How many headers one request has'
complete -c sluice -n '__sluice_is serve' -l bounds-checks -x -d 'Checks in one request'
complete -c sluice -n '__sluice_is serve' -l deadlines-idle -x \
    -d 'Connection without a request in flight'
complete -c sluice -n '__sluice_is serve' -l deadlines-header -x -d 'To the end of the headers'
complete -c sluice -n '__sluice_is serve' -l deadlines-body -x -d 'To the end of the body'
complete -c sluice -n '__sluice_is serve' -l deadlines-write -x \
    -d 'Peer that takes less than 1 KiB a second of a reply'
complete -c sluice -n '__sluice_is serve' -l deadlines-age -x \
    -d 'A connection, however busy'
complete -c sluice -n '__sluice_is serve' -l drain-delay -x -d 'How long to serve on after SIGTERM'
complete -c sluice -n '__sluice_is serve' -l drain-deadline -x -d 'From SIGTERM to the end'
complete -c sluice -n '__sluice_is serve' -l headers-profile -x \
    -a 'ietf x-ratelimit envoy github openai none' -d 'Which headers an answer has'
complete -c sluice -n '__sluice_is serve' -l headers-retry-after-jitter -x \
    -d 'Most that is added to Retry-After'
complete -c sluice -n '__sluice_is serve' -l rls-dynamic-metadata -a 'true false' \
    -d 'Metadata in every reply to Envoy'
complete -c sluice -n '__sluice_is serve' -l log-level -x -a 'debug info warning error' \
    -d 'Least important lines that are logged'
complete -c sluice -n '__sluice_is serve' -l log-format -x -a 'auto text json' -d 'Form of the log'

complete -c sluice -n '__sluice_is check' -a 'method= host= path= ip=' -d Attribute
complete -c sluice -n '__sluice_is check' -l server -x -d 'Where the server is'
complete -c sluice -n '__sluice_is check' -l domain -x -d 'The domain of the request'
complete -c sluice -n '__sluice_is check' -l cost -x -d 'Units the request takes'
complete -c sluice -n '__sluice_is check' -l protocol -x -a 'http rls resp' -d 'How to ask'
complete -c sluice -n '__sluice_is check' -l header -x -d 'A header of each request'
complete -c sluice -n '__sluice_is check' -l token-file -r -F -d 'A file that holds a token'
complete -c sluice -n '__sluice_is check' -l timeout -x -d 'How long to wait for an answer'
complete -c sluice -n '__sluice_is check' -s o -x -a 'text json' -d 'Form of the answer'

complete -c sluice -n '__sluice_is peek' -a 'method= host= path= ip=' -d Attribute
complete -c sluice -n '__sluice_is peek' -l server -x -d 'Where the server is'
complete -c sluice -n '__sluice_is peek' -l domain -x -d 'The domain of the request'
complete -c sluice -n '__sluice_is peek' -l cost -x -d 'Units the request takes'
complete -c sluice -n '__sluice_is peek' -l protocol -x -a 'http resp' -d 'How to ask'
complete -c sluice -n '__sluice_is peek' -l header -x -d 'A header of each request'
complete -c sluice -n '__sluice_is peek' -l token-file -r -F -d 'A file that holds a token'
complete -c sluice -n '__sluice_is peek' -l timeout -x -d 'How long to wait for an answer'
complete -c sluice -n '__sluice_is peek' -s o -x -a 'text json' -d 'Form of the answer'

complete -c sluice -n '__sluice_is refund' -a 'method= host= path= ip=' -d Attribute
complete -c sluice -n '__sluice_is refund' -l server -x -d 'Where the server is'
complete -c sluice -n '__sluice_is refund' -l domain -x -d 'The domain of the request'
complete -c sluice -n '__sluice_is refund' -l cost -x -d 'Units the request takes'
complete -c sluice -n '__sluice_is refund' -l protocol -x -a 'http' -d 'How to ask'
complete -c sluice -n '__sluice_is refund' -l header -x -d 'A header of each request'
complete -c sluice -n '__sluice_is refund' -l token-file -r -F -d 'A file that holds a token'
complete -c sluice -n '__sluice_is refund' -l timeout -x -d 'How long to wait for an answer'
complete -c sluice -n '__sluice_is refund' -s o -x -a 'text json' -d 'Form of the answer'

complete -c sluice -n '__sluice_is reset' -a 'method= host= path= ip=' -d Attribute
complete -c sluice -n '__sluice_is reset' -l server -x -d 'Where the server is'
complete -c sluice -n '__sluice_is reset' -l domain -x -d 'The domain of the request'
complete -c sluice -n '__sluice_is reset' -l cost -x -d 'Units the request takes'
complete -c sluice -n '__sluice_is reset' -l protocol -x -a 'http' -d 'How to ask'
complete -c sluice -n '__sluice_is reset' -l header -x -d 'A header of each request'
complete -c sluice -n '__sluice_is reset' -l token-file -r -F -d 'A file that holds a token'
complete -c sluice -n '__sluice_is reset' -l timeout -x -d 'How long to wait for an answer'
complete -c sluice -n '__sluice_is reset' -s o -x -a 'text json' -d 'Form of the answer'

complete -c sluice -n '__sluice_is bench' -l server -x -d 'Where the server is'
complete -c sluice -n '__sluice_is bench' -l protocol -x -a 'http rls resp forward-auth' \
    -d 'What it speaks'
complete -c sluice -n '__sluice_is bench' -l domain -x -d 'The domain of requests'
complete -c sluice -n '__sluice_is bench' -l attribute -x -d 'What is known of a request'
complete -c sluice -n '__sluice_is bench' -l method -x -a 'GET POST' -d 'Method of http'
complete -c sluice -n '__sluice_is bench' -l path -x -d 'Path of http'
complete -c sluice -n '__sluice_is bench' -l command -x -d 'Command of resp'
complete -c sluice -n '__sluice_is bench' -l header -x -d 'A header of each request'
complete -c sluice -n '__sluice_is bench' -l token-file -r -F -d 'A file that holds a token'
complete -c sluice -n '__sluice_is bench' -l keys -x -d 'How many different keys'
complete -c sluice -n '__sluice_is bench' -l distribution -x -a 'uniform zipf hot sequential' \
    -d 'Which keys'
complete -c sluice -n '__sluice_is bench' -l seed -x -d 'Of the choice of keys'
complete -c sluice -n '__sluice_is bench' -l connections -x -d 'How many connections'
complete -c sluice -n '__sluice_is bench' -l streams -x -d 'Calls at a time on each connection'
complete -c sluice -n '__sluice_is bench' -l pipeline -x -d 'Requests at a time on each connection'
complete -c sluice -n '__sluice_is bench' -l threads -x -d 'How many threads'
complete -c sluice -n '__sluice_is bench' -l rate -x -d 'Requests a second, whatever the answers'
complete -c sluice -n '__sluice_is bench' -l duration -x -d 'How long'
complete -c sluice -n '__sluice_is bench' -l requests -x -d 'How many requests'
complete -c sluice -n '__sluice_is bench' -l warm-up -x -d 'How long not to measure at first'
complete -c sluice -n '__sluice_is bench' -l timeout -x -d 'How long a server may leave requests unanswered'
complete -c sluice -n '__sluice_is bench' -l expect -x -d 'What must hold'
complete -c sluice -n '__sluice_is bench' -l progress -d 'A line a second without a terminal too'
complete -c sluice -n '__sluice_is bench' -s o -x -a 'text json' -d 'Form of the report'

complete -c sluice -n '__sluice_is doctor' -l store -x -d 'The store'
complete -c sluice -n '__sluice_is doctor' -l store-password -x -d 'Password of the store'
complete -c sluice -n '__sluice_is doctor' -l store-password-file -rF \
    -d 'A file that holds the password of the store'
complete -c sluice -n '__sluice_is doctor' -l store-deadline -x \
    -d 'Above which latency is a warning'
complete -c sluice -n '__sluice_is doctor' -l settings -rF -d 'A file of settings'
complete -c sluice -n '__sluice_is doctor' -s o -x -a 'text json' -d 'Form of the findings'

complete -c sluice -n '__sluice_is simulate' -l limit -x -a '(__sluice_limit)' -d 'The limit'
complete -c sluice -n '__sluice_is simulate' -l trace -rF -d 'Read the steps from a file'
complete -c sluice -n '__sluice_is simulate' -l plot -rF -d 'Also draw the requests'
complete -c sluice -n '__sluice_is simulate' -l key -x -d 'Whose units are drawn'
complete -c sluice -n '__sluice_is simulate' -l compare -x -a '(__sluice_limit)' \
    -d 'Run the steps through several limits'
complete -c sluice -n '__sluice_is simulate' -s o -x -a 'table json' -d 'Form of the table'

complete -c sluice -n '__sluice_is rules' -a check -d 'What is wrong with rule files'
complete -c sluice -n '__sluice_is rules' -a show -d 'What rule files say'
complete -c sluice -n '__sluice_is rules' -a diff -d 'What changes between two sets of rules'
complete -c sluice -n '__sluice_is rules' -a schema -d 'The JSON Schema of rule files'

complete -c sluice -n '__sluice_is rules check' -F
complete -c sluice -n '__sluice_is rules check' -l strict -d 'Treat warnings as errors'
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

complete -c sluice -n '__sluice_is help' -a 'serve check peek refund reset bench doctor simulate rules explain' -d Command
