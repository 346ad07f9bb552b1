/**
 * Checks the tables of LevelDB, the files `*.ldb`: each block by its checksum. LevelDB reads blocks without comparing them, and
 * ends the process by an assertion at some that are damaged. Pure.
 *
 * Source: doc/table_format.md of LevelDB, format_description.txt of Snappy.
 */

/** A part of a file, without the type and the checksum that follow it. */
interface Handle {
  readonly offset: number
  readonly size: number
}

const FOOTER = 48
const MAGIC = [0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb]
/** Added to a checksum that is stored (`crc32c.h`). */
const MASK_DELTA = 0xa282ead8

/** Whether all blocks of a table match their checksums. */
export function isSoundTable(file: Uint8Array): boolean {
  try {
    const footer = file.subarray(file.length - FOOTER)
    if (footer.length < FOOTER || !MAGIC.every((byte, i) => footer[FOOTER - 8 + i] === byte)) return false
    const cursor = new Cursor(footer)
    // Of the index of filters, and of the index of blocks.
    return [cursor.handle(), cursor.handle()].every((index) => {
      const blocks = blocksIn(readBlock(file, index))
      return blocks.every((one) => isSoundBlock(file, one))
    })
  } catch (error) {
    // A length that leads out of the file.
    if (error instanceof RangeError) return false
    throw error
  }
}

function isSoundBlock(file: Uint8Array, { offset, size }: Handle): boolean {
  const end = offset + size + 1
  if (end + 4 > file.length - FOOTER) return false
  const stored = new DataView(file.buffer, file.byteOffset).getUint32(end, true)
  const crc = crc32c(file.subarray(offset, end))
  return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0 === stored
}

/** The content of a block. @throws RangeError if it is damaged. */
function readBlock(file: Uint8Array, handle: Handle): Uint8Array {
  if (!isSoundBlock(file, handle)) throw new RangeError('a block does not match its checksum')
  const { offset, size } = handle
  const content = file.subarray(offset, offset + size)
  return file[offset + size] === 0 ? content : decompress(content)
}

/** The blocks that an index names. */
function blocksIn(index: Uint8Array): Handle[] {
  const count = new DataView(index.buffer, index.byteOffset).getUint32(index.length - 4, true)
  const end = index.length - 4 - 4 * count
  const cursor = new Cursor(index)
  const handles: Handle[] = []
  while (cursor.at < end) {
    cursor.varint()
    const rest = cursor.varint()
    cursor.varint()
    cursor.at += rest
    handles.push(cursor.handle())
  }
  return handles
}

/** Reads numbers one after the other. */
class Cursor {
  readonly #bytes: Uint8Array
  at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  varint(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.at++]
      if (byte === undefined) throw new RangeError('a number is cut off')
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }

  handle(): Handle {
    return { offset: this.varint(), size: this.varint() }
  }
}

/** The content of what Snappy has compressed. */
function decompress(bytes: Uint8Array): Uint8Array {
  const cursor = new Cursor(bytes)
  const output = new Uint8Array(cursor.varint())
  let { at } = cursor
  let written = 0
  const number = (size: number): number => {
    let value = 0
    for (let i = 0; i < size; i++) value += bytes[at++]! * 256 ** i
    return value
  }
  while (at < bytes.length) {
    const tag = bytes[at++]!
    const kind = tag & 3
    if (kind === 0) {
      const short = tag >> 2
      const length = 1 + (short < 60 ? short : number(short - 59))
      output.set(bytes.subarray(at, at + length), written)
      at += length
      written += length
      continue
    }
    const length = kind === 1 ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2)
    const distance = kind === 1 ? ((tag >> 5) << 8) + number(1) : number(kind === 2 ? 2 : 4)
    // Byte by byte, since a copy may overlap what it writes.
    for (let i = 0; i < length; i++, written++) output[written] = output[written - distance]!
  }
  return output
}

/** The remainders of all bytes for CRC-32C (Castagnoli), bits reversed. */
const REMAINDERS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0x82f63b78 : 0)
  return remainder
})

function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ REMAINDERS[(crc ^ byte) & 255]!
  return (crc ^ 0xffffffff) >>> 0
}
