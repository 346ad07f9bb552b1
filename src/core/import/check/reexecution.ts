/** Blocks of a database that are executed again, on the states that it has. */

import { systemClock } from '../../../base/clock.ts'
import type { Address } from '../../../base/types.ts'
import type { Block } from '../../../ethereum/block.ts'
import type { ChainRules } from '../../../ethereum/rules.ts'
import type { StateReader } from '../../../ethereum/state/account.ts'
import type { StateTrie } from '../../../ethereum/state/stateTrie.ts'
import type { Executed, PayloadConfig, PayloadParent } from '../../block/payload.ts'
import type { Scan } from '../../ledger/format/scanDatabase.ts'
import { executeAgain } from '../executeAgain.ts'
import { BlockImporter } from '../importBlocks.ts'
import { type CheckedBlocks, ownFields, rulesAt } from './checkedBlocks.ts'
import type { CheckParts } from './checkParts.ts'

/** A state that a block is executed on. */
export interface ParentState {
  readonly version: StateReader
  readonly trie: StateTrie
}

/** Executes blocks of a database. Loaded only to check one. */
export class Reexecution {
  readonly #scan: Scan
  readonly #blocks: CheckedBlocks
  readonly #parts: CheckParts
  readonly #configs = new Map<ChainRules, { config: PayloadConfig; importer: BlockImporter }>()

  constructor(scan: Scan, blocks: CheckedBlocks, parts: CheckParts) {
    this.#scan = scan
    this.#blocks = blocks
    this.#parts = parts
  }

  /** Whether a block can be executed: it and its parent are sound, and its rules are known. */
  canExecute(number: number): boolean {
    const { headers } = this.#blocks
    return headers.has(number) && headers.has(number - 1) && rulesAt(this.#scan, number) !== undefined
  }

  /** Executes a block on the state of the one before it. @throws ReplayError if it differs from the stored block. */
  async execute(number: number, { version, trie }: ParentState): Promise<Executed> {
    const { hashes, indices, read } = this.#blocks
    const rules = rulesAt(this.#scan, number)!
    const stored = { ...(await read(number)), ...ownFields(indices.get(number)!) }
    const parent: PayloadParent = {
      block: await this.#parent(number - 1, rules),
      state: version,
      stateTrie: trie,
      hashAt: (at) => hashes.get(Number(at)),
    }
    const { config, importer } = this.#partsOf(rules)
    return executeAgain(stored, hashes.get(number)!, parent, { config, importer, decode: this.#parts.decode })
  }

  async #parent(number: number, rules: ChainRules): Promise<Block> {
    const { hashes, read } = this.#blocks
    const stored = await read(number)
    const { timestamp, difficulty } = stored.header
    const at = BigInt(number)
    return {
      ...stored,
      hash: hashes.get(number)!,
      number: at,
      timestamp,
      rules: rules.at(at, timestamp, difficulty),
      transactions: [],
      receipts: [],
    }
  }

  #partsOf(rules: ChainRules): { config: PayloadConfig; importer: BlockImporter } {
    let found = this.#configs.get(rules)
    if (found === undefined) {
      const { executor, crypto, clock, decode } = this.#parts
      const { depositContract } = rules.at(0n, 0n).schedule
      const config: PayloadConfig = {
        executor,
        crypto,
        rules,
        depositContract: depositContract.toLowerCase() as Address,
        revertReason: true,
        clock,
      }
      const ledger = {
        get: () => undefined,
        getPruned: async (hash: string) => {
          const number = [...this.#blocks.hashes].find(([, one]) => one === hash)?.[0]
          return number === undefined ? undefined : this.#parent(number, rules)
        },
      }
      found = {
        config,
        importer: new BlockImporter({ config, engine: 'preseal', decode, ledger, clock: systemClock }),
      }
      this.#configs.set(rules, found)
    }
    return found
  }
}
