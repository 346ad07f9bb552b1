/** A chain with a transaction that has frames of every kind. */
import type { Hash, Hex } from '../../src/index.ts'
import { startChain, type TestChain } from '../harness.ts'
import { send } from './scene.ts'

/** Its receiver. */
export const FACTORY: Hex = `0x${'fa'.repeat(20)}`
/** Receives a wei of it. */
export const RECEIVER: Hex = `0x${'bb'.repeat(20)}`
/** The init code of a contract whose code is STOP. */
export const INIT = '600060005360016000f3'
/** Sends 1 wei to RECEIVER, creates a contract, creates one with CREATE2, copies with a precompile, destroys itself. */
const FACTORY_CODE = [
  `5f5f5f5f600173${RECEIVER.slice(2)}5af150`,
  `69${INIT}5f52600a60165ff050`,
  '5f5f5f5ff550',
  '5f5f5f5f5f60045af150',
  '33ff',
].join('')

/** A chain with a block that has one transaction, to the factory. */
export async function startFactory(): Promise<{ chain: TestChain; hash: Hash; sender: Hex }> {
  const chain = await startChain()
  await chain.setCode(FACTORY, `0x${FACTORY_CODE}`)
  await chain.setBalance(FACTORY, 9n)
  const hash = await send(chain, 0, { nonce: 0, to: FACTORY, data: '0x1234567890', gas: 1_000_000n })
  await chain.seal()
  return { chain, hash, sender: chain.accounts[0]!.address }
}
