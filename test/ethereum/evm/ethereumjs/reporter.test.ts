import { afterEach, describe, expect, test } from 'vitest'
import type { Address } from '../../../../src/base/types.ts'
import { ALL_CHECKS } from '../../../../src/ethereum/evm/executor.ts'
import { setCollector } from '../../../../src/ethereum/evm/hooks.ts'
import { createEngines, observe } from '../comparison.ts'
import { type Code, hex, push, toMemory } from '../programs.ts'
import { BASE_TX, createBench, TARGET } from '../setup.ts'

const OTHER: Address = `0x${'dd'.repeat(20)}`
const PROBE: Address = `0x${'ab'.repeat(20)}`
const word = (n: bigint): Code => `7f${n.toString(16).padStart(64, '0')}`
const call = (to: Address, value: number, op: Code): Code =>
  `${push(32)}${push(0)}${push(64)}${push(32)}${op === 'f1' || op === 'f2' ? push(value) : ''}73${to.slice(2)}61ffff${op}`
const create = (value: number): Code => `${toMemory('600160005500')}${push(6)}${push(0)}${push(value)}f0`

/** Observes an execution of code on both engines, with a trace and without hooks. */
async function observeBoth(code: Code) {
  const bench = await createBench('prague', {
    [TARGET]: { code: hex(code), balance: 5n },
    [OTHER]: { code: hex(`${push(7)}${push(0)}52${push(32)}${push(0)}f3`) },
  })
  const { preseal, ethereumjs } = createEngines(bench.crypto)
  const execution = { ...bench, tx: BASE_TX, checks: ALL_CHECKS }
  const [traced, plain] = [{ trace: true }, {}]
  const own = [await observe(preseal, execution, traced), await observe(preseal, execution, plain)]
  const stock = [await observe(ethereumjs, execution, traced), await observe(ethereumjs, execution, plain)]
  expect(stock).toEqual(own)
  return stock[0]!
}

describe('a trace of an execution on @ethereumjs', () => {
  afterEach(() => setCollector('hardhat', undefined))

  test('takes no memory for a REVERT that cannot pay for it', async () => {
    for (const length of [2n ** 31n, 2n ** 40n, 2n ** 255n]) {
      const { outcome, trace } = await observeBoth(`${word(length)}${push(0)}fd`)
      expect(outcome).toMatchObject({ succeeded: false, error: 'out of gas' })
      expect(trace!.at(-1)).toMatch(/^end gas/)
    }
  })

  test('has the calls and creations that fail the check of funds', async () => {
    const { trace } = await observeBoth(
      call(OTHER, 6, 'f1') + call(OTHER, 6, 'f2') + create(6) + call(OTHER, 5, 'f1') + call(OTHER, 0, 'f4'),
    )
    const frames = trace!.filter((line) => /^(CALL|DELEGATE|CREATE|end)/.test(line))
    const refused = 'end gas 0 insufficient balance for transfer 0x undefined'
    expect(frames.filter((line) => line === refused)).toHaveLength(3)
    expect(frames).toHaveLength(12)
  })

  test('reports the end of code as STOP', async () => {
    const { trace } = await observeBoth(push(1))
    expect(trace!.at(-2)).toMatch(/^1 2 STOP .* stack 1 memory 0/)
  })

  test('keeps the return data over a call of the account that a collector probes', async () => {
    setCollector('hardhat', { probe: PROBE, watch: () => ({}) })
    const size = `3d${push(0)}52${push(32)}${push(0)}f3`
    const { outcome } = await observeBoth(call(OTHER, 0, 'f1') + call(PROBE, 0, 'fa') + size)
    expect(outcome).toMatchObject({ output: `0x${'20'.padStart(64, '0')}` })
  })
})
