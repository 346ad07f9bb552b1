import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { hexToBytes } from '../../../src/base/bytes.ts'
import type { Address, Hex } from '../../../src/base/types.ts'
import { EMPTY_CODE_HASH, readCode } from '../../../src/ethereum/state/account.ts'
import type { Authorization } from '../../../src/ethereum/transaction.ts'
import { hex, initCode, push, toMemory } from './programs.ts'
import { type Bench, createBench, ETHER, SENDER, slotOf, TARGET } from './setup.ts'

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const AUTHORITY = account.address.toLowerCase() as Address
const ZERO: Address = `0x${'00'.repeat(20)}`
const CODE: Address = `0x${'dd'.repeat(20)}`
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

async function sign(nonce = 0, address = CODE, chainId = 31_337): Promise<Authorization> {
  const { r, s, yParity } = await account.signAuthorization({ address, nonce, chainId })
  return {
    chainId: BigInt(chainId),
    address,
    nonce: BigInt(nonce),
    yParity: yParity!,
    r: BigInt(r),
    s: BigInt(s),
  }
}

const delegation = (to: Address): Uint8Array => hexToBytes(`0xef0100${to.slice(2)}`)
const codeOf = (bench: Bench, address = AUTHORITY) => readCode(bench.state, address)
const BASE = 21_000n + 25_000n

