import { describe, expect, it } from 'vitest'
import type { StructLogTrace } from '../../../src/core/trace/shapes.ts'
import { startNests } from './nest.ts'

/** Traces a call of this code. */
async function traceCode(code: string, options: object = {}, gas = '0x186a0'): Promise<StructLogTrace> {
  const { chain } = await startNests()
  const to = `0x${'c0'.repeat(20)}` as const
  const overrides = { stateOverrides: { [to]: { code: `0x${code}`, stateDiff: { '0x7': '0x9' } } } }
  return chain.standard.request({
    method: 'debug_traceCall',
    params: [{ to, gas: gas as '0x0' }, 'latest', { ...overrides, ...options }],
  }) as Promise<StructLogTrace>
}

describe('structLogger', () => {
  it('shows every instruction with gas, stack and the slots of its account so far', async () => {
    // SLOAD 7, SSTORE 7 ← 0 for the refund, SLOAD 1.
    expect(await traceCode('600754506000600755600154')).toMatchInlineSnapshot(`
      {
        "failed": false,
        "gas": 23314,
        "returnValue": "0x",
        "structLogs": [
          {
            "depth": 1,
            "gas": 79000,
            "gasCost": 3,
            "op": "PUSH1",
            "pc": 0,
            "refund": 0,
            "stack": [],
          },
          {
            "depth": 1,
            "gas": 78997,
            "gasCost": 2100,
            "op": "SLOAD",
            "pc": 2,
            "refund": 0,
            "stack": [
              "0x7",
            ],
            "storage": {
              "0x0000000000000000000000000000000000000000000000000000000000000007": "0x0000000000000000000000000000000000000000000000000000000000000009",
            },
          },
          {
            "depth": 1,
            "gas": 76897,
            "gasCost": 2,
            "op": "POP",
            "pc": 3,
            "refund": 0,
            "stack": [
              "0x9",
            ],
          },
          {
            "depth": 1,
            "gas": 76895,
            "gasCost": 3,
            "op": "PUSH1",
            "pc": 4,
            "refund": 0,
            "stack": [],
          },
          {
            "depth": 1,
            "gas": 76892,
            "gasCost": 3,
            "op": "PUSH1",
            "pc": 6,
            "refund": 0,
            "stack": [
              "0x0",
            ],
          },
          {
            "depth": 1,
            "gas": 76889,
            "gasCost": 2900,
            "op": "SSTORE",
            "pc": 8,
            "refund": 4800,
            "stack": [
              "0x0",
              "0x7",
            ],
            "storage": {
              "0x0000000000000000000000000000000000000000000000000000000000000007": "0x0000000000000000000000000000000000000000000000000000000000000000",
            },
          },
          {
            "depth": 1,
            "gas": 73989,
            "gasCost": 3,
            "op": "PUSH1",
            "pc": 9,
            "refund": 4800,
            "stack": [],
          },
          {
            "depth": 1,
            "gas": 73986,
            "gasCost": 2100,
            "op": "SLOAD",
            "pc": 11,
            "refund": 4800,
            "stack": [
              "0x1",
            ],
            "storage": {
              "0x0000000000000000000000000000000000000000000000000000000000000001": "0x0000000000000000000000000000000000000000000000000000000000000000",
              "0x0000000000000000000000000000000000000000000000000000000000000007": "0x0000000000000000000000000000000000000000000000000000000000000000",
            },
          },
          {
            "depth": 1,
            "gas": 71886,
            "gasCost": 0,
            "op": "STOP",
            "pc": 12,
            "refund": 4800,
            "stack": [
              "0x0",
            ],
          },
        ],
      }
    `)
  })

  it('shows memory and return data on request, and omits stack and storage', async () => {
    // MSTORE, the identity precompile, RETURN.
    const code = '602a60005260206020602060006000600461fffff1503d60005260206020f3'
    const options = { enableMemory: true, enableReturnData: true, disableStack: true, disableStorage: true }
    const { structLogs, ...rest } = await traceCode(code, options)
    expect(rest).toMatchInlineSnapshot(`
      {
        "failed": false,
        "gas": 21170,
        "returnValue": "0x000000000000000000000000000000000000000000000000000000000000002a",
      }
    `)
    expect(
      structLogs.map(({ op, memory, returnData, ...other }) => [
        op,
        memory!.map(BigInt),
        returnData,
        Object.keys(other).join(),
      ]),
    ).toMatchInlineSnapshot(`
      [
        [
          "PUSH1",
          [],
          "0x",
          "pc,gas,gasCost,depth,refund",
        ],
        [
          "PUSH1",
          [],
          "0x",
          "pc,gas,gasCost,depth,refund",
        ],
        [
          "MSTORE",
          [],
          "0x",
          "pc,gas,gasCost,depth,refund",
        ],
        [
          "PUSH1",
          [
            42n,
          ],
          "0x",
          "pc,gas,gasCost,depth,refund",
        ],
        [
          "PUSH1",
          [
            42n,
          ],
          "0x",
          "pc,gas,gasCost,depth,refund",
        ],
        [
          "PUSH1",
          [
            42n,
          ],
          "0x",
          "pc,gas,gasCost,depth,refund",
        ],
        [
          "PUSH1",
          [
            42n,
          ],
          "0x",
          "pc,gas,gasCost,depth,refund",
        ],
        [
          "PUSH1",
          [
            42n,
          ],
          "0x",
          "pc,gas,gasCost,depth,refund",
        ],
        [
          "PUSH1",
          [
            42n,
          ],
          "0x",
          "pc,gas,gasCost,depth,refund",
        ],
        [
          "PUSH2",
          [
            42n,
          ],
          "0x",
          "pc,gas,gasCost,depth,refund",
        ],
        [
          "CALL",
          [
            42n,
          ],
          "0x",
          "pc,gas,gasCost,depth,refund",
        ],
        [
          "POP",
          [
            42n,
            42n,
          ],
          "0x000000000000000000000000000000000000000000000000000000000000002a",
          "pc,gas,gasCost,depth,refund",
        ],
        [
          "RETURNDATASIZE",
          [
            42n,
            42n,
          ],
          "0x000000000000000000000000000000000000000000000000000000000000002a",
          "pc,gas,gasCost,depth,refund",
        ],
        [
          "PUSH1",
          [
            42n,
            42n,
          ],
          "0x000000000000000000000000000000000000000000000000000000000000002a",
          "pc,gas,gasCost,depth,refund",
        ],
        [
          "MSTORE",
          [
            42n,
            42n,
          ],
          "0x000000000000000000000000000000000000000000000000000000000000002a",
          "pc,gas,gasCost,depth,refund",
        ],
        [
          "PUSH1",
          [
            32n,
            42n,
          ],
          "0x000000000000000000000000000000000000000000000000000000000000002a",
          "pc,gas,gasCost,depth,refund",
        ],
        [
          "PUSH1",
          [
            32n,
            42n,
          ],
          "0x000000000000000000000000000000000000000000000000000000000000002a",
          "pc,gas,gasCost,depth,refund",
        ],
        [
          "RETURN",
          [
            32n,
            42n,
          ],
          "0x000000000000000000000000000000000000000000000000000000000000002a",
          "pc,gas,gasCost,depth,refund",
        ],
      ]
    `)
  })

  it('includes the gas passed to a call, and shows its instructions a level deeper', async () => {
    const { seal, trace, other } = await startNests()
    const hash = await seal('dive', [other, 1n])
    const { structLogs } = (await trace(hash)) as StructLogTrace
    const at = structLogs.findIndex(({ op }) => op === 'CALL')
    const [before, first] = [structLogs[at]!, structLogs[at + 1]!]
    expect([before.depth, first.depth, structLogs.at(-1)!.depth]).toEqual([1, 2, 1])
    const back = structLogs.slice(at + 1).find(({ depth }) => depth === 1)!
    const used = first.gas - structLogs[structLogs.indexOf(back) - 1]!.gas
    expect(before.gas - before.gasCost + first.gas - used).toBe(back.gas)
  })

  it.each([
    ['out of gas', '5b600056', '0x5260', 'JUMP'],
    ['stack underflow', '01', '0x186a0', 'ADD'],
    ['invalid jump destination', '600356', '0x186a0', 'JUMP'],
    ['invalid opcode: INVALID', 'fe', '0x186a0', 'INVALID'],
    ['invalid opcode: opcode 0xc not defined', '0c', '0x186a0', 'INVALID'],
  ])('names the error of the instruction that failed: %s', async (error, code, gas, op) => {
    const { structLogs, ...rest } = await traceCode(code, {}, gas)
    expect(rest).toEqual({ gas: Number(gas), failed: true, returnValue: '0x' })
    expect(structLogs.filter((log) => log.error !== undefined)).toEqual([structLogs.at(-1)])
    expect([structLogs.at(-1)!.op, structLogs.at(-1)!.error]).toEqual([op, error])
  })

  it('has the data of a revert, without an error', async () => {
    const { structLogs, ...rest } = await traceCode('602a60005260206000fd')
    expect(rest).toEqual({ gas: 21018, failed: true, returnValue: `0x${'2a'.padStart(64, '0')}` })
    expect(structLogs.map(({ op, error }) => [op, error])).toEqual([
      ['PUSH1', undefined],
      ['PUSH1', undefined],
      ['MSTORE', undefined],
      ['PUSH1', undefined],
      ['PUSH1', undefined],
      ['REVERT', undefined],
    ])
  })

  it('stops recording at the limit, but not the execution', async () => {
    const all = await traceCode('6001600201600301fe')
    const some = await traceCode('6001600201600301fe', { limit: 2 })
    expect(some).toEqual({ ...all, structLogs: all.structLogs.slice(0, 2) })
    expect(await traceCode('6001600201600301fe', { limit: 0 })).toEqual(all)
  })

  it('is empty for a transfer', async () => {
    const { seal, trace, sender } = await startNests()
    const hash = await seal('word', [], { to: sender, data: '0x', value: 1n, gas: 21_000n })
    expect(await trace(hash)).toEqual({ gas: 21_000, failed: false, returnValue: '0x', structLogs: [] })
  })
})
