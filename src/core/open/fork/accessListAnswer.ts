import type { Address, Hash } from '../../../base/types.ts'
import { address, checked, hash, listOf, type RemoteObject } from '../../fork/answers.ts'
import type { StateKey } from '../../fork/stateReads.ts'

interface Answer extends RemoteObject {
  readonly accessList: readonly { readonly address: Address; readonly storageKeys: readonly Hash[] }[]
}

const read = checked<Answer>({
  accessList: listOf(checked({ address, storageKeys: listOf(hash) })),
})

/** Keys of an answer that are loaded: what a node names beyond that would only cost requests. */
const MAX_KEYS = 10_000

/** The keys that an answer of eth_createAccessList names. @throws SchemaError */
export function readAccessList(answer: unknown): readonly StateKey[] {
  const keys = read(answer).accessList.flatMap((entry): StateKey[] => {
    const account = { address: entry.address.toLowerCase() as Address }
    return [account, ...entry.storageKeys.map((slot) => ({ ...account, slot: slot.toLowerCase() as Hash }))]
  })
  return keys.slice(0, MAX_KEYS)
}
