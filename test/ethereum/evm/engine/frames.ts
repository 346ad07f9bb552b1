/** A frame on an empty state, without code. */

import { NO_BYTES } from '../../../../src/base/bytes.ts'
import { loadCrypto } from '../../../../src/base/crypto/crypto.ts'
import { Analysis, type BlockCosts, type Code } from '../../../../src/ethereum/evm/engine/code.ts'
import { Frame } from '../../../../src/ethereum/evm/engine/frame.ts'
import { Journal } from '../../../../src/ethereum/evm/engine/journal.ts'
import { Machine } from '../../../../src/ethereum/evm/engine/machine.ts'
import { splitGas } from '../../../../src/ethereum/evm/engine/message.ts'
import { EMPTY_STATE } from '../../../../src/ethereum/state/account.ts'
import { type ForkName, forksUpTo } from '../../../forks.ts'

/** A frame on a fork, with an account that calls itself. */
export async function createFrame(fork: ForkName, gas: bigint): Promise<Frame> {
  const machine = new Machine(await loadCrypto())
  machine.fork = forksUpTo(fork)
  machine.journal = new Journal(EMPTY_STATE, undefined)
  const frame = new Frame(machine, 0)
  startMessage(frame, gas)
  return frame
}

/** Prepares a frame for another message. */
export function startMessage(frame: Frame, total: bigint): void {
  const account = frame.machine.journal.account(0xcc)
  const [gas, reserve] = splitGas(total)
  const call = { caller: account, account, codeAccount: account, value: 0, input: NO_BYTES, isStatic: false }
  frame.reset({ type: 'CALL', ...call, gas, reserve }, 0)
}

/** Analyses code without interruption. */
export function analyse(bytes: Uint8Array, costs: BlockCosts): Code {
  const analysis = new Analysis(bytes, costs)
  analysis.advance(Number.POSITIVE_INFINITY)
  return analysis.code()
}
