/** Otterscan's traces, from the frames of a transaction. */

import { bytesToHex, quantity } from '../../base/bytes.ts'
import type { Address, Hex } from '../../base/types.ts'
import type { CallNode } from '../../core/trace/callTree.ts'
import type { CallTrace } from '../../core/trace/shapes.ts'
import { precompilesOf } from '../../ethereum/evm/precompiles.ts'
import { FORKS, type ForkRules } from '../../ethereum/gas.ts'
import type { OtterscanOperation, OtterscanTrace } from './shapes.ts'

/** A frame with the frames it called. */
export interface Frame extends Omit<OtterscanTrace, 'depth' | 'value'> {
  readonly value: Hex
  readonly error?: string | undefined
  readonly calls: readonly Frame[]
}

/** A frame of an execution here. */
export function toFrame({ type, from, to, created, value, input, output, error, calls }: CallNode): Frame {
  return {
    type,
    from,
    to: to ?? created ?? null,
    value: quantity(value),
    input: bytesToHex(input),
    output: bytesToHex(output),
    error,
    calls: calls.map(toFrame),
  }
}

/** A frame of another node's callTracer, which omits what is empty. */
export function fromCallTrace({ type, from, to, value, input, output, error, calls }: CallTrace): Frame {
  return {
    type,
    from,
    to: to ?? null,
    value: value ?? '0x0',
    input,
    output: output ?? '0x',
    error,
    calls: (calls ?? []).map(fromCallTrace),
  }
}

/** The rules with all forks, for frames whose fork is not known. */
export const ALL_FORKS = Object.fromEntries(FORKS.map((name) => [name, true])) as ForkRules

/** All frames but those of precompiles, each before the frames it called. */
export function toTraces(root: Frame, fork: ForkRules): OtterscanTrace[] {
  const precompiles = precompilesOf(fork)
  const shown: OtterscanTrace[] = []
  for (const [{ type, from, to, value, input, output }, depth] of walk(root, 0)) {
    if (to !== null && precompiles.has(to) && type !== 'SELFDESTRUCT') continue
    const transfers = type !== 'STATICCALL' && type !== 'DELEGATECALL'
    shown.push({ type, depth, from, to, value: transfers ? value : null, input, output })
  }
  return shown
}

const OPERATIONS: ReadonlyMap<Frame['type'], OtterscanOperation['type']> = new Map([
  ['CALL', 0],
  ['SELFDESTRUCT', 1],
  ['CREATE', 2],
  ['CREATE2', 3],
])

/** What moves ether below the outermost frame, and what creates and destroys contracts there. */
export function toOperations(root: Frame): OtterscanOperation[] {
  const operations: OtterscanOperation[] = []
  for (const [{ type: kind, from, to, value }, depth] of walk(root, 0)) {
    const type = OPERATIONS.get(kind)
    if (depth === 0 || type === undefined || (type === 0 && value === '0x0')) continue
    operations.push({ type, from, to, value })
  }
  return operations
}

/** The creation of a contract that was not undone; the last one, if there are several. */
export function findCreation(root: Frame, contract: Address): Address | undefined {
  if (root.error !== undefined) return undefined
  for (const call of root.calls.toReversed()) {
    const creator = findCreation(call, contract)
    if (creator !== undefined) return creator
  }
  const isCreation = root.type === 'CREATE' || root.type === 'CREATE2'
  return isCreation && root.to === contract ? root.from : undefined
}

function* walk(frame: Frame, depth: number): Generator<readonly [frame: Frame, depth: number]> {
  yield [frame, depth]
  for (const call of frame.calls) yield* walk(call, depth + 1)
}
