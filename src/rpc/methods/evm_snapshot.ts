import { devNames } from '../devChain.ts'
import { method } from '../method.ts'

/** Takes a snapshot of the chain and returns its id. */
export const evm_snapshot = method([], ({ control }) => control.snapshot(), { aliases: devNames('snapshot') })
