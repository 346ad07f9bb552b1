/** SELFDESTRUCT on the forks that changed it (EIPs 150, 161, 2929, 3529, 6780). */
import { getContractAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Address } from '../../../../src/base/types.ts'
import { ALL_FORKS, type ForkName, isSince } from '../../../forks.ts'
import { slotOf, TARGET } from '../setup.ts'
import { assemble, call, create, returning } from './assembly.ts'
import { execute } from './execution.ts'

const OTHER: Address = `0x${'dd'.repeat(20)}`
const HEIR: Address = `0x${'e1'.repeat(20)}`
const CREATED = getContractAddress({ opcode: 'CREATE', from: TARGET, nonce: 1n }).toLowerCase() as Address
const MAX = 2n ** 256n - 1n
/** It must not pass on all gas, which is more than there is before EIP-150. */
const CALL = `${call('CALL', OTHER, { gas: 50_000 })} POP`

/** A contract with five wei and a slot that destroys itself in favour of an account. */
const destroyedFor = (heir: string) => ({
  [OTHER]: { nonce: 1n, balance: 5n, code: `${heir} SELFDESTRUCT`, storage: { 0: 1n } },
})

describe.each(['homestead', 'spuriousDragon', 'shanghai', 'cancun', 'osaka'] as const)(
  'on %s, a contract',
  (fork) => {
    const remains = isSince(fork, 'cancun')

    test('that is its own heir keeps its ether if it remains (EIP-6780)', async () => {
      const { state } = await execute(CALL, { fork, accounts: destroyedFor('ADDRESS') })
      expect(state.account(OTHER)?.balance).toBe(remains ? 5n : undefined)
      expect(slotOf(state, OTHER, 0)).toBe(remains ? 1n : 0n)
    })

    test('of the same transaction that is its own heir is deleted with its ether', async () => {
      const { state } = await execute(create(assemble('ADDRESS SELFDESTRUCT'), { value: 3 }), {
        fork,
        accounts: { [TARGET]: { balance: 4n } },
      })
      expect([state.account(CREATED), state.account(TARGET)?.balance]).toEqual([undefined, 1n])
    })

    test('of the same transaction that destroys itself later is deleted', async () => {
      const code = assemble('ADDRESS SELFDESTRUCT')
      const deploys = assemble(`0x${code} 0 MSTORE ${code.length / 2} ${32 - code.length / 2} RETURN`)
      const { state, endings } = await execute(
        `${create(deploys)} POP ${call('CALL', CREATED, { gas: 40_000 })}`,
        { fork },
      )
      expect([state.account(CREATED), endings.filter((error) => error !== undefined)]).toEqual([
        undefined,
        [],
      ])
    })

    test('gives all its ether to its heir, whenever its code is executed', async () => {
      const { state } = await execute(`${CALL} ${call('CALL', OTHER, { value: 2, gas: 50_000 })} POP`, {
        fork,
        accounts: { ...destroyedFor(HEIR), [TARGET]: { balance: 2n } },
      })
      expect([OTHER, HEIR].map((address) => state.account(address)?.balance)).toEqual([
        remains ? 0n : undefined,
        7n,
      ])
    })

    test('loses the ether that it gets afterwards unless it remains', async () => {
      const { state } = await execute(`${CALL} ${OTHER} SELFDESTRUCT`, {
        fork,
        accounts: { ...destroyedFor(HEIR), [TARGET]: { balance: 2n } },
      })
      expect([OTHER, TARGET, HEIR].map((address) => state.account(address)?.balance)).toEqual(
        remains ? [2n, 0n, 5n] : [undefined, undefined, 5n],
      )
    })

    test('whose code another one executes remains: that one is destroyed', async () => {
      const { state } = await execute(call('DELEGATECALL', OTHER, { gas: 50_000 }), {
        fork,
        accounts: { ...destroyedFor(HEIR), [TARGET]: { balance: 2n } },
      })
      expect(state.account(OTHER)?.balance).toBe(5n)
      expect([TARGET, HEIR].map((address) => state.account(address)?.balance)).toEqual([
        remains ? 0n : undefined,
        2n,
      ])
    })

    test('whose destruction reverts is as it was', async () => {
      const accounts = { ...destroyedFor(HEIR), [HEIR]: { balance: 1n } }
      const { state, peakGas, gasUsed } = await execute(`${CALL} 0 0 REVERT`, {
        fork: fork === 'homestead' ? 'byzantium' : fork,
        accounts,
      })
      expect([OTHER, HEIR].map((address) => state.account(address)?.balance)).toEqual([5n, 1n])
      expect(slotOf(state, OTHER, 0)).toBe(1n)
      expect(gasUsed).toBe(peakGas)
    })
  },
)

describe('the price of SELFDESTRUCT', () => {
  /** For an heir with a balance, an absent one, an absent one without ether, and a warm one. */
  const PRICES: Partial<Record<ForkName, readonly bigint[]>> = {
    frontier: [0n, 0n, 0n, 0n],
    tangerineWhistle: [5_000n, 30_000n, 30_000n, 5_000n],
    spuriousDragon: [5_000n, 30_000n, 5_000n, 5_000n],
    berlin: [7_600n, 32_600n, 7_600n, 5_000n],
  }

  test.each(ALL_FORKS)('depends on its heir, on %s', async (fork) => {
    const latest = ALL_FORKS.slice(0, ALL_FORKS.indexOf(fork) + 1).findLast(
      (name) => PRICES[name] !== undefined,
    )
    const price = async (heir: object, balance: bigint, before = '') => {
      const used: bigint[] = []
      const accounts = { [OTHER]: { ...destroyedFor(HEIR)[OTHER], balance }, ...heir }
      const onExit = ({ gasUsed }: { readonly gasUsed: bigint }) => used.push(gasUsed)
      await execute(`${before} ${call('CALL', OTHER, { gas: 100_000 })}`, {
        fork,
        accounts,
        hooks: { onExit },
      })
      // SELFDESTRUCT counts as a frame; PUSH20 costs 3.
      return used[1]! - 3n
    }
    const rich = { [HEIR]: { balance: 1n } }
    const prices = [price(rich, 5n), price({}, 5n), price({}, 0n), price(rich, 5n, `${HEIR} BALANCE POP`)]
    expect(await Promise.all(prices)).toEqual(PRICES[latest!])
  })

  test.each(ALL_FORKS)('is refunded once per account until London, on %s', async (fork) => {
    const { peakGas, gasUsed } = await execute(`${CALL} ${CALL}`, {
      fork,
      accounts: destroyedFor(TARGET),
      // So much gas that the refund is not capped.
      tx: { data: new Uint8Array(isSince(fork, 'london') ? 0 : 5_000).fill(1), gasLimit: 800_000n },
    })
    expect(peakGas - gasUsed).toBe(isSince(fork, 'london') ? 0n : 24_000n)
  })
})

test('ether that an heir cannot hold wraps around', async () => {
  const { words, state } = await execute(`${CALL} ${returning(`${HEIR} BALANCE`)}`, {
    accounts: { ...destroyedFor(HEIR), [HEIR]: { balance: MAX } },
  })
  expect(words).toEqual([4n])
  expect([OTHER, HEIR].map((address) => state.account(address)?.balance)).toEqual([0n, 4n])
})
