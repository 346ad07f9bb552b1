/** Checks that an engine did what is measured. */
import type { EngineChain } from './engines/engine.ts'
import type { Workload } from './workload.ts'

/** The result of `eth_call` of a contract at the latest block. */
export function callContract(chain: EngineChain, to: string, data?: string): Promise<unknown> {
  return chain.request('eth_call', [{ to, ...(data !== undefined && { data }) }, 'latest'])
}

/** @throws Error unless each recipient has so many wei. */
export async function expectBalances(
  chain: EngineChain,
  { recipients }: Workload,
  balance: number,
): Promise<void> {
  for (const { address } of recipients) {
    expectEqual(
      `the balance of ${address}`,
      await chain.request('eth_getBalance', [address, 'latest']),
      balance,
    )
  }
}

/** @throws Error unless each recipient has so many of the token's smallest units. */
export async function expectTokenBalances(
  chain: EngineChain,
  { recipients, token }: Workload,
  balance: number,
): Promise<void> {
  for (const { address, balanceOf } of recipients) {
    expectEqual(
      `the token balance of ${address}`,
      await callContract(chain, token.address, balanceOf),
      balance,
    )
  }
}

/** @throws Error unless a quantity is the expected one. */
export function expectEqual(what: string, quantity: unknown, expected: number | bigint): void {
  if (BigInt(quantity as string) !== BigInt(expected))
    throw new Error(`${what} is ${quantity}, not ${expected}`)
}
