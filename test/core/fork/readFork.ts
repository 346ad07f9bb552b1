import { numberToHex } from 'viem'
import type { Hex, PresealChain } from '../../../src/index.ts'

/** The number of accounts that each process reads; those of two that follow each other are the same by half. */
export const COUNT = 20

/** Reads accounts one after the other, and a contract, and seals a block with a call to it. @param first - the first account. */
export async function readFork(
  { standard, preconf, accounts, seal }: PresealChain,
  contract: Hex,
  first: number,
) {
  const balances: Hex[] = []
  for (let i = first; i < first + COUNT; i++) {
    const account = numberToHex(0x1000 + i, { size: 20 })
    balances.push(await standard.request({ method: 'eth_getBalance', params: [account, 'latest'] }))
  }
  const code = await standard.request({ method: 'eth_getCode', params: [contract, 'latest'] })
  const from = accounts[0]!.address
  await preconf.request({ method: 'eth_sendTransaction', params: [{ from, to: contract }] })
  const { block } = await seal()
  return { balances, code, hash: block.hash }
}
