/** The public API. */
export { loadCrypto, loadSecp256k1 } from './crypto.ts'
