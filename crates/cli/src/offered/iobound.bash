
# Names that the program knows are asked of it; all else is as above.
_iobound_offered() {
    local line="${COMP_LINE:0:COMP_POINT}" typed flag kind="" kept=0 offered before c
    local -a words
    typed="${line##*[[:space:]]}"
    read -ra words <<<"${line%"$typed"}"
    flag="${words[${#words[@]} - 1]}"
    if [[ "$typed" == --*=* ]]; then
        flag="${typed%%=*}"
        typed="${typed#*=}"
    fi
    case "$flag" in
        @FLAGS@
        -*) ;;
        *)
            case "${words[1]} ${words[2]}" in
                "explain "* | "compare "* | "results show" | "results html" | "results export" | "results delete")
                    [[ "$typed" == -* ]] || kind=run
                    ;;
            esac
            ;;
    esac
    if [[ -z "$kind" ]]; then
        _iobound "$@"
        return
    fi
    # What stands before a sign at which the shell parts words stays as it is.
    for c in : = @; do
        if [[ "$COMP_WORDBREAKS" == *"$c"* && "$typed" == *"$c"* ]]; then
            before="${typed%"$c"*}$c"
            ((${#before} > kept)) && kept=${#before}
        fi
    done
    COMPREPLY=()
    while IFS=$'\t' read -r offered _; do
        COMPREPLY+=("${offered:kept}")
    done < <("$1" completions --of "$kind" ${typed:+--typed "$typed"} 2>/dev/null)
    [[ "${COMPREPLY[*]}" == *@ ]] && compopt -o nospace 2>/dev/null
    return 0
}

complete -F _iobound_offered -o bashdefault -o default iobound
