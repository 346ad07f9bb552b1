/**
 * The methods of Otterscan, a block explorer, and what it requires of Erigon: a chunk that is loaded with the first of their
 * requests.
 *
 * Source: Otterscan's docs/custom-jsonrpc.md; for what it leaves open, Erigon's answers.
 */
import { bytesToHex } from '../../base/bytes.ts'
import type {
  PresealRpcBlock,
  PresealRpcPendingBlock,
  PresealRpcReceipt,
  PresealRpcTransaction,
} from '../../base/rpcTypes.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import { type CallNode, CallTree } from '../../core/trace/callTree.ts'
import type { CallTrace } from '../../core/trace/shapes.ts'
import type { TraceRun } from '../../core/trace/tracer.ts'
import type { BlockReference } from '../../core/view/blockReference.ts'
import type { BlockView } from '../../core/view/blockView.ts'
import { readCode } from '../../ethereum/state/account.ts'
import { StateUnavailableError } from '../../ethereum/state/errors.ts'
import { TransactionNotFoundError } from '../errors.ts'
import { type RpcHeader, toFullRpcBlock, toRpcBlock, toRpcHeader, toRpcReceipts } from '../format/format.ts'
import type { ReadContext, RpcContext } from '../method.ts'
import { createPause } from '../pause.ts'
import { createTraceContext, reexecute, traceTransaction } from '../traces.ts'
import { issuanceOf, NO_ISSUANCE, toDetails, toTransactions } from './blocks.ts'
import { ALL_FORKS, findCreation, fromCallTrace, toFrame, toOperations, toTraces } from './frames.ts'
import { newestOf, oldestOf, search } from './search.ts'
import type {
  OtterscanBlockDetails,
  OtterscanBlockTransactions,
  OtterscanContractCreator,
  OtterscanOperation,
  OtterscanTrace,
  OtterscanTransactions,
} from './shapes.ts'

/** A header on the wire; number and hash of the standard view's candidate are null. */
export type ViewedHeader =
  | RpcHeader
  | (Omit<RpcHeader, 'number' | 'hash'> & Pick<PresealRpcPendingBlock, 'number' | 'hash'>)

/** The header of a block; null if there is none. */
export async function header(
  { viewed }: RpcContext,
  reference: BlockReference,
): Promise<ViewedHeader | null> {
  const view = await viewed.find(reference)
  if (view === undefined) return null
  const shown = toRpcHeader(view.block.header, view.block.hash)
  return view.kind === 'candidate' ? { ...shown, number: null, hash: null } : shown
}

/** Whether an account has code. @throws HeaderNotFoundError, StateUnavailableError */
export async function hasCode(
  { viewed }: RpcContext,
  address: Address,
  reference: BlockReference | undefined,
): Promise<boolean> {
  const { state } = await viewed.require(reference)
  return readCode(state, address).length > 0
}

/** @throws TransactionNotFoundError, TraceTooLargeError, StateUnavailableError */
export async function internalOperations(context: RpcContext, hash: Hash): Promise<OtterscanOperation[]> {
  const { root } = await requireFrames(context, hash)
  return toOperations(toFrame(root))
}

/** @throws TransactionNotFoundError, TraceTooLargeError, StateUnavailableError */
export async function traces(context: RpcContext, hash: Hash): Promise<OtterscanTrace[]> {
  const { root, view } = await requireFrames(context, hash)
  return toTraces(toFrame(root), view.rules.fork)
}

/** @throws TransactionNotFoundError, TraceTooLargeError, StateUnavailableError */
export async function transactionError(context: RpcContext, hash: Hash): Promise<Hex> {
  const place = context.viewed.findTransaction(hash)
  if (place === undefined) throw new TransactionNotFoundError()
  if (place.block.receipts[place.index]!.succeeded) return '0x'
  const { root } = await requireFrames(context, hash)
  return root.error === 'execution reverted' ? bytesToHex(root.output) : '0x'
}

/** Null if there is no such block. @throws StateUnavailableError for a block older than the history. */
export async function blockDetails(
  context: RpcContext,
  reference: BlockReference,
): Promise<OtterscanBlockDetails | null> {
  const view = await findBlock(context, reference)
  if (view === undefined) return null
  const { executed: block } = view
  return toDetails(toRpcBlock(block, context.dialect), toRpcReceipts(block), issuanceOf(block))
}

/** Null if there is no such block. @throws StateUnavailableError for a block older than the history. */
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

export function searchBefore(
  context: RpcContext,
  address: Address,
  from: number,
  pageSize: number,
): Promise<OtterscanTransactions> {
  return search(context, { address, from: BigInt(from), pageSize, backward: true })
}

export function searchAfter(
  context: RpcContext,
  address: Address,
  from: number,
  pageSize: number,
): Promise<OtterscanTransactions> {
  return search(context, { address, from: BigInt(from), pageSize, backward: false })
}

export function hashByNonce({ viewed }: RpcContext, sender: Address, nonce: number): Hash | null {
  const place = viewed.findByNonce(sender, BigInt(nonce))
  return place === undefined ? null : place.block.transactions[place.index]!.hash
}

/**
 * The creation of a contract; null for an account without code, and for a contract that no transaction created here.
 *
 * @throws StateUnavailableError if the creation is older than the history.
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
 * The block in which an account got the code that it has now. Whether it has any is true from then on, so that a binary search
 * finds it, unless a contract was destroyed and created again.
 */
async function findCreationBlock({ viewed }: ReadContext, contract: Address): Promise<BlockView | undefined> {
  const at = async (number: bigint) => (await viewed.find({ kind: 'number', number }))!
  const hasCodeAt = async (number: bigint) => {
    try {
      return readCode((await at(number)).state, contract).length > 0
    } catch (error) {
      // Blocks that have left the history are as those before the creation.
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
  // If the block before has left the history, the contract may be older.
  if (high > oldestOf(viewed)) void (await at(high - 1n)).state
  return at(high)
}

/** Like `find`, but not the candidate, which has no transactions, receipts or hash. */
async function findBlock({ viewed }: ReadContext, reference: BlockReference): Promise<BlockView | undefined> {
  const view = await viewed.find(reference)
  return view?.kind === 'candidate' ? undefined : view
}

async function requireFrames(
  context: ReadContext,
  hash: Hash,
): Promise<{ readonly root: CallNode; readonly view: { readonly rules: BlockView['block']['rules'] } }> {
  const place = context.viewed.findTransaction(hash)
  const root = await traceTransaction(context, hash, () => beginFrames(context))
  if (place === undefined || root === undefined) throw new TransactionNotFoundError()
  return { root, view: place.block }
}

/** A run whose result is the outermost frame. */
function beginFrames({ read }: ReadContext): TraceRun<CallNode> {
  const tree = new CallTree(createTraceContext(read))
  return { hooks: { tracer: tree }, result: () => tree.root }
}

/** The answers about a block and a transaction of a forked node, from what it says of them. */
export const forked = {
  /** How much the block created is not known; since the merge blocks create nothing. */
  details: (block: PresealRpcBlock<PresealRpcTransaction>, receipts: readonly PresealRpcReceipt[]) =>
    toDetails(block, receipts, NO_ISSUANCE),
  transactions: toTransactions,
  operations: (trace: CallTrace) => toOperations(fromCallTrace(trace)),
  traces: (trace: CallTrace) => toTraces(fromCallTrace(trace), ALL_FORKS),
}
