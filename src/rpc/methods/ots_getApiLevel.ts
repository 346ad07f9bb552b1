import { method } from '../method.ts'

/** Returns the level of Otterscan's methods that is served. */
export const ots_getApiLevel = method([], () => 8)
