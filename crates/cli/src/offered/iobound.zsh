
# Names that the program knows are asked of it.
_iobound_offered() {
    local typed=${(Q)PREFIX}
    local -a lines names
    lines=(${(f)"$(iobound completions --of $1 ${typed:+--typed} ${typed:+"$typed"} 2>/dev/null)"})
    names=(${lines%%$'\t'*})
    lines=(${lines//$'\t'/  })
    (( $#names )) && compadd -U -i "$IPREFIX" -V iobound -l -d lines -a names
    [[ $2 == files ]] && _files
    return 0
}
