/** Imports blocks onto a genesis without a chain around them, so that they need not reach the merge. */
import { buildGenesis } from '../../src/chain/genesis.ts'
import type { ResolvedImportOptions } from '../../src/config/importOptions.ts'
import { loadCrypto } from '../../src/crypto/crypto.ts'
import type { Executor } from '../../src/evm/executor.ts'
import { createPresealEngine } from '../../src/evm/preseal/presealEngine.ts'
import { createExecutor } from '../../src/evm/transition.ts'
import { BlockImporter, importBlocks } from '../../src/import/importBlocks.ts'
import { Canonical } from '../../src/ledger/canonical.ts'
import { BlockStore } from '../../src/ledger/ethereumjs/blockStore.ts'
import { Ledger, type SealedEntry } from '../../src/ledger/ledger.ts'
import { type Clock, systemClock } from '../../src/primitives/clock.ts'
import type { GethGenesis } from '../../src/primitives/types.ts'
import { decodeTransaction } from '../../src/protocol/decodeTransaction.ts'
import { createChainRules } from '../../src/protocol/rules.ts'
import type { StateChanges } from '../../src/state/account.ts'
import type { StateSource } from '../../src/state/source.ts'
import { WorldState } from '../../src/state/worldState.ts'

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
  const config = { executor, crypto, rules, depositContract, revertReason: true, clock }
  const store = await BlockStore.open(undefined)
  await store.begin(block, rules)
  const ledger = new Ledger(store, rules, (raw, at) => decodeTransaction(raw, at, crypto), {
    blocks: 1000,
    proofs: 1000,
  })
  const source = parts.source?.(changes)
  const world = new WorldState(source)
  const importer = new BlockImporter({ config, ledger, decode: decodeTransaction, engine: 'preseal', clock })
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
      importBlocks(bytes, options, importer, {
        clock,
        head: () => ({ ...head, stateTrie: head.stateTrie ?? null, hashAt }),
        async adopt(imported) {
          head = { ...imported, state: world.commit(imported.state.changes) }
          canonical = canonical.append(imported.block.hash)
          ledger.append(head, hashAt)
        },
      }),
  }
}
