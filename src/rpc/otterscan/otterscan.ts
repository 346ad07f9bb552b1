/**
 * Methods of the block explorer Otterscan, and the Erigon methods that it requires, in a lazy chunk.
 *
 * Source: Otterscan's docs/custom-jsonrpc.md. Where the document says nothing, the answers are Erigon's.
 */

import { bytesToHex, quantity } from '../../base/bytes.ts'
import type { PresealRpcBlock, PresealRpcReceipt, PresealRpcTransaction } from '../../base/rpcTypes.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import type { Yielder } from '../../base/waiting.ts'
import { blockReward, uncleReward } from '../../core/block/systemCalls.ts'
import { type CallNode, CallTree } from '../../core/trace/callTree.ts'
import type { CallTrace } from '../../core/trace/shapes.ts'
import type { TraceRun } from '../../core/trace/tracer.ts'
import type { BlockView } from '../../core/view/blockView.ts'
import type { BlockReference } from '../../core/view/sources.ts'
import type { ViewedTip } from '../../core/view/view.ts'
import type { Block } from '../../ethereum/block.ts'
import { type FrameEnd, type FrameStart, type Hooks, isCreation } from '../../ethereum/evm/executor.ts'
import { precompilesOf } from '../../ethereum/evm/precompiles.ts'
import type { ForkRules } from '../../ethereum/forks.ts'
import { forkRules, NEWEST } from '../../ethereum/rules.ts'
import { readCode } from '../../ethereum/state/account.ts'
import { StateUnavailableError } from '../../ethereum/state/errors.ts'
import { TransactionNotFoundError } from '../errors.ts'
import {
  toFullRpcBlock,
  toRpcBlock,
  toRpcReceipt,
  toRpcReceipts,
  toRpcTransaction,
} from '../format/format.ts'
import { createPause, type ReadContext, type RpcContext } from '../method.ts'
import { createTraceContext, reexecute, traceTransaction } from '../traces.ts'

/** Lists a transaction's internal ether transfers, creations and SELFDESTRUCTs. @throws TransactionNotFoundError */
export async function internalOperations(context: RpcContext, hash: Hash): Promise<OtterscanOperation[]> {
  const { root } = await requireFrames(context, hash)
  return toOperations(toFrame(root))
}

/** Lists all frames of a transaction except precompiles'. @throws TransactionNotFoundError */
export async function traces(context: RpcContext, hash: Hash): Promise<OtterscanTrace[]> {
  const { root, fork } = await requireFrames(context, hash)
  return toTraces(toFrame(root), fork)
}

/** Returns the data of a revert, `0x` for any other outcome. @throws TransactionNotFoundError */
export async function transactionError(context: RpcContext, hash: Hash): Promise<Hex> {
  const place = context.viewed.findTransaction(hash)
  if (place === undefined) throw new TransactionNotFoundError()
  if (place.block.receipts[place.index]!.succeeded) return '0x'
  const { root } = await requireFrames(context, hash)
  return root.error === 'execution reverted' ? bytesToHex(root.output) : '0x'
}

/** Returns a block without transactions, with its issuance and fees in wei; null if the view has no such block. */
export async function blockDetails(
  context: RpcContext,
  reference: BlockReference,
): Promise<OtterscanBlockDetails | null> {
  const view = await findBlock(context, reference)
  if (view === undefined) return null
  const { executed: block } = view
  return toDetails(toRpcBlock(block, context.dialect), toRpcReceipts(block), issuanceOf(block))
}

/** Returns a page of a block's transactions; null if the view has no such block. Page 0 has the last transactions. */
export async function blockTransactions(
  context: RpcContext,
  reference: BlockReference,
  page: number,
  size: number,
): Promise<OtterscanBlockTransactions | null> {
  const view = await findBlock(context, reference)
  if (view === undefined) return null
  const { executed: block } = view
  return toTransactions(toFullRpcBlock(block, context.dialect), toRpcReceipts(block), page, size)
}

/** Finds the newest transactions of an address before a block (0: of the whole chain), listed from newest to oldest. */
export const searchBefore = toSearch(true)

