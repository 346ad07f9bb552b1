/** SHA-256 and RIPEMD-160. Imported when first used: most chains never need them. */
import { lazily } from '../waiting.ts'

export const nobleHashes = lazily(() => import('./nobleHashes.ts'))
