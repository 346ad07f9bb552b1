/** The differences between the engines in a random execution. */

import type { Hardfork } from '@ethereumjs/common'
import type { Crypto } from '../../../../src/base/crypto/crypto.ts'
import { whenLoaded } from '../../../../src/base/waiting.ts'
import { createAccessList } from '../../../../src/ethereum/evm/call.ts'
import type { Execution, Executor } from '../../../../src/ethereum/evm/executor.ts'
import { NEVER_DUE } from '../../../suspending.ts'
import { type Engines, type Observation, observe } from '../comparison.ts'
import { gasLimitOf, type Plan, toExecution } from './executions.ts'
import { LoadedByRead } from './loading.ts'

/** The result of a comparison. */
export interface Compared {
  readonly succeeded: boolean
  /** What differs first, with the lines before it; undefined if nothing differs. */
  readonly difference: string | undefined
}

/** Executes a plan on both engines and compares what they do. */
export async function compare(
  name: Hardfork,
  plan: Plan,
  engines: Engines,
  crypto: Crypto,
): Promise<Compared> {
  const { preseal, ethereumjs } = engines
  const gasLimit = await gasLimitOf(name, plan, crypto, async (limit) => {
    const execution = toExecution(name, plan, crypto, limit)
    const { outcome } = await whenLoaded(() => preseal.execute(execution))
    return outcome.kind === 'included' ? outcome.peakGas : limit
  })
  const execution = toExecution(name, plan, crypto, gasLimit)
  const theirs = await observe(ethereumjs, execution, { captured: true, accessed: true })
  const { outcome, accounts, captured } = theirs
  // What is watched must not change what happens.
  const plain = await observe(preseal, execution, {})
  const difference =
    firstDifference(linesOf(plain), linesOf({ outcome, accounts })) ??
    firstDifference(
      linesOf(await observe(preseal, execution, { captured: true })),
      linesOf({ outcome, accounts, captured }),
    ) ??
    firstDifference(
      linesOf(await observe(preseal, execution, { captured: true, accessed: true })),
      linesOf(theirs),
    ) ??
    (await exactGasDifference(preseal, execution, { outcome, accounts })) ??
    (await additionalDifference(plan, execution, engines, crypto, theirs))
  return {
    succeeded: (plain.outcome as { succeeded?: boolean }).succeeded === true,
    // The instruction that differs says more than what follows from it.
    difference: difference && ((await traceDifference(execution, engines, false)) ?? difference),
  }
}

/** Executes again with the gas that was used, if the result does not depend on it, as a gas estimate assumes. */
async function exactGasDifference(
  executor: Executor,
  execution: Execution,
  expected: Observation,
): Promise<string | undefined> {
  const { outcome } = await whenLoaded(() => executor.execute(execution))
  if (outcome.kind === 'rejected' || !outcome.succeeded || outcome.dependsOnGas !== false) return undefined
  const exact = { ...execution, tx: { ...execution.tx, gasLimit: outcome.peakGas } }
  return firstDifference(linesOf(await observe(executor, exact, {})), linesOf(expected))
}

async function additionalDifference(
  { addition }: Plan,
  execution: Execution,
  engines: Engines,
  crypto: Crypto,
  { outcome, accounts }: Observation,
): Promise<string | undefined> {
  const { preseal, ethereumjs } = engines
  switch (addition) {
    case 'none':
      return undefined
    case 'instructions':
    case 'pauses':
      return traceDifference(execution, engines, addition === 'pauses')
    case 'accessList': {
      const mine = await accessListLines(preseal, execution, crypto)
      return firstDifference(mine, await accessListLines(ethereumjs, execution, crypto))
    }
    case 'loading': {
      const state = new LoadedByRead(execution.state)
      const mine = await observe(preseal, { ...execution, state }, {})
      return firstDifference(linesOf(mine), linesOf({ outcome, accounts }))
    }
  }
}

/** The first difference of the traces. @param pauses - whether ours waits, with another execution under way. */
async function traceDifference(
  execution: Execution,
  { preseal, ethereumjs }: Engines,
  pauses: boolean,
): Promise<string | undefined> {
  const [mine, other] = await Promise.all([
    observe(preseal, execution, { trace: true, pauses }),
    pauses ? observe(preseal, execution, { trace: true, pauses }) : undefined,
  ])
  const difference = other && firstDifference(linesOf(mine), linesOf(other))
  return difference ?? firstDifference(linesOf(mine), linesOf(await observe(ethereumjs, execution)))
}

function linesOf({ outcome, accounts, captured, accessed = [], trace = [] }: Observation): string[] {
  const effects = [
    ...Object.entries(outcome as object).map(([key, value]) => `${key} ${text(value)}`),
    ...Object.entries(accounts).map(([address, account]) => `${address} ${text(account)}`),
    ...(captured === undefined ? [] : [`captured ${text(captured)}`]),
  ]
  // What causes the rest comes first.
  return [...trace, ...accessed.map((touched) => `access ${touched}`), ...effects]
}

async function accessListLines(executor: Executor, execution: Execution, crypto: Crypto): Promise<string[]> {
  const { tx, env, state, hooks } = execution
  const created = createAccessList(executor, { tx, env, state, hooks }, crypto, NEVER_DUE)
  const list = await created.then(
    ({ error, ...rest }) => ({ ...rest, failed: error !== undefined }),
    (error: Error) => error.message,
  )
  return [`access list ${text(list)}`]
}

/** The lines before it that are shown too. */
const CONTEXT = 4

function firstDifference(mine: readonly string[], others: readonly string[]): string | undefined {
  const length = Math.max(mine.length, others.length)
  for (let i = 0; i < length; i++) {
    if (mine[i] === others[i]) continue
    const before = mine.slice(Math.max(0, i - CONTEXT), i).map((line) => `            ${line}`)
    return [...before, `preseal:    ${mine[i]}`, `ethereumjs: ${others[i]}`].join('\n')
  }
  return undefined
}

function text(value: unknown): string {
  return JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? part.toString() : part))
}
