import fc from 'fast-check'
import { encodeFunctionData } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Address, Hex } from '../../../../src/base/types.ts'
import { toGethGenesis } from '../../../../src/core/open/genesis.ts'
import { resolveOptions } from '../../../../src/core/options.ts'
import type { Provider } from '../../../../src/index.ts'
import { Probe } from '../../../contracts/artifacts.ts'
import { runs } from '../../../full.ts'
import { startChain, viemOn } from '../../../harness.ts'
import { hex, push } from '../programs.ts'

const PROBE: Address = `0x${'bb'.repeat(20)}`
const START = 1_700_000_000
const BLOCKS = 7

interface Call {
  readonly block: number | 'latest' | 'pending'
  readonly standard: boolean
  readonly to: Address | null
  readonly data: Hex
}

const abi = Probe.abi
const probe = (
  functionName: 'context' | 'get' | 'hashOf' | 'burnGas' | 'fail' | 'invalid',
  ...args: bigint[]
) => ({
  to: PROBE,
  data: encodeFunctionData({ abi, functionName, args } as never),
})
/** Init code that returns what transient storage held before it writes there, and the result of an opcode. */
const creation = (op: string) => ({
  to: null,
  data: hex(`${op}${push(0)}52${push(0)}5c${push(32)}52${push(7)}${push(0)}5d${push(64)}${push(0)}f3`),
})

const call: fc.Arbitrary<Call> = fc
  .record({
    block: fc.oneof(fc.nat(BLOCKS), fc.constantFrom('latest' as const, 'pending' as const)),
    standard: fc.boolean(),
    what: fc.oneof(
      fc.constant(probe('context')),
      fc.constantFrom(0n, 1n).map((slot) => probe('get', slot)),
      fc.nat(BLOCKS).map((number) => probe('hashOf', BigInt(number))),
      fc.nat(50).map((n) => probe('burnGas', BigInt(n))),
      fc.constantFrom(probe('fail'), probe('invalid')),
      // NUMBER, TIMESTAMP, BASEFEE, PREVRANDAO; BLOBBASEFEE and transient storage only from Cancun on.
      fc.constantFrom('43', '42', '48', '44', '4a').map(creation),
    ),
  })
  .map(({ what, ...rest }) => ({ ...what, ...rest }))

describe('the engine on @ethereumjs', () => {
  test('concurrent calls at different blocks and hardforks give the same results as sequential ones', async () => {
    const base = toGethGenesis(resolveOptions({ hardfork: 'prague' }), [], BigInt(START))
    const chain = await startChain({
      genesis: {
        ...base,
        config: { ...base.config, cancunTime: START + 3, pragueTime: START + 5 },
        alloc: { ...base.alloc, [PROBE]: { balance: '0x0', code: Probe.deployedBytecode } },
      },
      accounts: { count: 1 },
    })
    const wallet = viemOn(chain).wallet()
    const set = (word: bigint) =>
      wallet.writeContract({ address: PROBE, abi, functionName: 'set', args: [0n, word], gas: 100_000n })
    for (let i = 1; i <= BLOCKS; i++) {
      await set(BigInt(i))
      await chain.clock.advance(1000)
      await chain.seal()
    }
    await set(99n)
    await chain.tick()

    const answer = async ({ block, standard, to, data }: Call): Promise<unknown> => {
      const provider: Provider = standard ? chain.standard : chain.preconf
      const tag = typeof block === 'number' ? (`0x${block.toString(16)}` as const) : block
      try {
        return await provider.request({ method: 'eth_call', params: [{ ...(to && { to }), data }, tag] })
      } catch (error) {
        return { message: (error as Error).message }
      }
    }
    const distinct = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 2, maxLength: 12 }), async (calls) => {
        const inSequence: unknown[] = []
        for (const one of calls) inSequence.push(await answer(one))
        expect(await Promise.all(calls.map(answer))).toEqual(inSequence)
        for (const one of inSequence) distinct.add(JSON.stringify(one))
      }),
      runs(60, 1000),
    )
    expect(distinct.size).toBeGreaterThan(40)
    expect(await answer({ block: 2, standard: true, ...creation('4a') })).toEqual({
      message: 'invalid opcode',
    })
    expect(await answer({ block: 3, standard: true, ...creation('4a') })).toBe(
      `0x${'0'.repeat(63)}1${'0'.repeat(64)}`,
    )
  })
})
