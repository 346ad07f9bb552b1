/** Finds the implementation that a call of an address executes. */
import { delegateOf } from '../explain/code.ts'
import { hexToBytes } from '../primitives/bytes.ts'
import type { Address, Hex } from '../primitives/types.ts'
import type { Provider } from '../rpc/provider.ts'

/** A provider of a view that has pre-confirmed state. */
export type Reader = Pick<Provider, 'request'>

/** The slot of a proxy's implementation (EIP-1967). */
const IMPLEMENTATION_SLOT = '360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'

/** The implementation of a proxy or of a delegated account; undefined for other codes. @throws what the reader throws */
export async function findImplementation(
  reader: Reader,
  address: Address,
  code: Hex,
): Promise<Address | undefined> {
  const delegate = delegateOf(hexToBytes(code))
  if (delegate !== undefined) return delegate.to
  // Only code that has the slot's key uses it: others, such as those of a fork's contracts, are not read.
  if (!code.includes(IMPLEMENTATION_SLOT)) return undefined
  const params = [address, `0x${IMPLEMENTATION_SLOT}`, 'pending'] as const
  const word = await reader.request({ method: 'eth_getStorageAt', params })
  return /^0x0*$/.test(word) ? undefined : `0x${word.slice(-40)}`
}
