# Completion of sluice for bash. Needs nothing but bash 4.
#
# What is completed is compared with `--help` of each command by tests/cli/completions.py.

_sluice_algorithms='token_bucket leaky_bucket fixed_window sliding_log sliding_window
  sliding_buckets pacer concurrency'

# The settings, in the order of the help.
_sluice_serve_flags='--settings --rules --listen --proxy-protocol --trusted-proxies --core-dumps
  --client-header --unknown-domain
  --admin --admin-token --admin-token-file --admin-client-names --tls-certificate --tls-key
  --tls-client-ca --tls-client-crl --tls-clients
  --tls-client-names --tls-min-version --callers-loopback --callers-names --callers-token
  --callers-token-file --callers-uids --store --store-password --store-password-file --memory
  --store-cache-percent --store-lease-keys --store-eventual-keys --store-deny-cache-keys --store-snapshot
  --store-deadline --store-sync-interval --store-key-secret --store-key-secret-file
  --store-key-prefix --store-nodes --store-nodes-file
  --bounds-connections --bounds-connection-requests --bounds-streams
  --bounds-bytes --bounds-connection-bytes --bounds-request-bytes --bounds-header-bytes
  --bounds-header-fields --bounds-checks --deadlines-idle --deadlines-header --deadlines-body
  --deadlines-write --deadlines-age --drain-delay --drain-deadline --headers-profile --headers-retry-after-jitter
  --rls-dynamic-metadata --log-level --log-format --help'

_sluice_bench_flags='--server --protocol --domain --attribute --method --path --command --header
  --token-file --keys --distribution --seed --connections --streams --pipeline --threads --rate
  --duration --requests --warm-up --timeout --expect --progress -o --help'

# The files and directories that begin with $1.
_sluice_files() {
  compopt -o filenames
  mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

# The words of $1 that begin with $2.
_sluice_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

# A limit is free text, but for the name of an algorithm: {"rate":"1/s","algorithm":"sl. What
# follows it is closed, because bash closes the quotes around it.
_sluice_limit() {
  local line=${COMP_LINE:0:COMP_POINT} word
  [[ $line =~ algorithm[\"\\]*:[\"\\\ ]*([a-z_]*)$ ]] || return
  local typed=${BASH_REMATCH[1]} before=${1#[\'\"]}
  for word in $(compgen -W "$_sluice_algorithms" -- "$typed"); do
    COMPREPLY+=("${before%"$typed"}$word\"}")
  done
}

# What the flag $1 takes, which begins with $2; false where it takes nothing.
_sluice_value() {
  case $command:$1 in
    simulate:-o) _sluice_words 'table json' "$2" ;;
    *:-o) _sluice_words 'text json' "$2" ;;
    simulate:--limit) _sluice_limit "$2" ;;
    simulate:--trace | simulate:--plot | explain:--rules) _sluice_files "$2" ;;
    bench:--token-file | check:--token-file | peek:--token-file | refund:--token-file | \
      reset:--token-file) _sluice_files "$2" ;;
    explain:--profile | serve:--headers-profile)
      _sluice_words 'ietf x-ratelimit envoy github openai none' "$2"
      ;;
    check:--protocol) _sluice_words 'http rls resp' "$2" ;;
    peek:--protocol) _sluice_words 'http resp' "$2" ;;
    refund:--protocol | reset:--protocol) _sluice_words 'http' "$2" ;;
    bench:--protocol) _sluice_words 'http rls resp forward-auth' "$2" ;;
    bench:--distribution) _sluice_words 'uniform zipf hot sequential' "$2" ;;
    bench:--method) _sluice_words 'GET POST' "$2" ;;
    bench:--help | bench:--progress) return 1 ;;
    bench:--*) ;;
    check:--help | peek:--help | refund:--help | reset:--help) return 1 ;;
    check:--* | peek:--* | refund:--* | reset:--*) ;;
    simulate:--key) ;;
    doctor:--settings | doctor:--store-password-file) _sluice_files "$2" ;;
    doctor:--help) return 1 ;;
    doctor:--*) ;;
    explain:--domain | explain:--cost | 'rules show:--domain' | 'rules show:--rule') ;;
    serve:--settings | serve:--rules | serve:--*-file | serve:--store-snapshot | \
      serve:--tls-certificate | serve:--tls-key | serve:--tls-client-ca | \
        serve:--tls-client-crl) _sluice_files "$2" ;;
    serve:--tls-clients) _sluice_words 'required optional' "$2" ;;
    serve:--tls-min-version) _sluice_words 'TLSv1.2 TLSv1.3' "$2" ;;
    serve:--log-level) _sluice_words 'debug info warning error' "$2" ;;
    serve:--client-header) _sluice_words 'either x-forwarded-for forwarded' "$2" ;;
    serve:--unknown-domain) _sluice_words 'pass refuse' "$2" ;;
    serve:--log-format) _sluice_words 'auto text json' "$2" ;;
    serve:--proxy-protocol | serve:--core-dumps | serve:--rls-dynamic-metadata)
      # It may stand alone; a value follows an equals sign.
      [[ -n $equals ]] || return 1
      _sluice_words 'true false' "$2"
      ;;
    serve:--help) return 1 ;;
    serve:--*) ;;
    *) return 1 ;;
  esac
}

# The flags of the command.
_sluice_flags() {
  case $command in
    '') echo --help --version ;;
    serve) echo "$_sluice_serve_flags" ;;
    simulate) echo --limit --trace --plot --key --compare -o --help ;;
    'rules check') echo --strict -o --help ;;
    'rules diff') echo -o --help ;;
    'rules show') echo --domain --rule -o --help ;;
    bench) echo "$_sluice_bench_flags" ;;
    check | peek | refund | reset)
      echo --server --domain --cost --protocol --header --token-file --timeout -o --help
      ;;
    doctor)
      echo --store --store-password --store-password-file --store-deadline --settings -o --help
      ;;
    explain) echo --rules --domain --cost --profile -o --help ;;
    rules | 'rules schema') echo --help ;;
  esac
}

# What the command takes besides flags, which begins with $1.
_sluice_argument() {
  case $command in
    '') _sluice_words 'serve check peek refund reset bench doctor simulate rules explain help' "$1" ;;
    rules) _sluice_words 'check show diff schema' "$1" ;;
    'rules check' | 'rules show' | 'rules diff') _sluice_files "$1" ;;
    help)
      _sluice_words 'serve check peek refund reset bench doctor simulate rules explain' "$1"
      ;;
    simulate) _sluice_limit "$1" ;;
    check | peek | refund | reset | explain)
      compopt -o nospace
      _sluice_words 'method= host= path= ip=' "$1"
      ;;
  esac
}

_sluice() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command= equals=
  COMPREPLY=()
  # --profile=ietf comes as three words.
  if [[ $cur == = ]]; then
    cur= equals=1
  elif [[ $prev == = ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]} equals=1
  fi
  ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}
  if [[ $command == rules ]] && ((COMP_CWORD > 2)); then command="rules ${COMP_WORDS[2]}"; fi

  _sluice_value "$prev" "$cur" && return
  if [[ $cur == -* ]]; then
    _sluice_words "$(_sluice_flags)" "$cur"
  else
    _sluice_argument "$cur"
  fi
}

complete -F _sluice sluice
