/**
 * Records the gas of transactions of chains, from their events.
 *
 * Owns: the codes, and the listeners until {@link GasWatch.stop}. Gas is read from receipts.
 */
import type { ChainEvents, PreconfBlock, Retraction, SealedBlock } from '../../base/eventTypes.ts'
import type { PresealRpcReceipt, PresealRpcTransaction } from '../../base/rpcTypes.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import { type Reader, readCodes } from './proxies.ts'
import type { GasRecord, GasSample, RecordedCode } from './record.ts'

type WatchedEvent = 'preconf' | 'block' | 'retracted'

/** What is used of a chain: any `PresealChain` has it, also one in a worker. */
export interface WatchableChain {
  readonly preconf: Reader
  on<Event extends WatchedEvent>(event: Event, listener: ChainEvents[Event]): unknown
  off<Event extends WatchedEvent>(event: Event, listener: ChainEvents[Event]): unknown
}

/** A chain that a {@link GasRecorder} listens to. */
export interface GasWatch {
  /**
   * The transactions since the last call. A transaction counts once, when it is pre-confirmed or sealed. If it is withdrawn
   * because of a `revert` or a `reset`, it stays counted; if for another reason, it counts when it is included again.
   */
  take(): Promise<readonly GasSample[]>
  /** Stops listening; what was recorded and not taken is discarded. Calling it again has no effect. */
  stop(): void
}

/** Records the gas of successful transactions that call or create contracts; see {@link createGasRecorder}. */
export interface GasRecorder {
  /** Listens to a chain from now on. */
  watch(chain: WatchableChain): GasWatch
  /** The codes that samples of all watches refer to, so far. */
  readonly codes: readonly RecordedCode[]
  /** All that the watches have recorded and `take` has not returned. */
  record(): Promise<GasRecord>
}

interface Measured extends Omit<GasSample, 'codes' | 'count'> {
  readonly codes: readonly Hex[]
  readonly creation?: Hex
}

/**
 * Creates a recorder of gas. It listens to the events of the chains that it watches; other chains cost nothing.
 *
 * @example
 * const recorder = createGasRecorder()
 * recorder.watch(chain)
 * // … transactions …
 * const report = await createGasReport([await recorder.record()], { contracts: { Token } })
 */
export function createGasRecorder(): GasRecorder {
  const codes: RecordedCode[] = []
  const indices = new Map<Hex, number>()
  const watches = new Set<Watch>()
  const toIndex = (runtime: Hex, creation: Hex | undefined): number => {
    const index = indices.get(runtime) ?? codes.length
    indices.set(runtime, index)
    const known = creation ?? codes[index]?.creation
    codes[index] = { runtime, ...(known !== undefined && { creation: known }) }
    return index
  }
  const toSamples = (all: readonly Measured[]): GasSample[] => {
    const samples = new Map<string, GasSample>()
    for (const { codes, creation, ...measured } of all) {
      const indexed = codes.map((code) => toIndex(code, creation))
      const key = `${indexed} ${measured.address} ${measured.selector} ${measured.gas}`
      const count = (samples.get(key)?.count ?? 0) + 1
      samples.set(key, { ...measured, codes: indexed, count })
    }
    return [...samples.values()]
  }
  return {
    watch(chain) {
      const watch = new Watch(chain)
      watches.add(watch)
      return {
        take: async () => toSamples(await watch.take()),
        stop() {
          watch.stop()
          watches.delete(watch)
        },
      }
    },
    get codes() {
      return [...codes]
    },
    async record() {
      const taken = await Promise.all([...watches].map((watch) => watch.take()))
      const samples = toSamples(taken.flat())
      return { codes: [...codes], samples }
    },
  }
}

type Measuring = Promise<Measured | undefined>

/** See the file's header. */
class Watch {
  readonly #chain: WatchableChain
  /** What was measured by transaction; null if it was taken. */
  readonly #measured = new Map<Hash, Measuring | null>()
  /** Of transactions that a revert withdrew. */
  #reverted: Measuring[] = []

  constructor(chain: WatchableChain) {
    this.#chain = chain
    chain.on('preconf', this.#onPreconf)
    chain.on('block', this.#onBlock)
    chain.on('retracted', this.#onRetracted)
  }

  async take(): Promise<Measured[]> {
    const taken = this.#reverted
    this.#reverted = []
    for (const [hash, measuring] of this.#measured) {
      if (measuring !== null) taken.push(measuring)
      this.#measured.set(hash, null)
    }
    return (await Promise.all(taken)).filter((measured) => measured !== undefined)
  }

  stop(): void {
    this.#chain.off('preconf', this.#onPreconf)
    this.#chain.off('block', this.#onBlock)
    this.#chain.off('retracted', this.#onRetracted)
  }

  readonly #onPreconf = ({ block, receipts, added }: PreconfBlock): void => {
    this.#add(block.transactions.slice(added), receipts.slice(added))
  }

  readonly #onBlock = ({ block, receipts }: SealedBlock): void => {
    this.#add(block.transactions, receipts)
  }

  readonly #onRetracted = ({ reason, transactions }: Retraction): void => {
    const isPast = reason === 'revert' || reason === 'reset'
    for (const hash of transactions) {
      const measuring = this.#measured.get(hash)
      if (isPast && measuring) this.#reverted.push(measuring)
      // What was taken counts, and is not to count again unless it is sent again.
      if (isPast || measuring !== null) this.#measured.delete(hash)
    }
  }

  #add(transactions: readonly PresealRpcTransaction[], receipts: readonly PresealRpcReceipt[]): void {
    for (const [at, receipt] of receipts.entries()) {
      const { transactionHash: hash, status } = receipt
      if (status === '0x0' || this.#measured.has(hash)) continue
      this.#measured.set(hash, measure(this.#chain.preconf, transactions[at]!, receipt))
    }
  }
}

/** Undefined for a transaction that neither calls nor creates a contract. */
async function measure(
  reader: Reader,
  transaction: PresealRpcTransaction,
  { contractAddress, gasUsed }: PresealRpcReceipt,
): Measuring {
  const { to, input } = transaction
  const address: Address = to ?? contractAddress!
  const codes = await readCodes(reader, address, to === null ? undefined : transaction)
  if (codes[0] === '0x') return undefined
  const measured = { address, codes, gas: Number(gasUsed) }
  return to === null
    ? { ...measured, selector: null, creation: input }
    : { ...measured, selector: input.slice(0, 10) as Hex }
}
