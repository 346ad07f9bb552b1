/** What a message of the EVM came to, in plain data and under go-ethereum's names. */
import type { EVMResult, ExecResult } from '@ethereumjs/evm'
import { bytesToHex } from '../../primitives/bytes.ts'
import type { FrameEnd } from '../executor.ts'

/** The end of the frame that a message began. @param opcode - its last instruction. */
export function toFrameEnd({ execResult, createdAddress }: EVMResult, opcode: number): FrameEnd {
  const { executionGasUsed, returnValue, exceptionError } = execResult
  return {
    gasUsed: executionGasUsed,
    output: returnValue,
    ...(exceptionError && { error: opcodeErrorName(exceptionError, opcode) }),
    ...(createdAddress && { created: bytesToHex(createdAddress.bytes) }),
  }
}

/** {@link errorName}, which in traces goes on with the instruction that there is not. */
export function opcodeErrorName(error: NonNullable<ExecResult['exceptionError']>, opcode: number): string {
  const name = errorName(error)
  if (name !== 'invalid opcode') return name
  return `${name}: ${opcode === INVALID ? 'INVALID' : `opcode 0x${opcode.toString(16)} not defined`}`
}

const INVALID = 0xfe

/** Why an execution failed, as go-ethereum words it. */
export function errorName({ error }: NonNullable<ExecResult['exceptionError']>): string {
  // A jump's error goes on with where it happened.
  const [name] = error.split(' at ') as [string]
  return GETH_NAMES[name] ?? name
}

/** go-ethereum's wording if it is not @ethereumjs'. */
const GETH_NAMES: Readonly<Record<string, string>> = {
  revert: 'execution reverted',
  'code store out of gas': 'contract creation code storage out of gas',
  'code size to deposit exceeds maximum code size': 'max code size exceeded',
  'invalid JUMP': 'invalid jump destination',
  'static state change': 'write protection',
  'create collision': 'contract address collision',
  'initcode exceeds max initcode size': 'max initcode size exceeded',
  'insufficient balance': 'insufficient balance for transfer',
  'invalid bytecode deployed': 'invalid code: must not begin with 0xef',
}
