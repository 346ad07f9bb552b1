import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'

/** Takes a snapshot of the chain and returns its id. */
export const evm_snapshot = changeMethod([], ({ control }) => control.snapshot(), {
  aliases: devNames('snapshot'),
})
