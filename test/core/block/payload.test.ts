import { describe, expect, it } from 'vitest'
import type { Hash, Hex } from '../../../src/index.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { hashesOf, send, sign } from '../sequencer/support.ts'

/** EIP-7934's limit. */
const MAX_BLOCK_BYTES = 8 * 1024 * 1024
/** About as many zero bytes as the gas of one transaction pays for (EIP-7623, EIP-7825); five of them fit. */
const ZEROS: Hex = `0x${'00'.repeat(1_675_000)}`
const GAS = 16_777_216n

let signed: Promise<Hex[]> | undefined

/** Six large transactions, of one sender each; signed once, as that is slow. */
function signLarge(chain: TestChain): Promise<Hex[]> {
  const plan = { nonce: 0, data: ZEROS, gas: GAS }
  signed ??= Promise.all(
    [0, 1, 2, 3, 4, 5].map((from) => sign(chain, { ...plan, from, tip: BigInt(100 - from) })),
  )
  return signed
}

/** Sends them in the order of inclusion; the first two are published. */
async function sendLarge(chain: TestChain): Promise<Hash[]> {
  const hashes: Hash[] = []
  for (const raw of await signLarge(chain)) {
    if (hashes.length === 2) await chain.tick()
    hashes.push(await chain.preconf.request({ method: 'eth_sendRawTransaction', params: [raw] }))
  }
  return hashes
}

describe('payload', () => {
  it('fills no block beyond 8 MiB since Osaka; what does not fit waits, and smaller transactions come first', async () => {
    const chain = await startChain({ hardfork: 'osaka', gasLimit: 200_000_000n })
    const large = await sendLarge(chain)
    const behind = await send(chain, { from: 5, nonce: 1 })
    const small = await send(chain, { from: 6, nonce: 0 })
    const first = await chain.seal()
    expect(hashesOf(first)).toEqual([...large.slice(0, 5), small])
    const bytes = Number(first.block.size)
    expect(bytes).toBeGreaterThan(5 * 1_675_000)
    expect(bytes).toBeLessThanOrEqual(MAX_BLOCK_BYTES)
    const waiting = { method: 'chain_transactionStatus', params: [large[5]!] } as const
    expect(await chain.preconf.request(waiting)).toEqual({ status: 'Known', stage: 'pending' })
    expect(hashesOf(await chain.seal())).toEqual([large[5], behind])
  })

  it('has no such limit before Osaka', async () => {
    const chain = await startChain({ hardfork: 'prague', gasLimit: 200_000_000n })
    const large = await sendLarge(chain)
    const { block } = await chain.seal()
    expect(block.transactions.map(({ hash }) => hash)).toEqual(large)
    expect(Number(block.size)).toBeGreaterThan(MAX_BLOCK_BYTES)
  })
})
