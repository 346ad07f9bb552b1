/** Addresses without known keys, to which transfers are sent. */
export function recipients(count: number): `0x${string}`[] {
  return Array.from({ length: count }, (_, index) => recipient(index))
}

/** An address without a known key, to which transfers are sent. */
export function recipient(index: number): `0x${string}` {
  return `0x${(0xbe_ef_00_00 + index).toString(16).padStart(40, '0')}`
}
