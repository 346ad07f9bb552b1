import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toWord } from '../../../src/base/bytes.ts'
import type { Address, Hex } from '../../../src/base/types.ts'
import { bytecode, skipIf } from '../../ethereum/evm/engine/assembly.ts'
import { runs } from '../../full.ts'
import { startChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'

const TOKEN: Address = `0x${'c0de'.padStart(40, '0')}`
const OWNER: Address = `0x${'a1'.padStart(40, '0')}`

/** A chain with a contract at {@link TOKEN}, and its requests. */
async function withToken(code: Hex, slots: Readonly<Record<number, bigint>> = {}) {
  const chain = await startChain()
  const request = (method: string, ...params: unknown[]) => ask(chain.preconf, method, params)
  await request('anvil_setCode', TOKEN, code)
  const write = (slot: number, value: bigint) =>
    request('anvil_setStorageAt', TOKEN, toWord(BigInt(slot)), toWord(value))
  for (const [slot, value] of Object.entries(slots)) await write(Number(slot), value)
  return {
    chain,
    write,
    deal: (amount: bigint) => request('anvil_dealERC20', OWNER, TOKEN, toWord(amount)),
    allow: (amount: bigint) => request('anvil_setERC20Allowance', OWNER, OWNER, TOKEN, toWord(amount)),
    balance: async () => BigInt((await request('eth_call', { to: TOKEN }, 'latest')) as Hex),
    slot: async (slot: number) =>
      BigInt((await request('eth_getStorageAt', TOKEN, toWord(BigInt(slot)))) as Hex),
  }
}

const NOT_FOUND = `error -32000 no storage slot of token ${TOKEN} controls this value`
const ANSWER = '0 MSTORE 32 0 RETURN'

/** Returns the bits of slot 1 from `shift` on. */
function packed(shift: number, width: number): Hex {
  return bytecode(`${toWord((1n << BigInt(width)) - 1n)} 1 SLOAD ${shift} SHR AND ${ANSWER}`)
}

describe('a search for the slot of a token', () => {
  /** A proxy that compares slot 0 with the caller, and answers with slot 1. */
  const PROXY = bytecode(`${skipIf('0 SLOAD CALLER SUB', '0 0 REVERT')} 1 SLOAD ${ANSWER}`)
  const ADMIN = BigInt(`0x${'ad'.repeat(20)}`)

  it('leaves slots alone that the getter only compares, also if the value is there already', async () => {
    const token = await withToken(PROXY, { 0: ADMIN })
    for (const amount of [1000n, 1000n, 0n, 0n, 7n]) {
      expect(await token.deal(amount)).toBeNull()
      expect(await Promise.all([token.slot(0), token.slot(1)])).toEqual([ADMIN, amount])
    }
    for (const amount of [1000n, 1000n]) expect(await token.allow(amount)).toBeNull()
    expect(await Promise.all([token.slot(0), token.slot(1)])).toEqual([ADMIN, 1000n])
  })

  it('finds no slot behind a value that none controls', async () => {
    const token = await withToken(bytecode(`0 SLOAD POP 5 ${ANSWER}`), { 0: ADMIN })
    expect(await token.deal(6n)).toBe(NOT_FOUND)
    expect(await token.slot(0)).toBe(ADMIN)
  })

  it('keeps what else is in the slot', async () => {
    const token = await withToken(packed(0, 128), { 1: (0x77n << 128n) | 10n })
    expect(await token.deal(100n)).toBeNull()
    expect(await token.slot(1)).toBe((0x77n << 128n) | 100n)
    expect(await token.deal(1n << 128n)).toBe(NOT_FOUND)
    expect(await token.slot(1)).toBe((0x77n << 128n) | 100n)
  })

  it('finds half a slot whose other half decides whether it is read', async () => {
    // A checkpoint: the block from which it applies, below the balance.
    const checkpoint = `1 SLOAD DUP1 ${toWord((1n << 128n) - 1n)} AND NUMBER LT ISZERO`
    const code = bytecode(`${skipIf(checkpoint, `0 ${ANSWER}`)} 128 SHR ${ANSWER}`)
    const token = await withToken(code, { 1: 5n << 128n })
    expect(await token.balance()).toBe(5n)
    expect(await token.deal(100n)).toBeNull()
    expect(await token.slot(1)).toBe(100n << 128n)
  })

  it('writes any value to any part of a slot, and nothing else', async () => {
    const cases = fc
      .tuple(
        fc.integer({ min: 8, max: 256 }),
        fc.nat({ max: 248 }),
        fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      )
      .chain(([width, shift, before]) => {
        const fits = Math.min(width, 256 - shift)
        const amount = fc.bigInt({ min: 0n, max: (1n << BigInt(fits)) - 1n })
        return fc.record({
          shift: fc.constant(shift),
          width: fc.constant(fits),
          before: fc.constant(before),
          amount,
        })
      })
    const token = await withToken('0x00')
    await fc.assert(
      fc.asyncProperty(cases, async ({ shift, width, before, amount }) => {
        await ask(token.chain.preconf, 'anvil_setCode', [TOKEN, packed(shift, width)])
        await token.write(1, before)
        expect(await token.deal(amount)).toBeNull()
        const mask = ((1n << BigInt(width)) - 1n) << BigInt(shift)
        expect(await token.slot(1)).toBe((before & ~mask) | (amount << BigInt(shift)))
        expect(await token.balance()).toBe(amount)
      }),
      runs(20, 500),
    )
  })
})
