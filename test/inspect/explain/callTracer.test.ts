/** Explanations compared with go-ethereum's tree of calls. */
import { describe, expect, it } from 'vitest'
import { quantity } from '../../../src/base/bytes.ts'
import type { CallTrace } from '../../../src/core/trace/shapes.ts'
import { isCreation } from '../../../src/ethereum/evm/executor.ts'
import { explanationToText } from '../../../src/inspect/explain/text.ts'
import type { ExplainedFrame } from '../../../src/inspect/explain/tree.ts'
import * as artifacts from '../../contracts/artifacts.ts'
import { HEIR, startNests } from '../../core/trace/nest.ts'

/** A frame in the shape of callTracer. */
function toCallTrace(frame: ExplainedFrame, succeeded = true): CallTrace {
  const { type, from, to, value, gas, gasUsed, input, output, error, reason, items } = frame
  const keepsLogs = succeeded && error === undefined
  const calls = items.filter((item) => item.kind === 'frame')
  let before = 0
  const logs = items.flatMap((item) => {
    if (item.kind === 'frame') before += 1
    if (item.kind !== 'event') return []
    const { address, topics, data } = item
    return [{ address, topics, data, position: quantity(before) }]
  })
  return {
    type,
    from,
    ...(to !== undefined && !(isCreation(type) && error !== undefined) && { to }),
    ...(type !== 'STATICCALL' && { value: quantity(value) }),
    gas: quantity(gas),
    gasUsed: quantity(gasUsed),
    input,
    ...(output !== '0x' && (error === undefined || error === 'execution reverted') && { output }),
    ...(error !== undefined && { error }),
    ...(reason !== undefined && { revertReason: reason }),
    ...(calls.length > 0 && { calls: calls.map((call) => toCallTrace(call, keepsLogs)) }),
    ...(keepsLogs && logs.length > 0 && { logs: logs as never }),
  }
}

/** A trace without the indices of its logs, which an explanation has by their order. */
function withoutIndices(trace: CallTrace): CallTrace {
  const { calls, logs, ...rest } = trace
  return {
    ...rest,
    ...(calls && { calls: calls.map(withoutIndices) }),
    ...(logs && { logs: logs.map(({ index, ...log }) => log) as never }),
  }
}

