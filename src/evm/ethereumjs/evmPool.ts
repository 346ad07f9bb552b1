/**
 * EVMs of @ethereumjs, one per operation under way.
 *
 * Owns: the idle EVMs of all rules there are, by hardfork and chain id. Two operations never share one across an await:
 * whichever came second would change the block the first one reads.
 */

import type { Crypto } from '../../crypto/crypto.ts'
import { hexToBytes } from '../../primitives/bytes.ts'
import type { Hash } from '../../primitives/types.ts'
import type { Rules } from '../../protocol/rules.ts'
import type { Overlay } from '../../state/overlay.ts'
import type { Watch } from '../watch.ts'
import { commonOf } from './common.ts'
import type { LeanEVM } from './leanEVM.ts'
import { StateAdapter } from './stateAdapter.ts'

/** An EVM checked out for one operation. */
export interface PooledEVM {
  readonly evm: LeanEVM
  /** Ends the operation and makes the EVM idle again. */
  release(): void
}

/** See the file's header. */
export class EVMPool {
  readonly #crypto: Crypto
  readonly #idle = new Map<Rules, Seat[]>()

  constructor(crypto: Crypto) {
    this.#crypto = crypto
  }

  /** An EVM with these rules on `overlay`, clean of what its last operation left, watched where the new one is. */
  async checkOut(
    rules: Rules,
    overlay: Overlay,
    blockHash: (number: bigint) => Hash | undefined,
    watch?: Watch,
  ): Promise<PooledEVM> {
    let idle = this.#idle.get(rules)
    if (idle === undefined) {
      idle = []
      this.#idle.set(rules, idle)
    }
    const seats = idle
    const seat = seats.pop() ?? (await this.#create(rules))
    seat.state.use(overlay)
    seat.blockchain.blockHash = blockHash
    // At the start, not the end: an operation that threw has cleaned nothing up.
    seat.evm.journal.cleanJournal()
    delete seat.evm.journal.accessList
    seat.evm.transientStorage.clear()
    seat.evm.watch = watch
    // The interpreter emits its steps only if there is a listener.
    if (watch?.tracer?.onStep !== undefined) seat.evm.events.on('step', ignore)
    return {
      evm: seat.evm,
      release: () => {
        seat.evm.events.off('step', ignore)
        seat.evm.lastResult = undefined
        seat.state.release()
        seats.push(seat)
      },
    }
  }

  async #create(rules: Rules): Promise<Seat> {
    const state = new StateAdapter(this.#crypto)
    const blockchain = new BlockHashes()
    // A third of the code, which a chain that only moves balances never needs.
    const { createLeanEVM } = await import('./leanEVM.ts')
    const evm = createLeanEVM(commonOf(rules, this.#crypto), { stateManager: state, blockchain })
    return { evm, state, blockchain }
  }
}

const ignore = (): void => {}

interface Seat {
  readonly evm: LeanEVM
  readonly state: StateAdapter
  readonly blockchain: BlockHashes
}

/** All that BLOCKHASH asks of a blockchain. */
export class BlockHashes {
  blockHash: (number: bigint) => Hash | undefined = () => undefined

  async getBlock(number: number): Promise<{ hash(): Uint8Array }> {
    const hash = this.blockHash(BigInt(number))
    return { hash: () => (hash === undefined ? new Uint8Array(32) : hexToBytes(hash)) }
  }

  async putBlock(): Promise<never> {
    throw new TypeError('an EVM stores no blocks')
  }

  shallowCopy(): this {
    return this
  }
}
