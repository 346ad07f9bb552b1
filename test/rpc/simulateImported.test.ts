/** Simulates every block of an external chain on its parent; the roots are the same. */
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SimulatedRpcBlock } from '../../src/base/rpcTypes.ts'
import {
  type ChainOptions,
  createChain,
  createManualClock,
  type Hex,
  type PresealChain,
  type PresealRpcBlock,
  type PresealRpcLog,
  type PresealRpcReceipt,
  type PresealRpcTransaction,
} from '../../src/index.ts'
import { EXECUTION_APIS } from '../conformance/served.ts'
import { VectorFolder } from '../conformance/vectors.ts'
import { externalChain, GENESIS, PAID, SENDER, toBytes } from '../core/import/externalChain.ts'

const FIELDS = [
  'number',
  'timestamp',
  'miner',
  'gasLimit',
  'difficulty',
  'mixHash',
  'baseFeePerGas',
  'gasUsed',
  'logsBloom',
  'receiptsRoot',
  'stateRoot',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
] as const

const request = <T>(chain: PresealChain, method: string, ...params: unknown[]) =>
  chain.preconf.request({ method, params }) as Promise<T>

/** A transaction as an unsigned call. */
function toCall(tx: PresealRpcTransaction): Record<string, unknown> {
  const { from, to, nonce, gas, value, input, accessList, authorizationList, blobVersionedHashes } = tx
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas } = tx
  const fees = tx.type === '0x0' || tx.type === '0x1' ? { gasPrice } : { maxFeePerGas, maxPriorityFeePerGas }
  const call = { from, nonce, gas, value, input, ...fees, accessList, authorizationList }
  return { ...call, ...(to && { to }), blobVersionedHashes, maxFeePerBlobGas }
}

const bare = ({ address, topics, data }: PresealRpcLog) => ({ address, topics, data })

/** The differences between blocks and their simulations, except state roots that include uncle rewards. */
async function differences(chain: PresealChain): Promise<unknown[]> {
  const head = Number(await request<Hex>(chain, 'eth_blockNumber'))
  expect(head).toBeGreaterThan(0)
  const found: unknown[] = []
  for (let number = 1; number <= head; number++) {
    const at = `0x${number.toString(16)}`
    const block = await request<PresealRpcBlock<PresealRpcTransaction>>(
      chain,
      'eth_getBlockByNumber',
      at,
      true,
    )
    const receipts = await request<PresealRpcReceipt[]>(chain, 'eth_getBlockReceipts', at)
    const { timestamp, miner, gasLimit, mixHash, difficulty, baseFeePerGas, withdrawals } = block
    const blockOverrides = {
      time: timestamp,
      feeRecipient: miner,
      gasLimit,
      prevRandao: mixHash,
      difficulty,
      baseFeePerGas,
      withdrawals,
      beaconRoot: block.parentBeaconBlockRoot,
    }
    const [simulated] = await request<SimulatedRpcBlock[]>(
      chain,
      'eth_simulateV1',
      { blockStateCalls: [{ blockOverrides, calls: block.transactions.map(toCall) }], validation: true },
      `0x${(number - 1).toString(16)}`,
    )
    const paysUncles = block.uncles.length > 0
    for (const field of FIELDS) {
      if (paysUncles && field === 'stateRoot') continue
      if (simulated![field] !== block[field]) found.push([number, field, simulated![field], block[field]])
    }
    for (const [i, { gasUsed, logs }] of receipts.entries()) {
      const call = simulated!.calls[i]!
      if (call.gasUsed !== gasUsed) found.push([number, i, call])
      expect(call.logs.map(bare)).toEqual(logs.map(bare))
    }
  }
  return found
}

describe('simulation on imported blocks', () => {
  it('reproduces the roots of proof-of-work blocks and of every later hardfork', async () => {
    const blocks = toBytes(await externalChain())
    const chain = await startImported({ genesis: GENESIS, blocks })
    expect(await differences(chain)).toEqual([])
  })

  it('has no base fee before London, even with an override', async () => {
    const blocks = toBytes(await externalChain())
    const chain = await startImported({ genesis: GENESIS, blocks })
    const simulated = (blockOverrides: object) => {
      const calls = [{ from: SENDER, to: PAID, value: '0x1' }]
      const params = { blockStateCalls: [{ blockOverrides, calls }] }
      return request<SimulatedRpcBlock[]>(chain, 'eth_simulateV1', params, '0x1')
    }
    expect(await simulated({ baseFeePerGas: '0x5' })).toEqual(await simulated({}))
  })

  it.skipIf(EXECUTION_APIS === undefined)('reproduces the roots of the execution-apis chain', async () => {
    const chain = await startImported((await VectorFolder.open(EXECUTION_APIS!)).chain)
    expect(await differences(chain)).toEqual([])
  })
})

async function startImported(options: ChainOptions): Promise<PresealChain> {
  const clock = createManualClock(1_000_000)
  const limits = { gasCap: 2n ** 40n }
  const chain = await createChain({ mining: 'manual', clock, limits, ...options })
  onTestFinished(() => chain.close())
  return chain
}
