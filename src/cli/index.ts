#!/usr/bin/env node
/** `npx preseal`: a chain in a process of its own, served on two ports until it is told to end. */
import { readFile } from 'node:fs/promises'
import { assembleChain, type Chain } from '../chain/chain.ts'
import { DEFAULT_BALANCE, DEFAULT_MNEMONIC } from '../config/accountOptions.ts'
import type { ChainOptions } from '../config/options.ts'
import { systemClock, type Timer } from '../primitives/clock.ts'
import { PresealError } from '../primitives/errors.ts'
import type { GethGenesis } from '../primitives/types.ts'
import { VERSION } from '../primitives/version.ts'
import { type ChainServer, serve } from '../server/serve.ts'
import { parseArguments, type RunCommand } from './arguments.ts'
import { banner, help, jsonLine } from './banner.ts'
import { RateMeter, statusLine } from './status.ts'

/** Back to the start of the line, and all that stands there gone (ECMA-48 EL). */
const CLEAR_LINE = '\r\x1b[K'

/** A file that was named cannot be used. */
class FileError extends PresealError {
  override name = 'FileError'
}

async function main(): Promise<void> {
  // A pipe whose reader is gone is no reason to end: what is printed is lost, and the chain is served on.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const command = parseArguments(process.argv.slice(2))
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
      await run(command)
  }
}

async function run(command: RunCommand): Promise<void> {
  const { chainOptions } = command
  const live = process.stdout.isTTY && !command.json
  const output = command.json ? process.stderr : process.stdout
  const print = (line: string): boolean => output.write(`${live ? CLEAR_LINE : ''}${line}\n`)
  const chain = await assembleChain({ ...chainOptions, ...(await readFiles(command.files)) }, { print })
  let server: ChainServer
  try {
    server = await serve(chain, command.serveOptions)
  } catch (error) {
    await chain.close()
    throw error
  }
  const chainId = Number(await chain.standard.request({ method: 'eth_chainId' }))

  const endStatus = live ? showStatus(chain) : undefined
  // One failed tick or request is no reason to end: the chain goes on with the next.
  chain.on('error', (error) => process.stderr.write(`${live ? CLEAR_LINE : ''}preseal: ${error.message}\n`))
  endInTime(async () => {
    endStatus?.()
    await server.close()
    await chain.close()
  })

  const { url, preconfUrl } = server
  const started = { url, preconfUrl, chainId, accounts: chain.accounts }
  const { balance = DEFAULT_BALANCE, mnemonic = DEFAULT_MNEMONIC } = fundingOf(chainOptions)
  process.stdout.write(command.json ? jsonLine(started) : `${banner(started, { balance, mnemonic })}\n`)
}

/** @throws FileError */
async function readFiles({ genesis, blocks }: RunCommand['files']): Promise<ChainOptions> {
  return {
    ...(genesis !== undefined && { genesis: parseGenesis(genesis, await read(genesis)) }),
    ...(blocks !== undefined && { blocks: new Uint8Array(await read(blocks)) }),
  }
}

async function read(path: string) {
  try {
    return await readFile(path)
  } catch (error) {
    throw new FileError(`cannot read ${path}: ${(error as NodeJS.ErrnoException).code}`)
  }
}

function parseGenesis(path: string, content: Uint8Array): GethGenesis {
  try {
    // Without the byte order mark that some editors write.
    return JSON.parse(new TextDecoder().decode(content)) as GethGenesis
  } catch {
    throw new FileError(`${path} is not JSON`)
  }
}

/** What the dev accounts were asked to be. */
function fundingOf({ accounts = {} }: ChainOptions): {
  readonly balance?: bigint | undefined
  readonly mnemonic?: string | undefined
} {
  return 'length' in accounts ? {} : accounts
}

/** Rewrites the last line at every snapshot. @returns what leaves that line, as it is, for good. */
function showStatus(chain: Chain): () => void {
  const meter = new RateMeter()
  let shown = false
  let ended = false
  chain.on('preconf', async ({ index, block, added }) => {
    const rate = meter.add(chain.clock.now(), block.transactions.length - added)
    // No answer once the chain is closed.
    const waiting = await chain.standard.request({ method: 'txpool_status' }).catch(() => undefined)
    if (ended || waiting === undefined) return
    const pool = Number(waiting.pending) + Number(waiting.queued)
    const line = statusLine({ block: Number(block.number), snapshot: index, pool, rate })
    process.stdout.write(CLEAR_LINE + line)
    shown = true
  })
  return () => {
    ended = true
    if (shown) process.stdout.write('\n')
  }
}

/** Ends cleanly at the first signal, or with the parent; a second signal ends at once, as ever. */
function endInTime(close: () => Promise<void>): void {
  const signals = ['SIGINT', 'SIGTERM'] as const
  const end = (): void => {
    for (const signal of signals) process.off(signal, end)
    stopWatching()
    close().catch(fail)
  }
  for (const signal of signals) process.on(signal, end)
  const stopWatching = onParentEnd(end)
}

/**
 * Calls `end` once the parent process has ended, if npm started this one: npm passes a signal on to the shell that it
 * runs a command with, and the shell does not. Started otherwise, a process in the background may outlive its parent.
 *
 * @returns what stops watching.
 */
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

/** One line for what its reader can mend; the whole error for what only this library's authors can. */
function fail(error: unknown): void {
  const mendable = error instanceof PresealError || (error as NodeJS.ErrnoException).syscall !== undefined
  const { message, stack } = error as Error
  process.stderr.write(`preseal: ${mendable ? message : stack}\n`)
  process.exitCode = 1
}

main().catch(fail)
