/** Blocks of a chain simulated again on their parents, by eth_simulateV1. */

import { PresealRpcError } from '../../src/base/errors.ts'
import type { SimulatedRpcBlock } from '../../src/base/rpcTypes.ts'
import type { Hash } from '../../src/base/types.ts'
import type {
  PresealChain,
  PresealRpcBlock,
  PresealRpcLog,
  PresealRpcReceipt,
  PresealRpcTransaction,
} from '../../src/index.ts'

/** How a simulated block differs from that of the chain. */
export interface SimulationComparison {
  readonly differences: readonly string[]
  /** Why the block was not simulated: its rules or its fields cannot be expressed. */
  readonly omitted?: string
}

/** The fields of a header that follow from the transactions, and do not depend on their signatures. */
const EXECUTED = [
  'gasUsed',
  'logsBloom',
  'receiptsRoot',
  'blobGasUsed',
  'requestsHash',
  'withdrawalsRoot',
] as const

/**
 * Simulates a block of a chain on its parent, its transactions as calls, and compares the gas, status and logs of
 * each, and what the header says of all of them.
 */
export async function compareSimulation(chain: PresealChain, hash: Hash): Promise<SimulationComparison> {
  const request = <T>(method: string, ...params: unknown[]) =>
    chain.preconf.request({ method, params } as never) as Promise<T>
  const block = await request<PresealRpcBlock<PresealRpcTransaction>>('eth_getBlockByHash', hash, true)
  const parent = await request<PresealRpcBlock>('eth_getBlockByHash', block.parentHash, false)
  if (BigInt(block.difficulty) === 0n && BigInt(parent.difficulty) > 0n) {
    return { differences: [], omitted: 'a block that is simulated on one before the merge is before it too' }
  }
  let simulated: SimulatedRpcBlock
  try {
    const payload = { validation: true, blockStateCalls: [toBlockCalls(block)] }
    const [first] = await request<SimulatedRpcBlock[]>('eth_simulateV1', payload, parent.number)
    simulated = first!
  } catch (error) {
    if (!(error instanceof PresealRpcError) || error.code !== -32602) throw error
    return { differences: [], omitted: error.message }
  }
  const receipts = await request<PresealRpcReceipt[]>('eth_getBlockReceipts', block.number)
  const differences: string[] = []
  const expect = (what: string, got: unknown, expected: unknown) => {
    const [one, other] = [JSON.stringify(got), JSON.stringify(expected)]
    if (one !== other) differences.push(`${what} is ${one}, not ${other}`)
  }
  expect('the number of calls', simulated.calls.length, receipts.length)
  for (const [i, { gasUsed, status, logs, error }] of simulated.calls.entries()) {
    const receipt = receipts[i]!
    const failure = error === undefined ? '' : ` (${JSON.stringify(error)})`
    expect(`gasUsed of call ${i}${failure}`, gasUsed, receipt.gasUsed)
    // Before Byzantium a receipt has no status.
    if (receipt.status !== undefined) expect(`status of call ${i}${failure}`, status, receipt.status)
    expect(`logs of call ${i}`, logs.map(toContent), receipt.logs.map(toContent))
  }
  // The rewards for uncles are part of the state.
  const fields = block.uncles.length === 0 ? [...EXECUTED, 'stateRoot' as const] : EXECUTED
  for (const field of fields) expect(field, simulated[field], block[field])
  return { differences }
}

function toContent({ address, topics, data }: PresealRpcLog): unknown {
  return [address, topics, data]
}

/** The transactions of a block as calls, with the fields of its header. */
function toBlockCalls(block: PresealRpcBlock<PresealRpcTransaction>): object {
  return {
    calls: block.transactions.map(({ gasPrice, to, ...tx }) => ({
      ...tx,
      ...(to !== null && { to }),
      ...(tx.maxFeePerGas === undefined && { gasPrice }),
    })),
    blockOverrides: {
      number: block.number,
      time: block.timestamp,
      gasLimit: block.gasLimit,
      feeRecipient: block.miner,
      prevRandao: block.mixHash,
      difficulty: block.difficulty,
      ...(block.baseFeePerGas !== undefined && { baseFeePerGas: block.baseFeePerGas }),
      ...(block.parentBeaconBlockRoot !== undefined && { beaconRoot: block.parentBeaconBlockRoot }),
      ...(block.withdrawals !== undefined && { withdrawals: block.withdrawals }),
    },
  }
}
