/**
 * Resets a chain, also to forks and to the blocks of state files, and changes the node of a fork.
 *
 * Owns: the order of the changes under way, and the connections that they open. Does not own the base of the chain: the
 * tip has it.
 */
import type { ChainFile } from '../cheats/stateFile/fields.ts'
import { DisconnectedError } from '../sequencer/errors.ts'
import type { ChangeTurn } from '../sequencer/order.ts'
import type { Forking, ResetParts } from './beginAgain.ts'

/** Resets of a chain, and changes of its node. */
export interface Resets {
  /**
   * Resets the chain to the block that `forking` names or, without `forking`, to a genesis block. If `forking` names
   * neither a node nor a block, the chain returns to its first block (of a fork or genesis).
   *
   * @param turn - turn of the request. The reset waits for it after it has read the new block.
   * @throws PresealRpcError if it fails; then nothing has changed
   */
  reset(forking: Forking | undefined, turn: ChangeTurn): Promise<void>
  /** Switches the fork to a new node. @throws PresealRpcError if it fails; then nothing has changed */
  setForkUrl(url: string): Promise<void>
  /** Restarts the chain on the blocks of a state file. @throws PresealRpcError if it fails; then nothing has changed */
  loadChain(file: ChainFile): Promise<void>
  /**
   * Refuses new changes, ends a connection that is being opened, and resolves when the change that opens it has ended.
   */
  close(): Promise<void>
}

/** Creates the resets of a chain. Changes run one after another, in the order of the calls. */
export function createResets(from: ResetParts) {
  const { options } = from
  const { sequencer, snapshots } = from.core
  /** Resolves when the last change has ended; undefined if none is under way. */
  let last: Promise<void> | undefined
  /** The change under way that opens a connection. */
  let connecting: Promise<void> | undefined
  let isClosed = false
  let disconnect = (): void => {}
  const onOpen = (close: () => void): void => {
    disconnect = close
    if (isClosed) close()
  }

  const inTurn = (change: () => Promise<void>): Promise<void> => {
    const run = async (): Promise<void> => {
      if (isClosed) throw new DisconnectedError()
      await change()
    }
    const turn = last === undefined ? run() : last.then(run)
    const ended = turn
      .catch(() => {})
      .then(() => {
        if (last === ended) last = undefined
      })
    last = ended
    return turn
  }

  const goesBack = (forking: Forking | undefined): boolean => {
    const { fork, isLoaded } = sequencer.tip.base
    if (forking !== undefined) return !isLoaded && forking.url === undefined && forking.block === undefined
    return (fork === undefined && !isLoaded) || options.database !== undefined
  }

  return {
    reset: (forking: Forking | undefined, turn: ChangeTurn): Promise<void> =>
      inTurn(async () => {
        // Without a node, earlier requests end soon, so they are awaited before the new block is read.
        const hasNode = sequencer.tip.base.fork !== undefined
        if (!hasNode) await turn.begin()
        if (goesBack(forking)) {
          if (hasNode) await turn.begin()
          return snapshots.reset()
        }
        // Loaded on first use, since most chains are no forks.
        const { beginAgain } = await import('./beginAgain.ts')
        const isNew = forking?.url !== undefined || forking?.block !== undefined
        connecting = beginAgain(from, isNew ? forking : undefined, onOpen, hasNode ? turn : undefined)
        await connecting
      }),
    setForkUrl: (url: string): Promise<void> =>
      inTurn(async () => {
        const { readFrom } = await import('./beginAgain.ts')
        connecting = readFrom(sequencer.tip.base.fork, url, onOpen)
        await connecting
      }),
    // Not queued: the request has its turn already, and a queued reset may wait for that turn, which would deadlock.
    async loadChain(file: ChainFile): Promise<void> {
      if (isClosed) throw new DisconnectedError()
      const { loadChain } = await import('./beginAgain.ts')
      await loadChain(from, file)
    },
    async close(): Promise<void> {
      isClosed = true
      disconnect()
      await connecting?.catch(() => {})
    },
  }
}
