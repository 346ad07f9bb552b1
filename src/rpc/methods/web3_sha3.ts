import { defineMethod } from '../method.ts'
import { data } from '../params/params.ts'

/**
 * Returns the keccak256 hash of the given bytes.
 *
 * @group Chain and node
 * @example ["0x00"]
 */
export const web3_sha3 = defineMethod({
  class: 'node',
  onFork: 'local',
  params: [data],
  handler: ({ read }, bytes) => read.crypto.keccak256Hex(bytes),
})
