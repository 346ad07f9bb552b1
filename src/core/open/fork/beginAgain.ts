/**
 * A running chain begins again on another block: of another chain that it forks, or of a genesis of its own.
 *
 *   connect to the node, open its first tip ─► stop waiting for the node before ─► in turn among the writers: the new tip, with
 *   all that it is built on ─► disconnect from the node before
 *
 * Until the new tip is there, the chain goes on as before, and a failure changes nothing.
 */

import { toError } from '../../../base/emitter.ts'
import { InvalidParamsError, PresealError, PresealRpcError } from '../../../base/errors.ts'
import { fork as forkOption, type ResolvedFork } from '../../../base/options/forkOptions.ts'
import { parseOption } from '../../../base/options/option.ts'
import type { ChainOptions, ResolvedOptions } from '../../../base/options/options.ts'
import { ForkFailedError, NotForkedError, StoredChainForkError } from '../../fork/errors.ts'
import { BlockStore } from '../../ledger/ethereumjs/blockStore.ts'
import type { ChangeTurn } from '../../sequencer/order.ts'
import { beginOn } from '../beginOn.ts'
import type { ChainParts, Core } from '../core.ts'
import { openTip } from '../openTip.ts'
import type { ConnectionParts, OnOpen } from './forkedChain.ts'
import { type OpenedFork, openFork } from './openFork.ts'

/** What a reset is to fork. */
export interface Forking {
  /** The node; by default the one that is forked now. */
  readonly url?: string | undefined
  /** Headers of the requests to `url`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The number of the block; by default the latest. */
  readonly block?: bigint | undefined
}

/** What a reset depends on. */
export interface ResetParts {
  readonly core: Core
  /** The options of the chain, without those that follow from a fork. */
  readonly options: ResolvedOptions
  /** The options as they were passed. */
  readonly given: ChainOptions
  readonly parts: ChainParts
  /** When genesis was, as Unix time in seconds; undefined for a chain that began as a fork. */
  readonly started: bigint | undefined
  readonly onError: (error: Error) => void
}

/**
 * Begins a chain again.
 *
 * @param forking - what to fork; undefined for no fork.
 * @param onOpen - gets a function that ends the connection, as soon as that is opened.
 * @param turn - of the request; undefined if it has begun.
 * @throws PresealRpcError
 */
export async function beginAgain(
  { core, options, given, parts, started, onError }: ResetParts,
  forking: Forking | undefined,
  onOpen: OnOpen,
  turn: ChangeTurn | undefined,
): Promise<void> {
  if (options.database !== undefined) throw new StoredChainForkError()
  const fork =
    forking &&
    (await withCode(() => connect(core, options, given, forking, { onOpen, clock: parts.nodeClock })))
  const { executor, source, recoveryScript } = parts
  const shared = { ...(executor && { executor }), ...(recoveryScript && { recoveryScript }) }
  const own = { ...(source && { source }), started }
  const before = core.base.fork
  let resume: (() => void) | undefined
  try {
    const next = await withCode(async () =>
      openTip(
        fork?.options ?? { ...options, fork: undefined },
        core.config.crypto,
        await BlockStore.open(undefined),
        { ...shared, ...(fork ? { fork } : own) },
        onError,
      ),
    )
    // What waits for the node before would hold up the new tip, perhaps for as long as its timeout.
    resume = before?.suspend()
    await turn?.begin()
    await beginOn(core, next)
  } catch (error) {
    resume?.()
    await fork?.close().catch(() => {})
    throw error
  }
  // The chain has begun again, whether or not the cache of the fork before can be written.
  await before?.close().catch((error) => onError(toError(error)))
}

/** Reads a fork from another node from now on. @throws PresealRpcError */
export async function readFrom(fork: OpenedFork | undefined, url: string, onOpen: OnOpen): Promise<void> {
  if (fork === undefined) throw new NotForkedError()
  await withCode(() => fork.readFrom(url, onOpen))
}

function connect(
  core: Core,
  options: ResetParts['options'],
  given: ResetParts['given'],
  { url, headers, block }: Forking,
  connection: ConnectionParts,
): Promise<OpenedFork> {
  const node = url === undefined ? core.base.fork?.node() : { url, ...(headers && { headers }) }
  if (node === undefined) {
    throw new InvalidParamsError('0.forking.jsonRpcUrl', 'a URL, since the chain is no fork')
  }
  const { provider: _, url: __, headers: ___, block: ____, ...rest } = given.fork ?? {}
  const fork: ResolvedFork = parseOption(forkOption, { ...rest, ...node, block: block ?? 'latest' }, 'fork')
  return openFork({ ...options, genesis: undefined, blocks: undefined, fork }, given, connection)
}

/** Gives a code to errors that `createChain` has too, without one. */
async function withCode<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof PresealError) || error instanceof PresealRpcError) throw error
    throw new ForkFailedError(error)
  }
}
