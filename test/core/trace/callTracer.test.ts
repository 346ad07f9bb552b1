import { describe, expect, it } from 'vitest'
import type { CallTrace } from '../../../src/core/trace/shapes.ts'
import { Stillborn } from '../../contracts/artifacts.ts'
import { startChain } from '../../harness.ts'
import { HEIR, nestCall, startNests } from './nest.ts'

/** A tree of calls with a line for each; small trees are compared as values instead. */
function outline(call: CallTrace, indent = ''): string[] {
  const { type, to = '–', value = '–', gas, gasUsed, input, output = '–', error, revertReason } = call
  const cut = (data: string) =>
    data.length > 74 ? `${data.slice(0, 10)}… ${data.length / 2 - 1} bytes` : data
  const failure =
    error === undefined ? '' : ` ! ${error}${revertReason === undefined ? '' : `: ${revertReason}`}`
  const logs = call.logs?.map(({ index, position }) => `${Number(index)}@${Number(position)}`) ?? []
  return [
    `${indent}${type} ${to} ${value} gas ${Number(gas)}, used ${Number(gasUsed)}: ${cut(input)} → ${cut(output)}${failure}${logs.length > 0 ? ` logs ${logs}` : ''}`,
    ...(call.calls ?? []).flatMap((inner) => outline(inner, `${indent}  `)),
  ]
}

