import { describe, expect, test } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/bytes.ts'
import type { Address } from '../../../src/base/types.ts'
import { resumeToEnd } from '../../../src/base/waiting.ts'
import { ALL_CHECKS, type Included } from '../../../src/ethereum/evm/executor.ts'
import type { Hardfork } from '../../../src/ethereum/forks.ts'
import { HARDFORKS } from '../../../src/ethereum/rules.ts'
import { EMPTY_ACCOUNT, type StateReader } from '../../../src/ethereum/state/account.ts'
import { hex, initCode, push, toMemory } from './programs.ts'
import { type Bench, COINBASE, createBench, dump, ETHER, SENDER, slotKey, slotOf, TARGET } from './setup.ts'

const OTHER: Address = `0x${'dd'.repeat(20)}`
const STORE = (slot: number, value: number) => `${push(value)}${push(slot)}55`
const CALL = (to: Address, value = 0) => `${push(0).repeat(4)}${push(value)}73${to.slice(2)}5af150`

function withCode(fork: Hardfork, code: string, more = {}, env = {}): Promise<Bench> {
  return createBench(fork, { [TARGET]: { nonce: 1n, code: hex(code), ...more } }, env)
}

describe('state transition', () => {
  describe('outcome', () => {
    const RETURN_42 = `${push(42)}${push(0)}52${push(32)}${push(0)}`
    test.each<[string, string, Partial<Included>]>([
      [
        'a return',
        `${RETURN_42}f3`,
        { succeeded: true, dependsOnGas: false, gasUsed: 21_018n, output: hexToBytes(slotKey(42)) },
      ],
      [
        'a revert returns unused gas',
        `${RETURN_42}fd`,
        { succeeded: false, error: 'execution reverted', gasUsed: 21_018n, output: hexToBytes(slotKey(42)) },
      ],
      [
        'an invalid opcode uses all gas',
        'fe',
        { succeeded: false, error: 'invalid opcode', gasUsed: 50_000n },
      ],
      ['out of gas', `5b${push(0)}56`, { succeeded: false, error: 'out of gas', gasUsed: 50_000n }],
      [
        'a bad jump',
        `${push(3)}56`,
        { succeeded: false, error: 'invalid jump destination', gasUsed: 50_000n },
      ],
      ['a stack underflow', '01', { succeeded: false, error: 'stack underflow', gasUsed: 50_000n }],
    ])('of %s', async (_, code, expected) => {
      const bench = await withCode('prague', code)
      const outcome = await bench.include({ gasLimit: 50_000n })
      expect(outcome).toEqual({
        kind: 'included',
        output: new Uint8Array(0),
        logs: [],
        contractAddress: null,
        effectiveGasPrice: 0n,
        peakGas: expected.gasUsed,
        ...expected,
      })
    })

    test.each<[string, string, Hardfork, string]>([
      ['code that is too long', `${push(24_577)}${push(0)}f3`, 'prague', 'max code size exceeded'],
      [
        'code from 0xef',
        `${push(0xef)}${push(0)}53${push(1)}${push(0)}f3`,
        'prague',
        'invalid code: must not begin with 0xef',
      ],
      [
        'code that cannot be paid',
        `${push(5_000)}${push(0)}f3`,
        'prague',
        'contract creation code storage out of gas',
      ],
    ])('of a creation with %s', async (_, code, fork, error) => {
      const bench = await createBench(fork)
      const gasLimit = error.endsWith('out of gas') ? 900_000n : 10_000_000n
      const outcome = await bench.include({ to: null, data: hexToBytes(hex(code)), gasLimit })
      expect(outcome).toMatchObject({ succeeded: false, error, gasUsed: gasLimit })
      expect(bench.state.account(outcome.contractAddress!)).toBeUndefined()
    })

    test('of a write in a static call is only visible to the caller', async () => {
      const code = `${push(0).repeat(4)}73${OTHER.slice(2)}61ffff`
      const bench = await createBench('prague', {
        [TARGET]: { code: hex(`${code}fa${push(0)}55`) },
        [OTHER]: { code: hex(STORE(1, 1)) },
      })
      expect(await bench.include()).toMatchObject({ succeeded: true })
      expect(slotOf(bench.state, OTHER, 1)).toBe(0n)
    })

    test('has the logs, in order and with all topics', async () => {
      const bench = await withCode(
        'prague',
        `${push(1)}${push(0)}${push(0)}a1${push(3)}${push(2)}${push(2)}${push(30)}a2`,
      )
      expect((await bench.include()).logs).toEqual([
        { address: TARGET, topics: [slotKey(1)], data: '0x' },
        { address: TARGET, topics: [slotKey(2), slotKey(3)], data: '0x0000' },
      ])
    })

    test('of a failure has no logs', async () => {
      const bench = await withCode('prague', `${push(0)}${push(0)}a0fe`)
      expect((await bench.include()).logs).toEqual([])
    })
  })

  describe('fees', () => {
    test('the sender pays the effective price, the coinbase gets the tip, the base fee is burnt', async () => {
      const bench = await withCode('prague', STORE(0, 1), {}, { baseFee: 7n })
      const outcome = await bench.include({
        maxFeePerGas: 100n,
        maxPriorityFeePerGas: 3n,
        gasLimit: 100_000n,
      })
      expect(outcome).toMatchObject({ gasUsed: 43_106n, effectiveGasPrice: 10n })
      expect(bench.state.account(SENDER)?.balance).toBe(ETHER - 431_060n)
      expect(bench.state.account(COINBASE)?.balance).toBe(43_106n * 3n)
    })

    test('a coinbase without tip is not created, and an empty one is deleted', async () => {
      for (const code of [undefined, '0x00'] as const) {
        const absent = await createBench('prague', { [TARGET]: code ? { code } : { balance: 1n } })
        await absent.include()
        expect(absent.state.account(COINBASE)).toBeUndefined()
        const empty = await createBench('prague', {
          [TARGET]: code ? { code } : { balance: 1n },
          [COINBASE]: {},
        })
        await empty.include()
        expect(empty.state.account(COINBASE)).toBeUndefined()
      }
    })

    test('a coinbase that sends to itself pays only the base fee', async () => {
      const bench = await createBench('prague', {}, { coinbase: SENDER, baseFee: 5n })
      await bench.include({ to: SENDER, value: 9n, maxFeePerGas: 8n, maxPriorityFeePerGas: 3n })
      expect(bench.state.account(SENDER)).toMatchObject({ nonce: 1n, balance: ETHER - 105_000n })
    })

    test('the coinbase is warm from Shanghai on', async () => {
      const used: Partial<Record<Hardfork, bigint>> = {}
      for (const fork of HARDFORKS) {
        used[fork] = (await (await withCode(fork, `73${COINBASE.slice(2)}3150`)).include()).gasUsed
      }
      const expected = HARDFORKS.map((fork) => [fork, fork === 'paris' ? 23_605n : 21_105n])
      expect(used).toEqual(Object.fromEntries(expected))
    })

    test('precompiles of the fork are warm, later ones cold', async () => {
      const used: bigint[] = []
      for (const fork of ['paris', 'shanghai', 'cancun', 'prague', 'osaka'] as const) {
        const code = [0x09, 0x0a, 0x11, 0x100].map((at) => `${push(at)}3150`).join('')
        used.push((await (await withCode(fork, code)).include()).gasUsed - 21_020n)
      }
      expect(used).toEqual([100n + 3n * 2_600n, 100n + 3n * 2_600n, 200n + 2n * 2_600n, 300n + 2_600n, 400n])
    })

    test('data with little execution pays the floor from Prague on', async () => {
      const data = new Uint8Array(1000).fill(1)
      const used: bigint[] = []
      for (const fork of ['cancun', 'prague'] as const) {
        const { gasUsed, peakGas } = await (await withCode(fork, '00')).include({ data })
        used.push(gasUsed, peakGas)
      }
      expect(used).toEqual([37_000n, 37_000n, 61_000n, 61_000n])
    })

    test('refunds are at most a fifth, and never go below the floor', async () => {
      const storage = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [i, 1n]))
      const clear = Array.from({ length: 20 }, (_, i) => `${push(0)}${push(i)}55`).join('')
      const used = 21_000n + 20n * (5_000n + 6n)
      const plain = await (await withCode('prague', clear, { storage })).include()
      expect(plain).toMatchObject({ peakGas: used, gasUsed: used - used / 5n })
      const data = new Uint8Array(3_000).fill(1)
      const floored = await (await withCode('prague', clear, { storage })).include({ data })
      expect(floored).toMatchObject({ peakGas: used + 48_000n, gasUsed: 141_000n })
    })

    test('original values are those of the start of the transaction, not of the block', async () => {
      // Storing the first data word: 0 → 1 → 0 within one transaction refunds; over two, the second sees 1 as original.
      const bench = await withCode('prague', `${push(0)}35${push(0)}55`)
      const word = (n: number) => hexToBytes(slotKey(n))
      const set = await bench.include({ data: word(1) })
      const change = await bench.include({ data: word(2) })
      const clear = await bench.include({ data: word(0) })
      // 21,000 + calldata + PUSH, CALLDATALOAD, PUSH + cold SSTORE.
      expect(set.peakGas).toBe(21_000n + 140n + 9n + 22_100n)
      expect(change.peakGas).toBe(21_000n + 140n + 9n + 5_000n)
      expect(clear.peakGas).toBe(21_000n + 128n + 9n + 5_000n)
      expect(clear.gasUsed).toBe(clear.peakGas - 4_800n)

      const both = await withCode('prague', `${STORE(0, 1)}${push(0)}${push(0)}55`)
      const restored = await both.include()
      expect(restored.peakGas).toBe(21_000n + 12n + 22_100n + 100n)
      expect(restored.gasUsed).toBe(restored.peakGas - restored.peakGas / 5n)
    })

    test('transient storage and warmth end with the transaction', async () => {
      const bench = await withCode('cancun', `${push(0)}5c${push(0)}55${push(1)}${push(0)}5d`)
      const first = await bench.include()
      const second = await bench.include()
      expect([first.gasUsed, slotOf(bench.state, TARGET, 0)]).toEqual([second.gasUsed, 0n])
    })
  })

  describe('EIP-161', () => {
    test.each([0n, 1n])('a call of %d wei leaves the same state with and without code', async (value) => {
      const left: unknown[] = []
      for (const code of [undefined, '0x00'] as const) {
        // Without code the EVM does not run; an access list does not change that.
        const bench = await createBench('prague', { [OTHER]: code ? { code } : {} })
        await bench.include({ to: OTHER, value })
        await bench.include({ to: `0x${'ee'.repeat(20)}`, value })
        const { balance, nonce } = bench.state.account(OTHER) ?? EMPTY_ACCOUNT
        left.push([balance, nonce, bench.state.account(`0x${'ee'.repeat(20)}`), bench.state.account(SENDER)])
      }
      expect(left[0]).toEqual(left[1])
    })

    test('an empty account that is touched is deleted, with or without the EVM', async () => {
      const direct = await createBench('prague', { [OTHER]: {} })
      await direct.include({ to: OTHER })
      expect(direct.state.account(OTHER)).toBeUndefined()
      const throughCode = await createBench('prague', { [OTHER]: {}, [TARGET]: { code: hex(CALL(OTHER)) } })
      await throughCode.include()
      expect(throughCode.state.account(OTHER)).toBeUndefined()
    })

    test('an empty account that is touched by a reverted call remains', async () => {
      const bench = await createBench('prague', {
        [OTHER]: {},
        [TARGET]: { code: hex(`${CALL(OTHER)}${push(0)}${push(0)}fd`) },
      })
      await bench.include()
      expect(bench.state.account(OTHER)).toEqual(EMPTY_ACCOUNT)
    })

    test('a balance that would overflow fails the transfer', async () => {
      const bench = await createBench('prague', { [OTHER]: { balance: 2n ** 256n - 1n } })
      expect(await bench.include({ to: OTHER, value: 1n })).toMatchObject({
        succeeded: false,
        error: 'value overflow',
      })
      expect(bench.state.account(OTHER)?.balance).toBe(2n ** 256n - 1n)
    })
  })

  describe('SELFDESTRUCT', () => {
    const destroyTo = (to: Address) => `73${to.slice(2)}ff`

    test.each(HARDFORKS)('on %s', async (fork) => {
      const bench = await withCode(fork, destroyTo(OTHER), { balance: 5n, storage: { 0: 1n } })
      await bench.include()
      const after = bench.state.account(TARGET)
      expect(bench.state.account(OTHER)?.balance).toBe(5n)
      if (fork === 'paris' || fork === 'shanghai') expect(after).toBeUndefined()
      else expect(after).toMatchObject({ nonce: 1n, balance: 0n, slotCount: 1 })
    })

    test.each(HARDFORKS)('of what the same transaction created, on %s', async (fork) => {
      const bench = await createBench(fork)
      const { contractAddress, succeeded } = await bench.include({
        to: null,
        value: 7n,
        data: hexToBytes(hex(STORE(0, 1) + destroyTo(OTHER))),
      })
      expect(succeeded).toBe(true)
      expect(bench.state.account(contractAddress!)).toBeUndefined()
      expect(bench.state.account(OTHER)?.balance).toBe(7n)
    })

    test.each(HARDFORKS)(
      'to itself burns the balance of what the same transaction created, on %s',
      async (fork) => {
        const bench = await createBench(fork)
        const { contractAddress } = await bench.include({ to: null, value: 7n, data: hexToBytes('0x30ff') })
        expect(bench.state.account(contractAddress!)).toBeUndefined()
        expect(bench.state.account(SENDER)?.balance).toBe(ETHER - 7n)
      },
    )

    test.each(HARDFORKS)('at a CREATE2 address that is then used again, on %s', async (fork) => {
      // It destroys itself if called with data, and stores without; its creation stores too.
      const store = `${STORE(1, 9)}00`
      const runtime = `36${push(4 + store.length / 2)}57${store}5b${destroyTo(SENDER)}`
      const init = initCode(runtime, STORE(0, 1))
      const create = `${toMemory(init)}${push(0)}${push(init.length / 2)}${push(0)}${push(0)}f5${push(0)}55`
      const bench = await withCode(fork, create)
      await bench.include()
      const childAddress: Address = `0x${slotOf(bench.state, TARGET, 0).toString(16).padStart(40, '0')}`
      await bench.include({ to: childAddress })
      expect([0, 1].map((slot) => slotOf(bench.state, childAddress, slot))).toEqual([1n, 9n])

      await bench.include({ to: childAddress, data: Uint8Array.of(1) })
      await bench.include()
      const again = slotOf(bench.state, TARGET, 0)
      if (fork === 'paris' || fork === 'shanghai') {
        expect(again).toBe(BigInt(childAddress))
        expect([0, 1].map((slot) => slotOf(bench.state, childAddress, slot))).toEqual([1n, 0n])
        expect(bench.state.account(childAddress)).toMatchObject({ nonce: 1n, slotCount: 1 })
      } else {
        expect(again).toBe(0n)
        expect([0, 1].map((slot) => slotOf(bench.state, childAddress, slot))).toEqual([1n, 9n])
      }
    })

    test('of the coinbase includes its tip', async () => {
      const bench = await createBench(
        'shanghai',
        { [TARGET]: { code: hex(destroyTo(OTHER)), balance: 1n } },
        { coinbase: TARGET },
      )
      await bench.include({ maxFeePerGas: 2n, maxPriorityFeePerGas: 2n })
      expect([bench.state.account(TARGET), bench.state.account(OTHER)?.balance]).toEqual([undefined, 1n])
    })
  })

  describe('creation', () => {
    const DEPLOY = hexToBytes(hex(initCode('00')))

    test('stores code under its hash, one entry for all accounts with it', async () => {
      const bench = await createBench('prague')
      const [one, two] = [
        await bench.include({ to: null, data: DEPLOY }),
        await bench.include({ to: null, data: DEPLOY }),
      ]
      const accounts = [one, two].map(({ contractAddress }) => bench.state.account(contractAddress!)!)
      expect(accounts[0]).toEqual(accounts[1])
      expect(bytesToHex(bench.state.code(accounts[0]!.codeHash))).toBe('0x00')
      expect(bench.state.changes().codes.size).toBe(1)
      expect(one.output).toEqual(Uint8Array.of(0))
    })

    test.each<[string, object, boolean]>([
      ['nothing', {}, true],
      ['a balance', { balance: 3n }, true],
      ['a nonce', { nonce: 1n }, false],
      ['code', { code: '0x00' }, false],
      ['storage (EIP-7610)', { storage: { 1: 1n } }, false],
    ])('at an address that holds %s', async (_, there, succeeds) => {
      const probe = await createBench('prague')
      const { contractAddress } = await probe.include({ to: null, data: DEPLOY })
      const bench = await createBench('prague', { [contractAddress!]: there })
      const outcome = await bench.include({ to: null, data: DEPLOY, gasLimit: 100_000n })
      expect(outcome.contractAddress).toBe(contractAddress)
      if (succeeds) expect(outcome.succeeded).toBe(true)
      else {
        expect(outcome).toMatchObject({ error: 'contract address collision', gasUsed: 100_000n })
      }
    })

    test('of init code over the limit fails inside the EVM from Shanghai on', async () => {
      const create = `${push(0)}${push(0)}52${push(49_153)}${push(0)}${push(0)}f0${push(0)}55`
      const results: bigint[] = []
      for (const fork of ['paris', 'shanghai'] as const) {
        const bench = await withCode(fork, create)
        results.push((await bench.include({ gasLimit: 20_000_000n })).gasUsed)
      }
      expect(results[0]).toBeLessThan(1_000_000n)
      expect(results[1]).toBe(20_000_000n)
    })
  })

  describe('BLOCKHASH', () => {
    test('reads the environment, within 256 blocks only', async () => {
      const asked: bigint[] = []
      const ask = (n: number) => `${push(n)}40${push(n)}55`
      const bench = await withCode(
        'prague',
        [43, 44, 299, 300, 301].map(ask).join(''),
        {},
        {
          number: 300n,
          blockHash: (number: bigint) => {
            asked.push(number)
            return slotKey(number)
          },
        },
      )
      await bench.include()
      expect(asked).toEqual([44n, 299n])
      expect([43, 44, 299, 300, 301].map((n) => slotOf(bench.state, TARGET, n))).toEqual([
        0n,
        44n,
        299n,
        0n,
        0n,
      ])
    })
  })

  test('the block context is that of the environment', async () => {
    const env = {
      number: 5n,
      timestamp: 6n,
      coinbase: OTHER,
      gasLimit: 7_000_000n,
      baseFee: 8n,
      blobBaseFee: 9n,
      prevRandao: slotKey(10),
    }
    const ops = ['43', '42', '41', '45', '48', '4a', '44', '46', '3a', '32', '33', '34']
    const code = ops.map((op, i) => `${op}${push(i)}55`).join('')
    const bench = await withCode('cancun', code, {}, env)
    await bench.include({ maxFeePerGas: 20n, maxPriorityFeePerGas: 3n, value: 11n })
    expect(ops.map((_, i) => slotOf(bench.state, TARGET, i))).toEqual([
      5n,
      6n,
      BigInt(OTHER),
      7_000_000n,
      8n,
      9n,
      10n,
      31_337n,
      11n,
      BigInt(SENDER),
      BigInt(SENDER),
      11n,
    ])
  })

  describe('an exception of the engine changes nothing', () => {
    // Every kind of write: a log, a slot, a creation with code, a call with value, a selfdestruct.
    const inner = initCode('00', STORE(0, 1))
    const code =
      `${STORE(0, 1)}${toMemory(inner)}${push(0)}${push(inner.length / 2)}${push(0)}${push(0)}f550` +
      `${CALL(OTHER, 1)}${push(32)}${push(0)}20${push(1)}55${push(0)}${push(0)}a073${OTHER.slice(2)}ff`

    test('wherever a hash fails', async () => {
      let left = Number.POSITIVE_INFINITY
      const count =
        <A extends unknown[], R>(fn: (...args: A) => R) =>
        (...args: A): R => {
          left -= 1
          if (left < 0) throw new Error('no hash today')
          return fn(...args)
        }
      const bench = await createBench(
        'shanghai',
        { [TARGET]: { code: hex(code), balance: 5n } },
        {},
        (own) => ({
          ...own,
          keccak256: count(own.keccak256),
          keccak256Hex: count(own.keccak256Hex),
        }),
      )
      const before = dump(bench.state)
      let throws = 0
      for (let allowed = 0; ; allowed++) {
        left = allowed
        try {
          await bench.include({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n })
          break
        } catch (error) {
          expect(error).toEqual(new Error('no hash today'))
          expect(dump(bench.state)).toEqual(before)
          throws += 1
        }
      }
      expect(throws).toBeGreaterThan(1)

      // The EVM that threw works like a new one.
      const fresh = await createBench('shanghai', { [TARGET]: { code: hex(code), balance: 5n } })
      await fresh.include({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n })
      const accounts = [TARGET, OTHER, SENDER, COINBASE]
      expect(accounts.map((at) => bench.state.account(at))).toEqual(
        accounts.map((at) => fresh.state.account(at)),
      )
    })

    test.each(['shanghai', 'cancun'] as const)('wherever the state fails, on %s', async (fork) => {
      // Leftover transient storage would change a slot, and the gas.
      const transient = fork === 'cancun' ? `${push(0)}5c${push(2)}55${push(1)}${push(0)}5d` : ''
      const bench = await createBench(fork, { [TARGET]: { code: hex(transient + code), balance: 5n } })
      const before = dump(bench.state)
      const full = {
        type: 2,
        from: SENDER,
        to: TARGET,
        nonce: 0n,
        gasLimit: 1_000_000n,
        value: 1n,
        data: new Uint8Array(0),
        maxFeePerGas: 1n,
        maxPriorityFeePerGas: 1n,
      } as const
      const execute = async (state: StateReader) => {
        const execution = { tx: full, env: bench.env, state, checks: ALL_CHECKS }
        return (await resumeToEnd(bench.executor.execute(execution))).outcome
      }
      const expected = await execute(bench.state)
      for (let allowed = 0; ; allowed++) {
        let left = allowed
        const failing = new Proxy(bench.state, {
          get(target, name) {
            const value = Reflect.get(target, name)
            if (typeof value !== 'function') return value
            return (...args: unknown[]) => {
              left -= 1
              if (left < 0) throw new Error('no state today')
              return value.apply(target, args)
            }
          },
        })
        try {
          expect(await execute(failing)).toEqual(expected)
          expect(allowed).toBeGreaterThan(15)
          return
        } catch (error) {
          expect(error).toEqual(new Error('no state today'))
          expect(dump(bench.state)).toEqual(before)
          // The EVM that threw is reused, and reset.
          expect(await execute(bench.state)).toEqual(expected)
        }
      }
    })
  })
})
