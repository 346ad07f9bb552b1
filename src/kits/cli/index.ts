#!/usr/bin/env node
/** `npx preseal`: runs a chain and serves it on two ports until a signal ends the process. */
import { systemClock, type Timer } from '../../base/clock.ts'
import { InvalidOptionError, PresealError } from '../../base/errors.ts'
import { type ACCOUNT_OPTIONS, DEFAULT_BALANCE, DEFAULT_MNEMONIC } from '../../base/options/accountOptions.ts'
import type { OptionsInput } from '../../base/options/option.ts'
import { printable, printableLines } from '../../base/printable.ts'
import type { GethGenesis } from '../../base/types.ts'
import { VERSION } from '../../base/version.ts'
import { assembleChain } from '../../chain/chain.ts'
import type { PresealChain } from '../../chain/handle.ts'
import { DatabaseCorruptError } from '../../core/ledger/errors.ts'
import type { ChainOptions } from '../../core/options.ts'
import { type ChainServer, serveObserved } from '../server/serve.ts'
import { flagError, parseArguments, type RunCommand, withFlag } from './arguments.ts'
import { banner, type ForkedPlace, help, jsonLine, RateMeter, statusLine } from './banner.ts'
import { exists, FileError, Output, openDatabase, readBytes, untilRead } from './files.ts'
import { loadStateFile, startWriting } from './stateFiles.ts'

/** Returns to the start of the line and erases it (ECMA-48 EL). */
const CLEAR_LINE = '\r\x1b[K'

async function main(): Promise<void> {
  // A closed pipe loses output, but must not end the process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const argv = process.argv.slice(2)
  if (argv[0] === 'db') {
    const { runDatabaseCommand } = await import('./database/command.ts')
    process.exitCode = await runDatabaseCommand(argv.slice(1), {
      out: (text) => void process.stdout.write(text),
      err: (text) => void process.stderr.write(text),
    })
    return
  }
  const command = parseArguments(argv)
  switch (command.kind) {
    case 'help':
      process.stdout.write(help())
      return
    case 'version':
      process.stdout.write(`${VERSION}\n`)
      return
    case 'misuse':
      process.stderr.write(`preseal: ${command.message}; see preseal --help\n`)
      process.exitCode = 2
      return
    case 'run':
      await run(command).catch((error: unknown) => failWithFlags(error, command))
  }
}

/** Reports an error: as a misuse of the command line if the option that it names was set by a flag. */
function failWithFlags(error: unknown, { serveOptions }: RunCommand): void {
  const misuse = error instanceof InvalidOptionError ? flagError(error) : undefined
  if (misuse === undefined) {
    fail(error, error instanceof PresealError ? withFlag(error, serveOptions) : undefined)
    return
  }
  process.stderr.write(`preseal: ${printable(misuse)}; see preseal --help\n`)
  process.exitCode = 2
}

async function run(command: RunCommand): Promise<void> {
  const { chainOptions } = command
  const live = process.stdout.isTTY && !command.json
  const output = new Output(command.json ? process.stderr : process.stdout)
  const errors = new Output(process.stderr)
  const { stackTraces } = chainOptions
  if (typeof stackTraces === 'string' && !exists(stackTraces))
    process.stderr.write(`preseal: --stack-traces: there is no folder ${stackTraces} yet\n`)
  const print = (line: string): void => output.print(`${live ? CLEAR_LINE : ''}${line}\n`)
  const { database: folder } = command.files
  const database = folder === undefined ? undefined : await openDatabase(folder)
  const files = await readFiles(command.files)
  // The process owns the database, so the chain may open it again after a failed write.
  const parts = { print, reopensDatabase: true }
  const chain = await assembleChain({ ...chainOptions, ...files, database }, parts)
  const closeChain = async (): Promise<void> => {
    await chain.close()
    await database?.close()
  }
  const report = ({ message }: Error): void =>
    errors.print(`${live ? CLEAR_LINE : ''}preseal: ${printable(message)}\n`)
  let server: ChainServer
  let endWriting: () => Promise<void>
  try {
    await loadStateFile(chain, command.stateFiles)
    endWriting = await startWriting(chain, command.stateFiles, report)
    server = await serveObserved(chain, command.serveOptions, await watch(chain, command, print))
  } catch (error) {
    await closeChain()
    throw error
  }

  const endStatus = live ? showStatus(chain) : undefined
  // A failed tick or request must not end the process: the chain continues.
  chain.on('error', report)
  closeOnSignal(async () => {
    endStatus?.()
    await server.close()
    try {
      await endWriting()
    } finally {
      await closeChain()
    }
  })

  const { url, preconfUrl, publicUrl, publicPreconfUrl } = server
  const { chainId, accounts } = chain
  const urls = { url, preconfUrl, publicUrl, publicPreconfUrl }
  const started = { ...urls, chainId, accounts, fork: await forkOf(chain) }
  // No flag sets a list of accounts.
  const derived = (chainOptions.accounts ?? {}) as OptionsInput<typeof ACCOUNT_OPTIONS>
  const { balance = DEFAULT_BALANCE, mnemonic = DEFAULT_MNEMONIC } = derived
  process.stdout.write(command.json ? jsonLine(started) : `${banner(started, { balance, mnemonic })}\n`)
}

