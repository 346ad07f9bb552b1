/** `preseal db`: reads, checks and repairs the database in a folder. Loaded only for this command. */

import { bytesToHex } from '../../../base/bytes.ts'
import { systemClock } from '../../../base/clock.ts'
import { loadCrypto } from '../../../base/crypto/crypto.ts'
import { type CheckedDatabase, checkDatabase } from '../../../core/import/check/checkDatabase.ts'
import type { CheckParts } from '../../../core/import/check/checkedBlocks.ts'
import { planRepair } from '../../../core/import/check/repairDatabase.ts'
import { BytesDatabase, type Level } from '../../../core/ledger/bytesDatabase.ts'
import { DatabaseInUseError, DatabaseVersionError } from '../../../core/ledger/errors.ts'
import { VERSION as FORMAT, FORMAT_KEY, HEAD_KEY } from '../../../core/ledger/format/databaseFormat.ts'
import { type Problem, type Scan, scanDatabase } from '../../../core/ledger/format/scanDatabase.ts'
import { openEngine } from '../../../core/open/openTip.ts'
import { createExecutor } from '../../../ethereum/evm/transition.ts'
import {
  checkFolder,
  copyOf,
  damagedTables,
  isDamage,
  isWithoutCurrent,
  NoDatabaseError,
  NoRoomError,
  openFolder,
  repairFiles,
  rewriteTables,
  sizeOf,
} from './folder.ts'

type DatabaseAction = 'info' | 'verify' | 'repair'

type DatabaseCommand =
  | { readonly kind: DatabaseAction; readonly folder: string; readonly json: boolean }
  | { readonly kind: 'help' }
  | { readonly kind: 'misuse'; readonly message: string }

const ACTIONS: Readonly<Record<DatabaseAction, string>> = {
  info: 'print what the database holds',
  verify: 'check every entry, and execute the blocks of the history again',
  repair: 'write again what follows from other entries; else cut the chain back to its last sound block',
}

/** Parses the arguments after `preseal db`. */
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

/** Returns the text of `preseal db --help`. */
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

const SOUND = 0
const PROBLEMS = 1
const MISUSE = 2

interface Output {
  out(text: string): void
  err(text: string): void
}

const DAMAGED_FILES =
  'the files of the database are damaged; preseal db repair rebuilds what can be read of them'
const LOST_CURRENT = 'the file CURRENT of the database is missing; preseal db repair rebuilds it'

/** Runs the command. @returns its exit code */
export async function runDatabaseCommand(argv: readonly string[], output: Output): Promise<number> {
  const command = parseDatabaseArguments(argv)
  if (command.kind === 'help') {
    output.out(databaseHelp())
    return SOUND
  }
  if (command.kind === 'misuse') {
    output.err(`preseal: ${command.message}; see preseal db --help\n`)
    return MISUSE
  }
  try {
    await checkFolder(command.folder)
    return await (command.kind === 'repair' ? runRepair(command, output) : runOnCopy(command, output))
  } catch (error) {
    const isExpected =
      error instanceof NoDatabaseError ||
      error instanceof NoRoomError ||
      error instanceof DatabaseVersionError ||
      error instanceof DatabaseInUseError
    if (!isExpected) throw error
    output.err(`preseal: ${error.message}\n`)
    return MISUSE
  }
}

type FolderCommand = Extract<DatabaseCommand, { readonly folder: string }>

/** Runs the command on a copy, as opening a database writes to its files. */
async function runOnCopy(command: FolderCommand, output: Output): Promise<number> {
  const { folder } = command
  const copy = await copyOf(folder)
  try {
    const isLost = await isWithoutCurrent(copy.folder)
    if (isLost) await repairFiles(copy.folder)
    const damaged = await reportTables(copy.folder, output)
    const level = await openFolder(copy.folder).catch((error: unknown) => {
      throw error instanceof DatabaseInUseError ? new DatabaseInUseError(folder) : error
    })
    if (level === undefined) return reportDamage(output)
    await copy.assertCurrent().catch(async (error) => {
      await level.close()
      throw error
    })
    const code = await runOn(level, command, output)
    if (isLost) output.err(`preseal: ${LOST_CURRENT}\n`)
    return isLost || damaged > 0 ? PROBLEMS : code
  } catch (error) {
    if (!isDamage(error)) throw error
    return reportDamage(output)
  } finally {
    await copy.remove()
  }
}

/** Reports damaged tables before the database is opened, as some make LevelDB end the process. Returns their number. */
async function reportTables(folder: string, { err }: Output): Promise<number> {
  const damaged = await damagedTables(folder)
  for (const name of damaged) err(`preseal: the file ${name} of the database is damaged\n`)
  return damaged.length
}

function reportDamage({ out }: Output): number {
  out(`${DAMAGED_FILES}\n`)
  return PROBLEMS
}

