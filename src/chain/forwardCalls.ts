/** Forwards calls of a chain's asynchronous methods by name, for workers and tests. */

import type { ChainCheats, PresealChain } from './handle.ts'

const METHODS = [
  'tick',
  'seal',
  'mine',
  'increaseTime',
  'setBalance',
  'setCode',
  'setStorageAt',
  'impersonateAccount',
  'stopImpersonatingAccount',
  'deal',
  'importBlocks',
  'export',
  'explain',
  'snapshot',
  'revert',
  'reorg',
  'retract',
  'reopenDatabase',
  'sleep',
] as const satisfies readonly (keyof PresealChain)[]

/** The name of a forwarded method. */
export type ForwardedName = (typeof METHODS)[number]

/** Returns methods that forward their name and arguments to `call`. */
export function forwardCalls(
  call: (name: ForwardedName, args: readonly unknown[]) => Promise<unknown>,
): Pick<PresealChain, ForwardedName | keyof ChainCheats> {
  const methods = METHODS.map((name) => [name, (...args: readonly unknown[]) => call(name, args)])
  return Object.fromEntries(methods) as never
}

/** Calls a method by name. The method checks the arguments. */
export function callMethod(
  chain: PresealChain,
  name: ForwardedName,
  args: readonly unknown[],
): Promise<unknown> {
  return (chain[name] as (...args: readonly unknown[]) => Promise<unknown>)(...args)
}
