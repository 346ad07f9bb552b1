import { address, checked, hash, listOf, type RemoteObject } from '../../fork/answers.ts'
import type { StateKey } from '../../fork/origin.ts'
import type { Address, Hash } from '../../primitives/types.ts'

interface Answer extends RemoteObject {
  readonly accessList: readonly { readonly address: Address; readonly storageKeys: readonly Hash[] }[]
}

const read = checked<Answer>({
  accessList: listOf(checked({ address, storageKeys: listOf(hash) })),
})

/** The keys that an answer of eth_createAccessList names. @throws SchemaError */
export function readAccessList(answer: unknown): readonly StateKey[] {
  return read(answer).accessList.flatMap((entry): StateKey[] => {
    const account = { address: entry.address.toLowerCase() as Address }
    return [account, ...entry.storageKeys.map((slot) => ({ ...account, slot: slot.toLowerCase() as Hash }))]
  })
}
