import type { Clock } from '../clock.ts'
import type { AttributeOptions } from '../execution/attributes.ts'
import type { PayloadConfig } from '../execution/payload.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Mempool } from '../mempool/mempool.ts'
import type { Mining } from '../mining.ts'
import type { Sequencer } from '../sequencer.ts'
import type { Snapshots } from '../snapshots.ts'
import type { WorldState } from '../state/worldState.ts'

/** What cheats work with. */
export interface CheatParts {
  readonly sequencer: Sequencer
  readonly clock: Clock
  readonly attributes: AttributeOptions
  readonly config: PayloadConfig
  readonly mempool: Mempool
  readonly ledger: Ledger
  readonly mining: Mining
  readonly snapshots: Snapshots
  readonly world: Pick<WorldState, 'everythingAt'>
}