describe('an explanation', () => {
  it.each<[string, (other: string) => readonly unknown[], object?]>([
    ['calls', (other) => [other], { value: 100n }],
    ['failures', (other) => [other], { value: 100n }],
    ['precompiles', () => [], { value: 100n }],
    ['creations', () => [HEIR], { value: 100n }],
    ['everything', (other) => [other, HEIR], { value: 100n, gas: 9_000_000n }],
    ['dive', (other) => [other, 9n]],
    ['leaf', () => [0n]],
    ['refuse', () => [5n]],
    ['refuseString', () => []],
    ['panic', () => [5n]],
    ['invalid', () => [], { gas: 100_000n }],
    ['burn', () => [], { gas: 60_000n }],
  ])('of %s has the frames, the logs and the errors of callTracer', async (name, args, draft) => {
    const { seal, trace, other, chain } = await startNests()
    const hash = await seal(name, args(other), draft)
    const traced = (await trace(hash, { tracer: 'callTracer', tracerConfig: { withLog: true } })) as CallTrace
    for (const storage of [false, true]) {
      const { root, notes } = await chain.explain(hash, { artifacts: { ...artifacts }, storage })
      expect(toCallTrace(root)).toEqual(withoutIndices(traced))
      expect(notes).toEqual([])
    }
  })

  it('words the kinds of calls as forge does', async () => {
    const { seal, other, chain } = await startNests()
    const hash = await seal('calls', [other], { value: 100n })
    const explained = await chain.explain(hash, { artifacts: { ...artifacts }, storage: true })
    expect(explanationToText({ ...explained, hash: '0x01' }, { colors: false })).toMatchInlineSnapshot(`
      "sealed transaction 0x01, in block 2: succeeded, 102512 gas
        [102512] Nest::calls{value: 100}(Nest: [0xe7f1725e7734ce288f8367e1bb143e90bb3f0512])
          ├─ emit Entered(depth: 0, data: 0x63616c6c73)
          ├─ [24565] Nest::leaf{value: 1}(7)
          │   ├─ storage @ 0: 0 → 7
          │   ├─ emit Entered(depth: 7, data: 0x6c656166)
          │   └─ ← [Return] 8
          ├─ [326] Nest::peek() [staticcall]
          │   └─ ← [Return] 7
          ├─ [24565] Nest::leaf(8) [delegatecall]
          │   ├─ storage @ 0: 0 → 8
          │   ├─ emit Entered(depth: 8, data: 0x6c656166)
          │   └─ ← [Return] 9
          ├─ [2565] Nest::leaf{value: 2}(9) [callcode]
          │   ├─ storage @ 0: 8 → 9
          │   ├─ emit Entered(depth: 9, data: 0x6c656166)
          │   └─ ← [Return] 10
          ├─ [55] Nest::receive{value: 3}()
          │   └─ ← [Stop]
          ├─ emit Entered(depth: 1, data: 0x63616c6c73)
          └─ ← [Stop]
      "
    `)
  })

  it('words the ends of calls as forge does', async () => {
    const { seal, other, chain } = await startNests()
    const failures = await chain.explain(await seal('failures', [other], { value: 100n }), { artifacts })
    const creations = await chain.explain(await seal('creations', [HEIR], { value: 100n }), { artifacts })
    expect(explanationToText({ ...failures, hash: '0x01' }, { colors: false })).toMatchInlineSnapshot(`
      "sealed transaction 0x01, in block 2: succeeded, 2988229 gas
        [2988229] Nest::failures{value: 100}(Nest: [0xe7f1725e7734ce288f8367e1bb143e90bb3f0512])
          ├─ [2383] Nest::refuse(42)
          │   ├─ emit Entered(depth: 42, data: 0x72656675736564)
          │   └─ ← [Revert] Refused(42)
          ├─ [324] Nest::refuseString() [staticcall]
          │   └─ ← [Revert] no way
          ├─ [383] Nest::panic(1) [staticcall]
          │   └─ ← [Revert] panic: division or modulo by zero (0x12)
          ├─ [5000] Nest::burn() [staticcall]
          │   └─ ← [OutOfGas] EvmError: OutOfGas
          ├─ [5000] Nest::invalid() [staticcall]
          │   └─ ← [InvalidFEOpcode] EvmError: InvalidFEOpcode
          ├─ [0] Nest::leaf{value: 1000000000000000000}(1)
          │   └─ ← [OutOfFunds] EvmError: OutOfFunds
          ├─ [2907349] Nest::leaf(1) [staticcall]
          │   └─ ← [StateChangeDuringStaticCall] EvmError: StateChangeDuringStaticCall
          ├─ [153] → new Stillborn@0xa16e02e87b7454126e5e10d957a927a7f5b5d2be
          │   └─ ← [Revert] stillborn
          ├─ emit Entered(depth: 2, data: 0x6661696c75726573)
          └─ ← [Stop]
      "
    `)
    expect(explanationToText({ ...creations, hash: '0x02' }, { colors: false })).toMatchInlineSnapshot(`
      "sealed transaction 0x02, in block 3: succeeded, 172996 gas
        [172996] Nest::creations{value: 100}(0x00000000000000000000000000000000000e1dad)
          ├─ [24051] → new Mortal@0xb7a5bd0345ef1cc5e66bf61bdec17d2461fbd968{value: 5}
          │   └─ ← [Return] 120 bytes of code
          ├─ [24051] → new Mortal@0x1d8c26b539c2a1b06af51bbebd7feb7c45d76fd6
          │   └─ ← [Return] 120 bytes of code
          ├─ [32857] Mortal::die(0x00000000000000000000000000000000000e1dad)
          │   ├─ selfdestruct → 0x00000000000000000000000000000000000e1dad{value: 5}
          │   └─ ← [SelfDestruct]
          ├─ [5257] Mortal::die(0x00000000000000000000000000000000000e1dad)
          │   ├─ selfdestruct → 0x00000000000000000000000000000000000e1dad
          │   └─ ← [SelfDestruct]
          └─ ← [Return] Mortal: [0xb7a5bd0345ef1cc5e66bf61bdec17d2461fbd968], Mortal: [0x1d8c26b539c2a1b06af51bbebd7feb7c45d76fd6]
      "
    `)
  })
})
