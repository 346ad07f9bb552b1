/** How frames end, in forge's words. */

/** The words for the errors of go-ethereum. */
const RESULTS: ReadonlyMap<string, string> = new Map([
  ['execution reverted', 'Revert'],
  ['out of gas', 'OutOfGas'],
  ['contract creation code storage out of gas', 'OutOfGas'],
  ['gas uint64 overflow', 'OutOfGas'],
  ['max call depth exceeded', 'CallTooDeep'],
  ['insufficient balance for transfer', 'OutOfFunds'],
  ['write protection', 'StateChangeDuringStaticCall'],
  ['invalid jump destination', 'InvalidJump'],
  ['return data out of bounds', 'OutOfOffset'],
  ['contract address collision', 'CreateCollision'],
  ['max code size exceeded', 'CreateContractSizeLimit'],
  ['max initcode size exceeded', 'CreateInitCodeSizeLimit'],
  ['invalid code: must not begin with 0xef', 'CreateContractStartingWithEF'],
  ['nonce uint64 overflow', 'NonceOverflow'],
  ['precompiled failed', 'PrecompileError'],
  ['invalid opcode: INVALID', 'InvalidFEOpcode'],
])

/** Errors whose text has details after this. */
const BEGINNINGS = [
  ['invalid opcode', 'OpcodeNotFound'],
  ['stack underflow', 'StackUnderflow'],
  ['stack limit reached', 'StackOverflow'],
  ['stack overflow', 'StackOverflow'],
] as const

/** The word for an error of go-ethereum; an unknown error stays as it is. */
export function toErrorResult(error: string): string {
  return RESULTS.get(error) ?? BEGINNINGS.find(([text]) => error.startsWith(text))?.[1] ?? error
}
