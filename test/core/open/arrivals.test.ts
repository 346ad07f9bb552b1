/** Signed transactions that take long to check, and other requests of their accounts. */
import { describe, expect, it } from 'vitest'
import type { Hex } from '../../../src/index.ts'
import { provenBlob, signBare, wrap } from '../../blobs.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { hashesOf, sign } from '../sequencer/support.ts'

/** Transactions that are sent at once. */
const BURST = 100

const burstOf = (chain: TestChain): Promise<Hex[]> =>
  Promise.all(Array.from({ length: BURST }, (_, nonce) => sign(chain, { nonce })))

const sendRaw = ({ preconf }: TestChain, raw: Hex) =>
  preconf.request({ method: 'eth_sendRawTransaction', params: [raw] })

async function blobTransaction({ accounts }: TestChain, nonce: number): Promise<Hex> {
  const blobs = [provenBlob()]
  return wrap(await signBare(accounts[0]!.privateKey, blobs, { nonce, value: 0n }), blobs)
}

describe('signed transactions', () => {
  it('with blobs keep their order among the requests of their account, and hold up no other', async () => {
    const chain = await startChain({ blobs: true })
    const [from, other] = chain.accounts.map(({ address }) => address)
    const blob = await blobTransaction(chain, 0)
    const foreign = await sign(chain, { from: 2, nonce: 0 })
    // It would replace the first, if that did not wait already.
    const late = await sign(chain, { nonce: 0, cap: 10n ** 9n })
    const order: string[] = []
    const note = <T>(name: string, answer: Promise<T>) => answer.finally(() => order.push(name))
    const [first, second, refused, third] = await Promise.all([
      note('blobs', sendRaw(chain, blob)),
      note('same account', ask(chain.preconf, 'eth_sendTransaction', [{ from, to: other }])),
      note('replacement', ask(chain.preconf, 'eth_sendRawTransaction', [late])),
      note('other account', sendRaw(chain, foreign)),
      note('change', ask(chain.preconf, 'evm_mine', [])),
    ])
    expect(order.indexOf('other account')).toBeLessThan(order.indexOf('blobs'))
    expect(order.indexOf('blobs')).toBeLessThan(order.indexOf('same account'))
    expect(refused).toMatch(/^error -32000 /)
    const places = [first, second, third].map(async (hash) => {
      const { nonce, blockNumber } = (await ask(chain.preconf, 'eth_getTransactionByHash', [hash])) as Record<
        string,
        unknown
      >
      return { nonce, blockNumber }
    })
    expect(await Promise.all(places)).toEqual([
      { nonce: '0x0', blockNumber: '0x1' },
      { nonce: '0x1', blockNumber: '0x1' },
      { nonce: '0x0', blockNumber: '0x1' },
    ])
  })

  it.each(['manual', 'auto'] as const)(
    'of a burst come before a later request of their account: %s',
    async (mining) => {
      const chain = await startChain({ mining })
      const [from, other] = chain.accounts.map(({ address }) => address)
      const raws = await burstOf(chain)
      const [last, ...hashes] = await Promise.all([
        // Arrives last: its promise is made after those of the burst.
        Promise.resolve().then(() => ask(chain.preconf, 'eth_sendTransaction', [{ from, to: other }])),
        ...raws.map((raw) => sendRaw(chain, raw)),
      ])
      const { block } = await chain.seal()
      const blocks = []
      for (let number = 1; number <= Number(block.number); number++) {
        blocks.push(
          await chain.preconf.request({
            method: 'eth_getBlockByNumber',
            params: [`0x${number.toString(16)}`, false],
          }),
        )
      }
      const included = blocks.map((one) => one!.transactions)
      expect(included.flat()).toEqual([...hashes, last])
      expect(included.filter((one) => one.length > 0)).toHaveLength(mining === 'auto' ? 2 : 1)
    },
  )

  it('of a burst enter after a change that arrived before them', async () => {
    const chain = await startChain()
    const id = await chain.snapshot()
    const raws = await burstOf(chain)
    await Promise.all(raws.map((raw) => sendRaw(chain, raw)))
    await chain.seal()
    const [, ...hashes] = await Promise.all([chain.revert(id), ...raws.map((raw) => sendRaw(chain, raw))])
    expect(hashesOf(await chain.seal())).toEqual(hashes)
  })
  it('of a burst are all seen by an operation that arrives after them', async () => {
    const chain = await startChain()
    const sent = Promise.all((await burstOf(chain)).map((raw) => sendRaw(chain, raw)))
    expect(hashesOf(await chain.tick())).toEqual(await sent)
  })

  it('of a burst that is not awaited are answered before the clock advances', async () => {
    const chain = await startChain()
    let answered = 0
    for (const raw of await burstOf(chain)) void sendRaw(chain, raw).then(() => (answered += 1))
    await chain.clock.advance(0)
    expect(answered).toBe(BURST)
  })

  it('of a burst are refused if the chain is closed meanwhile', async () => {
    const chain = await startChain()
    const raws = await burstOf(chain)
    const sent = Promise.all(raws.map((raw) => ask(chain.preconf, 'eth_sendRawTransaction', [raw])))
    const tick = chain.tick().catch(String)
    await chain.close()
    expect(await tick).toBe('DisconnectedError: disconnected')
    expect(await sent).toEqual(raws.map(() => 'error 4900 disconnected'))
  })
})
