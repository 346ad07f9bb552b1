/**
 * Random contracts on a chain, each called by one transaction that is sealed in a block of its own: the fast loop executes
 * it, and the plain loop traces it.
 */
import { createChain, createManualClock } from 'preseal'

type Hex = `0x${string}`

/** What is executed. */
export interface Programs {
  /** The addresses of the contracts. */
  readonly contracts: readonly Hex[]
  /** For each transaction, the codes of the contracts; it calls the first one. */
  readonly codes: readonly (readonly Hex[])[]
}

/** What has happened. */
export interface ProgramsResult {
  /** The hash of each block, which commits to the state, the gas, the logs and the status. */
  readonly blocks: readonly string[]
  readonly succeeded: number
  /** The transactions whose trace has another gas or outcome. */
  readonly differing: readonly number[]
}

/** Executes programs on a new chain, which is closed at the end. */
export async function runPrograms(
  { contracts, codes }: Programs,
  engine: 'preseal' | 'ethereumjs',
): Promise<ProgramsResult> {
  const chain = await createChain({ engine, clock: createManualClock(), mining: 'manual', hardfork: 'osaka' })
  const { request } = chain.live
  const from = chain.accounts[0]!.address
  const [to] = contracts
  const blocks: string[] = []
  const differing: number[] = []
  let succeeded = 0
  for (const [index, code] of codes.entries()) {
    for (const [i, address] of contracts.entries()) {
      await request({ method: 'anvil_setCode', params: [address, code[i]!] })
    }
    const call = { from, to: to!, gas: '0xf4240', data: '0x0123456789' } as const
    const hash = await request({ method: 'eth_sendTransaction', params: [call] })
    await chain.seal()
    const receipt = await chain.standard.request({
      method: 'eth_getTransactionReceipt',
      params: [hash as Hex],
    })
    const options = { disableStack: true, disableStorage: true }
    const trace = await request({ method: 'debug_traceTransaction', params: [hash, options] })
    const { gas, failed } = trace as { readonly gas: number; readonly failed: boolean }
    if (gas !== Number(receipt!.gasUsed) || failed === (receipt!.status === '0x1')) differing.push(index)
    if (receipt!.status === '0x1') succeeded += 1
    blocks.push(receipt!.blockHash)
  }
  await chain.close()
  return { blocks, succeeded, differing }
}