/** Finds the oldest transactions of an address after a block (0: of the whole chain), listed from newest to oldest. */
export const searchAfter = toSearch(false)

/**
 * Finds the creation of a contract; null if it has no code, or no transaction created it.
 *
 * @throws StateUnavailableError if the creation is older than the history
 */
export async function contractCreator(
  context: RpcContext,
  contract: Address,
): Promise<OtterscanContractCreator | null> {
  const view = await findCreationBlock(context, contract)
  if (view === undefined) return null
  const pause = createPause(context)
  for (const index of [...view.block.transactions.keys()].reverse()) {
    const { hash } = view.block.transactions[index]!
    const run = beginFrames(context)
    const outcome = await reexecute(context, view).run(index, run.hooks, pause)
    const creator = findCreation(toFrame(run.result(view.block.transactions[index]!, outcome)), contract)
    if (creator !== undefined) return { hash, creator }
  }
  return null
}

/**
 * Finds the block that created an account's current code, by binary search. May find a wrong block if the contract was
 * destroyed and created again. Undefined if the account has no code.
 *
 * @throws StateUnavailableError if the block is older than the history
 */
async function findCreationBlock({ viewed }: ReadContext, contract: Address): Promise<BlockView | undefined> {
  const at = async (number: bigint) => (await viewed.find({ kind: 'number', number }))!
  const hasCodeAt = async (number: bigint) => {
    try {
      return readCode((await at(number)).state, contract).length > 0
    } catch (error) {
      // Blocks older than the history count as before the creation.
      if (error instanceof StateUnavailableError) return false
      throw error
    }
  }
  let [low, high] = [oldestOf(viewed), newestOf(viewed)]
  if (high < low || !(await hasCodeAt(high))) return undefined
  while (low < high) {
    const middle = (low + high) / 2n
    if (await hasCodeAt(middle)) high = middle
    else low = middle + 1n
  }
  // Throws if the block before is older than the history: then the contract may be older too.
  if (high > oldestOf(viewed)) void (await at(high - 1n)).state
  return at(high)
}

/** Like `find`, but without the candidate, which has no transactions, receipts or hash. */
async function findBlock({ viewed }: ReadContext, reference: BlockReference): Promise<BlockView | undefined> {
  const view = await viewed.find(reference)
  return view?.kind === 'candidate' ? undefined : view
}

async function requireFrames(
  context: ReadContext,
  hash: Hash,
): Promise<{ readonly root: CallNode; readonly fork: ForkRules }> {
  const place = context.viewed.findTransaction(hash)
  const root = await traceTransaction(context, hash, () => beginFrames(context))
  if (place === undefined || root === undefined) throw new TransactionNotFoundError()
  return { root, fork: place.block.rules.fork }
}

/** Starts a trace whose result is the outermost frame. */
function beginFrames({ read }: ReadContext): TraceRun<CallNode> {
  const tree = new CallTree(createTraceContext(read))
  return { hooks: tree, result: () => tree.root }
}

/** Computes answers from a forked node's blocks and transactions. */
export const forked = {
  /** Reports the issuance of a forked block as zero, as it is since the merge. */
  details: (block: PresealRpcBlock<PresealRpcTransaction>, receipts: readonly PresealRpcReceipt[]) =>
    toDetails(block, receipts, NO_ISSUANCE),
  transactions: toTransactions,
  operations: (trace: CallTrace) => toOperations(fromCallTrace(trace)),
  traces: (trace: CallTrace) => toTraces(fromCallTrace(trace), ALL_FORKS),
}

// Answers about blocks, computed from blocks and receipts in the wire format, of the chain here or a forked node.

/** Wei that a block created for its miner and for its uncles' miners. */
interface Issuance {
  readonly block: bigint
  readonly uncles: bigint
}

const NO_ISSUANCE: Issuance = { block: 0n, uncles: 0n }

