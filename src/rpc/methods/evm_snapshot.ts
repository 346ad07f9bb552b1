import { devNames } from '../devChain.ts'
import { method } from '../method.ts'

/** Takes a snapshot. @returns its id. */
export const evm_snapshot = method([], ({ control }) => control.snapshot(), { aliases: devNames('snapshot') })
