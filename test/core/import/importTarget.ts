/** Imports blocks onto a genesis without a chain around them, so that they need not reach the merge. */

import { type Clock, systemClock } from '../../../src/base/clock.ts'
import { loadCrypto } from '../../../src/base/crypto/crypto.ts'
import type { ResolvedImportOptions } from '../../../src/base/options/requests.ts'
import type { GethGenesis } from '../../../src/base/types.ts'
import { BlockImporter, importBlocks } from '../../../src/core/import/importBlocks.ts'
import { Canonical } from '../../../src/core/ledger/canonical.ts'
import { BlockStore } from '../../../src/core/ledger/ethereumjs/blockStore.ts'
import { Ledger, type SealedEntry } from '../../../src/core/ledger/ledger.ts'
import { buildGenesis } from '../../../src/core/open/genesis.ts'
import { resolveOptions } from '../../../src/core/options.ts'
import { splitBlocks } from '../../../src/ethereum/blockEncoding.ts'
import { decodeTransaction } from '../../../src/ethereum/decodeTransaction.ts'
import { createPresealEngine } from '../../../src/ethereum/evm/engine/presealEngine.ts'
import type { Executor } from '../../../src/ethereum/evm/executor.ts'
import { createExecutor } from '../../../src/ethereum/evm/transition.ts'
import { createChainRules } from '../../../src/ethereum/rules.ts'
import type { StateChanges, StateSource } from '../../../src/ethereum/state/account.ts'
import { changesSince } from '../../../src/ethereum/state/layer.ts'
import { WorldState } from '../../../src/ethereum/state/worldState.ts'

/** A head that blocks are imported on. */
export interface OpenedTarget {
  readonly head: SealedEntry
  /** Imports blocks as a chain does. */
  import(bytes: Uint8Array, options?: ResolvedImportOptions): Promise<void>
}

/** What replaces the parts of a chain that imports use. */
export interface TargetParts {
  readonly executor?: (own: Executor) => Executor
  readonly clock?: Clock
  readonly source?: (genesis: StateChanges) => StateSource
}

/** Opens a genesis for imports. */
export async function openTarget(geth: GethGenesis, parts: TargetParts = {}): Promise<OpenedTarget> {
  const { executor: wrap = (own) => own, clock = systemClock } = parts
  const crypto = await loadCrypto()
  const rules = createChainRules(geth)
  const { block, changes, stateTrie } = buildGenesis(geth, rules, crypto)
  const { depositContract } = block.rules.schedule
  const executor = wrap(createExecutor(createPresealEngine(crypto), crypto))
  const options = resolveOptions({ revertReason: true })
  const config = { executor, crypto, rules, depositContract, options, clock }
  const store = new BlockStore()
  await store.begin(block, rules)
  const ledger = new Ledger(store, rules, (raw, at) => decodeTransaction(raw, at, crypto), {
    blocks: 1000,
    proofs: 1000,
  })
  const source = parts.source?.(changes)
  const world = new WorldState(source)
  const importer = new BlockImporter({ config, ledger, decode: decodeTransaction })
  const state = source === undefined ? world.commit(changes) : world.head
  let head: SealedEntry = { block, state, stateTrie }
  let canonical = new Canonical([block.hash])
  const hashAt = (at: bigint) => canonical.at(at)
  ledger.append(head, hashAt)
  return {
    get head() {
      return head
    },
    import: (bytes, options = {}) =>
      importBlocks(splitBlocks(bytes), options, importer, {
        clock,
        head: () => ({ ...head, stateTrie: head.stateTrie ?? null, hashAt }),
        async adopt(imported) {
          head = { ...imported, state: world.commit(changesSince(imported.state, head.state)) }
          canonical = canonical.append(imported.block.hash)
          ledger.append(head, hashAt)
        },
      }),
  }
}
