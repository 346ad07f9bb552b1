/** The DAO fork (EIP-779): its block, and the accounts whose balances the block moves. */
import type { Address } from '../base/types.ts'
import { createdAddress } from './createdAddress.ts'
import type { ForkSchedule } from './rules.ts'

/** The contract that gets the balances, from which holders of the DAO withdraw. */
export const DAO_REFUND: Address = '0xbf4ed7b27f1d666546e30d74d50d173d20bca754'

const DAO: Address = '0xbb9bc244d798123fde783fcc1c72d3bb8c189413'
const DAO_CREATOR: Address = '0x4a574510c7014e4ae985403536074abe582adfc8'
const CHILDREN = 57

/** The number of the block that moves the balances; undefined without a DAO fork. */
export function daoForkBlock({ forks }: ForkSchedule): bigint | undefined {
  const at = forks.find(({ name }) => name === 'dao')?.at
  return at === undefined ? undefined : BigInt(at)
}

/** The DAO and all children of its creator, each followed by its `extraBalance`: the first contract that it created. */
export function daoAccounts(): Address[] {
  const children = Array.from({ length: CHILDREN }, (_, i) => createdAddress(DAO_CREATOR, BigInt(i + 1)))
  return [DAO, ...children].flatMap((dao) => [dao, createdAddress(dao, 0n)])
}