describe('callTracer', () => {
  it('shows every kind of call, with its logs on request', async () => {
    const { seal, trace, other } = await startNests()
    const hash = await seal('calls', [other], { value: 100n })
    const traced = (await trace(hash, { tracer: 'callTracer', tracerConfig: { withLog: true } })) as CallTrace
    expect(outline(traced)).toMatchInlineSnapshot(`
      [
        "CALL 0x5fbdb2315678afecb367f032d93f642f64180aa3 0x64 gas 3000000, used 102512: 0x7155afca000000000000000000000000e7f1725e7734ce288f8367e1bb143e90bb3f0512 → – logs 0@0,4@5",
        "  CALL 0xe7f1725e7734ce288f8367e1bb143e90bb3f0512 0x1 gas 2920450, used 24565: 0xf472a58a0000000000000000000000000000000000000000000000000000000000000007 → 0x0000000000000000000000000000000000000000000000000000000000000008 logs 1@0",
        "  STATICCALL 0xe7f1725e7734ce288f8367e1bb143e90bb3f0512 – gas 2895890, used 326: 0x59e02dd7 → 0x0000000000000000000000000000000000000000000000000000000000000007",
        "  DELEGATECALL 0xe7f1725e7734ce288f8367e1bb143e90bb3f0512 0x64 gas 2894827, used 24565: 0xf472a58a0000000000000000000000000000000000000000000000000000000000000008 → 0x0000000000000000000000000000000000000000000000000000000000000009 logs 2@0",
        "  CALLCODE 0xe7f1725e7734ce288f8367e1bb143e90bb3f0512 0x2 gas 2863649, used 2565: 0xf472a58a0000000000000000000000000000000000000000000000000000000000000009 → 0x000000000000000000000000000000000000000000000000000000000000000a logs 3@0",
        "  CALL 0xe7f1725e7734ce288f8367e1bb143e90bb3f0512 0x3 gas 2300, used 55: 0x → –",
      ]
    `)
    expect(traced.calls![0]).toMatchInlineSnapshot(`
      {
        "from": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
        "gas": "0x2c9002",
        "gasUsed": "0x5ff5",
        "input": "0xf472a58a0000000000000000000000000000000000000000000000000000000000000007",
        "logs": [
          {
            "address": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
            "data": "0x000000000000000000000000000000000000000000000000000000000000002000000000000000000000000000000000000000000000000000000000000000046c65616600000000000000000000000000000000000000000000000000000000",
            "index": "0x1",
            "position": "0x0",
            "topics": [
              "0x761adb9d764dc56be011a78b63cd48e8eccdc4b130d7bf404aebcbd6cde44225",
              "0x0000000000000000000000000000000000000000000000000000000000000007",
            ],
          },
        ],
        "output": "0x0000000000000000000000000000000000000000000000000000000000000008",
        "to": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
        "type": "CALL",
        "value": "0x1",
      }
    `)
    expect(traced.logs![1]).toMatchInlineSnapshot(`
      {
        "address": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
        "data": "0x0000000000000000000000000000000000000000000000000000000000000020000000000000000000000000000000000000000000000000000000000000000563616c6c73000000000000000000000000000000000000000000000000000000",
        "index": "0x4",
        "position": "0x5",
        "topics": [
          "0x761adb9d764dc56be011a78b63cd48e8eccdc4b130d7bf404aebcbd6cde44225",
          "0x0000000000000000000000000000000000000000000000000000000000000001",
        ],
      }
    `)
    expect(outline((await trace(hash, { tracer: 'callTracer' })) as CallTrace).join()).not.toContain('logs')
  })

  it('shows why calls failed, and no logs of failed calls', async () => {
    const { seal, trace, other } = await startNests()
    const hash = await seal('failures', [other], { value: 100n })
    const traced = await trace(hash, { tracer: 'callTracer', tracerConfig: { withLog: true } })
    expect(outline(traced as CallTrace)).toMatchInlineSnapshot(`
      [
        "CALL 0x5fbdb2315678afecb367f032d93f642f64180aa3 0x64 gas 3000000, used 2988229: 0x20ecde14000000000000000000000000e7f1725e7734ce288f8367e1bb143e90bb3f0512 → – logs 1@8",
        "  CALL 0xe7f1725e7734ce288f8367e1bb143e90bb3f0512 0x0 gas 2928952, used 2383: 0xa60a07b2000000000000000000000000000000000000000000000000000000000000002a → 0x590a5151000000000000000000000000000000000000000000000000000000000000002a ! execution reverted",
        "  STATICCALL 0xe7f1725e7734ce288f8367e1bb143e90bb3f0512 – gas 2926270, used 324: 0xf2739740 → 0x08c379a0… 100 bytes ! execution reverted: no way",
        "  STATICCALL 0xe7f1725e7734ce288f8367e1bb143e90bb3f0512 – gas 2925725, used 383: 0x72f40a6b0000000000000000000000000000000000000000000000000000000000000001 → 0x4e487b710000000000000000000000000000000000000000000000000000000000000012 ! execution reverted: division or modulo by zero",
        "  STATICCALL 0xe7f1725e7734ce288f8367e1bb143e90bb3f0512 – gas 5000, used 5000: 0x44df8e70 → – ! out of gas",
        "  STATICCALL 0xe7f1725e7734ce288f8367e1bb143e90bb3f0512 – gas 5000, used 5000: 0xbde9e40e → – ! invalid opcode: INVALID",
        "  CALL 0xe7f1725e7734ce288f8367e1bb143e90bb3f0512 0xde0b6b3a7640000 gas 2908011, used 0: 0xf472a58a0000000000000000000000000000000000000000000000000000000000000001 → – ! insufficient balance for transfer",
        "  STATICCALL 0xe7f1725e7734ce288f8367e1bb143e90bb3f0512 – gas 2907349, used 2907349: 0xf472a58a0000000000000000000000000000000000000000000000000000000000000001 → – ! write protection",
        "  CREATE – 0x0 gas 13787, used 153: 0x60806040… 73 bytes → 0x08c379a0… 100 bytes ! execution reverted: stillborn",
      ]
    `)
    expect((traced as CallTrace).calls![7]!.input).toBe(Stillborn.bytecode)
  })

  it('shows precompiles', async () => {
    const { seal, trace } = await startNests()
    const hash = await seal('precompiles', [], { value: 100n })
    expect(outline((await trace(hash, { tracer: 'callTracer' })) as CallTrace)).toMatchInlineSnapshot(`
      [
        "CALL 0x5fbdb2315678afecb367f032d93f642f64180aa3 0x64 gas 3000000, used 2954120: 0x61a51e2b → 0xc4b85630315ecad570f090f7d9dafa73438219568021fdbfc73c8c594e637d7f",
        "  STATICCALL 0x0000000000000000000000000000000000000002 – gas 2932035, used 72: 0x7072657365616c → 0xc4b85630315ecad570f090f7d9dafa73438219568021fdbfc73c8c594e637d7f",
        "  CALL 0x0000000000000000000000000000000000000004 0x1 gas 2900433, used 18: 0x6964656e74697479 → 0x6964656e74697479",
        "  CALL 0x000000000000000000000000000000000000dead 0x0 gas 2897627, used 0: 0x6e6f626f6479 → –",
        "  STATICCALL 0x0000000000000000000000000000000000000006 – gas 2897407, used 2897407: 0xff → – ! precompiled failed",
      ]
    `)
  })

  it.each(['preseal', 'ethereumjs'] as const)(
    'shows why calls failed at the addresses of precompiles, by the engine %s',
    async (engine) => {
      const { preconf } = await startChain({ engine })
      const [to, code, six] = [
        `0x${'cc'.repeat(20)}`,
        `0x${'4'.padStart(40, '0')}`,
        `0x${'6'.padStart(40, '0')}`,
      ]
      // Calls 4 with ether that it does not have, 4 without ether, and 6 with what is no point, and with too little gas.
      const caller = [
        '6000600060006000600560045af150',
        '6000600060006000600060045af150',
        '6001600053600060006001600060006006610400f150',
        '600060006001600060006006600af150',
      ]
      const reverting = '0x6308c379a060e01b60005260206004526002602452616e6f60f01b60445260646000fd'
      const trace = (await preconf.request({
        method: 'debug_traceCall',
        params: [
          { to, gas: '0x186a0' } as never,
          'latest',
          {
            tracer: 'callTracer',
            stateOverrides: { [to]: { code: `0x${caller.join('')}` }, [code]: { code: reverting } },
          } as never,
        ],
      })) as CallTrace
      const expected = [
        [code, 'insufficient balance for transfer', undefined, undefined],
        [code, 'execution reverted', `0x${reverting.length}`, 'no'],
        [six, 'precompiled failed', undefined, undefined],
        [six, 'out of gas', undefined, undefined],
      ]
      expect(
        trace.calls!.map(({ to, error, output, revertReason }) => [
          to,
          error,
          output && `0x${reverting.length}`,
          revertReason,
        ]),
      ).toEqual(expected)
    },
  )

  it('shows creations and selfdestructs', async () => {
    const { seal, trace } = await startNests()
    const hash = await seal('creations', [HEIR], { value: 100n })
    expect(outline((await trace(hash, { tracer: 'callTracer' })) as CallTrace)).toMatchInlineSnapshot(`
      [
        "CALL 0x5fbdb2315678afecb367f032d93f642f64180aa3 0x64 gas 3000000, used 172996: 0x3b28d57700000000000000000000000000000000000000000000000000000000000e1dad → 0x00000000… 64 bytes",
        "  CREATE 0xa16e02e87b7454126e5e10d957a927a7f5b5d2be 0x5 gas 2900275, used 24051: 0x60806040… 137 bytes → 0x60806040… 120 bytes",
        "  CREATE2 0x1d8c26b539c2a1b06af51bbebd7feb7c45d76fd6 0x0 gas 2844917, used 24051: 0x60806040… 137 bytes → 0x60806040… 120 bytes",
        "  CALL 0xa16e02e87b7454126e5e10d957a927a7f5b5d2be 0x0 gas 2820869, used 32857: 0xc9353cb500000000000000000000000000000000000000000000000000000000000e1dad → –",
        "    SELFDESTRUCT 0x00000000000000000000000000000000000e1dad 0x5 gas 0, used 0: 0x → –",
        "  CALL 0x1d8c26b539c2a1b06af51bbebd7feb7c45d76fd6 0x0 gas 2788165, used 5257: 0xc9353cb500000000000000000000000000000000000000000000000000000000000e1dad → –",
        "    SELFDESTRUCT 0x00000000000000000000000000000000000e1dad 0x0 gas 0, used 0: 0x → –",
      ]
    `)
  })

  it('shows nested frames, and drops the logs of the innermost, which reverts', async () => {
    const { seal, trace, other } = await startNests()
    const hash = await seal('dive', [other, 3n])
    const traced = await trace(hash, { tracer: 'callTracer', tracerConfig: { withLog: true } })
    expect(outline(traced as CallTrace)).toMatchInlineSnapshot(`
      [
        "CALL 0x5fbdb2315678afecb367f032d93f642f64180aa3 0x0 gas 3000000, used 41400: 0xc05be150… 68 bytes → – logs 0@0,6@1",
        "  CALL 0xe7f1725e7734ce288f8367e1bb143e90bb3f0512 0x0 gas 2926602, used 12379: 0xc05be150… 68 bytes → – logs 1@0,5@1",
        "    CALL 0x5fbdb2315678afecb367f032d93f642f64180aa3 0x0 gas 2878047, used 7430: 0xc05be150… 68 bytes → – logs 2@0,4@1",
        "      CALL 0xe7f1725e7734ce288f8367e1bb143e90bb3f0512 0x0 gas 2830251, used 2486: 0xc05be150… 68 bytes → 0x590a51510000000000000000000000000000000000000000000000000000000000000000 ! execution reverted",
      ]
    `)
  })

  const reverted = { gas: '0x2dc6c0', error: 'execution reverted' }

  it.each<[what: string, functionName: string, args: unknown[], draft: object, expected: object]>([
    [
      'a revert with data',
      'refuse',
      [5n],
      {},
      { ...reverted, gasUsed: '0x5c23', output: `0x590a5151${'5'.padStart(64, '0')}` },
    ],
    [
      'a revert with a reason',
      'refuseString',
      [],
      {},
      {
        ...reverted,
        gasUsed: '0x538c',
        output: `0x08c379a0${'20'.padStart(64, '0')}${'6'.padStart(64, '0')}${'6e6f20776179'.padEnd(64, '0')}`,
        revertReason: 'no way',
      },
    ],
    [
      'a panic',
      'panic',
      [5n],
      {},
      {
        ...reverted,
        gasUsed: '0x5453',
        output: `0x4e487b71${'12'.padStart(64, '0')}`,
        revertReason: 'division or modulo by zero',
      },
    ],
    [
      'an invalid opcode',
      'invalid',
      [],
      { gas: 100_000n },
      { gas: '0x186a0', gasUsed: '0x186a0', error: 'invalid opcode: INVALID' },
    ],
    [
      'running out of gas',
      'burn',
      [],
      { gas: 60_000n },
      { gas: '0xea60', gasUsed: '0xea60', error: 'out of gas' },
    ],
  ])('shows %s of the transaction itself', async (_, functionName, args, draft, expected) => {
    const { seal, trace, sender, nest } = await startNests()
    const hash = await seal(functionName, args, draft)
    expect(await trace(hash, { tracer: 'callTracer' })).toEqual({
      type: 'CALL',
      from: sender,
      to: nest,
      value: '0x0',
      input: nestCall(functionName, args),
      ...expected,
    })
  })

  it('shows a transfer, and a creation that fails', async () => {
    const { seal, create, trace, sender } = await startNests()
    const transfer = await seal('word', [], { to: HEIR, value: 5n, data: '0x', gas: 30_000n })
    expect(await trace(transfer, { tracer: 'callTracer' })).toEqual({
      type: 'CALL',
      from: sender,
      to: HEIR,
      value: '0x5',
      gas: '0x7530',
      gasUsed: '0x5208',
      input: '0x',
    })
    const stillborn = await create('0x60006000fd', { gas: 100_000n })
    expect(await trace(stillborn, { tracer: 'callTracer' })).toEqual({
      type: 'CREATE',
      from: sender,
      value: '0x0',
      gas: '0x186a0',
      gasUsed: '0xcf48',
      input: '0x60006000fd',
      error: 'execution reverted',
    })
  })

  it('omits inner calls with onlyTopCall', async () => {
    const { seal, trace, other } = await startNests()
    const hash = await seal('dive', [other, 3n])
    const { calls, ...top } = (await trace(hash, { tracer: 'callTracer' })) as CallTrace
    expect(calls).toHaveLength(1)
    expect(await trace(hash, { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } })).toEqual(top)
  })

  it('shows calls beyond the maximum depth, and creations without funds', async () => {
    const { chain, nest } = await startNests({ limits: { gasCap: 10n ** 15n } })
    // Calls itself with all its gas; then creates with 1 wei that it does not have.
    const code = '0x60006000600060006000305af1600060006001f0'
    const call = { to: nest, gas: '0x38d7ea4c68000' } as const
    const options = { tracer: 'callTracer', stateOverrides: { [nest]: { code } } } as const
    const traced = await chain.standard.request({
      method: 'debug_traceCall',
      params: [call, 'latest', options],
    })
    const failures: (string | undefined)[] = []
    for (let at = traced as CallTrace; at.calls !== undefined; at = at.calls[0]!) {
      failures.push(at.calls.map(({ type, error }) => `${type} ${error ?? 'well'}`).join(', '))
    }
    expect(failures).toEqual([
      ...Array(1024).fill('CALL well, CREATE insufficient balance for transfer'),
      'CALL max call depth exceeded, CREATE max call depth exceeded',
    ])
  })
})
