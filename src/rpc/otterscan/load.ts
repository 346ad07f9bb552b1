/** Loads the handlers of Otterscan's methods, which are a separate chunk. */
export const loadOtterscan = () => import('./otterscan.ts')
