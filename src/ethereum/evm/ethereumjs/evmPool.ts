/**
 * A pool of @ethereumjs' EVMs, one per concurrent operation.
 *
 * Owns: the idle EVMs by rules. Concurrent operations never share an EVM: the second would change the block that the
 * first one reads.
 */

import { hexToBytes } from '../../../base/bytes.ts'
import type { Crypto } from '../../../base/crypto/crypto.ts'
import type { Hash } from '../../../base/types.ts'
import type { Pause } from '../../../base/waiting.ts'
import type { Rules } from '../../rules.ts'
import type { Overlay } from '../../state/overlay.ts'
import { Idle } from '../idle.ts'
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

/** A pool of EVMs; see the file's header. */
export class EVMPool {
  readonly #crypto: Crypto
  readonly #idle = new WeakMap<Rules, Idle<Instance>>()

  constructor(crypto: Crypto) {
    this.#crypto = crypto
  }

  /** An EVM with these rules on `overlay`, reset after its last operation, for a new one with this watch and pause. */
  async checkOut(
    rules: Rules,
    overlay: Overlay,
    blockHash: (number: bigint) => Hash | undefined,
    watch?: Watch,
    pause?: Pause,
  ): Promise<PooledEVM> {
    let idle = this.#idle.get(rules)
    if (idle === undefined) {
      idle = new Idle()
      this.#idle.set(rules, idle)
    }
    const instances = idle
    const instance = instances.take() ?? (await this.#create(rules))
    const { evm, state, blockchain } = instance
    state.use(overlay)
    blockchain.blockHash = blockHash
    // Cleaned up here and not at the end, since an operation that threw has skipped its end.
    evm.journal.cleanJournal()
    delete evm.journal.accessList
    evm.transientStorage.clear()
    evm.watch = watch
    evm.pause = pause
    // The interpreter emits its steps only if there is a listener.
    if (watch?.tracer?.onStep !== undefined) evm.events.on('step', ignore)
    return {
      evm,
      release: () => {
        evm.events.off('step', ignore)
        evm.lastResult = undefined
        state.release()
        instances.add(instance)
      },
    }
  }

  async #create(rules: Rules): Promise<Instance> {
    const state = new StateAdapter(this.#crypto)
    const blockchain = new BlockHashes()
    // Loaded on demand: it is a third of the code, and a chain that only transfers ether never needs it.
    const { createLeanEVM } = await import('./leanEVM.ts')
    const evm = createLeanEVM(commonOf(rules, this.#crypto), { stateManager: state, blockchain })
    return { evm, state, blockchain }
  }
}

const ignore = (): void => {}

interface Instance {
  readonly evm: LeanEVM
  readonly state: StateAdapter
  readonly blockchain: BlockHashes
}

/** The part of a blockchain that BLOCKHASH reads. */
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