function issuanceOf({
  header,
  rules,
  uncles,
  number,
}: Pick<Block, 'header' | 'rules' | 'uncles' | 'number'>): Issuance {
  if (rules.fork.paris || header.number === 0n) return NO_ISSUANCE
  const shares = uncles.map((uncle) => uncleReward(rules.fork, uncle, number))
  return {
    block: blockReward(rules.fork, uncles.length),
    uncles: shares.reduce((sum, share) => sum + share, 0n),
  }
}

function toDetails(
  block: PresealRpcBlock,
  receipts: readonly PresealRpcReceipt[],
  issuance: Issuance,
): OtterscanBlockDetails {
  const fees = receipts.reduce(
    (sum, { gasUsed, effectiveGasPrice }) => sum + BigInt(gasUsed) * BigInt(effectiveGasPrice),
    0n,
  )
  return {
    block: withoutTransactions(block),
    issuance: {
      blockReward: quantity(issuance.block),
      uncleReward: quantity(issuance.uncles),
      issuance: quantity(issuance.block + issuance.uncles),
    },
    totalFees: quantity(fees),
  }
}

/** Returns the result of ots_getBlockTransactions. Page 0 has the last transactions of the block. */
function toTransactions(
  block: PresealRpcBlock<PresealRpcTransaction>,
  receipts: readonly PresealRpcReceipt[],
  page: number,
  size: number,
): OtterscanBlockTransactions {
  const end = Math.max(0, block.transactions.length - page * size)
  const start = Math.max(0, end - size)
  return {
    fullblock: {
      ...withoutTransactions(block),
      transactions: block.transactions.slice(start, end).map((tx) => ({ ...tx, input: selectorOf(tx) })),
    },
    receipts: receipts.slice(start, end).map((receipt) => ({ ...receipt, logs: null, logsBloom: null })),
  }
}

function withoutTransactions({
  transactions,
  ...block
}: PresealRpcBlock<Hash | PresealRpcTransaction>): OtterscanBlock {
  return { ...block, transactionCount: transactions.length, logsBloom: null }
}

function selectorOf({ input }: PresealRpcTransaction): PresealRpcTransaction['input'] {
  return input.slice(0, 10) as PresealRpcTransaction['input']
}

// Traces from the frames of a transaction.

interface Frame extends Omit<OtterscanTrace, 'depth' | 'type' | 'value'>, Pick<FrameStart, 'type'> {
  readonly value: Hex
  readonly error?: string | undefined
  readonly calls: readonly Frame[]
}

function toFrame({ type, from, to, created, value, input, output, error, calls }: CallNode): Frame {
  return {
    type,
    from,
    to: to ?? created ?? null,
    value: quantity(value),
    input: bytesToHex(input),
    output: bytesToHex(output),
    error,
    calls: calls.map(toFrame),
  }
}

/** Converts a frame of a forked node's callTracer, which omits empty fields. */
function fromCallTrace({ type, from, to, value, input, output, error, calls }: CallTrace): Frame {
  return {
    type,
    from,
    to: to ?? null,
    value: value ?? '0x0',
    input,
    output: output ?? '0x',
    error,
    calls: (calls ?? []).map(fromCallTrace),
  }
}

/** Rules of the newest fork, for frames of an unknown fork. */
const ALL_FORKS = forkRules(NEWEST)

/** Lists all frames except precompiles', each before the frames it called. */
function toTraces(root: Frame, fork: ForkRules): OtterscanTrace[] {
  const precompiles = precompilesOf(fork)
  const shown: OtterscanTrace[] = []
  for (const [{ type, from, to, value, input, output }, depth] of walk(root, 0)) {
    if (to !== null && precompiles.has(to) && type !== 'SELFDESTRUCT') continue
    const transfers = type !== 'STATICCALL' && type !== 'DELEGATECALL'
    shown.push({ type, depth, from, to, value: transfers ? value : null, input, output })
  }
  return shown
}

const OPERATIONS: ReadonlyMap<Frame['type'], OtterscanOperation['type']> = new Map([
  ['CALL', 0],
  ['SELFDESTRUCT', 1],
  ['CREATE', 2],
  ['CREATE2', 3],
])

