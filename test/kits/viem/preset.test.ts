import { createPublicClient } from 'viem'
import { describe, expect, it } from 'vitest'
import { chainTransport, preseal, toViemChain } from '../../../src/kits/viem/index.ts'
import { startChain } from '../../harness.ts'
import { flush, startRemote } from '../worker/support.ts'

/** All fields except the function that viem adds. */
function fieldsOf(definition: object) {
  return Object.fromEntries(Object.entries(definition).filter(([name]) => name !== 'extend'))
}

describe('viem preset', () => {
  it('is the definition of a chain with the default options', async () => {
    const chain = await startChain()
    const client = createPublicClient({ chain: preseal, transport: chainTransport(chain) })
    expect(await client.getChainId()).toBe(preseal.id)
    expect(fieldsOf(toViemChain(chain))).toEqual(fieldsOf(preseal))
    expect(client.experimental_blockTag).toBe('pending')
  })

  it('is derived with the current id of the chain', async () => {
    const chain = await startChain()
    await chain.standard.request({ method: 'anvil_setChainId', params: [5] })
    expect(toViemChain(chain).id).toBe(5)
  })

  it('is derived for a chain with other options', async () => {
    const chain = await startChain({ chainId: 10, blockTime: 1000, preconfInterval: 100 })
    const definition = toViemChain(chain, { name: 'ten' })
    expect(fieldsOf(definition)).toEqual({
      ...fieldsOf(preseal),
      id: 10,
      name: 'ten',
      blockTime: 1000,
      experimental_preconfirmationTime: 100,
    })
    await chain.close()
    expect(fieldsOf(toViemChain(chain, { name: 'ten' }))).toEqual(fieldsOf(definition))
  })

  it('is derived from a chain in a worker, with its current block time', async () => {
    const { chain, remote } = await startRemote({ chainId: 10 })
    await chain.standard.request({ method: 'anvil_setIntervalMining', params: [3] })
    await flush(remote)
    expect(fieldsOf(toViemChain(remote))).toEqual(fieldsOf(toViemChain(chain)))
    expect(toViemChain(remote)).toMatchObject({
      id: 10,
      blockTime: 3000,
      experimental_preconfirmationTime: 200,
    })
  })
})
