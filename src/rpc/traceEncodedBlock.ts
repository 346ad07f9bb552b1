/** debug_traceBlock, in a lazy chunk. */
import { executedEnv, hashesUpTo } from '../core/block/attributes.ts'
import type { TransactionTrace } from '../core/trace/shapes.ts'
import type { TraceOptions } from '../core/trace/tracers.ts'
import { HeaderNotFoundError } from '../core/view/errors.ts'
import type { StoredBlock } from '../ethereum/block.ts'
import { decodeBlock } from '../ethereum/blockEncoding.ts'
import { decodeTransaction } from '../ethereum/decodeTransaction.ts'
import { InvalidBlockError } from '../ethereum/errors.ts'
import { hashHeader } from '../ethereum/header.ts'
import type { ChainRules, Rules } from '../ethereum/rules.ts'
import type { Transaction } from '../ethereum/transaction.ts'
import { BlockDecodeError, GenesisNotTraceableError } from './errors.ts'
import { createPause, type RpcContext } from './method.ts'
import { collectTraces, prepareTraces, type TracedBlock, traceTransactions } from './traces.ts'

/** Traces an RLP-encoded block, also an unknown one, on its parent's state. @throws as debug_traceBlock does */
export async function traceEncodedBlock(
  context: RpcContext,
  bytes: Uint8Array,
  options: TraceOptions = {},
): Promise<TransactionTrace[]> {
  const { viewed, read, dialect } = context
  const begin = await prepareTraces(context, options)
  const { config, reexecutions } = viewed.tip.base
  const chainRules = config.rules.withChainId(read.chainId)
  const stored = decode(bytes, chainRules)
  const { header } = stored
  if (header.number === 0n) {
    if (!dialect.tracesGenesis) throw new GenesisNotTraceableError()
    return []
  }
  const reference = { kind: 'hash', hash: header.parentHash, requireCanonical: false } as const
  const parent = await viewed.requireParent(reference)
  if (parent.block.number + 1n !== header.number) throw new HeaderNotFoundError()
  const rules = chainRules.at(header.number, header.timestamp, header.difficulty)
  const block: TracedBlock = {
    header,
    hash: hashHeader(header),
    number: header.number,
    transactions: stored.transactions.map((raw, index) => decodeIn(raw, index, rules, context)),
  }
  const env = executedEnv(header, rules, hashesUpTo(parent))
  const pause = createPause({ read, closed: read.closed })
  const reexecution = reexecutions.of(block, env, parent.state, pause)
  return collectTraces(traceTransactions(context, block, reexecution, begin))
}

function decode(bytes: Uint8Array, rules: ChainRules): StoredBlock {
  try {
    return decodeBlock(bytes, rules)
  } catch (error) {
    throw error instanceof InvalidBlockError ? new BlockDecodeError(error.message) : error
  }
}

function decodeIn(raw: Uint8Array, index: number, rules: Rules, { read }: RpcContext): Transaction {
  try {
    return decodeTransaction(raw, rules, read.crypto)
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      throw new BlockDecodeError(`transaction ${index}: ${error.message}`)
    throw error
  }
}
