/** 4byteTracer: the selectors of called functions, with the sizes of their arguments. */

import { bytesToHex } from '../../base/bytes.ts'
import type { FrameType } from '../../ethereum/evm/executor.ts'
import { type CallNode, CallTree } from './callTree.ts'
import type { FourByteTrace } from './shapes.ts'
import type { TraceContext, TraceRun } from './tracer.ts'

const CALLS: ReadonlySet<FrameType> = new Set<FrameType>(['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'])

/** Creates a run of 4byteTracer. */
export function createFourByteTracer(context: TraceContext): TraceRun<FourByteTrace> {
  const tree = new CallTree(context)
  return {
    hooks: { tracer: tree },
    result() {
      const counts: Record<string, number> = {}
      const count = ({ type, to, input, calls }: CallNode): void => {
        if (CALLS.has(type) && input.length >= 4 && !tree.precompiles.has(to!)) {
          const key = `${bytesToHex(input.subarray(0, 4))}-${input.length - 4}`
          counts[key] = (counts[key] ?? 0) + 1
        }
        calls.forEach(count)
      }
      count(tree.root)
      return counts
    },
  }
}
