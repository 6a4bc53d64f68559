# Completion of dagrad for bash: dagrad completion bash > ~/.local/share/bash-completion/completions/dagrad
_dagrad() {
    local path="" words="" plain="" word i
    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
    for ((i = 1; i < COMP_CWORD; i++)); do
        word="${path:+$path }${COMP_WORDS[i]}"
        case "$word" in
        "check"|"completion"|"explain"|"fit"|"fmt"|"grad"|"memory"|"ops"|"parse"|"repl"|"run"|"sweep"|"test"|"graph"|"graph diff"|"graph dump"|"graph trace") path="$word" ;;
        *) break ;;
        esac
    done
    case "$path:$previous" in
        "check:--color") words="auto always never" ;;
        "check:--error-format") words="full concise json github" ;;
        "explain:--color") words="auto always never" ;;
        "explain:--error-format") words="full concise json github" ;;
        "fit:--color") words="auto always never" ;;
        "fit:--error-format") words="full concise json github" ;;
        "fmt:--color") words="auto always never" ;;
        "fmt:--error-format") words="full concise json github" ;;
        "grad:--format") words="table value json" ;;
        "grad:--color") words="auto always never" ;;
        "grad:--error-format") words="full concise json github" ;;
        "memory:--compare") words="retain_graph" ;;
        "memory:--color") words="auto always never" ;;
        "memory:--error-format") words="full concise json github" ;;
        "ops:--color") words="auto always never" ;;
        "ops:--error-format") words="full concise json github" ;;
        "parse:--color") words="auto always never" ;;
        "parse:--error-format") words="full concise json github" ;;
        "repl:--color") words="auto always never" ;;
        "repl:--error-format") words="full concise json github" ;;
        "run:--color") words="auto always never" ;;
        "run:--error-format") words="full concise json github" ;;
        "sweep:--format") words="jsonl csv" ;;
        "sweep:--color") words="auto always never" ;;
        "sweep:--error-format") words="full concise json github" ;;
        "test:--color") words="auto always never" ;;
        "test:--error-format") words="full concise json github" ;;
        "graph diff:--color") words="auto always never" ;;
        "graph diff:--error-format") words="full concise json github" ;;
        "graph dump:--color") words="auto always never" ;;
        "graph dump:--error-format") words="full concise json github" ;;
        "graph trace:--color") words="auto always never" ;;
        "graph trace:--error-format") words="full concise json github" ;;
        ":"*) words="check completion explain fit fmt grad memory ops parse repl run sweep test graph --help"; plain="check completion explain fit fmt grad memory ops parse repl run sweep test graph" ;;
        "check:"*) words="-e --at --all --json --output -o --quiet -q --color --error-format --code -c --set --seed --allow-write --check-finite --timeout --max-steps --max-depth --max-elements --max-memory --help"; plain="" ;;
        "completion:"*) words="bash zsh fish --help"; plain="bash zsh fish" ;;
        "explain:"*) words="--json --output -o --quiet -q --color --error-format --help"; plain="" ;;
        "fit:"*) words="-e --data --y --start --bound --method --residual --loss --max-evaluations --ci --chunk --dask --plot --svg --digits --json --output -o --quiet -q --color --error-format --code -c --set --seed --allow-write --check-finite --timeout --max-steps --max-depth --max-elements --max-memory --help"; plain="" ;;
        "fmt:"*) words="--code -c --write -w --check --diff --json --output -o --quiet -q --color --error-format --help"; plain="" ;;
        "grad:"*) words="-e --at --wrt --order --hessian --jacobian --hvp --data --sum --chunk --dask --steps --check --format --digits --json --output -o --quiet -q --color --error-format --timeout --max-steps --max-depth --max-elements --max-memory --help"; plain="" ;;
        "memory:"*) words="--compare --svg --json --output -o --quiet -q --color --error-format --code -c --set --seed --allow-write --check-finite --timeout --max-steps --max-depth --max-elements --max-memory --help"; plain="" ;;
        "ops:"*) words="--markdown --json --output -o --quiet -q --color --error-format --help"; plain="" ;;
        "parse:"*) words="--ast --json --output -o --quiet -q --color --error-format --code -c --help"; plain="" ;;
        "repl:"*) words="--seed --json --output -o --quiet -q --color --error-format --help"; plain="" ;;
        "run:"*) words="--memory --trace --digits --json --output -o --quiet -q --color --error-format --code -c --set --seed --allow-write --check-finite --timeout --max-steps --max-depth --max-elements --max-memory --help"; plain="" ;;
        "sweep:"*) words="-e --at --format --keep --resume --fail-fast --json --output -o --quiet -q --color --error-format --code -c --set --seed --allow-write --check-finite --timeout --max-steps --max-depth --max-elements --max-memory --over --zip --jobs -j --dask --help"; plain="" ;;
        "test:"*) words="--jobs -j --seed --record --junit --json --output -o --quiet -q --color --error-format --timeout --max-steps --max-depth --max-elements --max-memory --help"; plain="" ;;
        "graph:"*) words="diff dump trace --help"; plain="diff dump trace" ;;
        "graph diff:"*) words="--steps --exit-code --json --output -o --quiet -q --color --error-format --code -c --set --seed --allow-write --check-finite --timeout --max-steps --max-depth --max-elements --max-memory --help"; plain="" ;;
        "graph dump:"*) words="-e --at --format --step --root --values --saved --collapse --max-nodes --json --output -o --quiet -q --color --error-format --code -c --set --seed --allow-write --check-finite --timeout --max-steps --max-depth --max-elements --max-memory --help"; plain="" ;;
        "graph trace:"*) words="-e --at --step --summary --digits --json --output -o --quiet -q --color --error-format --code -c --set --seed --allow-write --check-finite --timeout --max-steps --max-depth --max-elements --max-memory --help"; plain="" ;;
    esac
    [[ "$current" == -* || "$previous" == -* ]] || words="$plain"
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _dagrad dagrad
