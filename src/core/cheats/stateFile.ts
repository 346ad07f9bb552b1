/**
 * The state file of anvil: JSON, compressed with gzip, with accounts, blocks and the states of earlier blocks.
 *
 *   load   parse ─► check all of it ─► a file without blocks: its accounts are written to the head's state
 *                                  └─► with blocks: the chain begins again on them
 *   dump   accounts, blocks, mined transactions, states ─► gzip
 */

import { bytesToHex } from '../../base/bytes.ts'
import type { Hex } from '../../base/types.ts'
import { createYielder } from '../../base/waiting.ts'
import { patchState } from './accounts.ts'
import type { CheatParts } from './parts.ts'
import type { ChainFile } from './stateFile/chainFile.ts'
import { compress, parseContents } from './stateFile/contents.ts'
import { readAccounts, readList, readObject } from './stateFile/fields.ts'
import { readBlocks } from './stateFile/readBlocks.ts'
import { readStates } from './stateFile/readStates.ts'
import { writeStateFile } from './stateFile/writeStateFile.ts'

/**
 * The chain as a state file.
 *
 * @param withStates - whether it has the states of the blocks before the head.
 * @throws InvalidStateFileError if it would be longer than a file that can be loaded.
 */
export async function dumpState(parts: CheatParts, withStates: boolean): Promise<Hex> {
  return bytesToHex(await compress(writeStateFile(parts, withStates)))
}

/**
 * Loads a file. All of it is checked before anything changes.
 *
 * @param file - the bytes of the JSON, compressed or not, or the parsed object.
 * @param begin - makes the blocks of a file that has any the chain.
 * @throws InvalidStateFileError
 */
export async function loadState(
  parts: CheatParts,
  file: Uint8Array | object,
  begin: (file: ChainFile) => Promise<void>,
): Promise<void> {
  const content = readObject(file instanceof Uint8Array ? await parseContents(file) : file, 'the file')
  const pause = createYielder(parts.clock)
  const accounts = await readAccounts(content['accounts'], 'accounts', pause)
  if (readList(content['blocks'], 'blocks').length === 0) return patchState(parts, accounts)
  const { config, sequencer } = parts
  const { rules, crypto, revertReason } = config
  const { chainId } = sequencer.tip.preconf.attributes
  const blocks = await readBlocks(content, { rules, crypto, revertReason, chainId, pause })
  const states = readStates(content['historical_states'], pause)
  await begin({ blocks, accounts, states })
}
