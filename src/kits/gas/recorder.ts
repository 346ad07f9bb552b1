/** Records the gas of transactions from events and receipts. Owns: the codes, and the listeners until `stop`. */

import { hexToBytes } from '../../base/bytes.ts'
import type { ChainEvents, PreconfBlock, Retraction, SealedBlock } from '../../base/eventTypes.ts'
import type { PresealRpcReceipt, PresealRpcTransaction } from '../../base/rpcTypes.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import type { CallTrace } from '../../core/trace/shapes.ts'
import { BEACON_SLOT, delegateOf, IMPLEMENTATION_SLOT, usesSlot } from '../../inspect/explain/identify.ts'
import type { Provider } from '../../rpc/provider.ts'
import type { GasRecord, GasSample, RecordedCode } from './record.ts'

type WatchedEvent = 'preconf' | 'block' | 'retracted'

/** The members of a chain that a recorder uses. A `PresealChain` has them, and so does a chain in a worker. */
export interface WatchableChain {
  readonly preconf: Reader
  on<Event extends WatchedEvent>(event: Event, listener: ChainEvents[Event]): unknown
  off<Event extends WatchedEvent>(event: Event, listener: ChainEvents[Event]): unknown
}

/** A chain that a {@link GasRecorder} listens to. */
export interface GasWatch {
  /**
   * Takes the transactions since the last call. A transaction counts once, when it is pre-confirmed or sealed. It stays
   * counted if a `revert` or `reset` withdraws it. If it is withdrawn for a different reason before it was taken, it
   * counts when it is included again.
   */
  take(): Promise<readonly GasSample[]>
  /** Stops listening and discards samples that were not taken. Calling it again has no effect. */
  stop(): void
}

/** Records the gas of successful transactions that call or create contracts; see {@link createGasRecorder}. */
export interface GasRecorder {
  /** Listens to a chain from now on. */
  watch(chain: WatchableChain): GasWatch
  /** The codes that the samples of all watches refer to. */
  readonly codes: readonly RecordedCode[]
  /** Takes all samples that the watches have recorded and `take` has not returned. */
  record(): Promise<GasRecord>
}

interface Measured extends Omit<GasSample, 'codes' | 'count'> {
  readonly codes: readonly Hex[]
  readonly creation?: Hex
}

/**
 * Creates a recorder of gas. It listens to the chains that it watches; unwatched chains cost nothing.
 *
 * @example
 * const recorder = createGasRecorder()
 * recorder.watch(chain)
 * // … transactions …
 * const report = await createGasReport([await recorder.record()], { artifacts: { Token } })
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

class Watch {
  readonly #chain: WatchableChain
  /** Samples by transaction; null once taken. */
  readonly #measured = new Map<Hash, Measuring | null>()
  /** Samples of transactions that a `revert` or `reset` withdrew. */
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
      // Keeps a taken transaction, so that it counts only once, except after `revert` or `reset`: it may be sent again.
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

/** Resolves to undefined for a transaction that neither calls nor creates a contract. */
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

/** A provider of a view with pre-confirmed state. */
type Reader = Pick<Provider, 'request'>

const MAX_PROXIES = 4

/**
 * Reads the code at an address and, for a proxy, the codes down to the implementation that ran. If a request fails,
 * returns the codes read so far. `call` is the transaction that called the address.
 *
 * Clones (EIP-1167) and delegated accounts (EIP-7702) always run their target's code. A call of an EIP-1967 proxy is
 * traced: if the proxy did not pass it on by DELEGATECALL, as in an upgrade by its admin, the proxy's code ran.
 */
async function readCodes(
  reader: Reader,
  address: Address,
  call: PresealRpcTransaction | undefined,
): Promise<Hex[]> {
  const codes: Hex[] = []
  let path: readonly CallTrace[] | undefined
  // `account` runs the code at `at`; they differ for delegated accounts (EIP-7702).
  let [at, account] = [address, address]
  try {
    while (codes.length < MAX_PROXIES) {
      const code = await reader.request({ method: 'eth_getCode', params: [at, 'pending'] })
      codes.push(code)
      if (call === undefined) break
      const bytes = hexToBytes(code)
      const delegate = delegateOf(bytes)
      if (delegate !== undefined) {
        at = delegate.to
        if (delegate.kind === 'clone') account = at
        continue
      }
      if (!usesSlot(bytes, IMPLEMENTATION_SLOT) && !usesSlot(bytes, BEACON_SLOT)) break
      path ??= pathOf(await trace(reader, call))
      const next: Address | undefined = path[path.findIndex(({ to }) => to === account) + 1]?.to
      if (next === undefined) break
      at = next
      account = next
    }
  } catch {
    // The chain was closed, the transaction withdrawn, or a fork lacks the value: returns the codes read so far.
  }
  return codes
}

/** Returns the frames of a transaction. If the transaction was withdrawn, repeats it as a call on the current state. */
async function trace(reader: Reader, transaction: PresealRpcTransaction): Promise<CallTrace> {
  const { hash, from, to, input, value, gas } = transaction
  const options = { tracer: 'callTracer' } as const
  const traced = await reader
    .request({ method: 'debug_traceTransaction', params: [hash, options] })
    .catch(() =>
      reader.request({
        method: 'debug_traceCall',
        params: [{ from, to: to!, data: input, value, gas }, 'pending', options],
      }),
    )
  return traced as CallTrace
}

/** Returns the frames, outermost first, that pass their whole calldata on by DELEGATECALL, and the frame that runs it. */
function pathOf(root: CallTrace): CallTrace[] {
  const path = [root]
  while (path.length <= MAX_PROXIES) {
    const { calls = [], input } = path.at(-1)!
    // A clone with arguments appends them to the calldata.
    const next = calls.find(
      ({ type, input: passed }) =>
        type === 'DELEGATECALL' && (passed === input || (input.length >= 10 && passed.startsWith(input))),
    )
    if (next === undefined) break
    path.push(next)
  }
  return path
}
