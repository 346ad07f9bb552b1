import { method } from '../method.ts'
import { data } from '../params/params.ts'

/** Returns the keccak256 hash of the given bytes. */
export const web3_sha3 = method([data], ({ read }, bytes) => read.crypto.keccak256Hex(bytes))
