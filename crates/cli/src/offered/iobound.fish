
# Names that the program knows are asked of it.
function __iobound_offered
    set -l typed (commandline -ct | string replace -r '^--[^=]*=' '')
    if test -n "$typed"
        iobound completions --of $argv[1] --typed "$typed" 2>/dev/null
    else
        iobound completions --of $argv[1] 2>/dev/null
    end
end
complete -c iobound -n "__fish_iobound_using_subcommand explain; or __fish_iobound_using_subcommand compare" -a "(__iobound_offered run)"
complete -c iobound -n "__fish_iobound_using_subcommand results; and __fish_seen_subcommand_from show html export delete" -a "(__iobound_offered run)"
