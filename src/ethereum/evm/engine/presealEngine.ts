/** preseal's own EVM as an engine: synchronous, without recursion. Owns: the idle machines. Does not own: state. */
import type { Crypto } from '../../../base/crypto/crypto.ts'
import type { Address } from '../../../base/types.ts'
import { type Resumable, Suspended } from '../../../base/waiting.ts'
import type { Engine, Message, MessageResult } from '../engine.ts'
import { SSTORE_SENTRY } from './gas.ts'
import { Journal } from './journal.ts'
import { Machine, type MachineResult } from './machine.ts'
import { precompilesByAddress } from './precompiles/precompiles.ts'
import { toEvmWord } from './word.ts'

/** The maximum number of idle machines. More are needed only while many executions are suspended. */
const MAX_IDLE = 4

/** Creates an engine. @param idle - machines to reuse, to which machines return when they end. */
export function createPresealEngine(crypto: Crypto, idle: Machine[] = []): Engine {
  return {
    run(message, env, overlay, hooks, pause) {
      const machine = idle.pop() ?? new Machine(crypto)
      const precompiles = precompilesByAddress(env.rules.fork, crypto)
      const journal = new Journal(overlay, message.warm === undefined ? undefined : precompiles)
      warm(journal, message)
      machine.start(message, env, journal, precompiles, hooks)
      const run = (): Resumable<MessageResult> => {
        const result = machine.run(pause)
        if (result === undefined) return new Suspended(run)
        const ended = toResult(message, machine, result)
        machine.release()
        if (idle.length < MAX_IDLE) idle.push(machine)
        journal.flush(overlay, env.rules.fork.spuriousDragon)
        return ended
      }
      return run()
    },
  }
}

/** Warms accounts and slots before the first instruction, in addition to the precompiles (EIPs 2929, 2930). */
function warm(journal: Journal, { warm }: Message): void {
  if (warm === undefined) return
  for (const address of warm.addresses) journal.accountAt(address).isWarm = true
  for (const { address, storageKeys } of warm.accessList) {
    const account = journal.accountAt(address)
    account.isWarm = true
    for (const key of storageKeys) journal.slot(account, toEvmWord(BigInt(key))).isWarm = true
  }
}

const NONE_DESTROYED: readonly Address[] = []
const NONE_CREATED: ReadonlySet<string> = new Set()

function toResult({ gasLimit }: Message, machine: Machine, result: MachineResult): MessageResult {
  const { journal, observesGas, leastStoreGas } = machine
  const { error, output, gas, reserve, contract } = result
  let destroyed: Address[] | undefined
  let created: Set<string> | undefined
  for (const account of journal.accounts) {
    if (account.isDestroyed) {
      destroyed ??= []
      destroyed.push(account.address)
    }
    if (account.isCreated) {
      created ??= new Set()
      created.add(account.address)
    }
  }
  return {
    // Leaves out the opcode, which only traces name.
    error: error?.startsWith('invalid opcode') ? 'invalid opcode' : error,
    output,
    gasUsed: gasLimit - BigInt(gas) - reserve,
    refund: BigInt(journal.refund),
    logs: journal.logs,
    contractAddress: contract?.address,
    destroyed: destroyed ?? NONE_DESTROYED,
    created: created ?? NONE_CREATED,
    dependsOnGas:
      error === undefined ? observesGas || reserve > 0n || leastStoreGas - gas <= SSTORE_SENTRY : undefined,
  }
}