/** Starts printing the call trees and requests that the command asks for. Loads no code if it asks for none. */
async function watch(
  chain: PresealChain,
  { traces, log, artifacts }: RunCommand,
  print: (text: string) => void,
): Promise<Parameters<typeof serveObserved>[2]> {
  if (!traces && !log) return {}
  const { createTrees, logRequests, printTraces } = await import('./traces.ts')
  const trees = await createTrees(chain, artifacts, print)
  if (traces) printTraces(chain, trees)
  if (!log) return {}
  return {
    standard: logRequests('standard', 'latest', trees, print),
    preconf: logRequests('preconf', 'pending', trees, print),
  }
}

async function forkOf({ standard }: PresealChain): Promise<ForkedPlace | undefined> {
  const { forkedNetwork } = await standard.request({ method: 'anvil_metadata' })
  if (forkedNetwork === null) return undefined
  const { chainId, forkBlockNumber, forkBlockHash } = forkedNetwork
  return { chainId, block: forkBlockNumber, hash: forkBlockHash }
}

async function readFiles({ genesis, blocks }: RunCommand['files']): Promise<ChainOptions> {
  return {
    ...(genesis !== undefined && { genesis: parseGenesis(genesis, await readBytes(genesis, '--genesis')) }),
    ...(blocks !== undefined && { blocks: new Uint8Array(await readBytes(blocks, '--blocks')) }),
  }
}

function parseGenesis(path: string, content: Uint8Array): GethGenesis {
  try {
    // Removes the byte order mark that some editors write.
    return JSON.parse(new TextDecoder().decode(content)) as GethGenesis
  } catch {
    throw new FileError(`${path} is not JSON`, '--genesis')
  }
}

/** Rewrites the status line at every preconf block. @returns a function that stops this and leaves the line */
function showStatus(chain: PresealChain): () => void {
  const meter = new RateMeter()
  let shown = false
  let ended = false
  chain.on('preconf', async ({ index, block, added }) => {
    const rate = meter.add(chain.clock.now(), block.transactions.length - added)
    // Fails when the chain is closed.
    const waiting = await chain.standard.request({ method: 'txpool_status' }).catch(() => undefined)
    if (ended || waiting === undefined) return
    const pool = Number(waiting.pending) + Number(waiting.queued)
    const line = statusLine({ block: Number(block.number), preconf: index, pool, rate })
    process.stdout.write(CLEAR_LINE + line)
    shown = true
  })
  return () => {
    ended = true
    if (shown) process.stdout.write('\n')
  }
}

/** Closes at the first signal, or when the parent process ends. A second signal ends the process immediately. */
function closeOnSignal(close: () => Promise<void>): void {
  const signals = ['SIGINT', 'SIGTERM'] as const
  const end = (): void => {
    for (const signal of signals) process.off(signal, end)
    stopWatching()
    close()
      .catch((error: unknown) => fail(error))
      .then(endOnceRead)
  }
  for (const signal of signals) process.on(signal, end)
  const stopWatching = onParentEnd(end)
}

/** Ends the process when its output is read, or after a while, as unread output would keep it alive. */
async function endOnceRead(): Promise<void> {
  const unread = [process.stdout, process.stderr].filter(({ writableLength }) => writableLength > 0)
  if (unread.length === 0) return
  await untilRead(unread)
  process.exit()
}

/** If the parent is npm, which passes no signals on, calls `end` when npm ends. Returns a function that stops this. */
function onParentEnd(end: () => void): () => void {
  if (process.env['npm_lifecycle_event'] === undefined) return () => {}
  const parent = process.ppid
  let timer: Timer
  const watch = (): void => {
    timer = systemClock.setTimeout(() => (process.ppid === parent ? watch() : end()), PARENT_CHECK_MS)
    timer.unref()
  }
  watch()
  return () => systemClock.clearTimeout(timer)
}

const PARENT_CHECK_MS = 500

/** Prints one line for an error that the user can fix, and the stack of any other error. */
function fail(error: unknown, text?: string): void {
  const isFixable = error instanceof PresealError || (error as NodeJS.ErrnoException).syscall !== undefined
  const { message, stack = message } = error as Error
  const hint = error instanceof DatabaseCorruptError ? '; see preseal db --help' : ''
  process.stderr.write(`preseal: ${isFixable ? printable(text ?? message) + hint : printableLines(stack)}\n`)
  process.exitCode = 1
}

main().catch((error: unknown) => fail(error))
