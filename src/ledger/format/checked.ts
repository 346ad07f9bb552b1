/** Values of a database with a checksum of their own, so that an entry that was damaged is noticed when it is read. */
import { concatBytes } from '../../primitives/bytes.ts'
import { DatabaseCorruptError } from '../errors.ts'

const SIZE = 4

/** The value with its checksum before it, which covers the key too. */
export function toChecked(key: string, value: Uint8Array): Uint8Array {
  return concatBytes(checksum(key, value), value)
}

/** The value of {@link toChecked}. @throws DatabaseCorruptError if value or key have changed since. */
export function fromChecked(key: string, stored: Uint8Array): Uint8Array {
  const value = stored.subarray(SIZE)
  const expected = checksum(key, value)
  if (stored.length < SIZE || expected.some((byte, i) => byte !== stored[i])) {
    throw new DatabaseCorruptError(key)
  }
  return value
}

/** CRC-32 (IEEE 802.3) of key and value. */
function checksum(key: string, value: Uint8Array): Uint8Array {
  let crc = 0xffffffff
  for (const byte of new TextEncoder().encode(key)) crc = next(crc, byte)
  for (const byte of value) crc = next(crc, byte)
  const bytes = new Uint8Array(SIZE)
  new DataView(bytes.buffer).setUint32(0, ~crc >>> 0)
  return bytes
}

function next(crc: number, byte: number): number {
  return (crc >>> 8) ^ TABLE[(crc ^ byte) & 0xff]!
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})
