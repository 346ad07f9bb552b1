/** SHA-256 and RIPEMD-160, which are imported at their first use, since most chains never hash by them. */
import { lazily } from '../waiting.ts'

/** The hash functions of @noble/hashes. @throws Missing until they are loaded. */
export const nobleHashes = lazily(() => import('./nobleHashes.ts'))