async function runRepair(command: FolderCommand, output: Output): Promise<number> {
  const { folder } = command
  const damaged = await reportTables(folder, output)
  try {
    const level = await openFolder(folder)
    if (level !== undefined) {
      const code = await runOn(level, command, output)
      if (damaged > 0 && code === SOUND) await rewriteTables(folder)
      return code
    }
  } catch (error) {
    if (!isDamage(error)) throw error
  }
  await repairFiles(folder)
  output.out('rebuilt the files of the database\n')
  const level = await openFolder(folder)
  if (level !== undefined) return runOn(level, command, output)
  output.out('the files of the database cannot be rebuilt\n')
  return PROBLEMS
}

async function runOn(level: Level, { kind, folder, json }: FolderCommand, { out }: Output): Promise<number> {
  try {
    const crypto = await loadCrypto()
    const db = new BytesDatabase(level)
    if ((await db.get(FORMAT_KEY)) === undefined && (await db.get(HEAD_KEY)) === undefined)
      throw new NoDatabaseError(`the database ${folder} has no chain`)
    if (kind === 'info') {
      const info = databaseInfo(await scanDatabase(db), await sizeOf(folder))
      out(json ? `${JSON.stringify(info)}\n` : infoText(info))
      return info.damaged === 0 ? SOUND : PROBLEMS
    }
    const { engine, decode } = await openEngine('preseal', crypto)
    const executor = createExecutor(engine, crypto)
    const parts: CheckParts = { db, crypto, decode, executor, clock: systemClock }
    const database = await checkDatabase(parts)
    if (kind === 'verify' || database.problems.length === 0) return report(database, out)
    return await repair(database, parts, out)
  } finally {
    await level.close()
  }
}

function report({ problems, blocks, executed, withoutRules }: CheckedDatabase, out: Output['out']): number {
  for (const problem of problems) out(`${problemText(problem)}\n`)
  const checked = `${blocks.head + 1} blocks checked, ${executed} executed again`
  const left = withoutRules === 0 ? '' : `; ${withoutRules} not, since a repair could not find their rules`
  const result = problems.length === 0 ? 'the database is sound' : `${problems.length} problems`
  out(`${checked}${left}\n${result}\n`)
  return problems.length === 0 ? SOUND : PROBLEMS
}

function problemText({ block, key, text }: Problem): string {
  const name = typeof key === 'string' ? key : key && bytesToHex(key)
  const places = [block === undefined ? undefined : `block ${block}`, name && `key ${name}`]
  const place = places.filter((one) => one !== undefined).join(', ')
  return place === '' ? text : `${text} (${place})`
}

async function repair(database: CheckedDatabase, parts: CheckParts, out: Output['out']): Promise<number> {
  const { actions, entries, removed, refusal } = await planRepair(database, parts)
  if (refusal !== undefined) {
    report(database, out)
    out(`nothing was changed: ${refusal}\n`)
    return PROBLEMS
  }
  for (const problem of database.problems) out(`${problemText(problem)}\n`)
  // One batch, so that all or nothing is done if the process ends meanwhile.
  await parts.db.write(entries, removed, true)
  for (const action of actions) out(`${action}\n`)
  return report(await checkDatabase(parts), out)
}

/** Returns the contents of a database, as `--json` prints them. A field is null if its entry is missing or damaged. */
function databaseInfo(scan: Scan, size: number) {
  const { format, head, changes, indices, accounts, pool, preconfirmed, numbers, damaged } = scan
  let oldest: number | undefined
  for (const number of changes.keys()) if (oldest === undefined || number < oldest) oldest = number
  const included = new Set(preconfirmed)
  const headNumber = head && (numbers.get(head.hash) ?? null)
  return {
    format: FORMAT,
    chainId: format === undefined ? null : Number(format.chainId),
    genesis: format?.genesis ?? null,
    head: head === undefined ? null : { number: headNumber ?? null, hash: head.hash },
    oldestInHistory: oldest ?? headNumber ?? null,
    blocks: indices.size,
    accounts: accounts.size,
    waiting: [...pool].filter((hash) => !included.has(hash)).length,
    preconfirmed: preconfirmed.length,
    size,
    damaged: damaged.size,
  }
}

function infoText(info: ReturnType<typeof databaseInfo>): string {
  const { head } = info
  const rows: readonly (readonly [string, string | number | null])[] = [
    ['format', info.format],
    ['chain id', info.chainId],
    ['genesis', info.genesis],
    ['head', head && `${head.number ?? 'unknown'} ${head.hash}`],
    ['history from block', info.oldestInHistory],
    ['blocks', info.blocks],
    ['accounts', info.accounts],
    ['waiting transactions', info.waiting],
    ['pre-confirmed transactions', info.preconfirmed],
    ['size on disk', `${info.size} bytes`],
    ...(info.damaged > 0 ? [['damaged entries', info.damaged] as const] : []),
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value ?? 'unknown'}\n`).join('')
}
