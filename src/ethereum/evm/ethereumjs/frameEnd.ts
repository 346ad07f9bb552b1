/** The results of the EVM's messages, with go-ethereum's error names. */
import type { EVMResult, ExecResult } from '@ethereumjs/evm'
import { bytesToHex } from '../../../base/bytes.ts'
import type { FrameEnd } from '../executor.ts'

/** What is known of the frame and of the precompile that ended last. */
interface LastFrame {
  readonly lastOpcode: number
  readonly precompileError: ExecResult['exceptionError']
}

/** The end of the frame that a message started. */
export function toFrameEnd(
  { execResult, createdAddress }: EVMResult,
  { lastOpcode, precompileError }: LastFrame,
): FrameEnd {
  const { executionGasUsed, returnValue, exceptionError } = execResult
  const error = exceptionError && opcodeErrorName(exceptionError, lastOpcode)
  const isPrecompileFailure =
    error !== undefined && exceptionError === precompileError && error !== 'out of gas'
  return {
    gasUsed: executionGasUsed,
    output: returnValue,
    ...(error !== undefined && { error }),
    ...(isPrecompileFailure && { isPrecompileFailure }),
    ...(createdAddress && { created: bytesToHex(createdAddress.bytes) }),
  }
}

/** {@link errorName}, followed by the undefined instruction as in go-ethereum's traces. */
export function opcodeErrorName(error: NonNullable<ExecResult['exceptionError']>, opcode: number): string {
  const name = errorName(error)
  if (name !== 'invalid opcode') return name
  return `${name}: ${opcode === INVALID ? 'INVALID' : `opcode 0x${opcode.toString(16)} not defined`}`
}

const INVALID = 0xfe

/** Why an execution failed, in go-ethereum's words. */
export function errorName({ error }: NonNullable<ExecResult['exceptionError']>): string {
  // The error of a jump also names its position.
  const [name] = error.split(' at ') as [string]
  return GETH_NAMES[name] ?? name
}

/** go-ethereum's words by those of @ethereumjs, if they differ. */
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
