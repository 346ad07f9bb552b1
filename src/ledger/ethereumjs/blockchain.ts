/**
 * The parts of @ethereumjs' blockchain that the store needs, loaded by `import()` when the store is first used. They
 * are imported by name here, since the build keeps all of a package that is itself the target of `import()`.
 */
import { DBOp, DBSetBlockOrHeader, DBSetHashToNumber } from '@ethereumjs/blockchain'

/** The operations of its database. */
export const ethereumjs = { DBOp, DBSetBlockOrHeader, DBSetHashToNumber }
