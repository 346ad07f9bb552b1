/** `preseal db`: its command line and its help. Pure. */

/** What `preseal db` does with the database in a folder. */
export type DatabaseAction = 'info' | 'verify' | 'repair'

/** A parsed command line of `preseal db`. */
export type DatabaseCommand =
  | { readonly kind: DatabaseAction; readonly folder: string; readonly json: boolean }
  | { readonly kind: 'help' }
  /** An invalid command line, and what is wrong with it. */
  | { readonly kind: 'misuse'; readonly message: string }

const ACTIONS: Readonly<Record<DatabaseAction, string>> = {
  info: 'print what the database holds',
  verify: 'check every entry, and execute the blocks of the history again',
  repair: 'write again what follows from other entries; else cut the chain back to its last sound block',
}

/** Parses what follows `preseal db`. */
export function parseDatabaseArguments(argv: readonly string[]): DatabaseCommand {
  const misuse = (message: string): DatabaseCommand => ({ kind: 'misuse', message })
  const flags = argv.filter((argument) => argument.startsWith('-') && argument !== '-')
  const [action, folder, ...others] = argv.filter((argument) => !flags.includes(argument))
  if (flags.includes('--help') || flags.includes('-h')) return { kind: 'help' }
  const expected = `expected ${Object.keys(ACTIONS).join(', ')}`
  if (action === undefined) return misuse(`db: ${expected}`)
  if (!Object.hasOwn(ACTIONS, action)) return misuse(`unknown command 'db ${action}': ${expected}`)
  const kind = action as DatabaseAction
  const unknown = flags.find((flag) => flag !== '--json' || kind !== 'info')
  if (unknown !== undefined) {
    return misuse(
      `unknown option '${unknown}' of db ${kind}: expected ${kind === 'info' ? '--json' : 'none'}`,
    )
  }
  if (folder === undefined) return misuse(`db ${kind}: expected the folder of a database`)
  if (others.length > 0) return misuse(`db ${kind}: expected one folder, not also '${others[0]}'`)
  return { kind, folder, json: flags.includes('--json') }
}

/** The text of `preseal db --help`. */
export function databaseHelp(): string {
  const rows = Object.entries(ACTIONS).map(([name, meaning]) => `  ${`${name} DIR`.padEnd(12)}${meaning}`)
  return `Usage: preseal db info|verify|repair DIR

The database that --database DIR keeps; no chain may have it open. Needs classic-level. info and verify read a copy in the
system's temporary folder, and change nothing in DIR.

Commands:
${rows.join('\n')}

Options:
  --json      with info: print one line of JSON
  -h, --help  print this help

Exit codes: 0 if the database is sound, 1 if it has problems, 2 if the command line is invalid, or DIR has no database
that this version can read, or there is no room for the copy.
`
}
