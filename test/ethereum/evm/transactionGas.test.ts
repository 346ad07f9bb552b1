/** The gas that a transaction may have from Osaka on (EIP-7825), and the option that lifts it. */
import { MemoryLevel } from 'memory-level'
import { numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  type Address,
  type ChainOptions,
  createChain,
  createManualClock,
  type Hex,
  type Provider,
} from '../../../src/index.ts'
import { ask } from '../../rpc/scene.ts'

const CAP = 2n ** 24n
const LIFTED = { transactionGasCap: false } as const
/** Reverts if less than 2^24 gas is left. */
const GREEDY: Hex = '0x63010000005a11600d575f5ffd5b00'
const CONTRACT: Address = `0x${'c0'.repeat(20)}`

async function start(options: ChainOptions = {}) {
  const chain = await createChain({
    hardfork: 'osaka',
    mining: 'auto',
    clock: createManualClock(1_700_000_000_000),
    ...options,
  })
  const provider = chain.standard as Provider
  const [from, to] = chain.accounts.map(({ address }) => address) as [Address, Address]
  return { chain, from, to, q: (method: string, ...params: unknown[]) => ask(provider, method, params) }
}

const gas = numberToHex(20_000_000n)
const refusal =
  'error -32000 transaction gas limit too high (cap: 16777216, tx: 20000000); the option transactionGasCap: false lifts the cap'

describe('from Osaka on', () => {
  it('a transaction of more than 2^24 gas is refused, with an error that names the option', async () => {
    const { chain, from, to, q } = await start()
    expect(await q('eth_sendTransaction', { from, to, gas })).toBe(refusal)
    await chain.close()
  })

  it.each(['preconf', 'geth', 'hardhat'] as const)(
    'what is sent without gas never exceeds it: %s',
    async (dialect) => {
      const { chain, from, to, q } = await start({ dialect, gasLimit: 60_000_000n })
      await q('anvil_setCode', CONTRACT, '0x5a5f5500')
      const hash = await q('eth_sendTransaction', { from, to: CONTRACT })
      const { gas: sent } = (await q('eth_getTransactionByHash', hash)) as { gas: Hex }
      expect(BigInt(sent)).toBeLessThanOrEqual(CAP)
      const { tx } = (await q('eth_fillTransaction', { from, to })) as { tx: { gas: Hex } }
      expect(BigInt(tx.gas)).toBeLessThanOrEqual(CAP)
      await chain.close()
    },
  )
})

describe('transactionGasCap: false', () => {
  it.each(['preseal', 'ethereumjs'] as const)(
    'lets a transaction have the gas of a block, on %s',
    async (engine) => {
      const { chain, from, q } = await start({ ...LIFTED, engine })
      await q('anvil_setCode', CONTRACT, GREEDY)
      const estimated = BigInt((await q('eth_estimateGas', { from, to: CONTRACT })) as Hex)
      expect(estimated).toBeGreaterThan(CAP)
      for (const fields of [{}, { gas }]) {
        const hash = await q('eth_sendTransaction', { from, to: CONTRACT, ...fields })
        expect(await q('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
        expect(await q('debug_traceTransaction', hash, { tracer: 'callTracer' })).not.toHaveProperty('error')
      }
      expect(await q('eth_sendTransaction', { from, to: CONTRACT, gas: numberToHex(30_000_001n) })).toBe(
        'error -32000 exceeds block gas limit',
      )
      await chain.close()
    },
  )

  it('is kept by a database, and by an export that begins another chain', async () => {
    const database = new MemoryLevel({ storeEncoding: 'view' }) as never
    const first = await start({ ...LIFTED, database })
    const hash = await first.q('eth_sendTransaction', { from: first.from, to: first.to, gas })
    const exported = await first.chain.export()
    const block = await first.q('eth_getBlockByNumber', 'latest', true)
    await first.chain.close()
    const second = await start({ ...LIFTED, database })
    expect(await second.q('eth_getBlockByNumber', 'latest', true)).toEqual(block)
    await second.chain.close()
    const { genesis, blocks, settings } = exported
    const third = await createChain({ genesis, blocks, settings, mining: 'auto' })
    expect(await ask(third.standard as Provider, 'eth_getTransactionByHash', [hash])).toMatchObject({ gas })
    await third.close()
  })
})
