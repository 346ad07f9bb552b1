/** SHA-256 and RIPEMD-160. Imported when first used: most chains never need them. */
import { lazily } from '../waiting.ts'

/** The hash functions of @noble/hashes. @throws Missing until they are loaded. */
export const nobleHashes = lazily(() => import('./nobleHashes.ts'))
