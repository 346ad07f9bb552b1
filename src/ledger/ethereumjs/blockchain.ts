/**
 * The parts of @ethereumjs' blockchain that the store needs, loaded by `import()` when the store is first used. They
 * are named one by one, since the build keeps all of a package that is itself imported on demand.
 */
import { DBOp, DBSetBlockOrHeader, DBSetHashToNumber } from '@ethereumjs/blockchain'

/** The operations of its database. */
export const ethereumjs = { DBOp, DBSetBlockOrHeader, DBSetHashToNumber }
