/** SHA-256 and RIPEMD-160. Imported when first used: most chains never need them. */
import { lazily } from '../waiting.ts'

/** Returns the module of both functions. @throws Missing until it is loaded */
export const nobleHashes = lazily(() => import('./nobleHashes.ts'))
