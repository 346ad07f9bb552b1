import { describe, expect, it } from 'vitest'
import type { Hash, Hex, Provider } from '../../../src/index.ts'
import { ask, probeCall, send, startScene } from '../scene.ts'

async function hashOf(provider: Provider, sender: Hex, nonce: number): Promise<Hash | null | undefined> {
  const params: [Hex, Hex] = [sender, `0x${nonce.toString(16)}`]
  return (await provider.request({ method: 'eth_getTransactionBySenderAndNonce', params }))?.hash
}

describe('eth_getTransactionBySenderAndNonce', () => {
  it('returns a transaction as eth_getTransactionByHash does, at every stage', async () => {
    const { chain, accounts, first, preconfBlock, waiting, queued } = await startScene()
    const cases = [
      ['0x0', accounts[1]!, first.block.transactions[0]!.hash],
      ['0x1', accounts[0]!, first.block.transactions[2]!.hash],
      ['0x3', accounts[0]!, preconfBlock.block.transactions[0]!.hash],
      ['0x2', accounts[1]!, preconfBlock.block.transactions[3]!.hash],
      ['0x0', accounts[2]!, waiting],
      ['0x1', accounts[3]!, queued],
    ] as const
    for (const provider of [chain.standard, chain.preconf]) {
      for (const [nonce, sender, hash] of cases) {
        const byNonce = await ask(provider, 'eth_getTransactionBySenderAndNonce', [sender, nonce])
        expect(byNonce).toMatchObject({ hash, from: sender, nonce })
        expect(byNonce).toEqual(await ask(provider, 'eth_getTransactionByHash', [hash]))
      }
    }
  })

  it('returns null if the sender did not use the nonce', async () => {
    const { chain, accounts, token } = await startScene()
    for (const provider of [chain.standard, chain.preconf]) {
      expect(await hashOf(provider, accounts[0]!, 5)).toBeUndefined()
      expect(await hashOf(provider, accounts[3]!, 0)).toBeUndefined()
      // The nonce of a contract is 1 from its creation on, although it sent no transaction.
      expect(await hashOf(provider, token, 0)).toBeUndefined()
      expect(
        await ask(provider, 'eth_getTransactionBySenderAndNonce', [accounts[3], '0xffffffffffffffff']),
      ).toBeNull()
    }
  })

  it('finds every transaction in the blocks of the history', async () => {
    const { chain, accounts, probe } = await startScene({ history: { blocks: 8, proofs: 2 } })
    const [sender] = accounts.slice(5)
    const sent: Hash[] = []
    // Blocks with none, one and several of the sender's transactions.
    for (const count of [1, 0, 2, 1, 0, 0, 3, 1, 0, 2, 0]) {
      for (let i = 0; i < count; i++) {
        sent.push(await send(chain, 5, { nonce: sent.length, to: probe, data: probeCall('set', [1n, 1n]) }))
      }
      await chain.clock.advance(2000)
      await chain.seal()
    }
    const found = await Promise.all(sent.map((_, nonce) => hashOf(chain.standard, sender!, nonce)))
    const kept = await Promise.all(
      sent.map((hash) => chain.standard.request({ method: 'eth_getTransactionByHash', params: [hash] })),
    )
    expect(found).toEqual(kept.map((tx) => tx?.hash))
    expect(found.filter((hash) => hash !== undefined)).toEqual(sent.slice(3))
  })

  it('finds a transaction of the oldest block in the history after a cheat lowered the nonce in its state', async () => {
    const { chain, accounts, probe } = await startScene({ history: { blocks: 2 } })
    const sender = accounts[5]!
    const sent = await send(chain, 5, { nonce: 0, to: probe, data: probeCall('set', [1n, 1n]) })
    await chain.seal()
    await ask(chain.standard, 'anvil_setNonce', [sender, '0x0'])
    await chain.seal()
    expect(await hashOf(chain.standard, sender, 0)).toBe(sent)
    await chain.seal()
    expect(await hashOf(chain.standard, sender, 0)).toBeUndefined()
  })

  it('finds the replacement of a waiting transaction', async () => {
    const { chain, accounts } = await startScene()
    const before = await send(chain, 6, {
      nonce: 0,
      to: accounts[0]!,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 10n ** 9n,
    })
    expect(await hashOf(chain.standard, accounts[6]!, 0)).toBe(before)
    const after = await send(chain, 6, {
      nonce: 0,
      to: accounts[0]!,
      maxFeePerGas: 2n * 10n ** 10n,
      maxPriorityFeePerGas: 2n * 10n ** 9n,
    })
    expect(await hashOf(chain.standard, accounts[6]!, 0)).toBe(after)
  })

  it('finds the newest transaction that used a nonce, also after a cheat changed the nonce', async () => {
    const { chain, accounts, probe } = await startScene()
    const sender = accounts[5]!
    const setNonce = (nonce: Hex) => ask(chain.standard, 'anvil_setNonce', [sender, nonce])
    const seal = async (nonce: number, value: bigint) => {
      const hash = await send(chain, 5, { nonce, to: probe, data: probeCall('set', [1n, value]) })
      await chain.seal()
      return hash
    }
    const found = (provider: Provider) =>
      Promise.all([0, 1, 2, 3, 7, 8].map((nonce) => hashOf(provider, sender, nonce)))
    const [zero, one] = [await seal(0, 1n), await seal(1, 1n)]
    await setNonce('0x7')
    const seven = await seal(7, 1n)
    await setNonce('0x1')
    expect(await found(chain.standard)).toEqual([zero, one, undefined, undefined, seven, undefined])
    const again = await seal(1, 2n)
    const pending = await send(chain, 5, { nonce: 2, to: probe, data: probeCall('set', [1n, 3n]) })
    await chain.tick()
    expect(again).not.toBe(one)
    expect(await found(chain.standard)).toEqual([zero, again, pending, undefined, seven, undefined])
    expect(await found(chain.preconf)).toEqual([zero, again, pending, undefined, seven, undefined])
    await ask(chain.standard, 'anvil_rollback', [1])
    await ask(chain.standard, 'anvil_dropAllTransactions')
    expect(await found(chain.preconf)).toEqual([zero, one, undefined, undefined, seven, undefined])
  })
})
