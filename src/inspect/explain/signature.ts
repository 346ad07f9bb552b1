/** Signatures of entries of ABIs. */
import type { AbiEntry, AbiParameter } from './artifacts.ts'

/** The signature of a function, an event or an error, such as `transfer(address,uint256)`. */
export function signatureOf({ name = '', inputs = [] }: Pick<AbiEntry, 'name' | 'inputs'>): string {
  return `${name}(${inputs.map(typeOf).join()})`
}

/** The signature that a library's function has its selector of: with the names of structs, enums and contracts. */
export function librarySignatureOf({ name = '', inputs = [] }: Pick<AbiEntry, 'name' | 'inputs'>): string {
  return `${name}(${inputs.map(libraryTypeOf).join()})`
}

function typeOf({ type, components = [] }: AbiParameter): string {
  return type.startsWith('tuple') ? `(${components.map(typeOf).join()})${type.slice('tuple'.length)}` : type
}

/** The compiler states the type of Solidity beside that of the ABI, such as `struct Lib.S[]`. */
function libraryTypeOf(parameter: AbiParameter): string {
  const [, named] = /^(?:struct|enum|contract) (.+)$/.exec(parameter.internalType ?? '') ?? []
  return named ?? typeOf(parameter)
}
