/** What `chain.export()` returns, and the check of its settings as an option; `core/open/readExport.ts` reads them. */
import { createSchema, readObject, type Schema } from '../schema.ts'
import type { GethGenesis, Hex } from '../types.ts'

/** The settings of an exported chain, as JSON; what they contain can differ between versions. */
export interface ChainSettings {
  /** Of their form. */
  readonly version: number
  readonly [part: string]: unknown
}

/** A chain as plain data: the options of a chain that is equal to it. It is the same after `JSON.stringify` and `JSON.parse`. */
export interface ExportedChain {
  readonly genesis: GethGenesis
  /** The blocks after genesis: their RLP, one after the other. */
  readonly blocks: Hex
  /** What the blocks do not have: options, settings of the blocks to come, and what cheats did. */
  readonly settings: ChainSettings
}

/** The schema of the option `settings`. */
export const settings: Schema<ChainSettings, ChainSettings> = createSchema(
  'the settings of chain.export()',
  (value, path) => readObject(value, path) as unknown as ChainSettings,
)
