import { otterscanMethod } from '../otterscan/load.ts'
import { numberedBlock } from '../params/block.ts'

/** Returns the header of a block, by number or tag; null if there is none. Otterscan asks for it to find out what a node is. */
export const erigon_getHeaderByNumber = otterscanMethod([numberedBlock], ({ header }) => header)
