import { bytesToHex } from '../../bytes.ts'
import { method } from '../method.ts'
import { hash32 } from '../params.ts'

/** A transaction's bytes (EIP-2718), null where it is not known. */
export const eth_getRawTransactionByHash = method([hash32], ({ sight, services }, hash) => {
  const place = sight.findTransaction(hash)
  const tx = place?.block.transactions[place.index] ?? sight.findWaiting(hash) ?? services.mempool.get(hash)
  return tx === undefined ? null : bytesToHex(tx.raw)
})
