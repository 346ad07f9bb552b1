/** The execution of one program, with what its frames did. */

import type { Address } from '../../../../src/base/types.ts'
import {
  ALL_CHECKS,
  type BlockEnv,
  type Hooks,
  type Included,
} from '../../../../src/ethereum/evm/executor.ts'
import { combineHooks } from '../../../../src/ethereum/evm/hooks.ts'
import { NEWEST } from '../../../../src/ethereum/rules.ts'
import type { Overlay } from '../../../../src/ethereum/state/overlay.ts'
import type { TxEnv } from '../../../../src/ethereum/transaction.ts'
import { type ForkName, rulesOf } from '../../../forks.ts'
import { createBench, type StartingAccount, TARGET } from '../setup.ts'
import { bytecode, wordsIn } from './assembly.ts'

/** What a program runs on besides its code. */
export interface Setting {
  /** The newest by default. */
  readonly fork?: ForkName
  /** Accounts, each with its program; `balance` and the like of {@link TARGET} too. */
  readonly accounts?: Readonly<Record<Address, Omit<StartingAccount, 'code'> & { readonly code?: string }>>
  readonly tx?: Partial<TxEnv>
  readonly env?: Partial<BlockEnv>
  readonly hooks?: Hooks
}

/** What an execution did. */
export interface Execution extends Included {
  /** The words that it returned. */
  readonly words: readonly bigint[]
  /** Why each frame failed, in the order in which they ended; undefined for those that did not. */
  readonly endings: readonly (string | undefined)[]
  readonly state: Overlay
}

/** Executes a program at {@link TARGET} with a million gas, and any gas limit allowed. */
export async function execute(source: string, setting: Setting = {}): Promise<Execution> {
  const { fork = NEWEST, accounts = {}, tx, env, hooks = {} } = setting
  const programs: Required<Setting>['accounts'] = {
    ...accounts,
    [TARGET]: { nonce: 1n, ...accounts[TARGET], code: source },
  }
  const assembled = Object.entries(programs).map(([address, { code, ...account }]) => [
    address,
    code === undefined ? account : { ...account, code: bytecode(code) },
  ])
  const bench = await createBench('osaka', Object.fromEntries(assembled), { rules: rulesOf(fork, 1), ...env })
  const endings: (string | undefined)[] = []
  const own = {
    onExit({ error }: { readonly error?: string }) {
      endings.push(error)
    },
  }
  const outcome = await bench.include(tx, { ...ALL_CHECKS, gasLimit: false }, combineHooks([own, hooks]))
  return { ...outcome, words: wordsIn(outcome.output), endings, state: bench.state }
}
