/**
 * The state file of anvil: JSON, compressed with gzip, with accounts, blocks and the states of earlier blocks.
 *
 *   load   parse ─► check ─► without blocks: write the accounts to the head's state
 *                        └─► with blocks: begin the chain again on them
 *   dump   accounts, blocks, mined transactions, states ─► gzip
 */

import { bytesToHex, concatBytes } from '../../base/bytes.ts'
import type { Hex } from '../../base/types.ts'
import { createYielder } from '../../base/waiting.ts'
import { patchState } from './accounts.ts'
import type { CheatParts } from './blocks.ts'
import { InvalidStateFileError } from './errors.ts'
import { type ChainFile, readAccounts, readList, readObject } from './stateFile/fields.ts'
import { readBlocks, readStates } from './stateFile/readFile.ts'
import { writeStateFile } from './stateFile/writeStateFile.ts'

/** Writes the chain to a state file. @throws InvalidStateFileError if the file would be too long to load. */
export async function dumpState(parts: CheatParts, withStates: boolean): Promise<Hex> {
  return bytesToHex(await compress(writeStateFile(parts, withStates)))
}

/**
 * Loads a file. A malformed file changes nothing.
 *
 * @param file - the JSON, compressed or not, or the parsed object.
 * @param begin - begins the chain again on the blocks of a file.
 * @throws InvalidStateFileError
 */
export async function loadState(
  parts: CheatParts,
  file: Uint8Array | object,
  begin: (file: ChainFile) => Promise<void>,
): Promise<void> {
  const content = readObject(file instanceof Uint8Array ? await parseContents(file) : file, 'the file')
  const { base, preconf } = parts.sequencer.tip
  const { rules, crypto, clock } = base.config
  const { revertReason } = base.config.options
  const pause = createYielder(clock)
  const accounts = await readAccounts(content['accounts'], 'accounts', pause)
  if (readList(content['blocks'], 'blocks').length === 0) return patchState(parts, accounts)
  const { chainId } = preconf.attributes
  const blocks = await readBlocks(content, { rules, crypto, revertReason, chainId, pause })
  const states = readStates(content['historical_states'], pause)
  await begin({ blocks, accounts, states })
}

const MAX_FILE_BYTES = 2 ** 26
const tooLong = () => new InvalidStateFileError(`longer than ${MAX_FILE_BYTES} bytes`)

async function parseContents(bytes: Uint8Array): Promise<unknown> {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b
  const text = isCompressed ? await decompress(bytes) : bytes
  if (text.length > MAX_FILE_BYTES) throw tooLong()
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(text))
  } catch {
    throw new InvalidStateFileError('not JSON, or JSON that ends early')
  }
}

async function decompress(bytes: Uint8Array): Promise<Uint8Array> {
  try {
    return await collect(
      new Blob([bytes as Uint8Array<ArrayBuffer>]).stream(),
      new DecompressionStream('gzip'),
    )
  } catch (error) {
    if (error instanceof InvalidStateFileError) throw error
    throw new InvalidStateFileError('gzip data that is damaged, or ends early')
  }
}

/** Compresses a text in parts, so that the whole text need not be in memory. */
function compress(parts: AsyncIterable<string>): Promise<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = parts[Symbol.asyncIterator]()
  let size = 0
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) return controller.close()
      const bytes = encoder.encode(value)
      size += bytes.length
      if (size > MAX_FILE_BYTES) throw tooLong()
      controller.enqueue(bytes)
    },
  })
  return collect(source, new CompressionStream('gzip'), Number.POSITIVE_INFINITY)
}

async function collect(
  source: ReadableStream<Uint8Array>,
  through: CompressionStream | DecompressionStream,
  maxBytes = MAX_FILE_BYTES,
): Promise<Uint8Array> {
  const reader = source.pipeThrough<Uint8Array>(through as never).getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    chunks.push(read.value)
    size += read.value.length
    if (size <= maxBytes) continue
    await reader.cancel()
    throw tooLong()
  }
  return concatBytes(...chunks)
}
