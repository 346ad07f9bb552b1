/** The asynchronous methods of a chain, whose calls a worker or a test passes on by their names. */

import { type ChainCheats, callCheat, forwardCheats, type PresealChain } from './handle.ts'

const METHODS = [
  'tick',
  'seal',
  'importBlocks',
  'export',
  'explain',
  'snapshot',
  'revert',
  'reorg',
  'retract',
  'reopenDatabase',
] as const satisfies readonly (keyof PresealChain)[]

/** The name of a method whose calls are passed on. */
export type ForwardedName = keyof ChainCheats | (typeof METHODS)[number]

/** The methods, whose calls are forwarded to `call`, with their name. */
export function forwardCalls(
  call: (name: ForwardedName, args: readonly unknown[]) => Promise<unknown>,
): Pick<PresealChain, ForwardedName> {
  const methods = METHODS.map((name) => [name, (...args: readonly unknown[]) => call(name, args)])
  return { ...forwardCheats(call), ...Object.fromEntries(methods) }
}

/** Calls a method by its name; it checks the arguments. */
export const callMethod = callCheat as (
  chain: PresealChain,
  name: ForwardedName,
  args: readonly unknown[],
) => Promise<unknown>