describe('EIP-7702 authorizations', () => {
  test('an authority that does not exist is created, with a nonce and the delegation', async () => {
    const bench = await createBench('prague')
    const { gasUsed } = await bench.include({ type: 4, authorizationList: [await sign()] })
    expect(gasUsed).toBe(BASE)
    expect(bench.state.account(AUTHORITY)).toMatchObject({ nonce: 1n, balance: 0n })
    expect(codeOf(bench)).toEqual(delegation(CODE))
  })

  test('half of the price is refunded for an authority that exists, empty or not', async () => {
    for (const there of [{}, { balance: 1n }]) {
      const bench = await createBench('prague', { [AUTHORITY]: there })
      const { gasUsed, peakGas } = await bench.include({ type: 4, authorizationList: [await sign()] })
      expect([gasUsed, peakGas]).toEqual([BASE - BASE / 5n, BASE])
    }
  })

  test('several for one authority apply in order, and the last remains', async () => {
    const bench = await createBench('prague')
    const list = [await sign(0), await sign(0, TARGET), await sign(1, TARGET)]
    const { gasUsed } = await bench.include({ type: 4, authorizationList: list })
    expect(codeOf(bench)).toEqual(delegation(TARGET))
    expect(bench.state.account(AUTHORITY)?.nonce).toBe(2n)
    expect(gasUsed).toBe(21_000n + 75_000n - 12_500n)
  })

  test('the zero address clears the delegation', async () => {
    const bench = await createBench('prague', {
      [AUTHORITY]: { nonce: 4n, code: `0xef0100${CODE.slice(2)}` },
    })
    await bench.include({ type: 4, authorizationList: [await sign(4, ZERO)] })
    expect(bench.state.account(AUTHORITY)).toMatchObject({ nonce: 5n, codeHash: EMPTY_CODE_HASH })
  })

  test('they remain if the call reverts', async () => {
    const bench = await createBench('prague', { [TARGET]: { code: '0x60006000fd' } })
    const outcome = await bench.include({ type: 4, authorizationList: [await sign()] })
    expect(outcome.succeeded).toBe(false)
    expect(codeOf(bench)).toEqual(delegation(CODE))
  })

  test('a sender that authorises itself uses the nonce after its own', async () => {
    for (const [nonce, holds] of [
      [0, false],
      [1, true],
    ] as const) {
      const bench = await createBench('prague', { [AUTHORITY]: { balance: ETHER } })
      await bench.include({ type: 4, from: AUTHORITY, authorizationList: [await sign(nonce)] })
      expect(bench.state.account(AUTHORITY)?.nonce).toBe(holds ? 2n : 1n)
      expect(codeOf(bench).length).toBe(holds ? 23 : 0)
    }
  })

  describe('is skipped', () => {
    test.each<[string, (valid: Authorization) => Partial<Authorization> | Promise<Authorization>, object?]>([
      ['one for another chain', () => sign(0, CODE, 1)],
      ['one with a nonce below that of the authority', () => sign(0), { nonce: 1n }],
      ['one with a nonce above that of the authority', () => sign(1)],
      ['one with the last nonce', () => ({ nonce: 2n ** 64n - 1n }), { nonce: 2n ** 64n - 1n }],
      ['one with s in the upper half', ({ s, yParity }) => ({ s: ORDER - s, yParity: 1 - yParity })],
      ['one with parity 2', () => ({ yParity: 2 })],
      ['one with r of zero', () => ({ r: 0n })],
      ['one with r at the order', () => ({ r: ORDER })],
      ['one with s of zero', () => ({ s: 0n })],
      ['one whose authority has code', () => sign(0), { code: '0x00' }],
    ])('%s', async (_, change, there = {}) => {
      const valid = await sign()
      const bench = await createBench('prague', { [AUTHORITY]: { balance: 1n, ...there } })
      const before = bench.state.account(AUTHORITY)
      const authorization = { ...valid, ...(await change(valid)) }
      const { gasUsed, succeeded } = await bench.include({ type: 4, authorizationList: [authorization] })
      expect([gasUsed, succeeded]).toEqual([BASE, true])
      expect(bench.state.account(AUTHORITY)).toEqual(before)
    })
  })

  test('one for any chain is valid', async () => {
    const bench = await createBench('prague')
    await bench.include({ type: 4, authorizationList: [await sign(0, CODE, 0)] })
    expect(codeOf(bench)).toEqual(delegation(CODE))
  })

  test('an authority is warm even if its authorisation is invalid, unless no address is recovered', async () => {
    const balance = hex(`73${AUTHORITY.slice(2)}3150`)
    const used: bigint[] = []
    for (const change of [{}, { nonce: 7n }, { yParity: 2 }]) {
      const bench = await createBench('prague', { [TARGET]: { code: balance } })
      const authorization = 'nonce' in change ? await sign(7) : { ...(await sign()), ...change }
      used.push((await bench.include({ type: 4, authorizationList: [authorization] })).gasUsed - BASE)
    }
    expect(used).toEqual([105n, 105n, 2_605n])
  })

  describe('a delegated account', () => {
    const STORE_SELF = `30${push(0)}5534${push(1)}55`

    async function delegated(to: Address, more = {}): Promise<Bench> {
      return createBench('prague', {
        [AUTHORITY]: { nonce: 1n, balance: ETHER, code: `0xef0100${to.slice(2)}` },
        [CODE]: { code: hex(STORE_SELF) },
        ...more,
      })
    }

    test('runs the code at its own address when value is sent to it', async () => {
      const bench = await delegated(CODE)
      const { gasUsed } = await bench.include({ to: AUTHORITY, value: 3n, gasLimit: 200_000n })
      expect(gasUsed).toBeGreaterThan(60_000n)
      expect([0, 1].map((slot) => slotOf(bench.state, AUTHORITY, slot))).toEqual([BigInt(AUTHORITY), 3n])
      expect(slotOf(bench.state, CODE, 0)).toBe(0n)
    })

    test('sends its own transactions, and creates contracts', async () => {
      const bench = await delegated(CODE)
      await bench.include({ from: AUTHORITY, value: 5n })
      const { contractAddress } = await bench.include({
        from: AUTHORITY,
        to: null,
        data: hexToBytes(hex(initCode('00'))),
      })
      expect(bench.state.account(AUTHORITY)).toMatchObject({ nonce: 3n, balance: ETHER - 5n })
      expect(codeOf(bench, contractAddress!)).toEqual(Uint8Array.of(0))
    })

    test('may create in a transaction of another sender', async () => {
      const made = initCode('00')
      const create = `${toMemory(made)}${push(made.length / 2)}${push(0)}${push(0)}f0${push(0)}55`
      const bench = await delegated(TARGET, { [TARGET]: { code: hex(create) } })
      await bench.include({ to: AUTHORITY })
      expect(bench.state.account(AUTHORITY)?.nonce).toBe(2n)
      expect(slotOf(bench.state, AUTHORITY, 0)).not.toBe(0n)
    })

    test("delegating to another delegated account runs that one's delegation as code, which is invalid", async () => {
      const bench = await delegated(TARGET, { [TARGET]: { nonce: 1n, code: `0xef0100${CODE.slice(2)}` } })
      expect(await bench.include({ to: AUTHORITY, gasLimit: 100_000n })).toMatchObject({
        succeeded: false,
        error: 'invalid opcode',
        gasUsed: 100_000n,
      })
    })

    test('delegating to a precompile runs nothing', async () => {
      const bench = await delegated(`0x${'00'.repeat(19)}02`)
      expect(await bench.include({ to: AUTHORITY, data: Uint8Array.of(1) })).toMatchObject({
        succeeded: true,
        output: new Uint8Array(0),
      })
    })

    test("pays for the delegate's access when it is called from code, not when it is the transaction's target", async () => {
      const call = `${push(0).repeat(5)}73${AUTHORITY.slice(2)}5af150`
      const stop: { readonly [at: Address]: { readonly code: Hex } } = { [CODE]: { code: '0x00' } }
      const direct = await (await delegated(CODE, stop)).include({ to: AUTHORITY })
      const inner = await (await delegated(CODE, { ...stop, [TARGET]: { code: hex(call) } })).include()
      expect(direct.gasUsed).toBe(21_000n)
      expect(inner.gasUsed).toBe(21_000n + 5n * 3n + 3n + 2n + 2n + 2n * 2_600n)
    })

    test('may not send before Prague', async () => {
      const bench = await createBench('cancun', {
        [SENDER]: { balance: 1n, code: `0xef0100${CODE.slice(2)}` },
      })
      expect(await bench.run()).toMatchObject({ kind: 'rejected' })
    })
  })
})
