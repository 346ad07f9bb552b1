/** Signatures of entries of ABIs. */
import type { AbiEntry, AbiParameter } from './artifacts.ts'

/** The signature of a function, an event or an error, such as `transfer(address,uint256)`. */
export function signatureOf({ name = '', inputs = [] }: Pick<AbiEntry, 'name' | 'inputs'>): string {
  return `${name}(${inputs.map(typeOf).join()})`
}

function typeOf({ type, components = [] }: AbiParameter): string {
  return type.startsWith('tuple') ? `(${components.map(typeOf).join()})${type.slice('tuple'.length)}` : type
}
