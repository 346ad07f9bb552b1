/** A chain as plain data. Loaded on first use. */

import { bytesToHex, concatBytes } from '../../base/bytes.ts'
import { DEFAULT_MNEMONIC } from '../../base/options/accountOptions.ts'
import type { ExportedChain } from '../../base/options/options.ts'
import { createYielder, whenLoaded } from '../../base/waiting.ts'
import { encodeBlock } from '../../ethereum/blockEncoding.ts'
import { mergePatches } from '../../ethereum/state/patch.ts'
import type { SealedEntry } from '../ledger/ledger.ts'
import { encodePatch } from '../ledger/patchEncoding.ts'
import type { Tip } from '../sequencer/tip.ts'
import type { Core } from './core.ts'
import { ExportError } from './errors.ts'
import { EXPORTED_OPTIONS, SETTINGS_VERSION } from './exportedSettings.ts'
import { encodeValue } from './storedValues.ts'

/**
 * The sealed blocks of a chain, with what another chain needs to be equal to it.
 *
 * @throws ExportError if it is a fork, if its blocks are those of a state file, or if its history does not reach genesis.
 * @throws DisconnectedError after `close`.
 */
export function exportChain(core: Core): Promise<ExportedChain> {
  const { fork, beginning, geth, options } = core.base
  if (fork !== undefined) throw new ExportError('it is a fork, whose state before its blocks is elsewhere')
  if (beginning?.isLoaded) {
    throw new ExportError(
      'its blocks are those of a state file, which cannot be executed; use anvil_dumpState',
    )
  }
  return core.sequencer.exclusive(async ({ tip }) => {
    const now = tip()
    const pause = createYielder(options.clock)
    const blocks: Uint8Array[] = []
    const notes: object[] = []
    for (const entry of await entriesOf(now, core)) {
      const { block } = entry
      if (block.number > 0n) blocks.push(encodeBlock(block))
      const note = noteOf(entry, BigInt(geth.config.chainId))
      if (Object.keys(note).length > 0) notes.push({ number: Number(block.number), ...note })
      const wait = pause()
      if (wait) await wait
    }
    const { everyone, accounts } = core.signers.impersonation
    const settings = {
      version: SETTINGS_VERSION,
      options: optionsOf(core),
      next: now.settings,
      modes: core.mining.modes,
      impersonation:
        everyone !== undefined || accounts.size > 0 ? { everyone, accounts: [...accounts] } : undefined,
      blocks: notes,
    }
    return { genesis: toPlain(geth), blocks: bytesToHex(concatBytes(...blocks)), settings: toPlain(settings) }
  })
}

/** A value as JSON has it. */
function toPlain<Value>(value: Value): Value {
  return JSON.parse(new TextDecoder().decode(encodeValue(value)))
}

/** The options that change what blocks the chain makes. */
function optionsOf(core: Core): object {
  const { options } = core.base
  const { accounts, preconfInterval, blockTime } = options
  // Keys and other mnemonics may be secret.
  const isPublic = 'mnemonic' in accounts && accounts.mnemonic === DEFAULT_MNEMONIC
  return {
    ...Object.fromEntries(EXPORTED_OPTIONS.map((name) => [name, options[name]])),
    ...(isPublic && { accounts }),
    ...(preconfInterval !== Math.min(200, blockTime) && { preconfInterval }),
  }
}

async function entriesOf({ head, canonical }: Tip, { ledger }: Core): Promise<SealedEntry[]> {
  const entries: SealedEntry[] = []
  for (let number = 0n; number <= head.block.number; number += 1n) {
    const entry = await whenLoaded(() => ledger.get(canonical.at(number)!, number))
    if (entry === undefined) {
      throw new ExportError(`its history does not reach back to block ${number}; set history.blocks higher`)
    }
    entries.push(number === head.block.number ? head : entry)
  }
  return entries
}

/** What a block's RLP does not have. */
function noteOf({ block, patches }: SealedEntry, genesisChainId: bigint): object {
  const { transactions, rules } = block
  const unsigned = transactions.flatMap((tx, index) => (tx.unsigned ? [[index, tx.from]] : []))
  const patch = patches && JSON.parse(new TextDecoder().decode(encodePatch(mergePatches(patches))))
  return {
    ...(unsigned.length > 0 && { unsigned }),
    ...(rules.chainId !== genesisChainId && { chainId: rules.chainId }),
    ...(patch !== undefined && { patch }),
  }
}
