import { describe, expect, test } from 'vitest'
import { hexToBytes } from '../../../src/base/bytes.ts'
import type { Address, Hash, Hex } from '../../../src/base/types.ts'
import { whenLoaded } from '../../../src/base/waiting.ts'
import {
  ALL_CHECKS,
  type FrameEnd,
  type FrameStart,
  type Hooks,
  type Included,
} from '../../../src/ethereum/evm/executor.ts'
import { combineHooks, FrameStack } from '../../../src/ethereum/evm/hooks.ts'
import { EMPTY_STATE } from '../../../src/ethereum/state/account.ts'
import { MAX_NONCE, type TxEnv } from '../../../src/ethereum/transaction.ts'
import {
  type Code,
  call,
  callCode,
  create,
  delegateCall,
  hex,
  log,
  push,
  REVERT,
  selfDestruct,
  staticCall,
} from './programs.ts'
import {
  BASE_TX,
  type Bench,
  COINBASE,
  createBench,
  ETHER,
  SENDER,
  slotKey,
  slotOf,
  TARGET,
} from './setup.ts'

const OTHER: Address = `0x${'dd'.repeat(20)}`
const THIRD: Address = `0x${'ee'.repeat(19)}ef`
const EMPTY: Address = `0x${'e0'.repeat(20)}`

describe('precompiles', () => {
  const IDENTITY: Address = `0x${'04'.padStart(40, '0')}`
  const DATA = hexToBytes('0xc0ffee')
  const movedPrecompiles = new Map<Address, Address | null>([
    [OTHER, IDENTITY],
    [IDENTITY, null],
  ])

  async function includeMoved({ executor, env, state }: Bench, tx: Partial<TxEnv> = {}): Promise<Included> {
    const execution = {
      tx: { ...BASE_TX, nonce: state.account(SENDER)!.nonce, ...tx },
      env: { ...env, movedPrecompiles },
      state,
      checks: ALL_CHECKS,
    }
    const { outcome, overlay } = await whenLoaded(() => executor.execute(execution))
    if (outcome.kind === 'rejected') throw outcome.error
    overlay.merge()
    return outcome
  }

  /** Calls `to` with a word of ones, and stores the result and whether it succeeded. */
  const asking = (to: Address): Code =>
    `${push(1)}${push(0)}52${push(32)}${push(32)}${push(32)}${push(0)}${push(0)}73${to.slice(2)}5af1` +
    `${push(32)}51${push(0)}55${push(1)}55`

  test('run at their new address, called by a transaction', async () => {
    const bench = await createBench('prague')
    const moved = await includeMoved(bench, { to: OTHER, data: DATA })
    expect(moved).toMatchObject({ succeeded: true, output: DATA, gasUsed: 21_120n })
    const left = await includeMoved(bench, { to: IDENTITY, data: DATA })
    expect(left).toMatchObject({ succeeded: true, output: new Uint8Array(0) })
  })

  test('run at their new address, called by code, for one operation', async () => {
    const bench = await createBench('prague', { [TARGET]: { code: hex(asking(OTHER)) } })
    await includeMoved(bench)
    expect([slotOf(bench.state, TARGET, 0), slotOf(bench.state, TARGET, 1)]).toEqual([1n, 1n])
    await bench.include()
    expect([slotOf(bench.state, TARGET, 0), slotOf(bench.state, TARGET, 1)]).toEqual([0n, 1n])
  })

  test('let code run that replaces them', async () => {
    const bench = await createBench('prague', { [IDENTITY]: { code: hex(`${push(7)}${push(0)}55`) } })
    await includeMoved(bench, { to: IDENTITY })
    expect(slotOf(bench.state, IDENTITY, 0)).toBe(7n)
    const { output } = await bench.include({ to: IDENTITY, data: DATA })
    expect(output).toEqual(DATA)
  })

  test('stay warm at their old address, and are cold at the new one', async () => {
    const gasOf = async (to: Address) => {
      const bench = await createBench('prague', { [TARGET]: { code: hex(`73${to.slice(2)}3100`) } })
      return (await includeMoved(bench)).gasUsed
    }
    expect(await gasOf(IDENTITY)).toBe(21_103n)
    expect(await gasOf(OTHER)).toBe(23_603n)
  })
})