/** Lists ether transfers, creations and SELFDESTRUCTs below the outermost frame. */
function toOperations(root: Frame): OtterscanOperation[] {
  const operations: OtterscanOperation[] = []
  for (const [{ type: kind, from, to, value }, depth] of walk(root, 0)) {
    const type = OPERATIONS.get(kind)
    if (depth === 0 || type === undefined || (type === 0 && value === '0x0')) continue
    operations.push({ type, from, to, value })
  }
  return operations
}

/** Returns the creator of a contract in the last creation that was not reverted; undefined if there is none. */
function findCreation(root: Frame, contract: Address): Address | undefined {
  if (root.error !== undefined) return undefined
  for (const call of root.calls.toReversed()) {
    const creator = findCreation(call, contract)
    if (creator !== undefined) return creator
  }
  return isCreation(root.type) && root.to === contract ? root.from : undefined
}

function* walk(frame: Frame, depth: number): Generator<readonly [frame: Frame, depth: number]> {
  yield [frame, depth]
  for (const call of frame.calls) yield* walk(call, depth + 1)
}

// Transactions of an address, page by page. A transaction is found if the address is its sender, its recipient or the
// contract that it created. If not, it is executed again, and found if a frame is from or to the address. A plain
// transfer is not executed again, since it has no further frames.

/** An address's transactions in one block. */
interface Match {
  readonly block: Block
  readonly indices: readonly number[]
}

/**
 * Creates a search by block that ends when a page is full and one more match is found. A page contains all matches in
 * its last block.
 *
 * @param backward - whether to search towards older blocks.
 * @returns a search that starts next to block `from`. If `from` is 0, it starts at the newest block, or at the oldest
 *   one for a search towards newer blocks.
 */
function toSearch(backward: boolean) {
  return async (
    context: RpcContext,
    address: Address,
    from: number,
    pageSize: number,
  ): Promise<OtterscanTransactions> => {
    const pause = createPause(context)
    const matches: Match[] = []
    let count = 0
    let hasMore = false
    for (const number of numbersOf(context.viewed, BigInt(from), backward)) {
      const match = await findInBlock(context, number, address, pause)
      if (match === undefined) continue
      hasMore = count >= pageSize
      if (hasMore) break
      matches.push(match)
      count += match.indices.length
    }
    const newestFirst = backward ? matches : matches.reverse()
    const places = newestFirst.flatMap(({ block, indices }) =>
      [...indices].reverse().map((index) => ({ block, index })),
    )
    return {
      txs: places.map((place) => toRpcTransaction(place.block.transactions[place.index]!, place)),
      receipts: places.map(({ block, index }) => ({
        ...toRpcReceipt(block, index),
        timestamp: Number(block.timestamp),
      })),
      firstPage: backward ? from === 0 : !hasMore,
      lastPage: backward ? !hasMore : from === 0,
    }
  }
}

/** Returns the newest block of a view: its preconf block, or the head. */
function newestOf({ preconfBlock, tip }: ViewedTip): bigint {
  return (preconfBlock ?? tip.head).block.number
}

/** Returns the oldest block whose transactions the chain here has: on a fork, the first one after it. */
function oldestOf({ tip: { base } }: ViewedTip): bigint {
  return base.fork === undefined ? 0n : base.fork.number + 1n
}

function* numbersOf(viewed: ViewedTip, from: bigint, backward: boolean): Generator<bigint> {
  const [oldest, newest] = [oldestOf(viewed), newestOf(viewed)]
  if (backward) {
    const start = from === 0n || from > newest ? newest : from - 1n
    for (let number = start; number >= oldest; number--) yield number
  } else {
    const start = from === 0n || from < oldest ? oldest : from + 1n
    for (let number = start; number <= newest; number++) yield number
  }
}

/** Finds an address's transactions in a block; undefined if there are none, or the block is older than the history. */
async function findInBlock(
  context: ReadContext,
  number: bigint,
  address: Address,
  pause: Yielder,
): Promise<Match | undefined> {
  const wait = pause()
  if (wait) await wait
  const view = await context.viewed.find({ kind: 'number', number })
  if (view === undefined || view.block.transactions.length === 0) return undefined
  try {
    const indices: number[] = []
    for (const index of view.block.transactions.keys()) {
      if (await touches(context, view, index, address, pause)) indices.push(index)
      const wait = pause()
      if (wait) await wait
    }
    return indices.length === 0 ? undefined : { block: view.executed, indices }
  } catch (error) {
    if (error instanceof StateUnavailableError) return undefined
    throw error
  }
}

