import type { Clock } from '../../base/clock.ts'
import type { Address } from '../../base/types.ts'
import type { WorldState } from '../../ethereum/state/worldState.ts'
import type { AttributeOptions } from '../block/attributes.ts'
import type { PayloadConfig } from '../block/payload.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Mempool } from '../mempool/mempool.ts'
import type { Mining } from '../sequencer/mining.ts'
import type { Sequencer } from '../sequencer/sequencer.ts'
import type { Snapshots } from '../sequencer/snapshots.ts'

/** The parts of a chain that cheats use. */
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
  /** The accounts of the chain's own genesis, which a chain that loads its state file may have too. */
  readonly genesisAccounts: ReadonlyMap<Address, unknown>
}
