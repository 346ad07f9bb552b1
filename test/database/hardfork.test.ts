/** The hardfork and the contracts of a stored chain, when the defaults of new chains are others. */
import type { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/base/bytes.ts'
import { type ChainOptions, createChain, createManualClock, type Provider } from '../../src/index.ts'
import { ask } from '../rpc/scene.ts'
import { levelOf } from './levelOf.ts'

const CLOCK = 1_700_000_000_000
/** Returns the number of leading zeros of 0, by an instruction of Osaka (EIP-7939). */
const COUNT_ZEROS = { data: '0x5f1e5f5260205ff3' }
const MULTICALL3 = '0xca11bde05977b3631167028862be2a173976ca11'
const CREATE2_PROXY = '0x4e59b44847b379578588920ca78fbf26c0b4956c'

type Level = MemoryLevel<Uint8Array, Uint8Array>

/** Opens a chain, seals a block, and returns what it has. */
async function continued(database: Level, options: ChainOptions = {}) {
  const clock = createManualClock(CLOCK)
  const chain = await createChain({ mining: 'manual', clock, database: database as never, ...options })
  await chain.seal()
  const q = (method: string, ...params: unknown[]) => ask(chain.standard as Provider, method, params)
  const found = {
    zeros: await q('eth_call', COUNT_ZEROS),
    proxy: (await q('eth_getCode', CREATE2_PROXY)) !== '0x',
    multicall3: (await q('eth_getCode', MULTICALL3)) !== '0x',
  }
  await chain.close()
  return found
}

const INVALID = expect.stringMatching(/^error -32000 invalid opcode/)

describe('a stored chain', () => {
  it.each(['paris', 'prague', 'osaka'] as const)(
    'keeps its hardfork unless one is given: %s',
    async (hardfork) => {
      const database = await levelOf([])
      const first = await continued(database, { hardfork })
      expect(first).toEqual({
        zeros: hardfork === 'osaka' ? bytesToHex(new Uint8Array(32).fill(1, 30, 31)) : INVALID,
        proxy: true,
        multicall3: true,
      })
      expect(await continued(database)).toEqual(first)
    },
  )

  it('can be given a later hardfork', async () => {
    const database = await levelOf([])
    await continued(database, { hardfork: 'prague' })
    const { zeros } = await continued(database, { hardfork: 'osaka' })
    expect(zeros).toBe(`0x${'100'.padStart(64, '0')}`)
    expect((await continued(database)).zeros).toBe(zeros)
  })
})