describe('accesses', () => {
  async function touched(accounts: Parameters<typeof createBench>[1], tx = {}) {
    const bench = await createBench('prague', accounts)
    const seen: (readonly [Address, Hash?])[] = []
    const outcome = await bench.include(tx, ALL_CHECKS, {
      onAccess: (address, slot) => seen.push(slot === undefined ? [address] : [address, slot]),
    })
    return { seen, outcome }
  }

  test('are reported in order, slots and accounts, of every frame', async () => {
    const reads = ['31', '3b', '3f'].map((op, i) => `73${address(i + 0xb0).slice(2)}${op}50`).join('')
    const copies = `${push(0).repeat(3)}73${address(0xb3).slice(2)}3c`
    const { seen } = await touched({
      [TARGET]: {
        code: hex(
          `${push(1)}54${push(1)}${push(2)}55${reads}${copies}${call(OTHER)}${callCode(OTHER, 0)}` +
            `${delegateCall(OTHER)}${staticCall(EMPTY)}${selfDestruct(THIRD)}`,
        ),
      },
      [OTHER]: { code: hex(`${push(9)}54${REVERT}`) },
    })
    expect(seen).toEqual([
      [TARGET, slotKey(1)],
      [TARGET, slotKey(2)],
      [address(0xb0)],
      [address(0xb1)],
      [address(0xb2)],
      [address(0xb3)],
      [OTHER],
      [OTHER, slotKey(9)],
      [OTHER],
      [TARGET, slotKey(9)],
      [OTHER],
      [TARGET, slotKey(9)],
      [EMPTY],
      [THIRD],
    ])
  })

  test('have addresses without the upper bytes of the word', async () => {
    const { seen } = await touched({ [TARGET]: { code: hex(`7f${'ff'.repeat(12)}${OTHER.slice(2)}31`) } })
    expect(seen).toEqual([[OTHER]])
  })

  test('include one that runs out of gas, but none without its operands', async () => {
    const { seen, outcome } = await touched(
      { [TARGET]: { code: hex(`${push(1)}54`) } },
      { gasLimit: 21_100n },
    )
    expect([outcome.error, seen]).toEqual(['out of gas', [[TARGET, slotKey(1)]]])
    const underflow = await touched({ [TARGET]: { code: '0x54' } })
    expect([underflow.outcome.error, underflow.seen]).toEqual(['stack underflow', []])
  })

  test('do not include created contracts', async () => {
    const { seen } = await touched({ [TARGET]: { code: hex(create('', 0)) } })
    expect(seen).toEqual([])
  })
})

describe('several hooks on one execution', () => {
  test('are told in their order, each what it has a member for', async () => {
    const told: string[] = []
    class Frames implements Hooks {
      readonly #name: string
      constructor(name: string) {
        this.#name = name
      }
      onEnter({ to }: FrameStart): void {
        told.push(`${this.#name}: enter ${to}`)
      }
    }
    const logs: Hooks = { onLog: ({ topics }) => void told.push(`log ${topics}`) }
    const hooks = combineHooks([new Frames('first'), logs, new Frames('second')])!
    const bench = await createBench('prague', { [TARGET]: { code: hex(log(1)) } })
    await bench.include({}, ALL_CHECKS, hooks)
    expect(told).toEqual([`first: enter ${TARGET}`, `second: enter ${TARGET}`, `log ${slotKey(1)}`])
    expect(Object.keys(hooks)).toEqual(['onEnter', 'onLog'])
  })

  test('are themselves if there is one, and none if there is none', () => {
    const one: Hooks = {}
    expect([combineHooks([one]), combineHooks([])]).toEqual([one, undefined])
  })
})

