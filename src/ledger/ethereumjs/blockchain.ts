/**
 * What of @ethereumjs' blockchain the store needs, loaded by `import()` when there is a block to store. Named one by
 * one, since of a package that is itself imported on demand the bundle has to keep everything.
 */
import { DBOp, DBSetBlockOrHeader, DBSetHashToNumber } from '@ethereumjs/blockchain'

export const ethereumjs = { DBOp, DBSetBlockOrHeader, DBSetHashToNumber }