/** Gas of a transfer to an account without code. */
const TRANSFER_GAS = 21_000n

async function touches(
  context: ReadContext,
  view: BlockView,
  index: number,
  address: Address,
  pause: Yielder,
): Promise<boolean> {
  const { transactions, receipts } = view.executed
  const [tx, receipt] = [transactions[index]!, receipts[index]!]
  if (tx.from === address || tx.to === address || receipt.contractAddress === address) return true
  if (tx.to !== null && receipt.gasUsed === TRANSFER_GAS) return false
  const frames = new TouchingFrames(address)
  await reexecute(context, view).run(index, frames, pause)
  return frames.found
}

/** Detects frames from or to an account. */
class TouchingFrames implements Hooks {
  readonly #address: Address
  found = false

  constructor(address: Address) {
    this.#address = address
  }

  onStart(): void {
    this.found = false
  }

  onEnter({ from, to }: FrameStart): void {
    if (from === this.#address || to === this.#address) this.found = true
  }

  onExit({ created }: FrameEnd): void {
    if (created === this.#address) this.found = true
  }
}

// Wire results of Otterscan's methods.

/** An operation within a transaction: transfer of ether (0), SELFDESTRUCT (1), CREATE (2) or CREATE2 (3). */
export interface OtterscanOperation {
  readonly type: 0 | 1 | 2 | 3
  readonly from: Address
  /** Receiver, created contract, or beneficiary of a SELFDESTRUCT; null if a creation has no address. */
  readonly to: Address | null
  /** Wei. */
  readonly value: Hex
}

/** One frame of a transaction. */
export interface OtterscanTrace {
  readonly type: CallTrace['type']
  /** 0 in the outermost frame. */
  readonly depth: number
  readonly from: Address
  readonly to: Address | null
  /** Wei; null for STATICCALL and DELEGATECALL, which transfer none. */
  readonly value: Hex | null
  readonly input: Hex
  readonly output: Hex
}

/** A block with its number of transactions, without bloom. */
export type OtterscanBlock = Omit<PresealRpcBlock, 'transactions' | 'logsBloom'> & {
  readonly transactionCount: number
  readonly logsBloom: null
}

/** A block without transactions, its issuance and its fees. */
export interface OtterscanBlockDetails {
  readonly block: OtterscanBlock
  /** Wei that the block created; zero since the merge. */
  readonly issuance: { readonly blockReward: Hex; readonly uncleReward: Hex; readonly issuance: Hex }
  /** Wei that senders paid for gas, including the base fee. */
  readonly totalFees: Hex
}

/** A receipt without its logs. */
export type OtterscanReceipt = Omit<PresealRpcReceipt, 'logs' | 'logsBloom'> & {
  readonly logs: null
  readonly logsBloom: null
}

/** A page of a block's transactions, with the first four bytes of their input, and their receipts. */
export interface OtterscanBlockTransactions {
  readonly fullblock: OtterscanBlock & { readonly transactions: readonly PresealRpcTransaction[] }
  readonly receipts: readonly OtterscanReceipt[]
}

/** A page of an address's transactions, newest first, and their receipts. */
export interface OtterscanTransactions {
  readonly txs: readonly PresealRpcTransaction[]
  /** Each with its block's Unix time in seconds. */
  readonly receipts: readonly (PresealRpcReceipt & { readonly timestamp: number })[]
  /** Whether there are no newer transactions. */
  readonly firstPage: boolean
  /** Whether there are no older transactions. */
  readonly lastPage: boolean
}

/** The creation of a contract. */
export interface OtterscanContractCreator {
  /** Hash of the creating transaction. */
  readonly hash: Hash
  /** The account that created it: the sender or a contract. */
  readonly creator: Address
}