describe('the stack of frames', () => {
  test('has the current frame, its depth and, also after the end, the outermost one', () => {
    const frames = new FrameStack<string>()
    const end: FrameEnd = { gasUsed: 0n, output: new Uint8Array(0) }
    frames.start(EMPTY_STATE)
    frames.enter('outer')
    frames.enter('inner')
    expect([frames.current, frames.depth, frames.root]).toEqual(['inner', 2, 'outer'])
    expect([frames.exit(end), frames.current]).toEqual(['inner', 'outer'])
    expect([frames.exit(end), frames.current, frames.root]).toEqual(['outer', undefined, 'outer'])
    frames.start(EMPTY_STATE)
    expect([frames.current, frames.depth, frames.root]).toEqual([undefined, 0, undefined])
  })

  test('has the code of what was created, unless the creation failed', () => {
    const frames = new FrameStack<string>()
    const output = Uint8Array.of(0x00)
    frames.start(EMPTY_STATE)
    for (const [created, error] of [
      [OTHER, undefined],
      [THIRD, 'out of gas'],
    ] as const) {
      frames.enter('creation')
      frames.exit({ gasUsed: 0n, output, created, ...(error !== undefined && { error }) })
    }
    expect(frames.codeOf(OTHER)).toEqual(output)
    expect(frames.codeOf(THIRD)).toEqual(new Uint8Array(0))
  })
})

describe('without checks', () => {
  const NO_FUNDS_CHECK = { ...ALL_CHECKS, funds: false }

  test('of funds, a sender is credited what it lacks, and the unspent part is removed', async () => {
    const bench = await createBench('prague', { [SENDER]: { balance: 100n } }, { baseFee: 10n })
    const fees = { maxFeePerGas: 1_000n, maxPriorityFeePerGas: 2n }
    await bench.include({ ...fees, gasLimit: 50_000n, value: 5_000n }, NO_FUNDS_CHECK)
    expect(bench.state.account(SENDER)).toMatchObject({ nonce: 1n, balance: 0n })
    expect(bench.state.account(TARGET)?.balance).toBe(5_000n)
    expect(bench.state.account(COINBASE)?.balance).toBe(2n * 21_000n)
  })

  test('of funds, a sender that has enough keeps the rest', async () => {
    const bench = await createBench('prague')
    await bench.include({ value: 1n }, NO_FUNDS_CHECK)
    expect(bench.state.account(SENDER)?.balance).toBe(ETHER - 1n)
  })

  test('of funds, code spends the credit', async () => {
    const absent: Address = address(0xabcdef)
    const bench = await createBench('prague', { [TARGET]: { code: hex(call(OTHER, 5)) } })
    await bench.include({ from: absent, value: 5n }, NO_FUNDS_CHECK)
    expect(bench.state.account(OTHER)?.balance).toBe(5n)
    expect(bench.state.account(absent)).toMatchObject({ nonce: 1n, balance: 0n })
  })

  test('of fees, blobs without a fee cap are free', async () => {
    const blobs = { type: 3, blobVersionedHashes: [`0x01${'00'.repeat(31)}`] } as const
    const bench = await createBench('prague', {}, { blobBaseFee: 3n })
    await bench.include(blobs, { ...ALL_CHECKS, blobFeeCap: false })
    expect(bench.state.account(SENDER)?.balance).toBe(ETHER)
    await bench.include({ ...blobs, maxFeePerBlobGas: 5n })
    expect(bench.state.account(SENDER)?.balance).toBe(ETHER - 3n * 131_072n)
  })

  const ANY_NONCE = { ...ALL_CHECKS, nonce: false }

  test.each<[string, Hex]>([
    ['a transfer', '0x'],
    ['a call', hex(log(1))],
  ])('of nonces, %s starts again after the last one', async (_, code) => {
    const bench = await createBench('prague', {
      [SENDER]: { nonce: MAX_NONCE, balance: ETHER },
      [TARGET]: { code },
    })
    expect(await bench.include({ value: 1n }, ANY_NONCE)).toMatchObject({ succeeded: true })
    expect(bench.state.account(SENDER)?.nonce).toBe(0n)
  })

  test('of nonces, a creation fails after the last one', async () => {
    const bench = await createBench('prague', { [SENDER]: { nonce: MAX_NONCE, balance: ETHER } })
    expect(await bench.include({ to: null, value: 1n }, ANY_NONCE)).toEqual({
      kind: 'included',
      succeeded: false,
      error: 'nonce uint64 overflow',
      gasUsed: 53_000n,
      peakGas: 53_000n,
      effectiveGasPrice: 0n,
      output: new Uint8Array(0),
      logs: [],
      contractAddress: null,
    })
    expect(bench.state.account(SENDER)).toMatchObject({ nonce: MAX_NONCE, balance: ETHER })
  })
})

function address(n: number): Address {
  return `0x${n.toString(16).padStart(40, '0')}`
}
