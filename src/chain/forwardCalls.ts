/** Forwards calls of a chain's asynchronous methods by name, for workers and tests. */

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

/** The name of a forwarded method. */
export type ForwardedName = keyof ChainCheats | (typeof METHODS)[number]

/** Returns methods that forward their name and arguments to `call`. */
export function forwardCalls(
  call: (name: ForwardedName, args: readonly unknown[]) => Promise<unknown>,
): Pick<PresealChain, ForwardedName> {
  const methods = METHODS.map((name) => [name, (...args: readonly unknown[]) => call(name, args)])
  return { ...forwardCheats(call), ...Object.fromEntries(methods) }
}

/** Calls a method by name. The method checks the arguments. */
export const callMethod = callCheat as (
  chain: PresealChain,
  name: ForwardedName,
  args: readonly unknown[],
) => Promise<unknown>
